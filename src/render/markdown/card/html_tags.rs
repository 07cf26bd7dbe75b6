//! HTML tags in Markdown (CommonMark, "Raw HTML").

use crate::render::heading_id::is_blank;

/// Returns the length of the opening or closing tag at the start of `text`, in bytes.
pub(super) fn length(text: &str) -> Option<usize> {
    let after = text.strip_prefix('<')?;
    let is_closing = after.starts_with('/');
    let name = after.strip_prefix('/').unwrap_or(after);
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut rest = name.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '-');
    if !is_closing {
        while let Some(after_attribute) = attribute(rest) {
            rest = after_attribute;
        }
    }
    rest = rest.trim_start_matches(is_blank);
    if !is_closing {
        rest = rest.strip_prefix('/').unwrap_or(rest);
    }
    let rest = rest.strip_prefix('>')?;
    Some(text.len() - rest.len())
}

/// Returns the text after an attribute, which must be preceded by white space.
fn attribute(text: &str) -> Option<&str> {
    let name = text.trim_start_matches(is_blank);
    let is_start = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | ':');
    if name.len() == text.len() || !name.starts_with(is_start) {
        return None;
    }
    let is_inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
    let rest = name.trim_start_matches(is_inside);
    let value = rest.trim_start_matches(is_blank).strip_prefix('=');
    let after_value = value.and_then(|value| attribute_value(value.trim_start_matches(is_blank)));
    Some(after_value.unwrap_or(rest))
}

/// Returns the text after an attribute value.
fn attribute_value(text: &str) -> Option<&str> {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let value = &text[1..];
        return value.find(quote).map(|end| &value[end + 1..]);
    }
    let is_end = |c: char| c <= ' ' || "\"'=<>`".contains(c);
    let end = text.find(is_end).unwrap_or(text.len());
    (end > 0).then(|| &text[end..])
}
