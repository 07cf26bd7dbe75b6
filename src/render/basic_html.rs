//! Single-line HTML, as in captions and labels.

use super::html_tree::{HtmlNodeKind, Node, Serialization, parse_fragment};

/// Returns the HTML as one line: line breaks become spaces, and elements without visible text are
/// omitted.
///
/// The HTML must be serialised from a tree (`Node::push_inner_html`).
pub(super) fn clean(html: &str) -> String {
    let line = one_line(html);
    let line = line.trim();
    // Ghost's cleaner removes one no-break space at the beginning, and none at the end.
    let line = line.strip_prefix("&nbsp;").unwrap_or(line);
    let mut cleaned = String::new();
    let tree = parse_fragment(line);
    tree.root().push_filtered_html(&mut cleaned, serialization);
    cleaned.trim().to_owned()
}

/// Returns the HTML with spaces instead of line breaks, and one space instead of each run of white
/// space.
fn one_line(html: &str) -> String {
    let html = html.replace("<br>", " ");
    let mut line = String::with_capacity(html.len());
    let mut rest = &html[..];
    while let Some(character) = rest.chars().next() {
        let blank = blank_length(rest);
        let mut run = blank;
        while run > 0 && blank_length(&rest[run..]) > 0 {
            run += blank_length(&rest[run..]);
        }
        let (shown, length) = match run {
            0 => (&rest[..character.len_utf8()], character.len_utf8()),
            // A single blank stays as it is, even a line feed or a no-break space.
            _ if run == blank => (&rest[..run], run),
            _ => (" ", run),
        };
        line.push_str(shown);
        rest = &rest[length..];
    }
    line
}

/// Returns the length in bytes of the white space character that `html` begins with; 0 without one.
fn blank_length(html: &str) -> usize {
    if html.starts_with("&nbsp;") {
        return "&nbsp;".len();
    }
    let blank = html
        .chars()
        .next()
        .filter(|character| character.is_whitespace());
    blank.map_or(0, char::len_utf8)
}

/// Returns how an element is written: elements without visible text are omitted, but leave one space if they contain white
/// space.
fn serialization(element: Node<'_>) -> Serialization {
    // The editor marks the position of its cursor by a zero-width non-joiner.
    let is_blank = |character: char| character.is_whitespace() || character == '\u{200c}';
    let mut without_text = Serialization::Nothing;
    for node in element.descendants() {
        match node.kind() {
            HtmlNodeKind::Text(text) if !text.chars().all(is_blank) => {
                return Serialization::Element;
            }
            HtmlNodeKind::Text(_) => without_text = Serialization::Space,
            _ => {}
        }
    }
    without_text
}
