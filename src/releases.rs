//! The newest release of Galley, as a JSON document at a URL of the operator says.

use http::{Request, StatusCode};
use serde::Deserialize;
use url::Url;

use crate::{outbound::DirectClient, store};

/// The version of this program.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The document cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// There is no such document.
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

/// The document that says which release is the newest.
#[derive(Debug, Deserialize)]
pub struct NewestRelease {
    /// Its version.
    pub version: String,
    /// The page about it.
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

    /// Returns whether it is newer than this program.
    ///
    /// # Errors
    ///
    /// If its version is invalid.
    pub fn is_newer(&self) -> Result<bool, ReleaseError> {
        let newest = ReleaseNumber::parse(&self.version)
            .ok_or_else(|| ReleaseError::Version(self.version.clone()))?;
        Ok(Some(newest) > ReleaseNumber::parse(VERSION))
    }

    /// Returns whether this program cannot read a store of it.
    pub fn changes_store(&self) -> bool {
        self.store_format > Some(store::FORMAT_VERSION)
    }
}

/// A version of Semantic Versioning, in the order of releases.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct ReleaseNumber {
    numbers: [u64; 3],
    /// Pre-releases come before their release.
    is_release: bool,
}

impl ReleaseNumber {
    fn parse(text: &str) -> Option<Self> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return None;
        }
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
