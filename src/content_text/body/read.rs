//! The blocks of a body, with their nodes and their bytes.

use std::{cell::RefCell, ops::Range};

use serde_json::{Value, json};

use super::{BodyFormat, BodyReader, Expansion, urls::WrittenUrls};
use crate::{
    content_text::rendering,
    render::{
        html_to_lexical,
        markdown::{self, Block, BlockWithRange, BodyUrl, NOWHERE},
        markdown_to_lexical::{self, FENCE, FenceContent, ResolvedUrl, take_nodes},
    },
};

/// A block of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyBlock {
    /// Its nodes in the document; none for a comment.
    pub nodes: Vec<Value>,
    /// Its HTML in stored form.
    pub html: String,
    /// Its byte range in the body: complete lines without the last line end; empty if it has no lines.
    pub range: Range<usize>,
}

/// A parsed body.
#[derive(Clone, Debug, Default)]
pub struct ReadBody {
    /// The blocks with nodes, in the order of their ranges; those with empty ranges are last.
    pub blocks: Vec<BodyBlock>,
    /// The URLs in their written forms.
    pub urls: WrittenUrls,
}

impl ReadBody {
    /// Reads a body.
    pub fn of(reader: &BodyReader<'_>, body: &str) -> Self {
        let urls: RefCell<Vec<ResolvedUrl>> = RefCell::default();
        let expansion = reader.expand.map(|expand| expand(body));
        let text = expansion.as_ref().map_or(body, |expanded| &expanded.text);
        let resolve = |url: BodyUrl<'_>| {
            let resolved = (reader.resolve)(url)?;
            // A removed link has no stored URL whose written form could be restored.
            if resolved != NOWHERE {
                urls.borrow_mut().push(ResolvedUrl {
                    position: url.position,
                    written: url.written.to_owned(),
                    resolved: resolved.clone(),
                });
            }
            Some(resolved)
        };
        let mut blocks = match reader.format {
            BodyFormat::Markdown => {
                let blocks = markdown::blocks_with_ranges(text, reader.dialect, resolve);
                of_markdown(text, &blocks, &urls.borrow())
            }
            BodyFormat::Lexical => {
                let blocks = markdown::blocks_with_ranges(text, reader.dialect, resolve);
                blocks.into_iter().map(of_editor).collect()
            }
            BodyFormat::Html => of_html(&markdown::resolve_html(text, resolve), text.len()),
        };
        for block in &mut blocks {
            // Blank lines at the end belong to the gap after the block, not to the block.
            block.range = match text.get(block.range.clone()) {
                Some(written) => block.range.start..block.range.start + written.trim_end().len(),
                None => text.len()..text.len(),
            };
        }
        if let Some(expansion) = &expansion {
            blocks = in_source(blocks, expansion, body);
        }
        // Comments have no nodes. Their bytes become a part of a gap, which edits preserve.
        blocks.retain(|block| !block.nodes.is_empty());
        let mut written = WrittenUrls::default();
        for url in urls.into_inner() {
            written.add(&url.written, &url.resolved);
        }
        // After those of the body: the first written form is used, so an edit does not rewrite
        // URLs.
        for (url, stored) in reader.urls {
            written.add(url, stored);
        }
        if blocks.iter().any(|block| block.range.is_empty()) {
            written.set_footnotes(markdown::footnote_names(text, reader.dialect));
        }
        Self {
            blocks,
            urls: written,
        }
    }

    /// Returns all nodes.
    pub fn into_nodes(self) -> Vec<Value> {
        let blocks = self.blocks.into_iter();
        blocks.flat_map(|block| block.nodes).collect()
    }
}

fn of_markdown(text: &str, blocks: &[BlockWithRange], urls: &[ResolvedUrl]) -> Vec<BodyBlock> {
    let converted =
        markdown_to_lexical::convert_blocks(text, blocks, urls, &rendering::ANY_SITE_URL);
    let blocks = converted.into_iter().map(|block| {
        let nodes = block.nodes.iter();
        let nodes: Vec<Value> = nodes
            .filter_map(|node| serde_json::from_str(node).ok())
            .collect();
        BodyBlock {
            html: block.html.unwrap_or_else(|| rendering::of_nodes(&nodes)),
            nodes,
            range: block.range,
        }
    });
    blocks.collect()
}

/// Reads a block of a body that is written for the editor.
fn of_editor(source_block: BlockWithRange) -> BodyBlock {
    let nodes = nodes_of_block(&source_block.block);
    BodyBlock {
        html: rendering::of_nodes(&nodes),
        nodes,
        range: source_block.range.start..source_block.end.max(source_block.range.start),
    }
}

/// Returns the nodes of a block of a body that is written for the editor.
fn nodes_of_block(block: &Block) -> Vec<Value> {
    match block {
        Block::Html(html) => {
            let document = serde_json::from_str(&html_to_lexical::to_lexical(html));
            document.map_or_else(|_| Vec::new(), |mut document| take_nodes(&mut document))
        }
        Block::Code { language, code, .. } if language == FENCE => {
            FenceContent::parse(code).map_or_else(|_| Vec::new(), FenceContent::into_nodes)
        }
        Block::Code { language, code, .. } => vec![json!({
            "type": "codeblock",
            "version": 1,
            "code": code,
            "language": language,
            "caption": ""
        })],
    }
}

/// Reads HTML, which is one block.
fn of_html(html: &str, bytes: usize) -> Vec<BodyBlock> {
    let converted = markdown_to_lexical::convert_html(html, &rendering::ANY_SITE_URL);
    let document = serde_json::from_str(&converted.lexical);
    vec![BodyBlock {
        nodes: document.map_or_else(|_| Vec::new(), |mut document| take_nodes(&mut document)),
        html: html.to_owned(),
        range: 0..bytes,
    }]
}

/// Returns the blocks of an expanded text with their ranges in the body. Blocks from the same lines are merged.
fn in_source(blocks: Vec<BodyBlock>, expansion: &Expansion, body: &str) -> Vec<BodyBlock> {
    let line_ends =
        |text: &str| memchr::memchr_iter(b'\n', text.as_bytes()).collect::<Vec<usize>>();
    let starts = line_ends(body).into_iter().map(|end| end + 1);
    let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
    let line_start = |line: usize| starts.get(line).copied().unwrap_or(body.len());
    let expanded_line_ends = line_ends(&expansion.text);
    let line_of = |position: usize| {
        let line = expanded_line_ends.partition_point(|end| *end < position);
        let known = expansion.lines.get(line).or(expansion.lines.last());
        known.copied().unwrap_or(line)
    };
    let (blocks, without_range): (Vec<BodyBlock>, Vec<BodyBlock>) =
        (blocks.into_iter()).partition(|block| !block.range.is_empty());
    let mut merged: Vec<(Range<usize>, BodyBlock)> = Vec::new();
    for block in blocks {
        // The last byte, because the end may be in the next line.
        let end = block.range.end.saturating_sub(1).max(block.range.start);
        let lines =
            line_of(block.range.start)..line_of(expansion.text.floor_char_boundary(end)) + 1;
        match merged.last_mut() {
            // A template may expand to several blocks; in the file, only its lines as a whole can
            // change.
            Some((before, known)) if lines.start < before.end => {
                before.end = before.end.max(lines.end);
                known.nodes.extend(block.nodes);
                known.html.push_str(&block.html);
                known.range.end = block.range.end;
            }
            _ => merged.push((lines, block)),
        }
    }
    // Lines of a template that are not in the expanded text belong to the block before them.
    for index in 0..merged.len() {
        let next = merged.get(index + 1);
        let next_line = next.map_or(starts.len(), |(lines, _)| lines.start);
        let between = next.map_or(expansion.text.len(), |(_, block)| block.range.start);
        let (lines, block) = &mut merged[index];
        let shown = &expansion.text[block.range.end.min(between)..between];
        let rest = &body[line_start(lines.end)..line_start(next_line).max(line_start(lines.end))];
        let is_shown = |line: &str| line.trim().is_empty() || shown.contains(line);
        let hidden = rest.lines().enumerate().filter(|(_, line)| !is_shown(line));
        if let Some((last, _)) = hidden.last() {
            lines.end += last + 1;
        }
    }
    let source_block = merged.into_iter().map(|(lines, block)| {
        let range = line_start(lines.start)..line_start(lines.end).max(line_start(lines.start));
        let written = body[range.clone()].trim_end();
        BodyBlock {
            range: range.start..range.start + written.len(),
            ..block
        }
    });
    let end = body.len()..body.len();
    let without_range = without_range.into_iter().map(|block| BodyBlock {
        range: end.clone(),
        ..block
    });
    source_block.chain(without_range).collect()
}
