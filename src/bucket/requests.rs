//! Requests to the service, which are retried until they succeed or are refused permanently.

use std::{
    fs::File,
    io::{self, Read},
    ops::ControlFlow,
    time::Duration,
};

use url::Url;

use super::{Bucket, BucketError, BucketErrorKind};
use crate::{
    interruption::Ended,
    outbound::{Cancelled, ObjectBody, ObjectError, ObjectResponse},
    progress::Progress,
};

/// Maximum number of bytes of a response that are read, unless it is an object.
const RESPONSE_BYTES_MAX: u64 = 4 << 20;

/// The error code for a bucket that does not exist.
const NO_BUCKET: &str = "NoSuchBucket";

/// Beginnings of web pages.
const PAGES: [&str; 3] = ["<!doctype html", "<html", "<head"];

/// A part of a file.
pub(super) struct Part<'a> {
    pub file: &'a File,
    pub start: u64,
    pub bytes: u64,
    pub total: u64,
    pub progress: &'a dyn Progress,
}

impl Part<'_> {
    fn advance(&self, sent: u64) -> Result<(), Cancelled> {
        match self
            .progress
            .step(self.start + sent.min(self.bytes), self.total)
        {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Cancelled),
        }
    }
}

impl Bucket {
    /// Sends a request with an optional text, and returns the text of the response.
    pub(super) fn text(
        &self,
        method: &str,
        url: &Url,
        body: Option<&str>,
    ) -> Result<String, BucketError> {
        let response =
            self.repeated(|| self.client.send(method, url, body.map(ObjectBody::Text)))?;
        read_text(response, self.patience.text).map_err(|error| self.unavailable(error.to_string()))
    }

    /// Sends a request, optionally with a part of a file.
    pub(super) fn send(
        &self,
        method: &str,
        url: &Url,
        part: Option<&Part<'_>>,
    ) -> Result<ObjectResponse, BucketError> {
        self.repeated(|| {
            let Some(part) = part else {
                return self.client.send(method, url, None);
            };
            // A retry sends the part from its beginning, so the progress returns to it.
            part.advance(0)?;
            let advance = |sent| part.advance(sent);
            let body = ObjectBody::Part {
                file: part.file,
                start: part.start,
                bytes: part.bytes,
                advance: &advance,
            };
            self.client.send(method, url, Some(body))
        })
    }

    /// Refuses the response to a change if it is a web page, such as the login form of a network,
    /// which is sent for any request. Its media type cannot be used, because services send the same
    /// one for empty responses.
    pub(super) fn refuse_page(&self, response: ObjectResponse) -> Result<(), BucketError> {
        let text = read_text(response, self.patience.text);
        let text = text.map_err(|error| self.unavailable(error.to_string()))?;
        if is_page(text.as_bytes()) {
            Err(self.refused("it responded with a web page".to_owned()))
        } else {
            Ok(())
        }
    }

    /// Sends a request until it succeeds, or is refused permanently.
    fn repeated(
        &self,
        mut attempt: impl FnMut() -> Result<ObjectResponse, ObjectError>,
    ) -> Result<ObjectResponse, BucketError> {
        // Here, because each request passes this function: without a key, the service would report
        // an invalid signature.
        self.check_key()?;
        let mut pauses = self.patience.pauses.iter();
        loop {
            let failure = match attempt() {
                Ok(response) if (200..300).contains(&response.status) => return Ok(response),
                Ok(response) => {
                    let status = response.status;
                    // An error without a readable text is still reported by its status.
                    let text = read_text(response, self.patience.text).unwrap_or_default();
                    let problem = problem(&text).unwrap_or_else(|| format!("status {status}"));
                    // A missing bucket is a wrong configuration. As a missing object, it would pass
                    // for an empty destination.
                    if status == 404 && !problem.starts_with(NO_BUCKET) {
                        return Err(self.failed(BucketErrorKind::Missing, problem));
                    }
                    // Only timeouts, rate limits and failures of the service can end without a
                    // change of the request.
                    if !matches!(status, 408 | 429 | 500..) {
                        return Err(self.refused(problem));
                    }
                    problem
                }
                Err(ObjectError::Cancelled) => {
                    return Err(self.failed(BucketErrorKind::Cancelled, "cancelled".to_owned()));
                }
                Err(error) => error.to_string(),
            };
            let interruption = self.interruption();
            let Some(pause) = pauses.next().filter(|_| !interruption.is_due()) else {
                return Err(self.unavailable(failure));
            };
            tracing::debug!(failure, bucket = ?self, "a request to the bucket failed; retrying");
            if !interruption.pause(*pause) {
                return Err(self.unavailable(Ended::Interrupted.to_string()));
            }
        }
    }
}

fn read_text(response: ObjectResponse, time: Duration) -> io::Result<String> {
    let mut text = Vec::new();
    let body = response.body.within(time);
    body.take(RESPONSE_BYTES_MAX).read_to_end(&mut text)?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// Returns whether content that begins with `head` is a web page.
pub fn is_page(head: &[u8]) -> bool {
    // A page may begin with a byte order mark.
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let head = head.trim_ascii_start();
    let begins = |page: &&str| {
        let start = head.get(..page.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(page.as_bytes()))
    };
    PAGES.iter().any(begins)
}

/// Returns the text of the first element `name` in a response.
fn element<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once("</").map(|(value, _)| value.trim())
}

/// Returns the error in the text of a response, as given by the service.
pub(super) fn problem(text: &str) -> Option<String> {
    let code = element(text, "Code")?;
    let text = match element(text, "Message") {
        Some(message) => format!("{code}: {message}"),
        None => code.to_owned(),
    };
    Some(
        text.chars()
            // The service is not trusted, and its message appears in logs and on terminals.
            .filter(|character| !character.is_control())
            .collect(),
    )
}
