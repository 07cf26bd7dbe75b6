//! Bodies of content files as documents of the editor, and edits of these documents in the text of the body.
//!
//! [`BodyReader::document`] shows each block of a body as ordinary nodes if these render equally, and else as a card of
//! Markdown, HTML or code. [`BodyReader::write`] returns the body with an edit: blocks with unchanged nodes have the same
//! bytes, also when they were moved.

mod compose;
mod pieces;
mod read;
mod urls;
mod write;

use std::ops::Range;

use serde::Serialize;
use serde_json::Value;

use super::{error::EditError, rendering};
use crate::render::{
    markdown::{self, BodyUrl, Dialect},
    markdown_to_lexical::{FENCE, FenceContent, take_nodes},
};

pub(super) use self::read::ReadBody;

/// The language of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyFormat {
    /// Markdown.
    Markdown,
    /// HTML, which is not changed.
    Html,
    /// Markdown that becomes a Lexical document, with fenced blocks that contain its nodes as JSON.
    Lexical,
}

/// Reads the bodies of a file, and writes them.
#[derive(Clone, Copy)]
pub struct BodyReader<'r> {
    /// The language of the body.
    pub format: BodyFormat,
    /// The dialect of its Markdown.
    pub dialect: Dialect,
    /// Returns the stored form of a URL of the body; `None` if it stays as written.
    pub resolve: &'r dyn Fn(BodyUrl<'_>) -> Option<String>,
    /// URLs that an edit may add, as they are to be written and in stored form.
    pub urls: &'r [(String, String)],
    /// Expands templates and components before the Markdown is parsed.
    pub expand: Option<&'r dyn Fn(&str) -> Expansion>,
}

/// A body with expanded templates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The expanded text.
    pub text: String,
    /// For each of its lines the line of the body that it is from, both counted from 0.
    pub lines: Vec<usize>,
}

/// A document of the editor that shows a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorDocument {
    /// The document in stored form, as JSON text.
    pub lexical: String,
    /// For each top-level node the bytes of its block in the body; empty for nodes without bytes, such as the list of
    /// footnotes.
    pub blocks: Vec<Range<usize>>,
}

impl BodyReader<'_> {
    /// Returns the document of a body.
    pub fn document(&self, body: &str) -> EditorDocument {
        let read = ReadBody::of(self, body);
        let blocks = read.blocks.iter();
        let ranges = blocks.flat_map(|block| block.nodes.iter().map(|_| block.range.clone()));
        EditorDocument {
            blocks: ranges.collect(),
            lexical: rendering::document_of(read.into_nodes()).to_string(),
        }
    }

    /// Returns the HTML that readers get of a body: that of [`markdown::to_html`], with the nodes of fenced blocks.
    pub fn html(&self, body: &str) -> String {
        let expanded = self.expand.map(|expand| expand(body).text);
        let body = expanded.as_deref().unwrap_or(body);
        match self.format {
            BodyFormat::Markdown => {
                markdown::to_html_with_code(body, self.dialect, self.resolve, |language, code| {
                    let content = FenceContent::parse(code).ok();
                    let nodes = content.filter(|_| language == FENCE)?.into_nodes();
                    Some(format!("{}\n", rendering::of_nodes(&nodes)))
                })
            }
            BodyFormat::Html => markdown::resolve_html(body, self.resolve).into_owned(),
            BodyFormat::Lexical => rendering::of_nodes(&ReadBody::of(self, body).into_nodes()),
        }
    }

    /// Returns the body with an edit of its document: `shown` is the document of the body, `edited` the edited one, both in
    /// stored form.
    ///
    /// # Errors
    ///
    /// If one of them is not a document, `shown` is not the document of the body, or no text can express `edited`.
    pub fn write(&self, body: &str, shown: &str, edited: &str) -> Result<String, EditError> {
        let [shown, edited] = [shown, edited].map(nodes_of);
        write::edited(self, body, &shown?, &edited?)
    }
}

fn nodes_of(lexical: &str) -> Result<Vec<Value>, EditError> {
    let mut document: Value = serde_json::from_str(lexical)
        .map_err(|error| EditError::of_file(format!("the document is not JSON: {error}")))?;
    Ok(take_nodes(&mut document))
}
