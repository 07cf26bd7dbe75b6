//! URLs and titles of links, in definitions and in text (CommonMark, "Links").

use std::borrow::Cow;

use super::entities;

/// Maximum depth of nested parentheses in a URL.
const PARENTHESES_MAX: usize = 32;

/// The result of a search for the end of a title.
pub(super) enum Scan {
    /// The title, and the position after its end.
    End(String, usize),
    /// An unfinished title: its text so far, and the mark that ends it.
    Open(String, u8),
    None,
}

/// Returns the URL at `start`, and the position after it.
pub(super) fn destination(text: &str, start: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    if bytes.get(start) == Some(&b'<') {
        return bracketed_destination(text, start + 1);
    }
    let mut open = 0;
    let mut position = start;
    while let Some(byte) = bytes.get(position) {
        match byte {
            b'\\' if bytes.get(position + 1).is_some_and(|next| *next != b' ') => position += 1,
            // White space and control characters end a URL (CommonMark, "Link destinations").
            ..=b' ' | 0x7f => break,
            b'(' => {
                open += 1;
                if open > PARENTHESES_MAX {
                    return None;
                }
            }
            b')' if open == 0 => break,
            b')' => open -= 1,
            _ => {}
        }
        position += 1;
    }
    let position = text.ceil_char_boundary(position);
    let is_complete = position > start && open == 0;
    is_complete.then(|| (unescaped(&text[start..position]).into_owned(), position))
}

fn bracketed_destination(text: &str, start: usize) -> Option<(String, usize)> {
    let bytes = text.as_bytes();
    let mut position = start;
    while let Some(byte) = bytes.get(position) {
        match byte {
            b'\n' | b'<' => return None,
            b'>' => {
                let url = unescaped(&text[start..position]).into_owned();
                return Some((url, position + 1));
            }
            b'\\' if position + 1 < bytes.len() => position += 2,
            _ => position += 1,
        }
    }
    None
}

/// Returns the title in quotes or parentheses at `start`.
pub(super) fn title(text: &str, start: usize) -> Scan {
    match text.as_bytes().get(start) {
        Some(mark @ (b'"' | b'\'')) => title_until(text, start + 1, *mark),
        Some(b'(') => title_until(text, start + 1, b')'),
        _ => Scan::None,
    }
}

/// Returns the rest of a title that ends with `mark`.
pub(super) fn title_until(text: &str, start: usize, mark: u8) -> Scan {
    let bytes = text.as_bytes();
    let mut position = start;
    while let Some(byte) = bytes.get(position) {
        match byte {
            byte if *byte == mark => {
                let title = unescaped(&text[start..position]).into_owned();
                return Scan::End(title, position + 1);
            }
            // A title in parentheses contains no unescaped one (CommonMark, "Link titles").
            b'(' if mark == b')' => return Scan::None,
            b'\\' if position + 1 < bytes.len() => position += 2,
            _ => position += 1,
        }
    }
    Scan::Open(unescaped(&text[start..]).into_owned(), mark)
}

/// Returns `text` without backslashes before punctuation, and with entities decoded.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    let mut unescaped = String::new();
    let mut rest = text;
    while let Some(position) = memchr::memchr2(b'\\', b'&', rest.as_bytes()) {
        unescaped.push_str(&rest[..position]);
        rest = &rest[position..];
        let (decoded, length) = if let Some(entity) = entities::in_attribute(rest) {
            entity
        } else {
            let is_escape = rest[1..].starts_with(|c: char| c.is_ascii_punctuation());
            let escape = is_escape && rest.starts_with('\\');
            let start = usize::from(escape);
            (Cow::Borrowed(&rest[start..=start]), start + 1)
        };
        unescaped.push_str(&decoded);
        rest = &rest[length..];
    }
    if rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    unescaped.push_str(rest);
    Cow::Owned(unescaped)
}
