//! A converted document, and notes about it.

use std::collections::BTreeSet;

use super::{import_record::ContentHash, plan::PlannedPost};
use crate::{
    content_files::generator_files::ResolvedName,
    content_text::Diagnostic,
    domain::post::{Body, Post},
    id::Id,
    render::body_counts::BodyCounts,
};

/// A converted document.
pub struct ConvertedDocument {
    pub planned: PlannedPost,
    /// Its post; `None` if the document cannot be used.
    pub post: Option<ConvertedPost>,
    /// Notes on changed or ignored values, or the reason why the document cannot be used.
    pub notes: Vec<DocumentNote>,
}

/// The post of a document.
pub struct ConvertedPost {
    pub post: Post,
    pub body: Body,
    pub hash: ContentHash,
    /// The elements of the body in the document and in the post.
    pub counts: BodyCountChange,
    pub tags: Vec<ResolvedName>,
    pub authors: Vec<ResolvedName>,
    /// The author that the post gets if the document names none.
    pub default_author: Option<Id>,
    /// The paths of the files that the document refers to.
    pub uploads: BTreeSet<String>,
}

/// The number of elements in a body before and after conversion.
#[derive(Clone, Copy)]
pub struct BodyCountChange {
    pub before: BodyCounts,
    pub after: BodyCounts,
}

impl BodyCountChange {
    pub fn between(before: BodyCounts, html: &str) -> Self {
        let after = BodyCounts::of_html(html);
        Self { before, after }
    }

    /// Returns each kind of element with its numbers before and after.
    pub fn kinds(self) -> impl Iterator<Item = (&'static str, usize, usize)> {
        let pairs = self.before.named().into_iter().zip(self.after.named());
        pairs.map(|((kind, before), (_, after))| (kind, before, after))
    }

    /// Returns notes on the kinds whose numbers differ.
    pub fn differences(self) -> impl Iterator<Item = String> {
        let different = self.kinds().filter(|(_, before, after)| before != after);
        different.map(|(kind, before, after)| {
            let kind = kind.replace('_', " ");
            format!("the file has {before} {kind}, and the post has {after}")
        })
    }
}

/// A note about a document.
pub struct DocumentNote {
    pub subject: String,
    pub text: String,
}

impl DocumentNote {
    pub fn of(diagnostic: &Diagnostic) -> Self {
        let line = diagnostic
            .position
            .as_ref()
            .map(|position| position.line as usize);
        Self {
            subject: subject(&diagnostic.file, line),
            text: diagnostic.message.clone(),
        }
    }
}

impl ConvertedDocument {
    /// Returns a document that cannot be used because of `problems`.
    pub fn failed(planned: PlannedPost, problems: &[Diagnostic]) -> Self {
        Self {
            planned,
            post: None,
            notes: problems.iter().map(DocumentNote::of).collect(),
        }
    }
}

/// Returns the subject of a note: `posts/ferry.md:12`.
fn subject(path: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{path}:{line}"),
        None => path.to_owned(),
    }
}
