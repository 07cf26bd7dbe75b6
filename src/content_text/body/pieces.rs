//! The parts of an edited body: unchanged blocks, and nodes to write.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
};

use serde_json::Value;

use super::{read::ReadBody, urls::FOOTNOTE};
use crate::{
    content_text::{alignment, node_equivalence::canonical, rendering},
    render::{equivalence::NormalForm, urls::PLACEHOLDER},
};

/// A part of an edited body.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its nodes.
    pub nodes: Vec<Value>,
    /// The index of the block in the old body whose bytes it retains, if any.
    pub block: Option<usize>,
    /// True if it was not moved: the retained blocks before and after it are the same as in the old body.
    pub is_unmoved: bool,
    /// Its normal form, as readers see it.
    pub form: NormalForm,
}

/// The parts of an edited body, in order.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    pub pieces: Vec<Piece>,
    /// True if the list of footnotes is unchanged, so that it is derived from the blocks.
    pub keeps_footnotes: bool,
}

/// Returns the parts of a body with the nodes `edited`, which contain no empty paragraph. An unchanged list of footnotes is a
/// part only if it `is_content`.
pub fn of(base: &ReadBody, edited: &[Value], is_content: bool) -> Pieces {
    let mut blocks = OldBlocks::of(base, edited);
    let mut pieces = Pieces::default();
    let mut position = 0;
    while position < edited.len() {
        let unmoved = blocks.unmoved.get(&position).copied();
        let block = unmoved.or_else(|| blocks.moved_to(position));
        let is_list = |block: &usize| base.blocks[*block].range.is_empty();
        let block = block.filter(|block| !is_content || !is_list(block));
        let count = block.map_or(1, |block| blocks.nodes[block].len());
        let nodes = edited[position..position + count].to_vec();
        position += count;
        if let Some(block) = block {
            blocks.is_used[block] = true;
            if is_list(&block) {
                // Markdown derives the list from the references, so it is not written.
                pieces.keeps_footnotes = true;
                continue;
            }
        }
        let html = block.map(|block| base.blocks[block].html.clone());
        pieces.pieces.push(Piece {
            form: shown(&html.unwrap_or_else(|| rendering::of_nodes(&nodes))),
            nodes,
            block,
            is_unmoved: unmoved.is_some(),
        });
    }
    pieces
}

/// The blocks of the old body, with their nodes in canonical form, and those that the edited body contains.
struct OldBlocks {
    /// The nodes of the edited body.
    edited: Vec<String>,
    /// The nodes of each block.
    nodes: Vec<Vec<String>>,
    /// The blocks by their first node, the last block first.
    by_first: HashMap<String, Vec<usize>>,
    /// The blocks that were not moved, by the position of their first node in the edited body.
    unmoved: HashMap<usize, usize>,
    /// Whether the edited body contains each block.
    is_used: Vec<bool>,
}

impl OldBlocks {
    fn of(base: &ReadBody, edited: &[Value]) -> Self {
        let edited: Vec<String> = edited.iter().map(canonical).collect();
        let in_block = |nodes: &[Value]| -> Vec<String> {
            // `edited` has no empty paragraphs, so those of the blocks do not count either.
            let nodes = nodes.iter().filter(|node| !is_empty_paragraph(node));
            nodes.map(canonical).collect()
        };
        let nodes: Vec<Vec<String>> = (base.blocks.iter())
            .map(|block| in_block(&block.nodes))
            .collect();
        let mut by_first: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, block) in nodes.iter().enumerate().rev() {
            if let Some(first) = block.first() {
                by_first.entry(first.clone()).or_default().push(position);
            }
        }
        // Blocks that were not moved are assigned before moved blocks are searched for.
        let unmoved = unmoved(&nodes, &edited);
        let mut is_used = vec![false; nodes.len()];
        for block in unmoved.values() {
            is_used[*block] = true;
        }
        Self {
            edited,
            nodes,
            by_first,
            unmoved,
            is_used,
        }
    }

    /// Returns the first unused block whose nodes are at this position of the edited body.
    fn moved_to(&self, position: usize) -> Option<usize> {
        let candidates = self.by_first.get(&self.edited[position])?;
        let is_here = |block: &usize| self.edited[position..].starts_with(&self.nodes[*block]);
        let mut candidates = candidates.iter().rev().copied();
        candidates.find(|block| !self.is_used[*block] && is_here(block))
    }
}

/// Returns the blocks whose nodes are all aligned with edited nodes, by the position of the first node in the edited body.
fn unmoved(blocks: &[Vec<String>], edited: &[String]) -> HashMap<usize, usize> {
    // The block of each old node, and its position in the block.
    let old: Vec<(usize, usize)> = blocks
        .iter()
        .enumerate()
        .flat_map(|(block, nodes)| (0..nodes.len()).map(move |node| (block, node)))
        .collect();
    let matches = alignment::matches(&blocks.concat(), edited);
    let aligned: HashMap<usize, usize> = matches.into_iter().map(|(old, new)| (new, old)).collect();
    let mut unmoved = HashMap::new();
    for (&new, &node) in &aligned {
        let (block, first) = old[node];
        let mut following = 1..blocks[block].len();
        let is_whole =
            first == 0 && following.all(|next| aligned.get(&(new + next)) == Some(&(node + next)));
        if is_whole {
            unmoved.insert(new, block);
        }
    }
    unmoved
}

/// Returns HTML without the table of contents of kramdown, which is derived from the headings.
fn without_contents(html: &str) -> Cow<'_, str> {
    let Some(start) = html.find(" id=\"markdown-toc\"") else {
        return Cow::Borrowed(html);
    };
    let start = html[..start].rfind('<').unwrap_or(start);
    // The lists in a table of contents are nested, so its end is found by counting.
    let mut depth = 0;
    for (offset, _) in html[start..].match_indices('<') {
        let tag = &html[start + offset..];
        if tag.starts_with("<ul") || tag.starts_with("<ol") {
            depth += 1;
        } else if tag.starts_with("</ul>") || tag.starts_with("</ol>") {
            depth -= 1;
            if depth == 0 {
                let end = start + offset + "</ul>".len();
                return Cow::Owned([&html[..start], &html[end..]].concat());
            }
        }
    }
    Cow::Borrowed(html)
}

/// Returns the normal form of HTML as readers see it, without the numbers of footnotes, which depend on their order. Paths on
/// the site and their stored forms are equal.
pub fn shown(html: &str) -> NormalForm {
    const REFERENCE: &str = "<sup class=\"footnote-ref\">";
    let mut rest = html;
    let mut masked = String::new();
    while let Some(start) = rest.find(REFERENCE) {
        let behind = &rest[start + REFERENCE.len()..];
        let Some(end) = behind.find("</sup>") else {
            break;
        };
        masked.push_str(&rest[..start + REFERENCE.len()]);
        rest = &behind[end..];
    }
    masked.push_str(rest);
    let masked = without_contents(&masked);
    NormalForm::of(&masked.replace(PLACEHOLDER, ""))
}

/// Returns the normal form of a whole body as readers see it, without its list of footnotes if it has one.
pub fn shown_of_body(html: &str, has_footnotes: bool) -> NormalForm {
    let list = html.rsplit_once("<hr class=\"footnotes-sep\">");
    let without_list = list.filter(|_| has_footnotes).map(|(before, _)| before);
    shown(without_list.unwrap_or(html))
}

/// Returns whether HTML has an element that would continue in the HTML after it.
pub fn reaches_further(html: &str) -> bool {
    const NEXT: &str = "<p>.</p>";
    // An element that is not closed would contain the next paragraph.
    let followed = shown(&format!("{html}{NEXT}"));
    !followed.shows_the_same(&shown(html).followed_by(&shown(NEXT)))
}

/// Returns whether a node is a paragraph without text, which readers do not see.
pub fn is_empty_paragraph(node: &Value) -> bool {
    node["type"] == "paragraph" && node["children"].as_array().is_none_or(Vec::is_empty)
}

/// Returns whether HTML refers to a footnote.
pub fn refers_to_footnote(html: &str) -> bool {
    !referenced_footnotes(html).is_empty()
}

/// Returns the numbers of the footnotes to which HTML refers. They are recognised by their URL, because links of the editor
/// have no class.
pub fn referenced_footnotes(html: &str) -> BTreeSet<&str> {
    let link = format!("href=\"{FOOTNOTE}");
    let targets = html.match_indices(&link).map(|(offset, _)| {
        let number = &html[offset + link.len()..];
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        &number[..digits]
    });
    targets.filter(|number| !number.is_empty()).collect()
}
