//! Converts Markdown that was not written for the editor to a Lexical document, without loss.
//!
//! Each outermost block is converted separately, via its HTML, and the HTML of the resulting nodes is compared with it
//! ([`equivalence`](super::equivalence)). A block that would render differently becomes a single card: a Markdown card
//! if it renders equally in the dialect of the card, otherwise an HTML card. Blocks inside an element of raw HTML are
//! converted together.
//!
//! A heading keeps the id that it has in the HTML, since links refer to it. If the editor's renderer would derive
//! another id, the heading becomes a card as well.

mod fence;
mod groups;
mod plain_blocks;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use percent_encoding::percent_decode_str;
use serde_json::json;
use url::Url;

pub use self::fence::{FENCE, FenceContent, FenceError, take_nodes};
use self::groups::Group;
use self::plain_blocks::PlainBlock;
use super::body_counts::BodyCounts;
use super::equivalence::{NormalForm, are_paragraphs_alike, is_in_line};
use super::heading_id::HeadingIds;
use super::html_tree::parse_fragment;
use super::lexical::{self, Context, EMPTY_DOCUMENT};
use super::markdown::{Block, BlockWithRange, card};
use super::{cards, html_to_lexical};

/// Maximum number of bytes that are searched for URLs in the Markdown of a block, per byte of the
/// Markdown.
const SEARCH_MAX: usize = 64;

/// A URL with a replacement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResolvedUrl {
    /// The byte offset of the link, image or attribute value in the source.
    pub position: usize,
    /// The URL as written.
    pub written: String,
    /// The replacement.
    pub resolved: String,
}

/// The result of a conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvertedDocument {
    /// The document, as JSON text.
    pub lexical: String,
    /// The numbers of elements in the HTML.
    pub counts: BodyCounts,
    /// The number of blocks.
    pub blocks: usize,
    /// The number of cards for blocks that nodes cannot represent.
    pub cards: usize,
    /// The byte offsets in the source of blocks that render differently.
    pub losses: Vec<usize>,
}

/// Returns a document that renders like the blocks of `source`. `urls` are the replaced URLs in the blocks, in order;
/// images of `site` may get a `srcset`.
pub fn convert(
    source: &str,
    blocks: &[BlockWithRange],
    urls: &[ResolvedUrl],
    site: &Url,
) -> ConvertedDocument {
    let mut conversion = Conversion::new(source, urls, site);
    for group in groups::of(blocks) {
        conversion.add(&group);
    }
    let Conversion {
        nodes,
        mut converted,
        ..
    } = conversion;
    converted.lexical = document(&nodes);
    converted
}

/// A block and its nodes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvertedBlock {
    /// The nodes, as JSON texts.
    pub nodes: Vec<String>,
    /// The HTML of the block; `None` if it is the HTML of the nodes.
    pub html: Option<String>,
    /// The range of the block in the source, from the start of its line; empty for the footnotes.
    pub range: Range<usize>,
}

/// Converts blocks like [`convert`], for an editor of the source. A fenced block of the language [`FENCE`] is replaced
/// by the nodes in it, and a heading becomes a node even if its id differs, since the HTML for readers is rendered from
/// the source.
pub fn convert_blocks(
    source: &str,
    blocks: &[BlockWithRange],
    urls: &[ResolvedUrl],
    site: &Url,
) -> Vec<ConvertedBlock> {
    let mut conversion = Conversion {
        is_for_editing: true,
        ..Conversion::new(source, urls, site)
    };
    let groups = groups::of(blocks).into_iter();
    groups
        .map(|group| {
            conversion.nodes.clear();
            let fence = group
                .code
                .filter(|(language, _)| *language == FENCE)
                // An invalid fence stays code; `content_files::lexical_blocks` reports it.
                .and_then(|(_, code)| FenceContent::parse(code).ok());
            let is_fence = fence.is_some();
            match fence {
                Some(content) => {
                    let nodes = content.into_nodes().into_iter();
                    conversion.nodes.extend(nodes.map(|node| node.to_string()));
                }
                None => conversion.add(&group),
            }
            let range = group.range.unwrap_or(source.len()..source.len());
            ConvertedBlock {
                nodes: conversion.nodes.clone(),
                html: (!is_fence).then(|| group.html.into_owned()),
                range: line_start(source, range.start)..group.end.max(range.start),
            }
        })
        .collect()
}

/// Returns a document that renders like `html`. Each top-level element is converted separately.
pub fn convert_html(html: &str, site: &Url) -> ConvertedDocument {
    let tree = parse_fragment(html);
    let mut blocks: Vec<BlockWithRange> = Vec::new();
    for node in tree.root().children() {
        let mut html = String::new();
        node.push_outer_html(&mut html);
        let is_blank = html.trim().is_empty();
        let is_in_line = is_in_line(node);
        match blocks.last_mut() {
            // Text and inline elements are part of the same block.
            Some(BlockWithRange {
                block: Block::Html(before),
                is_raw: true,
                ..
            }) if is_in_line || is_blank => before.push_str(&html),
            _ if is_blank => {}
            _ => blocks.push(BlockWithRange {
                block: Block::Html(html),
                range: 0..0,
                end: 0,
                // The flag marks the blocks to which further inline nodes may be added.
                is_raw: is_in_line,
            }),
        }
    }
    convert("", &blocks, &[], site)
}

struct Conversion<'a> {
    source: &'a str,
    urls: &'a [ResolvedUrl],
    site: &'a Url,
    /// The ids of the headings that became nodes.
    heading_ids: HeadingIds,
    nodes: Vec<String>,
    converted: ConvertedDocument,
    is_for_editing: bool,
}

impl<'a> Conversion<'a> {
    fn new(source: &'a str, urls: &'a [ResolvedUrl], site: &'a Url) -> Self {
        Self {
            source,
            urls,
            site,
            heading_ids: HeadingIds::default(),
            nodes: Vec::new(),
            converted: ConvertedDocument::default(),
            is_for_editing: false,
        }
    }

    fn add(&mut self, group: &Group<'_>) {
        self.converted.blocks += group.blocks;
        self.converted.counts += BodyCounts::of_html(&group.html);
        if let Some((language, code)) = group.code
            && !code.is_empty()
        {
            self.nodes.push(code_card(language, code));
            return;
        }
        let html = &*group.html;
        if let Some(block) = PlainBlock::of(html)
            && self.takes_id_of(&block)
        {
            self.nodes.push(block.node());
            return;
        }
        let nodes = self.nodes_of(html);
        if let Some((nodes, rendered)) = &nodes
            // Without `<` in its source, a group has no raw HTML, so it needs no `record_loss`.
            && !self.source_of(group).contains('<')
            && are_paragraphs_alike(html, rendered)
        {
            self.nodes.extend_from_slice(nodes);
            return;
        }
        let form = NormalForm::of(html);
        self.record_loss(group, &form);
        if form.is_empty() {
            return;
        }
        match self.equivalent_nodes(html, nodes, &form) {
            // If the only node is an HTML card, a Markdown card is tried first.
            Some(nodes) if nodes.len() != 1 || !is_html_card(&nodes[0]) => self.nodes.extend(nodes),
            _ => {
                self.converted.cards += 1;
                match self.markdown_card(group, &form) {
                    Some(card) => self.nodes.push(card),
                    None => self.html_card(group),
                }
            }
        }
    }

    /// Reports a group that would affect the content after it. In the document, its effect ends with its last block.
    fn record_loss(&mut self, group: &Group<'_>, form: &NormalForm) {
        let is_markdown = !self.source_of(group).contains('<');
        // An unfinished tag at the end of the block would swallow the content after it.
        let ends_in_tag = group.html.rfind('<') > group.html.rfind('>');
        if is_markdown || (!ends_in_tag && groups::RawTags::of(&group.html).are_balanced()) {
            return;
        }
        // A paragraph after the group shows any effect: an open element would enclose it.
        let next = "<p>.</p>";
        let followed = NormalForm::of(&format!("{}{next}", group.html));
        if followed != form.followed_by(&NormalForm::of(next)) {
            let start = group.range.as_ref().map_or(0, |range| range.start);
            self.converted.losses.push(start);
        }
    }

    fn source_of(&self, group: &Group<'_>) -> &str {
        &self.source[group.range.clone().unwrap_or_default()]
    }

    /// Returns the nodes of `html` and their HTML; `None` if a node cannot be rendered.
    fn nodes_of(&self, html: &str) -> Option<(Vec<String>, String)> {
        let nodes = html_to_lexical::nodes(&with_known_elements(html));
        let rendering = lexical::to_html(&document(&nodes), Context { site: self.site }).ok()?;
        (rendering.losses.is_empty()).then_some((nodes, rendering.html))
    }

    /// Returns nodes that render like `html`: those it is converted to, or the node of a linked image.
    fn equivalent_nodes(
        &mut self,
        html: &str,
        nodes: Option<(Vec<String>, String)>,
        form: &NormalForm,
    ) -> Option<Vec<String>> {
        self.if_same(nodes, form).or_else(|| {
            let figure = linked_image(html)?;
            self.if_same(self.nodes_of(&figure), form)
        })
    }

    fn if_same(
        &mut self,
        nodes: Option<(Vec<String>, String)>,
        form: &NormalForm,
    ) -> Option<Vec<String>> {
        let (nodes, rendered) = nodes?;
        let rendered = NormalForm::of(&rendered);
        (rendered.shows_the_same(form) && self.take_heading_ids(&rendered, form)).then_some(nodes)
    }

    /// Returns whether the headings of the nodes get the expected ids, and counts these ids if so. `rendered` contains
    /// the ids that they get in a separate document.
    fn take_heading_ids(&mut self, rendered: &NormalForm, expected: &NormalForm) -> bool {
        let [own, expected] = [rendered.heading_ids(), expected.heading_ids()];
        match (own, expected) {
            _ if self.is_for_editing => true,
            ([], []) => true,
            ([own], [expected]) => self.take_heading_id(own, expected),
            // Only raw HTML has several headings in a block. The numbers of repeated ids would depend on their order.
            _ => false,
        }
    }

    /// Returns whether a block is not a heading, or a heading that gets the expected id, and counts that id if so.
    fn takes_id_of(&mut self, block: &PlainBlock<'_>) -> bool {
        match &block.heading {
            Some(heading) if !self.is_for_editing => {
                self.take_heading_id(&heading.own_id, heading.id)
            }
            _ => true,
        }
    }

    /// Returns whether a heading that gets the id `own` in a separate document gets the expected id here, and counts
    /// the id if so.
    fn take_heading_id(&mut self, own: &str, expected: &str) -> bool {
        let is_same = are_same_ids(&self.heading_ids.next(own), expected);
        // Otherwise the heading is in a card, whose ids do not count towards those of nodes.
        if is_same {
            self.heading_ids.number(own.to_owned());
        }
        is_same
    }

    /// Returns a card with the Markdown of a group, if it renders equally.
    fn markdown_card(&self, group: &Group<'_>, form: &NormalForm) -> Option<String> {
        let range = group.range.clone().filter(|_| !group.is_raw)?;
        let markdown = self.with_resolved_urls(range)?;
        let markdown = markdown.trim_matches('\n').trim_end();
        let shown = NormalForm::of(&card::to_html(markdown));
        let has_same_ids = self.is_for_editing
            || shown.heading_ids().len() == form.heading_ids().len()
                && (shown.heading_ids().iter())
                    .zip(form.heading_ids())
                    .all(|(shown, expected)| are_same_ids(shown, expected));
        let says_all = !markdown.is_empty() && shown.shows_the_same(form) && has_same_ids;
        says_all
            .then(|| json!({"type": "markdown", "version": 1, "markdown": markdown}).to_string())
    }

    /// Returns the Markdown at `range` of the source with its URLs replaced.
    fn with_resolved_urls(&self, range: Range<usize>) -> Option<Cow<'_, str>> {
        let range = line_start(self.source, range.start)..range.end;
        let markdown = &self.source[range.clone()];
        let first = (self.urls).partition_point(|url| url.position < range.start);
        let urls = self.urls[first..]
            .iter()
            .take_while(|url| url.position < range.end);
        // By position: a URL may be found behind that of a later link.
        let mut edits: BTreeMap<usize, &ResolvedUrl> = BTreeMap::new();
        let mut search_left = SEARCH_MAX * markdown.len();
        for url in urls {
            let start = url.position - range.start;
            let position = markdown[start..]
                .match_indices(&url.written)
                .map(|(offset, _)| start + offset)
                .take_while(|position| {
                    search_left = search_left.saturating_sub(position - start + 1);
                    search_left > 0
                })
                .find(|position| {
                    !edits.contains_key(position) && begins_url(&markdown[..*position])
                })?;
            edits.insert(position, url);
        }
        if edits.is_empty() {
            return Some(Cow::Borrowed(markdown));
        }
        let mut edited = String::with_capacity(markdown.len());
        let mut end = 0;
        for (start, url) in edits {
            // Overlapping URLs make this range invalid, and the block becomes an HTML card instead.
            edited.push_str(markdown.get(end..start)?);
            edited.push_str(&url.resolved);
            end = start + url.written.len();
        }
        edited.push_str(markdown.get(end..)?);
        Some(Cow::Owned(edited))
    }

    /// Adds an HTML card. Unclosed elements are closed, since they would swallow the content after the card.
    fn html_card(&mut self, group: &Group<'_>) {
        let mut html = Cow::Borrowed(group.html.trim());
        if !groups::RawTags::of(&html).are_balanced() {
            let mut repaired = String::new();
            for node in parse_fragment(&html).root().children() {
                node.push_outer_html(&mut repaired);
            }
            html = Cow::Owned(repaired);
        }
        let card = cards::html_card(html.trim());
        self.nodes.push(card.to_string());
    }
}

/// Returns HTML with only such format elements as [`html_to_lexical`] supports; like Ghost, it does not support `del`.
fn with_known_elements(html: &str) -> Cow<'_, str> {
    if html.contains("<del>") {
        Cow::Owned(html.replace("<del>", "<s>").replace("</del>", "</s>"))
    } else {
        Cow::Borrowed(html)
    }
}

/// Returns whether a link to one of the ids opens the other. Browsers compare fragments both percent-encoded and
/// decoded.
fn are_same_ids(own: &str, expected: &str) -> bool {
    expected.is_empty() || percent_decode_str(own).eq(percent_decode_str(expected))
}

/// Returns a paragraph that contains only a linked image, in the form that [`html_to_lexical`] supports.
fn linked_image(html: &str) -> Option<String> {
    let content = html.trim().strip_prefix("<p>")?.strip_suffix("</p>")?;
    let is_link = content.starts_with("<a ") && content.ends_with("</a>");
    (is_link && content.contains("<img ")).then(|| format!("<figure>{content}</figure>"))
}

fn is_html_card(node: &str) -> bool {
    // Inside a JSON string, the quotation marks would be escaped.
    node.contains("\"type\":\"html\"")
}

/// Returns whether a URL may begin after this text.
fn begins_url(before: &str) -> bool {
    before.ends_with(['(', '<', '"', '\'', '=', ',']) || before.ends_with(": ")
}

/// Returns the start of the line of `position` if only white space precedes it, and otherwise `position`.
fn line_start(source: &str, position: usize) -> usize {
    let before = &source[..position];
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    if before.len() == blanks || before[..before.len() - blanks].ends_with('\n') {
        position - blanks
    } else {
        position
    }
}

fn code_card(language: &str, code: &str) -> String {
    let card = json!({
        "type": "codeblock",
        "version": 1,
        "code": code,
        "language": language,
        "caption": ""
    });
    card.to_string()
}

/// Returns a document with these nodes. Without nodes, it contains an empty paragraph, as a new post in the editor
/// does.
fn document(nodes: &[String]) -> String {
    if nodes.is_empty() {
        return EMPTY_DOCUMENT.to_owned();
    }
    let bytes: usize = nodes.iter().map(|node| node.len() + 1).sum();
    let mut document = String::with_capacity(bytes + 128);
    document.push_str("{\"root\":{\"children\":[");
    for (index, node) in nodes.iter().enumerate() {
        if index > 0 {
            document.push(',');
        }
        document.push_str(node);
    }
    document.push_str(
        "],\"direction\":null,\"format\":\"\",\"indent\":0,\"type\":\"root\",\"version\":1}}",
    );
    document
}
