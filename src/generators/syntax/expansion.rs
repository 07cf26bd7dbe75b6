//! The expansion of a document.

use std::cell::Cell;

use crate::generators::syntax::{
    document_syntax::DocumentSyntax,
    environment::Environment,
    expanded_text::ExpandedText,
    mdx,
    scope::{ExpansionScope, INCLUSION_BYTES_MAX},
};

/// Expands the body of a document to Markdown without templates. `first_line` is the number of the body's first line in its
/// file.
pub fn expand(
    text: &str,
    first_line: usize,
    syntax: &DocumentSyntax,
    environment: &Environment<'_>,
) -> ExpandedText {
    let mut expanded = ExpandedText::unchanged(text, first_line);
    // All passes share the limit. Otherwise each pass with inclusions could read that much.
    let inclusion_left = Cell::new(INCLUSION_BYTES_MAX);
    let scope = ExpansionScope {
        environment,
        callout: syntax.callout,
        file: environment.file,
        outer: None,
        depth: 0,
        inclusion_left: &inclusion_left,
    };
    if environment.is_mdx || (syntax.is_mdx)(text, environment) {
        expanded.pass(|text| mdx::pass(text, scope));
    }
    let templates = if environment.is_without_templates {
        &[]
    } else {
        syntax.templates
    };
    for pass in templates.iter().chain(syntax.passes) {
        expanded.pass(|text| pass(text, scope));
    }
    expanded
}
