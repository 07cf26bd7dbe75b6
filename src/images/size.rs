//! Requested and resulting sizes of images.

/// A requested size: a width, a height or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageSize {
    /// Width in pixels; `None` to derive it from the height.
    pub width: Option<u32>,
    /// Height in pixels; `None` to derive it from the width.
    pub height: Option<u32>,
}

/// The resulting size of an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FittedSize {
    /// Resulting width, in pixels.
    pub width: u32,
    /// Resulting height, in pixels.
    pub height: u32,
    /// True if the image is cropped to its middle.
    pub is_cropped: bool,
}

impl ImageSize {
    /// Creates a size with this width.
    pub const fn of_width(width: u32) -> Self {
        Self {
            width: Some(width),
            height: None,
        }
    }

    /// Creates a size with this width and height. The image is cropped to fit.
    pub const fn of_both(width: u32, height: u32) -> Self {
        Self {
            width: Some(width),
            height: Some(height),
        }
    }

    /// Parses a size in a URL: `w600`, `h300` or `w256h256`. Each size has exactly one spelling.
    pub fn named(name: &str) -> Option<Self> {
        let (width, height) = match name.strip_prefix('w') {
            Some(rest) => match rest.split_once('h') {
                Some((width, height)) => (Some(number(width)?), Some(number(height)?)),
                None => (Some(number(rest)?), None),
            },
            None => (None, Some(number(name.strip_prefix('h')?)?)),
        };
        Some(Self { width, height })
    }

    /// Returns the size as written in URLs.
    pub fn name(self) -> String {
        let part = |unit, number: Option<u32>| {
            number.map_or_else(String::new, |number| format!("{unit}{number}"))
        };
        part('w', self.width) + &part('h', self.height)
    }

    /// Returns the resulting size of an image of `width` by `height` pixels, which is never
    /// enlarged.
    pub fn fit(self, width: u32, height: u32) -> FittedSize {
        let scaled = |length: u32, part: u32, whole: u32| -> u32 {
            let length = u64::from(length) * u64::from(part) + u64::from(whole) / 2;
            let length = length / u64::from(whole.max(1));
            u32::try_from(length).unwrap_or(u32::MAX).max(1)
        };
        let (new_width, new_height) = match (self.width, self.height) {
            (None, None) => (width, height),
            (Some(requested), None) if requested < width => {
                (requested, scaled(height, requested, width))
            }
            (None, Some(requested)) if requested < height => {
                (scaled(width, requested, height), requested)
            }
            (Some(_), None) | (None, Some(_)) => (width, height),
            (Some(wide), Some(high)) => {
                // The largest part of the image with the requested aspect ratio.
                let is_too_wide =
                    u64::from(width) * u64::from(high) > u64::from(height) * u64::from(wide);
                let part = if is_too_wide {
                    (scaled(wide, height, high), height)
                } else {
                    (width, scaled(high, width, wide))
                };
                if part.0 > wide { (wide, high) } else { part }
            }
        };
        let is_cropped = self.width.is_some()
            && self.height.is_some()
            && u64::from(new_width) * u64::from(height) != u64::from(new_height) * u64::from(width);
        FittedSize {
            width: new_width,
            height: new_height,
            is_cropped,
        }
    }
}

fn number(digits: &str) -> Option<u32> {
    let is_plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_one_spelling() {
        for name in ["w600", "h300", "w256h256"] {
            assert_eq!(ImageSize::named(name).unwrap().name(), name);
        }
        for name in [
            "",
            "w",
            "h",
            "w0",
            "w01",
            "w+1",
            "w1h",
            "h1w1",
            "W1",
            "w1 ",
            "w99999999999",
        ] {
            assert_eq!(ImageSize::named(name), None, "{name}");
        }
    }

    #[test]
    fn images_shrink_in_proportion_and_never_grow() {
        let fitted = |name: &str, width, height| {
            let fitted = ImageSize::named(name).unwrap().fit(width, height);
            (fitted.width, fitted.height, fitted.is_cropped)
        };
        assert_eq!(fitted("w600", 4000, 3000), (600, 450, false));
        assert_eq!(fitted("w600", 300, 3000), (300, 3000, false));
        assert_eq!(fitted("h300", 4000, 3000), (400, 300, false));
        assert_eq!(fitted("w1", 1, 60_000), (1, 60_000, false));
        assert_eq!(fitted("w10", 60_000, 1), (10, 1, false));
        assert_eq!(fitted("w256h256", 4000, 3000), (256, 256, true));
        assert_eq!(fitted("w256h256", 512, 512), (256, 256, false));
        assert_eq!(fitted("w256h256", 400, 100), (100, 100, true));
        assert_eq!(fitted("w256h256", 60, 60), (60, 60, false));
    }
}
