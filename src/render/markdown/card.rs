//! The Markdown card: Markdown to HTML in the dialect of Ghost 6.65 (recorded).
//!
//! It is CommonMark with tables; hashes make a heading without a following space, every line break
//! is preserved, and URLs that run code are rejected. Beyond CommonMark there are
//! `~~strikethrough~~` and `==mark==`, `~subscript~` and `^superscript^`, footnotes (`[^name]` and
//! `^[text]`), and bare links. `pulldown-cmark` parses the blocks and CommonMark's inline syntax;
//! `spans`, `pairs` and `bare_links` find the rest in the remaining text.

mod addresses;
mod bare_links;
mod footnotes;
mod inline;
mod pairs;
mod size;
mod source;
mod source_lines;
mod spans;
mod tables;
mod tokens;

use std::collections::HashSet;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, Options, Parser, Tag, TagEnd};

use self::footnotes::{FootnoteContent, Footnotes};
pub(crate) use self::size::take;
use self::tokens::Inline;
use super::DEPTH_MAX;
use crate::render::heading_id::{self, is_blank};
use crate::render::html_escape::{push_attribute, push_text};
use crate::render::html_tree::clean_fragment;

const OPTIONS: Options = Options::ENABLE_TABLES.union(Options::ENABLE_FOOTNOTES);

/// Renders a Markdown card, with raw HTML repaired.
pub fn to_html(markdown: &str) -> String {
    let source = source::prepared(markdown, OPTIONS);
    // The events are not stored: they take several times the memory of the source.
    let names = Parser::new_ext(&source, OPTIONS).filter_map(|event| match event {
        Event::Start(Tag::FootnoteDefinition(name)) => Some(name),
        _ => None,
    });
    let names = if source.contains("[^") {
        names.collect()
    } else {
        HashSet::new()
    };
    let mut document = CardHtml {
        source: &source,
        footnotes: Footnotes::new(names),
        body: Output::default(),
        open_footnotes: Vec::new(),
        text: Vec::new(),
        table: Table::default(),
        verbatim: None,
        depth: 0,
    };
    for (event, range) in Parser::new_ext(&source, OPTIONS).into_offset_iter() {
        document.add(event, range);
    }
    let mut html = String::with_capacity(source.len() * 3 / 2);
    clean_fragment(&document.into_html(), &mut html);
    html
}

/// Writes the parser's events as HTML.
struct CardHtml<'a> {
    source: &'a str,
    footnotes: Footnotes<'a>,
    body: Output,
    /// The open footnotes, outermost first, each with its HTML so far.
    open_footnotes: Vec<(CowStr<'a>, Output)>,
    /// The inline content being read.
    text: Vec<(Event<'a>, Range<usize>)>,
    table: Table,
    verbatim: Option<Verbatim>,
    depth: usize,
}

/// FootnoteContent that is not Markdown. Lines of indented code always end with a line break, but the last
/// one in a fence may not.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verbatim {
    FencedCode,
    IndentedCode,
    Html,
}

/// The table being read.
#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    column: usize,
    has_body: bool,
}

impl<'a> CardHtml<'a> {
    fn add(&mut self, event: Event<'a>, range: Range<usize>) {
        match event {
            Event::Start(tag) if !source_lines::is_inline(&tag) => self.start(tag),
            Event::End(tag) if !source_lines::is_inline_end(&tag) => self.end(tag, range),
            Event::Start(_) => {
                self.depth += 1;
                self.add_inline_tag(event, range);
            }
            Event::End(_) => {
                self.add_inline_tag(event, range);
                self.depth -= 1;
            }
            Event::Html(html) => self.output().raw(&html),
            Event::Text(text) => match self.verbatim {
                // Leading white space.
                Some(Verbatim::Html) => self.output().raw(&text),
                Some(_) => push_text(&mut self.output().html, &text),
                None => self.text.push((Event::Text(text), range)),
            },
            Event::Rule => {
                self.end_text();
                self.output().block("<hr>\n");
            }
            _ => self.text.push((event, range)),
        }
    }

    fn add_inline_tag(&mut self, event: Event<'a>, range: Range<usize>) {
        if self.depth <= DEPTH_MAX {
            self.text.push((event, range));
        }
    }

    /// Returns the output of the innermost open footnote or the body.
    fn output(&mut self) -> &mut Output {
        self.open_footnotes
            .last_mut()
            .map_or(&mut self.body, |(_, output)| output)
    }

    /// Writes text outside of paragraphs, such as that of a list item.
    fn end_text(&mut self) {
        if !self.text.is_empty() {
            let inline = self.take_inline();
            self.output().text(&inline.html);
        }
    }

    fn take_inline(&mut self) -> Inline {
        let events = std::mem::take(&mut self.text);
        let tokens = tokens::read(self.source, events);
        inline::render(self.source, tokens, &mut self.footnotes, 0)
    }

    /// Trims all kinds of white space at the ends of a heading or a cell.
    fn trim_text(&mut self) {
        let source = self.source;
        let is_source = |text: &CowStr<'_>, range: &Range<usize>| source[range.clone()] == **text;
        if let Some((Event::Text(text), range)) = self.text.first_mut()
            && is_source(text, range)
        {
            let trimmed = source[range.clone()].trim_start_matches(is_blank);
            range.start = range.end - trimmed.len();
            *text = trimmed.into();
        }
        if let Some((Event::Text(text), range)) = self.text.last_mut()
            && is_source(text, range)
        {
            let trimmed = source[range.clone()].trim_end_matches(is_blank);
            range.end = range.start + trimmed.len();
            *text = trimmed.into();
        }
    }

    fn start(&mut self, tag: Tag<'a>) {
        self.end_text();
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return;
        }
        match tag {
            Tag::BlockQuote(_) => self.output().open("<blockquote>"),
            Tag::List(None) => self.output().open("<ul>"),
            Tag::List(Some(1)) => self.output().open("<ol>"),
            Tag::List(Some(start)) => self.output().open(&format!("<ol start=\"{start}\">")),
            Tag::Item => self.output().open("<li>"),
            Tag::CodeBlock(kind) => self.start_code(&kind),
            Tag::HtmlBlock => self.verbatim = Some(Verbatim::Html),
            Tag::FootnoteDefinition(name) => {
                self.open_footnotes.push((name, Output::default()));
            }
            Tag::Table(alignments) => {
                self.table = Table {
                    alignments,
                    ..Table::default()
                };
                self.output().open("<table>");
            }
            Tag::TableHead => {
                self.output().open("<thead>");
                self.output().open("<tr>");
            }
            Tag::TableRow => {
                if !std::mem::replace(&mut self.table.has_body, true) {
                    self.output().open("<tbody>");
                }
                self.table.column = 0;
                self.output().open("<tr>");
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd, range: Range<usize>) {
        let is_removed = self.depth > DEPTH_MAX;
        self.depth -= 1;
        if is_removed {
            return self.end_text();
        }
        match tag {
            TagEnd::Paragraph => {
                let inline = self.take_inline();
                self.output().paragraph(&inline.html);
            }
            TagEnd::Heading(level) => {
                // Setext headings are not trimmed.
                if self.source[range].starts_with('#') {
                    self.trim_text();
                }
                let Inline { html, text } = self.take_inline();
                let id = heading_id::from_text(&text);
                let heading = format!("<{level} id=\"{id}\">{html}</{level}>\n");
                self.output().block(&heading);
            }
            TagEnd::TableCell => self.end_cell(),
            _ => {
                self.end_text();
                self.end_container(tag);
            }
        }
    }

    fn end_container(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => self.output().close("</blockquote>\n"),
            TagEnd::List(true) => self.output().close("</ol>\n"),
            TagEnd::List(false) => self.output().close("</ul>\n"),
            TagEnd::Item => self.output().close("</li>\n"),
            TagEnd::CodeBlock => {
                let is_indented = self.verbatim.take() == Some(Verbatim::IndentedCode);
                let output = self.output();
                if is_indented && !output.html.ends_with('\n') {
                    output.html.push('\n');
                }
                output.close("</code></pre>\n");
            }
            TagEnd::HtmlBlock => self.verbatim = None,
            TagEnd::FootnoteDefinition => {
                if let Some((name, output)) = self.open_footnotes.pop() {
                    self.footnotes.define(name, output.into_content());
                }
            }
            TagEnd::TableHead => self.output().close("</tr>\n</thead>\n"),
            TagEnd::TableRow => self.output().close("</tr>\n"),
            TagEnd::Table => {
                let end = if self.table.has_body {
                    "</tbody>\n</table>\n"
                } else {
                    "</table>\n"
                };
                self.output().close(end);
            }
            _ => {}
        }
    }

    fn start_code(&mut self, kind: &CodeBlockKind<'_>) {
        let mut start = String::from("<pre><code");
        if let CodeBlockKind::Fenced(info) = kind
            && let Some(language) = info.split_whitespace().next()
        {
            push_attribute(&mut start, "class", &format!("language-{language}"));
        }
        start.push('>');
        self.verbatim = Some(match kind {
            CodeBlockKind::Fenced(_) => Verbatim::FencedCode,
            CodeBlockKind::Indented => Verbatim::IndentedCode,
        });
        self.output().raw(&start);
    }

    fn end_cell(&mut self) {
        self.trim_text();
        let inline = self.take_inline();
        let table = &mut self.table;
        let name = if table.has_body { "td" } else { "th" };
        let style = match table.alignments.get(table.column) {
            Some(Alignment::Left) => " style=\"text-align:left\"",
            Some(Alignment::Center) => " style=\"text-align:center\"",
            Some(Alignment::Right) => " style=\"text-align:right\"",
            Some(Alignment::None) | None => "",
        };
        table.column += 1;
        let cell = format!("<{name}{style}>{}</{name}>\n", inline.html);
        self.output().block(&cell);
    }

    fn into_html(self) -> String {
        let mut html = self.body.html;
        self.footnotes.push_html(&mut html);
        html
    }
}

/// HTML output, with each block on its own lines.
#[derive(Default)]
struct Output {
    html: String,
    last: LastOutput,
    /// The end of the last paragraph's content.
    paragraph_end: usize,
}

/// The kind of the last output.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum LastOutput {
    /// The end of a line.
    #[default]
    Line,
    /// A start tag, which text may follow.
    Start,
    /// Text outside of paragraphs.
    Text,
}

impl Output {
    /// Begins a block with nested blocks.
    fn open(&mut self, tag: &str) {
        self.block(tag);
        self.last = LastOutput::Start;
    }

    /// Ends such a block.
    fn close(&mut self, tag: &str) {
        self.html.push_str(tag);
        self.last = LastOutput::Line;
    }

    /// Writes one or more complete blocks.
    fn block(&mut self, html: &str) {
        if self.last != LastOutput::Line {
            self.html.push('\n');
        }
        self.html.push_str(html);
        self.last = LastOutput::Line;
    }

    /// Writes raw HTML or code, which directly follows text.
    fn raw(&mut self, html: &str) {
        if self.last == LastOutput::Start {
            self.html.push('\n');
        }
        self.html.push_str(html);
        self.last = LastOutput::Line;
    }

    fn paragraph(&mut self, content: &str) {
        self.block("<p>");
        self.html.push_str(content);
        self.paragraph_end = self.html.len();
        self.html.push_str(PARAGRAPH_END);
    }

    fn text(&mut self, html: &str) {
        self.html.push_str(html);
        self.last = LastOutput::Text;
    }

    fn into_content(self) -> FootnoteContent {
        let ends_in_paragraph = self.paragraph_end + PARAGRAPH_END.len() == self.html.len();
        FootnoteContent {
            paragraph_end: ends_in_paragraph.then_some(self.paragraph_end),
            html: self.html,
        }
    }
}

/// The end of a paragraph.
const PARAGRAPH_END: &str = "</p>\n";
