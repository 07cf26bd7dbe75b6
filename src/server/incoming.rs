//! Reads the body of a request into memory, with limits on its length, its time and the memory of all bodies.
//!
//! A body reserves memory only for the bytes that have arrived, regardless of the length that it announces, and its buffer
//! is at most four times as long.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use hyper::body::{Body as _, Incoming};
use tokio::time::{Instant, timeout_at};

use crate::api::request::RequestRefusal;
use crate::body_memory::{BodyMemory, HeldMemory};

use super::limits::STEP_BYTES;

/// Maximum growth of a buffer because of the announced length of a body, as a multiple of the bytes that have arrived.
const CLAIM_GROWTH: u64 = 4;

/// Reads the whole body and returns it with its reservation of `memory`.
///
/// Each 64 KiB, and the rest, must arrive within `step_timeout`.
pub(super) async fn read(
    mut body: Incoming,
    bytes_max: u64,
    step_timeout: Duration,
    memory: &Arc<BodyMemory>,
) -> Result<(Bytes, HeldMemory), RequestRefusal> {
    // Refused before any byte is read, because the client announces too much.
    if body.size_hint().lower() > bytes_max {
        return Err(RequestRefusal::BodyTooLarge(bytes_max));
    }
    let mut whole = BytesMut::new();
    let mut held = memory.hold();
    let mut step = 0;
    let mut deadline = Instant::now() + step_timeout;
    loop {
        let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context));
        let frame = timeout_at(deadline, frame)
            .await
            .map_err(|_| RequestRefusal::BodyTooSlow(step_timeout))?;
        let Some(frame) = frame else {
            return Ok((whole.freeze(), held));
        };
        let frame = frame.map_err(|_| RequestRefusal::Malformed)?;
        let Ok(data) = frame.into_data() else {
            continue; // trailers, which no handler uses
        };
        let length = (whole.len() + data.len()) as u64;
        if length > bytes_max {
            return Err(RequestRefusal::BodyTooLarge(bytes_max));
        }
        // Reserved before the copy, so that the bodies together never exceed their memory.
        held.take(data.len())?;
        if length > whole.capacity() as u64 {
            // Growing by doubling would need up to twice the length of the body in memory while it is copied.
            let claimed = length + body.size_hint().lower();
            let room = claimed.min(CLAIM_GROWTH * length);
            whole.reserve(
                usize::try_from(room)
                    .unwrap_or_default()
                    .saturating_sub(whole.len()),
            );
        }
        whole.extend_from_slice(&data);
        // Extended only after a full step: a client that sends single bytes does not extend its
        // time.
        if length / STEP_BYTES > step {
            step = length / STEP_BYTES;
            deadline = Instant::now() + step_timeout;
        }
    }
}
