//! A parsed content file: its value and its diagnostics.

use serde::Serialize;

use super::{
    author_file::AuthorFile, file_state::Inclusion, newsletter_file::NewsletterFile,
    post_file::PostFile, site_file::SiteFile, tag_file::TagFile, tier_file::TierFile,
};
use crate::content_text::{Diagnostic, Source};

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
    /// The reason why the file has no record although it is valid.
    pub left_out: Option<LeftOut>,
    /// The paths that were searched for included files.
    pub inclusions: Box<[Inclusion]>,
}

/// The reason why a valid document has no record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// It is a list page without content.
    EmptyList,
    /// It is HTML without a title, which is a template or a file for other programs.
    Template,
    /// It is a README without front matter, which the generator copies.
    Copied,
    /// It is not built, or is generated from data of a build; the only diagnostic states the reason.
    NotBuilt,
}

impl LeftOut {
    /// Returns the reason; a diagnostic, if there is one, states it more precisely.
    pub fn reason(self) -> &'static str {
        match self {
            Self::EmptyList => "it is a list page, which a theme renders",
            Self::Template => "it is HTML without a title",
            Self::Copied => "it is a README without front matter",
            Self::NotBuilt => "it is not built",
        }
    }
}
