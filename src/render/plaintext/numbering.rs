//! Number formats of ordered lists, as specified by the `type` of an `ol` element.

use crate::render::html_scan::StartTag;

/// The Roman numerals in descending order, including the subtractive ones.
const ROMAN: [(i64, &str); 13] = [
    (1000, "M"),
    (900, "CM"),
    (500, "D"),
    (400, "CD"),
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
];

/// The greatest number that can be written as a Roman numeral.
const ROMAN_MAX: i64 = 3999;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbering {
    Decimal,
    LowerAlphabetic,
    UpperAlphabetic,
    LowerRoman,
    UpperRoman,
}

impl Numbering {
    /// Returns the format of the list that `tag` begins. The type is case-sensitive, and unknown
    /// types are decimal (Ghost 6.65, observed).
    pub(super) fn of(tag: &StartTag<'_>) -> Self {
        match tag.attribute("type") {
            Some("a") => Self::LowerAlphabetic,
            Some("A") => Self::UpperAlphabetic,
            Some("i") => Self::LowerRoman,
            Some("I") => Self::UpperRoman,
            _ => Self::Decimal,
        }
    }

    /// Formats `number` as the label of an item. Numbers that the format cannot represent are
    /// decimal, as in browsers.
    pub(super) fn written(self, number: i64) -> String {
        match self {
            Self::LowerAlphabetic if number > 0 => alphabetic(number, b'a'),
            Self::UpperAlphabetic if number > 0 => alphabetic(number, b'A'),
            Self::LowerRoman if is_roman(number) => roman(number).to_ascii_lowercase(),
            Self::UpperRoman if is_roman(number) => roman(number),
            _ => number.to_string(),
        }
    }
}

fn is_roman(number: i64) -> bool {
    (1..=ROMAN_MAX).contains(&number)
}

/// Formats a number in bijective base 26: there is no zero, so Z is followed by AA.
fn alphabetic(number: i64, first: u8) -> String {
    let mut characters = Vec::new();
    let mut rest = number;
    while rest > 0 {
        rest -= 1;
        // The remainder is less than 26.
        characters.push(char::from(first + (rest % 26) as u8));
        rest /= 26;
    }
    characters.iter().rev().collect()
}

fn roman(number: i64) -> String {
    let mut rest = number;
    let mut numerals = String::new();
    for (value, numeral) in ROMAN {
        while rest >= value {
            numerals.push_str(numeral);
            rest -= value;
        }
    }
    numerals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_as_letters_and_roman_numerals() {
        for (numbering, number, written) in [
            (Numbering::Decimal, 4, "4"),
            (Numbering::LowerAlphabetic, 1, "a"),
            (Numbering::LowerAlphabetic, 26, "z"),
            (Numbering::UpperAlphabetic, 27, "AA"),
            (Numbering::UpperAlphabetic, 703, "AAA"),
            (Numbering::LowerRoman, 40, "xl"),
            (Numbering::UpperRoman, 1994, "MCMXCIV"),
        ] {
            assert_eq!(numbering.written(number), written);
        }
    }

    #[test]
    fn number_without_a_form_is_decimal() {
        assert_eq!(Numbering::LowerAlphabetic.written(0), "0");
        assert_eq!(Numbering::UpperRoman.written(-1), "-1");
        assert_eq!(Numbering::UpperRoman.written(4000), "4000");
        let most = Numbering::LowerAlphabetic.written(i64::MAX);
        assert_eq!(most.len(), 14);
    }
}
