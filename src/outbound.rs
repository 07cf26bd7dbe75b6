//! Outgoing HTTP requests.
//!
//! A URL may be chosen by an attacker. It may refer to a machine that only this one can reach, either
//! directly, through a redirect, or through a name in the attacker's DNS. So every name is resolved
//! once for each connection, addresses that are not public are refused, and the connection is made to
//! the address that was checked. *Only this module uses ureq.*

mod direct;
mod downloading;
mod media;
mod objects;
mod posting;
mod probing;

use std::{
    io::Read,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use ureq::{
    Agent,
    config::{Config, ConfigBuilder},
    http::{Uri, header},
    typestate::AgentScope,
    unversioned::{
        resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver},
        transport::{Connector, DefaultConnector, NextTimeout},
    },
};

pub use direct::DirectClient;
pub use downloading::{Download, download};
pub use media::{DOWNLOAD_TIMEOUT, MediaClient, MediaError};
pub use objects::{Cancelled, ObjectBody, ObjectClient, ObjectError, ObjectReader, ObjectResponse};
pub use posting::{PostError, WebhookClient, WebhookResponse};
pub use probing::{ProbedResponse, probe};

/// Maximum time of a request, from its first DNS resolution to the last byte of the response.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of redirects that are followed.
const REDIRECTS_MAX: u32 = 3;

/// Maximum number of bytes of a response that are read; the rest is ignored.
pub const BODY_BYTES_MAX: usize = 1 << 20;

/// Maximum number of concurrent requests, because each waiting caller occupies a worker.
const AT_ONCE_MAX: usize = 4;

/// The user agent of all requests.
const USER_AGENT: &str = concat!("Galley/", env!("CARGO_PKG_VERSION"));

/// Which addresses may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedAddresses {
    /// Public addresses.
    Public,
    /// All addresses, including this machine and its private network.
    All,
}

/// The reason why a request has no response.
#[derive(Debug, thiserror::Error)]
pub enum OutboundError {
    /// The maximum number of requests is already in flight.
    #[error("{AT_ONCE_MAX} requests are already in flight")]
    Busy,
    /// The request failed, or its URL was refused.
    #[error(transparent)]
    Failed(#[from] ureq::Error),
}

/// A page that was fetched.
#[derive(Debug)]
pub struct FetchedPage {
    /// Its URL after redirects.
    pub address: String,
    /// Its media type, without parameters and in lower case: `text/html`.
    pub kind: String,
    /// At most [`BODY_BYTES_MAX`] of its body.
    pub body: Vec<u8>,
}

/// An HTTP client.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    in_flight: AtomicUsize,
}

impl Client {
    /// Creates a client that may reach these addresses.
    pub fn new(allowed_addresses: AllowedAddresses) -> Self {
        Self::with_parts(
            DefaultConnector::default(),
            GuardedResolver::within(allowed_addresses),
        )
    }

    fn with_parts(connector: impl Connector, resolver: impl Resolver) -> Self {
        let config = direct()
            .timeout_global(Some(TIMEOUT))
            .max_redirects(REDIRECTS_MAX)
            .max_idle_connections(0)
            .build();
        Self {
            agent: Agent::with_parts(config, connector, resolver),
            in_flight: AtomicUsize::new(0),
        }
    }

    /// Returns the page at `address`, an http or https URL.
    ///
    /// # Errors
    ///
    /// `Busy` if four requests are already in flight, `Failed` without a successful response from
    /// an allowed address in five seconds.
    pub fn get(&self, address: &str) -> Result<FetchedPage, OutboundError> {
        let _in_flight = InFlight::begin(&self.in_flight)?;
        let mut response = self.agent.get(address).call()?;
        let uri = ureq::ResponseExt::get_uri(&response).to_string();
        let kind = response.headers().get(header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default();
        let kind = kind.trim().to_ascii_lowercase();
        let mut body = Vec::new();
        let reader = response.body_mut().as_reader();
        reader
            .take(BODY_BYTES_MAX as u64)
            .read_to_end(&mut body)
            .map_err(ureq::Error::Io)?;
        Ok(FetchedPage {
            address: uri,
            kind,
            body,
        })
    }
}

/// Returns the base configuration of all clients, without the proxy of the environment, which would
/// bypass the check of addresses.
fn direct() -> ConfigBuilder<AgentScope> {
    Agent::config_builder().proxy(None).user_agent(USER_AGENT)
}

/// The slot of one request among those in flight.
struct InFlight<'c>(&'c AtomicUsize);

impl<'c> InFlight<'c> {
    fn begin(in_flight: &'c AtomicUsize) -> Result<Self, OutboundError> {
        // Created before the check: if there are too many requests, dropping it undoes the
        // addition.
        let request = Self(in_flight);
        if in_flight.fetch_add(1, Ordering::Relaxed) < AT_ONCE_MAX {
            Ok(request)
        } else {
            Err(OutboundError::Busy)
        }
    }
}

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Resolves names and refuses addresses that may not be reached.
#[derive(Debug)]
struct GuardedResolver<R = DefaultResolver> {
    allowed_addresses: AllowedAddresses,
    resolver: R,
}

impl GuardedResolver {
    fn within(allowed_addresses: AllowedAddresses) -> Self {
        Self {
            allowed_addresses,
            resolver: DefaultResolver::default(),
        }
    }
}

impl<R: Resolver> Resolver for GuardedResolver<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.resolver.resolve(uri, config, timeout)?;
        let is_within =
            |address: IpAddr| self.allowed_addresses == AllowedAddresses::All || is_public(address);
        // If a name has both public and private addresses, none of them is used.
        if found.iter().all(|socket| is_within(socket.ip())) {
            Ok(found)
        } else {
            Err(ureq::Error::BadUri(format!(
                "{} is not a public address",
                uri.host().unwrap_or_default()
            )))
        }
    }
}

/// Returns whether an address is public: not an address of this machine, of a private network, or
/// reserved for another use (the registries of special-purpose addresses, RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        // Gateways forward these addresses to the IPv4 address in them, which may be private.
        IpAddr::V6(address) => match embedded_v4(address) {
            Some(embedded) => is_public_v4(embedded),
            // Public addresses begin with the bits 001, with these exceptions.
            None => {
                let [first, second, ..] = address.segments();
                let is_documentation = (first, second) == (0x2001, 0xdb8) || first == 0x3fff;
                let is_for_protocols = first == 0x2001 && second < 0x200;
                first & 0xe000 == 0x2000 && !is_documentation && !is_for_protocols
            }
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [first, second, third, _] = address.octets();
    let is_shared = first == 100 && second & 0xc0 == 64;
    let is_for_protocols = (first, second, third) == (192, 0, 0);
    let is_for_relays = (first, second, third) == (192, 88, 99);
    let is_for_benchmarks = first == 198 && second & 0xfe == 18;
    !(first == 0
        || first >= 224
        || is_shared
        || is_for_protocols
        || is_for_relays
        || is_for_benchmarks
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation())
}

/// Returns the IPv4 address that an IPv6 address contains: mapped, translated (NAT64) or tunnelled
/// (6to4).
fn embedded_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let of = |high: u16, low: u16| Some(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)));
    match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => of(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => of(high, low),
        [0x2002, high, low, ..] => of(high, low),
        _ => None,
    }
}

#[cfg(test)]
mod internet;

#[cfg(test)]
mod tests {
    use super::{internet::Internet, *};

    /// Names that resolve to this machine and its private network.
    const PRIVATE: [(&str, &str); 14] = [
        ("loopback.example", "127.0.0.1"),
        ("other-loopback.example", "127.9.9.9"),
        ("mapped.example", "::ffff:127.0.0.1"),
        ("six.example", "::1"),
        ("compatible.example", "::127.0.0.1"),
        ("metadata.example", "169.254.169.254"),
        ("mapped-metadata.example", "::ffff:169.254.169.254"),
        ("translated.example", "64:ff9b::a9fe:a9fe"),
        ("unique-local.example", "fd00::1"),
        ("link-local.example", "fe80::1"),
        ("unspecified.example", "0.0.0.0"),
        ("unspecified-six.example", "::"),
        ("intranet.example", "10.0.0.1"),
        ("shared.example", "100.64.0.1"),
    ];

    /// Addresses of this machine that need no DNS.
    const LITERAL: [&str; 12] = [
        "127.0.0.1",
        "2130706433",
        "0177.0.0.1",
        "0x7f.0.0.1",
        "0x7f000001",
        "017700000001",
        "127.1",
        "127.0.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
    ];

    /// A client and its test internet.
    struct Network {
        internet: Internet,
        client: Client,
    }

    impl Network {
        fn new() -> Self {
            let internet = Internet::new();
            let client = Client::with_parts(internet.connector(), internet.guarded());
            Self { internet, client }
        }

        fn assert_refused(&self, url: &str) {
            let result = self.client.get(url);
            assert!(
                matches!(result, Err(OutboundError::Failed(ureq::Error::BadUri(_)))),
                "{url}"
            );
        }

        fn assert_only_public_connections(&self) {
            let connections = self.internet.connections();
            assert!(
                connections.iter().all(|address| is_public(*address)),
                "{connections:?}"
            );
        }
    }

    #[test]
    fn name_of_a_private_address_is_refused_even_after_redirects() {
        let network = Network::new();
        let internet = &network.internet;
        for (name, address) in PRIVATE {
            internet.name(name, &[address]);
            let twice = format!("http://two.example/{name}");
            internet.redirect(&twice, &format!("http://{name}/"));
            internet.redirect(&format!("http://one.example/{name}"), &twice);
        }
        internet.name("one.example", &["192.0.43.8"]);
        internet.name("two.example", &["192.0.43.9"]);
        internet.page("http://two.example/page", "found");
        internet.redirect("http://one.example/page", "http://two.example/page");

        let page = network.client.get("http://one.example/page").unwrap();
        assert_eq!(
            (&*page.address, &*page.body),
            ("http://two.example/page", &b"found"[..])
        );
        for (name, _) in PRIVATE {
            network.assert_refused(&format!("http://one.example/{name}"));
            network.assert_refused(&format!("http://two.example/{name}"));
            network.assert_refused(&format!("http://{name}/"));
        }
        network.assert_only_public_connections();
    }

    #[test]
    fn name_with_a_public_and_a_private_address_is_refused() {
        let network = Network::new();
        for (index, (_, address)) in PRIVATE.iter().enumerate() {
            let name = format!("both-{index}.example");
            network.internet.also(&name, &["192.0.43.8", address]);
            network.assert_refused(&format!("http://{name}/"));
        }
        assert!(network.internet.connections().is_empty());
    }

    #[test]
    fn name_that_resolves_to_a_private_address_later_is_refused_then() {
        let network = Network::new();
        for (index, (_, address)) in PRIVATE.iter().enumerate() {
            let url = format!("http://rebinding-{index}.example/");
            let name = format!("rebinding-{index}.example");
            network.internet.name(&name, &["192.0.43.8", address]);
            network.internet.page(&url, "found");
            // The redirect has the same name, which is resolved a second time.
            network.internet.redirect(&format!("{url}again"), &url);
            network.assert_refused(&format!("{url}again"));
            network.assert_refused(&url);
        }
        network.assert_only_public_connections();
    }

    #[test]
    fn private_addresses_are_refused_however_they_are_written() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let client = Client::new(AllowedAddresses::Public);
        let webhooks = WebhookClient::new(AllowedAddresses::Public);
        for host in LITERAL {
            let address = format!("http://{host}:{port}/");
            assert!(client.get(&address).is_err(), "{address}");
            let posted = webhooks.post(&address, &[], "{}");
            assert!(posted.is_err(), "{address}");
        }
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "a client has connected");
    }

    #[test]
    fn addresses_of_this_machine_and_its_neighbours_are_not_public() {
        for address in [
            "127.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "192.0.0.8",
            "198.18.0.1",
            "203.0.113.9",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::",
            "fe80::1",
            "fd00::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "9.9.9.9",
            "172.32.0.1",
            "100.128.0.1",
            "2620:fe::fe",
            "64:ff9b::909:909",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
