//! The comments of JPEG and WebP pictures, where a card may hide.

use crate::{Error, ErrorKind, Result};

const EXIF_POINTER: u16 = 0x8769;
const USER_COMMENT: u16 = 0x9286;
const IMAGE_DESCRIPTION: u16 = 0x010e;

/// Every comment of a JPEG: EXIF fields and `COM` segments.
pub(crate) fn jpeg_comments(bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut found = Vec::new();
    let mut at = 2;
    while let Some([0xff, marker]) = bytes.get(at..at + 2) {
        match marker {
            // Fill bytes and markers without content.
            0xff => {
                at += 1;
                continue;
            }
            0x01 | 0xd0..=0xd8 => {
                at += 2;
                continue;
            }
            // The picture itself, or its end: no comment comes after.
            0xda | 0xd9 => break,
            _ => {}
        }
        let length =
            bytes.get(at + 2..at + 4).map(|pair| usize::from(u16::from_be_bytes([pair[0], pair[1]])));
        let Some(segment) =
            length.filter(|length| *length >= 2).and_then(|length| bytes.get(at + 4..at + 2 + length))
        else {
            let message = "the JPEG is cut off inside a segment; get a whole copy of it";
            return Err(Error::new(ErrorKind::Image, message).at_offset(at as u64));
        };
        match (marker, segment.strip_prefix(b"Exif\0\0")) {
            (0xe1, Some(tiff)) => exif_comments(tiff, &mut found),
            (0xfe, _) => found.push(segment),
            _ => {}
        }
        at += 4 + segment.len();
    }
    Ok(found)
}

/// Every EXIF comment of a WebP.
pub(crate) fn webp_comments(bytes: &[u8]) -> Result<Vec<&[u8]>> {
    let mut found = Vec::new();
    let mut rest = bytes.get(12..).unwrap_or_default();
    while let Some((header, after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_le_bytes([header[4], header[5], header[6], header[7]]) as usize;
        let Some(chunk) = after.get(..length) else {
            let message = "the WebP is cut off inside a chunk; get a whole copy of it";
            return Err(Error::new(ErrorKind::Image, message).at_offset((bytes.len() - rest.len()) as u64));
        };
        if &header[..4] == b"EXIF" {
            // Some writers put the JPEG marker in front.
            exif_comments(chunk.strip_prefix(b"Exif\0\0").unwrap_or(chunk), &mut found);
        }
        // Chunks are padded to even length.
        rest = after.get(length + length % 2..).unwrap_or_default();
    }
    Ok(found)
}

/// The comment fields of a TIFF structure. What is broken in it is passed over: the picture may have others.
fn exif_comments<'a>(tiff: &'a [u8], found: &mut Vec<&'a [u8]>) {
    let little = match tiff.get(..4) {
        Some([b'I', b'I', 42, 0]) => true,
        Some([b'M', b'M', 0, 42]) => false,
        _ => return,
    };
    let reader = Tiff { bytes: tiff, little };
    let Some(first) = reader.u32(4) else { return };
    if let Some(inner) = reader.directory(first, found) {
        reader.directory(inner, found);
    }
}

struct Tiff<'a> {
    bytes: &'a [u8],
    little: bool,
}

impl<'a> Tiff<'a> {
    fn u16(&self, at: usize) -> Option<u16> {
        let bytes: [u8; 2] = self.bytes.get(at..at.checked_add(2)?)?.try_into().ok()?;
        Some(if self.little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) })
    }

    fn u32(&self, at: usize) -> Option<usize> {
        let bytes: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        usize::try_from(if self.little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) }).ok()
    }

    /// Collects the comments of one directory; returns where the EXIF directory is, if it is named here.
    fn directory(&self, at: usize, found: &mut Vec<&'a [u8]>) -> Option<usize> {
        let mut inner = None;
        let count = usize::from(self.u16(at)?);
        for index in 0..count {
            let entry = at.checked_add(2 + index * 12)?;
            let (tag, kind, length) = (self.u16(entry)?, self.u16(entry + 2)?, self.u32(entry + 4)?);
            let value = self.u32(entry + 8)?;
            let is_text = matches!(kind, 1 | 2 | 7);
            match tag {
                EXIF_POINTER => inner = Some(value),
                USER_COMMENT | IMAGE_DESCRIPTION if is_text => {
                    let start = if length <= 4 { entry + 8 } else { value };
                    if let Some(comment) =
                        start.checked_add(length).and_then(|end| self.bytes.get(start..end))
                    {
                        found.push(without_charset(comment));
                    }
                }
                _ => {}
            }
        }
        inner
    }
}

/// A user comment starts with eight bytes that name its character set.
fn without_charset(comment: &[u8]) -> &[u8] {
    for charset in [b"ASCII\0\0\0", b"UNICODE\0", b"JIS\0\0\0\0\0", b"\0\0\0\0\0\0\0\0"] {
        if let Some(rest) = comment.strip_prefix(charset) {
            return rest;
        }
    }
    comment
}
