//! Checks the listen addresses.

use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    path::Path,
    time::Duration,
};

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::data_folder::Owner;

/// Time limit of a connection to this machine.
const PATIENCE: Duration = Duration::from_secs(3);

/// Checks that the running server listens on the addresses, or that they are free.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let config = &examined.config;
    let https = config.https.as_ref().map(|https| https.listen);
    let addresses = [
        ("listen", Some(config.listen)),
        ("tls.listen", https),
        ("metrics.listen", config.metrics_listen),
    ];
    let addresses = addresses
        .into_iter()
        .filter_map(|(option, address)| Some((option, address?)));
    addresses
        .map(|(option, address)| match examined.server() {
            _ if address.port() == 0 => {
                UnnamedFinding::ok(format!("{option}: the system chooses a free port"))
            }
            Some(server) => served(option, address, server),
            None => free(option, address, &config.data),
        })
        .collect()
}

fn served(option: &str, address: SocketAddr, server: &Owner) -> UnnamedFinding {
    match TcpStream::connect_timeout(&reachable(address), PATIENCE) {
        Ok(_) => UnnamedFinding::ok(format!(
            "{option}: {address} accepts connections, process {} runs",
            server.pid
        )),
        Err(error) => UnnamedFinding::warning(
            format!("{option}: {address} accepts no connections ({error}), although {server} runs"),
            "The server has other options than this command reads (--config, variables, flags), or systemd holds its sockets. `galley reload` names options that changed since it was started.",
        ),
    }
}

/// Returns the address at which this machine reaches a listener on all addresses.
fn reachable(address: SocketAddr) -> SocketAddr {
    let host = match address.ip() {
        IpAddr::V4(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        // Such a listener accepts IPv4 as well, which is available even on machines without IPv6.
        IpAddr::V6(host) if host.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        host => host,
    };
    (host, address.port()).into()
}

/// Checks whether the address is free, by binding it for a moment.
fn free(option: &str, address: SocketAddr, data: &Path) -> UnnamedFinding {
    let bound = TcpListener::bind(address).or_else(|error| {
        // The server does the same on a machine without IPv6.
        if address.ip() == Ipv6Addr::UNSPECIFIED && !is_taken(&error) {
            TcpListener::bind((Ipv4Addr::UNSPECIFIED, address.port())).map_err(|_| error)
        } else {
            Err(error)
        }
    });
    let error = match bound {
        Ok(_) => return UnnamedFinding::ok(format!("{option}: {address} is free")),
        Err(error) => error,
    };
    let port = address.port();
    let message = format!("{option}: {address}: {error}");
    match error.kind() {
        io::ErrorKind::AddrInUse => UnnamedFinding::error(
            message,
            format!(
                "Another process listens there: `sudo ss -ltnp 'sport = :{port}'` names it. If that is systemd, it holds the socket for Galley, \
                 and all is well. If it is Galley, it serves another data folder than {}, or this one was moved or deleted while it \
                 runs: name its folder with --data, or put it back. Otherwise stop the process, or choose another address with {option}.",
                data.display()
            ),
        ),
        io::ErrorKind::PermissionDenied => UnnamedFinding::error(
            message,
            "Ports below 1024 need a privilege: `galley service install` grants it, and sockets of systemd make it unnecessary (docs/https.md).",
        ),
        _ => UnnamedFinding::error(
            message,
            format!("Choose an address of this machine with {option}: `ip address` lists them."),
        ),
    }
}

fn is_taken(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrInUse
}
