//! Credentials of staff users. They are stored separately from the users, so that no response
//! includes them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Length of a bcrypt hash, in characters.
const BCRYPT_LENGTH: usize = 60;

/// The highest accepted cost of a bcrypt hash. Each step doubles the time of a verification, which
/// takes seconds at this cost.
const BCRYPT_COST_MAX: u8 = 15;

/// The credentials of a user.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Credentials {
    /// The password hash, in a form that names its algorithm: `$2a$10$…` is bcrypt.
    pub password_hash: Box<str>,
}

impl fmt::Debug for Credentials {
    /// Omits the hash, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").finish_non_exhaustive()
    }
}

/// Returns whether the text is a bcrypt hash like those of Ghost: `$2a$10$` and 53 characters.
/// Hashes with a cost above 15 are rejected, since verifying them would take too long.
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
    fn only_complete_bcrypt_hashes_are_accepted() {
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
