//! Requests to a single address of a host, which show what server responds there.

use std::{io::Read, net::IpAddr, time::Duration};

use ureq::{
    Agent,
    config::Config,
    http::Uri,
    tls::TlsConfig,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::{DefaultConnector, NextTimeout},
    },
};

use super::{OutboundError, USER_AGENT};

/// Time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(6);

/// Maximum number of redirects that are followed, at the same address.
const REDIRECTS_MAX: u32 = 3;

/// Maximum length of the body that is read, in bytes.
const BODY_BYTES_MAX: u64 = 1024;

/// The response of a probed server.
#[derive(Debug)]
pub struct ProbedResponse {
    /// Its status.
    pub status: u16,
    /// The name of its software, as reported in the response.
    pub server: Option<String>,
    /// The beginning of its body.
    pub body: String,
}

/// Returns the response to a GET request to `url` at this address, regardless of the addresses of its name. The
/// certificate is not verified: the response must prove its origin.
///
/// # Errors
///
/// If there is no response in six seconds.
pub fn probe(url: &str, address: IpAddr) -> Result<ProbedResponse, OutboundError> {
    let tls = TlsConfig::builder().disable_verification(true).build();
    let config = Agent::config_builder()
        // A proxy would choose the address itself.
        .proxy(None)
        .user_agent(USER_AGENT)
        .timeout_global(Some(TIMEOUT))
        .max_redirects(REDIRECTS_MAX)
        .http_status_as_error(false)
        .tls_config(tls)
        .build();
    let agent = Agent::with_parts(config, DefaultConnector::default(), FixedResolver(address));
    let mut response = agent.get(url).call()?;
    let server = response.headers().get("server");
    let server = server
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    let mut body = Vec::new();
    let reader = response.body_mut().as_reader();
    reader
        .take(BODY_BYTES_MAX)
        .read_to_end(&mut body)
        .map_err(ureq::Error::Io)?;
    Ok(ProbedResponse {
        status: response.status().as_u16(),
        server,
        body: String::from_utf8_lossy(&body).into_owned(),
    })
}

/// Resolves every name to one address.
#[derive(Debug)]
struct FixedResolver(IpAddr);

impl Resolver for FixedResolver {
    fn resolve(
        &self,
        uri: &Uri,
        _config: &Config,
        _timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let default = if uri.scheme_str() == Some("https") {
            443
        } else {
            80
        };
        let mut addresses = self.empty();
        addresses.push((self.0, uri.port_u16().unwrap_or(default)).into());
        Ok(addresses)
    }
}
