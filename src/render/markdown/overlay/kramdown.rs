//! kramdown's syntax: attributes after blocks and spans, definitions of attributes, abbreviations,
//! comments, raw HTML, and `^` between two lists.

use std::{collections::HashMap, ops::Range};

use super::{
    Findings, Marks, OverlayContent,
    block_lists::{self, BlockLists, Line},
    window,
};
use crate::render::markdown::line_ends::line_start;
use crate::render::{
    html_escape::{push_attribute, push_text},
    markdown::{
        attribute_list::AttributeList,
        survey::{Survey, TextPart},
    },
};

/// Maximum number of abbreviations that begin with the same word. Further ones are ignored.
const SAME_WORD_MAX: usize = 8;

/// Longest inline comment, raw HTML or attribute list, in bytes.
const IN_TEXT_BYTES_MAX: usize = 5000;

/// Maximum number of named attribute lists. Further ones are ignored.
const NAMED_MAX: usize = 1000;

pub(super) fn find(marks: &mut Marks, survey: &Survey, found: &mut Findings<'_>) {
    let mut lines = OwnLines::default();
    lines.read(survey, found);
    lines.blocks.attach(&lines.named, marks);
    find_in_text(&lines.named, marks, survey, found);
    if !lines.abbreviations.is_empty() {
        find_abbreviations(&lines.abbreviations, survey, found);
    }
}

/// The syntax on separate lines.
#[derive(Default)]
struct OwnLines {
    named: HashMap<String, AttributeList>,
    /// The abbreviations and their meanings, by the first word of the abbreviation.
    abbreviations: HashMap<String, Vec<(String, String)>>,
    blocks: BlockLists,
    /// The byte offset of the start of the open comment.
    comment: Option<usize>,
    /// The line that opens the current block of raw HTML.
    raw: Option<Range<usize>>,
}

impl OwnLines {
    fn read(&mut self, survey: &Survey, found: &mut Findings<'_>) {
        for line in block_lists::lines(found.source) {
            let start = line.range.start;
            let is_code = self.raw.is_none() && survey.is_verbatim(start) && !survey.is_html(start);
            if is_code || !self.read_mark(&line, found) {
                let is_blank = line.inner.is_empty();
                self.blocks.pass(found.source, line.range, is_blank);
            }
        }
    }

    /// Processes a line. Returns whether it is kramdown syntax.
    fn read_mark(&mut self, line: &Line<'_>, found: &mut Findings<'_>) -> bool {
        let inner = line.inner;
        let range = line.inner_range();
        if let Some(start) = self.comment {
            if inner == "{:/comment}" || inner == "{:/}" {
                self.comment = None;
                found.blank(start..range.end);
            }
            return true;
        }
        if self.raw.is_some() && !matches!(inner, "{:/nomarkdown}" | "{:/}") {
            return true;
        }
        let is_mark = match inner {
            "{::comment}" => {
                self.comment = Some(range.start);
                return true;
            }
            "{::nomarkdown}" => {
                self.raw = Some(range.clone());
                return true;
            }
            "{:/nomarkdown}" | "{:/}" => {
                if let Some(opening) = self.raw.take() {
                    let html = found.source[opening.end..range.start].trim_matches('\n');
                    let html = OverlayContent::Block(format!("{html}\n"));
                    found.add(opening.start..range.end, html);
                    return true;
                }
                // An end mark without a beginning is removed.
                true
            }
            "^" => true,
            // Options are read by `html_content`; here they are only removed from the text.
            _ if inner.starts_with("{::") => inner.ends_with("/}"),
            _ if inner.starts_with("{:") && inner.ends_with('}') => {
                self.read_attributes(&inner[2..inner.len() - 1], line.column())
            }
            _ => self.read_abbreviation(inner),
        };
        if is_mark {
            found.blank(range);
        }
        is_mark
    }

    /// Parses the text between `{:` and `}`.
    fn read_attributes(&mut self, inner: &str, column: usize) -> bool {
        if let Some((name, list)) = inner.split_once(':')
            && !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            if let Some(list) = AttributeList::read(list)
                && self.named.len() < NAMED_MAX
            {
                self.named.entry(name.to_owned()).or_default().extend(&list);
            }
            return true;
        }
        let Some(list) = AttributeList::read(inner) else {
            return false;
        };
        self.blocks.add(list, column);
        true
    }

    /// Parses `*[HTML]: Hypertext Markup Language`.
    fn read_abbreviation(&mut self, inner: &str) -> bool {
        let read = inner
            .strip_prefix("*[")
            .and_then(|rest| rest.split_once("]:"))
            .filter(|(short, _)| !short.is_empty() && !short.contains(['[', ']']));
        let Some((short, long)) = read else {
            return false;
        };
        let same = self.abbreviations.entry(first_word(short).to_owned());
        let same = same.or_default();
        // Each occurrence of the word is compared with all abbreviations that begin with it.
        if same.len() < SAME_WORD_MAX {
            same.push((short.to_owned(), long.trim().to_owned()));
        }
        true
    }
}

/// Finds attribute lists after inline elements, and inline comments and raw HTML.
fn find_in_text(
    named: &HashMap<String, AttributeList>,
    marks: &mut Marks,
    survey: &Survey,
    found: &mut Findings<'_>,
) {
    let source = found.source;
    for piece in &survey.pieces {
        let mut position = piece.range.start;
        while let Some(offset) = source
            .get(position..piece.range.end)
            .and_then(|rest| rest.find("{:"))
        {
            let start = position + offset;
            let rest = &source[start..piece.range.end];
            position = start + 2;
            if rest.starts_with("{::") {
                position = find_extension(piece, start, found).unwrap_or(position);
                continue;
            }
            // The parser begins a new text after each element.
            let follows_element = start == piece.range.start;
            let Some(end) = rest.find('}').filter(|_| follows_element) else {
                continue;
            };
            let Some(mut list) = AttributeList::read(&rest[2..end]) else {
                continue;
            };
            list.resolve(named);
            let mut range = start..start + end + 1;
            position = range.end;
            let lists = match item_marker(source, start) {
                Some(mark) => {
                    let rest_of_text = &rest[end + 1..];
                    range.end += rest_of_text.len() - rest_of_text.trim_start_matches(' ').len();
                    marks.items.entry(mark).or_default()
                }
                None => marks.inline.entry(start).or_default(),
            };
            if found.add(range, OverlayContent::nothing()) {
                lists.extend(&list);
            }
        }
    }
}

/// Returns the byte offset of the list marker, if nothing else precedes a position in its line.
fn item_marker(source: &str, position: usize) -> Option<usize> {
    let line = &source[line_start(source, position)..position];
    let mark = line.trim();
    let digits = mark.trim_end_matches(['.', ')']);
    let is_number = !digits.is_empty()
        && digits.len() < mark.len()
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_mark = is_number || matches!(mark, "*" | "-" | "+");
    is_mark.then(|| position - line.trim_start().len())
}

/// Finds inline `{::comment}…{:/comment}` and `{::nomarkdown}…{:/}`. Returns the end.
fn find_extension(piece: &TextPart, start: usize, found: &mut Findings<'_>) -> Option<usize> {
    let source = found.source;
    let end = piece.bounds.end.max(piece.range.end);
    let rest = window(source, start, end, IN_TEXT_BYTES_MAX);
    let opening = rest.find('}')? + 1;
    let name = rest[..opening]
        .trim_start_matches("{::")
        .trim_end_matches('}');
    if name.ends_with('/') {
        found.add(start..start + opening, OverlayContent::nothing());
        return Some(start + opening);
    }
    let inner = rest[opening..].find("{:/")?;
    let end = opening + inner + rest[opening + inner..].find('}')? + 1;
    let content = match name {
        "nomarkdown" => OverlayContent::Html(rest[opening..opening + inner].to_owned()),
        "comment" => OverlayContent::nothing(),
        _ => return None,
    };
    found.add(start..start + end, content);
    Some(start + end)
}

/// Finds abbreviated words.
fn find_abbreviations(
    abbreviations: &HashMap<String, Vec<(String, String)>>,
    survey: &Survey,
    found: &mut Findings<'_>,
) {
    let source = found.source;
    for piece in &survey.pieces {
        let mut position = piece.range.start;
        while position < piece.range.end {
            let rest = &source[position..piece.range.end];
            let word = first_word(rest);
            let known = abbreviations.get(word).into_iter().flatten();
            let fits = |short: &str| {
                let after = rest.strip_prefix(short);
                after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
            };
            // `HTML` must not hide `HTML 5`, whichever is defined first.
            let longest = known
                .filter(|(short, _)| fits(short))
                .max_by_key(|(short, _)| short.len());
            if let Some((short, long)) = longest {
                let mut html = String::from("<abbr");
                if !long.is_empty() {
                    push_attribute(&mut html, "title", long);
                }
                html.push('>');
                push_text(&mut html, short);
                html.push_str("</abbr>");
                found.add(position..position + short.len(), OverlayContent::Html(html));
                position += short.len();
            } else {
                position += word.len();
            }
        }
    }
}

/// Returns the leading letters and digits of a text, or its first character if that is neither.
fn first_word(text: &str) -> &str {
    let length = text
        .find(|character: char| !character.is_alphanumeric())
        .unwrap_or(text.len());
    let first = text.chars().next().map_or(0, char::len_utf8);
    &text[..length.max(first)]
}
