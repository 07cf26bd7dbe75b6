//! Requests to the object storage that the operator names, for backups and uploads.
//!
//! Like downloads, they may go to any address: the storage may be on a private network. Redirects
//! are not followed, since the signature of a request is for one URL.

use std::{io::Read, time::Duration};

use ureq::{
    Agent, SendBody,
    http::{Request, header},
};
use url::Url;

use super::USER_AGENT;

/// Longest time to connect, to send a part, and until the response begins: joining the parts of a
/// large object takes minutes.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const SEND_TIMEOUT: Duration = Duration::from_secs(900);
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(300);

/// Longest time of reading an object.
const BODY_TIMEOUT: Duration = Duration::from_secs(4 * 3600);

/// The same where a client waits.
const SHORT_CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
const SHORT_RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
const SHORT_BODY_TIMEOUT: Duration = Duration::from_secs(900);

/// A response of the storage.
pub struct ObjectResponse {
    /// The status.
    pub status: u16,
    /// The entity tag, if there is one.
    pub etag: Option<String>,
    /// The body.
    pub body: Box<dyn Read>,
}

/// The body of a request, with its length in bytes.
pub struct ObjectBody<'a> {
    /// The content.
    pub content: &'a mut dyn Read,
    /// Its length.
    pub bytes: u64,
}

/// An HTTP client for object storage.
#[derive(Clone, Debug)]
pub struct ObjectClient(Agent);

impl Default for ObjectClient {
    fn default() -> Self {
        Self::with_timeouts(CONNECT_TIMEOUT, RESPONSE_TIMEOUT, BODY_TIMEOUT)
    }
}

impl ObjectClient {
    /// Returns a client whose requests fail soon if the storage does not respond.
    pub fn impatient() -> Self {
        Self::with_timeouts(
            SHORT_CONNECT_TIMEOUT,
            SHORT_RESPONSE_TIMEOUT,
            SHORT_BODY_TIMEOUT,
        )
    }

    fn with_timeouts(connect: Duration, response: Duration, body: Duration) -> Self {
        let config = Agent::config_builder()
            .user_agent(USER_AGENT)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .timeout_connect(Some(connect))
            .timeout_send_body(Some(SEND_TIMEOUT))
            .timeout_recv_response(Some(response))
            .timeout_recv_body(Some(body))
            .build();
        Self(Agent::new_with_config(config))
    }

    /// Sends a request, and returns the response, whatever its status.
    ///
    /// # Errors
    ///
    /// If there is no response.
    pub fn send(
        &self,
        method: &str,
        url: &Url,
        body: Option<ObjectBody<'_>>,
    ) -> Result<ObjectResponse, ureq::Error> {
        let request = Request::builder().method(method).uri(url.as_str());
        let response = match body {
            Some(ObjectBody { mut content, bytes }) => {
                let request = request.header(header::CONTENT_LENGTH, bytes);
                self.0
                    .run(request.body(SendBody::from_reader(&mut content))?)?
            }
            None => self.0.run(request.body(())?)?,
        };
        let etag = response.headers().get(header::ETAG);
        Ok(ObjectResponse {
            status: response.status().as_u16(),
            etag: etag.and_then(|etag| Some(etag.to_str().ok()?.to_owned())),
            body: Box::new(response.into_body().into_reader()),
        })
    }
}
