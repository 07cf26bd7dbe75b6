//! Requests to a service that the operator configured. Responses with any status are returned.
//!
//! Like downloads, these requests may go to any address and through the proxy of the environment.

use std::{io::Read, time::Duration};

use ureq::{
    Agent,
    config::ConfigBuilder,
    http::{Request, Response},
    tls::{Certificate, RootCerts, TlsConfig},
    typestate::AgentScope,
};

use super::{BODY_BYTES_MAX, OutboundError, USER_AGENT};

/// Maximum time of a request, from its first DNS resolution to the last byte of the response.
const TIMEOUT: Duration = Duration::from_secs(30);

fn config() -> ConfigBuilder<AgentScope> {
    Agent::config_builder()
        .user_agent(USER_AGENT)
        .timeout_global(Some(TIMEOUT))
        .http_status_as_error(false)
}

/// An HTTP client for a single service, which may redirect.
#[derive(Debug)]
pub struct DirectClient {
    agent: Agent,
}

impl DirectClient {
    /// Creates a client. `root` is the certificate, in PEM, that must have signed the service's
    /// certificate; `None` for the usual roots.
    ///
    /// # Errors
    ///
    /// If `root` is not a certificate.
    pub fn new(root: Option<&[u8]>) -> Result<Self, OutboundError> {
        let mut config = config();
        if let Some(root) = root {
            let root = Certificate::from_pem(root)?;
            let roots = RootCerts::new_with_certs(&[root]);
            config = config.tls_config(TlsConfig::builder().root_certs(roots).build());
        }
        Ok(Self {
            agent: Agent::new_with_config(config.build()),
        })
    }

    /// Creates a client that sends requests only over https, including redirected ones.
    pub fn https_only() -> Self {
        Self {
            agent: Agent::new_with_config(config().https_only(true).build()),
        }
    }

    /// Sends a request and returns the response with any status and at most [`BODY_BYTES_MAX`] of
    /// its body.
    ///
    /// # Errors
    ///
    /// If the service cannot be reached, or the response is not complete after thirty seconds.
    pub fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Vec<u8>>, OutboundError> {
        let (parts, body) = request.into_parts();
        // A request without a body must not have a content length.
        let response = if body.is_empty() {
            self.agent.run(Request::from_parts(parts, ()))
        } else {
            self.agent.run(Request::from_parts(parts, body))
        };
        let (parts, body) = response?.into_parts();
        let mut content = Vec::new();
        body.into_reader()
            .take(BODY_BYTES_MAX as u64)
            .read_to_end(&mut content)
            .map_err(ureq::Error::Io)?;
        Ok(Response::from_parts(parts, content))
    }
}
