//! Determines whether a document is a post or a page.

use crate::{
    content_files::{
        parsed_file::ContentFile,
        path_properties::{FileKind, GeneratorProperties, GeneratorRole, PathProperties},
        post_file::PostFile,
    },
    generators::DocumentKind,
};

/// Returns the content of a document: a post or a page.
pub(super) fn content(
    file: PostFile,
    properties: &PathProperties<'_>,
    document: &GeneratorProperties,
) -> ContentFile {
    match kind_of(&file, properties, document) {
        FileKind::Page => ContentFile::Page(Box::new(file)),
        _ => ContentFile::Post(Box::new(file)),
    }
}

/// Returns whether a document is a post or a page, by its role and its dates.
pub(super) fn kind_of(
    file: &PostFile,
    properties: &PathProperties<'_>,
    document: &GeneratorProperties,
) -> FileKind {
    let fields = &file.fields;
    let is_dated = fields.published_at.is_some() || fields.created_at.is_some();
    match document.role {
        GeneratorRole::Document(DocumentKind::ByDate) if is_dated => FileKind::Post,
        _ => properties.kind,
    }
}
