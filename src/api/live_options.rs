//! The options of an API that may change while it is served.

use std::sync::Arc;

use url::Url;

use super::origins::TrustedOrigin;
use crate::{
    domain::integration::IntegrationScope,
    outbound::{AllowedAddresses, Client, MediaClient},
};

/// The URL of GitHub's API, unless the operator sets another one.
const GITHUB: &str = "https://api.github.com";

/// The options of an API that may change while it is served. Each step of a request uses the options as of that step.
#[derive(Clone)]
pub struct LiveOptions {
    /// Other origins whose pages may act for the signed-in member.
    pub member_origins: Vec<TrustedOrigin>,
    /// The part of the Admin API that integrations may use.
    pub integration_scope: IntegrationScope,
    /// Most records on a page of a list in the Content API.
    pub list_limit_max: usize,
    /// Longest body from anonymous clients, in bytes.
    pub body_bytes_max: u64,
    /// Longest body with a file from clients of the Admin API, in bytes.
    pub upload_bytes_max: u64,
    /// True if sign-in from a new browser requires a code.
    pub device_verification: bool,
    /// True if mail is sent through a mail server; otherwise it is written to the log.
    pub has_mail_server: bool,
    /// The client that fetches pages of other sites for embeds; `None` if this is not allowed.
    pub outside: Option<Arc<Client>>,
    /// The client that downloads media of other sites, on request of staff.
    pub media: Arc<MediaClient>,
    /// The URL of GitHub's API, which is used to install themes.
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
            media: Arc::new(MediaClient::new(AllowedAddresses::Public)),
            github: Url::parse(GITHUB).expect("invariant: it is a URL"),
        }
    }
}
