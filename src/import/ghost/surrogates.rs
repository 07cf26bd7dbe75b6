//! Halves of characters: programs that cut texts by their length in UTF-16 leave them behind, and JSON can write them.

/// What stands in the place of half a character: U+FFFD.
const REPLACEMENT: &[u8; 6] = b"\\ufffd";

/// The JSON with each escaped half of a character replaced; `None` when there is none.
pub fn mended(json: &[u8]) -> Option<Vec<u8>> {
    let mut mended: Option<Vec<u8>> = None;
    let mut position = 0;
    while let Some(backslash) = memchr::memchr(b'\\', &json[position..]) {
        let place = position + backslash;
        position = match half(json, place) {
            // Whatever is escaped: the second byte begins nothing.
            None => place + 2,
            Some(Half::First) if half(json, place + 6) == Some(Half::Second) => place + 12,
            Some(_) => {
                let mended = mended.get_or_insert_with(|| json.to_vec());
                mended[place..place + 6].copy_from_slice(REPLACEMENT);
                place + 6
            }
        };
        if position >= json.len() {
            break;
        }
    }
    mended
}

#[derive(PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// Which half of a character is escaped at this place.
fn half(json: &[u8], place: usize) -> Option<Half> {
    let digits = json.get(place..place + 6)?.strip_prefix(b"\\u")?;
    match u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::First),
        0xDC00..=0xDFFF => Some(Half::Second),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str) -> Option<String> {
        mended(json.as_bytes()).map(|json| String::from_utf8(json).unwrap())
    }

    #[test]
    fn only_halves_are_replaced() {
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
