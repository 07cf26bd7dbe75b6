//! A parsed document file.

use jiff::Timestamp;
use serde::Serialize;

use crate::{
    content_files::{body::Body, history::FileHistory, post_file::front_matter::PostFields},
    content_text::{Diagnostic, Spanned},
};

/// A document file in `posts/` or `pages/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PostFile {
    /// The name of the file, or of its folder if the file is called `index`, without extension and date; the default of the
    /// slug.
    pub stem: String,
    /// The fields of the front matter, and the date and draft state that the path implies. The title is present, except in
    /// files of other generators.
    pub fields: PostFields,
    /// The body.
    pub body: Body,
    /// Whether it is imported, so that it is converted to a Lexical document without a file.
    #[serde(skip)]
    pub is_imported: bool,
    /// Whether it was written for another generator, so that invalid values are ignored.
    #[serde(skip)]
    pub is_of_other_generator: bool,
    /// Whether its date is that of its path.
    #[serde(skip)]
    pub is_dated_by_path: bool,
    /// Whether it is in a folder of drafts.
    #[serde(skip)]
    pub is_in_drafts_folder: bool,
    /// Whether it has tags that come before those of `tags`.
    #[serde(skip)]
    pub has_categories: bool,
    /// The time at which its generator stops building it; from then on it is a draft.
    #[serde(skip)]
    pub expires_at: Option<Spanned<Timestamp>>,
    /// The reason that it is left out, if its generator builds no page for it.
    #[serde(skip)]
    pub left_out: Option<Diagnostic>,
    /// The path at which its generator publishes it, in the form of former URLs.
    #[serde(skip)]
    pub published_path: Option<String>,
    /// Names by which other documents may refer to it, besides its file name.
    #[serde(skip)]
    pub names: Vec<String>,
    /// The history of the file in a repository, if it supplies missing dates and authors.
    #[serde(skip)]
    pub history: Option<FileHistory>,
}

impl PostFile {
    /// Returns whether unknown authors that it names are created.
    pub(in crate::content_files) fn creates_authors(&self) -> bool {
        self.is_of_other_generator || self.is_imported
    }
}

/// Whether a file is a post or a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A post.
    Post,
    /// A page.
    Page,
}
