//! Memory for answers that were made for one request and are on their way out.
//!
//! A client that asks for long answers and takes nothing of them keeps each in memory until its time is over. So these take
//! from memory that has a bound, of which one peer gets a part: however many connections and streams it opens, it cannot take
//! what others need. What is kept as a finished answer anyway, and what is short, does not count.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::api::request::Refusal;
use crate::api::response::{Body, Response};

use super::connections::network;

/// Answers up to this length do not count, in bytes.
const FREE_BYTES: usize = 16 * 1024;

/// One peer gets one of so many parts.
const PARTS: usize = 4;

/// The answers on their way out.
#[derive(Debug)]
pub(super) struct Unsent {
    bytes_max: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    bytes: usize,
    by_peer: HashMap<IpAddr, usize>,
}

impl Unsent {
    pub(super) fn new(bytes_max: usize) -> Self {
        Unsent {
            bytes_max,
            taken: Mutex::default(),
        }
    }

    /// The response, which counts until it is sent or given up.
    ///
    /// # Errors
    ///
    /// `Busy` if there is no room for it, or its peer has its part.
    pub(super) fn count(
        self: &Arc<Self>,
        peer: IpAddr,
        response: Response,
    ) -> Result<Response, Refusal> {
        let peer = network(peer);
        match counted_bytes(&response) {
            Some(bytes) if !self.taken().has_room(bytes, peer, self.bytes_max) => {
                Err(Refusal::Busy)
            }
            _ => Ok(self.count_in_any_case(peer, response)),
        }
    }

    /// The response to a change, which counts and is not refused.
    pub(super) fn count_in_any_case(
        self: &Arc<Self>,
        peer: IpAddr,
        mut response: Response,
    ) -> Response {
        if counted_bytes(&response).is_some()
            && let Body::Bytes(bytes) = &mut response.body
        {
            let counted = self.take(network(peer), std::mem::take(bytes));
            *bytes = Bytes::from_owner(counted);
        }
        response
    }

    fn take(self: &Arc<Self>, peer: IpAddr, bytes: Bytes) -> Counted {
        let mut taken = self.taken();
        taken.bytes += bytes.len();
        *taken.by_peer.entry(peer).or_default() += bytes.len();
        Counted {
            bytes,
            peer,
            unsent: Arc::clone(self),
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken> {
        // Each change is complete before anything that could panic.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Whether there is room for so many more bytes of `peer`.
    fn has_room(&self, bytes: usize, peer: IpAddr, bytes_max: usize) -> bool {
        let before = self.by_peer.get(&peer).copied().unwrap_or(0);
        // Nobody is refused an answer because it is long, only because of others.
        let is_within_part = before == 0 || before + bytes <= bytes_max / PARTS;
        self.bytes + bytes <= bytes_max && is_within_part
    }
}

/// How many bytes of a response count; `None` if it is short, or not in memory for itself alone.
fn counted_bytes(response: &Response) -> Option<usize> {
    match &response.body {
        Body::Bytes(bytes) if bytes.len() > FREE_BYTES => Some(bytes.len()),
        _ => None,
    }
}

/// Bytes that count until they are dropped.
struct Counted {
    bytes: Bytes,
    peer: IpAddr,
    unsent: Arc<Unsent>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let mut taken = self.unsent.taken();
        taken.bytes -= self.bytes.len();
        if let Some(of_peer) = taken.by_peer.get_mut(&self.peer) {
            *of_peer -= self.bytes.len();
            if *of_peer == 0 {
                taken.by_peer.remove(&self.peer);
            }
        }
    }
}
