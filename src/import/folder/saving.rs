//! Saves converted documents as posts.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;

use super::{
    converted::{ConvertedDocument, ConvertedPost, DocumentNote},
    import_record::{ContentHash, ImportRecord},
    plan::PlannedPost,
    project::Project,
    project_links::ProjectLinks,
};
use crate::{
    content_files::generator_files::Directory,
    domain::post::{Post, PostKind},
    error::Result,
    id::Id,
    import::{Outcome, Report},
    site::Transaction,
};

/// Default values for a document.
pub struct ExistingRecord {
    /// Creation time of its existing post, or else modification time of its file.
    pub date: Option<Timestamp>,
    /// Whether the document has no post yet.
    pub is_new: bool,
    /// The author that its post got at an earlier import.
    pub default_author: Option<Id>,
}

/// Saves converted documents in sequence.
pub struct Saver<'a> {
    pub(super) transaction: &'a mut Transaction,
    pub(super) report: &'a mut Report,
    pub(super) project: &'a Project,
    folder: String,
    /// The paths of files that saved posts refer to.
    pub(super) used: BTreeSet<String>,
}

impl<'a> Saver<'a> {
    /// Returns a saver that writes to `transaction`.
    pub fn new(
        transaction: &'a mut Transaction,
        report: &'a mut Report,
        project: &'a Project,
    ) -> Self {
        Self {
            folder: project.root.to_string_lossy().into_owned(),
            transaction,
            report,
            project,
            used: BTreeSet::new(),
        }
    }

    /// Returns the records and files that documents may refer to.
    pub fn directory(&self, links: &ProjectLinks) -> Directory {
        Directory::of_site(self.transaction.catalog(), Box::new(links.clone()))
            .with_layout(Arc::clone(&self.project.layout))
    }

    /// Returns the documents, each with its default values.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn with_existing_records(
        &self,
        documents: Vec<PlannedPost>,
    ) -> Result<Vec<(PlannedPost, ExistingRecord)>> {
        let documents = documents.into_iter();
        documents
            .map(|planned| {
                let existing = self.existing_record(&planned)?;
                Ok((planned, existing))
            })
            .collect()
    }

    /// Returns default values for a document, from its post of an earlier import or else from its file.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    fn existing_record(&self, planned: &PlannedPost) -> Result<ExistingRecord> {
        let catalog = self.transaction.catalog();
        let post = catalog.posts.get(planned.id);
        let Some(post) = post.filter(|_| planned.is_known) else {
            return Ok(ExistingRecord {
                date: Timestamp::from_second(planned.document.modified).ok(),
                is_new: true,
                default_author: None,
            });
        };
        let before = ImportRecord::of(self.transaction, planned.id)?;
        let default_author = match before {
            Some(before) if before.default_author.is_some() => before.default_author,
            // Earlier versions did not store the default author.
            Some(before) if before.made == ContentHash::of_site(self.transaction, post)? => {
                post.authors.first().copied()
            }
            _ => None,
        };
        Ok(ExistingRecord {
            date: Some(post.created_at),
            is_new: false,
            default_author: default_author.filter(|id| catalog.users.get(*id).is_some()),
        })
    }

    /// Saves a converted document, unless its post is unchanged or was edited since the last import.
    pub fn save(&mut self, document: ConvertedDocument) -> Result<()> {
        let Some(converted) = document.post else {
            document
                .notes
                .into_iter()
                .for_each(|note| self.leave_out(note));
            return Ok(());
        };
        document
            .notes
            .into_iter()
            .for_each(|note| self.change(note));
        self.check_aliases(&document.planned.document.path, &converted.post);
        let outcome = self.outcome(&document.planned, converted.hash)?;
        self.count(&converted, outcome);
        if outcome == Outcome::Unchanged {
            return Ok(());
        }
        self.save_post(document.planned, converted)
    }

    fn count(&mut self, converted: &ConvertedPost, outcome: Outcome) {
        let kind = match converted.post.kind {
            PostKind::Post => "posts",
            PostKind::Page => "pages",
        };
        self.report.count(kind, outcome);
        self.report.count_content("texts", 0, 1);
        for (kind, before, after) in converted.counts.kinds() {
            self.report.count_content(kind, before, after);
        }
    }

    /// Saves a post with the tags and authors that it names, and records the document that it was imported from.
    fn save_post(&mut self, planned: PlannedPost, converted: ConvertedPost) -> Result<()> {
        self.used.extend(converted.uploads);
        for tag in converted.tags {
            self.save_tag(tag)?;
        }
        for author in converted.authors {
            self.save_author(author)?;
        }
        let imported = ImportRecord {
            folder: self.folder.clone(),
            path: planned.document.path,
            made: converted.hash,
            default_author: converted.default_author,
        };
        imported.save(self.transaction, planned.id)?;
        self.transaction.save_post(converted.post, converted.body)
    }

    /// Reports old paths of a post that are also the current or an old path of another one.
    fn check_aliases(&mut self, path: &str, post: &Post) {
        for alias in &post.aliases {
            let posts = &self.transaction.catalog().posts;
            let current = posts.by_slug(alias.trim_start_matches('/'));
            let other = current.or(posts.by_alias(alias));
            if let Some(other) = other.filter(|other| other.id != post.id) {
                let text = format!("the old path {alias} is also a path of \"{}\"", other.slug);
                self.change(DocumentNote {
                    subject: path.to_owned(),
                    text,
                });
            }
        }
    }

    /// Returns whether a post is added or updated, or unchanged because its document did not change or the post was
    /// edited.
    fn outcome(&mut self, planned: &PlannedPost, hash: ContentHash) -> Result<Outcome> {
        let Some(known) = self.transaction.catalog().posts.get(planned.id).cloned() else {
            return Ok(Outcome::Added);
        };
        let imported = ImportRecord::of(self.transaction, planned.id)?;
        let last_import = imported.map(|imported| imported.made);
        // First: if the document has not changed, an edited post is not a conflict.
        if last_import == Some(hash) {
            return Ok(Outcome::Unchanged);
        }
        if last_import == Some(ContentHash::of_site(self.transaction, &known)?) {
            return Ok(Outcome::Updated);
        }
        self.change(DocumentNote {
            subject: planned.document.path.clone(),
            text: format!(
                "the file has changed, but so has the post \"{}\"; the post stays as it is",
                known.slug
            ),
        });
        Ok(Outcome::Unchanged)
    }

    /// Returns the paths of the files that saved posts refer to.
    pub fn finish(self) -> BTreeSet<String> {
        self.used
    }

    pub(super) fn change(&mut self, note: DocumentNote) {
        self.report.change(note.subject, note.text);
    }

    pub(super) fn leave_out(&mut self, note: DocumentNote) {
        self.report.leave_out(note.subject, note.text);
    }
}
