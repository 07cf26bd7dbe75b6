//! The body of a post in its file, in the most readable form.

use std::slice;

use serde_json::Value;

use super::comparison::StoredBody;
use crate::{
    content_files::Preview,
    content_text::{
        markdown, node_equivalence,
        url_form::{UrlForm, UrlWriter},
    },
    render::html_to_lexical,
};

/// The language of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Markdown.
    Markdown,
    /// HTML.
    Html,
    /// Markdown that is stored as an editor document.
    Lexical,
}

impl Language {
    /// Returns the language of the file at `path` if its front matter does not specify one.
    pub fn of_file(path: &str) -> Self {
        if path.ends_with(".html") || path.ends_with(".htm") {
            Self::Html
        } else {
            Self::Markdown
        }
    }

    /// Returns its name in front matter.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Lexical => "lexical",
        }
    }
}

/// A body with its language.
pub struct Text {
    /// Its language.
    pub language: Language,
    /// Its text.
    pub text: String,
}

/// Writes a body in a language, if possible.
type BodyWriter = fn(&StoredBody, UrlForm, &Preview) -> Option<Text>;

/// Returns the possible texts for `body`, each with the form of its URLs. The caller checks which
/// text is read back as the same body.
pub fn candidates<'a>(
    body: &'a StoredBody,
    preview: &'a Preview,
) -> impl Iterator<Item = (UrlForm, Text)> + 'a {
    let writers: [BodyWriter; 4] = [document_in_parts, whole_document, as_markdown, html];
    // Writers are sorted by readability. Both forms of URLs are tried before a less readable text.
    writers.into_iter().flat_map(move |make| {
        let forms = [UrlForm::Path, UrlForm::Stored].into_iter();
        forms.filter_map(move |form| Some((form, make(body, form, preview)?)))
    })
}

/// Writes an editor document: as Markdown for each node that Markdown can express, as a fenced
/// block for any other node.
fn document_in_parts(body: &StoredBody, form: UrlForm, preview: &Preview) -> Option<Text> {
    let nodes = nodes_of(body.lexical.as_ref()?)?;
    let mut parts: Vec<String> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let before = parts.last().map(String::as_str);
        let readable = markdown::of_node(node, &form, before)
            .into_iter()
            .find(|markdown| reads_as(markdown, node, preview));
        parts.push(readable.unwrap_or_else(|| markdown::fenced(node)));
    }
    Some(Text {
        language: Language::Lexical,
        text: joined(&parts),
    })
}

/// Returns whether `markdown` alone is read back as `node`, without diagnostics.
fn reads_as(markdown: &str, node: &Value, preview: &Preview) -> bool {
    preview
        .nodes("posts/a.md", markdown)
        .is_some_and(|nodes| node_equivalence::are_same_nodes(slice::from_ref(node), &nodes))
}

/// Returns the top-level nodes of a document.
fn nodes_of(lexical: &str) -> Option<Vec<Value>> {
    let mut document: Value = serde_json::from_str(lexical).ok()?;
    match document.get_mut("root")?.get_mut("children")?.take() {
        Value::Array(nodes) => Some(nodes),
        _ => None,
    }
}

/// Writes an editor document as one fenced block.
fn whole_document(body: &StoredBody, _form: UrlForm, _preview: &Preview) -> Option<Text> {
    let document: Value = serde_json::from_str(body.lexical.as_ref()?).ok()?;
    Some(Text {
        language: Language::Lexical,
        text: joined(&[markdown::fenced(&document)]),
    })
}

/// Writes HTML as Markdown, if all of it can be expressed.
fn as_markdown(body: &StoredBody, form: UrlForm, _preview: &Preview) -> Option<Text> {
    // A Markdown file is read as a post without an editor document.
    if body.lexical.is_some() {
        return None;
    }
    let html = body.html.as_ref()?;
    let nodes = nodes_of(&html_to_lexical::to_lexical(html))?;
    let mut parts: Vec<String> = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let before = parts.last().map(String::as_str);
        let part = markdown::of_node(node, &form, before).into_iter().next()?;
        parts.push(part);
    }
    Some(Text {
        language: Language::Markdown,
        text: joined(&parts),
    })
}

/// Writes HTML unchanged.
fn html(body: &StoredBody, form: UrlForm, _preview: &Preview) -> Option<Text> {
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
