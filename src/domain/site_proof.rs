//! The proof that a URL leads to a site, for `galley doctor`.
//!
//! A client that knows the site requests a random text, the challenge, and compares the response. Every process that serves
//! the site makes the same one, and no other site does. The response reveals nothing about the secret.

use super::secret::Secret;

/// Shortest and longest challenge, in bytes: one of another length is refused.
const CHALLENGE_BYTES: std::ops::RangeInclusive<usize> = 16..=64;

/// The folder below the path prefix with a file for each challenge: `/ghost/.here/CHALLENGE`.
pub const FOLDER: &str = ".here/";

/// Returns the response of the site with this secret; `None` if the challenge is malformed.
pub fn response(secret: &Secret, challenge: &str) -> Option<String> {
    let is_valid = CHALLENGE_BYTES.contains(&challenge.len())
        && challenge.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let digest = || secret.digest_of(&format!("site proof/{challenge}"));
    is_valid.then(|| digest().to_hexadecimal())
}
