//! The listening sockets. Accepts connections from the kernel's queue and admits them.
//!
//! Accepting never stops on an error. When the process has no file descriptor left, an idle
//! connection is closed and the loop waits before it tries again, so it neither spins nor stops.

use std::future::poll_fn;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{debug, warn};

use super::Handler;
use super::connection::{self, Incoming};
use super::https::{HttpsOptions, Scheme};
use crate::server::edge::Edge;

/// Number of connections that may wait in the kernel to be accepted; the kernel may have a lower limit
/// (`net.core.somaxconn`).
const BACKLOG: u32 = 1024;

/// Minimum and maximum pause after an error that was not caused by a single connection.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Time for which a connection must have been idle before it is closed to free a file descriptor. The system
/// reports the lack of descriptors even when no connection waits for one, so the newest connection needs time to
/// send its request.
const QUIET_MIN: Duration = Duration::from_secs(1);

/// Addresses that are bound but do not accept connections yet.
#[derive(Debug, Default)]
pub struct Bound {
    sockets: Vec<(BoundSocket, Scheme)>,
    pub(super) https: Option<HttpsOptions>,
}

#[derive(Debug)]
enum BoundSocket {
    /// Bound by this process.
    Own(TcpSocket),
    /// Listened on by the process that started this one.
    Inherited(std::net::TcpListener),
}

impl Bound {
    /// Binds `addresses`; port 0 binds any free port.
    ///
    /// # Errors
    ///
    /// If the system refuses, for example because an address is in use or does not belong to this machine.
    pub fn to(addresses: &[SocketAddr]) -> io::Result<Self> {
        let mut bound = Self::default();
        for address in addresses {
            bound.add(*address, Scheme::Http)?;
        }
        Ok(bound)
    }

    /// Binds another address for connections with this scheme.
    ///
    /// # Errors
    ///
    /// The errors of [`to`](Self::to).
    pub fn add(&mut self, address: SocketAddr, scheme: Scheme) -> io::Result<()> {
        // The socket does not listen yet: until the address is served, clients are refused instead of queued.
        let socket = BoundSocket::Own(bind(address)?);
        self.sockets.push((socket, scheme));
        Ok(())
    }

    /// Adds a socket that is already listening.
    pub fn inherit(&mut self, listener: std::net::TcpListener, scheme: Scheme) {
        self.sockets
            .push((BoundSocket::Inherited(listener), scheme));
    }

    /// Returns whether there is a socket for connections with this scheme.
    pub fn has(&self, scheme: Scheme) -> bool {
        self.sockets.iter().any(|(_, own)| *own == scheme)
    }

    /// Returns the first address for connections with this scheme, if the system can return it.
    pub fn address_for(&self, scheme: Scheme) -> Option<SocketAddr> {
        let mut sockets = self.sockets.iter();
        let (socket, _) = sockets.find(|(_, own)| *own == scheme)?;
        socket.address().ok()
    }

    /// Marks the site's URL as https: requests over http are redirected.
    pub fn serve_https(&mut self, options: HttpsOptions) {
        self.https = Some(options);
    }

    /// Returns the addresses, with the ports that the system assigned.
    ///
    /// # Errors
    ///
    /// If the system cannot return them.
    pub fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        let sockets = self.sockets.iter();
        sockets.map(|(socket, _)| socket.address()).collect()
    }

    /// Starts to listen. Connections wait in the system's queue until the server serves them.
    ///
    /// # Errors
    ///
    /// If the system refuses, for example because another process listens at an address. The error contains the
    /// scheme of that address.
    pub fn queue(&self) -> Result<(), (Scheme, io::Error)> {
        for (socket, scheme) in &self.sockets {
            if let BoundSocket::Own(socket) = socket {
                // Not by Tokio, which needs an event loop. It repeats the call later, which the
                // system allows.
                let listening = rustix::net::listen(socket, BACKLOG as i32);
                listening.map_err(|error| (*scheme, error.into()))?;
            }
        }
        Ok(())
    }

    /// Registers the sockets with the event loop that accepts.
    pub(super) fn listen(self) -> io::Result<Vec<Listening>> {
        let sockets = self.sockets.into_iter();
        let listening = sockets.map(|(socket, scheme)| {
            Ok(Listening {
                is_own: matches!(socket, BoundSocket::Own(_)),
                listener: socket.listen()?,
                scheme,
            })
        });
        listening.collect()
    }
}

impl BoundSocket {
    fn address(&self) -> io::Result<SocketAddr> {
        match self {
            BoundSocket::Own(socket) => socket.local_addr(),
            BoundSocket::Inherited(listener) => listener.local_addr(),
        }
    }

    fn listen(self) -> io::Result<TcpListener> {
        match self {
            BoundSocket::Own(socket) => socket.listen(BACKLOG),
            BoundSocket::Inherited(listener) => {
                // The process that passed on the socket may use it in blocking mode; Tokio requires
                // the other.
                listener.set_nonblocking(true)?;
                TcpListener::from_std(listener)
            }
        }
    }
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restarted server must not wait until the system has forgotten the old connections.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// A listening socket.
pub(super) struct Listening {
    listener: TcpListener,
    scheme: Scheme,
    /// False if another process also listens on the socket and keeps its queue for a successor.
    is_own: bool,
}

/// Accepts connections until the sender of `stopping` is dropped, and distributes them to the event loops.
/// If no other process shares the socket, connections that are still in its queue are accepted as well, because
/// the queue is lost with the socket.
pub(super) async fn accept<H: Handler>(
    listening: Listening,
    edge: Arc<Edge<H>>,
    mut stopping: watch::Receiver<()>,
) {
    let Listening {
        listener, scheme, ..
    } = &listening;
    let mut stopped = pin!(async move { while stopping.changed().await.is_ok() {} });
    let mut has_stopped = false;
    let mut pause = PAUSE_MIN;
    loop {
        // An accepted connection is always admitted: nothing else is awaited here.
        let accepted = poll_fn(|context| {
            has_stopped = has_stopped || stopped.as_mut().poll(context).is_ready();
            // The successor accepts the connections in the queue.
            if has_stopped && !listening.is_own {
                return Poll::Ready(None);
            }
            match listener.poll_accept(context) {
                Poll::Pending if has_stopped => Poll::Ready(None),
                accepted => accepted.map(Some),
            }
        });
        let Some(accepted) = accepted.await else {
            return;
        };
        match accepted {
            Ok((stream, peer)) => {
                // The cause of earlier errors is gone.
                pause = PAUSE_MIN;
                if let Err(error) = admit(stream, *scheme, peer.ip().to_canonical(), &edge).await {
                    debug!(%error, "connection lost before it was served");
                }
            }
            // The remaining queue is lost, but an error must not delay the end of the process.
            Err(_) if has_stopped => return,
            Err(error) if concerns_one_connection(&error) => {
                debug!(%error, "connection lost before it was accepted");
            }
            Err(error) => {
                warn!(%error, "cannot accept connections; trying again in {pause:?}");
                edge.connections.close_longest_idle(QUIET_MIN);
                sleep(pause).await;
                pause = (2 * pause).min(PAUSE_MAX);
            }
        }
    }
}

async fn admit<H: Handler>(
    stream: TcpStream,
    scheme: Scheme,
    peer: IpAddr,
    edge: &Arc<Edge<H>>,
) -> io::Result<()> {
    // While this waits for a slot, further connections wait in the kernel's queue.
    if let Some(slot) = edge.connections.admit(peer).await {
        // Disables Nagle's algorithm: responses are written in one piece, and waiting to fill a packet would only
        // delay their end.
        stream.set_nodelay(true)?;
        // Deregistered from the event loop that accepted the stream, so that the serving loop can register it.
        let stream = stream.into_std()?;
        let handle = edge.next_loop();
        let incoming = Incoming {
            stream,
            scheme,
            peer,
            slot,
        };
        let connection = connection::serve(incoming, handle.clone(), Arc::clone(edge));
        handle.event_loop.spawn(connection);
    }
    Ok(())
}

fn concerns_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}
