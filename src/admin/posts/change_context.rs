//! The context of a change of a post.

use url::Url;

use crate::{admin::content_files, domain::actor::Actor, site::Transaction};

/// The actor of a change, and the site's URL.
#[derive(Clone, Copy, Debug)]
pub struct ChangeContext<'a> {
    /// The actor.
    pub actor: &'a Actor,
    /// The site's public URL: URLs below it are stored relative, so that the site can move.
    pub site: &'a Url,
}

impl ChangeContext<'_> {
    /// Lets `transaction` write content files on behalf of the actor.
    pub(super) fn edit_files(&self, transaction: &mut Transaction) {
        content_files::edit_as(transaction, self.actor);
    }
}
