//! Escapes untrusted text for terminals and logs.
//!
//! File names, values from content files, responses of other hosts and output of other programs may contain characters that
//! control a terminal, begin a line, or reorder text: the control characters of ASCII and Latin-1 (U+0080 to U+009F), line
//! and paragraph separators, and bidirectional controls. They are shown as Rust escape sequences, such as `\u{1b}` and `\n`.

use std::{
    borrow::Cow,
    fmt::{self, Display, Write},
};

/// Returns whether a character is a control character for terminals and browsers.
pub fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Returns `text` on one line, with all control characters escaped.
pub fn line(text: &str) -> Cow<'_, str> {
    replaced(text, is_control, |character, escaped| {
        write!(escaped, "{}", character.escape_default())
    })
}

/// Returns `text` with line breaks and tabs unchanged and all other control characters escaped.
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_escaped = |character| is_control(character) && !matches!(character, '\n' | '\t');
    replaced(text, is_escaped, |character, escaped| {
        write!(escaped, "{}", character.escape_default())
    })
}

/// Returns the JSON text `text` with the same values, and with control characters in its strings escaped as in JSON.
pub fn json(text: &str) -> Cow<'_, str> {
    // White space is the layout of the document: in strings, JSON has escaped it already.
    let is_escaped = |character| is_control(character) && !character.is_ascii_whitespace();
    replaced(text, is_escaped, |character, escaped| {
        // Four digits suffice, because no control character is above U+FFFF.
        write!(escaped, "\\u{:04x}", u32::from(character))
    })
}

/// Displays a value on one line.
pub struct Line<T>(pub T);

impl<T: Display> Display for Line<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&line(&self.0.to_string()))
    }
}

fn replaced(
    text: &str,
    is_escaped: impl Fn(char) -> bool,
    escape: impl Fn(char, &mut String) -> fmt::Result,
) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_escaped(character) {
            // Writing to a string cannot fail.
            let _ = escape(character, &mut escaped);
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_are_shown_and_other_texts_are_as_they_were() {
        let hostile = "a\u{1b}[2J\r\n\tb\u{9b}1m\u{202e}c\u{2066}\u{2028}\u{7f}";
        assert_eq!(
            line(hostile),
            r"a\u{1b}[2J\r\n\tb\u{9b}1m\u{202e}c\u{2066}\u{2028}\u{7f}"
        );
        assert_eq!(lines("a\n\tb\r\u{1b}"), "a\n\tb\\r\\u{1b}");
        for text in ["", "Grüße, 日本語 🚢 \\n", "שלום"] {
            assert!(matches!(line(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn json_keeps_its_values() {
        let value = serde_json::json!({"name": "\u{1b}\u{9b}\u{202e}\u{7f}\n"});
        let text = serde_json::to_string_pretty(&value).unwrap();
        let shown = json(&text);
        assert!(!shown.contains(|character| is_control(character) && character != '\n'));
        let read: serde_json::Value = serde_json::from_str(&shown).unwrap();
        assert_eq!(read, value);
    }
}
