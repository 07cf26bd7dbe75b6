//! Numbers in the notation of each language (CLDR 48).

use std::sync::LazyLock;

use super::super::languages::{Language, Languages};

/// The languages.
pub(super) static LANGUAGES: LazyLock<Languages> =
    LazyLock::new(|| Languages::read(include_str!("numbers.txt"), ALIASES));

/// Language names that have a different name in the table.
const ALIASES: &[(&str, &str)] = &[
    ("in", "id"),
    ("iw", "he"),
    ("mo", "ro"),
    ("no", "nb"),
    ("sh", "sr-latn"),
    ("tl", "fil"),
    ("zh-hant", "zh-tw"),
];

/// Most decimals of a number that is not an amount of money.
const FRACTION_MAX: usize = 3;

/// Formats a number in a language, with at most three decimals.
pub fn number(value: f64, locale: &str) -> String {
    let language = LANGUAGES.find(locale);
    let digits = rounded(value.abs(), 0, FRACTION_MAX);
    let text = grouped(&language, &digits, "");
    // A negative number that is rounded to zero has no sign.
    let is_negative = value < 0.0 && digits.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    let pattern = if is_negative {
        language.get("negative").unwrap_or("-#")
    } else {
        "#"
    };
    pattern.replacen('#', &text, 1)
}

/// Returns the plural category, such as `one`, of a number written with these digits.
pub fn plural_category(digits: &str, locale: &str, is_ordinal: bool) -> &'static str {
    use fixed_decimal::Decimal;
    use icu_plurals::{PluralCategory, PluralRuleType, PluralRules};

    let kind = if is_ordinal {
        PluralRuleType::Ordinal
    } else {
        PluralRuleType::Cardinal
    };
    let locale = locale
        .replace('_', "-")
        .parse()
        .unwrap_or(icu_locale_core::locale!("en"));
    let rules = PluralRules::try_new(locale.into(), kind.into());
    let (Ok(rules), Ok(number)) = (rules, digits.parse::<Decimal>()) else {
        return "other";
    };
    match rules.category_for(&number) {
        PluralCategory::Zero => "zero",
        PluralCategory::One => "one",
        PluralCategory::Two => "two",
        PluralCategory::Few => "few",
        PluralCategory::Many => "many",
        PluralCategory::Other => "other",
    }
}

/// Formats a non-negative number with a decimal point and `fraction_min` to `fraction_max` decimals. As in browsers, the shortest
/// decimal form of the number is rounded half up.
pub(super) fn rounded(value: f64, fraction_min: usize, fraction_max: usize) -> String {
    // Decimal digits and not the binary value are rounded: 1.005 becomes 1.01, as in browsers.
    let shortest = value.to_string();
    let (whole, fraction) = shortest.split_once('.').unwrap_or((&shortest, ""));
    let padded = fraction.bytes().chain(std::iter::repeat(b'0'));
    let mut digits: Vec<u8> = whole.bytes().chain(padded.take(fraction_max)).collect();
    if fraction
        .as_bytes()
        .get(fraction_max)
        .is_some_and(|digit| *digit >= b'5')
    {
        let mut index = digits.len();
        loop {
            if index == 0 {
                digits.insert(0, b'1');
                break;
            }
            index -= 1;
            if digits[index] < b'9' {
                digits[index] += 1;
                break;
            }
            digits[index] = b'0';
        }
    }
    let point = digits.len() - fraction_max;
    let mut end = digits.len();
    while end > point + fraction_min && digits[end - 1] == b'0' {
        end -= 1;
    }
    let text = |digits: &[u8]| String::from_utf8_lossy(digits).into_owned();
    let whole = text(&digits[..point]);
    if end > point {
        format!("{whole}.{}", text(&digits[point..end]))
    } else {
        whole
    }
}

/// Formats digits with the separators and the digits of a language. The prefix `price` selects the language's separators for
/// amounts.
pub(super) fn grouped(language: &Language, digits: &str, prefix: &str) -> String {
    let own = |name: &str| {
        let of_prices = (!prefix.is_empty())
            .then(|| format!("{prefix}{name}"))
            .and_then(|key| language.get(&key));
        of_prices
            .or_else(|| language.get(&name.to_lowercase()))
            .unwrap_or_default()
    };
    let number = |key| {
        language
            .get(key)
            .and_then(|value| value.parse::<usize>().ok())
    };
    let (further, least) = (
        own("Groups").parse().unwrap_or(3),
        number("least").unwrap_or(1),
    );
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    // In Spanish and Polish, for instance, four digits are not grouped.
    let is_grouped = whole.len() >= 3 + least;
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        let after = whole.len() - index;
        // In Indian notation, the groups after the first have two digits.
        let is_first = after == 3 || after > 3 && (after - 3) % further == 0;
        if index > 0 && is_grouped && is_first {
            text.push_str(own("Group"));
        }
        text.push(language.digit(digit));
    }
    if !fraction.is_empty() {
        text.push_str(own("Decimal"));
        text.extend(fraction.chars().map(|digit| language.digit(digit)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_half_up() {
        assert_eq!(rounded(0.125, 2, 2), "0.13");
        assert_eq!(rounded(1.005, 2, 2), "1.01");
        assert_eq!(rounded(0.995, 2, 2), "1.00");
        assert_eq!(rounded(5.0, 2, 2), "5.00");
        assert_eq!(rounded(999.999, 0, 2), "1000");
        assert_eq!(rounded(21.5, 0, 2), "21.5");
    }

    #[test]
    fn languages_group_digits() {
        assert_eq!(number(1_234_567.5, "en"), "1,234,567.5");
        assert_eq!(number(-1_234.0, "de-CH"), "-1'234");
        assert_eq!(number(1_234.0, "pl"), "1234");
        assert_eq!(number(1_234_567.0, "hi"), "12,34,567");
        assert_eq!(number(12.0, "mr"), "१२");
    }

    #[test]
    fn plural_categories_are_those_of_the_language() {
        assert_eq!(plural_category("1", "en", false), "one");
        assert_eq!(plural_category("1.0", "en", false), "other");
        assert_eq!(plural_category("3", "ru", false), "few");
        assert_eq!(plural_category("2", "en", true), "two");
        assert_eq!(plural_category("1", "not a language", false), "one");
    }
}
