//! Parses a content file: a path and bytes become a typed value and diagnostics.

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::Serialize;

use super::{
    author_file::{self, AuthorFile},
    expansion::expand,
    inclusions::IncludedFiles,
    keys::Reader,
    large_file_pointer,
    layout::Layout,
    lenient,
    newsletter_file::{self, NewsletterFile},
    parts::Parts,
    place::FileKind,
    post_file::{self, PostFile, Role as PostRole},
    site_file::{self, SiteFile},
    state::Inclusion,
    tag_file::{self, TagFile},
    tier_file::{self, TierFile},
};
use crate::content_text::{Diagnostic, Source};

/// The inputs of parsing a file other than its bytes.
#[derive(Debug, Clone)]
pub struct Context {
    /// The site's time zone, which applies to dates without an offset.
    pub time_zone: TimeZone,
    /// The layout of the folder.
    pub layout: Arc<Layout>,
    /// The files that documents may include.
    pub included_files: IncludedFiles,
}

/// A parsed content file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentFile {
    /// `site.toml`.
    Site(Box<SiteFile>),
    /// A post.
    Post(Box<PostFile>),
    /// A page.
    Page(Box<PostFile>),
    /// An author.
    Author(Box<AuthorFile>),
    /// A tag.
    Tag(Box<TagFile>),
    /// A tier.
    Tier(Box<TierFile>),
    /// A newsletter.
    Newsletter(Box<NewsletterFile>),
}

/// The result of parsing a file.
#[derive(Debug, Clone)]
pub struct ParsedFile {
    /// The file's text, for later diagnostics about spans; `None` if it could not be decoded.
    pub source: Option<Source>,
    /// The parsed file; `None` after an error, or if the path is not that of a content file.
    pub value: Option<ContentFile>,
    /// All diagnostics, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Why the file has no record although it is valid.
    pub left_out: Option<LeftOut>,
    /// The paths that were searched for included files.
    pub inclusions: Box<[Inclusion]>,
}

/// Why a valid document has no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// It is a list page without content of its own.
    EmptyList,
    /// It is HTML without a title, which is a template or a file for other programs.
    Template,
    /// It is not built, or of things that only a build has: the one diagnostic says which.
    NotBuilt,
}

impl LeftOut {
    /// Returns the reason, unless a diagnostic has it.
    pub fn reason(self) -> &'static str {
        match self {
            Self::EmptyList => "it is the page of a list, which a theme makes",
            Self::Template => "it is HTML without a title",
            Self::NotBuilt => "it is not built",
        }
    }
}

/// Parses the content file at `path`, which is relative to the content folder and has the separator `/`.
///
/// Parsing continues after an error, so that all problems of a file are reported at once.
pub fn parse(path: &str, bytes: &[u8], context: &Context) -> ParsedFile {
    let nothing = |diagnostics| ParsedFile {
        source: None,
        value: None,
        diagnostics,
        left_out: None,
        inclusions: Box::default(),
    };
    let Some(place) = context.layout.place_of(path) else {
        return nothing(Vec::new());
    };
    let source = match decode(path, bytes) {
        Ok(source) => source,
        Err(diagnostic) => return nothing(vec![diagnostic]),
    };
    if let Some(foreign) = &place.foreign {
        return lenient::read(source, &place, foreign, context);
    }
    let expanded = match expand(&source, &place, context) {
        Ok(expanded) => expanded,
        Err(problem) => return nothing(vec![problem]),
    };
    let source = expanded.source;
    let (mut value, mut diagnostics) = match Parts::of(&source, &place) {
        Ok(mut parts) => {
            parts.table.complete(&expanded.meta, parts.opening);
            read(&parts, place.kind, context)
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
    let mut reader = Reader::new(parts.source, parts.language, &context.time_zone);
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
