//! The tokens of moment's formats.

/// The tokens of a format; a token comes before its own prefixes. Anything else in a format is text.
const TOKENS: [&str; 71] = [
    "Hmmss",
    "hmmss",
    "Hmm",
    "hmm",
    "Mo",
    "MMMM",
    "MMM",
    "MM",
    "M",
    "DDDo",
    "Do",
    "DDDD",
    "DDD",
    "DD",
    "D",
    "dddd",
    "ddd",
    "dd",
    "do",
    "d",
    "wo",
    "ww",
    "w",
    "Wo",
    "WW",
    "W",
    "Qo",
    "Q",
    "NNNNN",
    "NNNN",
    "NNN",
    "NN",
    "N",
    "YYYYYY",
    "YYYYY",
    "YYYY",
    "YY",
    "Y",
    "yyyy",
    "yyy",
    "yy",
    "yo",
    "y",
    "ggggg",
    "gggg",
    "gg",
    "GGGGG",
    "GGGG",
    "GG",
    "e",
    "E",
    "a",
    "A",
    "hh",
    "h",
    "HH",
    "H",
    "kk",
    "k",
    "mm",
    "m",
    "ss",
    "s",
    "x",
    "X",
    "zz",
    "z",
    "ZZ",
    "Z",
    "SSSSSSSSS",
    "S",
];

/// A part of a format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Piece<'f> {
    /// A token, which is replaced by a part of a date.
    Token(&'f str),
    /// Text that is written unchanged.
    Text(&'f str),
}

/// Splits a format into tokens and text. Text is anything in brackets, after a backslash, or not a token.
pub fn pieces(format: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(character) = rest.chars().next() {
        let length = if let Some(length) = bracketed(rest) {
            pieces.push(Piece::Text(&rest[1..length - 1]));
            length
        } else if character == '\\' {
            let after = &rest[1..];
            let length = token(after)
                .map_or_else(|| after.chars().next().map_or(0, char::len_utf8), str::len);
            pieces.push(Piece::Text(after[..length].trim_matches('\\')));
            length + 1
        } else if let Some(token) = token(rest) {
            pieces.push(Piece::Token(token));
            token.len()
        } else {
            let length = character.len_utf8();
            // The `.` in the expression of moment does not match a line break, which is thus
            // dropped.
            if character != '\n' {
                pieces.push(Piece::Text(&rest[..length]));
            }
            length
        };
        rest = &rest[length..];
    }
    pieces
}

/// Returns the length of the text in brackets at the start of `text`. It ends at the last `]` before the next `[`.
fn bracketed(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let end = inner.find('[').unwrap_or(inner.len());
    Some(inner[..end].rfind(']')? + 2)
}

/// Returns the token at the start of `text`.
fn token(text: &str) -> Option<&str> {
    if text.starts_with('S') {
        let length = text
            .bytes()
            .take(9)
            .take_while(|byte| *byte == b'S')
            .count();
        return Some(&text[..length]);
    }
    let first = text.bytes().next().filter(u8::is_ascii_alphabetic)?;
    // The first match wins, hence the order of the table.
    let mut tokens = TOKENS.iter();
    let token = tokens.find(|token| token.as_bytes()[0] == first && text.starts_with(**token))?;
    Some(&text[..token.len()])
}

/// Returns a format whose names of long formats, such as `LL`, are replaced by the formats.
pub fn expanded(format: &str, long_format: impl Fn(&str) -> Option<String>) -> String {
    let mut format = format.to_owned();
    // Long formats may contain long formats; like moment, expand them at most six times.
    for _ in 0..6 {
        let mut expanded = String::with_capacity(format.len());
        let mut rest = format.as_str();
        let mut is_changed = false;
        while let Some(character) = rest.chars().next() {
            let length = if let Some(length) = bracketed(rest) {
                expanded.push_str(&rest[..length]);
                length
            } else if let Some(name) = rest.strip_prefix('\\').and_then(long_name) {
                expanded.push_str(&rest[..name.len() + 1]);
                name.len() + 1
            } else if let Some(name) = long_name(rest) {
                expanded.push_str(&long_format(name).unwrap_or_else(|| name.to_owned()));
                is_changed = true;
                name.len()
            } else {
                expanded.push(character);
                character.len_utf8()
            };
            rest = &rest[length..];
        }
        if !is_changed {
            break;
        }
        format = expanded;
    }
    format
}

/// Returns the name of a long format at the start of `text`.
fn long_name(text: &str) -> Option<&str> {
    if !text.starts_with(['L', 'l']) {
        return None;
    }
    let names = [
        "LTS", "LT", "LLLL", "LLL", "LL", "L", "llll", "lll", "ll", "l",
    ];
    let name = names.into_iter().find(|name| text.starts_with(name))?;
    Some(&text[..name.len()])
}

/// Returns the short form of a long format, such as the format of `ll` for that of `LL`.
pub fn shortened(format: &str) -> String {
    let mut short = String::with_capacity(format.len());
    let mut rest = format;
    while let Some(character) = rest.chars().next() {
        let length = bracketed(rest)
            .or_else(|| token(rest).map(str::len))
            .unwrap_or(character.len_utf8());
        let piece = &rest[..length];
        short.push_str(if matches!(piece, "MMMM" | "MM" | "DD" | "dddd") {
            &piece[1..]
        } else {
            piece
        });
        rest = &rest[length..];
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_tokens_and_text() {
        use Piece::{Text, Token};
        assert_eq!(pieces("YYYY[W]WW"), [Token("YYYY"), Text("W"), Token("WW")]);
        assert_eq!(pieces("Do MMM"), [Token("Do"), Text(" "), Token("MMM")]);
        assert_eq!(pieces("\\YYYYY"), [Text("YYYYY")]);
        assert_eq!(
            pieces("[a] [b]c"),
            [Text("a"), Text(" "), Text("b"), Text("c")]
        );
    }

    #[test]
    fn long_formats_are_expanded_but_in_brackets() {
        let long = |name: &str| (name == "LT").then(|| "HH:mm".to_owned());
        assert_eq!(expanded("LT [LT] \\LT", long), "HH:mm [LT] \\LT");
        assert_eq!(shortened("dddd, D MMMM YYYY"), "ddd, D MMM YYYY");
    }
}
