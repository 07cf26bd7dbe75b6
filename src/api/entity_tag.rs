//! The entity tags of responses (`ETag`).

use http::HeaderValue;
use twox_hash::XxHash3_128;

/// Returns the weak entity tag of a body: its length and a hash. The hash is not cryptographic, because
/// an attacker would gain nothing from two bodies with the same tag.
pub fn entity_tag(body: &[u8]) -> HeaderValue {
    let tag = format!("W/\"{:x}-{:032x}\"", body.len(), XxHash3_128::oneshot(body));
    HeaderValue::from_str(&tag).expect("invariant: digits and quotes are valid in a header field")
}
