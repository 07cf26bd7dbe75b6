//! Saves converted documents: posts with their tags and authors, and the records that Galley's own content files describe.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;

use super::{
    ConvertedDocument, ConvertedPost, Note,
    import_record::{ContentHash, ImportRecord},
    plan::PlannedPost,
    project::Project,
    project_links::ProjectLinks,
};
use crate::{
    domain::{
        origin::RecordOrigin,
        post::{Post, PostKind},
        tag::Tag,
        user::User,
    },
    error::Result,
    id::Id,
    import::{Outcome, Report},
    site::{CollectionRecord, Transaction},
    sources::{
        Record,
        generator_files::{Conditions, Description, Directory, ResolvedName},
        tree,
    },
};

/// Values for a document that lacks them.
pub struct ExistingRecord {
    /// Time of creation.
    pub date: Option<Timestamp>,
    /// The author that its post got at an earlier import.
    pub default_author: Option<Id>,
}

/// Saves converted documents in sequence.
pub struct Saver<'a> {
    transaction: &'a mut Transaction,
    report: &'a mut Report,
    project: &'a Project,
    folder: String,
    /// The paths of files that saved posts refer to.
    used: BTreeSet<String>,
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

    /// Returns values for a document that lacks them, from its post of an earlier import or else from its file.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn existing_record(&self, planned: &PlannedPost) -> Result<ExistingRecord> {
        let catalog = self.transaction.catalog();
        let post = catalog.posts.get(planned.id);
        let Some(post) = post.filter(|_| planned.is_known) else {
            return Ok(ExistingRecord {
                date: Timestamp::from_second(planned.document.modified).ok(),
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
            default_author: default_author.filter(|id| catalog.users.get(*id).is_some()),
        })
    }

    /// Saves the records that the content files at these paths describe, unless the site has them.
    pub fn describe(
        &mut self,
        paths: &[&str],
        links: &ProjectLinks,
        conditions: &Conditions,
    ) -> Result<()> {
        let directory = self.directory(links);
        for path in paths {
            let bytes = match tree::read(&self.project.root, path) {
                Ok(bytes) => bytes,
                Err(problem) => {
                    self.leave_out(Note::of(&problem));
                    continue;
                }
            };
            match Description::read(path, &bytes, &directory, conditions) {
                Err(problems) => problems
                    .iter()
                    .for_each(|problem| self.leave_out(Note::of(problem))),
                Ok(description) => {
                    for problem in &description.diagnostics {
                        self.change(Note::of(problem));
                    }
                    let uploads = description.addresses.iter();
                    let uploads = uploads.filter_map(|written| links.upload(path, written));
                    self.used.extend(uploads);
                    self.record(description.record)?;
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, record: Record) -> Result<()> {
        match record {
            Record::Tag(tag) => {
                let tag = Tag {
                    origin: RecordOrigin::Store,
                    ..*tag
                };
                self.save_new("tags", tag)
            }
            Record::User(user) => {
                let user = User {
                    origin: RecordOrigin::Store,
                    ..*user
                };
                self.save_new("users", user)
            }
            Record::Tier(mut tier) => {
                tier.origin = RecordOrigin::Store;
                self.save_new("tiers", *tier)
            }
            Record::Newsletter(mut newsletter) => {
                newsletter.origin = RecordOrigin::Store;
                self.save_new("newsletters", *newsletter)
            }
            Record::Settings(_) | Record::Post(..) => Ok(()),
        }
    }

    fn save_new<R: CollectionRecord>(&mut self, kind: &str, record: R) -> Result<()> {
        let known = R::of(self.transaction.catalog());
        let is_known = known.get(record.id()).is_some() || known.by_slug(record.slug()).is_some();
        if is_known {
            self.report.count(kind, Outcome::Unchanged);
            return Ok(());
        }
        self.report.count(kind, Outcome::Added);
        self.transaction.save(record)
    }

    /// Saves a converted document, unless its post is unchanged or was edited since the last import.
    pub fn save(&mut self, converted: ConvertedDocument) -> Result<()> {
        let ConvertedDocument {
            planned,
            post: converted_post,
            notes,
        } = converted;
        let Some(converted_post) = converted_post else {
            notes.into_iter().for_each(|note| self.leave_out(note));
            return Ok(());
        };
        notes.into_iter().for_each(|note| self.change(note));
        self.check_aliases(&planned.document.path, &converted_post.post);
        let outcome = self.outcome(&planned, &converted_post)?;
        let kind = match converted_post.post.kind {
            PostKind::Post => "posts",
            PostKind::Page => "pages",
        };
        self.report.count(kind, outcome);
        self.report.count_content("texts", 0, 1);
        for (kind, before, after) in converted_post.counts.kinds() {
            self.report.count_content(kind, before, after);
        }
        if outcome == Outcome::Unchanged {
            return Ok(());
        }
        self.used.extend(converted_post.uploads);
        for tag in converted_post.tags {
            self.tag(tag)?;
        }
        for author in converted_post.authors {
            self.author(author)?;
        }
        let imported = ImportRecord {
            folder: self.folder.clone(),
            path: planned.document.path,
            made: converted_post.hash,
            default_author: converted_post.default_author,
        };
        imported.save(self.transaction, planned.id)?;
        self.transaction
            .save_post(converted_post.post, converted_post.body)
    }

    /// Reports old paths of a post that are also the current or an old path of another one.
    fn check_aliases(&mut self, path: &str, post: &Post) {
        for alias in &post.aliases {
            let posts = &self.transaction.catalog().posts;
            let current = posts.by_slug(alias.trim_start_matches('/'));
            let other = current.or(posts.by_alias(alias));
            if let Some(other) = other.filter(|other| other.id != post.id) {
                let text = format!("the old path {alias} is also a path of \"{}\"", other.slug);
                self.change(Note {
                    subject: path.to_owned(),
                    text,
                });
            }
        }
    }

    fn outcome(
        &mut self,
        planned: &PlannedPost,
        converted_post: &ConvertedPost,
    ) -> Result<Outcome> {
        let Some(known) = self.transaction.catalog().posts.get(planned.id).cloned() else {
            return Ok(Outcome::Added);
        };
        let before = ImportRecord::of(self.transaction, planned.id)?.map(|before| before.made);
        if before == Some(converted_post.hash) {
            return Ok(Outcome::Unchanged);
        }
        if before == Some(ContentHash::of_site(self.transaction, &known)?) {
            return Ok(Outcome::Updated);
        }
        self.change(Note {
            subject: planned.document.path.clone(),
            text: format!(
                "the file has changed, but so has the post \"{}\"; the post stays as it is",
                known.slug
            ),
        });
        Ok(Outcome::Unchanged)
    }

    /// Creates a tag that is only named. Makes one permanent that existed only while content files named it.
    fn tag(&mut self, named: ResolvedName) -> Result<()> {
        let now = self.transaction.now();
        let known = self.transaction.catalog().tags.get(named.id()).cloned();
        match (known, named) {
            (Some(known), _) if known.implied => self.transaction.save(Tag {
                implied: false,
                ..Tag::clone(&known)
            }),
            (Some(_), _) | (None, ResolvedName::Known(_)) => Ok(()),
            (None, ResolvedName::Implied { id, slug, name }) => {
                self.report.count("tags", Outcome::Added);
                self.transaction.save(Tag::new(id, &slug, &name, now))
            }
        }
    }

    /// Creates an author, or makes one permanent, as for tags.
    fn author(&mut self, named: ResolvedName) -> Result<()> {
        let now = self.transaction.now();
        let known = self.transaction.catalog().users.get(named.id()).cloned();
        match (known, named) {
            (Some(known), _) if known.implied => self.transaction.save(User {
                implied: false,
                ..User::clone(&known)
            }),
            (Some(_), _) | (None, ResolvedName::Known(_)) => Ok(()),
            (None, ResolvedName::Implied { id, slug, name }) => {
                self.report.count("users", Outcome::Added);
                let user = User::new(id, &slug, &name, now);
                let described = self.project.layout.author_by_slug(&slug);
                self.transaction.save(match described {
                    Some(author) => author.describe(user),
                    None => user,
                })
            }
        }
    }

    /// Returns the paths of the files that saved posts refer to.
    pub fn finish(self) -> BTreeSet<String> {
        self.used
    }

    fn change(&mut self, note: Note) {
        self.report.change(note.subject, note.text);
    }

    fn leave_out(&mut self, note: Note) {
        self.report.leave_out(note.subject, note.text);
    }
}
