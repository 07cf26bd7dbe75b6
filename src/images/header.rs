//! Reads an image's header without decoding the image.

use std::{borrow::Cow, io::Cursor};

use image::{ImageDecoder, ImageFormat, ImageReader, Limits, metadata::Orientation};

use super::{
    ImageError,
    kind::{Format, ImageKind},
    parts::{PIXELS_MAX, Parts, SIDE_MAX, ico, webp},
};

/// Maximum memory of a decoder, in bytes, whatever the header claims: four 16-bit numbers for each
/// pixel, and some overhead.
const DECODER_BYTES_MAX: u64 = 8 * PIXELS_MAX + (64 << 20);

/// The properties of an image before it is decoded.
#[derive(Debug, Clone)]
pub struct Header {
    /// Its kind, which is never SVG.
    pub kind: ImageKind,
    /// Displayed width in pixels.
    pub width: u32,
    /// Displayed height in pixels.
    pub height: u32,
    /// True if it is animated.
    pub is_animated: bool,
    /// The rotation of the pixels for display.
    pub(super) orientation: Orientation,
    /// Upper bound for the size of the decoded pixels, in bytes.
    pub(super) decoded_bytes: u64,
    /// Upper bound for the memory of the decoder in addition to the pixels and the file, in bytes.
    pub(super) decoder_bytes: u64,
    /// Size of the decompressed colour profile, in bytes.
    pub(super) profile_bytes: u64,
    /// Its parts; `None` for an icon.
    pub(super) parts: Option<Parts>,
}

impl Header {
    /// Reads the header of an image, and as much of the rest as is needed to determine whether the
    /// image is complete. Uses no decoder, and at most a few megabytes of memory.
    ///
    /// # Errors
    ///
    /// `Unreadable` if it is of an unsupported kind, damaged or truncated; `TooLarge` if it has
    /// more
    /// than [`PIXELS_MAX`] pixels, a side over [`SIDE_MAX`], more than
    /// [`FRAMES_MAX`](super::FRAMES_MAX) frames, or another part that exceeds its limit.
    pub fn read(content: &[u8]) -> Result<Self, ImageError> {
        let kind = ImageKind::of_content(content)
            .ok_or_else(|| ImageError::Unreadable("its format is unknown".to_owned()))?;
        let ImageKind::Raster(format) = kind else {
            return Self::of_icon(content);
        };
        let parts = Parts::find(content, format)?;
        let (width, height) = if is_on_its_side(parts.orientation) {
            (parts.height, parts.width)
        } else {
            (parts.width, parts.height)
        };
        Ok(Self {
            kind,
            width,
            height,
            is_animated: parts.is_animated,
            orientation: parts.orientation,
            decoded_bytes: parts.pixel_bytes * parts.pixels(),
            decoder_bytes: parts.decoder_bytes + parts.decoded.copied_bytes() as u64,
            profile_bytes: parts.profile.byte_count(content)? as u64,
            parts: Some(parts),
        })
    }

    fn of_icon(content: &[u8]) -> Result<Self, ImageError> {
        let icon = ico::parts(content)?;
        Ok(Self {
            kind: ImageKind::Ico,
            width: icon.width,
            height: icon.height,
            is_animated: false,
            orientation: Orientation::NoTransforms,
            decoded_bytes: 0,
            decoder_bytes: 0,
            profile_bytes: 0,
            parts: None,
        })
    }

    /// Returns the format, if the image can be resized.
    pub fn format(&self) -> Option<Format> {
        match self.kind {
            ImageKind::Raster(format) => Some(format),
            _ => None,
        }
    }

    /// Returns whether an upload may have the extension of this format. It is then re-encoded in
    /// that format, so that its extension is correct. An animated image cannot be re-encoded, since
    /// that would lose the animation, and only a GIF can be stored as a GIF.
    pub fn can_be(&self, format: Format) -> bool {
        let is_it = self.format() == Some(format);
        let can_be_made = self.format().is_some() && !self.is_animated && format != Format::Gif;
        is_it || can_be_made
    }

    /// Returns whether the pixels are stored as they are displayed.
    pub fn is_upright(&self) -> bool {
        self.orientation == Orientation::NoTransforms
    }

    /// Returns the number of pixels.
    pub(super) fn pixels(&self) -> u64 {
        u64::from(self.width) * u64::from(self.height)
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

/// Returns a decoder for the pixels of an image, or for those of the first frame of an animation.
/// The decoder receives only the parts of the file that it needs for them.
pub(super) fn decoder<'a>(
    content: &'a [u8],
    header: &Header,
) -> Result<impl ImageDecoder + 'a, ImageError> {
    let (Some(format), Some(parts)) = (header.format(), &header.parts) else {
        let why = "it is an SVG image or a Windows icon";
        return Err(ImageError::Unreadable(why.to_owned()));
    };
    let (format, pieces): (_, Cow<[u8]>) = match format {
        Format::Jpeg => (ImageFormat::Jpeg, parts.decoded.of(content)),
        Format::Png => (ImageFormat::Png, parts.decoded.of(content)),
        Format::Gif => (ImageFormat::Gif, parts.decoded.of(content)),
        Format::Webp => (ImageFormat::WebP, webp::joined(&parts.decoded, content)),
    };
    // The default limit of the library, 512 MiB, would refuse images that are allowed here.
    let mut limits = Limits::no_limits();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(DECODER_BYTES_MAX);
    let mut reader = ImageReader::with_format(Cursor::new(pieces), format);
    reader.limits(limits);
    let decoder = reader.into_decoder()?;
    // The reserved memory is based on the sizes in the parts.
    if decoder.dimensions() != (parts.width, parts.height)
        || decoder.total_bytes() > header.decoded_bytes
    {
        let why = "its parts contradict each other";
        return Err(ImageError::Unreadable(why.to_owned()));
    }
    Ok(decoder)
}
