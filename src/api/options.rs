//! The configuration and the surroundings of an API.

use std::{path::PathBuf, sync::Arc};

use arc_swap::ArcSwap;
use url::Url;

use super::{
    admin::members::avatar::MemberAvatars, files::FileRoots, front_end::FrontEnd,
    origins::TrustedOrigin,
};
use crate::{
    admin_app::AdminApp,
    content_files::ContentReport,
    domain::integration::IntegrationScope,
    front_end::ScriptChoice,
    outbound::{Client, Reach},
    reader_scripts::ReaderScripts,
    repository::Pulls,
    search::SearchIndex,
    site_urls::SiteUrlSources,
};

/// The URL of GitHub's API, unless the operator sets another one.
const GITHUB: &str = "https://api.github.com";

/// The configuration and the surroundings of an API.
pub struct Options {
    /// The sources of the site's public URL.
    pub site_urls: SiteUrlSources,
    /// The origin of the staff client, if it is not the site's own.
    pub admin_origin: Option<TrustedOrigin>,
    /// Other origins whose pages may act for the member who is signed in.
    pub member_origins: Vec<TrustedOrigin>,
    /// The site's front end.
    pub front_end: FrontEnd,
    /// The folder of the theme that pages are rendered with, if it is not the active one.
    pub theme: Option<PathBuf>,
    /// Ghost's admin app, if it is installed.
    pub admin_app: AdminApp,
    /// Ghost's scripts for readers, if they are installed.
    pub reader_scripts: ReaderScripts,
    /// Whose scripts of readers pages load.
    pub script_choice: ScriptChoice,
    /// The first segment of the API's paths: `ghost` in `/ghost/api/`.
    pub path_prefix: String,
    /// The folders of images and other files.
    pub files: FileRoots,
    /// The report on the content files and their source; empty if there are none.
    pub content: Arc<ArcSwap<ContentReport>>,
    /// Requests a sync with the repository, if the site is from one.
    pub pulls: Option<Arc<Pulls>>,
    /// Memory for cached responses and for rendered post bodies, in bytes.
    pub cache_bytes_max: usize,
    /// The part of the Admin API that integrations may use.
    pub integration_scope: IntegrationScope,
    /// The search index.
    pub search: Arc<SearchIndex>,
    /// Most records in a list of the Content API.
    pub list_limit_max: usize,
    /// Longest body from anonymous clients, in bytes.
    pub body_bytes_max: u64,
    /// Longest body with a file in it from clients of the Admin API, in bytes.
    pub upload_bytes_max: u64,
    /// Memory for resizing images, in bytes.
    pub image_memory_bytes: u64,
    /// True if sign-in from a new browser needs a code.
    pub device_verification: bool,
    /// The source of members' images.
    pub member_avatars: MemberAvatars,
    /// True if mail is sent by a server; without one it is written to the log.
    pub has_mail_server: bool,
    /// The client for pages of other sites, for embeds; `None` if no outbound requests are allowed.
    pub outside: Option<Client>,
    /// Which addresses may be reached for media of other sites, which staff have copied.
    pub media_reach: Reach,
    /// The URL of GitHub's API, from which themes are installed.
    pub github: Url,
}

impl Default for Options {
    /// Returns the options of a site with the data folder `galley-data` and without content files, mail and outbound requests,
    /// at port 2368 of this machine. Limits are those of an operator who sets none.
    fn default() -> Self {
        Self {
            site_urls: SiteUrlSources::default(),
            admin_origin: None,
            member_origins: Vec::new(),
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
            integration_scope: IntegrationScope::default(),
            search: Arc::default(),
            list_limit_max: 100,
            body_bytes_max: 1 << 20,
            upload_bytes_max: 200 << 20,
            image_memory_bytes: 256 << 20,
            device_verification: true,
            member_avatars: MemberAvatars::default(),
            has_mail_server: false,
            outside: None,
            media_reach: Reach::Public,
            github: Url::parse(GITHUB).expect("invariant: it is a URL"),
        }
    }
}
