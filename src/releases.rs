//! The newest release of Galley, according to a JSON document at a URL that the operator
//! configured.

use http::{Request, StatusCode};
use serde::Deserialize;
use url::Url;

use crate::{outbound::DirectClient, store};

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The reason why the document cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The document cannot be read.
    #[error("cannot read {url}: {reason}")]
    Unreadable {
        /// The URL.
        url: Box<Url>,
        /// The reason.
        reason: String,
    },
    /// The release has no valid version.
    #[error("the newest release has the invalid version {0:?}")]
    Version(String),
}

/// The document that describes the newest release.
#[derive(Debug, Deserialize)]
pub struct NewestRelease {
    /// The version of the release.
    pub version: String,
    /// The URL of a page about it.
    pub url: Option<String>,
    /// The format of its store.
    store_format: Option<u64>,
}

impl NewestRelease {
    /// Reads the document at `url`.
    ///
    /// # Errors
    ///
    /// If there is no response within thirty seconds, or it is not such a document.
    pub fn read(url: &Url) -> Result<Self, ReleaseError> {
        let failed = |reason: String| ReleaseError::Unreadable {
            url: Box::new(url.clone()),
            reason,
        };
        let client = match url.scheme() {
            "https" => DirectClient::https_only(),
            _ => DirectClient::new(None).map_err(|error| failed(error.to_string()))?,
        };
        let request = Request::get(url.as_str()).body(Vec::new());
        let request = request.map_err(|error| failed(error.to_string()))?;
        let response = client
            .send(request)
            .map_err(|error| failed(error.to_string()))?;
        if response.status() != StatusCode::OK {
            return Err(failed(format!("the response is {}", response.status())));
        }
        serde_json::from_slice(response.body()).map_err(|error| failed(error.to_string()))
    }

    /// Returns whether the release is newer than this program.
    ///
    /// # Errors
    ///
    /// If the release's version is invalid.
    pub fn is_newer(&self) -> Result<bool, ReleaseError> {
        let newest = ReleaseNumber::parse(&self.version)
            .ok_or_else(|| ReleaseError::Version(self.version.clone()))?;
        Ok(Some(newest) > ReleaseNumber::parse(VERSION))
    }

    /// Returns whether this program could no longer read a store written by the release.
    pub fn changes_store(&self) -> bool {
        self.store_format > Some(store::FORMAT_VERSION)
    }
}

/// A version according to Semantic Versioning, ordered like releases.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ReleaseNumber {
    numbers: [u64; 3],
    /// Pre-releases sort before their release.
    is_release: bool,
}

impl ReleaseNumber {
    fn parse(text: &str) -> Option<Self> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
        // Build metadata does not affect the order of versions (Semantic Versioning, section 10).
        let (text, _) = text.split_once('+').unwrap_or((text, ""));
        let (numbers, is_release) = match text.split_once('-') {
            Some((numbers, _)) => (numbers, false),
            None => (text, true),
        };
        let numbers: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
        Some(Self {
            numbers: numbers?.try_into().ok()?,
            is_release,
        })
    }
}
