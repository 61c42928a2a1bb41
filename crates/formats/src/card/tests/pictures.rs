use super::*;

#[test]
fn v3_wins_wherever_it_stands() {
    let v2 = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Old"}});
    for chunks in [
        vec![slot(Keyword::Chara, &v2), slot(Keyword::Ccv3, &v3())],
        vec![slot(Keyword::Ccv3, &v3()), slot(Keyword::Chara, &v2)],
    ] {
        let file = open(&png_with(chunks));
        assert_eq!((file.container(), file.character().name.as_str()), (Container::Png, "Bram"));
    }
}

#[test]
fn a_broken_chunk_is_passed_over_with_a_warning() {
    let broken = Text::to_chunk(&Keyword::Ccv3, "e30tLQ==").unwrap();
    let file = open(&png_with(vec![broken, slot(Keyword::Chara, &v3()), slot(Keyword::Chara, &json!({}))]));
    assert_eq!(file.character().name, "Bram");
    assert_eq!(
        told(&file),
        [
            "[card.chunk] the chunk `ccv3` cannot be read: expected the end of the text but found `-` at line 1, column 3; \
             remove what follows the value (at ccv3, byte 2) (at byte 61)",
            "[card.several_chunks] there are 2 chunks `chara`; the first that can be read was used",
        ]
    );
}

#[test]
fn a_wrong_checksum_is_tolerated() {
    let mut bytes = png_with(vec![slot(Keyword::Chara, &v3())]);
    let crc = bytes.len() - 13;
    bytes[crc] ^= 0xff;
    let file = open(&bytes);
    assert_eq!(
        told(&file),
        ["[card.bad_crc] the checksum of the chunk `chara` is wrong; its text was used (at byte 61)"]
    );
    assert_eq!(file.write_png(&bytes, PngForm::AsRead, &limits()).unwrap(), bytes);
}

#[test]
fn untouched_pictures_come_back_byte_for_byte() {
    let v2 = json!({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Stale"}});
    let mut bytes = png_with(vec![
        slot(Keyword::Chara, &v2),
        slot(Keyword::Ccv3, &v3()),
        Chunk::new(*b"tIME", &b"1234567"[..]),
    ]);
    bytes.extend_from_slice(b"tail");
    assert_eq!(open(&bytes).write_png(&bytes, PngForm::AsRead, &limits()).unwrap(), bytes);
}

#[test]
fn a_changed_card_changes_only_its_chunks() {
    let bytes = png_with(vec![
        slot(Keyword::Chara, &v3()),
        Chunk::new(*b"tEXt", &b"Comment\0mine"[..]),
        Chunk::new(*b"tEXt", &b"chara-ext-asset_:1\0AAAA"[..]),
    ]);
    let mut file = open(&bytes);
    file.card_mut().set("name", "Ilse");
    for (form, keywords) in [
        (PngForm::AsRead, &["Comment", "chara-ext-asset_:1", "chara"][..]),
        (PngForm::V2, &["Comment", "chara-ext-asset_:1", "chara"]),
        (PngForm::V3, &["Comment", "chara-ext-asset_:1", "ccv3"]),
        (PngForm::Both, &["Comment", "chara-ext-asset_:1", "chara", "ccv3"]),
    ] {
        let written = file.write_png(&bytes, form, &limits()).unwrap();
        let (old, new) = (Png::parse(&bytes, &limits()).unwrap(), Png::parse(&written, &limits()).unwrap());
        let texts: Vec<_> = Text::all(&new).into_iter().map(|text| text.raw_keyword).collect();
        assert_eq!(texts, keywords);
        assert_eq!(old.chunks[..2], new.chunks[..2]);
        let again = open(&written);
        assert_eq!(
            (again.character().name.as_str(), again.character().nickname.as_str()),
            ("Ilse", if form == PngForm::AsRead || form == PngForm::V2 { "" } else { "Keeper" })
        );
        assert_eq!(again.to_v3().character(), file.character());
    }
}

#[test]
fn packed_and_plain_texts_are_read() {
    let text = v3().to_string();
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut zlib, base64::encode(text.as_bytes()).as_bytes()).unwrap();
    let packed = [&b"ccv3\0\0"[..], &zlib.finish().unwrap()].concat();
    let plain = [&b"chara\0\0\0\0\0"[..], text.as_bytes()].concat();
    for chunk in [Chunk::new(*b"zTXt", packed), Chunk::new(*b"iTXt", plain)] {
        assert_eq!(open(&png_with(vec![chunk])).character().name, "Bram");
    }
}

#[test]
fn risu_assets_are_listed_and_read() {
    let mut value = v3();
    value["data"]["assets"] = json!([
        {"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"},
        {"type": "emotion", "uri": "__asset:0", "name": "happy", "ext": "webp"},
        {"type": "emotion", "uri": "__asset:9", "name": "gone", "ext": "webp"},
        {"type": "x", "uri": "data:image/png;base64,AAEC", "name": "inline", "ext": "png"},
        {"type": "x", "uri": "https://example.org/a.png", "name": "far", "ext": "png"},
    ]);
    let asset =
        |name: &str, data: &str| Chunk::new(*b"tEXt", format!("chara-ext-asset_{name}\0{data}").into_bytes());
    let bytes = png_with(vec![asset("0", "AQI="), asset(":7", "AwQ="), slot(Keyword::Ccv3, &value)]);
    let file = open(&bytes);
    let places: Vec<_> =
        file.assets().iter().map(|asset| (asset.name.as_str(), asset.place.clone())).collect();
    assert_eq!(
        places,
        [
            ("main", Place::Picture),
            ("happy", Place::Chunk("0".into())),
            ("gone", Place::Missing),
            ("inline", Place::Inline),
            ("far", Place::Remote),
            ("7", Place::Chunk("7".into())),
        ]
    );
    let read = |index: usize| file.asset_bytes(&file.assets()[index], &bytes, &limits());
    assert_eq!(read(1).unwrap(), [1, 2]);
    assert_eq!(read(3).unwrap(), [0, 1, 2]);
    assert_eq!(read(5).unwrap(), [3, 4]);
    assert_eq!(
        read(2).unwrap_err().to_string(),
        "the asset is not in the file; pass the file the card was read from (at data.assets[2])"
    );
    assert_eq!(
        read(4).unwrap_err().to_string(),
        "the asset is not in the file but somewhere else; fetch its address yourself (at data.assets[4])"
    );
    assert_eq!(
        told(&file),
        [
            "[card.asset_missing] asset \"gone\" is not in the file; the reference was kept (at data.assets[2])"
        ]
    );
    // Moving into an archive takes picture and assets along.
    let moved = file.write_charx(Some(&bytes), &limits()).unwrap();
    let again = open(&moved);
    let happy = again.assets().iter().find(|asset| asset.name == "happy").unwrap();
    assert_eq!(again.asset_bytes(happy, &moved, &limits()).unwrap(), [1, 2]);
    let icon = again.assets().iter().find(|asset| asset.name == "main").unwrap();
    assert_eq!(again.asset_bytes(icon, &moved, &limits()).unwrap(), Png::smallest());
}

#[test]
fn pictures_without_a_card_say_why() {
    assert_eq!(
        refusal(&Png::smallest()),
        "the picture holds no card: there is no text chunk `chara` or `ccv3`; was it saved by a site that strips them?"
    );
    assert_eq!(
        refusal(&Png::smallest()[..60]),
        "the picture is cut off and the part that is there holds no card; get a whole copy of it"
    );
    let novelai = png_with(vec![Chunk::new(*b"tEXt", &b"naidata\0AAAA"[..])]);
    assert_eq!(refusal(&novelai), "the picture holds a NovelAI lorebook (`naidata`), not a character card");
    let bad = png_with(vec![Chunk::new(*b"tEXt", &b"chara\0!!!not-base64!!!"[..])]);
    assert_eq!(
        refusal(&bad),
        "the card's base64 is damaged and what it decodes to is not JSON; get a whole copy of the file (at chara)"
    );
    let encrypted = Text::to_chunk(&Keyword::Chara, &base64::encode(b"rcc||rccv1||xyz")).unwrap();
    assert_eq!(
        refusal(&png_with(vec![encrypted])),
        "the card is encrypted by RisuAI; export it there without protection (at chara)"
    );
    assert_eq!(
        refusal(b"\xff\xd8\xff\xd9"),
        "the picture holds no card: neither an archive behind it nor a comment with one; use the PNG of the card"
    );
    assert_eq!(
        refusal(b"\xff\xd8\xff\xe1\xff\xff"),
        "the JPEG is cut off inside a segment; get a whole copy of it (byte 2)"
    );
    assert_eq!(
        refusal(b"RIFF\x10\0\0\0WEBPEXIF\xff\0\0\0"),
        "the WebP is cut off inside a chunk; get a whole copy of it (byte 12)"
    );
    let file = open(v3().to_string().as_bytes());
    assert_eq!(
        file.write_png(b"\xff\xd8\xff\xd9", PngForm::Both, &limits()).unwrap_err().to_string(),
        "a card can be written only into a PNG picture; convert the picture to PNG first"
    );
}

/// A TIFF structure with one user comment, little endian.
fn exif(comment: &[u8]) -> Vec<u8> {
    let mut tiff = b"II*\0\x08\0\0\0".to_vec();
    tiff.extend(b"\x01\0\x69\x87\x04\0\x01\0\0\0\x1a\0\0\0\0\0\0\0");
    tiff.extend(b"\x01\0\x86\x92\x07\0");
    tiff.extend((comment.len() as u32).to_le_bytes());
    tiff.extend(44u32.to_le_bytes());
    tiff.extend([0; 4]);
    tiff.extend(comment);
    tiff
}

#[test]
fn comments_of_jpeg_and_webp() {
    let text = json!({"name": "Bram", "description": "d"}).to_string();
    let numbers = text.bytes().map(|byte| byte.to_string()).collect::<Vec<_>>().join(",");
    let encoded = base64::encode(text.as_bytes());
    for body in [&text, &numbers, &encoded] {
        let tiff = exif(&[b"ASCII\0\0\0", body.as_bytes()].concat());
        let mut jpeg = b"\xff\xd8\xff\xe1".to_vec();
        jpeg.extend(((tiff.len() + 8) as u16).to_be_bytes());
        jpeg.extend(b"Exif\0\0");
        jpeg.extend(&tiff);
        jpeg.extend(b"\xff\xd9");
        let file = open(&jpeg);
        assert_eq!((file.container(), file.character().name.as_str()), (Container::Jpeg, "Bram"));
        let mut webp = b"RIFF\0\0\0\0WEBPVP8 \x01\0\0\0x\0EXIF".to_vec();
        webp.extend((tiff.len() as u32).to_le_bytes());
        webp.extend(&tiff);
        assert_eq!(open(&webp).container(), Container::WebP);
    }
}
