//! Replaces unpaired surrogates. Programs that truncate text by its length in UTF-16 produce them, and JSON
//! can escape them.

/// The replacement for an unpaired surrogate: U+FFFD.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// Returns the JSON with each unpaired surrogate replaced; `None` if there are none.
pub fn repaired(json: &[u8]) -> Option<Vec<u8>> {
    let mut repaired: Option<Vec<u8>> = None;
    let mut position = 0;
    while let Some(backslash) = memchr::memchr(b'\\', &json[position..]) {
        let offset = position + backslash;
        position = match surrogate_at(json, offset) {
            // Another escape. Its second byte, which may be a backslash, does not begin an escape.
            None => offset + 2,
            Some(Surrogate::High) if surrogate_at(json, offset + 6) == Some(Surrogate::Low) => {
                offset + 12
            }
            Some(_) => {
                let repaired = repaired.get_or_insert_with(|| json.to_vec());
                // The replacement is as long as the escape, so offsets in the original stay valid.
                repaired[offset..offset + 6].copy_from_slice(REPLACEMENT);
                offset + 6
            }
        };
        if position >= json.len() {
            break;
        }
    }
    repaired
}

#[derive(PartialEq, Eq)]
enum Surrogate {
    High,
    Low,
}

/// Returns the kind of the surrogate that is escaped at the byte `offset`.
fn surrogate_at(json: &[u8], offset: usize) -> Option<Surrogate> {
    let digits = json.get(offset..offset + 6)?.strip_prefix(b"\\u")?;
    match u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()? {
        0xD800..=0xDBFF => Some(Surrogate::High),
        0xDC00..=0xDFFF => Some(Surrogate::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        repaired(json.as_bytes()).map(|json| String::from_utf8(json).unwrap())
    }

    #[test]
    fn only_unpaired_surrogates_are_replaced() {
        assert_eq!(text(r#""plain""#), None);
        assert_eq!(text(r#""\ud83d\ude00 \\ud83d \u00e9""#), None);
        assert_eq!(text(r#""\ud83d""#).unwrap(), r#""\ufffd""#);
        assert_eq!(
            text(r#""\ude00\ud83d\ude00 \uD83D\n""#).unwrap(),
            r#""\ufffd\ud83d\ude00 \ufffd\n""#
        );
        assert_eq!(
            text(r#""\ud83d\ud83d\ude00""#).unwrap(),
            r#""\ufffd\ud83d\ude00""#
        );
        assert_eq!(text(r#""\"#), None);
    }
}
