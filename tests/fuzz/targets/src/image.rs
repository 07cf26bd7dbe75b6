//! Properties of images: an upload is rejected with a reason, or stored as an image of the type of its extension, with
//! a limited number of pixels and without metadata and scripts; an image of the content folder is served resized or
//! unchanged.

use std::{
    fs,
    io::{self, Read, Write},
    path::Path,
};

use flate2::{Compression, Crc, write::ZlibEncoder};
use galley::{
    api::Api,
    images::{Format, Header, ImageKind, PIXELS_MAX, SIDE_MAX, without_metadata},
};
use http::{Method, StatusCode, header};
use memchr::memmem;
use serde_json::Value;

use super::{
    small_site::{self, SmallSite},
    tags,
};

/// The memory for all images of the site, in bytes.
const IMAGES_BYTES: u64 = 64 << 20;

/// The maximum width of a served image without animation, in pixels.
const WIDTH_MAX: u32 = 2000;

/// Sizes and formats in which images are requested.
const VARIANTS: [&str; 4] = ["w600", "w256h256", "w600/format/webp", "w1000/format/png"];

/// Prefix of an input that describes a PNG with metadata that is large when decompressed. The name of a chunk and a
/// number of MiB follow.
const LARGE_PNG_MARK: &str = "=== png ";

/// The maximum size of this metadata, in MiB.
const LARGE_MIB_MAX: u64 = 1024;

/// Panics unless these properties hold for an image.
pub fn check(input: &[u8]) {
    let described = str::from_utf8(input).ok().and_then(large_png);
    let input = described.as_deref().unwrap_or(input);
    let (extension, media_type) = kind_of(input);
    if let Ok(header) = Header::read(input) {
        let pixels = u64::from(header.width) * u64::from(header.height);
        assert!(pixels <= PIXELS_MAX && header.width.max(header.height) <= SIDE_MAX);
    }
    let folder = tempfile::tempdir().unwrap();
    let (data, content) = (folder.path().join("data"), folder.path().join("content"));
    fs::create_dir_all(&data).unwrap();
    fs::create_dir_all(content.join("images")).unwrap();
    fs::write(content.join(format!("images/a.{extension}")), input).unwrap();
    let site = SmallSite::new(&data);
    let api = site.api_with(|options| {
        options.files.content = Some(content);
        options.image_memory_bytes = IMAGES_BYTES;
    });
    check_upload(&site, &api, input, extension, media_type);
    check_content_file(&api, extension);
    assert_eq!(leftovers(&data), 0);
}

/// Returns the PNG that a text describes, which has one pixel; `None` if the text is not such a description.
fn large_png(text: &str) -> Option<Vec<u8>> {
    let (chunk, mib) = text.strip_prefix(LARGE_PNG_MARK)?.split_once(' ')?;
    let mib: u64 = mib.parse().ok().filter(|mib| *mib <= LARGE_MIB_MAX)?;
    let before: &[u8] = match chunk {
        "iCCP" | "zTXt" => b"a\0\0",
        "iTXt" => b"a\0\x01\0\0\0",
        _ => return None,
    };
    let mut compressed = ZlibEncoder::new(before.to_vec(), Compression::best());
    io::copy(&mut io::repeat(b' ').take(mib << 20), &mut compressed).ok()?;
    let mut pixel = ZlibEncoder::new(Vec::new(), Compression::best());
    pixel.write_all(&[0, 1, 2, 3]).ok()?;
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    for (name, content) in [
        ("IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0][..]),
        (chunk, &compressed.finish().ok()?),
        ("IDAT", &pixel.finish().ok()?),
        ("IEND", &[]),
    ] {
        let mut sum = Crc::new();
        sum.update(name.as_bytes());
        sum.update(content);
        png.extend_from_slice(&u32::try_from(content.len()).ok()?.to_be_bytes());
        png.extend_from_slice(name.as_bytes());
        png.extend_from_slice(content);
        png.extend_from_slice(&sum.sum().to_be_bytes());
    }
    Some(png)
}

/// Returns the extension and the media type with which an image is uploaded.
fn kind_of(input: &[u8]) -> (&'static str, &'static str) {
    match ImageKind::of_content(input) {
        Some(ImageKind::Raster(Format::Jpeg)) => ("jpg", "image/jpeg"),
        Some(ImageKind::Raster(Format::Png)) => ("png", "image/png"),
        Some(ImageKind::Raster(Format::Gif)) => ("gif", "image/gif"),
        Some(ImageKind::Raster(Format::Webp)) => ("webp", "image/webp"),
        Some(ImageKind::Ico) => ("ico", "image/x-icon"),
        _ if input.starts_with(&[0x1f, 0x8b]) => ("svgz", "image/svg+xml"),
        _ => ("svg", "image/svg+xml"),
    }
}

fn check_upload(site: &SmallSite, api: &Api, input: &[u8], extension: &str, media_type: &str) {
    let Some(path) = upload(site, api, input, extension, media_type) else {
        return;
    };
    let served = get(api, &path);
    assert_eq!(served.0, StatusCode::OK, "{path}");
    check_served(&served.1, extension);
    // A sanitised SVG image whose element names have a prefix has no default namespace, and may be rejected.
    let is_complete = extension != "svg" || memmem::find(&served.1, b"xmlns=").is_some();
    if is_complete {
        let again = upload(site, api, &served.1, extension, media_type);
        assert!(again.is_some(), "a stored .{extension} is rejected");
    }
}

/// Uploads an image and returns its path; `None` if it is rejected with a reason.
fn upload(
    site: &SmallSite,
    api: &Api,
    input: &[u8],
    extension: &str,
    media_type: &str,
) -> Option<String> {
    const BOUNDARY: &str = "edge-of-image-fuzz";
    let head = format!(
        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.{extension}\"\r\n\
         Content-Type: {media_type}\r\n\r\n"
    );
    let body = [
        head.as_bytes(),
        input,
        format!("\r\n--{BOUNDARY}--\r\n").as_bytes(),
    ]
    .concat();
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let credentials = site.credentials();
    let fields = [
        (header::CONTENT_TYPE, kind.as_bytes()),
        (header::AUTHORIZATION, credentials.as_bytes()),
    ];
    let target = "/ghost/api/admin/images/upload/";
    let client = small_site::new_client();
    let response = small_site::send(api, client, Method::POST, target, &fields, &body).unwrap();
    let status = response.status;
    let body: Value = serde_json::from_slice(&small_site::body(response)).unwrap();
    if status == StatusCode::CREATED {
        let url = body["images"][0]["url"].as_str().unwrap();
        return Some(url.strip_prefix(small_site::URL).unwrap().to_owned());
    }
    assert!(
        matches!(status.as_u16(), 400 | 413 | 415 | 422),
        "{status} {body}"
    );
    let message = body["errors"][0]["message"].as_str().unwrap();
    assert!(!message.is_empty());
    None
}

fn get(api: &Api, path: &str) -> (StatusCode, Vec<u8>) {
    let client = small_site::new_client();
    let response = small_site::ask(api, client, Method::GET, path, None).unwrap();
    (response.status, small_site::body(response).to_vec())
}

/// Panics unless the stored version of an upload is harmless and has the type of its extension.
fn check_served(served: &[u8], extension: &str) {
    match ImageKind::of_name(&format!("a.{extension}")).unwrap() {
        ImageKind::Svg => tags::assert_harmless_svg(&String::from_utf8_lossy(served)),
        ImageKind::CompressedSvg => {}
        ImageKind::Ico => assert_eq!(ImageKind::of_content(served), Some(ImageKind::Ico)),
        ImageKind::Raster(format) => {
            let header = Header::read(served).unwrap();
            assert_eq!(header.format(), Some(format));
            assert!(header.is_animated || header.width <= WIDTH_MAX);
            let without = without_metadata(served, format);
            assert!(without.is_none_or(|without| without == served));
        }
    }
}

/// Checks that an image of the content folder is served resized, unchanged, or not at all.
fn check_content_file(api: &Api, extension: &str) {
    let (status, original) = get(api, &format!("/content/images/a.{extension}"));
    assert!(matches!(status.as_u16(), 200 | 404), "{status}");
    for variant in VARIANTS {
        let path = format!("/content/images/size/{variant}/a.{extension}");
        let (status, served) = get(api, &path);
        assert!(
            matches!(status.as_u16(), 200 | 302 | 404),
            "{status} {path}"
        );
        if status != StatusCode::OK || served == original {
            continue;
        }
        let header = Header::read(&served).unwrap();
        assert!(header.width <= 1000 && header.is_upright(), "{path}");
        let named = variant
            .rsplit_once('/')
            .map_or(extension, |(_, format)| format);
        assert_eq!(header.format(), Format::named(named), "{path}");
    }
}

/// Returns the number of files at the top level of the data folder, where temporary files are created.
fn leftovers(data: &Path) -> usize {
    let entries = fs::read_dir(data).unwrap();
    let is_file = |path: &Path| path.is_file();
    entries
        .filter(|entry| is_file(&entry.as_ref().unwrap().path()))
        .count()
}
