//! Sizes that pictures are asked for in, and what comes of them.

/// The size that a picture is to have at most: a width, a height or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageSize {
    /// In points; `None` if it follows from the height.
    pub width: Option<u32>,
    /// In points; `None` if it follows from the width.
    pub height: Option<u32>,
}

/// How a picture comes to a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fitted {
    /// Width of what is made, in points.
    pub width: u32,
    /// Height of what is made, in points.
    pub height: u32,
    /// Whether it shows all of the picture, or its middle.
    pub is_cut: bool,
}

impl ImageSize {
    /// A width.
    pub const fn of_width(width: u32) -> Self {
        Self {
            width: Some(width),
            height: None,
        }
    }

    /// A width and a height: what does not fit is cut off at the sides.
    pub const fn of_both(width: u32, height: u32) -> Self {
        Self {
            width: Some(width),
            height: Some(height),
        }
    }

    /// The size as it stands in addresses: `w600`, `h300` or `w256h256`. Numbers are written in one way only.
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

    /// How it stands in addresses.
    pub fn name(self) -> String {
        let part = |letter, number: Option<u32>| {
            number.map_or_else(String::new, |number| format!("{letter}{number}"))
        };
        part('w', self.width) + &part('h', self.height)
    }

    /// How a picture of `width` by `height` points comes to this size. It never grows.
    pub fn fit(self, width: u32, height: u32) -> Fitted {
        let scaled = |length: u32, part: u32, whole: u32| -> u32 {
            let length = u64::from(length) * u64::from(part) + u64::from(whole) / 2;
            let length = length / u64::from(whole.max(1));
            u32::try_from(length).unwrap_or(u32::MAX).max(1)
        };
        let (new_width, new_height) = match (self.width, self.height) {
            (None, None) => (width, height),
            (Some(wanted), None) if wanted < width => (wanted, scaled(height, wanted, width)),
            (None, Some(wanted)) if wanted < height => (scaled(width, wanted, height), wanted),
            (Some(_), None) | (None, Some(_)) => (width, height),
            (Some(wide), Some(high)) => {
                // The largest part of the picture that has the wanted shape.
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
        let is_cut = self.width.is_some()
            && self.height.is_some()
            && u64::from(new_width) * u64::from(height) != u64::from(new_height) * u64::from(width);
        Fitted {
            width: new_width,
            height: new_height,
            is_cut,
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
    fn sizes_are_written_in_one_way() {
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
    fn pictures_shrink_in_proportion_and_never_grow() {
        let fitted = |name: &str, width, height| {
            let fitted = ImageSize::named(name).unwrap().fit(width, height);
            (fitted.width, fitted.height, fitted.is_cut)
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
