//! Saves tags and authors that documents name but no file describes.

use super::saving::Saver;
use crate::{
    content_files::generator_files::ResolvedName,
    domain::{tag::Tag, user::User},
    error::Result,
    import::Outcome,
};

impl Saver<'_> {
    /// Creates a tag that is only named. A tag that existed only while content files named it becomes
    /// permanent.
    pub(super) fn save_tag(&mut self, named: ResolvedName) -> Result<()> {
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

    /// Creates an author, or makes an existing one permanent, as for tags.
    pub(super) fn save_author(&mut self, named: ResolvedName) -> Result<()> {
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
}
