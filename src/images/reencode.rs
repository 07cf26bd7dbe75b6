//! Re-encodes images: smaller, upright, in sRGB, in any format, and without metadata.

use image::{
    DynamicImage, ExtendedColorType, GrayImage, ImageEncoder, RgbImage, RgbaImage,
    codecs::{
        gif::GifEncoder,
        jpeg::JpegEncoder,
        png::{CompressionType, FilterType as PngFilter, PngEncoder},
    },
};

use super::{
    Header, ImageError,
    colour_profile::{MEMORY_FACTOR, to_srgb},
    header::{decoder, is_on_its_side},
    kind::Format,
    resample::{SCALED_PIXEL_BYTES, resample},
    size::{FittedSize, ImageSize},
};

/// Quality of JPEG and lossy WebP, out of 100: the default of Ghost's image library.
const QUALITY: u8 = 80;

/// Longest side of a WebP, in pixels (RFC 9649).
const WEBP_SIDE_MAX: u32 = 16_383;

/// Speed of finding the colours of a GIF, from 1 to 30: the higher, the faster.
const GIF_SPEED: i32 = 10;

/// Memory needed in addition to the pixels, in bytes: a band of rows, and tables of decoders and
/// encoders.
const OTHER_BYTES: u64 = 4 << 20;

/// Re-encodes an image to fit `size`. The first frame of an animated image is used.
///
/// # Errors
///
/// `Unreadable` if it cannot be decoded, `TooLarge` if `format` cannot hold it.
pub fn reencode(
    content: &[u8],
    header: &Header,
    size: ImageSize,
    format: Format,
) -> Result<Vec<u8>, ImageError> {
    let fitted = size.fit(header.width, header.height);
    let is_too_large = fitted.width.max(fitted.height) > WEBP_SIDE_MAX;
    if format == Format::Webp && is_too_large {
        return Err(ImageError::TooLarge(format!(
            "a WebP has at most {WEBP_SIDE_MAX} pixels along a side"
        )));
    }
    let image = DynamicImage::from_decoder(decoder(content, header)?)?;
    // Scaled first, so that the following steps process fewer pixels.
    let mut image = resized(with_eight_bits(image), header, fitted)?;
    let parts = header.parts.as_ref();
    if let Some(profile) = parts.and_then(|parts| parts.profile.read(content)) {
        to_srgb(&mut image, &profile);
    }
    image.apply_orientation(header.orientation);
    encode(image, format)
}

/// Checks that an image can be decoded, or that the first frame of an animation can. This takes less
/// memory than [`reencode()`].
///
/// # Errors
///
/// `Unreadable` if it cannot be decoded.
pub fn check(content: &[u8], header: &Header) -> Result<(), ImageError> {
    DynamicImage::from_decoder(decoder(content, header)?)?;
    Ok(())
}

/// Returns an upper bound for the memory that [`reencode()`] takes, in bytes.
pub fn memory_bytes(content_bytes: u64, header: &Header, size: ImageSize, format: Format) -> u64 {
    let pixels = header.pixels();
    let decoded = header.decoded_bytes;
    let fitted = size.fit(header.width, header.height);
    let fitted_pixels = u64::from(fitted.width) * u64::from(fitted.height);
    // Pixels with 16-bit channels, and grey pixels with transparency, are first converted to at most four
    // bytes.
    let pixel_bytes = match decoded / pixels.max(1) {
        bytes @ (1 | 3) => bytes,
        _ => 4,
    };
    let eight_bits = pixel_bytes * pixels;
    // While an image is scaled, there is an intermediate image with the new width and the old height.
    let is_rotated = is_on_its_side(header.orientation);
    let (width, height) = if is_rotated {
        (u64::from(fitted.height), u64::from(header.width))
    } else {
        (u64::from(fitted.width), u64::from(header.height))
    };
    let narrow = width * height * SCALED_PIXEL_BYTES;
    let converted = 2 * SCALED_PIXEL_BYTES * fitted_pixels + MEMORY_FACTOR * header.profile_bytes;
    let written = written_pixel_bytes(format, pixel_bytes) * fitted_pixels;
    let converting = if eight_bits == decoded { 0 } else { eight_bits };
    // The steps follow one another, so only the one that takes most counts.
    let most = [
        // Before it has pixels, the JPEG decoder makes another copy of the parts.
        2 * content_bytes,
        decoded + header.decoder_bytes.max(converting),
        eight_bits + narrow,
        narrow + SCALED_PIXEL_BYTES * fitted_pixels,
        converted,
        written,
    ];
    content_bytes + most.into_iter().fold(0, u64::max) + OTHER_BYTES
}

/// Returns the memory that encoding takes for each pixel of `pixel_bytes`, in bytes, including the pixel
/// and the encoded output. Measured with noise. The WebP encoder compares several ways to encode opacity.
fn written_pixel_bytes(format: Format, pixel_bytes: u64) -> u64 {
    match (format, pixel_bytes) {
        (Format::Webp, 4) => 44,
        (Format::Webp, _) => 26,
        _ => 16,
    }
}

fn resized(
    image: DynamicImage,
    header: &Header,
    fitted: FittedSize,
) -> Result<DynamicImage, ImageError> {
    let fitted = if is_on_its_side(header.orientation) {
        FittedSize {
            width: fitted.height,
            height: fitted.width,
            ..fitted
        }
    } else {
        fitted
    };
    let (width, height) = (fitted.width, fitted.height);
    let from = (image.width(), image.height());
    if from == (width, height) {
        return Ok(image);
    }
    let smaller = match image {
        DynamicImage::ImageLuma8(pixels) => {
            let grey = resample::<1>(pixels.into_raw(), from, fitted)?;
            GrayImage::from_raw(width, height, grey).map(DynamicImage::ImageLuma8)
        }
        DynamicImage::ImageRgb8(pixels) => {
            let colours = resample::<3>(pixels.into_raw(), from, fitted)?;
            RgbImage::from_raw(width, height, colours).map(DynamicImage::ImageRgb8)
        }
        DynamicImage::ImageRgba8(pixels) => {
            let colours = resample::<4>(pixels.into_raw(), from, fitted)?;
            RgbaImage::from_raw(width, height, colours).map(DynamicImage::ImageRgba8)
        }
        _ => None,
    };
    smaller.ok_or_else(|| ImageError::Unreadable("its pixel format is unknown".to_owned()))
}

/// Returns the image with 8 bits for each channel: grey, RGB or RGBA.
fn with_eight_bits(image: DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_) | DynamicImage::ImageRgba8(_) => {
            image
        }
        DynamicImage::ImageLuma16(_) => DynamicImage::ImageLuma8(image.into_luma8()),
        other if other.has_alpha() => DynamicImage::ImageRgba8(other.into_rgba8()),
        other => DynamicImage::ImageRgb8(other.into_rgb8()),
    }
}

fn encode(image: DynamicImage, format: Format) -> Result<Vec<u8>, ImageError> {
    let mut out = Vec::new();
    match format {
        Format::Jpeg => {
            JpegEncoder::new_with_quality(&mut out, QUALITY).encode_image(&on_white(image))?;
        }
        Format::Png => {
            let (width, height) = (image.width(), image.height());
            PngEncoder::new_with_quality(&mut out, CompressionType::Default, PngFilter::Adaptive)
                .write_image(image.as_bytes(), width, height, image.color().into())?;
        }
        Format::Gif => {
            let pixels = image.into_rgba8();
            let (width, height) = pixels.dimensions();
            GifEncoder::new_with_speed(&mut out, GIF_SPEED).encode(
                &pixels,
                width,
                height,
                ExtendedColorType::Rgba8,
            )?;
        }
        Format::Webp => out = webp(image)?,
    }
    Ok(out)
}

fn webp(image: DynamicImage) -> Result<Vec<u8>, ImageError> {
    let (width, height) = (image.width(), image.height());
    let image = match image {
        // The encoder does not support grey pixels.
        DynamicImage::ImageLuma8(_) => DynamicImage::ImageRgb8(image.into_rgb8()),
        other => other,
    };
    let encoder = match &image {
        DynamicImage::ImageRgba8(pixels) => webp::Encoder::from_rgba(pixels, width, height),
        other => webp::Encoder::from_rgb(other.as_bytes(), width, height),
    };
    let written = encoder
        .encode_simple(false, f32::from(QUALITY))
        .map_err(|error| ImageError::Unreadable(format!("WebP: {error:?}")))?;
    Ok(written.to_vec())
}

/// Returns the image on a white background, since JPEG does not support transparency.
fn on_white(image: DynamicImage) -> DynamicImage {
    let DynamicImage::ImageRgba8(pixels) = image else {
        return image;
    };
    let mix = |colour: u8, opacity: u8| {
        let (colour, opacity) = (u16::from(colour), u16::from(opacity));
        let mixed = (colour * opacity + 255 * (255 - opacity) + 127) / 255;
        u8::try_from(mixed).unwrap_or(u8::MAX)
    };
    let (width, height) = pixels.dimensions();
    let mixed = pixels
        .pixels()
        .flat_map(|pixel| {
            let [red, green, blue, opacity] = pixel.0;
            [red, green, blue].map(|colour| mix(colour, opacity))
        })
        .collect();
    let mixed = RgbImage::from_raw(width, height, mixed);
    DynamicImage::ImageRgb8(mixed.expect("invariant: three numbers for each pixel"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::images::kind::ImageKind;

    /// Returns the memory for a baseline JPEG with three bytes for each decoded pixel and a third of a
    /// byte for each compressed one.
    fn of_photo(width: u32, height: u32, size: ImageSize) -> u64 {
        let pixels = u64::from(width) * u64::from(height);
        let header = Header {
            kind: ImageKind::Raster(Format::Jpeg),
            width,
            height,
            is_animated: false,
            orientation: image::metadata::Orientation::NoTransforms,
            decoded_bytes: 3 * pixels,
            // A copy of the file, and rows of blocks.
            decoder_bytes: pixels / 3 + 160 * u64::from(width),
            profile_bytes: 4 << 10,
            parts: None,
        };
        let bytes = |format| memory_bytes(pixels / 3, &header, size, format);
        bytes(Format::Jpeg).max(bytes(Format::Webp))
    }

    /// As promised in docs/troubleshooting.md, "Small machines".
    #[test]
    fn photos_of_cameras_fit_into_the_memory_of_small_machines() {
        let largest = ImageSize::of_width(2400);
        assert!(of_photo(4000, 3000, ImageSize::of_width(1600)) <= 64 << 20);
        assert!(of_photo(6000, 4000, largest) <= 128 << 20);
        assert!(of_photo(8192, 6144, largest) <= 256 << 20);
    }
}
