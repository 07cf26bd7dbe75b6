//! Detects the kind of an image from its name or its content.

use std::path::Path;

/// A kind of image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    /// A raster image that can be resized.
    Raster(Format),
    /// A Windows icon, which contains several images.
    Ico,
    /// An SVG image.
    Svg,
    /// An SVG image that is compressed with gzip.
    CompressedSvg,
}

/// A format in which images can be read and written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// JPEG.
    Jpeg,
    /// PNG.
    Png,
    /// GIF.
    Gif,
    /// WebP.
    Webp,
}

impl ImageKind {
    /// Returns the kind for the extension of a name, ignoring case; `None` if it is unsupported.
    pub fn of_name(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "ico" => Self::Ico,
            "svg" => Self::Svg,
            "svgz" => Self::CompressedSvg,
            format => Self::Raster(Format::named(format)?),
        })
    }

    /// Returns the kind of content from its first bytes; `None` if it is unsupported, and for SVG
    /// images, which have no signature.
    pub fn of_content(content: &[u8]) -> Option<Self> {
        let is_webp = content.starts_with(b"RIFF") && content.get(8..12) == Some(b"WEBP");
        Some(match content {
            [0xFF, 0xD8, 0xFF, ..] => Self::Raster(Format::Jpeg),
            _ if content.starts_with(b"\x89PNG\r\n\x1a\n") => Self::Raster(Format::Png),
            _ if content.starts_with(b"GIF87a") || content.starts_with(b"GIF89a") => {
                Self::Raster(Format::Gif)
            }
            _ if is_webp => Self::Raster(Format::Webp),
            [0, 0, 1, 0, ..] => Self::Ico,
            _ => return None,
        })
    }
}

impl Format {
    /// Returns the format of this name, which is also an extension: `jpg`, `jpeg`, `png`, `gif`,
    /// `webp`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "jpg" | "jpeg" => Self::Jpeg,
            "png" => Self::Png,
            "gif" => Self::Gif,
            "webp" => Self::Webp,
            _ => return None,
        })
    }

    /// Returns the extension of files in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extension_determines_the_kind_in_any_case() {
        assert_eq!(
            ImageKind::of_name("a.b.JPeG"),
            Some(ImageKind::Raster(Format::Jpeg))
        );
        assert_eq!(ImageKind::of_name("a.svgz"), Some(ImageKind::CompressedSvg));
        for name in ["png", "a.txt", "a.png.html", "a.", ".png", ""] {
            assert_eq!(ImageKind::of_name(name), None, "{name}");
        }
    }
}
