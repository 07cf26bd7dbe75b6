//! Images with a small part that takes a lot of memory or time to decode.

use std::io::Write;

use flate2::{Compression, write::GzEncoder, write::ZlibEncoder};
use image::{DynamicImage, ImageFormat};

use super::sample_images::{chunk, moving, points, sample_image, with_segment};

/// An image, and the expected result of its upload.
pub struct Bomb {
    /// The part that takes memory or time.
    pub part: &'static str,
    /// The file name extension.
    pub extension: &'static str,
    /// The image.
    pub content: Vec<u8>,
    /// Whether the image is refused. Otherwise it is accepted without the part.
    pub is_refused: bool,
}

impl Bomb {
    fn refused(part: &'static str, extension: &'static str, content: Vec<u8>) -> Self {
        Self {
            part,
            extension,
            content,
            is_refused: true,
        }
    }

    fn accepted(part: &'static str, extension: &'static str, content: Vec<u8>) -> Self {
        Self {
            is_refused: false,
            ..Self::refused(part, extension, content)
        }
    }

    /// Returns the media type of the image.
    pub fn kind(&self) -> &'static str {
        match self.extension {
            "jpg" => "image/jpeg",
            "png" => "image/png",
            "gif" => "image/gif",
            "webp" => "image/webp",
            "ico" => "image/x-icon",
            _ => "image/svg+xml",
        }
    }
}

/// Returns one image of each kind.
pub fn all() -> Vec<Bomb> {
    [png(), jpeg(), gif(), webp(), icons(), svg()]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns compressed data that expands to `bytes` bytes, a thousand times its size.
fn inflatable(bytes: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let block = vec![0; 1 << 20];
    for _ in 0..bytes >> 20 {
        encoder.write_all(&block).unwrap();
    }
    encoder.finish().unwrap()
}

/// Returns a PNG with additional chunks after its header.
pub fn png_with(chunks: &[Vec<u8>]) -> Vec<u8> {
    let png = sample_image(1200, 40, ImageFormat::Png);
    [&png[..33], &chunks.concat(), &png[33..]].concat()
}

/// Returns the chunk of a colour profile.
pub fn profile_chunk(compressed: &[u8]) -> Vec<u8> {
    chunk(b"iCCP", &[b"profile\0\0", compressed].concat())
}

fn png() -> Vec<Bomb> {
    let long = inflatable(768 << 20);
    let text = |kind, begin: &[u8]| png_with(&vec![chunk(kind, &[begin, &long].concat()); 2]);
    let frames = |count: u32| chunk(b"acTL", &[count.to_be_bytes(), [0; 4]].concat());
    let mut frame = [0; 26];
    frame[4..8].copy_from_slice(&60_000_u32.to_be_bytes());
    frame[8..12].copy_from_slice(&60_000_u32.to_be_bytes());
    let mut deflated = ZlibEncoder::new(Vec::new(), Compression::best());
    deflated.write_all(&repeating_profile()).unwrap();
    let compressed = deflated.finish().unwrap();
    vec![
        Bomb::refused("iCCP", "png", png_with(&[profile_chunk(&long)])),
        Bomb::accepted(
            "texts in iCCP",
            "png",
            png_with(&[profile_chunk(&compressed)]),
        ),
        Bomb::accepted("zTXt", "png", text(b"zTXt", b"Raw profile type iptc\0\0")),
        Bomb::accepted(
            "iTXt",
            "png",
            text(b"iTXt", b"XML:com.adobe.xmp\0\x01\0\0\0"),
        ),
        Bomb::accepted(
            "eXIf",
            "png",
            png_with(&[chunk(b"eXIf", &vec![b'M'; 6 << 20])]),
        ),
        Bomb::refused("number of frames", "png", png_with(&[frames(1 << 30)])),
        Bomb::refused(
            "frame",
            "png",
            png_with(&[frames(2), chunk(b"fcTL", &frame)]),
        ),
        Bomb::refused(
            "number of chunks",
            "png",
            png_with(&vec![chunk(b"tEXt", b""); 70_000]),
        ),
    ]
}

/// Returns a colour profile with a text in 20,000 languages that all refer to the same bytes.
fn repeating_profile() -> Vec<u8> {
    let header = moxcms::ColorProfile::new_display_p3().encode().unwrap();
    let (languages, text) = (20_000_u32, 200_000_u32);
    let mut texts = b"mluc\0\0\0\0".to_vec();
    texts.extend_from_slice(&languages.to_be_bytes());
    texts.extend_from_slice(&12_u32.to_be_bytes());
    for _ in 0..languages {
        texts.extend_from_slice(b"enUS");
        texts.extend_from_slice(&text.to_be_bytes());
        texts.extend_from_slice(&16_u32.to_be_bytes());
    }
    let mut profile = header[..128].to_vec();
    profile.extend_from_slice(&1_u32.to_be_bytes());
    profile.extend_from_slice(b"desc");
    profile.extend_from_slice(&144_u32.to_be_bytes());
    profile.extend_from_slice(&u32::try_from(texts.len()).unwrap().to_be_bytes());
    profile.extend_from_slice(&texts);
    profile
}

fn jpeg() -> Vec<Bomb> {
    let jpeg = sample_image(1200, 40, ImageFormat::Jpeg);
    let profile = |count: u8| {
        (1..=count).rev().fold(jpeg.clone(), |jpeg, number| {
            let head = [b"ICC_PROFILE\0".as_slice(), &[number, count]].concat();
            with_segment(&jpeg, 0xE2, &[head, vec![0; 65_000]].concat())
        })
    };
    let many = |marker: u8, content: &[u8], count: usize| {
        let segment = with_segment(b"\xFF\xD8", marker, content)[2..].repeat(count);
        [&jpeg[..2], &segment, &jpeg[2..]].concat()
    };
    let exif = [b"Exif\0\0MM\0*\0\0\0\x08\xFF\xFF".as_slice(), &[0; 60_000]].concat();
    // A table with a single code of one bit.
    let table = [&[0x10, 1][..], &[0; 15], &[0]].concat().repeat(3_600);
    vec![
        Bomb::refused("profile in segments", "jpg", profile(120)),
        Bomb::accepted("Exif in segments", "jpg", many(0xE1, &exif, 40)),
        Bomb::refused("tables", "jpg", many(0xC4, &table, 30)),
        Bomb::refused("number of segments", "jpg", many(0xFE, b"", 70_000)),
        Bomb::refused(
            "passes of a progressive image",
            "jpg",
            scans(0xC2, 5_000, 3_000),
        ),
        Bomb::refused(
            "passes of a sequential image",
            "jpg",
            scans(0xC1, 5_000, 3_000),
        ),
        Bomb::refused("coefficients", "jpg", scans(0xC1, 9_000, 1)),
    ]
}

/// Returns a JPEG of three components with `count` empty passes over the first component.
fn scans(frame: u8, side: u16, count: usize) -> Vec<u8> {
    let quantisation = [vec![0], vec![1; 64]].concat();
    let side = side.to_be_bytes();
    let components = [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0];
    let header = [&[8], &side[..], &side, &[3], &components].concat();
    let code = |class: u8| [&[class, 1][..], &[0; 15], &[0]].concat();
    let mut jpeg = b"\xFF\xD8\xFF\xD9".to_vec();
    for _ in 0..count {
        jpeg = [
            &jpeg[..2],
            b"\xFF\xDA\x00\x08\x01\x01\x00\x00\x00\x00",
            &jpeg[2..],
        ]
        .concat();
    }
    for (marker, content) in [
        (frame, header),
        (0xC4, [code(0), code(0x10)].concat()),
        (0xDB, quantisation),
    ] {
        jpeg = with_segment(&jpeg, marker, &content);
    }
    jpeg
}

fn gif() -> Vec<Bomb> {
    let gif = moving(1200, 40, 2);
    // After the screen descriptor and its colour table.
    let begin = 13
        + if gif[10] & 0x80 == 0 {
            0
        } else {
            3 << ((gif[10] & 7) + 1)
        };
    let blocks = |kind: &[u8], bytes: usize| {
        let content = [&[255][..], &[b'x'; 255]].concat().repeat(bytes / 256);
        let block = [b"\x21", kind, &content, &[0]].concat();
        [&gif[..begin], &block, &gif[begin..]].concat()
    };
    let mut wide = moving(1200, 40, 1);
    let frame = memchr::memmem::find(&wide, b"\x2C\0\0\0\0\xB0\x04").unwrap();
    wide[frame + 5..frame + 9].copy_from_slice(&[0x10, 0x27, 0x10, 0x27]);
    vec![
        Bomb::refused("frame larger than the screen", "gif", wide),
        Bomb::refused("number of frames", "gif", moving(1, 1, 2_001)),
        Bomb::accepted("comment", "gif", blocks(&[0xFE], 6 << 20)),
        Bomb::accepted("XMP", "gif", blocks(b"\xFF\x0BXMP DataXMP", 6 << 20)),
        Bomb::refused("ICC", "gif", blocks(b"\xFF\x0BICCRGBG1012", 6 << 20)),
    ]
}

/// Returns a WebP of these chunks.
fn webp_of(chunks: &[Vec<u8>]) -> Vec<u8> {
    let chunks = chunks.concat();
    let length = u32::try_from(chunks.len() + 4).unwrap().to_le_bytes();
    [b"RIFF", &length[..], b"WEBP", &chunks].concat()
}

fn webp_chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    let padding = &[0][..content.len() % 2];
    [kind, &length[..], content, padding].concat()
}

fn webp() -> Vec<Bomb> {
    let pixels = sample_image(1200, 40, ImageFormat::WebP)[12..].to_vec();
    let header = |flags: u8| webp_chunk(b"VP8X", &[flags, 0, 0, 0, 0xAF, 4, 0, 39, 0, 0]);
    // A length of four gigabytes without content.
    let endless = |kind: &[u8; 4]| [kind, &(u32::MAX - 1).to_le_bytes()[..]].concat();
    let frame = webp_chunk(b"ANMF", &[vec![0; 16], pixels.clone()].concat());
    let animation = [header(2), webp_chunk(b"ANIM", &[0; 6]), frame.repeat(2_001)];
    let text = webp_chunk(b"XMP ", &vec![b'x'; 6 << 20]);
    let profile = webp_chunk(b"ICCP", &vec![0; 5 << 20]);
    vec![
        Bomb::refused(
            "length of ICCP",
            "webp",
            webp_of(&[header(32), endless(b"ICCP"), pixels.clone()]),
        ),
        Bomb::refused(
            "length of EXIF",
            "webp",
            webp_of(&[header(8), pixels.clone(), endless(b"EXIF")]),
        ),
        Bomb::refused(
            "ICCP",
            "webp",
            webp_of(&[header(32), profile, pixels.clone()]),
        ),
        Bomb::accepted("XMP", "webp", webp_of(&[header(4), pixels, text])),
        Bomb::refused("number of frames", "webp", webp_of(&animation)),
        Bomb::refused(
            "tables",
            "webp",
            webp_of(&[webp_chunk(b"VP8L", &tables(0x3F))]),
        ),
    ]
}

/// A bit writer that fills each byte from its lowest bit.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    count: usize,
}

impl Bits {
    fn write(&mut self, value: u32, count: usize) {
        for bit in 0..count {
            if self.count.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let bit = u8::try_from(value >> bit & 1).unwrap();
            *self.bytes.last_mut().unwrap() |= bit << (self.count % 8);
            self.count += 1;
        }
    }

    /// Writes a code, highest bit first.
    fn write_code(&mut self, code: u32, count: usize) {
        for bit in (0..count).rev() {
            self.write(code >> bit & 1, 1);
        }
    }
}

/// Returns lossless WebP data whose number of areas has this high byte. Each area has five code tables, with codes of up to ten
/// bits.
pub fn tables(high: u32) -> Vec<u8> {
    let mut bits = Bits::default();
    bits.write(0x2F, 8);
    bits.write(1199, 14);
    bits.write(39, 14);
    bits.write(0, 4);
    // No transforms, no colour cache, and areas of 4 by 4 pixels.
    bits.write(0b100, 3);
    bits.write(0, 3);
    // The image of areas: no colour cache, and one symbol for each colour channel.
    bits.write(0, 1);
    for (bytes, value) in [(8, 0xFF), (8, high), (1, 0), (1, 0), (1, 0)] {
        bits.write(1, 1);
        bits.write(0, 1);
        bits.write(u32::from(bytes == 8), 1);
        bits.write(value, bytes);
    }
    for _ in 0..5 * ((high << 8) + 256) {
        bits.write(0, 1);
        // Code lengths of the symbols for lengths 1 to 6 (three bits) and 7 to 10 (four bits).
        bits.write(10, 4);
        for length in [0, 0, 0, 3, 3, 3, 3, 3, 0, 3, 4, 4, 4, 4] {
            bits.write(length, 3);
        }
        // Eleven symbols, as a number of four bits: lengths 1 to 10, and a second symbol of length 10.
        bits.write(1, 1);
        bits.write(1, 3);
        bits.write(9, 4);
        for length in [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10] {
            match length {
                short @ 1..=6 => bits.write_code(short - 1, 3),
                long => bits.write_code(12 + long - 7, 4),
            }
        }
    }
    bits.bytes
}

/// Returns an icon of these images, each with a side of 64 pixels in the directory.
pub fn icon_of(images: &[Vec<u8>]) -> Vec<u8> {
    let count = u16::try_from(images.len()).unwrap();
    let mut icon = [&[0, 0, 1, 0][..], &count.to_le_bytes()].concat();
    let mut begin = 6 + 16 * images.len();
    for image in images {
        icon.extend_from_slice(&[64, 64, 0, 0, 1, 0, 32, 0]);
        for number in [image.len(), begin] {
            icon.extend_from_slice(&u32::try_from(number).unwrap().to_le_bytes());
        }
        begin += image.len();
    }
    [icon, images.concat()].concat()
}

fn icons() -> Vec<Bomb> {
    let small = sample_image(64, 64, ImageFormat::Png);
    let wide = sample_image(1025, 4, ImageFormat::Png);
    let profile = png_with(&[profile_chunk(&inflatable(768 << 20))]);
    vec![
        Bomb::refused(
            "number of images",
            "ico",
            icon_of(&vec![b"x".to_vec(); 257]),
        ),
        Bomb::refused("size of an image", "ico", icon_of(&[small.clone(), wide])),
        Bomb::refused("profile of an image", "ico", icon_of(&[small, profile])),
    ]
}

fn svg() -> Vec<Bomb> {
    let namespace = "xmlns=\"http://www.w3.org/2000/svg\"";
    let deep = format!("<svg {namespace}>{}", "<x>".repeat(1 << 20));
    let shallower = format!("<svg {namespace}>{}", "<x>".repeat(60_000));
    let names: String = (0..150)
        .map(|name| format!(" xmlns:a{name}=\"b\""))
        .collect();
    let named = |number: usize| format!("<x{}>", names.replace(":a", &format!(":a{number}b")));
    let open: String = (0..200).map(named).collect();
    let namespaces = format!("<svg {namespace}>{open}{}", "<x/>".repeat(20_000));
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(deep.as_bytes()).unwrap();
    let entity = "x".repeat(100_000);
    let with_entity = |value: &str, inside: String| {
        let declared = format!("<!DOCTYPE svg [<!ENTITY a \"{value}\">]>");
        format!("{declared}<svg {namespace}>{inside}</svg>").into_bytes()
    };
    let references = "&a;".repeat(20_000);
    vec![
        Bomb::refused("depth", "svg", deep.into_bytes()),
        Bomb::refused("depth of a small image", "svg", shallower.into_bytes()),
        Bomb::refused(
            "namespaces of deep elements",
            "svg",
            namespaces.into_bytes(),
        ),
        Bomb::refused("depth, compressed", "svgz", compressed.finish().unwrap()),
        Bomb::refused(
            "entity in text",
            "svg",
            with_entity(&entity, format!("<x>{references}</x>")),
        ),
        Bomb::refused(
            "entity in an attribute",
            "svg",
            with_entity(&entity, format!("<x a=\"{references}\"/>")),
        ),
        Bomb::refused(
            "elements in an entity",
            "svg",
            with_entity(&"<x>".repeat(9_000), references),
        ),
    ]
}

/// Returns a PNG of four channels with 16 bits each.
pub fn deep_png(width: u32, height: u32) -> Vec<u8> {
    let mut png = std::io::Cursor::new(Vec::new());
    let deep = DynamicImage::ImageRgb8(points(width, height)).into_rgba16();
    DynamicImage::ImageRgba16(deep)
        .write_to(&mut png, ImageFormat::Png)
        .unwrap();
    png.into_inner()
}
