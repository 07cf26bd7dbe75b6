//! Escaping of text and attribute values in HTML (HTML standard, "escaping a string").

use std::fmt;

use askama::filters::Escaper;
use memchr::memchr3;

/// The first byte of a no-break space in UTF-8. Other characters that begin with it are not
/// escaped.
const NO_BREAK_SPACE_LEAD: u8 = 0xC2;

/// Escapes values that templates insert as the text of an element.
#[derive(Clone, Copy)]
pub(crate) struct Text;

/// Escapes values that templates insert by `|e("attribute")` as the value of an attribute in double quotes.
#[derive(Clone, Copy)]
pub(crate) struct AttributeValue;

impl Escaper for Text {
    fn write_escaped_str<W: fmt::Write>(&self, mut html: W, text: &str) -> fmt::Result {
        let mut escaped = String::with_capacity(text.len());
        push_text(&mut escaped, text);
        html.write_str(&escaped)
    }
}

impl Escaper for AttributeValue {
    fn write_escaped_str<W: fmt::Write>(&self, mut html: W, value: &str) -> fmt::Result {
        let mut escaped = String::with_capacity(value.len());
        push_attribute_value(&mut escaped, value);
        html.write_str(&escaped)
    }
}

/// Appends `text` as the text of an element: `&`, `<`, `>` and no-break spaces are escaped.
pub(crate) fn push_text(html: &mut String, text: &str) {
    // A single search: with separate searches, a text full of one of the characters would take
    // quadratic time.
    push_escaped(html, text, |rest| {
        let is_special = |byte: &u8| matches!(*byte, b'<' | b'>' | b'&' | NO_BREAK_SPACE_LEAD);
        rest.iter().position(is_special).unwrap_or(rest.len())
    });
}

/// Appends `value` for an attribute in double quotes: `&`, `"` and no-break spaces are escaped,
/// angle brackets are not.
pub(crate) fn push_attribute_value(html: &mut String, value: &str) {
    push_escaped(html, value, |rest| {
        memchr3(b'"', b'&', NO_BREAK_SPACE_LEAD, rest).unwrap_or(rest.len())
    });
}

/// Appends ` name="value"`.
pub(crate) fn push_attribute(html: &mut String, name: &str, value: &str) {
    html.push(' ');
    html.push_str(name);
    html.push_str("=\"");
    push_attribute_value(html, value);
    html.push('"');
}

/// Escapes the bytes that `next` finds. `next` returns the offset of the next one, or the length of
/// its argument if there is none.
fn push_escaped(html: &mut String, text: &str, next: impl Fn(&[u8]) -> usize) {
    let bytes = text.as_bytes();
    let mut copied = 0;
    let mut position = 0;
    while position < bytes.len() {
        position += next(&bytes[position..]);
        let (length, escape) = match bytes.get(position) {
            Some(b'&') => (1, "&amp;"),
            Some(b'<') => (1, "&lt;"),
            Some(b'>') => (1, "&gt;"),
            Some(b'"') => (1, "&quot;"),
            Some(&NO_BREAK_SPACE_LEAD) if bytes.get(position + 1) == Some(&0xA0) => (2, "&nbsp;"),
            Some(_) => {
                position += 1;
                continue;
            }
            None => break,
        };
        html.push_str(&text[copied..position]);
        html.push_str(escape);
        position += length;
        copied = position;
    }
    html.push_str(&text[copied..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> String {
        let mut html = String::new();
        push_text(&mut html, text);
        html
    }

    fn attribute(value: &str) -> String {
        let mut html = String::new();
        push_attribute(&mut html, "title", value);
        html
    }

    #[test]
    fn quotes_stay_in_text_and_brackets_in_values() {
        assert_eq!(text("a & b < c > \"d\""), "a &amp; b &lt; c &gt; \"d\"");
        assert_eq!(
            attribute("a & b < c > \"d\""),
            " title=\"a &amp; b < c > &quot;d&quot;\""
        );
    }

    #[test]
    fn only_no_break_spaces_become_named_entities() {
        assert_eq!(text("\u{a0}§\u{a0}é©\u{a0}"), "&nbsp;§&nbsp;é©&nbsp;");
        assert_eq!(attribute("©\u{a0}"), " title=\"©&nbsp;\"");
    }

    #[test]
    fn text_without_special_characters_is_copied() {
        assert_eq!(text(""), "");
        assert_eq!(text("港 🚢 it's\u{1}"), "港 🚢 it's\u{1}");
    }
}
