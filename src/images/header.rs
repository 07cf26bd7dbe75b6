//! Reads an image's header without decoding the image.

use std::io::Cursor;

use gif::{DecodeOptions, MemoryLimit};
use image::{
    ImageDecoder, ImageFormat, ImageReader, Limits, codecs::png::PngDecoder,
    codecs::webp::WebPDecoder, metadata::Orientation,
};

use super::{
    ImageError, ico, jpeg,
    kind::{Format, ImageKind},
};

/// Most pixels of one image: 10,000 by 10,000.
pub const PIXELS_MAX: u64 = 100_000_000;

/// Longest side of an image, in pixels: the longest in JPEG.
pub const SIDE_MAX: u32 = 65_535;

/// Most frames of an animated image.
pub const FRAMES_MAX: usize = 2_000;

/// Most bytes that a decoder may take, whatever a header says: four 16-bit numbers for each pixel,
/// and some more.
const DECODER_BYTES_MAX: u64 = 8 * PIXELS_MAX + (64 << 20);

/// The properties of an image before it is decoded.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its kind, never SVG.
    pub kind: ImageKind,
    /// Displayed width in pixels.
    pub width: u32,
    /// Displayed height in pixels.
    pub height: u32,
    /// Whether it is animated.
    pub is_animated: bool,
    /// How the pixels must be turned for display.
    pub(super) orientation: Orientation,
    /// Bytes of the decoded pixels.
    pub(super) decoded_bytes: u64,
    /// Whether the decoder holds all pixels twice.
    pub(super) is_progressive: bool,
}

impl Header {
    /// Reads the header of an image, and as much of the rest as shows whether it is complete.
    ///
    /// # Errors
    ///
    /// `Unreadable` if it is of an unsupported kind, broken or cut off; `TooLarge` if it has more
    /// than [`PIXELS_MAX`] pixels, a side over [`SIDE_MAX`] or more than [`FRAMES_MAX`] frames.
    pub fn read(content: &[u8]) -> Result<Self, ImageError> {
        let kind = ImageKind::of_content(content)
            .ok_or_else(|| ImageError::Unreadable("its format is unknown".to_owned()))?;
        if kind == ImageKind::Ico {
            return Self::of_icon(content);
        }
        let mut is_progressive = false;
        if kind == ImageKind::Raster(Format::Jpeg) {
            let structure = jpeg::structure(content);
            is_progressive = structure.is_progressive;
            if !structure.is_complete {
                return Err(ImageError::Unreadable("it is cut off".to_owned()));
            }
        }
        let mut decoder = decoder(content, kind)?;
        let (width, height) = decoder.dimensions();
        check_size(width, height)?;
        // Camera metadata that cannot be read must not prevent the image from being shown.
        let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
        let decoded_bytes = decoder.total_bytes();
        drop(decoder);
        let (width, height) = if is_on_its_side(orientation) {
            (height, width)
        } else {
            (width, height)
        };
        Ok(Self {
            kind,
            width,
            height,
            is_animated: is_animated(content, kind)?,
            orientation,
            decoded_bytes,
            is_progressive,
        })
    }

    fn of_icon(content: &[u8]) -> Result<Self, ImageError> {
        let (width, height) = ico::largest(content)
            .ok_or_else(|| ImageError::Unreadable("it is cut off".to_owned()))?;
        Ok(Self {
            kind: ImageKind::Ico,
            width,
            height,
            is_animated: false,
            orientation: Orientation::NoTransforms,
            decoded_bytes: 0,
            is_progressive: false,
        })
    }

    /// Returns the format, if the image can be resized.
    pub fn format(&self) -> Option<Format> {
        match self.kind {
            ImageKind::Raster(format) => Some(format),
            _ => None,
        }
    }

    /// Returns whether its pixels are stored as they are displayed.
    pub fn is_upright(&self) -> bool {
        self.orientation == Orientation::NoTransforms
    }

    /// Returns the number of pixels.
    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

fn check_size(width: u32, height: u32) -> Result<(), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err(ImageError::Unreadable("it has no pixels".to_owned()));
    }
    if pixels > PIXELS_MAX || width.max(height) > SIDE_MAX {
        Err(ImageError::TooLarge(format!(
            "it has {width} by {height} pixels; at most {PIXELS_MAX} are allowed in all, and {SIDE_MAX} along a side"
        )))
    } else {
        Ok(())
    }
}

/// Returns whether width and height are swapped for display.
pub(super) fn is_on_its_side(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// Returns a decoder that has read the header.
pub(super) fn decoder(
    content: &[u8],
    kind: ImageKind,
) -> Result<impl ImageDecoder + '_, ImageError> {
    let format = match kind {
        ImageKind::Raster(Format::Jpeg) => ImageFormat::Jpeg,
        ImageKind::Raster(Format::Png) => ImageFormat::Png,
        ImageKind::Raster(Format::Gif) => ImageFormat::Gif,
        ImageKind::Raster(Format::Webp) => ImageFormat::WebP,
        ImageKind::Ico | ImageKind::Svg | ImageKind::CompressedSvg => {
            let why = "it is an SVG image or a Windows icon";
            return Err(ImageError::Unreadable(why.to_owned()));
        }
    };
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    let mut reader = ImageReader::with_format(Cursor::new(content), format);
    reader.limits(limits);
    Ok(reader.into_decoder()?)
}

fn is_animated(content: &[u8], kind: ImageKind) -> Result<bool, ImageError> {
    Ok(match kind {
        ImageKind::Raster(Format::Gif) => frames(content)? > 1,
        ImageKind::Raster(Format::Png) => PngDecoder::new(Cursor::new(content))?.is_apng()?,
        ImageKind::Raster(Format::Webp) => WebPDecoder::new(Cursor::new(content))?.has_animation(),
        _ => false,
    })
}

/// Counts the frames of a GIF without decompressing their pixels.
fn frames(content: &[u8]) -> Result<usize, ImageError> {
    let unreadable = |error: gif::DecodingError| ImageError::Unreadable(error.to_string());
    let mut options = DecodeOptions::new();
    options.skip_frame_decoding(true);
    options.set_memory_limit(MemoryLimit::Bytes(
        DECODER_BYTES_MAX.try_into().expect("invariant: not zero"),
    ));
    let mut decoder = options.read_info(content).map_err(unreadable)?;
    let mut frames = 0;
    while decoder.next_frame_info().map_err(unreadable)?.is_some() {
        frames += 1;
        if frames > FRAMES_MAX {
            return Err(ImageError::TooLarge(format!(
                "it has more than {FRAMES_MAX} frames"
            )));
        }
    }
    Ok(frames)
}
