use super::*;
use crate::{ErrorKind, Limits};

fn with_text(chunks: &[Chunk<'static>]) -> Vec<u8> {
    let base = Png::smallest();
    let mut png = Png::parse(&base, &Limits::default()).unwrap();
    for chunk in chunks {
        png.insert_before_end(chunk.clone());
    }
    png.to_bytes()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn three_kinds_of_text_chunks() {
    let packed = zlib(b"packed");
    let file = with_text(&[
        Chunk::new(*b"tEXt", &b"Chara\0plain"[..]),
        Chunk::new(*b"zTXt", [&b"ccv3\0\0"[..], &packed].concat()),
        Chunk::new(*b"iTXt", &b"Comment\0\0\0en\0tr\0\xc3\xa9"[..]),
        Chunk::new(*b"iTXt", [&b"chara-ext-asset_:7\0\x01\0\0\0"[..], &packed].concat()),
    ]);
    let png = Png::parse(&file, &Limits::default()).unwrap();
    let texts = Text::all(&png);
    let read: Vec<_> = texts
        .iter()
        .map(|t| (t.keyword.clone(), t.bytes(&Limits::default()).unwrap().into_owned()))
        .collect();
    assert_eq!(
        read,
        [
            (Keyword::Chara, b"plain".to_vec()),
            (Keyword::Ccv3, b"packed".to_vec()),
            (Keyword::Other("Comment".into()), "é".as_bytes().to_vec()),
            (Keyword::RisuAsset("7".into()), b"packed".to_vec()),
        ]
    );
    assert_eq!(png.to_bytes(), file);
}

#[test]
fn wrong_checksums_and_trailing_bytes_come_back() {
    let mut file = with_text(&[Chunk::new(*b"tEXt", &b"chara\0x"[..])]);
    let length = file.len();
    file[length - 13] ^= 1;
    file.extend_from_slice(b"after the end");
    let png = Png::parse(&file, &Limits::default()).unwrap();
    assert_eq!(png.first_bad_crc().map(Chunk::kind_name).as_deref(), Some("tEXt"));
    assert_eq!(png.trailing, b"after the end");
    assert_eq!(png.to_bytes(), file);
}

#[test]
fn a_cut_off_file_keeps_what_is_whole() {
    let file = with_text(&[Chunk::new(*b"tEXt", &b"chara\0x"[..])]);
    for length in 0..file.len() {
        match Png::parse(&file[..length], &Limits::default()) {
            Ok(png) => {
                assert!(!png.is_complete());
                assert_eq!(png.warnings[0].code, "png.truncated");
                assert_eq!(png.to_bytes(), &file[..length]);
            }
            Err(error) => assert_eq!(error.kind(), ErrorKind::Png),
        }
    }
}

#[test]
fn structure_errors_say_what_to_do() {
    let message = |bytes: &[u8]| Png::parse(bytes, &Limits::default()).unwrap_err().to_string();
    assert_eq!(
        message(b"GIF89a"),
        "the file does not start with a PNG signature; is it another picture format?"
    );
    assert_eq!(
        message(&SIGNATURE),
        "the file ends before its first chunk is complete; get a whole copy of it (byte 8)"
    );
    let headless = [&SIGNATURE[..], b"\0\0\0\0IDAT\0\0\0\0"].concat();
    assert_eq!(
        message(&headless),
        "the first chunk is not IHDR, so this is no PNG picture; save the picture anew (byte 8)"
    );
    let limits = Limits { input: 10, ..Limits::default() };
    assert_eq!(
        Png::parse(&Png::smallest(), &limits).unwrap_err().to_string(),
        "the picture has 73 bytes, more than the limit of 10; raise `Limits::input` if you trust it"
    );
}

#[test]
fn text_errors_name_the_chunk() {
    let bomb = zlib(&vec![0; 3 << 20]);
    let error = |chunk: Chunk<'static>, limits: &Limits| {
        let file = with_text(&[chunk]);
        let png = Png::parse(&file, limits).unwrap();
        Text::all(&png)[0].bytes(limits).unwrap_err().to_string()
    };
    let strict = Limits { inflated: 1 << 20, text_chunk: 100_000, ..Limits::default() };
    assert_eq!(
        error(Chunk::new(*b"zTXt", [&b"chara\0\0"[..], &bomb].concat()), &strict),
        "the packed text grows beyond 1048576 bytes; raise `Limits::inflated` or `Limits::ratio` if you trust the file \
         (at chunk chara, byte 61)"
    );
    assert_eq!(
        error(Chunk::new(*b"tEXt", [&b"chara\0"[..], &[b'x'; 100_001]].concat()), &strict),
        "the text chunk has 100001 bytes, more than the limit of 100000; raise `Limits::text_chunk` if you trust the file \
         (at chunk chara, byte 61)"
    );
    assert_eq!(
        error(Chunk::new(*b"zTXt", &b"chara\0\0not zlib"[..]), &strict),
        "the packed text is damaged; get a whole copy of the file (at chunk chara, byte 61)"
    );
    assert_eq!(
        error(Chunk::new(*b"zTXt", &b"chara\0\x05x"[..]), &strict),
        "the text chunk is packed in a way PNG does not define; save the card anew in the program it came from \
         (at chunk chara, byte 61)"
    );
}

mod as_sillytavern {
    use super::*;

    fn refusal(file: &[u8]) -> String {
        sillytavern::read(file, &Limits::default()).unwrap_err().to_string()
    }

    #[test]
    fn refuses_what_sillytavern_refuses() {
        let good = with_text(&[Chunk::new(*b"tEXt", &b"chara\0e30="[..])]);
        assert_eq!(sillytavern::read(&good, &Limits::default()).unwrap(), "{}");
        // The last checksum may be missing.
        assert_eq!(sillytavern::read(&good[..good.len() - 4], &Limits::default()).unwrap(), "{}");
        assert_eq!(
            refusal(&good[..good.len() - 5]),
            "the picture is cut off before its end; get a whole copy of it (byte 90)"
        );
        let mut bad = good.clone();
        bad[70] ^= 1;
        assert_eq!(
            refusal(&bad),
            "the checksum of chunk tEXt is wrong; SillyTavern refuses such a file (byte 61)"
        );
        let nul = with_text(&[Chunk::new(*b"tEXt", &b"chara\0e3\x000="[..])]);
        assert_eq!(
            refusal(&nul),
            "a tEXt chunk holds a zero byte; SillyTavern refuses such a file (byte 61)"
        );
        let international = with_text(&[Chunk::new(*b"iTXt", &b"chara\0\0\0\0\0e30="[..])]);
        assert_eq!(
            refusal(&international),
            "there is no tEXt chunk `chara` or `ccv3` in the picture; export the card again as PNG"
        );
        assert_eq!(
            sillytavern::write(&good, "", &Limits::default()).unwrap_err().to_string(),
            "an empty text cannot be written as a card; give the card's JSON"
        );
    }

    #[test]
    fn marks_v3_as_javascript_would_print_it() {
        let write = |card: &str| {
            let file = sillytavern::write(&Png::smallest(), card, &Limits::default()).unwrap();
            sillytavern::read(&file, &Limits::default()).unwrap()
        };
        assert_eq!(
            write(r#"{"b":1.0,"10":1,"2":[12345678901234567890],"spec":"x"}"#),
            r#"{"2":[12345678901234567000],"10":1,"b":1,"spec":"chara_card_v3","spec_version":"3.0"}"#
        );
        // Half characters come back as escapes, whole ones as themselves.
        assert_eq!(
            write(r#"{"a":"\\\uD83Dx\ud83d\ude00\\ud83d"}"#),
            r#"{"a":"\\\ud83dx😀\\ud83d","spec":"chara_card_v3","spec_version":"3.0"}"#
        );
        assert_eq!(write("\u{feff}{}"), "\u{feff}{}");
        // Neither a number nor broken JSON can be marked, so only `chara` is there.
        assert_eq!(write("5"), "5");
        assert_eq!(write("[1,]"), "[1,]");
        assert_eq!(write("[1, 2]"), "[1,2]");
    }
}
