//! The listening sockets: accepts connections from the kernel's queue and admits them.
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

/// Connections that may wait in the kernel to be accepted; the kernel may limit the number further
/// (`net.core.somaxconn`).
const BACKLOG: u32 = 1024;

/// Shortest and longest pause after an error that no single connection caused.
const PAUSE_MIN: Duration = Duration::from_millis(10);
const PAUSE_MAX: Duration = Duration::from_secs(1);

/// Time for which a connection must have been idle before it is closed to free a file descriptor. The
/// system reports that none is left even when no connection waits for one, so the newest connection
/// must have time for its request.
const QUIET_MIN: Duration = Duration::from_secs(1);

/// Addresses that are bound and not accepted from yet.
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
    /// If the system refuses, for example because an address is in use or not one of this machine.
    pub fn to(addresses: &[SocketAddr]) -> io::Result<Self> {
        let mut bound = Self::default();
        for address in addresses {
            bound.add(*address, Scheme::Http)?;
        }
        Ok(bound)
    }

    /// Binds another address for connections of this scheme.
    ///
    /// # Errors
    ///
    /// The errors of [`to`](Self::to).
    pub fn add(&mut self, address: SocketAddr, scheme: Scheme) -> io::Result<()> {
        // It does not listen yet: until the address can be served, clients are refused instead of queued.
        let socket = BoundSocket::Own(bind(address)?);
        self.sockets.push((socket, scheme));
        Ok(())
    }

    /// Adds a socket that is listened on already.
    pub fn inherit(&mut self, listener: std::net::TcpListener, scheme: Scheme) {
        self.sockets
            .push((BoundSocket::Inherited(listener), scheme));
    }

    /// Returns whether there is a socket for connections of this scheme.
    pub fn has(&self, scheme: Scheme) -> bool {
        self.sockets.iter().any(|(_, own)| *own == scheme)
    }

    /// Returns the first address for connections of this scheme, if the system can return it.
    pub fn address_for(&self, scheme: Scheme) -> Option<SocketAddr> {
        let mut sockets = self.sockets.iter();
        let (socket, _) = sockets.find(|(_, own)| *own == scheme)?;
        socket.address().ok()
    }

    /// Makes the site one at https: requests over http are redirected.
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

    /// Has the system accept connections, which wait in its queue until the server serves them.
    ///
    /// # Errors
    ///
    /// If the system refuses, for example because another process listens at an address: with the scheme of that.
    pub fn queue(&self) -> Result<(), (Scheme, io::Error)> {
        for (socket, scheme) in &self.sockets {
            if let BoundSocket::Own(socket) = socket {
                let listening = rustix::net::listen(socket, BACKLOG as i32);
                listening.map_err(|error| (*scheme, error.into()))?;
            }
        }
        Ok(())
    }

    /// Starts to listen, within the event loop that accepts.
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
    // A restarted server must not wait until the system forgets its old connections.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

/// A socket that is listened on.
pub(super) struct Listening {
    listener: TcpListener,
    scheme: Scheme,
    /// False if another process listens, too, and keeps the queue for the next one.
    is_own: bool,
}

/// Accepts connections until `stopping` has no sender, and gives each to an event loop. Those that wait then in the queue of an own
/// socket, which ends with it, are accepted, too.
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
        // A connection that was accepted is always admitted: nothing else is waited for here.
        let accepted = poll_fn(|context| {
            has_stopped = has_stopped || stopped.as_mut().poll(context).is_ready();
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
                pause = PAUSE_MIN;
                if let Err(error) = admit(stream, *scheme, peer.ip().to_canonical(), &edge).await {
                    debug!(%error, "connection lost before it was served");
                }
            }
            Err(_) if has_stopped => return,
            Err(error) if concerns_one_connection(&error) => {
                debug!(%error, "connection lost before it was accepted");
            }
            Err(error) => {
                warn!(%error, "no connection can be accepted, next try in {pause:?}");
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
        // Without Nagle's algorithm: responses are written in one piece, and waiting to fill a
        // packet only delays their end.
        stream.set_nodelay(true)?;
        // Deregistered from the event loop that accepted it, so that the serving one can register
        // it.
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
