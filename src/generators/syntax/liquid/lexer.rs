//! The lexer of Liquid.

use crate::generators::syntax::finder::MarkFinder;

/// Maximum length of a tag, in bytes. Longer ones are plain text.
const TAG_BYTES_MAX: usize = 10_000;

/// A tag.
#[derive(Clone)]
pub struct LiquidTag<'t> {
    pub start: usize,
    pub end: usize,
    pub kind: TagKind<'t>,
    /// Whether it trims white space before it: `{%-`.
    pub trims_before: bool,
    /// Whether it trims white space after it: `-%}`.
    pub trims_after: bool,
}

/// The kind of a tag.
#[derive(Clone, Copy)]
pub enum TagKind<'t> {
    /// `{{ value }}`.
    Value(&'t str),
    /// `{% name arguments %}`.
    Tag { name: &'t str, arguments: &'t str },
    /// `{% raw %}` to `{% endraw %}`: the text between is literal.
    Raw(&'t str),
    /// `{% comment %}` to `{% endcomment %}`, or another comment.
    Comment,
}

/// Returns all tags of a text, in the syntax of Nunjucks or Liquid.
pub fn all(text: &str, is_nunjucks: bool) -> Vec<LiquidTag<'_>> {
    let mut lexer = LiquidLexer {
        text,
        is_nunjucks,
        value_end: MarkFinder::new("}}"),
        tag_end: MarkFinder::new("%}"),
        tag_start: MarkFinder::new("{%"),
        comment_end: MarkFinder::new("#}"),
        missing_ends: Vec::new(),
    };
    let mut tags = Vec::new();
    let mut offset = 0;
    while let Some(next) = text[offset..].find('{') {
        let start = offset + next;
        match lexer.at(start) {
            Some(tag) => {
                offset = tag.end;
                tags.push(tag);
            }
            None => offset = start + 1,
        }
    }
    tags
}

struct LiquidLexer<'t> {
    text: &'t str,
    is_nunjucks: bool,
    value_end: MarkFinder,
    tag_end: MarkFinder,
    tag_start: MarkFinder,
    comment_end: MarkFinder,
    /// Closing tags that do not occur after the current position.
    missing_ends: Vec<&'static str>,
}

impl<'t> LiquidLexer<'t> {
    /// Returns the tag at the byte `start`.
    fn at(&mut self, start: usize) -> Option<LiquidTag<'t>> {
        let text = self.text;
        let inside_start = start + 2;
        let (inside_end, is_value) = match text.as_bytes().get(start + 1)? {
            b'{' => (self.value_end.find(text, inside_start)?, true),
            b'%' => (self.tag_end.find(text, inside_start)?, false),
            b'#' => return self.comment(start),
            _ => return None,
        };
        // If another tag begins before the end mark, this one is not closed.
        let other = self.tag_start.find(text, inside_start);
        if inside_end - inside_start > TAG_BYTES_MAX
            || other.is_some_and(|other| other < inside_end)
        {
            return None;
        }
        let end = inside_end + 2;
        let written = &text[inside_start..inside_end];
        let tag = LiquidTag {
            start,
            end,
            kind: TagKind::Comment,
            trims_before: written.starts_with('-'),
            // A single `-` is at the beginning.
            trims_after: written.len() > 1 && written.ends_with('-'),
        };
        // `+` is the mark of Nunjucks and Jinja against trimming.
        let inside = written.strip_prefix(['-', '+']).unwrap_or(written);
        let inside = inside.strip_suffix('-').unwrap_or(inside).trim();
        if is_value {
            let kind = TagKind::Value(inside);
            return Some(LiquidTag { kind, ..tag });
        }
        self.named(tag, inside)
    }

    /// Parses a comment of Nunjucks, `{# … #}`. In Markdown, `{#id}` is an attribute list.
    fn comment(&mut self, start: usize) -> Option<LiquidTag<'t>> {
        let inside = &self.text[start + 2..];
        if !self.is_nunjucks || !inside.starts_with([' ', '\n', '-']) {
            return None;
        }
        let end = self.comment_end.find(self.text, start + 2)? + 2;
        (end - start <= TAG_BYTES_MAX).then_some(LiquidTag {
            start,
            end,
            kind: TagKind::Comment,
            trims_before: false,
            trims_after: false,
        })
    }

    /// Parses a tag from the text inside it, with its content if that is literal.
    fn named(&mut self, tag: LiquidTag<'t>, inside: &'t str) -> Option<LiquidTag<'t>> {
        let name_length = inside
            .find(|character: char| character.is_whitespace() || "(\"'".contains(character))
            .unwrap_or(inside.len());
        let (name, arguments) = inside.split_at(name_length);
        let arguments = arguments.trim();
        let arguments = match arguments.strip_prefix('(') {
            Some(inside) => inside.strip_suffix(')').unwrap_or(arguments),
            None => arguments,
        };
        let closing = match name {
            "" => return None,
            "raw" => "endraw",
            "verbatim" => "endverbatim",
            "comment" => "endcomment",
            // `{% # … %}` is a comment.
            _ if name.starts_with('#') => return Some(tag),
            _ => "",
        };
        let content = match closing {
            "" => None,
            closing => self.end_of(tag.end, closing),
        };
        // Without its closing tag, `raw` is a tag like any other and is reported.
        let Some((content_end, end)) = content else {
            let kind = TagKind::Tag { name, arguments };
            return Some(LiquidTag { kind, ..tag });
        };
        let mut content = &self.text[tag.end..content_end];
        if tag.trims_after {
            content = content.trim_start();
        }
        if self.text[content_end..end].starts_with("{%-") {
            content = content.trim_end();
        }
        let kind = match name {
            "comment" => TagKind::Comment,
            _ => TagKind::Raw(content),
        };
        Some(LiquidTag {
            kind,
            end,
            trims_after: self.text[..end].ends_with("-%}"),
            ..tag
        })
    }

    /// Returns the start and end of the next tag `{% name %}`.
    fn end_of(&mut self, from: usize, name: &'static str) -> Option<(usize, usize)> {
        if self.missing_ends.contains(&name) {
            return None;
        }
        let mut offset = from;
        while let Some(found) = self.text[offset..].find("{%") {
            let start = offset + found;
            let inside = self.text[start + 2..]
                .trim_start_matches(['-', '+'])
                .trim_start();
            if let Some(after) = inside.strip_prefix(name) {
                let after = after.trim_start().trim_start_matches('-');
                if let Some(rest) = after.strip_prefix("%}") {
                    return Some((start, self.text.len() - rest.len()));
                }
            }
            offset = start + 2;
        }
        self.missing_ends.push(name);
        None
    }
}
