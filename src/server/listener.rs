//! The listening sockets: from the kernel's queue to a connection with a place.
//!
//! Accepting never ends by an error. When the process has no file handle left, an idle connection is closed and the loop
//! waits before it tries again, so it neither spins nor gives up.

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

/// Listens on `address`, with port 0 on any free one; must be called within a runtime.
///
/// # Errors
///
/// The system's, as when the address is in use or not this machine's.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A server that starts again must not wait for its old connections to be forgotten.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Accepts connections and serves each in a task of its own, for ever.
pub(super) async fn accept<H: Handler>(listener: TcpListener, edge: Arc<Edge<H>>) {
    let mut pause = PAUSE_MIN;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                pause = PAUSE_MIN;
                admit(stream, peer.ip().to_canonical(), &edge).await;
            }
            Err(error) if is_of_one_connection(&error) => {
                debug!(%error, "connection lost before it was accepted")
            }
            Err(error) => {
                warn!(%error, "no connection can be accepted, next try in {pause:?}");
                edge.connections.close_quietest();
                sleep(pause).await;
                pause = (2 * pause).min(PAUSE_MAX);
            }
        }
    }
}

async fn admit<H: Handler>(stream: TcpStream, peer: IpAddr, edge: &Arc<Edge<H>>) {
    let Some(place) = edge.connections.admit(peer).await else {
        return;
    };
    // Answers leave in one piece; waiting for more to fill a packet only delays their end.
    if let Err(error) = stream.set_nodelay(true) {
        debug!(%error, "connection lost before it was served");
        return;
    }
    tokio::spawn(connection::serve(stream, peer, place, Arc::clone(edge)));
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
