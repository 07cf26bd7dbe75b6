//! Converts documents to Lexical: Markdown, and fenced blocks of the language `lexical` for nodes that Markdown cannot
//! express.
//!
//! Each block of the Markdown is converted separately, by way of its HTML. A fenced block contains a node, a list of nodes, or
//! a whole document as JSON; a whole document that is the entire body is used unchanged. The HTML is rendered from the
//! document, like that of posts of the editor.

use crate::content_files::lexical_blocks::end_of_line;
use serde_json::{Value, json};

use crate::{
    content_files::{
        body::{Body, BodyFormat},
        linker::Linker,
    },
    content_text::{Span, rendering},
    render::{
        html_to_lexical,
        markdown::{self, Block},
        markdown_to_lexical::{self, FENCE, FenceContent, ResolvedUrl, take_nodes},
    },
};

/// A body as a Lexical document and its HTML.
pub struct EditorBody {
    /// The HTML in stored form.
    pub html: String,
    /// The document in stored form.
    pub lexical: String,
}

/// Converts a body with valid fenced blocks to nodes, without rendering them.
pub fn nodes(body: &Body, linker: &mut Linker<'_>) -> Vec<Value> {
    take_nodes(&mut assemble(body, linker).document)
}

fn assemble(body: &Body, linker: &mut Linker<'_>) -> AssembledDocument {
    let blocks = markdown::blocks(body.text(), body.dialect, |url| {
        linker.resolve_in(body, url)
    });
    AssembledDocument::of(&blocks)
}

/// Converts and renders a body with valid fenced blocks. Dropped content is reported to `linker`.
pub fn read(body: &Body, linker: &mut Linker<'_>) -> EditorBody {
    rendered(assemble(body, linker), body, linker)
}

/// Converts a body that was not written for the editor (HTML, or Markdown whose fenced blocks are all code) to a document in
/// stored form. The document renders to equivalent HTML. Lost content and element counts are reported to `linker`. The
/// document is not rendered.
pub fn read_of_other_generator(body: &Body, linker: &mut Linker<'_>) -> String {
    let mut urls = Vec::new();
    let converted = match body.format {
        BodyFormat::Html => {
            let html = markdown::resolve_html(body.text(), |url| linker.resolve_in(body, url));
            markdown_to_lexical::convert_html(&html, &rendering::ANY_SITE_URL)
        }
        BodyFormat::Markdown | BodyFormat::Lexical => {
            let blocks = markdown::blocks_with_ranges(body.text(), body.dialect, |url| {
                let resolved = linker.resolve_in(body, url)?;
                if resolved == markdown::NOWHERE {
                    return Some(resolved);
                }
                urls.push(ResolvedUrl {
                    position: url.position,
                    written: url.written.to_owned(),
                    resolved: resolved.clone(),
                });
                Some(resolved)
            });
            markdown_to_lexical::convert(body.text(), &blocks, &urls, &rendering::ANY_SITE_URL)
        }
    };
    for position in converted.losses {
        linker.warn(
            body.span(position, end_of_line(body.text(), position)),
            "this HTML element is not closed; it is closed at the end of its block".to_owned(),
            "add its end tag".to_owned(),
        );
    }
    linker.counts += converted.counts;
    converted.lexical
}

/// Renders a document. Dropped nodes are reported to `linker`.
fn rendered(document: AssembledDocument, body: &Body, linker: &mut Linker<'_>) -> EditorBody {
    let lexical = document.to_string();
    let (html, losses) = rendering::of_document(&lexical);
    for loss in losses {
        let span = document
            .position_of(&loss.position)
            // Nodes from Markdown have no position of their own.
            .map_or(Span::default(), |position| {
                body.span(position, end_of_line(body.text(), position))
            });
        linker.warn(
            span,
            format!("{} is not shown: {}", loss.position, loss.reason),
            "correct the node, or leave it for clients that can render it".to_owned(),
        );
    }
    EditorBody { html, lexical }
}

/// A document assembled from blocks.
struct AssembledDocument {
    document: Value,
    /// The position of each node's fenced block; `None` for nodes from Markdown.
    positions: Vec<Option<usize>>,
}

impl AssembledDocument {
    fn of(blocks: &[Block]) -> Self {
        let mut nodes = Vec::new();
        let mut positions = Vec::new();
        for block in blocks {
            let (content, from) = match block {
                Block::Html(html) => (nodes_of_html(html), None),
                Block::Code {
                    language,
                    code,
                    position,
                } if language == FENCE => (FenceContent::parse(code).ok(), Some(*position)),
                Block::Code { language, code, .. } => (Some(code_card(language, code)), None),
            };
            match content {
                // Used unchanged, because a list of nodes would lose properties of the document
                // itself.
                Some(FenceContent::Document(document)) if blocks.len() == 1 => {
                    let children = document["root"]["children"].as_array().map_or(0, Vec::len);
                    return Self {
                        document,
                        positions: vec![from; children],
                    };
                }
                Some(FenceContent::Document(mut document)) => {
                    nodes.extend(take_nodes(&mut document));
                }
                Some(FenceContent::Nodes(more)) => nodes.extend(more),
                None => {}
            }
            positions.resize(nodes.len(), from);
        }
        Self {
            document: rendering::document_of(nodes),
            positions,
        }
    }

    /// Returns the position of the outermost node of a path such as `root.children[3].children[0]`.
    fn position_of(&self, path: &str) -> Option<usize> {
        let number = path.strip_prefix("root.children[")?.split(']').next()?;
        *self.positions.get(number.parse::<usize>().ok()?)?
    }
}

impl std::fmt::Display for AssembledDocument {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.document.fmt(f)
    }
}

fn nodes_of_html(html: &str) -> Option<FenceContent> {
    let mut document: Value = serde_json::from_str(&html_to_lexical::to_lexical(html)).ok()?;
    Some(FenceContent::Nodes(take_nodes(&mut document)))
}

fn code_card(language: &str, code: &str) -> FenceContent {
    FenceContent::Nodes(vec![json!({
        "type": "codeblock",
        "version": 1,
        "code": code,
        "language": language,
        "caption": ""
    })])
}
