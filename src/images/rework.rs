//! Making a picture again: smaller, upright, in sRGB, in any format, and with nothing but its points.

use fast_image_resize::{
    FilterType, ResizeAlg, ResizeOptions, Resizer,
    images::{TypedImage, TypedImageRef},
    pixels::U8x4,
};
use image::{
    DynamicImage, ExtendedColorType, GrayImage, ImageDecoder, ImageEncoder, RgbImage, RgbaImage,
    codecs::{
        gif::GifEncoder,
        jpeg::JpegEncoder,
        png::{CompressionType, FilterType as PngFilter, PngEncoder},
    },
};
use moxcms::{ColorProfile, DataColorSpace, Layout, TransformOptions};

use super::{
    Header, ImageError,
    header::{decoder, is_on_its_side},
    kind::Format,
    size::{Fitted, ImageSize},
};

/// Quality of JPEG and lossy WebP, of 100: what Ghost's image library takes when nobody says anything.
const QUALITY: u8 = 80;

/// Longest side of a WebP, in points (RFC 9649).
const WEBP_SIDE_MAX: u32 = 16_383;

/// How much effort finding the colours of a GIF is worth, of 30: the higher, the quicker.
const GIF_SPEED: i32 = 10;

/// Bytes of a point while a picture is made smaller. The library would do it with any number of them, and bring the code for
/// each along, half a megabyte a time.
const RESIZED_POINT_BYTES: u64 = 4;

/// Bytes of memory beside the points: tables of decoders and encoders.
const OTHER_BYTES: u64 = 4 << 20;

/// Makes a picture again, at most as large as `size` says. Of one that moves, the first frame.
///
/// # Errors
///
/// `Unreadable` when it cannot be decoded, `TooLarge` when `format` has no place for it.
pub fn rework(
    content: &[u8],
    header: &Header,
    size: ImageSize,
    format: Format,
) -> Result<Vec<u8>, ImageError> {
    let fitted = size.fit(header.width, header.height);
    let is_too_large = fitted.width.max(fitted.height) > WEBP_SIDE_MAX;
    if format == Format::Webp && is_too_large {
        return Err(ImageError::TooLarge(format!(
            "a WebP has at most {WEBP_SIDE_MAX} points along a side"
        )));
    }
    let mut decoder = decoder(content, header.kind)?;
    // A profile that cannot be read is as good as none.
    let profile = decoder.icc_profile().ok().flatten();
    let picture = DynamicImage::from_decoder(decoder)?;
    let mut picture = resized(with_eight_bits(picture), header, fitted)?;
    if let Some(profile) = profile {
        to_srgb(&mut picture, &profile);
    }
    picture.apply_orientation(header.orientation);
    encode(picture, format)
}

/// Decodes a picture to see that it can be; of one that moves, the first frame. It takes less memory than [`rework()`].
///
/// # Errors
///
/// `Unreadable` when it cannot.
pub fn check(content: &[u8], header: &Header) -> Result<(), ImageError> {
    DynamicImage::from_decoder(decoder(content, header.kind)?)?;
    Ok(())
}

/// Memory that [`rework()`] takes, in bytes: somewhat more than it does.
pub fn memory_bytes(content_bytes: u64, header: &Header, size: ImageSize) -> u64 {
    let pixels = header.pixels();
    let decoded = header.decoded_bytes;
    let decoding = match header.format() {
        // Three coefficients of 16 bits for each point, kept until the last pass.
        Some(Format::Jpeg) if header.is_progressive => 6 * pixels,
        Some(Format::Jpeg) => 0,
        Some(Format::Png) => 0,
        Some(Format::Webp | Format::Gif) => 5 * pixels,
        None => 0,
    };
    let fitted = size.fit(header.width, header.height);
    let made = u64::from(fitted.width) * u64::from(fitted.height);
    // Points of 16 bits, and grey ones with transparency, are turned into others of at most four bytes first.
    let point_bytes = match decoded / pixels.max(1) {
        bytes @ (1 | 3) => bytes,
        _ => 4,
    };
    let eight_bits = point_bytes * pixels;
    // Lines of the new width and the old height come between; with transparency, a copy of all points, too.
    let is_turned = is_on_its_side(header.orientation);
    let (width, height) = if is_turned {
        (u64::from(fitted.height), u64::from(header.width))
    } else {
        (u64::from(fitted.width), u64::from(header.height))
    };
    let with_transparency = if point_bytes == RESIZED_POINT_BYTES {
        eight_bits
    } else {
        0
    };
    let between = width * height * RESIZED_POINT_BYTES + with_transparency;
    // Two pictures of four bytes a point, and what is written.
    let written = 12 * made;
    let turning = if eight_bits == decoded { 0 } else { eight_bits };
    let resizing = RESIZED_POINT_BYTES * pixels + between + written;
    2 * content_bytes + (decoded + decoding.max(turning)).max(resizing) + OTHER_BYTES
}

fn resized(
    picture: DynamicImage,
    header: &Header,
    fitted: Fitted,
) -> Result<DynamicImage, ImageError> {
    let (width, height) = if is_on_its_side(header.orientation) {
        (fitted.height, fitted.width)
    } else {
        (fitted.width, fitted.height)
    };
    if (width, height) == (picture.width(), picture.height()) {
        return Ok(picture);
    }
    let options = ResizeOptions::new().resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3));
    let options = if fitted.is_cut {
        options.fit_into_destination(None)
    } else {
        options
    };
    let size = (picture.width(), picture.height());
    let smaller = match picture {
        DynamicImage::ImageLuma8(points) => {
            let points = with_four_bytes(points.into_raw(), |[grey]| [grey, 0, 0, 0]);
            let smaller = resize(&points, size, (width, height), &options.use_alpha(false))?;
            let grey = smaller.pixels().map(|point| point.0[0]).collect();
            GrayImage::from_raw(width, height, grey).map(DynamicImage::ImageLuma8)
        }
        DynamicImage::ImageRgb8(points) => {
            let points = with_four_bytes(points.into_raw(), |[red, green, blue]| {
                [red, green, blue, 0]
            });
            let smaller = resize(&points, size, (width, height), &options.use_alpha(false))?;
            let colours = smaller.pixels().flat_map(|point| {
                let [red, green, blue, _] = point.0;
                [red, green, blue]
            });
            RgbImage::from_raw(width, height, colours.collect()).map(DynamicImage::ImageRgb8)
        }
        DynamicImage::ImageRgba8(points) => {
            let smaller = resize(points.as_raw(), size, (width, height), &options)?;
            Some(DynamicImage::ImageRgba8(smaller))
        }
        _ => None,
    };
    smaller
        .ok_or_else(|| ImageError::Unreadable("its points are of no kind that is known".to_owned()))
}

/// Points of four bytes, made of points of fewer where these lie, so that they are not in memory twice.
fn with_four_bytes<const N: usize>(
    mut points: Vec<u8>,
    widened: fn([u8; N]) -> [u8; 4],
) -> Vec<u8> {
    let count = points.len() / N;
    points.reserve_exact(4 * count - points.len());
    points.resize(4 * count, 0);
    // From the last to the first: none is written over before it was read.
    for number in (0..count).rev() {
        let mut point = [0; N];
        point.copy_from_slice(&points[N * number..N * (number + 1)]);
        points[4 * number..4 * (number + 1)].copy_from_slice(&widened(point));
    }
    points
}

fn resize(
    from: &[u8],
    (from_width, from_height): (u32, u32),
    (width, height): (u32, u32),
    options: &ResizeOptions,
) -> Result<RgbaImage, ImageError> {
    let unreadable = |error: &dyn std::fmt::Display| ImageError::Unreadable(error.to_string());
    let mut smaller = RgbaImage::new(width, height);
    let from = TypedImageRef::<U8x4>::from_buffer(from_width, from_height, from)
        .map_err(|error| unreadable(&error))?;
    let mut to = TypedImage::<U8x4>::from_buffer(width, height, &mut smaller)
        .map_err(|error| unreadable(&error))?;
    Resizer::new()
        .resize_typed(&from, &mut to, options)
        .map_err(|error| unreadable(&error))?;
    Ok(smaller)
}

/// The same with 8 bits for each number: of grey, of colours, or of colours and transparency.
fn with_eight_bits(picture: DynamicImage) -> DynamicImage {
    match picture {
        DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_) | DynamicImage::ImageRgba8(_) => {
            picture
        }
        DynamicImage::ImageLuma16(_) => DynamicImage::ImageLuma8(picture.into_luma8()),
        other if other.has_alpha() => DynamicImage::ImageRgba8(other.into_rgba8()),
        other => DynamicImage::ImageRgb8(other.into_rgb8()),
    }
}

/// Turns colours of a profile into those that are meant where there is none. Other profiles than of red, green and blue do
/// not belong to what was decoded.
fn to_srgb(picture: &mut DynamicImage, profile: &[u8]) {
    let Ok(profile) = ColorProfile::new_from_slice(profile) else {
        return;
    };
    if profile.color_space != DataColorSpace::Rgb {
        return;
    }
    let turned = |points: &[u8], layout: Layout| -> Option<Vec<u8>> {
        let (srgb, options) = (ColorProfile::new_srgb(), TransformOptions::default());
        let transform = profile
            .create_transform_8bit(layout, &srgb, layout, options)
            .ok()?;
        let mut turned = vec![0; points.len()];
        transform.transform(points, &mut turned).ok()?;
        Some(turned)
    };
    match picture {
        DynamicImage::ImageRgb8(points) => {
            if let Some(turned) = turned(points, Layout::Rgb) {
                points.copy_from_slice(&turned);
            }
        }
        DynamicImage::ImageRgba8(points) => {
            if let Some(turned) = turned(points, Layout::Rgba) {
                points.copy_from_slice(&turned);
            }
        }
        _ => {}
    }
}

fn encode(picture: DynamicImage, format: Format) -> Result<Vec<u8>, ImageError> {
    let mut out = Vec::new();
    match format {
        Format::Jpeg => {
            JpegEncoder::new_with_quality(&mut out, QUALITY).encode_image(&on_white(picture))?;
        }
        Format::Png => {
            let (width, height) = (picture.width(), picture.height());
            PngEncoder::new_with_quality(&mut out, CompressionType::Default, PngFilter::Adaptive)
                .write_image(picture.as_bytes(), width, height, picture.color().into())?;
        }
        Format::Gif => {
            let points = picture.into_rgba8();
            let (width, height) = points.dimensions();
            GifEncoder::new_with_speed(&mut out, GIF_SPEED).encode(
                &points,
                width,
                height,
                ExtendedColorType::Rgba8,
            )?;
        }
        Format::Webp => out = webp(picture)?,
    }
    Ok(out)
}

fn webp(picture: DynamicImage) -> Result<Vec<u8>, ImageError> {
    let (width, height) = (picture.width(), picture.height());
    let picture = match picture {
        DynamicImage::ImageLuma8(_) => DynamicImage::ImageRgb8(picture.into_rgb8()),
        other => other,
    };
    let encoder = match &picture {
        DynamicImage::ImageRgba8(points) => webp::Encoder::from_rgba(points, width, height),
        other => webp::Encoder::from_rgb(other.as_bytes(), width, height),
    };
    let written = encoder
        .encode_simple(false, f32::from(QUALITY))
        .map_err(|error| ImageError::Unreadable(format!("WebP: {error:?}")))?;
    Ok(written.to_vec())
}

/// The same without transparency, which JPEG has not: what was see-through is white.
fn on_white(picture: DynamicImage) -> DynamicImage {
    let DynamicImage::ImageRgba8(points) = picture else {
        return picture;
    };
    let mix = |colour: u8, opacity: u8| {
        let (colour, opacity) = (u16::from(colour), u16::from(opacity));
        let mixed = (colour * opacity + 255 * (255 - opacity) + 127) / 255;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    let (width, height) = points.dimensions();
    let mixed = points
        .pixels()
        .flat_map(|point| {
            let [red, green, blue, opacity] = point.0;
            [red, green, blue].map(|colour| mix(colour, opacity))
        })
        .collect();
    let mixed = RgbImage::from_raw(width, height, mixed);
    DynamicImage::ImageRgb8(mixed.expect("invariant: three numbers for each point"))
}
