//! Public URLs of a site in newsletters.

use url::Url;

use crate::{
    catalog::Catalog,
    domain::{post::Post, setting::Settings},
};

/// Public URLs of a site, from its settings and the operator's configuration.
pub trait PublicUrls: Send + Sync {
    /// Returns the site's public URL.
    fn site(&self, settings: &Settings) -> Url;

    /// Returns the URL of a post.
    fn post(&self, catalog: &Catalog, post: &Post) -> String;
}
