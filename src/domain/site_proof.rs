//! The proof that a URL belongs to a site, for `galley doctor`.
//!
//! A client that knows the secret of the site requests a random challenge and checks the response.
//! All processes that serve the site compute the same response, and no other site does. The
//! response reveals nothing about the secret.

use super::secret::Secret;

/// Accepted lengths of a challenge, in bytes.
const CHALLENGE_BYTES: std::ops::RangeInclusive<usize> = 16..=64;

/// The path of challenges below the path prefix: `/ghost/.here/CHALLENGE`.
pub const FOLDER: &str = ".here/";

/// Returns the response of the site with this secret; `None` if the challenge is malformed.
pub fn response(secret: &Secret, challenge: &str) -> Option<String> {
    let is_valid = CHALLENGE_BYTES.contains(&challenge.len())
        && challenge.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let digest = || secret.digest_of(&format!("site proof/{challenge}"));
    is_valid.then(|| digest().to_hexadecimal())
}
