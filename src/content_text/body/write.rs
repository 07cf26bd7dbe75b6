//! Writes an edit of a document into the body that the document shows.

use serde_json::Value;

use super::{
    BodyFormat, BodyReader,
    compose::{ComposedBlock, composed},
    pieces::{
        self, Piece, Pieces, is_empty_paragraph, reaches_further, referenced_footnotes,
        refers_to_footnote, shown, shown_of_body,
    },
    read::ReadBody,
    urls::WrittenUrls,
};
use crate::{
    content_text::{
        error::EditError,
        markdown::{self, fenced},
        node_equivalence::canonical,
        rendering,
        url_form::{UrlForm, UrlWriter},
    },
    render::{
        body_counts::BodyCounts, equivalence::NormalForm, html_to_lexical,
        markdown_to_lexical::take_nodes,
    },
};

/// Maximum number of attempts at a text that is read as the edit, before the whole document is written as one fenced block.
const ROUNDS_MAX: usize = 12;

/// Returns `body` with the edit from the document `shown` to `edited` applied.
pub fn edited(
    reader: &BodyReader<'_>,
    body: &str,
    shown: &[Value],
    edited: &[Value],
) -> Result<String, EditError> {
    let base = ReadBody::of(reader, body);
    let names = |nodes: &[Value]| -> Vec<String> { nodes.iter().map(canonical).collect() };
    let old = base.blocks.iter().flat_map(|block| &block.nodes);
    let old: Vec<String> = old.map(canonical).collect();
    let shown_names = names(shown);
    // The editor shows an empty body as one empty paragraph.
    let is_blank = old.is_empty() && shown.iter().all(is_empty_paragraph);
    if shown_names != old && !is_blank {
        return Err(EditError::of_file(
            "the file has changed since the editor loaded it",
        ));
    }
    // A save without a change must not change a byte, even of a body that could not be written.
    if names(edited) == shown_names {
        return Ok(body.to_owned());
    }
    // HTML is one block, so it is written as a whole.
    if reader.format == BodyFormat::Html {
        return of_html(reader, &base, edited);
    }
    let edited: Vec<Value> = edited
        .iter()
        .filter(|node| !is_empty_paragraph(node))
        .cloned()
        .collect();
    let pieces = pieces::of(&base, &edited, false);
    let has_footnotes = pieces.keeps_footnotes;
    if let Some(text) = Writing::new(reader, body, &base, pieces).written()
        && (!has_footnotes || shows_footnotes(reader, &text, &base, &edited))
    {
        return Ok(text);
    }
    // The edit affects references to footnotes, so the list is written as content.
    if has_footnotes {
        let pieces = pieces::of(&base, &edited, true);
        if let Some(text) = Writing::new(reader, body, &base, pieces).written() {
            return Ok(text);
        }
    }
    // The last resort, which only Galley can read.
    whole(reader, &edited)
}

/// Returns whether `text` shows the footnotes to which the document `edited` refers. In a body for the editor they are nodes
/// of the document; in Markdown they are derived from the references, which an edit may remove.
fn shows_footnotes(reader: &BodyReader<'_>, text: &str, base: &ReadBody, edited: &[Value]) -> bool {
    let html = reader.html(text);
    let edited = rendering::of_nodes(edited);
    if reader.format == BodyFormat::Lexical {
        return shown(&html).shows_the_same(&shown(&edited));
    }
    let old: String = base.blocks.iter().map(|block| &*block.html).collect();
    let [before, after] = [&old, &edited].map(|html| referenced_footnotes(html));
    let expected = if before.is_subset(&after) {
        BodyCounts::of_html(&old).footnotes
    } else {
        before.intersection(&after).count()
    };
    BodyCounts::of_html(&html).footnotes >= expected
}

fn of_html(
    reader: &BodyReader<'_>,
    base: &ReadBody,
    edited: &[Value],
) -> Result<String, EditError> {
    let html = rendering::of_nodes(edited);
    let body = format!("{}\n", base.urls.markup(&html));
    if shown(&reader.html(&body)) == shown(&html) {
        Ok(body)
    } else {
        Err(EditError::of_file("the document cannot be written as HTML"))
    }
}

/// Returns a body that is one fenced block.
fn whole(reader: &BodyReader<'_>, edited: &[Value]) -> Result<String, EditError> {
    let document = rendering::document_of(edited.to_vec());
    // In the folder of a generator, `{{` in the JSON would be expanded as a template.
    for block in [fenced(&document), escaped(&fenced(&document))] {
        let body = format!("\n{block}\n");
        if shown(&reader.html(&body)) == shown(&rendering::of_nodes(edited)) {
            return Ok(body);
        }
    }
    Err(EditError::of_file(
        "no Markdown or HTML converts to this document",
    ))
}

/// Escapes the characters in strings of JSON that have a meaning in templates.
fn escaped(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    let mut is_string = false;
    let mut is_escape = false;
    for character in json.chars() {
        let is_harmless = character.is_alphanumeric() || " -_./\\\"\n".contains(character);
        if is_string && !is_escape && !is_harmless && character.is_ascii() {
            text.push_str(&format!("\\u{:04x}", u32::from(character)))
        } else {
            text.push(character)
        }
        is_string ^= character == '"' && !is_escape;
        is_escape = is_string && character == '\\' && !is_escape;
    }
    text
}

/// A part with the forms in which it can be written.
struct WrittenPiece {
    piece: Piece,
    /// The unchanged text of its block; or else Markdown, and then fenced blocks.
    forms: Vec<String>,
    form: usize,
}

struct Writing<'w> {
    reader: &'w BodyReader<'w>,
    body: &'w str,
    base: &'w ReadBody,
    urls: WrittenUrls,
    pieces: Vec<WrittenPiece>,
    keeps_footnotes: bool,
    /// True if the body renders like its blocks: no element spans two blocks.
    is_clean: bool,
}

impl<'w> Writing<'w> {
    fn new(reader: &'w BodyReader<'w>, body: &'w str, base: &'w ReadBody, pieces: Pieces) -> Self {
        let had_footnotes = base.blocks.iter().any(|block| block.range.is_empty());
        let mut writing = Self {
            reader,
            body,
            base,
            urls: base.urls.clone(),
            pieces: Vec::with_capacity(pieces.pieces.len()),
            keeps_footnotes: pieces.keeps_footnotes,
            is_clean: false,
        };
        if !writing.keeps_footnotes {
            writing.urls.set_footnotes(Vec::new());
        }
        let nodes = base.blocks.iter().filter(|block| !block.range.is_empty());
        let nodes: Vec<Value> = nodes.flat_map(|block| block.nodes.clone()).collect();
        // A body that does not render like its blocks before the edit cannot be compared as a whole
        // after it.
        writing.is_clean = shown_of_body(&reader.html(body), had_footnotes)
            .shows_the_same(&shown(&rendering::of_nodes(&nodes)));
        for mut piece in pieces.pieces {
            let html = piece.block.map(|block| &*base.blocks[block].html);
            // Edited footnotes are nodes of the document, and no longer footnotes of the Markdown.
            if had_footnotes && !writing.keeps_footnotes && html.is_some_and(refers_to_footnote) {
                piece.block = None;
            }
            match piece.block {
                Some(block) => {
                    let source = body[base.blocks[block].range.clone()].to_owned();
                    writing.pieces.push(WrittenPiece {
                        piece,
                        forms: vec![source],
                        form: 0,
                    });
                }
                None => writing.pieces.extend(writing.pieces_of(&piece)),
            }
        }
        writing
    }

    /// Returns the body; `None` if no form of the parts is read as the edit.
    fn written(&mut self) -> Option<String> {
        for _ in 0..ROUNDS_MAX {
            let (text, failing) = self.attempt();
            if failing.is_empty() {
                return Some(text);
            }
            if !self.try_other_forms(&failing) {
                break;
            }
        }
        None
    }

    /// Splits a part into one part for each of its nodes, which are written without the text of the block.
    fn pieces_of(&self, piece: &Piece) -> Vec<WrittenPiece> {
        let nodes = piece.nodes.iter();
        nodes
            .map(|node| {
                let form = shown(&rendering::of_nodes(std::slice::from_ref(node)));
                WrittenPiece {
                    forms: self.forms(node, &form),
                    form: 0,
                    piece: Piece {
                        nodes: vec![node.clone()],
                        block: None,
                        is_unmoved: false,
                        form,
                    },
                }
            })
            .collect()
    }

    /// Returns the texts that alone are read as `node`, the most readable first.
    fn forms(&self, node: &Value, form: &NormalForm) -> Vec<String> {
        let mut texts = Vec::new();
        // A reference is not read as such without the definition of its footnote, so `attempt` compares the whole body.
        let refers = refers_to_footnote(&rendering::of_nodes(std::slice::from_ref(node)));
        if node["type"] == "html" && self.reader.format == BodyFormat::Markdown {
            texts.extend(refers.then(|| self.with_references(node)).flatten());
            let html = self.urls.markup(node["html"].as_str().unwrap_or_default());
            texts.push(html.trim_matches('\n').trim_end().to_owned());
        }
        texts.extend(markdown::of_node(node, &self.urls, None));
        // A path could be resolved to a file of the folder; a stored URL is never resolved.
        texts.extend(markdown::of_node(node, &UrlForm::Stored, None));
        let mut forms: Vec<String> = Vec::new();
        for text in texts {
            if !text.trim().is_empty()
                && !forms.contains(&text)
                && (refers || self.reads_as(&text, node, form))
            {
                forms.push(text);
            }
        }
        let fence = fenced(node);
        forms.push(escaped(&fence));
        let last = forms.len() - 1;
        forms.insert(last, fence);
        forms
    }

    /// Returns the HTML of a card as Markdown, in which links to footnotes are references.
    fn with_references(&self, card: &Value) -> Option<String> {
        let document = html_to_lexical::to_lexical(card["html"].as_str()?);
        let nodes = take_nodes(&mut serde_json::from_str(&document).ok()?);
        let blocks = nodes.iter().map(|node| {
            let texts = markdown::of_node(node, &self.urls, None);
            texts.into_iter().next()
        });
        Some(blocks.collect::<Option<Vec<_>>>()?.join("\n\n"))
    }

    fn reads_as(&self, text: &str, node: &Value, form: &NormalForm) -> bool {
        let read = ReadBody::of(self.reader, text);
        let html: String = read.blocks.iter().map(|block| &*block.html).collect();
        // The text of a card need not be read as a card again.
        let is_text = matches!(node["type"].as_str(), Some("markdown" | "html"));
        let nodes = read.into_nodes();
        let is_same = match nodes.as_slice() {
            [read] => is_text || canonical(read) == canonical(node),
            _ => is_text,
        };
        is_same && shown(&html) == *form
    }

    /// Returns the body with the current form of each part, and the indexes of the parts that it would not show.
    fn attempt(&self) -> (String, Vec<usize>) {
        let parts = self.pieces.iter().map(|written| ComposedBlock {
            text: &written.forms[written.form],
            block: written.piece.block,
            is_unmoved: written.piece.is_unmoved,
            is_list: written
                .piece
                .nodes
                .iter()
                .any(|node| node["type"] == "list"),
        });
        let parts: Vec<ComposedBlock<'_>> = parts.collect();
        let (text, ranges) = composed(self.body, &self.base.blocks, &parts);
        let read = ReadBody::of(self.reader, &text);
        let mut failing = Vec::new();
        // The HTML of the blocks that begin in each part: a block may span several parts.
        let mut html = vec![String::new(); ranges.len()];
        let mut joins = vec![false; ranges.len()];
        for block in &read.blocks {
            if block.range.is_empty() {
                if !self.keeps_footnotes {
                    failing.extend(self.footnote_references(&read, &ranges));
                }
                continue;
            }
            let first = ranges.partition_point(|range| range.end <= block.range.start);
            let end = ranges.partition_point(|range| range.start < block.range.end);
            if first >= end {
                // The block is between parts, so the parts around it produce it.
                failing.extend(first.checked_sub(1).into_iter().chain([first]));
                continue;
            }
            html[first].push_str(&block.html);
            // These parts are read as one block, so their forms are compared together.
            joins[first + 1..end].fill(true);
        }
        let mut start = 0;
        while start < ranges.len() {
            let joined = joins[start + 1..]
                .iter()
                .take_while(|joins| **joins)
                .count();
            let end = start + joined + 1;
            let read: String = html[start..end].concat();
            let wanted = self.pieces[start..end]
                .iter()
                .map(|written| &written.piece.form)
                .fold(NormalForm::default(), |form, next| form.followed_by(next));
            if !shown(&read).shows_the_same(&wanted) {
                failing.extend(start..end);
            }
            start = end;
        }
        failing.retain(|index| *index < ranges.len());
        // An element that is not closed changes the rest of the page, which no block alone shows.
        if failing.is_empty() && self.is_clean {
            failing = self.reaching_further(&text);
        }
        failing.sort_unstable();
        failing.dedup();
        (text, failing)
    }

    /// Returns the parts with elements that continue in the next part, or all parts if there are none, if the body as a
    /// whole does not show the same as its parts.
    fn reaching_further(&self, text: &str) -> Vec<usize> {
        let nodes = self.pieces.iter().flat_map(|written| &written.piece.nodes);
        let wanted = shown(&rendering::of_nodes(&nodes.cloned().collect::<Vec<_>>()));
        if shown_of_body(&self.reader.html(text), self.keeps_footnotes).shows_the_same(&wanted) {
            return Vec::new();
        }
        let blocks = self.pieces.iter().enumerate().filter(|(_, written)| {
            let block = written.piece.block.map(|block| &self.base.blocks[block]);
            block.is_some_and(|block| reaches_further(&block.html))
        });
        let reaching: Vec<usize> = blocks.map(|(index, _)| index).collect();
        if reaching.is_empty() {
            (0..self.pieces.len()).collect()
        } else {
            reaching
        }
    }

    /// Returns the parts that refer to footnotes.
    fn footnote_references(
        &self,
        read: &ReadBody,
        ranges: &[std::ops::Range<usize>],
    ) -> Vec<usize> {
        let references = read
            .blocks
            .iter()
            .filter(|block| refers_to_footnote(&block.html));
        references
            .map(|block| ranges.partition_point(|range| range.end <= block.range.start))
            .collect()
    }

    /// Advances failing parts to their next forms; `false` if there are none. Of consecutive parts, the first changes only
    /// if no other can.
    fn try_other_forms(&mut self, failing: &[usize]) -> bool {
        let mut is_changed = false;
        let mut index = 0;
        while index < failing.len() {
            let run = (index + 1..failing.len())
                .take_while(|next| failing[*next] == failing[index] + next - index)
                .count();
            let run = &failing[index..=index + run];
            let (first, others) = (run[0], &run[1..]);
            let mut of_run = false;
            for other in others {
                of_run |= self.next_form(*other);
            }
            if !of_run {
                of_run = self.next_form(first);
            }
            is_changed |= of_run;
            index += run.len();
        }
        // Splitting a part moves the parts after it, so parts are split at the end.
        let pieces = std::mem::take(&mut self.pieces);
        for written in pieces {
            // `next_form` moves a retained block beyond its only form, so it is split into its
            // nodes.
            if written.form < written.forms.len() {
                self.pieces.push(written)
            } else {
                let parts = self.pieces_of(&written.piece);
                self.pieces.extend(parts);
            }
        }
        is_changed
    }

    fn next_form(&mut self, index: usize) -> bool {
        let written = &mut self.pieces[index];
        let keeps_bytes = written.piece.block.is_some();
        if written.form + 1 < written.forms.len() || keeps_bytes {
            written.form += 1;
            return true;
        }
        false
    }
}
