//! Access to a site that this process does not serve: for commands, and for reading without a lock.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;

use super::{AppError, https::HttpsSite, url_sources};
use crate::{
    certificates::CertificateReport, clock::SystemClock, config::Config,
    content_files::ContentReport, control::ControlContext, data_folder::STORE, site::Site,
    store::redb::RedbStore,
};

/// Returns the context of commands on a site that this process does not serve.
///
/// # Errors
///
/// If the site's URL is invalid.
pub fn offline_context(config: &Config, site: Arc<Site>) -> Result<ControlContext, AppError> {
    Ok(ControlContext {
        site,
        rate_limits: Arc::default(),
        pulls: None,
        content: Arc::new(ArcSwap::from_pointee(ContentReport::default())),
        certificates: None,
        reloading: OnceLock::new(),
        setup_link: None,
        site_urls: url_sources(config)?,
        data: config.data.clone(),
        uploads: config.uploads(),
        content_folder: config.content_folder(),
        backups: None,
        path_prefix: config.path_prefix.clone(),
        front_end: config.front_end.external().cloned(),
        theme: config.theme.clone(),
        script_choice: config.script_choice,
        image_memory_bytes: config.image_memory_bytes,
    })
}

/// Reads and verifies the store in the data folder without a lock, so that a server may start in
/// the meantime. The folder is not changed; changes of the returned site are in memory only.
///
/// # Errors
///
/// If there is no store, or it is damaged, not a Galley store, or from a newer version.
pub fn site_without_lock(config: &Config) -> Result<Arc<Site>, AppError> {
    let path = config.data.join(STORE);
    let store = RedbStore::open_read_only(path, config.store_cache_bytes)?;
    Ok(Arc::new(Site::open(
        Box::new(store),
        Arc::new(SystemClock),
    )?))
}

/// Returns the state of the certificates on disk; an empty list for a site that is served over
/// http.
///
/// # Errors
///
/// If the files of the operator cannot be used.
pub fn stored_certificates(config: &Config) -> Result<Vec<CertificateReport>, AppError> {
    let Some(options) = &config.https else {
        return Ok(Vec::new());
    };
    let https = HttpsSite::prepare(options, &config.data)?;
    Ok(https.certificates.reports())
}
