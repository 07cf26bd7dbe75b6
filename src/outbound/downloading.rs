//! Downloads large files from URLs that the operator configured.
//!
//! Unlike other requests, they may go to any address and through the proxy of the environment: the
//! operator may name a mirror on a private network.

use std::{io::Read, time::Duration};

use ureq::{Agent, http::header};

use super::USER_AGENT;

/// Maximum time to connect, and between two parts of the body.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum time of a download.
const BODY_TIMEOUT: Duration = Duration::from_secs(3600);

/// A file that is being downloaded.
pub struct Download {
    /// The byte offset in the file at which the body begins.
    pub start: u64,
    /// The length of the file in bytes, if the server reports it.
    pub total: Option<u64>,
    /// The rest of the file.
    pub body: Box<dyn Read>,
}

/// Requests a file from the byte offset `start`. A server that does not support ranges sends the
/// file from its beginning.
///
/// # Errors
///
/// If there is no successful response.
pub fn download(url: &str, start: u64) -> Result<Download, ureq::Error> {
    let config = Agent::config_builder()
        .user_agent(USER_AGENT)
        .timeout_connect(Some(CONNECT_TIMEOUT))
        .timeout_recv_response(Some(RESPONSE_TIMEOUT))
        .timeout_recv_body(Some(BODY_TIMEOUT))
        .build();
    let mut request = Agent::new_with_config(config).get(url);
    if start > 0 {
        request = request.header(header::RANGE, format!("bytes={start}-"));
    }
    let response = match request.call() {
        // The file is not longer than the part that already exists.
        Err(ureq::Error::StatusCode(416)) if start > 0 => return download(url, 0),
        response => response?,
    };
    // A server without ranges responds with the whole file.
    let is_rest = response.headers().contains_key(header::CONTENT_RANGE);
    let start = if is_rest { start } else { 0 };
    let length = response.headers().get(header::CONTENT_LENGTH);
    let length: Option<u64> = length.and_then(|length| length.to_str().ok()?.parse().ok());
    Ok(Download {
        start,
        total: length.map(|length| start + length),
        body: Box::new(response.into_body().into_reader()),
    })
}
