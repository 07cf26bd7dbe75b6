//! Definitions of links (`[name]: /url "title"`) and of footnotes (`[^name]: text`).

use std::collections::{HashMap, HashSet};

use super::super::lines::{self, is_blank};
use super::super::links::{self, Scan};
use super::super::urls;
use super::{Block, BlockParser, Ended};
use crate::render::heading_id;

/// Maximum length of the name of a link definition, in characters.
const NAME_CHARS_MAX: usize = 999;

/// Maximum length of the name of a link definition, in bytes.
const NAME_BYTES_MAX: usize = NAME_CHARS_MAX * 4;

/// All definitions of a card.
#[derive(Default)]
pub(in super::super) struct Definitions<'a> {
    links: HashMap<String, LinkTarget>,
    /// The names of footnotes.
    pub(in super::super) footnotes: HashSet<&'a str>,
}

/// The target of a link or an image.
#[derive(Clone, Debug)]
pub(in super::super) struct LinkTarget {
    /// The URL as written in an attribute.
    pub(in super::super) url: String,
    /// The title; empty if there is none.
    pub(in super::super) title: String,
}

impl Definitions<'_> {
    pub(in super::super) fn has_links(&self) -> bool {
        !self.links.is_empty()
    }

    /// Returns the target of links with this name. If a name is defined several times, the first
    /// definition is used.
    pub(in super::super) fn link(&self, name: &str) -> Option<&LinkTarget> {
        self.links.get(&comparable(name))
    }
}

/// Returns a normalised name. Names that differ only in case or white space are normalised to the
/// same one.
fn comparable(name: &str) -> String {
    let words = name.split(heading_id::is_blank);
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    // Converting to upper case alone would not match `ẞ` with `ß`.
    words.join(" ").to_lowercase().to_uppercase()
}

/// A position in a definition, which may continue on the next lines of a paragraph.
#[derive(Clone, Copy)]
struct Cursor {
    position: usize,
    /// The byte offset of the end of the line, after its line feed.
    end: usize,
    /// The line after the current one.
    next: usize,
}

impl<'a> BlockParser<'a> {
    pub(super) fn definition(&mut self, line: usize) -> bool {
        if self.is_code(line) || !self.text(line).starts_with('[') {
            return false;
        }
        let Some((name, target, next)) = self.parse_definition(line) else {
            return false;
        };
        // The first definition of a name wins (CommonMark, "Links").
        self.definitions.links.entry(name).or_insert(target);
        self.line = next;
        true
    }

    /// Returns the name of the link, its target and the line after the definition.
    fn parse_definition(&self, line: usize) -> Option<(String, LinkTarget, usize)> {
        let mut cursor = Cursor {
            position: self.lines[line].text + 1,
            end: self.line_end(line),
            next: line + 1,
        };
        let name = self.definition_name(&mut cursor)?;
        self.skip_white_space(&mut cursor);
        let (url, end) = links::destination(&self.source[..cursor.end], cursor.position)?;
        let url = urls::for_attribute(&url)?;
        cursor.position = end;
        let titled = self.definition_title(cursor);
        let (title, cursor) = match titled {
            Some((title, end)) if self.ends_line(end) => (title, end),
            // If the title is not empty, Ghost's parser accepts the line without the title.
            Some((title, _)) if title.is_empty() => return None,
            _ if self.ends_line(cursor) => (String::new(), cursor),
            _ => return None,
        };
        let name = comparable(&name);
        let target = LinkTarget { url, title };
        (!name.is_empty()).then_some((name, target, cursor.next))
    }

    /// Parses the name and the colon after it.
    fn definition_name(&self, cursor: &mut Cursor) -> Option<String> {
        let mut name = String::new();
        let bytes = self.source.as_bytes();
        let mut start = cursor.position;
        while cursor.position < cursor.end {
            // Checked while reading: many unclosed brackets would otherwise each scan the rest of
            // the paragraph.
            if name.len() + cursor.position - start > NAME_BYTES_MAX {
                return None;
            }
            match bytes[cursor.position] {
                b'[' => return None,
                b']' => {
                    name.push_str(&self.source[start..cursor.position]);
                    let has_colon = bytes.get(cursor.position + 1) == Some(&b':');
                    cursor.position += 2;
                    return (has_colon && name.chars().count() <= NAME_CHARS_MAX).then_some(name);
                }
                b'\\' if bytes.get(cursor.position + 1) != Some(&b'\n') => cursor.position += 2,
                byte => {
                    cursor.position += 1 + usize::from(byte == b'\\');
                    if matches!(byte, b'\n' | b'\\') {
                        name.push_str(&self.source[start..cursor.end]);
                        if !self.move_to_next_line(cursor) {
                            return None;
                        }
                        start = cursor.position;
                    }
                }
            }
        }
        None
    }

    fn skip_white_space(&self, cursor: &mut Cursor) {
        let bytes = self.source.as_bytes();
        while cursor.position < cursor.end {
            match bytes[cursor.position] {
                b'\n' if self.move_to_next_line(cursor) => {}
                byte if is_blank(byte) => cursor.position += 1,
                _ => return,
            }
        }
    }

    /// Returns the title after a URL and white space, and the position after it.
    fn definition_title(&self, start: Cursor) -> Option<(String, Cursor)> {
        let mut cursor = start;
        self.skip_white_space(&mut cursor);
        let mut title = String::new();
        let mut scan = links::title(&self.source[..cursor.end], cursor.position);
        if cursor.position == start.position {
            return None;
        }
        loop {
            match scan {
                Scan::End(text, position) => {
                    title.push_str(&text);
                    cursor.position = position;
                    return Some((title, cursor));
                }
                Scan::Open(text, mark) if self.move_to_next_line(&mut cursor) => {
                    title.push_str(&text);
                    let line = &self.source[..cursor.end];
                    scan = links::title_until(line, cursor.position, mark);
                }
                Scan::Open(..) | Scan::None => return None,
            }
        }
    }

    /// Moves to the text of the next line and returns true, unless another block begins there.
    fn move_to_next_line(&self, cursor: &mut Cursor) -> bool {
        let number = cursor.next;
        if number >= self.lines_end || self.lines[number].is_empty() {
            return false;
        }
        let line = &self.lines[number];
        // An indented line continues a paragraph. Lines without a marker have already been assigned
        // to the quote.
        let may_end = !self.is_code(number) && line.indent >= 0;
        if may_end && self.ends(number, self.lines_end, Ended::Definition) {
            return false;
        }
        *cursor = Cursor {
            position: line.text,
            end: self.line_end(number),
            next: number + 1,
        };
        true
    }

    fn ends_line(&self, cursor: Cursor) -> bool {
        let rest = &self.source.as_bytes()[cursor.position.min(cursor.end)..cursor.end];
        let rest = rest.strip_suffix(b"\n").unwrap_or(rest);
        rest.iter().all(|byte| is_blank(*byte))
    }

    /// Returns the byte offset of the end of a line, after its line feed.
    fn line_end(&self, line: usize) -> usize {
        (self.lines[line].end + 1).min(self.source.len())
    }

    /// Returns the name of the footnote that begins at a line.
    pub(super) fn footnote_name(&self, line: usize) -> Option<&'a str> {
        let after = self.text(line).strip_prefix("[^")?;
        let end = memchr::memchr2(b' ', b']', after.as_bytes())?;
        let name = &after[..end];
        (!name.is_empty() && after[end..].starts_with("]:")).then_some(name)
    }

    /// Parses a footnote. All lines after the first must be indented by four columns.
    pub(super) fn footnote(&mut self, start: usize, end: usize) -> bool {
        let Some(name) = self.footnote_name(start) else {
            return false;
        };
        let line = self.lines[start];
        let content = line.text + name.len() + "[^]:".len();
        let columns = isize::try_from(content - line.text).unwrap_or(isize::MAX);
        let column = line.indent + columns;
        let (text, text_column) = lines::skip_blanks(self.source, content, line.end, column, 0);
        self.definitions.footnotes.insert(name);
        self.indent += lines::TAB_COLUMNS;
        let inner = &mut self.lines[start];
        inner.start = content;
        inner.text = text;
        inner.indent = text_column - column;
        // Otherwise, this line would end the footnote immediately.
        if inner.indent < self.indent {
            inner.indent += self.indent;
        }
        self.blocks.push(Block::Footnote(name));
        self.level += 1;
        self.parse_lines(start, end);
        self.level -= 1;
        self.blocks.push(Block::FootnoteEnd);
        self.indent -= lines::TAB_COLUMNS;
        self.lines[start] = line;
        true
    }
}
