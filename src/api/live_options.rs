//! The options of an API that change while it is served.

use std::sync::Arc;

use url::Url;

use super::origins::TrustedOrigin;
use crate::{
    domain::integration::IntegrationScope,
    outbound::{Client, MediaClient, Reach},
};

/// The URL of GitHub's API, unless the operator sets another one.
const GITHUB: &str = "https://api.github.com";

/// The options of an API that change while it is served. A request sees those of one moment for each of its steps.
#[derive(Clone)]
pub struct LiveOptions {
    /// Other origins whose pages may act for the member who is signed in.
    pub member_origins: Vec<TrustedOrigin>,
    /// The part of the Admin API that integrations may use.
    pub integration_scope: IntegrationScope,
    /// Most records in a list of the Content API.
    pub list_limit_max: usize,
    /// Longest body from anonymous clients, in bytes.
    pub body_bytes_max: u64,
    /// Longest body with a file in it from clients of the Admin API, in bytes.
    pub upload_bytes_max: u64,
    /// True if sign-in from a new browser needs a code.
    pub device_verification: bool,
    /// True if mail is sent by a server; without one it is written to the log.
    pub has_mail_server: bool,
    /// The client for pages of other sites, for embeds; `None` if no outbound requests are allowed.
    pub outside: Option<Arc<Client>>,
    /// The client for media of other sites, which staff have copied.
    pub media: Arc<MediaClient>,
    /// The URL of GitHub's API, from which themes are installed.
    pub github: Url,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            member_origins: Vec::new(),
            integration_scope: IntegrationScope::default(),
            list_limit_max: 100,
            body_bytes_max: 1 << 20,
            upload_bytes_max: 200 << 20,
            device_verification: true,
            has_mail_server: false,
            outside: None,
            media: Arc::new(MediaClient::new(Reach::Public)),
            github: Url::parse(GITHUB).expect("invariant: it is a URL"),
        }
    }
}
