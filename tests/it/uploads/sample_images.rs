//! Generated images for uploads, whose parts tests can recognise.

use std::io::Cursor;

use image::{
    Delay, DynamicImage, Frame, ImageFormat, Rgb, RgbImage, RgbaImage, codecs::gif::GifEncoder,
};

/// Returns an image whose colours change from left to right and from top to bottom.
pub fn points(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        let part = |offset: u32, length: u32| u8::try_from(255 * offset / length).unwrap();
        Rgb([part(x, width), part(y, height), 90])
    })
}

/// Returns an image in this format.
pub fn sample_image(width: u32, height: u32, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    let sample_image = DynamicImage::ImageRgb8(points(width, height));
    let sample_image = match format {
        // Icons always have an alpha channel.
        ImageFormat::Ico => DynamicImage::ImageRgba8(sample_image.into_rgba8()),
        _ => sample_image,
    };
    sample_image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// Returns an animated GIF with `frames` frames.
pub fn moving(width: u32, height: u32, frames: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut encoder = GifEncoder::new_with_speed(&mut out, 30);
    for _ in 0..frames {
        let delay = Delay::from_numer_denom_ms(100, 1);
        let points = RgbaImage::from_pixel(width, height, [9, 9, 9, 255].into());
        let frame = Frame::from_parts(points, 0, 0, delay);
        encoder.encode_frame(frame).unwrap();
    }
    drop(encoder);
    out
}

/// Returns a JPEG with Exif metadata of a camera: the orientation, and the location. With this orientation, the stored width is
/// the visible height.
pub fn from_a_camera(width: u32, height: u32) -> Vec<u8> {
    let jpeg = sample_image(width, height, ImageFormat::Jpeg);
    // Exif 2.3: a TIFF with one entry, orientation (0x0112) with the value 6, and then a text that must not be served.
    let mut notes =
        b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0".to_vec();
    notes.extend_from_slice(b"60.1699 N 24.9384 E");
    with_segment(&jpeg, 0xE1, &notes)
}

/// Returns a JPEG with an additional segment at its beginning.
pub fn with_segment(jpeg: &[u8], marker: u8, content: &[u8]) -> Vec<u8> {
    let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xFF, marker], &length, content, &jpeg[2..]].concat()
}

/// Returns a PNG whose header claims this size.
pub fn claiming(width: u32, height: u32) -> Vec<u8> {
    let mut png = sample_image(1, 1, ImageFormat::Png);
    png[16..20].copy_from_slice(&width.to_be_bytes());
    png[20..24].copy_from_slice(&height.to_be_bytes());
    let sum = crc(&png[12..29]).to_be_bytes();
    png[29..33].copy_from_slice(&sum);
    png
}

/// Returns a chunk of a PNG.
pub fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    let checked = [kind, content].concat();
    [&length[..], &checked, &crc(&checked).to_be_bytes()].concat()
}

/// Returns the checksum of a chunk (ISO 3309).
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| match sum & 1 {
            1 => sum >> 1 ^ 0xEDB8_8320,
            _ => sum >> 1,
        })
    })
}

/// Returns the width and height of an image.
pub fn dimensions(sample_image: &[u8]) -> (u32, u32) {
    let sample_image = image::load_from_memory(sample_image).unwrap();
    (sample_image.width(), sample_image.height())
}
