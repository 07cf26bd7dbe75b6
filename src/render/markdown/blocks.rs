//! The top-level blocks of a document, for conversion to formats other than HTML.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Tag, html};

use super::{BodyUrl, Dialect, DocumentBuilder, ParserSource};

/// A top-level block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    /// A block as HTML. Adjacent blocks of raw HTML are a single one.
    Html(String),
    /// A code block.
    Code {
        /// The language, which is the first word after the opening fence; empty without one.
        language: String,
        /// The code, without the last line break.
        code: String,
        /// The byte offset of the block in the source.
        position: usize,
    },
}

/// A block with its range in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockWithRange {
    /// The block.
    pub block: Block,
    /// Its byte range in the source, up to the next block; empty for the footnotes.
    pub range: Range<usize>,
    /// The byte offset of its end, before blank lines and definitions of links and footnotes.
    pub end: usize,
    /// True if the block is raw HTML.
    pub is_raw: bool,
}

/// Returns the top-level blocks of `source`, followed by the footnotes. `resolve` is that of
/// [`to_html`](super::to_html).
pub fn blocks(
    source: &str,
    dialect: Dialect,
    resolve: impl FnMut(BodyUrl<'_>) -> Option<String>,
) -> Vec<Block> {
    let with_range = blocks_with_ranges(source, dialect, resolve);
    with_range
        .into_iter()
        .map(|with_range| with_range.block)
        .collect()
}

/// Returns the blocks that [`blocks`] returns, with their ranges in the source.
pub fn blocks_with_ranges(
    source: &str,
    dialect: Dialect,
    mut resolve: impl FnMut(BodyUrl<'_>) -> Option<String>,
) -> Vec<BlockWithRange> {
    let bytes = source.len();
    ParserSource::of(source, dialect)
        .read(dialect, &mut resolve, |document| collected(document, bytes))
}

/// Returns the names of the footnotes that `source` refers to, in the order of their numbers.
pub fn footnote_names(source: &str, dialect: Dialect) -> Vec<String> {
    ParserSource::of(source, dialect).read(dialect, &mut |_| None, |document| {
        document.footnotes.into_names()
    })
}

/// Renders `source` as [`to_html`](super::to_html) does. A top-level code block is replaced by the
/// HTML that `replace` returns for its language and its code, if any.
pub fn to_html_with_code(
    source: &str,
    dialect: Dialect,
    mut resolve: impl FnMut(BodyUrl<'_>) -> Option<String>,
    replace: impl Fn(&str, &str) -> Option<String>,
) -> String {
    ParserSource::of(source, dialect).read(dialect, &mut resolve, |document| {
        let mut rendered = String::with_capacity(source.len() * 3 / 2);
        let mut events = document.body.into_iter();
        let mut starts = document.top_level_blocks.into_iter().peekable();
        while let Some(start) = starts.next() {
            let block: Vec<Event<'_>> = match starts.peek() {
                Some(next) => events.by_ref().take(next.event - start.event).collect(),
                None => events.by_ref().collect(),
            };
            let replaced = match block.first() {
                Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(language)))) => {
                    replace(language, &code_in(&block))
                }
                _ => None,
            };
            match replaced {
                Some(html) => rendered.push_str(&html),
                None => html::push_html(&mut rendered, block.into_iter()),
            }
        }
        document.footnotes.push_html(&mut rendered);
        rendered
    })
}

fn collected(document: DocumentBuilder<'_>, bytes: usize) -> Vec<BlockWithRange> {
    let mut collected = BlockCollector::default();
    let mut events = document.body.into_iter();
    let mut starts = document.top_level_blocks.into_iter().peekable();
    while let Some(start) = starts.next() {
        let (block, end) = match starts.peek() {
            Some(next) => {
                let block = events.by_ref().take(next.event - start.event);
                (block.collect(), next.position)
            }
            None => (events.by_ref().collect(), bytes),
        };
        collected.add(block, start.position..end, start.end.min(end));
    }
    let mut footnotes = String::new();
    document.footnotes.push_html(&mut footnotes);
    collected.add_html(footnotes, bytes..bytes, bytes, false);
    collected.blocks
}

#[derive(Default)]
struct BlockCollector {
    blocks: Vec<BlockWithRange>,
}

impl BlockCollector {
    fn add(&mut self, block: Vec<Event<'_>>, range: Range<usize>, end: usize) {
        if let Some(Event::Start(Tag::CodeBlock(kind))) = block.first() {
            let language = match kind {
                CodeBlockKind::Fenced(language) => language.to_string(),
                CodeBlockKind::Indented => String::new(),
            };
            let block = Block::Code {
                language,
                code: code_in(&block),
                position: range.start,
            };
            self.blocks.push(BlockWithRange {
                block,
                range,
                end,
                is_raw: false,
            });
            return;
        }
        let is_raw = matches!(block.first(), Some(Event::Start(Tag::HtmlBlock)));
        let mut html = String::new();
        html::push_html(&mut html, block.into_iter());
        self.add_html(html, range, end, is_raw);
    }

    fn add_html(&mut self, html: String, range: Range<usize>, end: usize, is_raw: bool) {
        if html.is_empty() {
            return;
        }
        match self.blocks.last_mut() {
            Some(BlockWithRange {
                block: Block::Html(raw),
                range: before,
                end: end_before,
                is_raw: true,
            }) if is_raw => {
                raw.push_str(&html);
                before.end = range.end;
                *end_before = end;
            }
            _ => self.blocks.push(BlockWithRange {
                block: Block::Html(html),
                range,
                end,
                is_raw,
            }),
        }
    }
}

fn code_in(block: &[Event<'_>]) -> String {
    let texts = block.iter().filter_map(|event| match event {
        Event::Text(text) => Some(&**text),
        _ => None,
    });
    let mut code: String = texts.collect();
    code.truncate(code.strip_suffix('\n').unwrap_or(&code).len());
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Vec<Block> {
        blocks(source, Dialect::GALLEY, |_| None)
    }

    fn html(html: &str) -> Block {
        Block::Html(html.to_owned())
    }

    fn code(language: &str, code: &str, position: usize) -> Block {
        Block::Code {
            language: language.to_owned(),
            code: code.to_owned(),
            position,
        }
    }

    #[test]
    fn nested_blocks_are_part_of_their_top_level_block() {
        assert_eq!(
            read("# A\n\n- b\n\n  > c\n\n---\nd"),
            [
                html("<h1 id=\"a\">A</h1>\n"),
                html("<ul>\n<li>\n<p>b</p>\n<blockquote>\n<p>c</p>\n</blockquote>\n</li>\n</ul>\n"),
                html("<hr />\n"),
                html("<p>d</p>\n"),
            ]
        );
    }

    #[test]
    fn top_level_code_is_a_separate_block() {
        assert_eq!(
            read("a\n\n```lexical\n{}\n\n[]\n```\n\n~~~ rust x\n1\n\n~~~\n\n    two\n    lines"),
            [
                html("<p>a</p>\n"),
                code("lexical", "{}\n\n[]", 3),
                code("rust", "1\n", 26),
                code("", "two\nlines", 49),
            ]
        );
        assert!(matches!(read("> ```\n> {}\n> ```")[..], [Block::Html(_)]));
    }

    #[test]
    fn adjacent_raw_html_is_one_block() {
        assert_eq!(
            read("<!--a-->\n<div>\n\n</div>\n\nb"),
            [html("<!--a-->\n<div>\n</div>\n"), html("<p>b</p>\n")]
        );
    }

    #[test]
    fn footnotes_come_last() {
        let read = read("a[^x]\n\n[^x]: c\n\nb");
        assert_eq!(read.len(), 3);
        assert!(
            matches!(&read[2], Block::Html(html) if html.contains("<section class=\"footnotes\">"))
        );
    }

    #[test]
    fn blocks_in_sequence_equal_the_document() {
        for source in [
            "",
            "a\n\nb",
            "a[^1]\n\n- b\n- c\n\n[^1]: d\n",
            "<p>\n\n*x*\n\n</p>",
        ] {
            let whole: String = read(source)
                .into_iter()
                .map(|block| match block {
                    Block::Html(html) => html,
                    Block::Code { code, .. } => code,
                })
                .collect();
            assert_eq!(
                whole,
                super::super::to_html(source, Dialect::GALLEY, |_| None)
            );
        }
    }
}
