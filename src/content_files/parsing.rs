//! Parses a content file: a path and bytes become a typed value and diagnostics.

use crate::content_files::{
    context::Context,
    parsed_file::{ContentFile, ParsedFile},
};

use super::{
    author_file::{self},
    expansion::expand,
    keys::Reader,
    large_file_pointer, lenient,
    newsletter_file::{self},
    parts::Parts,
    path_properties::FileKind,
    post_file::{self, Role as PostRole},
    site_file::{self},
    tag_file::{self},
    tier_file::{self},
};
use crate::content_text::{Diagnostic, Source};

/// Parses the content file at `path`, which is relative to the content folder and has the separator `/`.
///
/// Parsing continues after an error, so that all problems of a file are reported together.
pub fn parse(path: &str, bytes: &[u8], context: &Context) -> ParsedFile {
    let nothing = |diagnostics| ParsedFile {
        source: None,
        value: None,
        diagnostics,
        left_out: None,
        inclusions: Box::default(),
    };
    let Some(properties) = context.layout.properties_of(path) else {
        return nothing(Vec::new());
    };
    let source = match decode(path, bytes) {
        Ok(source) => source,
        Err(diagnostic) => return nothing(vec![diagnostic]),
    };
    if let Some(generator) = &properties.generator {
        return lenient::read(source, &properties, generator, context);
    }
    let expanded = match expand(&source, &properties, context) {
        Ok(expanded) => expanded,
        Err(problem) => return nothing(vec![problem]),
    };
    let source = expanded.source;
    let (mut value, mut diagnostics) = match Parts::of(&source, &properties) {
        Ok(mut parts) => {
            parts.table.complete(&expanded.meta, parts.opening);
            read(&parts, properties.kind, context)
        }
        Err(diagnostic) => (None, vec![diagnostic]),
    };
    diagnostics.extend(expanded.diagnostics);
    if let Some(ContentFile::Post(file) | ContentFile::Page(file)) = &mut value {
        file.body.dialect = context.layout.dialect();
    }
    ParsedFile {
        source: Some(source),
        value,
        diagnostics,
        left_out: None,
        inclusions: expanded.inclusions,
    }
}

fn decode(path: &str, bytes: &[u8]) -> Result<Source, Diagnostic> {
    // A pointer is valid text, which would be served as a post otherwise.
    if large_file_pointer::is_one(bytes) {
        Err(large_file_pointer::diagnostic(path))
    } else {
        Source::decode(path, bytes)
    }
}

fn read(
    parts: &Parts<'_>,
    kind: FileKind,
    context: &Context,
) -> (Option<ContentFile>, Vec<Diagnostic>) {
    let mut reader = Reader::new(parts.source, parts.language, &context.time_zone)
        .with_themes(context.themes.clone());
    let value = match kind {
        FileKind::Site => ContentFile::Site(site_file::read(parts, &mut reader).into()),
        FileKind::Post => {
            ContentFile::Post(post_file::read(parts, PostRole::Post, &mut reader).into())
        }
        FileKind::Page => {
            ContentFile::Page(post_file::read(parts, PostRole::Page, &mut reader).into())
        }
        FileKind::Author => ContentFile::Author(author_file::read(parts, &mut reader).into()),
        FileKind::Tag => ContentFile::Tag(tag_file::read(parts, &mut reader).into()),
        FileKind::Tier => ContentFile::Tier(tier_file::read(parts, &mut reader).into()),
        FileKind::Newsletter => {
            ContentFile::Newsletter(newsletter_file::read(parts, &mut reader).into())
        }
    };
    let (diagnostics, usable) = reader.finish();
    (usable.then_some(value), diagnostics)
}
