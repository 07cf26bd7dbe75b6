//! Documents in a language other than the site's.

use crate::{
    content_files::{keys::Reference, post_file::PostFile},
    content_text::{Span, Spanned},
    render::{slug, slug::Kind},
};

/// Adds an internal tag to a document in a language other than the site's, and prefixes its slug with the language.
pub(super) fn set_language(file: &mut PostFile, language: &str) {
    let slug = match &file.fields.slug {
        Some(slug) => slug.value.clone(),
        None => slug::from_text(Kind::Post, &file.stem, ""),
    };
    let span = file
        .fields
        .slug
        .as_ref()
        .map_or(Span::default(), |slug| slug.span);
    file.fields.slug = Some(Spanned::new(format!("{language}-{slug}"), span));
    let tag = Spanned::new(Reference::Named(format!("#{language}")), Span::default());
    file.fields.tags.get_or_insert_default().push(tag);
}
