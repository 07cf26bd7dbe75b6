//! Documents are JSON texts.

use serde_json::Value;

use super::DocumentError;

/// Stands for half of a surrogate pair, as it does when JavaScript writes such a text as UTF-8.
const REPLACEMENT: &str = "\\ufffd";

/// Reads the JSON in `text`. An escaped half of a surrogate pair, which JavaScript takes and
/// editors leave behind when they cut an emoji, becomes U+FFFD.
pub(super) fn parse(text: &str) -> Result<Value, DocumentError> {
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok(value),
        Err(error) => DocumentError::NotJson(error.to_string()),
    };
    let repaired = without_lone_surrogates(text).ok_or(error)?;
    serde_json::from_str(&repaired).map_err(|error| DocumentError::NotJson(error.to_string()))
}

/// Replaces escapes of half surrogate pairs; `None` when there are none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut repaired = String::new();
    let mut copied = 0;
    let mut position = 0;
    while let Some(offset) = memchr::memchr(b'\\', &text.as_bytes()[position..]) {
        let start = position + offset;
        // One backslash escapes the next.
        position = (start + 2).min(text.len());
        match escaped_unit(text, start) {
            Some(0xD800..=0xDBFF) if is_low_surrogate(escaped_unit(text, start + 6)) => {
                position = start + 12;
            }
            Some(0xD800..=0xDFFF) => {
                repaired.push_str(&text[copied..start]);
                repaired.push_str(REPLACEMENT);
                position = start + 6;
                copied = position;
            }
            _ => {}
        }
    }
    if copied == 0 {
        return None;
    }
    repaired.push_str(&text[copied..]);
    Some(repaired)
}

fn is_low_surrogate(unit: Option<u16>) -> bool {
    matches!(unit, Some(0xDC00..=0xDFFF))
}

/// The UTF-16 unit that is escaped at `start`.
fn escaped_unit(text: &str, start: usize) -> Option<u16> {
    let digits = text.get(start..start + 6)?.strip_prefix("\\u")?;
    digits
        .bytes()
        .all(|digit| digit.is_ascii_hexdigit())
        .then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_pair_is_replaced_and_a_whole_one_is_not() {
        for (text, read) in [
            (r#""a\ud83db""#, "a\u{fffd}b"),
            (r#""\ude00""#, "\u{fffd}"),
            (r#""\ud83d\ude00 \ud83d""#, "😀 \u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d \ude00""#, "\\ud83d \u{fffd}"),
            (r#""\uD83D\n""#, "\u{fffd}\n"),
        ] {
            assert_eq!(parse(text), Ok(Value::from(read)), "{text}");
        }
    }

    #[test]
    fn other_faults_are_told() {
        for text in [
            "",
            "{",
            r#""\ud83"#,
            r#""\ud83d"#,
            "\"\\",
            "\"\\é",
            "[1e999]",
        ] {
            assert!(
                matches!(parse(text), Err(DocumentError::NotJson(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(&nested(crate::render::lexical::NESTING_MAX)).is_ok());
        assert!(parse(&nested(crate::render::lexical::NESTING_MAX + 1)).is_err());
    }
}
