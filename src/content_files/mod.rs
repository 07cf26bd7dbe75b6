//! Content files: a folder of Markdown, TOML and YAML, parsed, validated, and reconciled with the site.
//!
//! This module has two halves. The pure one parses one file to a typed value with diagnostics: [`folder_files::walk`] lists a
//! folder, [`parse`] parses one file, [`assets::resolve`] resolves its links and images, [`schema`] describes the files to
//! editors. Parsing takes a path and bytes, and from the folder the files that a document includes ([`IncludedFiles`]), so
//! that a file may come from a folder, an archive or a commit; only `folder_files` touches the file system. This half does not use
//! the store or the domain, does not render or read the clock, and never panics on any input.
//!
//! The other half reconciles the site with a folder: [`Reconciler`], which [`Follower`] runs after every change of the folder,
//! and the follower of a repository for each commit.

pub mod assets;
pub mod folder_files;
pub mod generator_files;
pub mod public_files;
pub mod schema;
pub mod setting_keys;

pub(crate) mod conditions;
pub(crate) mod edits;
pub(crate) mod file_state;
pub(crate) mod folder_view;
pub(crate) mod follower;
pub(crate) mod history;
pub(crate) mod identity;
pub(crate) mod keys;
pub(crate) mod large_file_pointer;
pub(crate) mod path_properties;
pub(crate) mod post_file;
pub(crate) mod reconcile;
pub(crate) mod record_keys;
pub(crate) mod records;
pub(crate) mod site_file;
pub(crate) mod symbol_table;
pub(crate) mod written_keys;

mod author_file;
mod authors_file;
mod body;
mod context;
mod date;
mod document_project;
mod edit_target;
mod editor_body;
mod expansion;
mod explanation;
pub(crate) mod inclusions;
mod layout;
mod lenient;
mod lexical_blocks;
mod linked_notes;
mod linker;
mod menu;
mod newsletter_file;
mod options;
mod parsed_file;
mod parsing;
mod parts;
mod pattern;
mod preview;
mod project;
mod published;
mod report;
mod site_options;
mod tag_file;
mod text_names;
mod tier_file;
mod watch;

pub use author_file::{AuthorFields, AuthorFile, AuthorReference};
pub use authors_file::{AUTHORS_MAX, AuthorRecord, AuthorsFile, read_authors};
pub use body::{Body, BodyFormat};
pub use context::Context;
pub use date::parse as parse_date;
pub use edit_target::{WRITE_BACKS, WriteBack};
pub use edits::{EditCommits, EditWriter};
pub use explanation::Explanation;
pub use file_state::{FileOutput, Inclusion};
pub use folder_view::FolderView;
pub use follower::{Follower, FollowerOptions, PreparedFolder};
pub use history::{FileHistory, History};
pub use inclusions::IncludedFiles;
pub use keys::Reference;
pub use layout::{Layout, Reason};
pub use newsletter_file::{
    NewsletterFields, NewsletterFile, NewsletterStatus, NewsletterVisibility,
};
pub use options::{ContentFiles, DATES, SLUGS, TITLES, generator_names};
pub use parsed_file::{ContentFile, LeftOut, ParsedFile};
pub use parsing::parse;
pub use path_properties::{FileKind, kind_of, stem_of};
pub use post_file::{PostFields, PostFile, Status, Visibility};
pub use preview::Preview;
pub use project::Project;
pub use reconcile::{Reconciler, project_problems, remembered_folder, unread_files};
pub use record_keys::FileNaming;
pub use records::ConvertedRecord;
pub use report::{
    Commit, CommitReport, ContentReport, GitReport, PullFailure, ReadFailure, RefusedCommit,
    ReviewReport,
};
pub use site_file::SiteFile;
pub use tag_file::{TagFields, TagFile, TagReference, TagVisibility};
pub use tier_file::{TierFields, TierFile, TierType, TierVisibility};
pub use written_keys::WrittenKeys;
