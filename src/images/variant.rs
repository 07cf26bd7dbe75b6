//! Addresses of pictures in other sizes: `/content/images/size/w600/format/webp/2026/11/ferry.jpg`.

use super::{Format, ImageSize};

/// A picture in another size, as it is asked for.
#[derive(Debug, PartialEq, Eq)]
pub struct Variant<'a> {
    /// The size.
    pub size: &'a str,
    /// The format, if another one than the picture's.
    pub format: Option<&'a str>,
    /// The picture, below `/content/images/`, as it stands in the address.
    pub original: &'a str,
}

impl<'a> Variant<'a> {
    /// What `path`, below `/content/`, asks for; `None` if for something else.
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

    /// The part of a request's path that names the picture and its size, whatever stands in front of it.
    pub fn path_of(path: &str) -> Option<&str> {
        let begin = memchr::memmem::find(path.as_bytes(), b"/content/images/size/")?;
        path.get(begin + "/content/".len()..)
    }

    /// The size, if it is one of `sizes`.
    pub fn size_among(&self, sizes: &[ImageSize]) -> Option<ImageSize> {
        ImageSize::named(self.size).filter(|size| sizes.contains(size))
    }

    /// The format to make; `None` for one that is not made. `name` is the picture's.
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
    fn a_size_and_a_format_stand_in_front_of_the_picture() {
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
    fn only_formats_that_are_made_are_named() {
        for format in ["avif", "svg", "ico", "", ".."] {
            let path = format!("images/size/w600/format/{format}/a.png");
            assert_eq!(
                Variant::of(&path).unwrap().format_for("a.png"),
                None,
                "{format}"
            );
        }
    }
}
