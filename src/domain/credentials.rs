//! What a member of the staff signs in with. It is kept apart from the user: nothing that is served is made of it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How long a bcrypt hash is, in characters.
const BCRYPT_LENGTH: usize = 60;

/// The greatest cost of a bcrypt hash that is verified: each step doubles the time, and this one takes seconds.
const BCRYPT_COST_MAX: u8 = 15;

/// What a user signs in with.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Credentials {
    /// A hash of the password, as text that names its own kind: `$2a$10$…` is bcrypt.
    pub password_hash: Box<str>,
}

impl fmt::Debug for Credentials {
    /// Shows nothing: hashes do not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// Whether the text is a bcrypt hash, the kind that Ghost makes: `$2a$10$` and 53 characters. One that would take longer to
/// verify than any that is meant to be verified does not count.
pub fn is_bcrypt(hash: &str) -> bool {
    let is_of_alphabet = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/');
    let Some((head, digest)) = hash.as_bytes().split_at_checked(7) else {
        return false;
    };
    hash.len() == BCRYPT_LENGTH
        && matches!(head, [b'$', b'2', b'a' | b'b' | b'y', b'$', tens, ones, b'$']
            if tens.is_ascii_digit() && ones.is_ascii_digit()
                && (tens - b'0') * 10 + (ones - b'0') <= BCRYPT_COST_MAX)
        && digest.iter().all(is_of_alphabet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_bcrypt_hashes_count() {
        let hash = "$2a$10$FxFlCsNBgXw42cBj0l1GFu39jffibqTqyAGBz7uCLwetYAdBYJEe6";
        assert!(is_bcrypt(hash));
        assert!(is_bcrypt(&hash.replace("$2a$", "$2b$")));
        for other in [
            "",
            "secret",
            &hash[..59],
            &hash.replace("$2a$", "$2x$"),
            &hash.replace("$10$", "$1x$"),
            &hash.replace("$10$", "$31$"),
            &hash.replace("FxFl", "F:Fl"),
            &hash.replace("FxF", "Fé"),
        ] {
            assert!(!is_bcrypt(other), "{other}");
        }
    }
}
