//! The text of a post as it may stand in its file, the form that reads best first.

mod blocks;
mod inline;

use std::slice;

use serde_json::Value;

use super::{address::Form, comparison::StoredBody, equivalence};
use crate::{
    render::html_to_lexical,
    sources::{FENCE, Preview},
};

/// What the text of a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// Markdown that becomes a document of the editor.
    Lexical,
}

impl Language {
    /// What the text of the file at `path` is if its front matter does not say.
    pub fn of_file(path: &str) -> Self {
        if path.ends_with(".html") || path.ends_with(".htm") {
            Self::Html
        } else {
            Self::Markdown
        }
    }

    /// The word for it in front matter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Lexical => "lexical",
        }
    }
}

/// A text, and what it is.
pub struct Text {
    /// What it is.
    pub language: Language,
    /// The text.
    pub text: String,
}

/// Writes a body in one language, if it can.
type Maker = fn(&StoredBody, Form, &Preview) -> Option<Text>;

/// The forms in which `body` may stand in a file, each with the form of the addresses. Which of them reads back the same is
/// for the caller to see.
pub fn candidates<'a>(
    body: &'a StoredBody,
    preview: &'a Preview,
) -> impl Iterator<Item = (Form, Text)> + 'a {
    let makers: [Maker; 4] = [document_in_parts, whole_document, markdown, html];
    makers.into_iter().flat_map(move |make| {
        let forms = [Form::Path, Form::Stored].into_iter();
        forms.filter_map(move |form| Some((form, make(body, form, preview)?)))
    })
}

/// A document of the editor: Markdown for each node that it can say, fenced blocks for the others.
fn document_in_parts(body: &StoredBody, form: Form, preview: &Preview) -> Option<Text> {
    let nodes = nodes_of(body.lexical.as_ref()?)?;
    let mut parts: Vec<String> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let before = parts.last().map(String::as_str);
        let said = blocks::of_node(node, form, before)
            .into_iter()
            .find(|markdown| reads_as(markdown, node, preview));
        parts.push(said.unwrap_or_else(|| fenced(node)));
    }
    Some(Text {
        language: Language::Lexical,
        text: joined(&parts),
    })
}

/// Whether a text by itself is read as this node, and nothing is told about it.
fn reads_as(markdown: &str, node: &Value, preview: &Preview) -> bool {
    preview
        .nodes("posts/a.md", markdown)
        .is_some_and(|nodes| equivalence::are_same_nodes(slice::from_ref(node), &nodes))
}

/// The outermost nodes of a document.
fn nodes_of(lexical: &str) -> Option<Vec<Value>> {
    let mut document: Value = serde_json::from_str(lexical).ok()?;
    match document.get_mut("root")?.get_mut("children")?.take() {
        Value::Array(nodes) => Some(nodes),
        _ => None,
    }
}

/// A document of the editor in one fenced block.
fn whole_document(body: &StoredBody, _form: Form, _preview: &Preview) -> Option<Text> {
    let document: Value = serde_json::from_str(body.lexical.as_ref()?).ok()?;
    Some(Text {
        language: Language::Lexical,
        text: joined(&[fenced(&document)]),
    })
}

fn fenced(value: &Value) -> String {
    // In JSON a line break never stands inside a text, so no line of it can end the block.
    let json = serde_json::to_string_pretty(value).unwrap_or_default();
    format!("```{FENCE}\n{json}\n```")
}

/// HTML as Markdown, if every part of it can be said so.
fn markdown(body: &StoredBody, form: Form, _preview: &Preview) -> Option<Text> {
    if body.lexical.is_some() {
        return None;
    }
    let html = body.html.as_ref()?;
    let nodes = nodes_of(&html_to_lexical::to_lexical(html))?;
    let mut parts: Vec<String> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let before = parts.last().map(String::as_str);
        let part = blocks::of_node(node, form, before).into_iter().next()?;
        parts.push(part);
    }
    Some(Text {
        language: Language::Markdown,
        text: joined(&parts),
    })
}

/// HTML as it is.
fn html(body: &StoredBody, form: Form, _preview: &Preview) -> Option<Text> {
    Some(Text {
        language: Language::Html,
        text: form.markup(body.html.as_deref().unwrap_or_default()),
    })
}

fn joined(parts: &[String]) -> String {
    if parts.is_empty() {
        String::new()
    } else {
        format!("\n{}\n", parts.join("\n\n"))
    }
}
