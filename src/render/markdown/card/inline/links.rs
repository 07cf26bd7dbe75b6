//! Links, images and footnotes in text.

use std::ops::Range;

use super::super::blocks::LinkTarget;
use super::super::links::{self as syntax, Scan};
use super::super::urls;
use super::{DEPTH_MAX, InlineParser, Token, parse, render_nested, writer};

/// Longest name in a reference to a footnote, in bytes.
const NAME_BYTES_MAX: usize = 999;

impl InlineParser<'_, '_, '_> {
    pub(super) fn link(&mut self, is_ahead: bool) -> bool {
        let Some(label) = self.label(self.position, false) else {
            return false;
        };
        let found = match self.inline_target(label.end + 1, true) {
            Target::Found(target, end) => Some((target, end)),
            Target::None(end) => self.reference_target(&label, end),
            Target::Unclosed => None,
        };
        let Some((LinkTarget { url, title }, end)) = found else {
            return false;
        };
        if !is_ahead {
            let outer_end = std::mem::replace(&mut self.end, label.end);
            self.position = label.start;
            self.open(Token::OpenLink { url, title });
            self.links += 1;
            self.read_to_end();
            self.links -= 1;
            self.close(Token::CloseLink);
            self.end = outer_end;
        }
        self.position = end;
        true
    }

    pub(super) fn image(&mut self, is_ahead: bool) -> bool {
        let bracket = self.position + 1;
        if self.text.as_bytes().get(bracket) != Some(&b'[') {
            return false;
        }
        let Some(label) = self.label(bracket, true) else {
            return false;
        };
        let bracket = label.end + 1;
        let found = match self.inline_target(bracket, false) {
            Target::Found(target, end) => Some((target, end)),
            // Unlike a link, an image that is followed by other parentheses has no name (Ghost's
            // parser).
            Target::None(end) if end == bracket => self.reference_target(&label, end),
            Target::None(_) | Target::Unclosed => None,
        };
        let Some((LinkTarget { url, title }, end)) = found else {
            return false;
        };
        if !is_ahead {
            let text = self.alternative_text(label.clone());
            self.push(Token::Image {
                url,
                title,
                text,
                written: label,
            });
        }
        self.position = end;
        true
    }

    fn alternative_text(&mut self, written: Range<usize>) -> String {
        let text = self.text;
        let written = &text[written];
        if self.depth >= DEPTH_MAX {
            return written.to_owned();
        }
        // Parsed for its effects as well: a footnote in it is listed (recorded:
        // `footnote/in-image`).
        let tokens = parse(written, self.context, self.depth + 1);
        writer::plain_text(written, &tokens)
    }

    pub(super) fn inline_footnote(&mut self, is_ahead: bool) -> bool {
        let bracket = self.position + 1;
        if self.depth >= DEPTH_MAX
            || bracket + 1 >= self.end
            || self.text.as_bytes()[bracket] != b'['
        {
            return false;
        }
        let Some(label) = self.label(bracket, true) else {
            return false;
        };
        if !is_ahead {
            let (index, link) = self.context.footnotes.add_inline();
            let text = self.text;
            let content = render_nested(&text[label.clone()], self.context, self.depth + 1);
            self.context.footnotes.define_inline(index, &content.html);
            self.push(Token::Footnote(link));
        }
        self.position = label.end + 1;
        true
    }

    pub(super) fn footnote_reference(&mut self, is_ahead: bool) -> bool {
        let rest = &self.text[self.position..self.end];
        let Some(after) = rest.strip_prefix("[^") else {
            return false;
        };
        let window = &after.as_bytes()[..after.len().min(NAME_BYTES_MAX)];
        let end = memchr::memchr3(b' ', b'\n', b']', window);
        let Some(end) = end.filter(|end| window[*end] == b']') else {
            return false;
        };
        let name = &after[..end];
        if !self.context.definitions.footnotes.contains(name) {
            return false;
        }
        if !is_ahead {
            // The stored name lives as long as the source, unlike the part of this block's text.
            let names = &self.context.definitions.footnotes;
            if let Some(name) = names.get(name) {
                let link = self.context.footnotes.refer(name);
                self.push(Token::Footnote(link));
            }
        }
        self.position += name.len() + "[^]".len();
        true
    }

    /// Returns the range between the bracket at `bracket` and the one that closes it. If
    /// `has_links`, it may contain links.
    fn label(&mut self, bracket: usize, has_links: bool) -> Option<Range<usize>> {
        // The scan moves the position, but only the caller knows whether a link is complete.
        let start = std::mem::replace(&mut self.position, bracket + 1);
        let end = self.label_end(has_links);
        self.position = start;
        end.map(|end| bracket + 1..end)
    }

    fn label_end(&mut self, has_links: bool) -> Option<usize> {
        let mut open = 1;
        while self.position < self.end {
            let byte = self.text.as_bytes()[self.position];
            if byte == b']' {
                open -= 1;
                if open == 0 {
                    return Some(self.position);
                }
            }
            let start = self.position;
            self.skip();
            if byte == b'[' {
                // If the scan moved by more than the bracket, a link or a footnote begins there.
                if self.position == start + 1 {
                    open += 1;
                } else if !has_links {
                    return None;
                }
            }
        }
        None
    }

    /// Parses the target in the parentheses at `start`. If `is_link`, a title must follow a URL.
    fn inline_target(&self, start: usize, is_link: bool) -> Target {
        let text = &self.text[..self.end];
        if !text[start..].starts_with('(') {
            return Target::None(start);
        }
        let mut position = white_space_end(text, start + 1);
        if position == text.len() {
            return Target::Unclosed;
        }
        let mut target = LinkTarget {
            url: String::new(),
            title: String::new(),
        };
        let destination = syntax::destination(text, position);
        let may_have_title = destination.is_some() || !is_link;
        if let Some((url, end)) = destination
            && let Some(url) = urls::for_attribute(&url)
        {
            (target.url, position) = (url, end);
        }
        if may_have_title {
            let title_start = white_space_end(text, position);
            let has_gap = title_start > position;
            position = title_start;
            if let Scan::End(title, end) = syntax::title(text, title_start)
                && has_gap
            {
                target.title = title;
                position = white_space_end(text, end);
            }
        }
        match text[position..].chars().next() {
            Some(')') => Target::Found(target, position + 1),
            // Ghost's parser looks for a name after this character.
            Some(other) => Target::None(position + other.len_utf8()),
            None => Target::None(position),
        }
    }

    /// Returns the target of a link that refers to a definition by the name in brackets at
    /// `bracket`, or by its label. Also returns the position after the link.
    fn reference_target(
        &mut self,
        label: &Range<usize>,
        bracket: usize,
    ) -> Option<(LinkTarget, usize)> {
        // Most cards define no links, and the search for a name would scan ahead for nothing.
        if !self.context.definitions.has_links() {
            return None;
        }
        let has_bracket = self.text[bracket..self.end].starts_with('[');
        let name = if has_bracket {
            self.label(bracket, true)
        } else {
            None
        };
        let end = name.as_ref().map_or(label.end + 1, |name| name.end + 1);
        let name = name.filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| label.clone());
        let target = self.context.definitions.link(&self.text[name])?;
        Some((target.clone(), end))
    }
}

/// The target of a link, after its text.
enum Target {
    /// The target, and the position after it.
    Found(LinkTarget, usize),
    /// No target, and the position at which a name may follow.
    None(usize),
    /// The text ends before the target.
    Unclosed,
}

/// Returns the position after white space.
fn white_space_end(text: &str, start: usize) -> usize {
    let rest = text[start..].trim_start_matches([' ', '\t', '\n']);
    text.len() - rest.len()
}
