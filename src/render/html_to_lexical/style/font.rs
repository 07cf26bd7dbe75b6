//! The `font` shorthand of a `style` attribute.

use super::{is_font_weight, is_one_of};
use crate::render::html_to_lexical::numbers::decimal;

const STYLES: [&str; 2] = ["italic", "oblique"];

/// Widths of fonts, which are ignored.
const STRETCHES: [&str; 8] = [
    "ultra-condensed",
    "extra-condensed",
    "condensed",
    "semi-condensed",
    "semi-expanded",
    "expanded",
    "extra-expanded",
    "ultra-expanded",
];

/// Keywords for sizes.
const SIZES: [&str; 10] = [
    "xx-small",
    "x-small",
    "small",
    "medium",
    "large",
    "x-large",
    "xx-large",
    "xxx-large",
    "larger",
    "smaller",
];

const UNITS: [&str; 16] = [
    "%", "px", "pt", "em", "rem", "ex", "ch", "in", "cm", "mm", "q", "pc", "vw", "vh", "vmin",
    "vmax",
];

/// Keywords that are valid for the `font` as a whole, but not as families.
const WHOLE_VALUES: [&str; 5] = ["inherit", "initial", "unset", "revert", "revert-layer"];

/// The parts of a `font` value. It begins with words for style, weight and stretch in any order,
/// followed by the mandatory size and families.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Font<'a> {
    pub(super) style: &'a str,
    pub(super) weight: &'a str,
    pub(super) size: &'a str,
}

impl<'a> Font<'a> {
    /// Parses a value of `font`; `None` if it is invalid (Ghost 6.65, observed; an angle after
    /// `oblique` and a calculated size are not supported).
    pub(super) fn read(value: &'a str) -> Option<Self> {
        const NORMAL: &str = "normal";
        let mut font = Font {
            style: NORMAL,
            weight: NORMAL,
            size: "",
        };
        let mut rest = value;
        let after_size = loop {
            let (word, rest_of_value) = first_word(rest);
            // A second style is not valid, so it falls through to the size and fails there.
            if is_one_of(word, &STYLES) && font.style == NORMAL {
                font.style = word;
            } else if word.eq_ignore_ascii_case(NORMAL) || is_one_of(word, &STRETCHES) {
                // These keywords have no effect.
            } else if is_font_weight(word) && font.weight == NORMAL {
                font.weight = word;
            } else {
                // At the end of the value, the word is empty, which is not a size: the loop always
                // ends.
                font.size = word;
                break rest_of_value;
            }
            rest = rest_of_value;
        };
        let families = match after_size.strip_prefix('/') {
            None => after_size,
            Some(height) => {
                let (height, rest_of_value) = first_word(height.trim_start());
                let is_number = decimal(height).is_some_and(|height| height >= 0.0);
                let is_height = is_number || height.eq_ignore_ascii_case(NORMAL) || is_size(height);
                is_height.then_some(rest_of_value)?
            }
        };
        let is_whole = is_size(font.size) && families.split(',').all(is_family);
        is_whole.then_some(font)
    }
}

/// Returns the first word of a value, and the rest of the value after white space.
fn first_word(value: &str) -> (&str, &str) {
    let end = value.find(|character: char| character == '/' || character.is_whitespace());
    let (word, rest_of_value) = value.split_at(end.unwrap_or(value.len()));
    (word, rest_of_value.trim_start())
}

fn is_size(word: &str) -> bool {
    let number = word.trim_end_matches(|character: char| !character.is_ascii_digit());
    let unit = &word[number.len()..];
    let is_length = || match decimal(number) {
        Some(0.0) => unit.is_empty() || is_one_of(unit, &UNITS),
        Some(length) => length > 0.0 && is_one_of(unit, &UNITS),
        None => false,
    };
    is_one_of(word, &SIZES) || is_length()
}

/// Returns whether this is a valid family name: quoted, or a sequence of words. A quoted name that
/// contains a comma is checked in parts.
fn is_family(name: &str) -> bool {
    let name = name.trim();
    let is_quoted = name.starts_with(['"', '\'']) || name.ends_with(['"', '\'']);
    let is_word_character = |character: char| {
        character.is_alphanumeric() || !character.is_ascii() || matches!(character, '-' | '_' | ' ')
    };
    let is_name = || {
        !name.is_empty()
            && !name.starts_with(|character: char| character.is_ascii_digit())
            && name.chars().all(is_word_character)
            && !is_one_of(name, &WHOLE_VALUES)
    };
    is_quoted || is_name()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn font_has_style_weight_and_size() {
        for (value, style, weight, size) in [
            (
                "italic bold 12px/30px Georgia, serif",
                "italic",
                "bold",
                "12px",
            ),
            ("bold italic large 'x y'", "italic", "bold", "large"),
            ("700 26pt Arial", "normal", "700", "26pt"),
            (
                "normal condensed 12px / 1.5 a b",
                "normal",
                "normal",
                "12px",
            ),
            ("BOLD 0 \"a, b\", c", "normal", "BOLD", "0"),
        ] {
            let font = Font {
                style,
                weight,
                size,
            };
            assert_eq!(Font::read(value), Some(font), "{value}");
        }
    }

    #[test]
    fn incomplete_values_are_rejected() {
        for value in [
            "",
            "bold",
            "bold 12px",
            "bold 12 Arial",
            "bold -12px Arial",
            "bold 12foo Arial",
            "bold bold 12px Arial",
            "bold 12px 12px",
            "bold 12px/ Arial",
            "bold 12px serif,",
            "bold 12px inherit",
            "1001 12px Arial",
            "caption",
        ] {
            assert_eq!(Font::read(value), None, "{value}");
        }
    }
}
