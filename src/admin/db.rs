//! Import and deletion of all content: the `db` endpoints of Ghost.

use url::Url;

use super::content_files;
use crate::{
    domain::{action::ActionEvent, actor::Actor, record::Subject, tag::Tag},
    error::{Error, Kind, Result},
    id::Id,
    import::{self, ImportSource, Report},
    progress::Progress,
    site::Site,
    uploads::Uploads,
};

/// Imports a Ghost export, as JSON or in an archive: all of it or nothing. `site_url` is the site's
/// URL; `announces_records` says whether webhooks receive an event for each record, and not only
/// one for the site; `progress` limits the memory.
///
/// # Errors
///
/// `UnsupportedMediaType` for any other file; the errors of [`import::import`].
pub fn import(
    site: &Site,
    actor: &Actor,
    given: &ImportSource,
    site_url: &Url,
    uploads: &Uploads,
    announces_records: bool,
    progress: &dyn Progress,
) -> Result<Report> {
    if !matches!(given, ImportSource::Export(_) | ImportSource::Archive(_)) {
        return Err(Error::new(
            Kind::UnsupportedMediaType,
            "The file is neither a Ghost export nor an archive that contains one.",
        ));
    }
    let options = import::Options {
        site: site_url.clone(),
        uploads: uploads.clone(),
        dry_run: false,
        actor: *actor,
        history: false,
        content_files: crate::content_files::ContentFiles::default(),
        email_auth_secret: None,
        announces_records,
    };
    import::import(site, given, &options, progress)
}

/// Deletes all posts, pages and tags. Users, settings, tiers, newsletters and members remain (Ghost
/// 6.65, recorded).
///
/// # Errors
///
/// `Validation`, naming a file, if some of the content comes from content files: it would reappear,
/// or be missing although its file exists.
pub fn delete_all(site: &Site, actor: &Actor) -> Result<()> {
    content_files::edit(site, actor, |transaction| {
        transaction.announce_site();
        let catalog = transaction.catalog();
        // Collected first, because the deletions change the catalog. Posts go before tags:
        // `remove_edited` does not take a tag out of the posts that have it.
        let posts: Vec<Id> = catalog.posts.iter().map(|post| post.id).collect();
        let tags: Vec<Id> = catalog.tags.iter().map(|tag| tag.id).collect();
        posts
            .into_iter()
            .try_for_each(|id| transaction.delete_post(id))?;
        tags.into_iter()
            .try_for_each(|id| transaction.remove_edited::<Tag>(id))?;
        transaction.record_action(actor, ActionEvent::Deleted, Subject::whole_content())
    })
}
