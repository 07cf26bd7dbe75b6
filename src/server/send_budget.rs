//! Memory for responses that were built for a single request and are being sent.
//!
//! A client that requests long responses and does not receive them keeps each response in memory until its
//! timeout. So the memory for such responses is limited, and one peer gets only a part of it. A peer cannot use
//! up the memory that others need, regardless of the number of connections and streams that it opens. Cached and
//! short responses do not count.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::api::request::RequestRefusal;
use crate::api::response::{Body, Response};

use super::connections::network;

/// Maximum length of responses that do not count, in bytes.
const FREE_BYTES: usize = 16 * 1024;

/// A single peer gets at most this fraction (one in four) of the memory.
const PARTS: usize = 4;

/// The responses being sent.
#[derive(Debug)]
pub(super) struct SendBudget {
    bytes_max: usize,
    used: Mutex<UsedBytes>,
}

#[derive(Debug, Default)]
struct UsedBytes {
    bytes: usize,
    by_peer: HashMap<IpAddr, usize>,
}

impl SendBudget {
    pub(super) fn new(bytes_max: usize) -> Self {
        SendBudget {
            bytes_max,
            used: Mutex::default(),
        }
    }

    /// Counts the response until it is sent or dropped, and returns it.
    ///
    /// # Errors
    ///
    /// `Busy` if there is not enough memory left, or the peer has used its part.
    pub(super) fn count(
        self: &Arc<Self>,
        peer: IpAddr,
        response: Response,
    ) -> Result<Response, RequestRefusal> {
        let peer = network(peer);
        match counted_bytes(&response) {
            Some(bytes) if !self.used().has_room(bytes, peer, self.bytes_max) => {
                Err(RequestRefusal::Busy)
            }
            _ => Ok(self.count_in_any_case(peer, response)),
        }
    }

    /// Counts the response to a change, which is never refused, and returns it.
    pub(super) fn count_in_any_case(
        self: &Arc<Self>,
        peer: IpAddr,
        mut response: Response,
    ) -> Response {
        if counted_bytes(&response).is_some()
            // Files and cached bodies are not copied for a response, so only bytes owned by the response count.
            && let Body::Bytes(bytes) = &mut response.body
        {
            let counted = self.take(network(peer), std::mem::take(bytes));
            // Counted until hyper drops the last reference, which is after the bytes are written.
            *bytes = Bytes::from_owner(counted);
        }
        response
    }

    fn take(self: &Arc<Self>, peer: IpAddr, bytes: Bytes) -> CountedBytes {
        let mut used = self.used();
        used.bytes += bytes.len();
        *used.by_peer.entry(peer).or_default() += bytes.len();
        CountedBytes {
            bytes,
            peer,
            budget: Arc::clone(self),
        }
    }

    fn used(&self) -> MutexGuard<'_, UsedBytes> {
        // Each change is complete before anything that could panic, so a poisoned lock is safe to use.
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UsedBytes {
    /// Returns whether there is memory for `bytes` more bytes to `peer`.
    fn has_room(&self, bytes: usize, peer: IpAddr, bytes_max: usize) -> bool {
        let before = self.by_peer.get(&peer).copied().unwrap_or(0);
        // The first response to a peer is never refused for its length, only for lack of memory.
        let is_within_part = before == 0 || before + bytes <= bytes_max / PARTS;
        self.bytes + bytes <= bytes_max && is_within_part
    }
}

/// Returns the number of bytes of a response that count; `None` if the response is short or does not own its
/// memory.
fn counted_bytes(response: &Response) -> Option<usize> {
    match &response.body {
        Body::Bytes(bytes) if bytes.len() > FREE_BYTES => Some(bytes.len()),
        _ => None,
    }
}

/// Bytes that count until they are dropped.
struct CountedBytes {
    bytes: Bytes,
    peer: IpAddr,
    budget: Arc<SendBudget>,
}

impl AsRef<[u8]> for CountedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for CountedBytes {
    fn drop(&mut self) {
        let mut used = self.budget.used();
        used.bytes -= self.bytes.len();
        if let Some(of_peer) = used.by_peer.get_mut(&self.peer) {
            *of_peer -= self.bytes.len();
            if *of_peer == 0 {
                used.by_peer.remove(&self.peer);
            }
        }
    }
}
