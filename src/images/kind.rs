//! What a picture is: by its name, and by its content.

use std::path::Path;

/// A kind of pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKind {
    /// A picture of points that can be made again in another size.
    Raster(Format),
    /// An icon of Windows, with several pictures in it.
    Ico,
    /// A drawing.
    Svg,
    /// A drawing that is packed with gzip.
    PackedSvg,
}

/// A format that pictures are read from and written in.
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
    /// The kind that a name claims by its extension, in any case of letters; `None` if none that is taken.
    pub fn of_name(name: &str) -> Option<Self> {
        let extension = Path::new(name).extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "ico" => Self::Ico,
            "svg" => Self::Svg,
            "svgz" => Self::PackedSvg,
            format => Self::Raster(Format::named(format)?),
        })
    }

    /// The kind that content is, by its first bytes; `None` also for drawings, which have no such mark.
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
    /// The format of this name, which is also an extension: `jpg`, `jpeg`, `png`, `gif`, `webp`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "jpg" | "jpeg" => Self::Jpeg,
            "png" => Self::Png,
            "gif" => Self::Gif,
            "webp" => Self::Webp,
            _ => return None,
        })
    }

    /// The extension of files in it.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Png => "png",
            Self::Gif => "gif",
            Self::Webp => "webp",
        }
    }

    /// How it is called in `Content-Type`.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_claim_a_kind_in_any_case_of_letters() {
        assert_eq!(
            ImageKind::of_name("a.b.JPeG"),
            Some(ImageKind::Raster(Format::Jpeg))
        );
        assert_eq!(ImageKind::of_name("a.svgz"), Some(ImageKind::PackedSvg));
        for name in ["png", "a.txt", "a.png.html", "a.", ".png", ""] {
            assert_eq!(ImageKind::of_name(name), None, "{name}");
        }
    }
}
