//! Saving what texts make: posts with their tags and authors, and the records that Galley's own content files describe.

use std::{collections::BTreeSet, sync::Arc};

use jiff::Timestamp;

use super::{
    ConvertedText, Converting, Note,
    addresses::Addresses,
    imported::{ContentHash, ImportedText},
    plan::Planned,
    project::Project,
};
use crate::{
    domain::{
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
        generator_files::{Conditions, Description, Directory, Named},
        tree,
    },
};

/// What is known of a text that does not say it.
pub struct ExistingRecord {
    /// When it was begun.
    pub date: Option<Timestamp>,
    /// Who stood for its author before.
    pub default_author: Option<Id>,
}

/// Saves what texts make, one after the other.
pub struct Saver<'a> {
    transaction: &'a mut Transaction,
    report: &'a mut Report,
    project: &'a Project,
    folder: String,
    /// The files that are referred to.
    used: BTreeSet<String>,
}

impl<'a> Saver<'a> {
    /// Saves in this transaction.
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

    /// What texts may refer to.
    pub fn directory(&self, addresses: &Addresses) -> Directory {
        Directory::of_site(self.transaction.catalog(), Box::new(addresses.clone()))
            .with_layout(Arc::clone(&self.project.layout))
    }

    /// What is known of a text that does not say it: of the post that it made, else of its file.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn known(&self, planned: &Planned) -> Result<ExistingRecord> {
        let catalog = self.transaction.catalog();
        let post = catalog.posts.get(planned.id);
        let Some(post) = post.filter(|_| planned.is_known) else {
            return Ok(ExistingRecord {
                date: Timestamp::from_second(planned.text.modified).ok(),
                default_author: None,
            });
        };
        let before = ImportedText::of(self.transaction, planned.id)?;
        let default_author = match before {
            Some(before) if before.default_author.is_some() => before.default_author,
            // An earlier version did not remember it.
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

    /// Saves what the content files at these paths describe, unless the site has it.
    pub fn describe(
        &mut self,
        paths: &[&str],
        addresses: &Addresses,
        conditions: &Conditions,
    ) -> Result<()> {
        let directory = self.directory(addresses);
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
                    let uploads = uploads.filter_map(|written| addresses.upload(path, written));
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
                    source: None,
                    ..*tag
                };
                self.keep("tags", tag)
            }
            Record::User(user) => {
                let user = User {
                    source: None,
                    ..*user
                };
                self.keep("users", user)
            }
            Record::Tier(mut tier) => {
                tier.source = None;
                self.keep("tiers", *tier)
            }
            Record::Newsletter(mut newsletter) => {
                newsletter.source = None;
                self.keep("newsletters", *newsletter)
            }
            Record::Settings(_) | Record::Post(..) => Ok(()),
        }
    }

    fn keep<R: CollectionRecord>(&mut self, kind: &str, record: R) -> Result<()> {
        let known = R::of(self.transaction.catalog());
        let is_known = known.get(record.id()).is_some() || known.by_slug(record.slug()).is_some();
        if is_known {
            self.report.count(kind, Outcome::Unchanged);
            return Ok(());
        }
        self.report.count(kind, Outcome::Added);
        self.transaction.save(record)
    }

    /// Saves what a text makes, unless the site has it, or somebody changed the post since the text made it.
    pub fn save(&mut self, converted: ConvertedText) -> Result<()> {
        let ConvertedText {
            planned,
            made,
            notes,
        } = converted;
        let Some(made) = made else {
            notes.into_iter().for_each(|note| self.leave_out(note));
            return Ok(());
        };
        notes.into_iter().for_each(|note| self.change(note));
        self.check_aliases(&planned.text.path, &made.post);
        let outcome = self.outcome(&planned, &made)?;
        let kind = match made.post.kind {
            PostKind::Post => "posts",
            PostKind::Page => "pages",
        };
        self.report.count(kind, outcome);
        self.report.pass("texts", 0, 1);
        for (kind, before, after) in made.counts.kinds() {
            self.report.pass(kind, before, after);
        }
        if outcome == Outcome::Unchanged {
            return Ok(());
        }
        self.used.extend(made.uploads);
        for tag in made.tags {
            self.tag(tag)?;
        }
        for author in made.authors {
            self.author(author)?;
        }
        let imported = ImportedText {
            folder: self.folder.clone(),
            path: planned.text.path,
            made: made.hash,
            default_author: made.default_author,
        };
        imported.save(self.transaction, planned.id)?;
        self.transaction.save_post(made.post, made.body)
    }

    /// Reports the old addresses of a post at which another one is or was.
    fn check_aliases(&mut self, path: &str, post: &Post) {
        for alias in &post.aliases {
            let posts = &self.transaction.catalog().posts;
            let current = posts.by_slug(alias.trim_start_matches('/'));
            let other = current.or(posts.by_alias(alias));
            if let Some(other) = other.filter(|other| other.id != post.id) {
                let text = format!("the old address {alias} is also one of \"{}\"", other.slug);
                self.change(Note {
                    subject: path.to_owned(),
                    text,
                });
            }
        }
    }

    fn outcome(&mut self, planned: &Planned, made: &Converting) -> Result<Outcome> {
        let Some(known) = self.transaction.catalog().posts.get(planned.id).cloned() else {
            return Ok(Outcome::Added);
        };
        let before = ImportedText::of(self.transaction, planned.id)?.map(|before| before.made);
        if before == Some(made.hash) {
            return Ok(Outcome::Unchanged);
        }
        if before == Some(ContentHash::of_site(self.transaction, &known)?) {
            return Ok(Outcome::Updated);
        }
        self.change(Note {
            subject: planned.text.path.clone(),
            text: format!(
                "the file has changed, but so has the post \"{}\"; the post stays as it is",
                known.slug
            ),
        });
        Ok(Outcome::Unchanged)
    }

    /// Makes a tag that is only named, and keeps one that was only there while content files named it.
    fn tag(&mut self, named: Named) -> Result<()> {
        let now = self.transaction.now();
        let known = self.transaction.catalog().tags.get(named.id()).cloned();
        match (known, named) {
            (Some(known), _) if known.implied => self.transaction.save(Tag {
                implied: false,
                ..Tag::clone(&known)
            }),
            (Some(_), _) | (None, Named::Known(_)) => Ok(()),
            (None, Named::Implied { id, slug, name }) => {
                self.report.count("tags", Outcome::Added);
                self.transaction.save(Tag::new(id, &slug, &name, now))
            }
        }
    }

    /// The same for an author.
    fn author(&mut self, named: Named) -> Result<()> {
        let now = self.transaction.now();
        let known = self.transaction.catalog().users.get(named.id()).cloned();
        match (known, named) {
            (Some(known), _) if known.implied => self.transaction.save(User {
                implied: false,
                ..User::clone(&known)
            }),
            (Some(_), _) | (None, Named::Known(_)) => Ok(()),
            (None, Named::Implied { id, slug, name }) => {
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

    /// The paths of the files that what was saved refers to.
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
