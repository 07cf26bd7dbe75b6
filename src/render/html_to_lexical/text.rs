//! Texts of HTML as they show: blanks collapse, and go at both ends of a line.
//!
//! A line goes on into the text beside it as long as the elements between them are known to stand in
//! lines. Those elements are fewer than browsers know (Ghost 6.65, recorded): around a `mark` blanks
//! are lost.

use std::borrow::Cow;

use crate::render::html_tree::{Kind, Node, Tree};

use super::style::Style;

/// Elements in which a line goes on.
const IN_LINE: [&str; 25] = [
    "a", "abbr", "acronym", "b", "cite", "code", "del", "em", "i", "ins", "kbd", "label", "output",
    "q", "ruby", "s", "samp", "span", "strong", "sub", "sup", "time", "tt", "u", "var",
];

const BLANKS: [char; 3] = [' ', '\t', '\n'];

/// Knows of the texts of a tree which have more text behind them in their line.
pub(super) struct Lines {
    /// By the numbers of the texts, once it is known.
    has_text_behind: Vec<Option<bool>>,
    /// By the numbers of all nodes: whether something has taken them out of the tree.
    is_taken: Vec<bool>,
}

impl Lines {
    pub(super) fn new(tree: &Tree) -> Self {
        Self {
            has_text_behind: vec![None; tree.size()],
            is_taken: vec![false; tree.size()],
        }
    }

    /// Takes a node with all that is in it out of the tree.
    pub(super) fn take(&mut self, node: Node<'_>) {
        self.is_taken[node.number()] = true;
    }

    pub(super) fn is_taken(&self, node: Node<'_>) -> bool {
        self.is_taken[node.number()]
    }

    /// What shows of `text`, the content of `node`; empty when nothing does.
    pub(super) fn shown<'t>(&mut self, node: Node<'t>, text: &'t str) -> Cow<'t, str> {
        let mut shown = collapsed(text);
        if shown.starts_with(' ') {
            let before = self.text_beside(node, Side::Before);
            if before.is_none_or(|before| before.ends_with(BLANKS)) {
                drop_first(&mut shown);
            }
        }
        if shown.ends_with(' ') && !self.has_text_behind(node) {
            drop_last(&mut shown);
        }
        shown
    }

    fn has_text_behind(&mut self, text: Node<'_>) -> bool {
        let mut passed = Vec::new();
        let mut node = text;
        let has_text = loop {
            if let Some(known) = self.has_text_behind[node.number()] {
                break known;
            }
            passed.push(node.number());
            match self.node_beside(node, Side::Behind) {
                None => break false,
                Some((_, text)) if !text.trim_start_matches(['\r', ' ', '\t', '\n']).is_empty() => {
                    break true;
                }
                Some((blank, _)) => node = blank,
            }
        };
        for number in passed {
            self.has_text_behind[number] = Some(has_text);
        }
        has_text
    }

    fn text_beside<'t>(&self, text: Node<'t>, side: Side) -> Option<&'t str> {
        self.node_beside(text, side).map(|(_, text)| text)
    }

    /// The next text in the same line.
    fn node_beside<'t>(&self, text: Node<'t>, side: Side) -> Option<(Node<'t>, &'t str)> {
        let mut node = text;
        loop {
            // Out of elements a line always goes on.
            node = loop {
                match self.sibling(node, side) {
                    Some(sibling) => break sibling,
                    None => node = node.parent()?,
                }
            };
            if !goes_on_in(node) {
                return None;
            }
            while let Some(child) = self.nearest_child(node, side) {
                node = child;
            }
            match node.kind() {
                Kind::Text(text) => return Some((node, text)),
                _ if node.is("br") => return None,
                _ => {}
            }
        }
    }

    fn sibling<'t>(&self, node: Node<'t>, side: Side) -> Option<Node<'t>> {
        let next = |node: &Node<'t>| match side {
            Side::Before => node.previous_sibling(),
            Side::Behind => node.next_sibling(),
        };
        std::iter::successors(next(&node), next).find(|sibling| !self.is_taken(*sibling))
    }

    fn nearest_child<'t>(&self, node: Node<'t>, side: Side) -> Option<Node<'t>> {
        if node.is("template") {
            return None;
        }
        let nearest = match side {
            Side::Before => node.last_child(),
            Side::Behind => node.first_child(),
        }?;
        if self.is_taken(nearest) {
            self.sibling(nearest, side)
        } else {
            Some(nearest)
        }
    }
}

#[derive(Clone, Copy)]
enum Side {
    Before,
    Behind,
}

/// Whether a line goes on in this node, entered from beside it. What lies deeper is not asked.
fn goes_on_in(node: Node<'_>) -> bool {
    let Some(name) = node.name() else {
        return true;
    };
    let is_known = || IN_LINE.iter().any(|known| name.eq_ignore_ascii_case(known));
    Style::of(node).is_inline().unwrap_or_else(is_known)
}

/// The text with each run of blanks as one space, and without carriage returns.
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

/// What preformatted text consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    Tab,
    LineBreak,
}

/// The pieces of a text whose blanks are kept.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, length) = match rest.as_bytes().first()? {
            b'\t' => (Piece::Tab, 1),
            b'\n' => (Piece::LineBreak, 1),
            b'\r' if rest.as_bytes().get(1) == Some(&b'\n') => (Piece::LineBreak, 2),
            _ => {
                let is_end = |place: &usize| {
                    matches!(rest.as_bytes()[*place], b'\t' | b'\n')
                        || rest[*place..].starts_with("\r\n")
                };
                let length =
                    (1..rest.len()).find(|place| rest.is_char_boundary(*place) && is_end(place));
                let length = length.unwrap_or(rest.len());
                (Piece::Text(&rest[..length]), length)
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
    fn runs_of_blanks_are_one_space() {
        assert_eq!(collapsed("a \t\r\n b\rc\u{a0} \u{c}d"), "a bc\u{a0} \u{c}d");
        assert!(matches!(collapsed(" a b "), Cow::Borrowed(" a b ")));
    }

    #[test]
    fn preformatted_text_is_cut_at_tabs_and_line_ends() {
        let expected = [
            Piece::Text("a\rbé "),
            Piece::LineBreak,
            Piece::LineBreak,
            Piece::Tab,
            Piece::Text("c"),
        ];
        assert_eq!(pieces("a\rbé \r\n\n\tc").collect::<Vec<_>>(), expected);
        assert_eq!(pieces("").count(), 0);
    }
}
