//! Expands templates, shortcodes and components before Markdown is parsed, like the folder's generator.

use serde_json::{Map, Value, json};

use crate::{
    content_files::{
        context::Context,
        file_state::Inclusion,
        inclusions::InclusionFinder,
        parts::Parts,
        path_properties::{FileSyntax, PathProperties},
    },
    content_text::{Diagnostic, Source, document},
    generators::{syntax, syntax::Environment},
};

/// A document with expanded templates and components.
pub struct ExpandedDocument {
    /// The text, with unchanged front matter.
    pub source: Source,
    /// Diagnostics about dropped parts.
    pub diagnostics: Vec<Diagnostic>,
    /// The exported front matter of MDX.
    pub meta: Map<String, Value>,
    /// The paths that were searched for included files.
    pub inclusions: Box<[Inclusion]>,
}

/// Expands a document as the folder's generator does before it parses Markdown.
///
/// # Errors
///
/// One diagnostic if the front matter is malformed.
pub fn expand(
    source: &Source,
    properties: &PathProperties<'_>,
    context: &Context,
) -> Result<ExpandedDocument, Diagnostic> {
    let layout = &context.layout;
    let own_syntax = &layout.profile().syntax;
    let is_mdx = properties.format == FileSyntax::Mdx;
    let is_template = properties.format != FileSyntax::Html || own_syntax.is_in_html();
    if (own_syntax.is_plain() && !is_mdx) || !is_template {
        return Ok(ExpandedDocument {
            source: source.clone(),
            diagnostics: Vec::new(),
            meta: Map::new(),
            inclusions: Box::default(),
        });
    }
    let mut parts = Parts::of_other_generator(source, properties, &layout.profile().reading)?;
    // Before the expansion, because templates also print default values of the project.
    layout.complete(&mut parts.table, source.path(), parts.opening);
    let page = document::json_of(&parts.table);
    let says =
        |key: &str, values: &[Value]| page.get(key).is_some_and(|value| values.contains(value));
    let finder = InclusionFinder::new(&context.included_files, layout);
    let environment = Environment {
        file: source.path(),
        is_mdx,
        is_plain_markdown: layout.settings().has_plain_markdown,
        // Jekyll and Eleventy expand no templates in documents with these keys.
        is_without_templates: says("render_with_liquid", &[json!(false)])
            || says("templateEngineOverride", &[json!("md"), json!(false)]),
        url: layout.settings().origin.clone(),
        baseurl: layout.settings().base_path.clone(),
        site: layout.settings().site.clone(),
        page,
        partial: Some(&|from, written| finder.find(from, written)),
    };
    let body = parts.body();
    // The body is the end of the text.
    let start = source.text().len() - body.text().len();
    let expanded = syntax::expand(body.text(), body.first_line(), own_syntax, &environment);
    let remarks = expanded.remarks.iter().map(|remark| {
        let advice = "write its content as Markdown or HTML to publish it";
        source.warning(source.line_span(remark.line), &remark.text, advice)
    });
    Ok(ExpandedDocument {
        diagnostics: remarks.collect(),
        source: source.with_body(start, &expanded.text, expanded.lines),
        meta: expanded.meta,
        inclusions: finder.finish(),
    })
}
