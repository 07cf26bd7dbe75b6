//! The content of raw HTML in kramdown and Python-Markdown. Unlike CommonMark, both determine where an element ends:
//! its content is Markdown if the element has the attribute `markdown="1"`, and otherwise HTML up to the end tag.
//!
//! Blank lines are inserted to separate Markdown from the tags around it. Blank lines in HTML, after which CommonMark
//! would read Markdown, are removed, and one is inserted after the end tag. Fenced code in HTML is code in
//! Python-Markdown, and text in kramdown.

mod fences;
mod inline;
mod tags;

use std::{collections::HashMap, ops::Range};

use pulldown_cmark::Parser;

use self::{
    fences::FencedCode,
    tags::{HtmlTag, TagKind},
};
use super::{
    dialect::{Dialect, Family},
    edit::Edit,
    survey::Survey,
};
use crate::render::block_elements;

/// Text without any output: an empty kramdown extension.
const EMPTY_TEXT: &str = "{::comment/}";

/// The content of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContentModel {
    /// Blocks of Markdown.
    Blocks,
    /// The inline content of a paragraph of Markdown. In Python-Markdown, HTML blocks may divide it.
    Inline,
    /// HTML.
    Raw,
}

/// An open element.
struct OpenElement {
    /// The index of its end tag.
    end: usize,
    model: ContentModel,
    /// True if the element begins a block of Markdown.
    is_block: bool,
    /// The range of the white space before its tag in the line.
    indent: Range<usize>,
}

/// Returns the edits after which the content of raw HTML is parsed as in `dialect`.
pub(super) fn edits(source: &str, dialect: Dialect) -> Vec<Edit> {
    let survey = Survey::of(source, dialect.options());
    let tags::Found { tags, fences } = tags::find(source, |position| {
        survey.is_verbatim(position) && !survey.is_html(position)
    });
    if tags.is_empty() {
        return Vec::new();
    }
    let fences = match dialect.family {
        Family::Python => FencedCode::of(fences, &survey),
        _ => FencedCode::default(),
    };
    let blocks = survey.html.iter().map(|block| {
        let text = &source[block.clone()];
        (block.end - text.trim_start().len(), block.end)
    });
    let writer = HtmlContent {
        source,
        blocks: blocks.collect(),
        dialect,
        // kramdown's option counts wherever it is (`Markdown in all HTML` in
        // tests/it/render/dialects.jsonl).
        is_all_markdown: dialect.markdown_in_html
            || source.contains("{::options") && source.contains("parse_block_html=\"true\""),
        has_raw_marks: source.contains("{::nomarkdown"),
        partners: tags::partners(&tags),
        next_blocks: next_blocks(&tags),
        definitions: definitions(source, dialect),
        tags,
        fences,
        open: Vec::new(),
        edits: Vec::new(),
        // Each level of nested elements would otherwise render its content once more.
        inline_bytes_left: 2 * source.len(),
    };
    writer.find()
}

struct HtmlContent<'s> {
    source: &'s str,
    dialect: Dialect,
    is_all_markdown: bool,
    /// True if the source contains blocks of raw HTML between marks, in which blank lines are preserved.
    has_raw_marks: bool,
    /// The end of each HTML block, by the start of its first tag.
    blocks: HashMap<usize, usize>,
    tags: Vec<HtmlTag<'s>>,
    partners: Vec<Option<usize>>,
    /// For each tag, the index of the first tag at or after it that is of a block element.
    next_blocks: Vec<usize>,
    /// The ranges of link definitions, by their names in lower case.
    definitions: HashMap<String, Range<usize>>,
    fences: FencedCode,
    open: Vec<OpenElement>,
    edits: Vec<Edit>,
    /// The number of bytes of inline content that may still be rendered, which bounds the time for nested elements.
    inline_bytes_left: usize,
}

impl<'s> HtmlContent<'s> {
    fn find(mut self) -> Vec<Edit> {
        let mut next = 0;
        while next < self.tags.len() {
            // The end tags of these elements were passed with content that is written as a whole.
            while self.open.pop_if(|element| element.end < next).is_some() {}
            self.write_fences(self.tags[next].range.start);
            self.begin_paragraph(next);
            next = match self.tags[next].kind {
                TagKind::Opens => self.opening(next),
                TagKind::Closes => self.closing(next),
                TagKind::Alone => {
                    self.drop_attribute(next);
                    self.after_block(next)
                }
            };
        }
        self.open.clear();
        self.write_fences(self.source.len());
        fences::merge(&mut self.edits, self.fences);
        self.edits
    }

    /// Returns the innermost content model; at the top level, that of the document.
    fn model(&self) -> ContentModel {
        self.open
            .last()
            .map_or(ContentModel::Blocks, |element| element.model)
    }

    /// Begins a paragraph before a tag of an inline element at which CommonMark would begin an HTML block. The block
    /// remains one if an element in it does not end there, or if it contains tags of block elements.
    fn begin_paragraph(&mut self, index: usize) {
        let start = self.tags[index].range.start;
        let is_text = self.model() == ContentModel::Blocks
            && !self.has_raw_marks
            && is_inline(self.tags[index].name);
        let Some(end) = self.blocks.get(&start).copied().filter(|_| is_text) else {
            return;
        };
        let is_within = |position: usize| (start..end).contains(&self.tags[position].range.start);
        let mut tags = (index..self.tags.len()).take_while(|position| is_within(*position));
        let is_whole = tags.all(|position| {
            let tag = &self.tags[position];
            let is_closed = || self.partners[position].is_some_and(is_within);
            !is_container(tag.name) && (tag.kind == TagKind::Alone || is_closed())
        });
        if is_whole {
            // The text makes the parser begin a paragraph, and the overlay removes it again.
            self.edit(start..start, EMPTY_TEXT.to_owned());
        }
    }

    /// Reads a start tag, and returns the index of the next tag to be read.
    fn opening(&mut self, index: usize) -> usize {
        let tag = self.tags[index].clone();
        let is_in_html = self.model() != ContentModel::Blocks;
        let indent = self.blanks_before(tag.range.start);
        let begins_block = indent.is_some() && is_container(tag.name);
        // First, as edits are added in the order of the source and earlier ones would be dropped.
        self.drop_attribute(index);
        let is_markdown = is_in_html || begins_block;
        let Some(end) = self.partners[index].filter(|_| is_markdown) else {
            return self.after_block(index);
        };
        let model = self.model_of(&tag);
        let content = tag.range.end..self.tags[end].range.start;
        let is_block = begins_block && !is_in_html;
        let is_inline = model == ContentModel::Inline;
        if is_inline && let Some((next, model)) = self.inline_content(index, end) {
            self.open.push(self.element(end, model, is_block, indent));
            return next;
        }
        let model = match model {
            // Inline content that cannot be one paragraph stays HTML.
            ContentModel::Inline => ContentModel::Raw,
            model => model,
        };
        if model == ContentModel::Blocks && !self.source[content.clone()].trim().is_empty() {
            let indentation = self.indentation(&indent);
            let rest = &self.source[content.clone()];
            let text = if rest.trim_start_matches([' ', '\t']).starts_with('\n') {
                "\n".to_owned()
            } else {
                format!("\n\n{indentation}")
            };
            self.edit(content.start..content.start, text);
        } else if model == ContentModel::Raw && is_block {
            self.remove_blank_lines(index, end);
        }
        self.open.push(self.element(end, model, is_block, indent));
        index + 1
    }

    fn element(
        &self,
        end: usize,
        model: ContentModel,
        is_block: bool,
        indent: Option<Range<usize>>,
    ) -> OpenElement {
        OpenElement {
            end,
            model,
            is_block,
            indent: indent.unwrap_or_default(),
        }
    }

    /// Reads an end tag, and returns the index of the next tag to be read.
    fn closing(&mut self, index: usize) -> usize {
        let Some(element) = self.open.pop_if(|element| element.end == index) else {
            return self.after_block(index);
        };
        let tag = self.tags[index].range.clone();
        let indentation = self.indentation(&Some(element.indent.clone()));
        if element.model == ContentModel::Blocks {
            match self.blanks_before(tag.start) {
                Some(blanks) => self.edit(blanks, format!("\n{indentation}")),
                None => self.edit(tag.start..tag.start, format!("\n\n{indentation}")),
            }
        }
        if element.is_block {
            self.end_block(tag.end, indentation);
            let is_last = self.source[tag.end..].is_empty();
            if is_last && element.model == ContentModel::Blocks {
                self.edit(tag.end..tag.end, "\n".to_owned());
            }
        }
        self.after_block(index)
    }

    /// Continues inline content after a tag of a block in it, and returns the index of the next tag to be read.
    fn after_block(&mut self, index: usize) -> usize {
        match self.open.last() {
            Some(outer) if outer.model == ContentModel::Inline => {
                let end = outer.end;
                self.inline_part(self.tags[index].range.end, index + 1, end)
            }
            _ => index + 1,
        }
    }

    /// Separates the block that ends at `end` from Markdown after it.
    fn end_block(&mut self, end: usize, indentation: &str) {
        let rest = &self.source[end..];
        let below = rest.trim_start_matches([' ', '\t']);
        if !below.is_empty() && !below.starts_with(['\n', '\r']) {
            let blanks = rest.len() - below.len();
            self.edit(end..end + blanks, format!("\n\n{indentation}"));
            return;
        }
        let next = below.split('\n').nth(1).unwrap_or_default();
        // The mark of an enclosing quote, or attributes of the element, need no separation.
        let is_separate = next.trim().is_empty() || next.trim_start().starts_with(['>', '{']);
        if !is_separate {
            self.edit(end..end, "\n".to_owned());
        }
    }

    /// Returns the content model of an element, which depends on its attribute or its name.
    fn model_of(&self, tag: &HtmlTag<'s>) -> ContentModel {
        let by_name = || {
            if is_raw(tag.name) {
                ContentModel::Raw
            } else if has_blocks(tag.name) {
                ContentModel::Blocks
            } else {
                ContentModel::Inline
            }
        };
        match tag.markdown.as_ref().map(|(_, value)| value.as_str()) {
            // In inline content, no element contains blocks.
            Some("1" | "true" | "" | "block" | "span")
                if self.model() == ContentModel::Inline && !is_raw(tag.name) =>
            {
                ContentModel::Inline
            }
            _ if self.model() == ContentModel::Inline => ContentModel::Raw,
            Some("block") if !is_raw(tag.name) => ContentModel::Blocks,
            Some("span") if !is_raw(tag.name) => ContentModel::Inline,
            Some("1" | "true" | "") => by_name(),
            Some(_) => ContentModel::Raw,
            None if self.is_all_markdown && has_blocks(tag.name) => by_name(),
            None => ContentModel::Raw,
        }
    }

    /// Removes the `markdown` attribute of a tag.
    fn drop_attribute(&mut self, index: usize) {
        if let Some((range, _)) = self.tags[index].markdown.clone() {
            self.edit(range, String::new());
        }
    }

    /// Removes the blank lines in an element that contains HTML. Nothing is removed if the element contains Markdown,
    /// or elements in which blank lines are significant. An element whose second line is blank is not changed either:
    /// it is written for CommonMark parsers, as by the expansion of shortcodes and admonitions.
    fn remove_blank_lines(&mut self, index: usize, end: usize) {
        if self.has_raw_marks {
            return;
        }
        let inner = &self.tags[index..end];
        let holds = |tag: &HtmlTag<'_>| is_raw(tag.name) || tag.markdown.is_some();
        if self.is_all_markdown || inner.iter().any(holds) {
            return;
        }
        let start = self.tags[index].range.end;
        let content = &self.source[start..self.tags[end].range.start];
        if content
            .lines()
            .nth(1)
            .is_none_or(|line| line.trim().is_empty())
        {
            return;
        }
        let mut offset = 0;
        let mut is_first = true;
        let mut edits = Vec::new();
        self.fences.add_text(start..start + content.len());
        for line in content.split_inclusive('\n') {
            let is_blank = line.trim().is_empty() && line.ends_with('\n');
            if is_blank && !is_first && !self.fences.contains(start + offset) {
                edits.push(start + offset..start + offset + line.len());
            }
            is_first = false;
            offset += line.len();
        }
        for range in edits {
            self.edit(range, String::new());
        }
    }

    /// Returns the range of the white space between the start of the line and `position`, if nothing else precedes it.
    fn blanks_before(&self, position: usize) -> Option<Range<usize>> {
        let before = self.source[..position].trim_end_matches([' ', '\t']);
        let is_line = before.is_empty() || before.ends_with('\n');
        is_line.then_some(before.len()..position)
    }

    /// Returns the white space with which the lines of an element begin: that before the outermost open element, or
    /// `indent`, that before the element itself.
    fn indentation(&self, indent: &Option<Range<usize>>) -> &'s str {
        let outermost = self.open.first().map(|element| &element.indent);
        let range = outermost.or(indent.as_ref()).cloned().unwrap_or_default();
        &self.source[range]
    }

    /// Writes the fenced code before the byte offset `end` that is inside HTML.
    fn write_fences(&mut self, end: usize) {
        let is_markdown = !self.open.is_empty() && self.model() != ContentModel::Raw;
        self.fences.write(self.source, end, is_markdown);
    }

    /// Adds an edit, unless it overlaps an earlier one.
    fn edit(&mut self, range: Range<usize>, text: String) {
        // Edits are added in the order of the source, so only the last one can overlap.
        let free = self.edits.last().map_or(0, |edit| edit.range.end);
        if range.start >= free {
            self.edits.push(Edit {
                range,
                text: text.into(),
            });
        }
    }
}

/// Returns for each tag, and for the end, the index of the first tag at or after it that is of a block element.
fn next_blocks(tags: &[HtmlTag<'_>]) -> Vec<usize> {
    let mut next_blocks = vec![tags.len(); tags.len() + 1];
    for (index, tag) in tags.iter().enumerate().rev() {
        next_blocks[index] = if block_elements::is_block(tag.name) {
            index
        } else {
            next_blocks[index + 1]
        };
    }
    next_blocks
}

/// Returns the ranges of link definitions, by their names in lower case.
fn definitions(source: &str, dialect: Dialect) -> HashMap<String, Range<usize>> {
    if !source.contains("]:") {
        return HashMap::new();
    }
    let parser = Parser::new_ext(source, dialect.options());
    let definitions = parser.reference_definitions().iter();
    definitions
        .map(|(name, definition)| (name.to_lowercase(), definition.span.clone()))
        .collect()
}

/// Returns whether an element that begins a line is a block.
fn is_container(name: &str) -> bool {
    block_elements::is_block(name)
        || matches!(
            name,
            "iframe" | "map" | "noscript" | "object" | "optgroup" | "option" | "video"
        )
}

/// Returns whether an element that begins a line is part of a paragraph, in both generators.
fn is_inline(name: &str) -> bool {
    const NAMES: [&str; 40] = [
        "a", "abbr", "acronym", "b", "bdo", "big", "br", "button", "cite", "code", "del", "dfn",
        "em", "i", "img", "input", "ins", "kbd", "label", "mark", "q", "rb", "rbc", "rp", "rt",
        "rtc", "ruby", "s", "samp", "select", "small", "span", "strike", "strong", "sub", "sup",
        "time", "tt", "u", "var",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Returns whether Markdown in the element consists of blocks by default.
fn has_blocks(name: &str) -> bool {
    const NAMES: [&str; 29] = [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "dd",
        "details",
        "div",
        "dl",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "header",
        "hgroup",
        "iframe",
        "li",
        "main",
        "map",
        "menu",
        "nav",
        "noscript",
        "object",
        "ol",
        "section",
        "td",
        "ul",
        "video",
    ];
    NAMES.contains(&name)
}

/// Returns whether the content of the element is never Markdown.
fn is_raw(name: &str) -> bool {
    matches!(
        name,
        "code" | "kbd" | "math" | "pre" | "samp" | "script" | "style" | "svg" | "textarea" | "var"
    )
}
