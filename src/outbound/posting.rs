//! Posts to configured receivers: each connection goes to a checked address and is reused for the next
//! post.
//!
//! A redirect is followed only on the same host, and its address is checked like the first one. DNS
//! results are cached for a few seconds, so that many posts to one receiver do not resolve its name
//! each time. Cached results have been checked, so the cache does not give access to further
//! addresses.

use std::{
    cell::Cell,
    collections::HashMap,
    io::{self, Read},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use data_encoding::BASE64;
use percent_encoding::percent_decode_str;
use ureq::{
    Agent,
    config::Config,
    http::{HeaderMap, Uri, header},
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::{ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport},
    },
};
use url::Url;

use super::{AllowedAddresses, GuardedResolver, REDIRECTS_MAX, direct};

/// Size of each of the two buffers, for sending and receiving, of an idle connection.
const BUFFER_BYTES: usize = 16 * 1024;

/// Maximum time of a post, from its first DNS resolution to the last byte of the response that is
/// read, including all redirects.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum number of bytes of a response body that are stored.
pub const STORED_BYTES_MAX: usize = 4 << 10;

/// Maximum number of bytes of a response body that are read so that the connection can be reused. If
/// there are more, the connection is closed.
const READ_BYTES_MAX: u64 = 64 << 10;

/// Maximum number of header fields of a response that are stored, and maximum length of a value, in
/// characters.
const STORED_HEADERS_MAX: usize = 32;
const HEADER_CHARACTERS_MAX: usize = 500;

/// Maximum number of idle connections, to all receivers and to one.
const IDLE_CONNECTIONS_MAX: usize = 64;
const IDLE_CONNECTIONS_PER_HOST_MAX: usize = 4;

/// Time for which an idle connection stays open.
const IDLE_MAX: Duration = Duration::from_secs(10);

/// Lifetime of a cached DNS result.
const RESOLUTION_LASTS: Duration = Duration::from_secs(5);

/// Maximum number of names in the DNS cache.
const NAMES_MAX: usize = 256;

/// Statuses of redirects that are followed. The method is retained, even if the status does not require that.
const REDIRECTS: [u16; 4] = [301, 302, 307, 308];

/// A receiver's response.
#[derive(Debug)]
pub struct WebhookResponse {
    /// The status.
    pub status: u16,
    /// The header fields, with names in lower case. Further fields are dropped and long values
    /// truncated.
    pub headers: Vec<(Box<str>, Box<str>)>,
    /// At most `STORED_BYTES_MAX` of the body.
    pub body: Vec<u8>,
    /// True if the body was longer.
    pub is_cut: bool,
}

impl WebhookResponse {
    /// Returns the value of a header field; `name` is in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let field = headers.find(|(known, _)| &**known == name);
        field.map(|(_, value)| &**value)
    }
}

/// The reason why there is no response.
#[derive(Debug, thiserror::Error)]
pub enum PostError {
    /// Requests to the URL can never succeed.
    #[error("{0}")]
    Url(String),
    /// Requests to the URL, or to a redirect from it, are not allowed.
    #[error("{0}")]
    Refused(String),
    /// There is no response.
    #[error("{0}")]
    Failed(String),
}

/// An HTTP client that posts to receivers.
#[derive(Debug)]
pub struct WebhookClient {
    agent: Agent,
}

impl WebhookClient {
    /// Creates a client that may reach these addresses.
    pub fn new(allowed_addresses: AllowedAddresses) -> Self {
        Self::with_resolver(GuardedResolver::within(allowed_addresses))
    }

    fn with_resolver(resolver: impl Resolver) -> Self {
        let config = direct()
            .timeout_global(Some(TIMEOUT))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(IDLE_CONNECTIONS_MAX)
            .max_idle_connections_per_host(IDLE_CONNECTIONS_PER_HOST_MAX)
            .max_idle_age(IDLE_MAX)
            .input_buffer_size(BUFFER_BYTES)
            .output_buffer_size(BUFFER_BYTES)
            .build();
        let resolver = CachingResolver {
            resolver,
            known: Mutex::default(),
        };
        Self {
            agent: Agent::with_parts(config, CountingConnector::default(), resolver),
        }
    }

    /// Posts `body` and returns the response with any status.
    ///
    /// A redirect on the same host is followed with the same method and body, at most three times. A
    /// user name and a password in the URL are sent as basic authentication (RFC 7617).
    ///
    /// # Errors
    ///
    /// `Url` if the URL is not an http or https URL; `Refused` if requests to it, or to a redirect
    /// from it, are not allowed; `Failed` if there is no response within ten seconds.
    pub fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<WebhookResponse, PostError> {
        // One limit for all redirects together.
        let until = Instant::now() + TIMEOUT;
        let mut target = Target::of(url)?;
        for _ in 0..=REDIRECTS_MAX {
            let mut response = self.post_once(&target, headers, body, until)?;
            let status = response.status().as_u16();
            let location = response.headers().get(header::LOCATION);
            match location.and_then(|location| location.to_str().ok()) {
                Some(location) if REDIRECTS.contains(&status) => {
                    target = target.redirected(location)?
                }
                _ => return Ok(read(status, &mut response)),
            }
        }
        Err(PostError::Refused(format!(
            "it redirects more than {REDIRECTS_MAX} times"
        )))
    }

    /// Posts over an idle connection, or over a new one if the receiver has closed the idle connection
    /// meanwhile.
    fn post_once(
        &self,
        target: &Target,
        headers: &[(&str, &str)],
        body: &str,
        until: Instant,
    ) -> Result<ureq::http::Response<ureq::Body>, PostError> {
        // Repeated only for a reused connection: a receiver may close an idle connection just as a
        // post is written. On a new connection, the same error is caused by the receiver.
        let opened = CONNECTIONS_OPENED.get();
        match self.send(target, headers, body, until, IDLE_MAX) {
            Err(error) if opened == CONNECTIONS_OPENED.get() && is_closed(&error) => {
                // With this limit no idle connection is recent enough, so a new one is opened.
                self.send(target, headers, body, until, Duration::ZERO)
            }
            outcome => outcome,
        }
        .map_err(described)
    }

    fn send(
        &self,
        target: &Target,
        headers: &[(&str, &str)],
        body: &str,
        until: Instant,
        idle_max: Duration,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        let remaining = until.saturating_duration_since(Instant::now());
        let mut request = self.agent.post(target.url.as_str());
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(authorization) = &target.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        let request = request.config();
        let request = request
            .timeout_global(Some(remaining))
            .max_idle_age(idle_max);
        request.build().send(body)
    }
}

/// The target of a post.
struct Target {
    /// The URL without user name and password.
    url: Url,
    /// The `Authorization` header field derived from the user name and the password.
    authorization: Option<String>,
}

impl Target {
    fn of(text: &str) -> Result<Self, PostError> {
        let wrong = || {
            PostError::Url(format!(
                "\"{text}\" is not an absolute URL with http:// or https://"
            ))
        };
        let mut url = Url::parse(text).map_err(|_| wrong())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong());
        }
        let authorization = authorization(&url);
        // These calls do not fail for URLs with these two schemes.
        let _ = (url.set_username(""), url.set_password(None));
        // A fragment is never sent to a server.
        url.set_fragment(None);
        Ok(Self { url, authorization })
    }

    /// Returns the target of a redirect: another path on the same host, or the same host over https.
    fn redirected(&self, location: &str) -> Result<Self, PostError> {
        let refused = || {
            PostError::Refused(format!(
                "it redirects to {location}, which is another host or an invalid URL, and that is not followed"
            ))
        };
        let url = self.url.join(location).map_err(|_| refused())?;
        let is_same_host = url.host() == self.url.host();
        let is_same_origin = url.scheme() == self.url.scheme()
            && url.port_or_known_default() == self.url.port_or_known_default();
        // The usual redirect of a site that has moved to https. The other direction would send the
        // body unencrypted.
        let is_encrypted_now = self.url.scheme() == "http" && url.scheme() == "https";
        if !is_same_host || !(is_same_origin || is_encrypted_now) {
            return Err(refused());
        }
        let mut target = Self::of(url.as_str())?;
        // The host is the same, so it may receive the same credentials.
        target.authorization = target.authorization.or_else(|| self.authorization.clone());
        Ok(target)
    }
}

fn authorization(url: &Url) -> Option<String> {
    let decoded = |text: &str| percent_decode_str(text).collect::<Vec<u8>>();
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut credentials = decoded(url.username());
    credentials.push(b':');
    credentials.extend(decoded(url.password().unwrap_or_default()));
    Some(format!("Basic {}", BASE64.encode(&credentials)))
}

/// Reads the stored part of a response. Errors are ignored, because the receiver has responded.
fn read(status: u16, response: &mut ureq::http::Response<ureq::Body>) -> WebhookResponse {
    let headers = stored_headers(response.headers());
    let mut body = Vec::new();
    let reader = response.body_mut().as_reader();
    let mut reader = reader.take(READ_BYTES_MAX);
    let whole = reader.read_to_end(&mut body).is_ok();
    let is_cut = body.len() > STORED_BYTES_MAX || !whole;
    body.truncate(STORED_BYTES_MAX);
    WebhookResponse {
        status,
        headers,
        body,
        is_cut,
    }
}

fn stored_headers(headers: &HeaderMap) -> Vec<(Box<str>, Box<str>)> {
    let text = |value: &[u8]| -> Box<str> {
        let text = String::from_utf8_lossy(value);
        text.chars().take(HEADER_CHARACTERS_MAX).collect()
    };
    let headers = headers.iter().take(STORED_HEADERS_MAX);
    headers
        .map(|(name, value)| (name.as_str().into(), text(value.as_bytes())))
        .collect()
}

/// Returns whether the other side closed the connection before it responded.
fn is_closed(error: &ureq::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};
    let kinds = [
        BrokenPipe,
        ConnectionAborted,
        ConnectionReset,
        UnexpectedEof,
    ];
    matches!(error, ureq::Error::Io(error) if kinds.contains(&error.kind()))
}

fn described(error: ureq::Error) -> PostError {
    match error {
        ureq::Error::BadUri(reason) => PostError::Refused(reason),
        ureq::Error::Timeout(_) => PostError::Failed(format!(
            "there was no response within {} seconds",
            TIMEOUT.as_secs()
        )),
        ureq::Error::HostNotFound => PostError::Failed("its name cannot be resolved".to_owned()),
        error if is_closed(&error) => {
            PostError::Failed("the connection was closed before there was a response".to_owned())
        }
        ureq::Error::Io(error) => PostError::Failed(error.to_string()),
        error => PostError::Failed(error.to_string()),
    }
}

thread_local! {
    /// Number of connections that this thread has opened, which shows whether a post used a new one.
    static CONNECTIONS_OPENED: Cell<u64> = const { Cell::new(0) };
}

/// Connects, and counts connections.
#[derive(Debug, Default)]
struct CountingConnector(DefaultConnector);

impl Connector for CountingConnector {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        CONNECTIONS_OPENED.set(CONNECTIONS_OPENED.get() + 1);
        self.0.connect(details, chained)
    }
}

/// Resolves names, and caches the results for a short time.
#[derive(Debug)]
struct CachingResolver<R> {
    resolver: R,
    known: Mutex<HashMap<String, (Instant, ResolvedSocketAddrs)>>,
}

impl<R: Resolver> Resolver for CachingResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let scheme = uri.scheme_str().unwrap_or_default();
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let name = format!("{scheme}://{authority}");
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let is_fresh = |since: &Instant| since.elapsed() < RESOLUTION_LASTS;
        if let Some((since, found)) = known().get(&name)
            && is_fresh(since)
        {
            return Ok(found.clone());
        }
        // Without the lock: resolving can take seconds, and posts to other receivers must not wait
        // for it.
        let found = self.resolver.resolve(uri, config, timeout)?;
        let mut known = known();
        known.retain(|_, (since, _)| is_fresh(since));
        // Otherwise the name is resolved each time, which only costs time.
        if known.len() < NAMES_MAX {
            known.insert(name, (Instant::now(), found.clone()));
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        io::{BufRead, BufReader, Write},
        net::{SocketAddr, TcpListener},
        thread,
    };

    use super::*;

    /// A name server that returns a different address each time, as in a DNS rebinding attack.
    #[derive(Debug)]
    struct RebindingResolver(Mutex<VecDeque<SocketAddr>>);

    impl RebindingResolver {
        fn saying(addresses: &[SocketAddr]) -> Self {
            Self(Mutex::new(addresses.iter().copied().collect()))
        }
    }

    impl Resolver for RebindingResolver {
        fn resolve(
            &self,
            _: &Uri,
            _: &Config,
            _: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let next = self.0.lock().unwrap().pop_front();
            let mut found = self.empty();
            found.push(next.ok_or(ureq::Error::HostNotFound)?);
            Ok(found)
        }
    }

    fn guarded(allowed_addresses: AllowedAddresses, addresses: &[SocketAddr]) -> WebhookClient {
        let resolver = RebindingResolver::saying(addresses);
        WebhookClient::with_resolver(GuardedResolver {
            allowed_addresses,
            resolver,
        })
    }

    /// Starts a server that sends this response to `requests` requests, each over a separate
    /// connection.
    fn responding_server(requests: usize, response: &'static str) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        thread::spawn(move || {
            for stream in listener.incoming().take(requests).flatten() {
                let mut lines = BufReader::new(&stream).lines();
                lines.find(|line| line.as_ref().is_ok_and(String::is_empty));
                let response = format!(
                    "HTTP/1.1 {response}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                );
                (&stream).write_all(response.as_bytes()).unwrap();
            }
        });
        address
    }

    #[test]
    fn name_that_resolves_to_this_machine_later_is_refused_then() {
        let public: SocketAddr = "192.0.43.8:80".parse().unwrap();
        let loopback = responding_server(1, "200 OK");
        let resolver = GuardedResolver {
            allowed_addresses: AllowedAddresses::Public,
            resolver: RebindingResolver::saying(&[public, loopback]),
        };
        let resolve = || {
            let uri = Uri::from_static("http://rebinding.example/");
            let timeout = NextTimeout {
                after: ureq::unversioned::transport::time::Duration::NotHappening,
                reason: ureq::Timeout::Global,
                ..NextTimeout::default()
            };
            resolver.resolve(&uri, &Config::default(), timeout)
        };

        assert_eq!(resolve().unwrap()[0], public);
        let refused = resolve().unwrap_err().to_string();
        assert!(refused.contains("rebinding.example is not a public address"));

        let client = guarded(AllowedAddresses::Public, &[loopback]);
        let refused = client.post("http://rebinding.example/", &[], "{}");
        assert!(matches!(refused, Err(PostError::Refused(_))), "{refused:?}");
    }

    #[test]
    fn posts_go_to_the_checked_address_until_the_next_resolution() {
        let first = responding_server(2, "200 OK");
        let other = responding_server(1, "500 NO");
        let client = guarded(AllowedAddresses::All, &[first, other]);

        for _ in 0..2 {
            let response = client.post("http://two-faced.example/", &[], "{}").unwrap();
            assert_eq!(response.status, 200);
        }
    }

    #[test]
    fn redirect_is_resolved_like_the_first_url() {
        let first = responding_server(1, "307 X\r\nlocation: https://same.example/x");
        // The second resolution, for the other port, fails: the first result is not used for it.
        let client = guarded(AllowedAddresses::All, &[first]);

        let response = client.post("http://same.example/", &[], "{}");

        assert!(
            matches!(response, Err(PostError::Failed(_))),
            "{response:?}"
        );
    }
}
