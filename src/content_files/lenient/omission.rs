//! Documents that are left out.

use crate::{
    content_files::{
        context::Context,
        parsed_file::LeftOut,
        path_properties::{
            FileKind, FileSyntax, GeneratorProperties, GeneratorRole, PathProperties,
        },
        post_file::PostFile,
    },
    content_text::{Diagnostic, Source, Span, front_matter::FencedFrontMatter},
    generators::{DocumentKind, HtmlDocuments},
};

/// Returns why a document is left out, with the diagnostic about it, if any; `None` if the document is used. `opening`
/// is the position of the diagnostic; `is_template` is set if the body has templates that are not evaluated.
pub(super) fn omission(
    file: &mut PostFile,
    (source, opening): (&Source, Span),
    is_template: bool,
    (properties, document): (&PathProperties<'_>, &GeneratorProperties),
    context: &Context,
) -> Option<(LeftOut, Option<Diagnostic>)> {
    let is_html_page = properties.format == FileSyntax::Html
        && properties.kind == FileKind::Page
        && context.layout.profile().html == HtmlDocuments::Titled;
    let has_front_matter = || FencedFrontMatter::of_other_generator(source.text()).is_some();
    let is_empty = file.body.text().trim().is_empty();
    if let Some(reason) = file.left_out.take() {
        Some((LeftOut::NotBuilt, Some(reason)))
    } else if is_html_page && file.fields.title.is_none() {
        // A file without front matter is copied, and is not a page of the generator.
        let reason = has_front_matter().then(|| {
            let message = "it is HTML without a title, so it is left out";
            let advice = "add a `title` to publish it";
            source.warning(opening, message, advice)
        });
        Some((LeftOut::Template, reason))
    } else if context.layout.is_readme_by_front_matter(source.path()) && !has_front_matter() {
        Some((LeftOut::Copied, None))
    } else if is_html_page && is_template {
        let message = "this page is generated from the rest of the site, so it is left out";
        let advice = "write its content as Markdown or HTML to publish it";
        let reason = source.warning(opening, message, advice);
        Some((LeftOut::NotBuilt, Some(reason)))
    } else if file.fields.title.is_none() && context.layout.generator().skips_untitled_documents() {
        let title = context.layout.profile().title;
        let message = format!("{title} builds no document without a title, so it is left out");
        let reason = source.warning(opening, message, "add a `title` to publish it");
        Some((LeftOut::NotBuilt, Some(reason)))
    } else if is_skipped(file, properties, document, context) {
        let title = context.layout.profile().title;
        let message = format!("{title} builds no post without a date, so it is left out");
        let reason = source.warning(opening, message, "add a `date` to publish it");
        Some((LeftOut::NotBuilt, Some(reason)))
    } else if document.role == GeneratorRole::Section && is_empty {
        Some((LeftOut::EmptyList, None))
    } else {
        None
    }
}

/// Returns whether the generator builds no page of a post because it has no date.
fn is_skipped(
    file: &PostFile,
    properties: &PathProperties<'_>,
    document: &GeneratorProperties,
    context: &Context,
) -> bool {
    let layout = &context.layout;
    document.role == GeneratorRole::Document(DocumentKind::Post)
        && file.fields.published_at.is_none()
        && properties.date.is_none()
        && layout.generator().skips_undated_posts(layout.settings())
}
