//! Escaping of text that helpers write into HTML or URLs.

use std::{borrow::Cow, fmt::Write};

/// Escapes text for HTML as lodash's `escape` does.
pub fn plain_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut copied = 0;
    for (position, byte) in text.bytes().enumerate() {
        let reference = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        escaped.push_str(&text[copied..position]);
        escaped.push_str(reference);
        copied = position + 1;
    }
    escaped.push_str(&text[copied..]);
    escaped
}

/// Characters that JavaScript's `encodeURIComponent` does not encode, in addition to letters and digits.
const COMPONENT: &[u8] = b"-_.!~*'()";

/// Characters that JavaScript's `encodeURI` does not encode and `decodeURI` does not decode.
const RESERVED: &str = ";/?:@&=+$,#";

/// Encodes text as a component of a URL, as JavaScript's `encodeURIComponent` does.
pub fn url_component(text: &str) -> String {
    encoded(text, is_in_component)
}

/// Encodes a URL as JavaScript's `encodeURI` does after `decodeURI`; `None` if the URL contains an invalid escape.
pub fn url(text: &str) -> Option<String> {
    let is_in_url = |byte| is_in_component(byte) || RESERVED.as_bytes().contains(&byte);
    Some(encoded(&decoded_url(text)?, is_in_url))
}

fn is_in_component(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || COMPONENT.contains(&byte)
}

fn encoded(text: &str, is_unchanged: impl Fn(u8) -> bool) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if is_unchanged(byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

fn decoded_url(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(text.into());
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(position) = rest.find('%') {
        decoded.push_str(&rest[..position]);
        rest = &rest[position..];
        let mut bytes = vec![escaped_byte(rest)?];
        let length = match bytes[0] {
            0..=0x7f => 1,
            // 0x80 to 0xc1 begin no character in UTF-8.
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return None,
        };
        for index in 1..length {
            bytes.push(escaped_byte(rest.get(index * 3..)?)?);
        }
        let character = std::str::from_utf8(&bytes).ok()?;
        // Each byte has three characters: a percent sign and two digits.
        let source = &rest[..length * 3];
        decoded.push_str(if RESERVED.contains(character) {
            source
        } else {
            character
        });
        rest = &rest[length * 3..];
    }
    decoded.push_str(rest);
    Some(decoded.into())
}

fn escaped_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    let are_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    are_digits.then(|| u8::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_encoded_once() {
        assert_eq!(
            url("/tag/łódź/?a=1&b=[2]").as_deref(),
            Some("/tag/%C5%82%C3%B3d%C5%BA/?a=1&b=%5B2%5D")
        );
        assert_eq!(url("/%C5%82/%2F").as_deref(), Some("/%C5%82/%252F"));
        assert_eq!(url("/%%"), None);
        assert_eq!(url("/%80"), None);
    }

    #[test]
    fn components_keep_few_characters() {
        assert_eq!(
            url_component("Field & <'()*!~>"),
            "Field%20%26%20%3C'()*!~%3E"
        );
    }
}
