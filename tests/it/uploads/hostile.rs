//! Tests that any bytes uploaded as an image are rejected or processed without a panic.

use std::sync::LazyLock;

use galley::images::{
    Format, Header, ImageSize, Memory, check, memory_bytes, reencode, svg, without_metadata,
    without_trailing_bytes,
};
use image::ImageFormat;
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, any, proptest},
    sample::Index,
};

use super::sample_images::{from_a_camera, moving, sample_image};

const FORMATS: [Format; 4] = [Format::Jpeg, Format::Png, Format::Gif, Format::Webp];

/// A memory limit that these images do not reach, and false headers exceed.
const MEMORY: u64 = 64 << 20;

/// Performs every operation on an image.
fn process_in_every_way(content: &[u8]) {
    for format in FORMATS {
        let _ = without_metadata(content, format);
    }
    let _ = without_trailing_bytes(content);
    let memory = Memory::new(MEMORY);
    let _ = svg::clean(|| Ok(content), &memory);
    let _ = svg::clean_compressed(|| Ok(content), &memory);
    let Ok(header) = Header::read(content) else {
        return;
    };
    let size = ImageSize::of_width(24);
    let fits = |format| memory_bytes(content.len() as u64, &header, size, format) <= MEMORY;
    if fits(Format::Webp) {
        let _ = check(content, &header);
    }
    for format in FORMATS.into_iter().filter(|format| fits(*format)) {
        if let Ok(made) = reencode(content, &header, size, format) {
            let made = Header::read(&made).unwrap();
            let fitted = size.fit(header.width, header.height);
            assert_eq!((made.width, made.height), (fitted.width, fitted.height));
        }
    }
}

static SAMPLES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let progressive = include_bytes!("../../recordings/files/wide.jpg");
    vec![
        from_a_camera(40, 30),
        progressive.to_vec(),
        sample_image(40, 30, ImageFormat::Png),
        sample_image(40, 30, ImageFormat::WebP),
        sample_image(40, 30, ImageFormat::Ico),
        sample_image(40, 30, ImageFormat::Gif),
        moving(40, 30, 3),
        include_bytes!("../../recordings/files/picture.webp").to_vec(),
        include_bytes!("../../recordings/files/bad.svg").to_vec(),
    ]
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_bytes_are_accepted_or_rejected(bytes in vec(any::<u8>(), 0..2000), kind in 0..9_usize) {
        process_in_every_way(&bytes);
        // With the beginning of a valid image, decoders read more of the bytes.
        let sample = &SAMPLES[kind];
        process_in_every_way(&[&sample[..sample.len().min(40)], &bytes].concat());
    }

    #[test]
    fn damaged_images_are_accepted_or_rejected(
        kind in 0..9_usize,
        damage in vec((any::<Index>(), any::<u8>()), 1..8),
        length in any::<Index>(),
    ) {
        let mut content = SAMPLES[kind].clone();
        for (index, byte) in damage {
            let index = index.index(content.len());
            content[index] = byte;
        }
        process_in_every_way(&content);
        content.truncate(length.index(content.len()));
        process_in_every_way(&content);
    }
}

/// Returns pixels with `colours` colours in regular or random order, opaque or with transparency.
fn patterned(width: u32, height: u32, colours: u32, is_random: bool, is_opaque: bool) -> Vec<u8> {
    let mut state = colours;
    let pixel = |number: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let value = if is_random { state >> 8 } else { number / 7 } % colours;
        let [red, green, blue, _] = value.wrapping_mul(2_654_435_761).to_le_bytes();
        let opacity = if is_opaque { 255 } else { red };
        [red, green, blue, opacity]
    };
    (0..width * height).flat_map(pixel).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// The check of the code tables must read valid images like the decoder.
    #[test]
    fn webp_of_any_encoder_is_read(
        width in 1..400_u32,
        height in 1..400_u32,
        bits in 0..25_u32,
        is_random in any::<bool>(),
        is_opaque in any::<bool>(),
        effort in 0..7,
    ) {
        let pixels = patterned(width, height, 1 << bits, is_random, is_opaque);
        let encoder = webp::Encoder::from_rgba(&pixels, width, height);
        let mut lossless = webp::WebPConfig::new().unwrap();
        lossless.lossless = 1;
        lossless.exact = 1;
        lossless.method = effort;
        let mut lossy = webp::WebPConfig::new().unwrap();
        lossy.method = effort;
        let mut simple = Vec::new();
        image::codecs::webp::WebPEncoder::new_lossless(&mut simple)
            .encode(&pixels, width, height, image::ExtendedColorType::Rgba8)
            .unwrap();
        let by_libwebp = encoder.encode_advanced(&lossless).unwrap().to_vec();
        for content in [by_libwebp, simple, encoder.encode_advanced(&lossy).unwrap().to_vec()] {
            let header = Header::read(&content).unwrap();
            assert_eq!((header.width, header.height), (width, height));
            check(&content, &header).unwrap();
        }
    }
}

#[test]
fn every_sample_can_be_resized() {
    let samples = &*SAMPLES;
    let headers = samples.iter().map(|sample| Header::read(sample));
    let sample_images = samples.iter().zip(headers).filter_map(|(sample, header)| {
        let header = header.ok().filter(|header| header.format().is_some())?;
        Some((sample, header))
    });
    let sample_images: Vec<_> = sample_images.collect();
    // All samples except the icon and the SVG image.
    assert_eq!(sample_images.len(), samples.len() - 2);
    for (sample, header) in sample_images {
        for format in FORMATS {
            reencode(sample, &header, ImageSize::of_width(24), format).unwrap();
        }
    }
}
