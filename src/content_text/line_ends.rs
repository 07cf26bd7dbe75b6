//! Line ends: files are read with `\n`, and written with their original ones.

use std::borrow::Cow;

use super::alignment;

/// The byte order mark.
pub const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the text as it is read: without a byte order mark, with `\n` as line end.
pub fn plain(text: &str) -> Cow<'_, str> {
    with_plain_line_ends(text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text))
}

/// Replaces line ends of Windows and classic Mac OS with `\n`, without changing line or column numbers.
pub fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").into()
    } else {
        text.into()
    }
}

/// Returns `edited`, an edit of [`plain`] `original`, with the byte order mark and the line ends of `original`. New lines get
/// its most frequent line end.
pub fn restored(original: &str, edited: &str) -> String {
    let text = original.strip_prefix(BYTE_ORDER_MARK);
    let mut restored = String::with_capacity(edited.len() + 3);
    if text.is_some() {
        restored.push(BYTE_ORDER_MARK);
    }
    let text = text.unwrap_or(original);
    // The usual case, which needs no comparison of lines.
    if !text.contains('\r') {
        restored.push_str(edited);
        return restored;
    }
    let original = lines(text);
    let edited = lines(edited);
    let count = |end: &str| original.iter().filter(|(_, own)| *own == end).count();
    let ends = ["\n", "\r\n", "\r"];
    let common = ends
        .into_iter()
        .max_by_key(|end| count(end))
        .unwrap_or("\n");
    let contents = |lines: &[(&'_ str, &'_ str)]| -> Vec<String> {
        lines.iter().map(|(line, _)| (*line).to_owned()).collect()
    };
    let mut own = alignment::matches(&contents(&original), &contents(&edited))
        .into_iter()
        .peekable();
    for (index, (line, end)) in edited.iter().enumerate() {
        restored.push_str(line);
        let original_end = own.next_if(|(_, edited)| *edited == index);
        let original_end = original_end.map(|(index, _)| original[index].1);
        let end = match (*end, original_end) {
            ("", _) => "",
            (_, Some(original_end)) if !original_end.is_empty() => original_end,
            _ => common,
        };
        // After `\r`, the `\n` of an empty line would become part of the same line end.
        let is_part = end == "\n" && line.is_empty() && restored.ends_with('\r');
        restored.push_str(if is_part { "\r" } else { end });
    }
    restored
}

/// Returns the lines of a text, each with its end.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let (line, behind) = rest.split_at(length);
        let bytes = match behind.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [_, ..] => 1,
            [] => 0,
        };
        lines.push((line, &behind[..bytes]));
        rest = &behind[bytes..];
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_byte_order_mark_stay() {
        for original in ["a\r\nb\nc\rd", "\u{feff}a\r\n\r\nb", "", "\r", "a\n"] {
            assert_eq!(restored(original, &plain(original)), original);
        }
        assert_eq!(
            restored("a\r\nb\r\nc\n", "a\nx\nc\ny\n"),
            "a\r\nx\r\nc\ny\r\n"
        );
    }

    #[test]
    fn empty_line_stays_one_behind_a_new_line() {
        let restored = restored("\nb\rc\rd", "a\n\nb\nc\nd");
        assert_eq!(restored, "a\r\rb\rc\rd");
        assert_eq!(plain(&restored), "a\n\nb\nc\nd");
    }
}
