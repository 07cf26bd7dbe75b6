//! Content files: a folder of Markdown, TOML and YAML, read, checked, and kept in agreement with the site.
//!
//! Two halves. The pure one reads one file into a typed value with diagnostics:
//! [`tree::walk`] lists a folder, [`parse`] turns one file into a value, [`assets::resolve`] tells what its links and
//! images mean, [`schema`] describes the files to editors. Parsing takes a path and bytes, and of the folder the files that
//! a document includes ([`IncludedFiles`]), so that a file may come from a folder, an archive or a commit; only `tree` touches
//! the file system. Nothing here knows the store
//! or the domain, renders a text or asks the time, and no input makes it panic.
//!
//! The other half keeps the site in agreement with a folder: [`Reconciler`], which [`Follower`] runs whenever the folder
//! changes, and [`git::GitSource`] for each commit of a repository.

pub mod assets;
pub mod generator_files;
pub mod git;
pub mod public_files;
pub mod schema;
pub mod templates;
pub mod tree;

mod follower;

mod author_file;
mod authors_file;
mod body;
mod conditions;
mod content_files;
mod date;
mod diagnostic;
pub(crate) mod document;
mod editor_body;
mod explanation;
mod front_matter;
mod history;
mod identity;
mod inclusions;
mod keys;
mod large_file_pointer;
mod layout;
mod lenient;
mod linker;
mod newsletter_file;
mod parts;
mod permalink;
mod place;
mod post_file;
mod preview;
mod profile;
mod published;
mod reconcile;
mod records;
mod site_file;
mod source;
mod span;
mod state;
mod symbol_table;
mod tag_file;
mod text_names;
mod tier_file;
mod watch;
mod worked_out;

use std::sync::Arc;

use jiff::tz::TimeZone;
use serde::Serialize;

pub use author_file::{AuthorFields, AuthorFile, AuthorReference};
pub use authors_file::{AUTHORS_MAX, AuthorRecord, AuthorsFile, read_authors};
pub use body::{Body, BodyFormat};
pub use content_files::{ContentFiles, DATES, SLUGS, TITLES, generator_names};
pub use date::parse as parse_date;
pub use diagnostic::{Diagnostic, DiagnosticGroup, Place, Severity};
pub use editor_body::FENCE;
pub use explanation::Explanation;
pub use follower::{Follower, FollowerOptions, Preparation};
pub use history::{FileHistory, History};
pub use inclusions::IncludedFiles;
pub use keys::{Aliases, ReadingRules, Reference, StringTags};
pub use layout::{Layout, Reason};
pub use newsletter_file::{
    Alignment, ButtonCorners, ButtonStyle, FontCategory, FontWeight, ImageCorners, LinkStyle,
    NewsletterFields, NewsletterFile, NewsletterStatus, NewsletterVisibility,
};
pub use place::{FileKind, kind_of, stem_of};
pub use post_file::{PostFields, PostFile, Status, Visibility};
pub use preview::Preview;
pub use profile::{Role, TextKind, project::Project};
pub use reconcile::{
    ContentReport, Progress, Reconciler, Silent, folders_outside, remembered_folder, unread_files,
};
pub use records::Record;
pub use site_file::SiteFile;
pub use source::{FILE_BYTES_MAX, Source, Span, Spanned};
pub use state::{FileOutput, Inclusion};
pub use tag_file::{TagFields, TagFile, TagReference, TagVisibility};
pub use tier_file::{TierFields, TierFile, TierType, TierVisibility};

use keys::Reader;
use parts::Parts;
use post_file::Role as PostRole;
use worked_out::worked_out;

/// What reading a file depends on beside its bytes.
#[derive(Debug, Clone)]
pub struct Context {
    /// The site's time zone, in which dates without an offset are meant.
    pub time_zone: TimeZone,
    /// What the files of the folder are.
    pub layout: Arc<Layout>,
    /// The files that documents may include.
    pub included_files: IncludedFiles,
}

/// What a content file says.
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

/// A file as read.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The file's text, for diagnostics about the value's spans later on; none if it could not be decoded.
    pub source: Option<Source>,
    /// What it says; none if there is an error, or if the path is not that of a content file.
    pub value: Option<ContentFile>,
    /// All problems, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Why the file makes nothing though nothing is wrong with it.
    pub left_out: Option<LeftOut>,
    /// Where files were looked for that it includes.
    pub inclusions: Box<[Inclusion]>,
}

/// Why a text makes nothing though nothing is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// It is the page of a list that says nothing of its own.
    EmptyList,
    /// It says that the generator is not to build it: the one diagnostic says how.
    NotBuilt,
}

/// Reads the content file at `path`, which is relative to the content folder and has `/` between its parts.
///
/// Reading goes on after an error, so that all of a file's problems are reported at once.
pub fn parse(path: &str, bytes: &[u8], context: &Context) -> Parsed {
    let nothing = |diagnostics| Parsed {
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
    let worked = match worked_out(&source, &place, context) {
        Ok(worked) => worked,
        Err(problem) => return nothing(vec![problem]),
    };
    let source = worked.source;
    let (mut value, mut diagnostics) = match Parts::of(&source, &place) {
        Ok(mut parts) => {
            parts.table.complete(&worked.meta, parts.opening);
            read(&parts, place.kind, context)
        }
        Err(diagnostic) => (None, vec![diagnostic]),
    };
    diagnostics.extend(worked.diagnostics);
    if let Some(ContentFile::Post(file) | ContentFile::Page(file)) = &mut value {
        file.body.dialect = context.layout.dialect();
    }
    Parsed {
        source: Some(source),
        value,
        diagnostics,
        left_out: None,
        inclusions: worked.inclusions,
    }
}

fn decode(path: &str, bytes: &[u8]) -> Result<Source, Diagnostic> {
    match large_file_pointer::is_one(bytes) {
        true => Err(large_file_pointer::diagnostic(path)),
        false => Source::decode(path, bytes),
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
