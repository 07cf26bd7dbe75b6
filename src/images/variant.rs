//! URLs of resized images: `/content/images/size/w600/format/webp/2026/11/ferry.jpg`.

use super::{Format, ImageSize};

/// The path of images, relative to the URL of a site.
const IMAGES: &str = "/content/images/";

/// A requested resized image.
#[derive(Debug, PartialEq, Eq)]
pub struct Variant<'a> {
    /// The size.
    pub size: &'a str,
    /// The format, if it differs from the original's.
    pub format: Option<&'a str>,
    /// The path of the original image below `/content/images/`, as in the URL.
    pub original: &'a str,
}

impl<'a> Variant<'a> {
    /// Parses a path below `/content/`; `None` if it is not the path of a resized image.
    pub fn of(path: &'a str) -> Option<Self> {
        let (size, rest) = path.strip_prefix("images/size/")?.split_once('/')?;
        let (format, original) = match rest.strip_prefix("format/") {
            Some(rest) => {
                let (format, original) = rest.split_once('/')?;
                (Some(format), original)
            }
            None => (None, rest),
        };
        Some(Self {
            size,
            format,
            original,
        })
    }

    /// Returns the URL of the image at `url`, resized to `width` pixels, on the site with the URL `site`. `None` for
    /// images elsewhere, images that are already resized, and formats that cannot be resized.
    pub fn url_of_width(url: &str, site: &str, width: u32) -> Option<String> {
        let site = site.trim_end_matches('/');
        let original = url.strip_prefix(site)?.strip_prefix(IMAGES)?;
        let (_, extension) = original.rsplit_once('.')?;
        Format::named(&extension.to_ascii_lowercase())?;
        let size = ImageSize::of_width(width).name();
        (!original.starts_with("size/")).then(|| format!("{site}{IMAGES}size/{size}/{original}"))
    }

    /// Returns the part of a request's path that names the image and its size, without any prefix.
    pub fn path_of(path: &str) -> Option<&str> {
        let begin = memchr::memmem::find(path.as_bytes(), b"/content/images/size/")?;
        path.get(begin + "/content/".len()..)
    }

    /// Returns the size, if it is one of `sizes`.
    pub fn size_among(&self, sizes: &[ImageSize]) -> Option<ImageSize> {
        ImageSize::named(self.size).filter(|size| sizes.contains(size))
    }

    /// Returns the format to create; `None` if it is unsupported. `name` is the name of the original.
    pub fn format_for(&self, name: &str) -> Option<Format> {
        let extension = || name.rsplit_once('.').map(|(_, extension)| extension);
        let format = self.format.or_else(extension)?;
        Format::named(&format.to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_and_format_precede_the_image() {
        let found = Variant::of("images/size/w600/format/webp/2025/a.png").unwrap();
        assert_eq!((found.size, found.format), ("w600", Some("webp")));
        assert_eq!(found.original, "2025/a.png");
        assert_eq!(found.format_for("a.png"), Some(Format::Webp));
        let found = Variant::of("images/size/w600/a.PNG").unwrap();
        assert_eq!(found.format_for("a.PNG"), Some(Format::Png));
        for other in [
            "images/a.png",
            "images/size/w600",
            "media/size/w600/a.png",
            "images/size/w600/format/webp",
        ] {
            assert_eq!(Variant::of(other), None, "{other}");
        }
    }

    #[test]
    fn unsupported_formats_are_none() {
        for format in ["avif", "svg", "ico", "", ".."] {
            let path = format!("images/size/w600/format/{format}/a.png");
            assert_eq!(
                Variant::of(&path).unwrap().format_for("a.png"),
                None,
                "{format}"
            );
        }
    }

    #[test]
    fn only_images_of_the_site_that_can_be_resized_have_a_url_of_a_width() {
        let of = |url: &str| Variant::url_of_width(url, "https://a.example/blog/", 1200);
        assert_eq!(
            of("https://a.example/blog/content/images/2026/a.JPG").as_deref(),
            Some("https://a.example/blog/content/images/size/w1200/2026/a.JPG")
        );
        for other in [
            "https://b.example/content/images/a.jpg",
            "https://a.example/blog/content/images/a.svg",
            "https://a.example/blog/content/images/size/w600/a.jpg",
            "https://a.example/blog/content/media/a.jpg",
        ] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
