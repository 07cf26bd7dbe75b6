//! Downloads images, video, audio and other files that content refers to.

use std::{
    io::{self, Read, Write},
    time::Duration,
};

use ureq::{Agent, http::header, unversioned::transport::DefaultConnector};

use super::{AllowedAddresses, GuardedResolver, direct};

/// Maximum time to connect, and between two parts of the body.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);

/// Maximum time of a download, from its first DNS resolution to the last byte.
pub const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(300);

/// Maximum number of redirects that are followed.
const REDIRECTS_MAX: u32 = 5;

/// The reason why a file could not be downloaded.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// The request failed, or its URL was refused.
    #[error(transparent)]
    Failed(#[from] ureq::Error),
    /// The file is longer than the limit, in bytes.
    #[error("it is longer than {} MB", .0 >> 20)]
    TooLong(u64),
    /// The file cannot be written.
    #[error("it cannot be stored: {0}")]
    Output(io::Error),
}

impl MediaError {
    /// Returns the status of the response, if it was an error from the other site.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::Failed(ureq::Error::StatusCode(status)) => Some(*status),
            _ => None,
        }
    }
}

/// A client for files of other sites.
#[derive(Debug)]
pub struct MediaClient {
    agent: Agent,
}

impl MediaClient {
    /// Creates a client that may reach these addresses.
    pub fn new(allowed_addresses: AllowedAddresses) -> Self {
        let config = direct()
            .timeout_global(Some(DOWNLOAD_TIMEOUT))
            .timeout_connect(Some(CONNECT_TIMEOUT))
            .timeout_recv_response(Some(RESPONSE_TIMEOUT))
            .max_redirects(REDIRECTS_MAX)
            .max_idle_connections(0)
            .build();
        let resolver = GuardedResolver::within(allowed_addresses);
        Self {
            agent: Agent::with_parts(config, DefaultConnector::default(), resolver),
        }
    }

    /// Writes the file at `url`, an http or https URL, to `out`; returns its media type, without
    /// parameters and in lower case.
    ///
    /// # Errors
    ///
    /// If there is no successful response from an allowed address, the file is longer than
    /// `bytes_max`, or `out` cannot be written.
    pub fn get(
        &self,
        url: &str,
        bytes_max: u64,
        out: &mut dyn Write,
    ) -> Result<String, MediaError> {
        let response = self.agent.get(url).call()?;
        let kind = response.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default();
        let kind = kind.trim().to_ascii_lowercase();
        // One more byte, to detect that the file is too long.
        let mut body = response.into_body().into_reader().take(bytes_max + 1);
        let mut part = vec![0; 64 << 10];
        let mut bytes = 0;
        loop {
            let count = body.read(&mut part).map_err(ureq::Error::Io)?;
            if count == 0 {
                return Ok(kind);
            }
            bytes += count as u64;
            if bytes > bytes_max {
                return Err(MediaError::TooLong(bytes_max));
            }
            out.write_all(&part[..count]).map_err(MediaError::Output)?;
        }
    }
}
