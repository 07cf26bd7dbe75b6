//! The context in which commands are executed: the site, its folders and its configuration.

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use arc_swap::ArcSwap;

use crate::{
    admin::{rate_limits::RateLimits, setup_link::SetupLink},
    api::front_end::ExternalFrontEnd,
    backup::BackupStatus,
    certificates::Certificates,
    content_files::ContentReport,
    control::reload_report::ReloadReport,
    front_end::ScriptChoice,
    repository::Pulls,
    site::Site,
    site_urls::SiteUrlSources,
    uploads::Uploads,
};

/// Reads the configuration again, or returns its errors.
pub type Reload = Box<dyn Fn() -> std::result::Result<ReloadReport, String> + Send + Sync>;

/// The context of commands.
pub struct ControlContext {
    /// The site.
    pub site: Arc<Site>,
    /// The counts of attempts to sign in, which the API shares.
    pub rate_limits: Arc<RateLimits>,
    /// The report on its content folder; empty without one.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Requests to pull the site's repository, if it has one.
    pub pulls: Option<Arc<Pulls>>,
    /// Reads the configuration again, if this process was started with one.
    pub reloading: OnceLock<Reload>,
    /// The site's certificates, if it is served over https.
    pub certificates: Option<Arc<Certificates>>,
    /// The link for setting up the site from other machines, if it is served.
    pub setup_link: Option<Arc<SetupLink>>,
    /// The sources of its public URLs.
    pub site_urls: SiteUrlSources,
    /// The data folder.
    pub data: PathBuf,
    /// The storage of uploads.
    pub uploads: Uploads,
    /// The content folder, if the site has one.
    pub content_folder: Option<PathBuf>,
    /// The state of regular backups, if there are any.
    pub backups: Option<Arc<ArcSwap<BackupStatus>>>,
    /// First segment of the API's paths.
    pub path_prefix: String,
    /// The site's front end, if it is configured.
    pub front_end: Option<ExternalFrontEnd>,
    /// The folder of the theme that pages are rendered with, if it is not the active one.
    pub theme: Option<PathBuf>,
    /// The origin of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
    /// Memory that image resizing may use, in bytes.
    pub image_memory_bytes: u64,
}
