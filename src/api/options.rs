//! The configuration and the environment of an API.

use std::{path::PathBuf, sync::Arc};

use arc_swap::ArcSwap;

use super::{
    LiveOptions, admin::members::avatar::MemberAvatars, files::FileRoots, front_end::FrontEnd,
    origins::TrustedOrigin,
};
use crate::{
    admin::rate_limits::RateLimits, admin_app::AdminApp, content_files::ContentReport,
    front_end::ScriptChoice, reader_scripts::ReaderScripts, repository::Pulls, search::SearchIndex,
    site_urls::SiteUrlSources,
};

/// The configuration and the environment of an API.
pub struct Options {
    /// The sources of the site's public URL.
    pub site_urls: SiteUrlSources,
    /// The origin of the staff client, if it is not the site's own.
    pub admin_origin: Option<TrustedOrigin>,
    /// The site's front end.
    pub front_end: FrontEnd,
    /// The folder of the theme that renders the pages instead of the active theme, if any.
    pub theme: Option<PathBuf>,
    /// Ghost's admin app, if it is installed.
    pub admin_app: AdminApp,
    /// Ghost's scripts for readers, if they are installed.
    pub reader_scripts: ReaderScripts,
    /// The choice of the reader scripts that pages load.
    pub script_choice: ScriptChoice,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// The folders of images and other files.
    pub files: FileRoots,
    /// The report on the content files and their source; empty if the site has no content files.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Requests syncs with the repository, if the site follows one.
    pub pulls: Option<Arc<Pulls>>,
    /// Memory for cached responses and rendered post bodies, in bytes.
    pub cache_bytes_max: usize,
    /// The search index.
    pub search: Arc<SearchIndex>,
    /// The counts of rate-limited attempts.
    pub rate_limits: Arc<RateLimits>,
    /// Memory for resizing images, in bytes.
    pub image_memory_bytes: u64,
    /// The source of members' images.
    pub member_avatars: MemberAvatars,
    /// The initial values of the options that may change while the site is served.
    pub live: LiveOptions,
}

impl Default for Options {
    /// Returns the options of a site at port 2368 of this machine, with the data folder `galley-data`, and without content
    /// files, mail and outbound requests. All limits have their defaults.
    fn default() -> Self {
        Self {
            site_urls: SiteUrlSources::default(),
            admin_origin: None,
            front_end: FrontEnd::default(),
            theme: None,
            admin_app: AdminApp::at("admin-app".into()),
            reader_scripts: ReaderScripts::at("reader-scripts".into()),
            script_choice: ScriptChoice::default(),
            path_prefix: "ghost".to_owned(),
            files: FileRoots::in_data("galley-data".as_ref()),
            content: Arc::default(),
            pulls: None,
            cache_bytes_max: 24 << 20,
            search: Arc::default(),
            rate_limits: Arc::default(),
            image_memory_bytes: 256 << 20,
            member_avatars: MemberAvatars::default(),
            live: LiveOptions::default(),
        }
    }
}
