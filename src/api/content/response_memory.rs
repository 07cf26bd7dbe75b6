//! Memory for post bodies while a response is built: limited per response, and reserved from the budget
//! that bodies share.

use std::{cell::RefCell, sync::Arc};

use crate::{
    body_memory::{BodyMemory, HeldMemory},
    error::{Error, Kind, Result},
};

/// Most bytes of bodies in one response.
const BODIES_BYTES_MAX: usize = 64 << 20;

/// Responses with fewer than this number of bytes of bodies are not accounted for.
const UNCOUNTED_BYTES: usize = 1 << 20;

/// Memory for bodies, as a multiple of their size: they are collected first, and then written.
const WORK_GROWTH: usize = 2;

/// Memory for one response.
pub struct ResponseMemory(Option<RefCell<UsedMemory>>);

struct UsedMemory {
    held: HeldMemory,
    bodies_bytes: usize,
}

impl ResponseMemory {
    /// Returns memory without a limit.
    pub fn unbounded() -> Self {
        Self(None)
    }

    /// Returns memory for a response, reserved from the budget that bodies share.
    pub fn of(memory: &Arc<BodyMemory>) -> Self {
        Self(Some(RefCell::new(UsedMemory {
            held: memory.hold(),
            bodies_bytes: 0,
        })))
    }

    /// Reserves the memory for `body_bytes` more bytes of bodies.
    ///
    /// # Errors
    ///
    /// `BadRequest` if the response would have more than 64 MiB of bodies, `Maintenance` if other
    /// requests use too much of the memory.
    pub fn take(&self, body_bytes: usize) -> Result<()> {
        let Some(taken) = &self.0 else {
            return Ok(());
        };
        // Endpoints share the request by reference, but count while they build the response.
        let mut taken = taken.borrow_mut();
        taken.bodies_bytes += body_bytes;
        let all = taken.bodies_bytes;
        if all > BODIES_BYTES_MAX {
            return Err(Error::new(
                Kind::BadRequest,
                format!(
                    "The response would have more than {} MiB of posts.",
                    BODIES_BYTES_MAX >> 20
                ),
            )
            .help("Request fewer posts per page with \"limit\", or fewer of their fields."));
        }
        if all < UNCOUNTED_BYTES {
            return Ok(());
        }
        // Capped at the whole budget, so that a lone response never fails for lack of memory.
        taken
            .held
            .take_up_to(WORK_GROWTH * all)
            .map_err(|refusal| Error::new(Kind::Maintenance, refusal.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(outcome: Result<()>) -> Option<Kind> {
        outcome.err().map(|error| error.kind())
    }

    #[test]
    fn each_response_is_bounded_and_all_share_one_bound() {
        let shared = BodyMemory::new(256 << 20);
        let responses: Vec<_> = (0..3).map(|_| ResponseMemory::of(&shared)).collect();
        for response in &responses[..2] {
            (0..64).for_each(|_| response.take(1 << 20).unwrap());
            assert_eq!(kind(response.take(1)), Some(Kind::BadRequest));
        }
        assert_eq!(kind(responses[2].take(UNCOUNTED_BYTES - 1)), None);
        assert_eq!(kind(responses[2].take(1)), Some(Kind::Maintenance));
        drop(responses);
        assert_eq!(kind(ResponseMemory::of(&shared).take(64 << 20)), None);
    }

    #[test]
    fn unbounded_memory_accepts_any_length() {
        assert_eq!(kind(ResponseMemory::unbounded().take(usize::MAX)), None);
    }
}
