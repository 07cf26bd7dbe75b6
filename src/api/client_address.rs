//! The IP address of a client, also behind a proxy.

use std::net::{IpAddr, SocketAddr};

use http::HeaderName;

use super::request::HeadRef;

/// The field in which proxies name the client.
static FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Returns the client's IP address: the peer of the connection or, if that is a proxy on this
/// machine, the address that the proxy names.
pub(super) fn client_address(head: &HeadRef) -> IpAddr {
    let named_by_proxy = || -> Option<IpAddr> {
        let hops = head.fields.values(&FORWARDED_FOR).last()?;
        // The proxy on this machine added the last address. The client can forge the addresses before it.
        let last = hops.rsplit(',').next()?.trim();
        // Some proxies include the port.
        let with_port = || last.parse::<SocketAddr>().ok().map(|address| address.ip());
        last.parse().ok().or_else(with_port)
    };
    // The field is ignored for other peers: they could choose the address for which attempts are counted.
    if head.peer.to_canonical().is_loopback() {
        named_by_proxy().unwrap_or(head.peer)
    } else {
        head.peer
    }
}
