//! What a picture's header says, read without decoding it.

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

/// Most points of one picture: 10,000 by 10,000.
pub const PIXELS_MAX: u64 = 100_000_000;

/// Longest side of a picture, in points: the longest that JPEG has.
pub const SIDE_MAX: u32 = 65_535;

/// Most frames of a moving picture.
pub const FRAMES_MAX: usize = 2_000;

/// Most bytes that a decoder may take, whatever a header says: four numbers of 16 bits for each point, and some.
const DECODER_BYTES_MAX: u64 = 8 * PIXELS_MAX + (64 << 20);

/// What is known of a picture before it is decoded.
#[derive(Debug, Clone)]
pub struct Header {
    /// What it is: never a drawing.
    pub kind: ImageKind,
    /// Width in points, as it is shown.
    pub width: u32,
    /// Height in points, as it is shown.
    pub height: u32,
    /// Whether it moves.
    pub is_animated: bool,
    /// How the points have to be turned to be shown.
    pub(super) orientation: Orientation,
    /// Bytes of the decoded points.
    pub(super) decoded_bytes: u64,
    /// Whether the decoder has all points twice.
    pub(super) is_progressive: bool,
}

impl Header {
    /// Reads the header of a picture, and as much of the rest as tells whether it is all there.
    ///
    /// # Errors
    ///
    /// `Unreadable` when it is none of the kinds that are read, broken or cut off; `TooLarge` when it has more than
    /// [`PIXELS_MAX`] points, a side over [`SIDE_MAX`] or more than [`FRAMES_MAX`] frames.
    pub fn read(content: &[u8]) -> Result<Self, ImageError> {
        let kind = ImageKind::of_content(content)
            .ok_or_else(|| ImageError::Unreadable("it is of no kind that is known".to_owned()))?;
        if kind == ImageKind::Ico {
            return Self::of_icon(content);
        }
        let mut is_progressive = false;
        if kind == ImageKind::Raster(Format::Jpeg) {
            let structure = jpeg::structure(content);
            is_progressive = structure.is_progressive;
            if !structure.is_complete {
                return Err(ImageError::Unreadable("it breaks off".to_owned()));
            }
        }
        let mut decoder = decoder(content, kind)?;
        let (width, height) = decoder.dimensions();
        check_size(width, height)?;
        // What cannot be read of a camera's notes does not keep the picture from being shown.
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
            .ok_or_else(|| ImageError::Unreadable("it breaks off".to_owned()))?;
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

    /// The format, if it can be made in another size.
    pub fn format(&self) -> Option<Format> {
        match self.kind {
            ImageKind::Raster(format) => Some(format),
            _ => None,
        }
    }

    /// Whether its points are stored as they are shown.
    pub fn is_upright(&self) -> bool {
        self.orientation == Orientation::NoTransforms
    }

    /// Points.
    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
    }
}

fn check_size(width: u32, height: u32) -> Result<(), ImageError> {
    let pixels = u64::from(width) * u64::from(height);
    if width == 0 || height == 0 {
        return Err(ImageError::Unreadable("it has no points".to_owned()));
    }
    if pixels > PIXELS_MAX || width.max(height) > SIDE_MAX {
        Err(ImageError::TooLarge(format!(
            "it has {width} by {height} points; {PIXELS_MAX} are taken in all, and {SIDE_MAX} along a side"
        )))
    } else {
        Ok(())
    }
}

/// Whether width and height change places when it is turned.
pub(super) fn is_on_its_side(orientation: Orientation) -> bool {
    matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    )
}

/// A decoder that has read the header.
pub(super) fn decoder(
    content: &[u8],
    kind: ImageKind,
) -> Result<impl ImageDecoder + '_, ImageError> {
    let format = match kind {
        ImageKind::Raster(Format::Jpeg) => ImageFormat::Jpeg,
        ImageKind::Raster(Format::Png) => ImageFormat::Png,
        ImageKind::Raster(Format::Gif) => ImageFormat::Gif,
        ImageKind::Raster(Format::Webp) => ImageFormat::WebP,
        ImageKind::Ico | ImageKind::Svg | ImageKind::PackedSvg => {
            let why = "it is a drawing or an icon of Windows";
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

/// Counts the frames of a GIF, whose points stay packed.
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
