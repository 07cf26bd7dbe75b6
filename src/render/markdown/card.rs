//! The Markdown card: Markdown to HTML in the dialect of Ghost 6.65 (recorded).
//!
//! It is CommonMark with tables; hashes make a heading without a following space, every line break
//! is preserved, and URLs that run code are rejected. Beyond CommonMark there are
//! `~~strikethrough~~` and `==mark==`, `~subscript~` and `^superscript^`, footnotes (`[^name]` and
//! `^[text]`), and bare links.
//!
//! Ghost's parser differs from CommonMark where tabs, quotes, tables and footnotes meet, and in the precedence of blocks that begin in a line.
//! Authors see its result in the editor, so the card has a parser of the same structure: `blocks` reads lines as blocks, `inline`
//! the text of each.

mod addresses;
mod bare_links;
mod blocks;
mod entities;
mod footnotes;
mod html_tags;
mod inline;
mod lines;
mod links;
mod size;

use std::borrow::Cow;

use self::blocks::{Alignment, Block, Container};
use self::footnotes::{FootnoteContent, Footnotes};
use self::inline::{Inline, InlineContext};
pub(crate) use self::size::take;
use crate::render::heading_id;
use crate::render::html_escape::{push_attribute, push_text};
use crate::render::html_tree::clean_fragment;

/// Renders a Markdown card, with raw HTML repaired.
pub fn to_html(markdown: &str) -> String {
    let source = normalised(markdown);
    let document = blocks::parse(&source);
    let mut card = CardHtml {
        context: InlineContext {
            definitions: document.definitions,
            footnotes: Footnotes::default(),
        },
        body: Output::default(),
        open_footnotes: Vec::new(),
        table: Table::default(),
    };
    for block in document.blocks {
        card.add(block);
    }
    let mut html = String::with_capacity(source.len() * 3 / 2);
    clean_fragment(&card.into_html(), &mut html);
    html
}

/// Returns `markdown` with line feeds as line ends and without characters that HTML forbids.
fn normalised(markdown: &str) -> Cow<'_, str> {
    if !markdown.contains(['\r', '\0']) {
        return Cow::Borrowed(markdown);
    }
    let lines = markdown.replace("\r\n", "\n").replace('\r', "\n");
    Cow::Owned(lines.replace('\0', "\u{fffd}"))
}

/// Writes blocks as HTML.
struct CardHtml<'a> {
    context: InlineContext<'a>,
    body: Output,
    /// The open footnotes, outermost first, each with its HTML so far.
    open_footnotes: Vec<(&'a str, Output)>,
    table: Table,
}

/// The table being written.
#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    /// The number of rows so far.
    rows: usize,
}

impl<'a> CardHtml<'a> {
    fn add(&mut self, block: Block<'a>) {
        match block {
            Block::Open(container) => self.open(container),
            Block::Close(container) => self.close(container),
            Block::Paragraph { text, is_tight, .. } => {
                let html = self.inline(&text).html;
                if is_tight {
                    self.output().text(&html);
                } else {
                    self.output().paragraph(&html);
                }
            }
            Block::Heading { level, text } => {
                let Inline { html, text } = self.inline(&text);
                let id = heading_id::from_text(&text);
                let heading = format!("<h{level} id=\"{id}\">{html}</h{level}>\n");
                self.output().block(&heading);
            }
            Block::Code(code) => self.code("", &code),
            Block::Fence { info, code } => self.code(info, &code),
            Block::Html(html) => self.output().raw(&html),
            Block::Rule => self.output().block("<hr>\n"),
            Block::Table(alignments) => {
                self.table = Table {
                    alignments,
                    rows: 0,
                };
                self.output().open("<table>");
            }
            Block::Row(cells) => self.row(&cells),
            Block::TableEnd => self.end_table(),
            Block::Footnote(name) => self.open_footnotes.push((name, Output::default())),
            Block::FootnoteEnd => {
                if let Some((name, output)) = self.open_footnotes.pop() {
                    self.context.footnotes.define(name, output.into_content());
                }
            }
        }
    }

    fn inline(&mut self, text: &str) -> Inline {
        inline::render(text, &mut self.context)
    }

    /// Returns the output of the innermost open footnote or the body.
    fn output(&mut self) -> &mut Output {
        self.open_footnotes
            .last_mut()
            .map_or(&mut self.body, |(_, output)| output)
    }

    fn open(&mut self, container: Container) {
        match container {
            Container::Quote => self.output().open("<blockquote>"),
            Container::BulletList => self.output().open("<ul>"),
            Container::NumberedList(1) => self.output().open("<ol>"),
            Container::NumberedList(start) => {
                self.output().open(&format!("<ol start=\"{start}\">"));
            }
            Container::Item => self.output().open("<li>"),
        }
    }

    fn close(&mut self, container: Container) {
        self.output().close(match container {
            Container::Quote => "</blockquote>\n",
            Container::BulletList => "</ul>\n",
            Container::NumberedList(_) => "</ol>\n",
            Container::Item => "</li>\n",
        });
    }

    fn code(&mut self, info: &str, code: &str) {
        let mut html = String::from("<pre><code");
        let info = links::unescaped(info);
        let info = info.trim_matches(heading_id::is_blank);
        if let Some(language) = info
            .split(heading_id::is_blank)
            .next()
            .filter(|word| !word.is_empty())
        {
            push_attribute(&mut html, "class", &format!("language-{language}"));
        }
        html.push('>');
        push_text(&mut html, code);
        html.push_str("</code></pre>\n");
        self.output().raw(&html);
    }

    fn row(&mut self, cells: &[Cow<'_, str>]) {
        let is_head = self.table.rows == 0;
        match self.table.rows {
            0 => self.output().open("<thead>"),
            1 => self.output().open("<tbody>"),
            _ => {}
        }
        self.table.rows += 1;
        self.output().open("<tr>");
        let name = if is_head { "th" } else { "td" };
        for column in 0..self.table.alignments.len() {
            let text = cells.get(column).map_or("", |cell| cell);
            let html = self.inline(text).html;
            let style = self.table.alignments[column].style();
            let cell = format!("<{name}{style}>{html}</{name}>\n");
            self.output().block(&cell);
        }
        self.output().close("</tr>\n");
        if is_head {
            self.output().close("</thead>\n");
        }
    }

    fn end_table(&mut self) {
        if self.table.rows > 1 {
            self.output().close("</tbody>\n");
        }
        self.output().close("</table>\n");
    }

    fn into_html(self) -> String {
        let mut html = self.body.html;
        self.context.footnotes.push_html(&mut html);
        html
    }
}

impl Alignment {
    /// Returns the attribute of a cell.
    fn style(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Left => " style=\"text-align:left\"",
            Self::Center => " style=\"text-align:center\"",
            Self::Right => " style=\"text-align:right\"",
        }
    }
}

/// HTML output, with each block on its own lines.
#[derive(Default)]
struct Output {
    html: String,
    last: LastOutput,
    /// The end of the last paragraph's content.
    paragraph_end: Option<usize>,
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
        self.paragraph_end = Some(self.html.len());
        self.html.push_str(PARAGRAPH_END);
    }

    fn text(&mut self, html: &str) {
        self.html.push_str(html);
        self.last = LastOutput::Text;
    }

    fn into_content(self) -> FootnoteContent {
        let html_end = self.html.len().checked_sub(PARAGRAPH_END.len());
        FootnoteContent {
            paragraph_end: self.paragraph_end.filter(|end| Some(*end) == html_end),
            html: self.html,
        }
    }
}

/// The end of a paragraph.
const PARAGRAPH_END: &str = "</p>\n";
