//! The listening sockets: from the kernel's queue to a connection with a place.
//!
//! Accepting never ends by an error. When the process has no file handle left, an idle connection is closed and the
//! loop waits before it tries again, so it neither spins nor gives up.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::sleep;
use tracing::{debug, warn};

use super::{Edge, Handler, connection};

/// Connections that wait in the kernel to be accepted; it may hold the number lower (`net.core.somaxconn`).
const BACKLOG: u32 = 1024;

/// Waits after an error that no single connection is to blame for.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// How long a connection must have been idle to make room for a file handle. The system reports that there is none left
/// even when nobody waits for one, so the newest connection must have time for its request.
const QUIET_MIN: Duration = Duration::from_secs(1);

/// Addresses that are this process's, and on which it does not listen yet.
#[derive(Debug)]
pub struct Bound(Vec<TcpSocket>);

impl Bound {
    /// Takes `addresses`, with port 0 any free one.
    ///
    /// # Errors
    ///
    /// The system's, as when an address is in use or not this machine's.
    pub fn to(addresses: &[SocketAddr]) -> io::Result<Self> {
        addresses
            .iter()
            .copied()
            .map(bind)
            .collect::<io::Result<_>>()
            .map(Self)
    }

    /// The addresses, with the ports they were given.
    ///
    /// # Errors
    ///
    /// When the system cannot tell.
    pub fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.0.iter().map(TcpSocket::local_addr).collect()
    }

    /// Begins to listen, within the event loop that is to accept.
    pub(super) fn listen(self) -> io::Result<Vec<TcpListener>> {
        self.0
            .into_iter()
            .map(|socket| socket.listen(BACKLOG))
            .collect()
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A server that starts again must not wait for its old connections to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// Accepts connections for ever and gives each to an event loop.
pub(super) async fn accept<H: Handler>(listener: TcpListener, edge: Arc<Edge<H>>) {
    let mut pause = PAUSE_MIN;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                pause = PAUSE_MIN;
                if let Err(error) = admit(stream, peer.ip().to_canonical(), &edge).await {
                    debug!(%error, "connection lost before it was served");
                }
            }
            Err(error) if is_of_one_connection(&error) => {
                debug!(%error, "connection lost before it was accepted");
            }
            Err(error) => {
                warn!(%error, "no connection can be accepted, next try in {pause:?}");
                edge.connections.close_quietest(QUIET_MIN);
                sleep(pause).await;
                pause = (2 * pause).min(PAUSE_MAX);
            }
        }
    }
}

async fn admit<H: Handler>(stream: TcpStream, peer: IpAddr, edge: &Arc<Edge<H>>) -> io::Result<()> {
    if let Some(place) = edge.connections.admit(peer).await {
        // Answers leave in one piece; waiting for more to fill a packet only delays their end.
        stream.set_nodelay(true)?;
        // Taken from the event loop that accepted it, for the one that serves it.
        let stream = stream.into_std()?;
        let lane = edge.next_lane();
        let connection = connection::serve(stream, peer, place, lane.clone(), Arc::clone(edge));
        lane.event_loop.spawn(connection);
    }
    Ok(())
}

fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
