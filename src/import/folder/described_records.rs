//! Saves the records that Galley's own content files describe: tags, authors, tiers and newsletters.

use super::{converted::DocumentNote, project_links::ProjectLinks, saving::Saver};
use crate::{
    content_files::{
        ConvertedRecord, folder_files,
        generator_files::{Conditions, Description},
    },
    domain::{origin::RecordOrigin, tag::Tag, user::User},
    error::Result,
    import::Outcome,
    site::CollectionRecord,
};

impl Saver<'_> {
    /// Saves the records that the content files at these paths describe, unless the site has them.
    pub fn describe(
        &mut self,
        paths: &[&str],
        links: &ProjectLinks,
        conditions: &Conditions,
    ) -> Result<()> {
        let directory = self.directory(links);
        for path in paths {
            let bytes = match folder_files::read(&self.project.root, path) {
                Ok(bytes) => bytes,
                Err(problem) => {
                    self.leave_out(DocumentNote::of(&problem));
                    continue;
                }
            };
            match Description::read(path, &bytes, &directory, conditions) {
                Err(problems) => problems
                    .iter()
                    .for_each(|problem| self.leave_out(DocumentNote::of(problem))),
                Ok(description) => {
                    for problem in &description.diagnostics {
                        self.change(DocumentNote::of(problem));
                    }
                    let uploads = description.urls.iter();
                    let uploads = uploads.filter_map(|written| links.upload(path, written));
                    self.used.extend(uploads);
                    self.save_described(description.record)?;
                }
            }
        }
        Ok(())
    }

    fn save_described(&mut self, record: ConvertedRecord) -> Result<()> {
        match record {
            ConvertedRecord::Tag(tag) => {
                let tag = Tag {
                    origin: RecordOrigin::Store,
                    ..*tag
                };
                self.save_new("tags", tag)
            }
            ConvertedRecord::User(user) => {
                let user = User {
                    origin: RecordOrigin::Store,
                    ..*user
                };
                self.save_new("users", user)
            }
            ConvertedRecord::Tier(mut tier) => {
                tier.origin = RecordOrigin::Store;
                self.save_new("tiers", *tier)
            }
            ConvertedRecord::Newsletter(mut newsletter) => {
                newsletter.origin = RecordOrigin::Store;
                self.save_new("newsletters", *newsletter)
            }
            ConvertedRecord::Settings(_) | ConvertedRecord::Post(..) => Ok(()),
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
}
