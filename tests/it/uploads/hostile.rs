//! Tests that any upload as an image is rejected or resized, without a panic.

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

use super::pictures::{from_a_camera, moving, picture};

const FORMATS: [Format; 4] = [Format::Jpeg, Format::Png, Format::Gif, Format::Webp];

/// More than the pictures here need, and little enough for a header that lies to be seen.
const MEMORY: u64 = 64 << 20;

/// Does with a picture all that can be done.
fn reserve_for(content: &[u8]) {
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
    if memory_bytes(content.len() as u64, &header, size) > MEMORY {
        return;
    }
    let _ = check(content, &header);
    for format in FORMATS {
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
        picture(40, 30, ImageFormat::Png),
        picture(40, 30, ImageFormat::WebP),
        picture(40, 30, ImageFormat::Ico),
        picture(40, 30, ImageFormat::Gif),
        moving(40, 30, 3),
        include_bytes!("../../recordings/files/picture.webp").to_vec(),
        include_bytes!("../../recordings/files/bad.svg").to_vec(),
    ]
});

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn any_bytes_are_accepted_or_rejected(bytes in vec(any::<u8>(), 0..2000), kind in 0..9_usize) {
        reserve_for(&bytes);
        // With the beginning of a picture, more of it is looked at.
        let sample = &SAMPLES[kind];
        reserve_for(&[&sample[..sample.len().min(40)], &bytes].concat());
    }

    #[test]
    fn damaged_images_are_accepted_or_rejected(
        kind in 0..9_usize,
        damage in vec((any::<Index>(), any::<u8>()), 1..8),
        length in any::<Index>(),
    ) {
        let mut content = SAMPLES[kind].clone();
        for (place, byte) in damage {
            let place = place.index(content.len());
            content[place] = byte;
        }
        reserve_for(&content);
        content.truncate(length.index(content.len()));
        reserve_for(&content);
    }
}

#[test]
fn every_sample_can_be_resized() {
    let samples = &*SAMPLES;
    let headers = samples.iter().map(|sample| Header::read(sample));
    let pictures = samples.iter().zip(headers).filter_map(|(sample, header)| {
        let header = header.ok().filter(|header| header.format().is_some())?;
        Some((sample, header))
    });
    let pictures: Vec<_> = pictures.collect();
    // Neither the icon nor the SVG image.
    assert_eq!(pictures.len(), samples.len() - 2);
    for (sample, header) in pictures {
        for format in FORMATS {
            reencode(sample, &header, ImageSize::of_width(24), format).unwrap();
        }
    }
}
