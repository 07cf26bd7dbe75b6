//! The keys of the rows of webhook deliveries: a webhook, a number, and whether the row is a run of
//! deliveries.

use crate::id::Id;

/// Length of an identifier in a key, in bytes.
const ID_BYTES: usize = 12;

/// Suffix of the key of a run, after its first number.
const RUN_SUFFIX: &[u8] = b"r";

/// Returns the key of a delivery. The deliveries of one webhook are adjacent, in order.
pub(super) fn key(webhook: Id, number: u64) -> Vec<u8> {
    [webhook.as_bytes(), &number.to_be_bytes()[..]].concat()
}

/// Returns the key of the run that begins with number `first`.
pub(super) fn run_key(webhook: Id, first: u64) -> Vec<u8> {
    [&key(webhook, first), RUN_SUFFIX].concat()
}

/// Parses a key into the webhook, the number, and whether the row is a run.
pub(super) fn parse_key(key: &[u8]) -> Option<(Id, u64, bool)> {
    let (webhook, rest) = key.split_first_chunk::<ID_BYTES>()?;
    let (number, suffix) = rest.split_first_chunk()?;
    let is_run = match suffix {
        [] => false,
        RUN_SUFFIX => true,
        _ => return None,
    };
    Some((
        Id::from_bytes(*webhook),
        u64::from_be_bytes(*number),
        is_run,
    ))
}
