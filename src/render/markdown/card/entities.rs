//! Entities: `&amp;`, `&#38;` and `&#x26;`.

use std::borrow::Cow;

/// Maximum length of the name of an entity, in characters.
const NAME_CHARS_MAX: usize = 32;

/// Maximum number of digits of a decimal reference in text.
const DIGITS_MAX: usize = 7;

/// Maximum number of digits of a hexadecimal reference in text.
const HEX_DIGITS_MAX: usize = 6;

/// Maximum number of digits of a reference in a URL or a title.
const ATTRIBUTE_DIGITS_MAX: usize = 8;

/// Returns the decoded entity at the start of text, and its length in bytes.
pub(super) fn in_text(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let (name, length) = reference(text)?;
    if let Some(number) = name.strip_prefix('#') {
        let code = code(number, DIGITS_MAX, HEX_DIGITS_MAX)?;
        let decoded = character(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        return Some((decoded.to_string().into(), length));
    }
    let decoded = named(&text[..length])?;
    // A prefix of the name may be the name of an entity, too, which would leave the semicolon.
    let is_whole = name == "semi" || !decoded.ends_with(';');
    is_whole.then_some((decoded, length))
}

/// Returns the decoded entity at the start of a part of a URL or a title, and its length in bytes.
pub(super) fn in_attribute(text: &str) -> Option<(Cow<'_, str>, usize)> {
    let (name, length) = reference(text)?;
    let decoded = match name.strip_prefix('#') {
        None => named(&text[..length])?,
        Some(number) => {
            // Unlike in text, an invalid number remains as written (Ghost's parser).
            let code = code(number, ATTRIBUTE_DIGITS_MAX, ATTRIBUTE_DIGITS_MAX)?;
            character(code)?.to_string().into()
        }
    };
    Some((decoded, length))
}

/// Returns the name of an entity, and its length in bytes including `&` and `;`.
fn reference(text: &str) -> Option<(&str, usize)> {
    let after = text.strip_prefix('&')?;
    let window = &after.as_bytes()[..after.len().min(NAME_CHARS_MAX + 1)];
    let end = memchr::memchr(b';', window)?;
    let name = &after[..end];
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric();
    let is_name = name.len() > 1
        && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '#')
        && name[1..].bytes().all(is_inside);
    is_name.then_some((name, end + 2))
}

fn named(entity: &str) -> Option<Cow<'_, str>> {
    let decoded = htmlize::unescape(entity);
    (decoded != entity).then_some(decoded)
}

/// Parses a decimal number, or a hexadecimal one after an `x`.
fn code(number: &str, digits_max: usize, hex_digits_max: usize) -> Option<u32> {
    let (digits, radix, digits_max) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, hex_digits_max),
        None => (number, 10, digits_max),
    };
    let is_number = digits.len() <= digits_max && digits.chars().all(|c| c.is_digit(radix));
    is_number.then(|| u32::from_str_radix(digits, radix).ok())?
}

/// Returns the character with this code point, unless it is a control character or is not intended
/// for text.
fn character(code: u32) -> Option<char> {
    let is_refused = matches!(code, 0..=8 | 0xb | 0xe..=0x1f | 0x7f..=0x9f | 0xfdd0..=0xfdef)
        // The last two code points of each plane are not characters.
        || code & 0xfffe == 0xfffe;
    char::from_u32(code).filter(|_| !is_refused)
}
