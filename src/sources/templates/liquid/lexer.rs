//! The tags of a text, in order.

use crate::sources::templates::Family;

/// Longest tag, in bytes. What goes on longer is taken for plain text.
const TAG_BYTES_MAX: usize = 10_000;

/// A tag.
#[derive(Clone)]
pub struct Tag<'t> {
    pub start: usize,
    pub end: usize,
    pub kind: TagKind<'t>,
    /// Whether it takes away the spaces before it: `{%-`.
    pub trims_before: bool,
    /// Whether it takes away the spaces behind it: `-%}`.
    pub trims_after: bool,
}

/// What a tag is.
#[derive(Clone, Copy)]
pub enum TagKind<'t> {
    /// `{{ value }}`.
    Value(&'t str),
    /// `{% name arguments %}`.
    Tag { name: &'t str, arguments: &'t str },
    /// `{% raw %}` to `{% endraw %}`: this is shown.
    Raw(&'t str),
    /// `{% comment %}` to `{% endcomment %}`, or another comment.
    Comment,
}

/// Returns them.
pub fn all(text: &str, family: Family) -> Vec<Tag<'_>> {
    let mut lexer = Lexer {
        text,
        family,
        missing_ends: Vec::new(),
    };
    let mut found = Vec::new();
    let mut place = 0;
    while let Some(next) = text[place..].find('{') {
        let start = place + next;
        match lexer.at(start) {
            Some(tag) => {
                place = tag.end;
                found.push(tag);
            }
            None => place = start + 1,
        }
    }
    found
}

struct Lexer<'t> {
    text: &'t str,
    family: Family,
    /// Closing tags that do not come any more.
    missing_ends: Vec<&'static str>,
}

impl<'t> Lexer<'t> {
    /// The tag that starts at this place.
    fn at(&mut self, start: usize) -> Option<Tag<'t>> {
        let rest = &self.text[start..];
        let (close, is_value) = match rest.as_bytes().get(1)? {
            b'{' => ("}}", true),
            b'%' => ("%}", false),
            b'#' if self.family == Family::Eleventy && rest[2..].starts_with([' ', '\n', '-']) => {
                let window = &rest[..rest.floor_char_boundary(TAG_BYTES_MAX)];
                let end = start + window.find("#}")? + 2;
                return Some(Tag {
                    start,
                    end,
                    kind: TagKind::Comment,
                    trims_before: false,
                    trims_after: false,
                });
            }
            _ => return None,
        };
        let window = &rest[2..rest.floor_char_boundary(TAG_BYTES_MAX)];
        let length = window.find(close)?;
        // Another tag begins before this one ends.
        if window[..length].contains("{%") {
            return None;
        }
        let end = start + 2 + length + 2;
        let written = &window[..length];
        let (trims_before, trims_after) = (
            written.starts_with('-'),
            written.len() > 1 && written.ends_with('-'),
        );
        let inside = written.strip_prefix(['-', '+']).unwrap_or(written);
        let inside = inside.strip_suffix('-').unwrap_or(inside).trim();
        let tag = |kind, end| Tag {
            start,
            end,
            kind,
            trims_before,
            trims_after,
        };
        if is_value {
            return Some(tag(TagKind::Value(inside), end));
        }
        let name_length = inside
            .find(|letter: char| letter.is_whitespace() || "(\"'".contains(letter))
            .unwrap_or(inside.len());
        let (name, arguments) = inside.split_at(name_length);
        let arguments = arguments.trim();
        let arguments = match arguments.strip_prefix('(') {
            Some(inside) => inside.strip_suffix(')').unwrap_or(arguments),
            None => arguments,
        };
        match name {
            "" => None,
            "raw" | "verbatim" => {
                let closing = if name == "raw" {
                    "endraw"
                } else {
                    "endverbatim"
                };
                match self.end_of(end, closing) {
                    Some((inside_end, end)) => Some(tag(
                        TagKind::Raw(&self.text[tag_end(self.text, start)..inside_end]),
                        end,
                    )),
                    None => Some(tag(TagKind::Tag { name, arguments }, end)),
                }
            }
            "comment" => match self.end_of(end, "endcomment") {
                Some((_, end)) => Some(tag(TagKind::Comment, end)),
                None => Some(tag(TagKind::Tag { name, arguments }, end)),
            },
            _ if name.starts_with('#') => Some(tag(TagKind::Comment, end)),
            _ => Some(tag(TagKind::Tag { name, arguments }, end)),
        }
    }

    /// Where the tag `{% name %}` begins behind this place, and where it ends.
    fn end_of(&mut self, from: usize, name: &'static str) -> Option<(usize, usize)> {
        if self.missing_ends.contains(&name) {
            return None;
        }
        let mut place = from;
        while let Some(found) = self.text[place..].find("{%") {
            let start = place + found;
            let inside = self.text[start + 2..]
                .trim_start_matches(['-', '+'])
                .trim_start();
            if let Some(after) = inside.strip_prefix(name) {
                let after = after.trim_start().trim_start_matches('-');
                if let Some(rest) = after.strip_prefix("%}") {
                    return Some((start, self.text.len() - rest.len()));
                }
            }
            place = start + 2;
        }
        self.missing_ends.push(name);
        None
    }
}

/// Where the tag ends that starts at this place.
fn tag_end(text: &str, start: usize) -> usize {
    text[start..]
        .find("%}")
        .map_or(text.len(), |found| start + found + 2)
}
