//! Checks the names of the site: whether they have addresses, and whether these addresses reach the site.
//!
//! An address of this machine reaches this site. Behind a router or a proxy, the name has a different address; the running
//! server then proves that a request to it arrives at this site (`domain::site_proof`).

use std::{
    io,
    net::{IpAddr, ToSocketAddrs, UdpSocket},
};

use url::Url;

use super::{
    examined_site::{ExaminedSite, NameService},
    finding::UnnamedFinding,
};
use crate::{dns::DnsError, domain::site_proof, outbound::probe};

/// Maximum number of addresses of a name that are tried.
const ADDRESSES_MAX: usize = 8;

/// The server that a request to an address reaches.
enum Arrival {
    /// At this site.
    Here,
    /// At another server, with this response.
    Elsewhere(String),
    /// No response, for this reason.
    Nowhere(String),
}

/// The reason why a name has no address.
enum NoAddress {
    /// The records of the name contain no address.
    OfName(String),
    /// The records could not be read.
    Unknown(String),
}

impl NoAddress {
    fn of_system(error: io::Error) -> Self {
        // The messages of EAI_AGAIN in glibc and musl; the standard library has no error kind for it.
        const TEMPORARY: [&str; 2] = ["Temporary failure in name resolution", "Try again"];
        let reason = error.to_string();
        if TEMPORARY.iter().any(|words| reason.ends_with(words)) {
            Self::Unknown(reason)
        } else {
            Self::OfName(reason)
        }
    }
}

/// Checks each name.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let https = examined.config.https.as_ref();
    let mut names = https.map_or_else(Vec::new, |https| https.names.clone());
    names.extend(examined.url_name().filter(|name| !names.contains(name)));
    if names.is_empty() {
        return vec![UnnamedFinding::skipped(
            "the site has no name: neither domain nor url is set to one",
        )];
    }
    names.iter().map(|name| of_name(examined, name)).collect()
}

fn of_name(examined: &ExaminedSite, name: &str) -> UnnamedFinding {
    let addresses = match addresses(examined, name) {
        Ok(addresses) if addresses.is_empty() => {
            Err(NoAddress::OfName("it has no address".to_owned()))
        }
        addresses => addresses,
    };
    let addresses = match addresses {
        Ok(addresses) => addresses,
        Err(NoAddress::Unknown(reason)) => {
            return UnnamedFinding::error(
                format!("{name}: {reason}"),
                "The records of the name are not known, since no name server responded: check the network of this machine, and the name servers in /etc/resolv.conf.",
            );
        }
        Err(NoAddress::OfName(reason)) => {
            return UnnamedFinding::error(
                format!("{name}: {reason}"),
                "Add an A record (and AAAA for IPv6) with the public address of this machine at the company that has the domain. A new one shows after minutes, a changed one after its time to live.",
            );
        }
    };
    match examined
        .examination()
        .and_then(|site| site.proof.as_deref())
    {
        Some(proof) if examined.server().is_some() => {
            let arrivals = addresses
                .iter()
                .map(|address| (*address, arrival(examined, name, *address, proof)));
            by_arrivals(name, &arrivals.collect::<Vec<_>>())
        }
        _ => by_addresses(name, &addresses),
    }
}

fn addresses(examined: &ExaminedSite, name: &str) -> Result<Vec<IpAddr>, NoAddress> {
    let mut addresses: Vec<IpAddr> = match examined.name_service {
        NameService::System => {
            let resolved = (name, 0).to_socket_addrs().map_err(NoAddress::of_system)?;
            resolved.map(|address| address.ip()).collect()
        }
        NameService::At(_) => {
            let addresses = examined.name_servers().addresses(name);
            addresses.map_err(|error| match &error {
                DnsError::NoResponse { .. } => NoAddress::Unknown(error.to_string()),
                _ => NoAddress::OfName(error.to_string()),
            })?
        }
    };
    addresses.sort_unstable();
    addresses.dedup();
    addresses.truncate(ADDRESSES_MAX);
    Ok(addresses)
}

/// Returns the finding if no server is running, which would be needed to prove that requests arrive.
fn by_addresses(name: &str, addresses: &[IpAddr]) -> UnnamedFinding {
    let others: Vec<_> = addresses
        .iter()
        .filter(|address| !is_here(**address))
        .collect();
    if others.is_empty() {
        return UnnamedFinding::ok(format!(
            "{name} resolves to this machine, {}",
            listed(addresses)
        ));
    }
    UnnamedFinding::warning(
        format!(
            "{name} resolves to {}, which this machine does not have",
            listed(others)
        ),
        "Behind a router or a proxy, this is expected: run this command while the site is served, which shows whether requests arrive. Otherwise correct the record.",
    )
}

/// Returns whether this machine has the address: only then can it be bound.
fn is_here(address: IpAddr) -> bool {
    // Binding a UDP socket sends nothing, and does not conflict with listeners on TCP.
    UdpSocket::bind((address, 0)).is_ok()
}

/// Sends requests for the site's proof to one address of a name.
fn arrival(examined: &ExaminedSite, name: &str, address: IpAddr, proof: &str) -> Arrival {
    let mut failure = Arrival::Nowhere("there is no URL to try".to_owned());
    for url in urls(examined, name) {
        match probe(&url, address) {
            Ok(response) if response.body.trim() == proof => return Arrival::Here,
            Ok(response) => {
                let server = response
                    .server
                    .map_or(String::new(), |name| format!(" of {name}"));
                failure = Arrival::Elsewhere(format!("status {}{server}", response.status));
            }
            Err(error) if matches!(failure, Arrival::Nowhere(_)) => {
                failure = Arrival::Nowhere(error.to_string());
            }
            Err(_) => {}
        }
    }
    failure
}

/// Returns the URLs at which the site may be reached by this name: its public URL, and http while there is no
/// certificate.
fn urls(examined: &ExaminedSite, name: &str) -> Vec<String> {
    let path = format!(
        "{}/{}{}",
        examined.config.path_prefix,
        site_proof::FOLDER,
        examined.challenge
    );
    let public = examined.url().and_then(|mut url: Url| {
        url.set_host(Some(name)).ok()?;
        Some(url.as_str().trim_end_matches('/').to_owned())
    });
    let plain = examined
        .config
        .https
        .is_some()
        .then(|| format!("http://{name}"));
    let sites = public.into_iter().chain(plain);
    sites.map(|site| format!("{site}/{path}")).collect()
}

fn by_arrivals(name: &str, arrivals: &[(IpAddr, Arrival)]) -> UnnamedFinding {
    let is_nowhere = |arrival: &Arrival| matches!(arrival, Arrival::Nowhere(_));
    let lost: Vec<_> = arrivals
        .iter()
        .filter(|(_, arrival)| !matches!(arrival, Arrival::Here))
        .collect();
    if lost.is_empty() {
        let addresses: Vec<_> = arrivals.iter().map(|(address, _)| address).collect();
        return UnnamedFinding::ok(format!(
            "{name} reaches this site, by {}",
            listed(addresses)
        ));
    }
    let each = lost.iter().map(|(address, arrival)| match arrival {
        Arrival::Elsewhere(response) => format!("{address} reaches another server ({response})"),
        Arrival::Nowhere(reason) => format!("no response from {address} ({reason})"),
        Arrival::Here => String::new(),
    });
    let message = format!("{name}: {}", each.collect::<Vec<_>>().join("; "));
    let may_be_unreachable_from_here =
        |(address, arrival): &&(IpAddr, Arrival)| is_nowhere(arrival) && !is_here(*address);
    if lost.len() == arrivals.len() && lost.iter().all(may_be_unreachable_from_here) {
        return UnnamedFinding::warning(
            message,
            "If this machine is behind a router, that may not let it reach its own public address: open the site from another network. Otherwise check the firewall, and that the router forwards ports 80 and 443.",
        );
    }
    UnnamedFinding::error(
        message,
        "Correct or remove the record with that address (A for IPv4, AAAA for IPv6), or have the proxy there pass on all paths below the path prefix (docs/proxy.md).",
    )
}

fn listed<'a>(addresses: impl IntoIterator<Item = &'a IpAddr>) -> String {
    let addresses: Vec<_> = addresses.into_iter().map(ToString::to_string).collect();
    addresses.join(", ")
}
