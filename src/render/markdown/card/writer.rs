//! Writes the blocks of a card as HTML.

use std::borrow::Cow;

use super::{
    blocks::{Alignment, Block, Container, Definitions},
    footnotes::Footnotes,
    inline::{self, Inline, InlineContext},
    links,
    output::Output,
};
use crate::render::{
    heading_id,
    html_escape::{push_attribute, push_text},
};

/// Writes blocks as HTML.
pub(super) struct CardHtml<'a> {
    context: InlineContext<'a>,
    body: Output,
    /// The footnotes that are being written, from the outermost on, each with its name and its HTML
    /// so far.
    open_footnotes: Vec<(&'a str, Output)>,
    table: Table,
}

impl<'a> CardHtml<'a> {
    /// Returns a card without blocks. Its links refer to these definitions.
    pub(super) fn new(definitions: Definitions<'a>) -> Self {
        Self {
            context: InlineContext {
                definitions,
                footnotes: Footnotes::default(),
            },
            body: Output::default(),
            open_footnotes: Vec::new(),
            table: Table::default(),
        }
    }

    /// Writes a block.
    pub(super) fn add(&mut self, block: Block<'a>) {
        match block {
            Block::Open(container) => self.start(container),
            Block::Close(container) => self.end(container),
            Block::Paragraph { text, is_tight, .. } => self.paragraph(&text, is_tight),
            Block::Heading { level, text } => self.heading(level, &text),
            Block::Code(code) => self.code("", &code),
            Block::Fence { info, code } => self.code(info, &code),
            Block::Html(html) => self.output().raw(&html),
            Block::Rule => self.output().block("<hr>\n"),
            Block::Table(alignments) => self.start_table(alignments),
            Block::Row(cells) => self.row(&cells),
            Block::TableEnd => self.end_table(),
            Block::Footnote(name) => self.open_footnotes.push((name, Output::default())),
            Block::FootnoteEnd => self.end_footnote(),
        }
    }

    fn paragraph(&mut self, text: &str, is_tight: bool) {
        let html = self.inline(text).html;
        if is_tight {
            self.output().text(&html);
        } else {
            self.output().paragraph(&html);
        }
    }

    fn heading(&mut self, level: usize, text: &str) {
        let Inline { html, text } = self.inline(text);
        // Ids of a card are neither numbered nor counted for other headings (recorded:
        // `heading-id/not-shared-with-markdown-card`).
        let id = heading_id::from_text(&text);
        let heading = format!("<h{level} id=\"{id}\">{html}</h{level}>\n");
        self.output().block(&heading);
    }

    fn end_footnote(&mut self) {
        if let Some((name, output)) = self.open_footnotes.pop() {
            self.context.footnotes.define(name, output.into_content());
        }
    }

    fn inline(&mut self, text: &str) -> Inline {
        inline::render(text, &mut self.context)
    }

    /// Returns the output of the innermost open footnote, or else of the body.
    fn output(&mut self) -> &mut Output {
        self.open_footnotes
            .last_mut()
            .map_or(&mut self.body, |(_, output)| output)
    }

    fn start(&mut self, container: Container) {
        match container {
            Container::Quote => self.output().start_tag("<blockquote>"),
            Container::BulletList => self.output().start_tag("<ul>"),
            Container::NumberedList(1) => self.output().start_tag("<ol>"),
            Container::NumberedList(start) => {
                self.output().start_tag(&format!("<ol start=\"{start}\">"));
            }
            Container::Item => self.output().start_tag("<li>"),
        }
    }

    fn end(&mut self, container: Container) {
        self.output().end_tag(match container {
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

    fn start_table(&mut self, alignments: Vec<Alignment>) {
        self.table = Table {
            alignments,
            rows: 0,
        };
        self.output().start_tag("<table>");
    }

    /// Writes a row of the table. The first row is the header.
    fn row(&mut self, cells: &[Cow<'_, str>]) {
        let is_head = self.table.rows == 0;
        match self.table.rows {
            0 => self.output().start_tag("<thead>"),
            1 => self.output().start_tag("<tbody>"),
            _ => {}
        }
        self.table.rows += 1;
        self.output().start_tag("<tr>");
        let name = if is_head { "th" } else { "td" };
        for column in 0..self.table.alignments.len() {
            let text = cells.get(column).map_or("", |cell| cell);
            let html = self.inline(text).html;
            let style = self.table.alignments[column].style();
            let cell = format!("<{name}{style}>{html}</{name}>\n");
            self.output().block(&cell);
        }
        self.output().end_tag("</tr>\n");
        if is_head {
            self.output().end_tag("</thead>\n");
        }
    }

    fn end_table(&mut self) {
        if self.table.rows > 1 {
            self.output().end_tag("</tbody>\n");
        }
        self.output().end_tag("</table>\n");
    }

    /// Returns the HTML, with the footnotes at the end.
    pub(super) fn into_html(self) -> String {
        let mut html = self.body.html;
        self.context.footnotes.push_html(&mut html);
        html
    }
}

/// The table being written.
#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    /// The number of rows so far.
    rows: usize,
}

impl Alignment {
    /// Returns the `style` attribute of a cell, preceded by a space; empty without an alignment.
    fn style(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Left => " style=\"text-align:left\"",
            Self::Center => " style=\"text-align:center\"",
            Self::Right => " style=\"text-align:right\"",
        }
    }
}
