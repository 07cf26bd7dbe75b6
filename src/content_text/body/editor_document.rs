//! Bodies as documents of the editor and as HTML, and edits of them.

use std::ops::Range;

use serde_json::Value;

use crate::{
    content_text::{
        body::{
            body_reader::{BodyFormat, BodyReader},
            read::ReadBody,
            write,
        },
        error::EditError,
        rendering,
    },
    render::{
        markdown,
        markdown_to_lexical::{FENCE, FenceContent, take_nodes},
    },
};

/// A document of the editor that shows a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditorDocument {
    /// The document in stored form, as JSON text.
    pub lexical: String,
    /// The byte range of each top-level node's block in the body; empty for nodes without text in the body, such as the
    /// list of footnotes.
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

    /// Returns the HTML of a body for readers: that of [`markdown::to_html`], with the rendered nodes of fenced blocks.
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

    /// Returns the body with an edit of its document applied: `shown` is the document of the body, `edited` the edited
    /// document, both in stored form.
    ///
    /// # Errors
    ///
    /// If one of them is not a document, `shown` is not the document of the body, or no text can express `edited`.
    pub fn write(&self, body: &str, shown: &str, edited: &str) -> Result<String, EditError> {
        let [shown, edited] = [shown, edited].map(nodes_of);
        write::edited(self, body, &shown?, &edited?)
    }
}

pub(super) fn nodes_of(lexical: &str) -> Result<Vec<Value>, EditError> {
    let mut document: Value = serde_json::from_str(lexical)
        .map_err(|error| EditError::of_file(format!("the document is not JSON: {error}")))?;
    Ok(take_nodes(&mut document))
}
