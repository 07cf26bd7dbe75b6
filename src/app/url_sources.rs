//! The sources of the site's URL: the operator's option, or the address that the server listens on.

use std::net::SocketAddr;

use crate::{
    config::Config,
    site_urls::{SiteUrlError, SiteUrlSources, SiteUrls},
};

/// Returns the sources of the site's URLs according to the configuration.
///
/// # Errors
///
/// If the operator's URL is invalid.
pub fn url_sources(config: &Config) -> Result<SiteUrlSources, SiteUrlError> {
    Ok(SiteUrlSources {
        operator: operator_url(config)?,
        listen: listen_url(config.listen)?,
    })
}

pub(super) fn operator_url(config: &Config) -> Result<Option<SiteUrls>, SiteUrlError> {
    config.url.as_deref().map(SiteUrls::new).transpose()
}

pub(super) fn listen_url(address: SocketAddr) -> Result<SiteUrls, SiteUrlError> {
    SiteUrls::new(&format!("http://{address}"))
}
