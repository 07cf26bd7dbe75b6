//! Tests of image uploads: the stored content, and rejected images.

use std::{collections::BTreeSet, thread};

use galley_tests::{TestSite, multipart::Form};
use image::{
    ExtendedColorType, ImageEncoder, ImageFormat, RgbImage,
    codecs::{jpeg::JpegEncoder, png::PngEncoder, webp::WebPEncoder},
};
use moxcms::{ColorProfile, Layout, TransformOptions};

use super::{
    sample_images::{chunk, claiming, dimensions, from_a_camera, moving, points, sample_image},
    send, send_image, served, stored_files, upload_image,
};

/// Returns the path of the original of an uploaded image.
fn as_sent(path: &str) -> String {
    let (stem, extension) = path.rsplit_once('.').unwrap();
    format!("{stem}_o.{extension}")
}

#[test]
fn wide_image_is_served_resized_and_its_original_stored() {
    let app = TestSite::builder().start();
    for (name, kind, format) in [
        ("wide.png", "image/png", ImageFormat::Png),
        ("wide.jpg", "image/jpeg", ImageFormat::Jpeg),
        ("wide.webp", "image/webp", ImageFormat::WebP),
        ("wide.gif", "image/gif", ImageFormat::Gif),
    ] {
        let sent = sample_image(3000, 90, format);
        let path = upload_image(&app, name, kind, &sent);
        let shown = served(&app, &path);
        assert_eq!(dimensions(&shown), (2000, 60), "{name}");
        assert_eq!(image::guess_format(&shown).unwrap(), format, "{name}");
        assert_eq!(served(&app, &as_sent(&path)), sent, "{name}");
    }
}

#[test]
fn exif_is_stripped_and_orientation_applied() {
    let app = TestSite::builder().start();
    let sent = from_a_camera(400, 300);
    let path = upload_image(&app, "a.jpg", "image/jpeg", &sent);
    let shown = served(&app, &path);
    assert_eq!(dimensions(&shown), (300, 400));
    let has_location = |image: &[u8]| memchr::memmem::find(image, b"24.9384").is_some();
    assert!(has_location(&sent) && !has_location(&shown));
    // The upper left corner was the lower left one before the rotation.
    let shown = image::load_from_memory(&shown).unwrap().into_rgb8();
    let (corner, expected) = (shown.get_pixel(2, 2), points(400, 300));
    let expected = expected.get_pixel(2, 297);
    for (value, wanted) in corner.0.iter().zip(expected.0) {
        assert!(value.abs_diff(wanted) < 24, "{corner:?} {expected:?}");
    }
}

#[test]
fn well_compressed_image_is_stored_without_metadata() {
    let app = TestSite::builder().start();
    let sent = include_bytes!("../../recordings/files/plate.png");
    // A `tEXt` chunk after the header, with a checksum that is not checked.
    let note = b"\0\0\0\x0atEXtNote\0where\0\0\0\0";
    let noted = [&sent[..33], note, &sent[33..]].concat();
    let path = upload_image(&app, "a.png", "image/png", &noted);
    let shown = served(&app, &path);
    assert!(shown.len() <= sent.len(), "{} {}", shown.len(), sent.len());
    assert!(memchr::memmem::find(&shown, b"where").is_none());
    assert_eq!(
        image::load_from_memory(&shown).unwrap().to_rgba8(),
        image::load_from_memory(sent).unwrap().to_rgba8()
    );
}

#[test]
fn image_is_converted_to_the_format_of_its_name() {
    let app = TestSite::builder().start();
    let png = sample_image(30, 20, ImageFormat::Png);
    let path = upload_image(&app, "a.jpg", "image/png", &png);
    let shown = served(&app, &path);
    assert_eq!(image::guess_format(&shown).unwrap(), ImageFormat::Jpeg);
    for (name, kind, content) in [
        ("a.gif", "image/gif", &png),
        ("a.ico", "image/x-icon", &png),
        ("a.svg", "image/svg+xml", &png),
        ("a.png", "image/png", &moving(9, 9, 2)),
    ] {
        let response = send_image(&app, name, kind, content);
        assert_eq!(response.status, 415, "{name}: {}", response.text());
    }
}

#[test]
fn animated_image_stays_animated() {
    let app = TestSite::builder().start();
    let sent = moving(2400, 20, 3);
    let path = upload_image(&app, "a.gif", "image/gif", &sent);
    assert_eq!(served(&app, &path), sent);
    assert_eq!(served(&app, &as_sent(&path)), sent);
}

#[test]
fn comments_of_a_gif_are_removed_but_not_its_loop_count() {
    let app = TestSite::builder().start();
    let gif = moving(30, 20, 3);
    let begin = 13 + (3 << ((gif[10] & 7) + 1)) * usize::from(gif[10] >> 7);
    let repeated = b"\x21\xFF\x0BNETSCAPE2.0\x03\x01\0\0\0";
    let noted = b"\x21\xFE\x05where\0\x21\xFF\x0BXMP DataXMP\x05where\0";
    let with = |blocks: &[u8]| [&gif[..begin], blocks, &gif[begin..]].concat();
    let sent = with(&[&repeated[..], noted].concat());
    let path = upload_image(&app, "a.gif", "image/gif", &sent);
    assert_eq!(served(&app, &path), with(repeated));
    assert_eq!(served(&app, &as_sent(&path)), sent);
}

#[test]
fn trailing_bytes_of_an_image_are_removed() {
    const OTHER: &[u8] = b"PK\x03\x04 <script>harm()</script>";
    let app = TestSite::builder().start();
    // An animated PNG is stored without resizing, like an animated GIF.
    let png = sample_image(40, 30, ImageFormat::Png);
    let frames = chunk(b"acTL", &[0, 0, 0, 1, 0, 0, 0, 0]);
    let animated = [&png[..33], &frames, &png[33..]].concat();
    for (name, kind, image) in [
        ("a.gif", "image/gif", moving(40, 30, 2)),
        ("b.gif", "image/gif", sample_image(40, 30, ImageFormat::Gif)),
        ("a.png", "image/png", png),
        ("b.png", "image/png", animated),
        (
            "a.webp",
            "image/webp",
            sample_image(40, 30, ImageFormat::WebP),
        ),
        (
            "a.jpg",
            "image/jpeg",
            sample_image(40, 30, ImageFormat::Jpeg),
        ),
        (
            "a.ico",
            "image/x-icon",
            sample_image(40, 30, ImageFormat::Ico),
        ),
    ] {
        let sent = [&image, OTHER].concat();
        let path = upload_image(&app, name, kind, &sent);
        let shown = served(&app, &path);
        assert!(memchr::memmem::find(&shown, b"harm").is_none(), "{name}");
        image::load_from_memory(&shown).unwrap();
        match name {
            // Icons are stored without an original.
            "a.ico" => assert_eq!(shown, image),
            // The original is unchanged, because cameras append further images to a JPEG.
            "a.jpg" => assert_eq!(served(&app, &as_sent(&path)), sent),
            _ => assert_eq!(served(&app, &as_sent(&path)), image, "{name}"),
        }
    }
}

#[test]
fn colour_profile_is_applied_in_every_format() {
    let profile = ColorProfile::new_display_p3();
    let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
    let transform = profile.create_transform_8bit(Layout::Rgb, &srgb, Layout::Rgb, options);
    let mut expected = [0; 3];
    transform
        .unwrap()
        .transform(&[180, 60, 90], &mut expected)
        .unwrap();
    // Padded like with private tables, so that a JPEG needs more than one segment.
    let profile = [profile.encode().unwrap(), vec![0; 100_000]].concat();
    let pixels = RgbImage::from_pixel(2100, 16, [180, 60, 90].into());
    let encoded = |format| {
        let mut out = Vec::new();
        let (width, height) = pixels.dimensions();
        macro_rules! write {
            ($encoder:expr) => {{
                let mut encoder = $encoder;
                encoder.set_icc_profile(profile.clone()).unwrap();
                encoder
                    .write_image(&pixels, width, height, ExtendedColorType::Rgb8)
                    .unwrap();
            }};
        }
        match format {
            ImageFormat::Png => write!(PngEncoder::new(&mut out)),
            ImageFormat::Jpeg => write!(JpegEncoder::new_with_quality(&mut out, 100)),
            _ => write!(WebPEncoder::new_lossless(&mut out)),
        }
        out
    };
    let app = TestSite::builder().start();
    for (name, kind, format) in [
        ("a.png", "image/png", ImageFormat::Png),
        ("a.jpg", "image/jpeg", ImageFormat::Jpeg),
        ("a.webp", "image/webp", ImageFormat::WebP),
    ] {
        let path = upload_image(&app, name, kind, &encoded(format));
        let shown = image::load_from_memory(&served(&app, &path))
            .unwrap()
            .into_rgb8();
        let pixel = shown.get_pixel(1000, 8).0;
        for (value, wanted) in pixel.iter().zip(expected) {
            assert!(value.abs_diff(wanted) < 6, "{name}: {pixel:?} {expected:?}");
        }
        assert!(pixel[0].abs_diff(180) > 6, "{name}: {pixel:?}");
    }
}

#[test]
fn truncated_image_is_rejected() {
    let app = TestSite::builder().start();
    for (name, kind, content) in [
        (
            "a.jpg",
            "image/jpeg",
            sample_image(90, 60, ImageFormat::Jpeg),
        ),
        ("a.jpg", "image/jpeg", from_a_camera(90, 60)),
        ("a.png", "image/png", sample_image(90, 60, ImageFormat::Png)),
        ("a.gif", "image/gif", moving(90, 60, 2)),
        (
            "a.webp",
            "image/webp",
            sample_image(90, 60, ImageFormat::WebP),
        ),
        (
            "a.ico",
            "image/x-icon",
            sample_image(60, 60, ImageFormat::Ico),
        ),
    ] {
        for part in [5, 3, 2] {
            let response = send_image(
                &app,
                name,
                kind,
                &content[..content.len() * (part - 1) / part],
            );
            assert_eq!(response.status, 400, "{name}: {}", response.text());
        }
        assert_eq!(send_image(&app, name, kind, &content).status, 201, "{name}");
    }
}

#[test]
fn decompression_bombs_are_rejected_by_their_headers() {
    let app = TestSite::builder().start();
    for (name, kind, content) in [
        ("a.png", "image/png", claiming(60_000, 60_000)),
        ("a.png", "image/png", claiming(70_000, 1)),
        ("a.png", "image/png", claiming(u32::MAX >> 1, u32::MAX >> 1)),
        ("a.gif", "image/gif", moving(1, 1, 2_001)),
    ] {
        let response = send_image(&app, name, kind, &content);
        assert!(
            matches!(response.status, 400 | 422),
            "{}: {}",
            response.status,
            response.text()
        );
    }
    assert_eq!(stored_files(&app), Vec::<String>::new());
}

#[test]
fn image_over_the_memory_limit_is_rejected() {
    let app = TestSite::builder().option("images.memory_mb", "32").start();
    let response = send_image(&app, "a.png", "image/png", &claiming(5_000, 5_000));
    assert_eq!(response.status, 422, "{}", response.text());
    assert!(
        response.text().contains("images.memory_mb"),
        "{}",
        response.text()
    );
}

#[test]
fn upload_names_are_unique() {
    let app = TestSite::builder().start();
    let sent = sample_image(20, 20, ImageFormat::Png);
    let paths: BTreeSet<String> = thread::scope(|scope| {
        let uploads: Vec<_> = (0..12)
            .map(|_| scope.spawn(|| upload_image(&app, "a.png", "image/png", &sent)))
            .collect();
        uploads
            .into_iter()
            .map(|upload| upload.join().unwrap())
            .collect()
    });
    assert_eq!(paths.len(), 12);
    assert!(
        paths.iter().any(|path| path.ends_with("/a-11.png")),
        "{paths:?}"
    );
    for path in &paths {
        served(&app, path);
        assert_eq!(served(&app, &as_sent(path)), sent);
    }
}

#[test]
fn upload_name_does_not_collide_with_the_content_folder() {
    let month = jiff::Timestamp::now().strftime("%Y/%m").to_string();
    let app = TestSite::builder()
        .file(&format!("images/{month}/a.png"), "beside the text")
        .upload(&format!("images/{month}/b_o.png"), "from elsewhere")
        .start();
    let sent = sample_image(20, 20, ImageFormat::Png);
    let path = upload_image(&app, "a.png", "image/png", &sent);
    assert_eq!(path, format!("/content/images/{month}/a-1.png"));
    let path = upload_image(&app, "b.png", "image/png", &sent);
    assert_eq!(path, format!("/content/images/{month}/b-1.png"));
}

#[test]
fn icons_and_profile_images_must_be_square() {
    let app = TestSite::builder().start();
    let status = |purpose: &str, name: &str, kind: &str, content: &[u8]| {
        let form = Form::default()
            .field("purpose", purpose)
            .file("file", name, kind, content);
        send(&app, "POST", "images/upload/", form).status
    };
    let png = |width, height| sample_image(width, height, ImageFormat::Png);
    let ico = |width, height| sample_image(width, height, ImageFormat::Ico);
    assert_eq!(
        status("profile_image", "a.png", "image/png", &png(40, 40)),
        201
    );
    assert_eq!(
        status("profile_image", "a.png", "image/png", &png(40, 41)),
        422
    );
    assert_eq!(status("icon", "a.png", "image/png", &png(60, 90)), 201);
    assert_eq!(status("icon", "a.png", "image/png", &png(59, 90)), 422);
    assert_eq!(status("icon", "a.ico", "image/x-icon", &ico(64, 64)), 201);
    assert_eq!(status("icon", "a.ico", "image/x-icon", &ico(64, 70)), 422);
    assert_eq!(status("image", "a.ico", "image/x-icon", &ico(64, 70)), 201);
    assert_eq!(status("", "a.png", "image/png", &png(40, 40)), 422);
    // A portrait photo, stored in landscape orientation.
    assert_eq!(
        status(
            "profile_image",
            "a.jpg",
            "image/jpeg",
            &from_a_camera(40, 30)
        ),
        422
    );
}
