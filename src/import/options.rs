//! The options of an import.

use url::Url;

use crate::{
    content_files::ContentFiles,
    domain::{actor::Actor, secret::Secret},
    uploads::Uploads,
};

/// Options of an import.
pub struct Options {
    /// The site's public URL. URLs below it in the source become URLs of the site itself.
    pub site: Url,
    /// The folder that images and other files are copied to. The folder need not exist for a dry run.
    pub uploads: Uploads,
    /// True if everything is read and reported but nothing is stored.
    pub dry_run: bool,
    /// The user or integration that imports.
    pub actor: Actor,
    /// True if the git history of a folder supplies missing values of its documents: dates, and authors that the site has.
    pub history: bool,
    /// Settings for the files of a folder.
    pub content_files: ContentFiles,
    /// The `members_email_auth_secret` of a Ghost site. With it, links in mails that the Ghost site sent keep working.
    pub email_auth_secret: Option<Secret>,
    /// True if webhooks get an event for each imported record in addition to `site.changed`.
    pub announces_records: bool,
}
