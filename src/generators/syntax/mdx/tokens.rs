//! Splits MDX into statements, tags, expressions and code, with Markdown between them.

use crate::generators::syntax::{
    code::{container_length, fence_length, line_end},
    mdx::js,
    pairs,
    pairs::PairSide,
};

/// A part of a text that is not Markdown, or that is literal.
pub struct MdxToken<'t> {
    pub start: usize,
    pub end: usize,
    pub kind: MdxTokenKind<'t>,
    /// The index of the matching closing or opening tag.
    pub partner: Option<usize>,
}

/// The kind of a token.
pub enum MdxTokenKind<'t> {
    /// `import` or `export`.
    Statement,
    /// `{…}`.
    Expression,
    /// `<Name …>`.
    Tag(MdxTag<'t>),
    /// Fenced code.
    Fence,
    /// Literal inline text.
    Verbatim,
    /// `<!-- … -->`.
    Comment,
}

/// The tag of a component or an element.
pub struct MdxTag<'t> {
    /// Its name, empty for a fragment.
    pub name: &'t str,
    /// Its attributes.
    pub attributes: Vec<(&'t str, Attribute<'t>)>,
    /// Whether it opens, closes or is self-closing.
    pub side: TagSide,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TagSide {
    Opens,
    Closes,
    Alone,
}

/// The value of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attribute<'t> {
    /// No value.
    Bare,
    /// `"text"`.
    Text(&'t str),
    /// `{expression}`.
    Expression(&'t str),
}

/// Elements without content.
pub const VOID: [&str; 13] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr",
];

/// Returns the tokens of a text, in order.
pub fn all(text: &str) -> Vec<MdxToken<'_>> {
    let mut lexer = MdxLexer {
        text,
        tokens: Vec::new(),
        // Once this is used up, unclosed constructs are text without a search.
        effort_left: text.len() * 8 + (1 << 16),
        span_ends: Vec::new(),
        paragraph_end: 0,
    };
    lexer.read();
    let mut tokens = lexer.tokens;
    let partners = pairs::find(tokens.iter().map(|token| match &token.kind {
        MdxTokenKind::Tag(tag) => match tag.side {
            TagSide::Opens => PairSide::Opens(tag.name),
            TagSide::Closes => PairSide::Closes(tag.name),
            TagSide::Alone => PairSide::Standalone,
        },
        _ => PairSide::Standalone,
    }));
    for (token, partner) in tokens.iter_mut().zip(partners) {
        token.partner = partner;
    }
    tokens
}

struct MdxLexer<'t> {
    text: &'t str,
    tokens: Vec<MdxToken<'t>>,
    /// Remaining number of bytes that may be scanned without result, which bounds the total time.
    effort_left: usize,
    /// Runs of backticks and dollars that have no match up to a byte offset.
    span_ends: Vec<(&'t str, usize)>,
    /// The end of the current paragraph.
    paragraph_end: usize,
}

impl<'t> MdxLexer<'t> {
    fn read(&mut self) {
        let mut offset = 0;
        let mut is_block_start = true;
        while offset < self.text.len() {
            let end = line_end(self.text, offset);
            let line = &self.text[offset..end];
            // In MDX, statements begin after a blank line only; elsewhere such a line is text.
            if is_block_start && is_statement(line) {
                let length = self.statement(offset);
                self.add(offset, offset + length, MdxTokenKind::Statement);
                offset += length;
                continue;
            }
            is_block_start = line.trim().is_empty();
            if let Some(length) = fence_length(&self.text[offset..]) {
                let start = offset + container_length(line);
                self.add(start, offset + length, MdxTokenKind::Fence);
                offset += length;
                is_block_start = true;
                continue;
            }
            let content = line.trim_start();
            // Braces in formulas are LaTeX and not expressions.
            if content.trim_end() == "$$" {
                let start = end - content.len();
                let rest = &self.text[end..];
                let length = rest.find("$$").map_or(0, |found| found + 2);
                self.add(
                    start,
                    if length > 0 { end + length } else { end },
                    MdxTokenKind::Verbatim,
                );
                offset = end + length;
                continue;
            }
            // Braces on the line of a directive are its attributes, which a later pass reads.
            offset = if content.starts_with(":::") {
                end
            } else {
                self.line(offset, end)
            };
        }
    }

    fn statement(&mut self, offset: usize) -> usize {
        let rest = &self.text[offset..];
        if self.effort_left == 0 {
            return line_end(rest, 0);
        }
        let (length, scanned) = js::statement(rest);
        self.effort_left = self.effort_left.saturating_sub(scanned - length);
        length
    }

    fn add(&mut self, start: usize, end: usize, kind: MdxTokenKind<'t>) {
        self.tokens.push(MdxToken {
            start,
            end,
            kind,
            partner: None,
        });
    }

    /// Reads a line, and constructs that begin in it. Returns the byte offset at which reading continues.
    fn line(&mut self, mut offset: usize, end: usize) -> usize {
        while let Some(found) = self.text[offset..end].find(['`', '\\', '{', '<', '$']) {
            let start = offset + found;
            let rest = &self.text[start..];
            let length = match rest.as_bytes()[0] {
                b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
                b'`' => self.span(start, '`'),
                b'$' => self.math(start),
                b'{' => self.expression(start),
                _ => self.tag(start),
            };
            offset = start + length;
            if offset >= end {
                // A construct of this line ended in a later line, whose rest is read next.
                return offset;
            }
        }
        end
    }

    fn span(&mut self, start: usize, mark: char) -> usize {
        let rest = &self.text[start..];
        let count = rest.len() - rest.trim_start_matches(mark).len();
        let marks = &rest[..count];
        // Runs without a partner are remembered up to the end of their
        // paragraph, so that each is searched once.
        if self
            .span_ends
            .iter()
            .any(|(known, end)| *known == marks && *end > start)
        {
            return count;
        }
        if self.paragraph_end <= start {
            self.paragraph_end = rest.find("\n\n").map_or(self.text.len(), |end| start + end);
        }
        let paragraph = self.paragraph_end - start;
        let mut offset = count;
        while let Some(found) = rest[offset..paragraph.max(offset)].find(mark) {
            let next = offset + found;
            let length = rest[next..].len() - rest[next..].trim_start_matches(mark).len();
            offset = next + length;
            if length == count {
                self.add(start, start + offset, MdxTokenKind::Verbatim);
                return offset;
            }
        }
        self.span_ends.retain(|(_, end)| *end > start);
        self.span_ends.push((marks, start + paragraph));
        count
    }

    /// Reads inline mathematics: `$\frac{a}{b}$`.
    fn math(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        if rest.starts_with("$$") {
            return self.span(start, '$');
        }
        let window = &rest[1..rest.floor_char_boundary(1_000).max(1)];
        let line = window.split('\n').next().unwrap_or_default();
        // Amounts of money and templates are not formulas: `$5`, `${name}`.
        if line.starts_with(|character: char| {
            character.is_whitespace() || character == '{' || character.is_ascii_digit()
        }) {
            return 1;
        }
        let Some(length) = line.find('$') else {
            return 1;
        };
        let is_math = line[..length].contains(['\\', '^', '_', '{'])
            && !line[..length].ends_with(char::is_whitespace)
            && !line[length + 1..].starts_with(|character: char| character.is_alphanumeric());
        if is_math {
            self.add(start, start + length + 2, MdxTokenKind::Verbatim);
            return length + 2;
        }
        1
    }

    fn expression(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        // The id of a heading is not an expression.
        if rest.starts_with("{#")
            && let Some(end) = rest[..rest.floor_char_boundary(200)].find('}')
            && !rest[1..end].contains(['\n', '{'])
        {
            return end + 1;
        }
        if self.effort_left == 0 {
            return 1;
        }
        match js::braces(rest) {
            Ok(length) => {
                self.add(start, start + length, MdxTokenKind::Expression);
                length
            }
            Err(scanned) => {
                self.effort_left = self.effort_left.saturating_sub(scanned);
                1
            }
        }
    }

    fn tag(&mut self, start: usize) -> usize {
        let rest = &self.text[start..];
        if self.effort_left == 0 {
            return 1;
        }
        if rest.starts_with("<!--") {
            let Some(end) = rest.find("-->") else {
                self.effort_left = self.effort_left.saturating_sub(rest.len());
                return 1;
            };
            self.add(start, start + end + 3, MdxTokenKind::Comment);
            return end + 3;
        }
        let mut scanned = 0;
        match tag_at(rest, &mut scanned) {
            Some((tag, length)) => {
                self.add(start, start + length, MdxTokenKind::Tag(tag));
                length
            }
            None => {
                self.effort_left = self.effort_left.saturating_sub(scanned.max(1));
                1
            }
        }
    }
}

/// Returns whether a line begins an `import` or `export` statement, and not a sentence with such a word.
fn is_statement(line: &str) -> bool {
    let is_import = line.strip_prefix("import ").is_some_and(|rest| {
        let rest = rest.trim_start();
        rest.starts_with(['"', '\'', '{', '*'])
            || line.contains(" from ") && line.contains(['"', '\''])
    });
    let words = [
        "const ",
        "let ",
        "var ",
        "default ",
        "function ",
        "async ",
        "class ",
        "{",
        "*",
        "type ",
        "interface ",
    ];
    let is_export = line
        .strip_prefix("export ")
        .is_some_and(|rest| words.iter().any(|word| rest.trim_start().starts_with(word)));
    is_import || is_export
}

/// Parses a leading tag, and returns its length.
fn tag_at<'t>(rest: &'t str, scanned: &mut usize) -> Option<(MdxTag<'t>, usize)> {
    let inside = &rest[1..];
    let closes = inside.starts_with('/');
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name_length = inside
        .find(|character: char| !(character.is_alphanumeric() || "._-$".contains(character)))
        .unwrap_or(inside.len());
    let name = &inside[..name_length];
    let after = &inside[name_length..];
    let is_name = name.starts_with(|character: char| character.is_alphabetic() || character == '_')
        || name.is_empty() && after.starts_with('>');
    // A URL in angle brackets is not a tag.
    if !is_name || after.starts_with([':', '@', '+']) {
        return None;
    }
    let mut attributes = Vec::new();
    let mut offset = rest.len() - after.len();
    loop {
        offset += rest[offset..].len() - rest[offset..].trim_start().len();
        *scanned = offset;
        let here = &rest[offset..];
        let (side, length) = match here.as_bytes().first()? {
            b'>' if closes => (TagSide::Closes, 1),
            // Elements without content need no slash in HTML, and would
            // otherwise wait for a closing tag.
            b'>' if VOID.contains(&name) => (TagSide::Alone, 1),
            b'>' => (TagSide::Opens, 1),
            b'/' if here.starts_with("/>") => (TagSide::Alone, 2),
            b'{' => {
                offset += counted(js::braces(here), scanned)?;
                continue;
            }
            b'<' | b'/' => return None,
            _ => {
                let (name, value, length) = attribute(here, scanned)?;
                attributes.push((name, value));
                offset += length;
                continue;
            }
        };
        let tag = MdxTag {
            name,
            attributes,
            side,
        };
        return Some((tag, offset + length));
    }
}

fn counted(found: Result<usize, usize>, scanned: &mut usize) -> Option<usize> {
    if let Err(count) = found {
        *scanned += count;
    }
    found.ok()
}

/// Parses a leading attribute, and returns its length.
fn attribute<'t>(here: &'t str, scanned: &mut usize) -> Option<(&'t str, Attribute<'t>, usize)> {
    let name_length = here
        .find(|character: char| character.is_whitespace() || "=>/{\"'<`".contains(character))
        .filter(|length| *length > 0)?;
    let (name, rest) = here.split_at(name_length);
    let Some(value) = rest.trim_start().strip_prefix('=') else {
        return Some((name, Attribute::Bare, name_length));
    };
    let value = value.trim_start();
    let before = here.len() - value.len();
    match value.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = value[1..].find(quote).or_else(|| {
                *scanned += value.len();
                None
            })?;
            Some((name, Attribute::Text(&value[1..=end]), before + end + 2))
        }
        '{' => {
            let length = counted(js::braces(value), scanned)?;
            Some((
                name,
                Attribute::Expression(&value[1..length - 1]),
                before + length,
            ))
        }
        _ => {
            // An unquoted value, as in HTML: `width=300`.
            let end =
                value.find(|character: char| character.is_whitespace() || character == '>')?;
            (end > 0).then(|| (name, Attribute::Text(&value[..end]), before + end))
        }
    }
}
