//! Visible text: white space is collapsed, and removed at both ends of a line.
//!
//! A line continues into adjacent text as long as the elements between are known to be inline.
//! Fewer elements are inline than in browsers (Ghost 6.65, recorded): around a `mark`, for example,
//! white space is lost.

use std::borrow::Cow;

use crate::render::html_tree::{HtmlNodeKind, Node, Tree};

use super::style::Style;

/// Elements in which a line continues.
const INLINE_ELEMENTS: [&str; 25] = [
    "a", "abbr", "acronym", "b", "cite", "code", "del", "em", "i", "ins", "kbd", "label", "output",
    "q", "ruby", "s", "samp", "span", "strong", "sub", "sup", "time", "tt", "u", "var",
];

const BLANKS: [char; 3] = [' ', '\t', '\n'];

/// The lines of a tree: determines whether more text follows a text in its line.
pub(in crate::render) struct Lines {
    /// Whether text follows, by the number of a node; `None` until it is determined.
    has_text_after: Vec<Option<bool>>,
    /// Whether a node has been removed from the tree, by its number.
    is_taken: Vec<bool>,
}

impl Lines {
    pub(in crate::render) fn new(tree: &Tree) -> Self {
        Self {
            has_text_after: vec![None; tree.size()],
            is_taken: vec![false; tree.size()],
        }
    }

    /// Removes a node with its descendants from the tree.
    pub(in crate::render) fn take(&mut self, node: Node<'_>) {
        self.is_taken[node.number()] = true;
    }

    pub(in crate::render) fn is_taken(&self, node: Node<'_>) -> bool {
        self.is_taken[node.number()]
    }

    /// Returns the visible part of `text`, the content of `node`; empty if it is invisible.
    pub(in crate::render) fn shown<'t>(&mut self, node: Node<'t>, text: &'t str) -> Cow<'t, str> {
        let mut shown = collapsed(text);
        if shown.starts_with(' ') {
            let before = self.text_beside(node, LineSide::Before);
            if before.is_none_or(|before| before.ends_with(BLANKS)) {
                drop_first(&mut shown);
            }
        }
        if shown.ends_with(' ') && !self.has_text_after(node) {
            drop_last(&mut shown);
        }
        shown
    }

    fn has_text_after(&mut self, text: Node<'_>) -> bool {
        let mut visited = Vec::new();
        let mut node = text;
        let has_text = loop {
            if let Some(known) = self.has_text_after[node.number()] {
                break known;
            }
            visited.push(node.number());
            match self.node_beside(node, LineSide::After) {
                None => break false,
                Some((_, text)) if !text.trim_start_matches(['\r', ' ', '\t', '\n']).is_empty() => {
                    break true;
                }
                Some((blank, _)) => node = blank,
            }
        };
        // Every blank text on the way gets the result, so a long run of them takes linear time.
        for number in visited {
            self.has_text_after[number] = Some(has_text);
        }
        has_text
    }

    fn text_beside<'t>(&self, text: Node<'t>, side: LineSide) -> Option<&'t str> {
        self.node_beside(text, side).map(|(_, text)| text)
    }

    /// Returns the next text in the same line.
    fn node_beside<'t>(&self, text: Node<'t>, side: LineSide) -> Option<(Node<'t>, &'t str)> {
        let mut node = text;
        loop {
            // At the end of an element, a line always continues outside of it.
            node = loop {
                match self.sibling(node, side) {
                    Some(sibling) => break sibling,
                    None => node = node.parent()?,
                }
            };
            if !continues_in(node) {
                return None;
            }
            while let Some(child) = self.nearest_child(node, side) {
                node = child;
            }
            match node.kind() {
                HtmlNodeKind::Text(text) => return Some((node, text)),
                _ if node.is("br") => return None,
                _ => {}
            }
        }
    }

    fn sibling<'t>(&self, node: Node<'t>, side: LineSide) -> Option<Node<'t>> {
        let next = |node: &Node<'t>| match side {
            LineSide::Before => node.previous_sibling(),
            LineSide::After => node.next_sibling(),
        };
        std::iter::successors(next(&node), next).find(|sibling| !self.is_taken(*sibling))
    }

    fn nearest_child<'t>(&self, node: Node<'t>, side: LineSide) -> Option<Node<'t>> {
        // The content of a template is not shown, although it is in the tree.
        if node.is("template") {
            return None;
        }
        let nearest = match side {
            LineSide::Before => node.last_child(),
            LineSide::After => node.first_child(),
        }?;
        if self.is_taken(nearest) {
            self.sibling(nearest, side)
        } else {
            Some(nearest)
        }
    }
}

#[derive(Clone, Copy)]
enum LineSide {
    Before,
    After,
}

/// Returns whether a line continues in this node when entered from its sibling. Descendants are not
/// examined.
fn continues_in(node: Node<'_>) -> bool {
    let Some(name) = node.name() else {
        return true;
    };
    let is_known = || {
        INLINE_ELEMENTS
            .iter()
            .any(|known| name.eq_ignore_ascii_case(known))
    };
    Style::of(node).is_inline().unwrap_or_else(is_known)
}

/// Returns the text with one space instead of each run of white space, and without carriage
/// returns.
fn collapsed(text: &str) -> Cow<'_, str> {
    let is_plain = !text.contains(['\t', '\n', '\r']) && !text.contains("  ");
    if is_plain {
        return Cow::Borrowed(text);
    }
    let mut collapsed = String::with_capacity(text.len());
    let mut is_in_run = false;
    for character in text.chars().filter(|character| *character != '\r') {
        let is_blank = BLANKS.contains(&character);
        if !is_blank {
            collapsed.push(character);
        } else if !is_in_run {
            collapsed.push(' ');
        }
        is_in_run = is_blank;
    }
    Cow::Owned(collapsed)
}

fn drop_first(text: &mut Cow<'_, str>) {
    match text {
        Cow::Borrowed(text) => *text = &text[1..],
        Cow::Owned(text) => drop(text.remove(0)),
    }
}

fn drop_last(text: &mut Cow<'_, str>) {
    match text {
        Cow::Borrowed(text) => *text = &text[..text.len() - 1],
        Cow::Owned(text) => drop(text.pop()),
    }
}

/// A part of preformatted text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::render) enum TextPiece<'t> {
    Text(&'t str),
    Tab,
    LineBreak,
}

/// Returns the parts of a text whose white space is preserved.
pub(in crate::render) fn pieces(text: &str) -> impl Iterator<Item = TextPiece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, length) = match rest.as_bytes().first()? {
            b'\t' => (TextPiece::Tab, 1),
            b'\n' => (TextPiece::LineBreak, 1),
            b'\r' if rest.as_bytes().get(1) == Some(&b'\n') => (TextPiece::LineBreak, 2),
            _ => {
                let is_end = |position: &usize| {
                    matches!(rest.as_bytes()[*position], b'\t' | b'\n')
                        || rest[*position..].starts_with("\r\n")
                };
                let length = (1..rest.len())
                    // The boundary is checked first: `is_end` would panic inside a character.
                    .find(|position| rest.is_char_boundary(*position) && is_end(position));
                let length = length.unwrap_or(rest.len());
                (TextPiece::Text(&rest[..length]), length)
            }
        };
        rest = &rest[length..];
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_collapses_to_one_space() {
        assert_eq!(collapsed("a \t\r\n b\rc\u{a0} \u{c}d"), "a bc\u{a0} \u{c}d");
        assert!(matches!(collapsed(" a b "), Cow::Borrowed(" a b ")));
    }

    #[test]
    fn preformatted_text_is_split_at_tabs_and_line_ends() {
        let expected = [
            TextPiece::Text("a\rbé "),
            TextPiece::LineBreak,
            TextPiece::LineBreak,
            TextPiece::Tab,
            TextPiece::Text("c"),
        ];
        assert_eq!(pieces("a\rbé \r\n\n\tc").collect::<Vec<_>>(), expected);
        assert_eq!(pieces("").count(), 0);
    }
}
