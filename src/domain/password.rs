//! Password hashing and verification.
//!
//! New hashes are Argon2id. Hashes from Ghost are bcrypt; they can be verified, and are replaced
//! when the user signs in. Hashing is expensive in memory and time by design, so the number of
//! concurrent hashes is limited, and further ones wait. The `api` layer admits only a few requests
//! at a time that may hash, so that waiting requests do not occupy all workers.

use std::{
    fmt,
    sync::{Condvar, LazyLock, Mutex, PoisonError},
    thread::available_parallelism,
};

use argon2::{
    Algorithm, Argon2, Params, Version,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};

use super::credentials::is_bcrypt;
use crate::error::{Error, Kind, Result};

/// Memory of one hash, in KiB (OWASP Password Storage Cheat Sheet, Argon2id).
const MEMORY_KIB: u32 = 19 * 1024;

/// Passes over the memory.
const PASSES: u32 = 2;

/// Parallelism of one hash.
const PARALLELISM: u32 = 1;

/// The prefix of every hash with the current parameters. Other hashes are replaced at the next
/// sign-in.
const HASH_PREFIX: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// A hash without a known password. It is verified if a user does not exist, so that the response
/// takes the same time as for an existing user.
const DUMMY_HASH: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4u$\
                       Z2FsbGV5OiB0aGUgaGFzaCBvZiBub2JvZHkncyBwd2Q";

/// Longest password, in bytes.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// A password as entered.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Box<str>);

impl Password {
    /// Wraps a password as entered.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Returns the hash to store. Takes tens of milliseconds.
    ///
    /// # Errors
    ///
    /// `Validation` if the password is longer than [`PASSWORD_BYTES_MAX`].
    pub fn hash(&self) -> Result<Box<str>> {
        if self.0.len() > PASSWORD_BYTES_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("A password must have at most {PASSWORD_BYTES_MAX} bytes."),
            ));
        }
        // The permit needs a name: `let _ =` would release it immediately.
        let _permit = PERMITS.take();
        let hash = hasher()?
            .hash_password(self.0.as_bytes())
            .map_err(|error| Error::internal(error.to_string()))?;
        Ok(hash.to_string().into())
    }

    /// Returns whether `hash` is a hash of this password. Without a hash, returns `false` after the
    /// same time.
    ///
    /// # Errors
    ///
    /// If the hash cannot be computed.
    pub fn verify(&self, hash: Option<&str>) -> Result<bool> {
        if self.0.len() > PASSWORD_BYTES_MAX {
            return Ok(false);
        }
        // Taken even without a hash to verify, so that the wait does not reveal whether the user
        // exists.
        let _permit = PERMITS.take();
        Ok(match hash {
            // bcrypt uses only the first 72 bytes, as in Ghost.
            Some(hash) if is_bcrypt(hash) => {
                bcrypt::verify(self.0.as_bytes(), hash).is_ok_and(|is| is)
            }
            // Hashes with other parameters could require any amount of memory and time.
            Some(hash) if is_up_to_date(hash) => is_argon2_of(&self.0, hash)?,
            Some(_) => false,
            None => {
                is_argon2_of(&self.0, DUMMY_HASH)?;
                false
            }
        })
    }
}

impl fmt::Debug for Password {
    /// Omits the password, which must not appear in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// Returns whether the text is a hash that can be verified: bcrypt, or Argon2id with the current
/// parameters.
pub fn is_hash(text: &str) -> bool {
    is_bcrypt(text) || (is_up_to_date(text) && PasswordHash::new(text).is_ok())
}

/// Returns whether a hash has the current parameters. Other hashes are replaced at the next
/// successful sign-in.
pub fn is_up_to_date(hash: &str) -> bool {
    hash.starts_with(HASH_PREFIX)
}

fn hasher() -> Result<Argon2<'static>> {
    let parameters = Params::new(MEMORY_KIB, PASSES, PARALLELISM, None)
        .map_err(|error| Error::internal(error.to_string()))?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, parameters))
}

fn is_argon2_of(password: &str, hash: &str) -> Result<bool> {
    let Ok(hash) = PasswordHash::new(hash) else {
        return Ok(false);
    };
    Ok(hasher()?
        .verify_password(password.as_bytes(), &hash)
        .is_ok())
}

/// The permits for hashing, shared by the whole process, since they limit its memory use.
static PERMITS: LazyLock<Permits> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    // Hashing keeps a processor busy, so half of the processors are left for other requests.
    Permits::new((processors / 2).max(1))
});

struct Permits {
    hashing_max: usize,
    hashing: Mutex<usize>,
    freed: Condvar,
}

/// A permit for hashing, released when dropped.
struct Permit<'a>(&'a Permits);

impl Permits {
    fn new(hashing_max: usize) -> Self {
        Self {
            hashing_max,
            hashing: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    /// Waits for a permit.
    fn take(&self) -> Permit<'_> {
        let hashing = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hashing = self
            .freed
            .wait_while(hashing, |hashing| *hashing >= self.hashing_max)
            .unwrap_or_else(PoisonError::into_inner);
        *hashing += 1;
        Permit(self)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        let mut hashing = self
            .0
            .hashing
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *hashing -= 1;
        self.0.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_verifies_only_its_own_password() {
        let hash = Password::new("Sup3r-secret-pw!").hash().unwrap();
        assert!(is_up_to_date(&hash), "{hash}");
        assert!(
            Password::new("Sup3r-secret-pw!")
                .verify(Some(&hash))
                .unwrap()
        );
        assert!(
            !Password::new("Sup3r-secret-pw")
                .verify(Some(&hash))
                .unwrap()
        );
        assert!(!Password::new("").verify(Some(&hash)).unwrap());
    }

    #[test]
    fn hashes_are_salted() {
        let password = Password::new("Sup3r-secret-pw!");
        assert_ne!(password.hash().unwrap(), password.hash().unwrap());
    }

    #[test]
    fn ghost_hashes_verify_and_are_out_of_date() {
        // A hash of "Sup3r-secret-pw!" with cost 4.
        let hash = bcrypt::hash("Sup3r-secret-pw!", 4).unwrap();
        for version in ["$2a$", "$2b$", "$2y$"] {
            let hash = hash.replace("$2b$", version);
            assert!(
                Password::new("Sup3r-secret-pw!")
                    .verify(Some(&hash))
                    .unwrap()
            );
            assert!(!Password::new("another one").verify(Some(&hash)).unwrap());
            assert!(!is_up_to_date(&hash));
        }
    }

    #[test]
    fn no_password_verifies_without_a_hash() {
        assert!(PasswordHash::new(DUMMY_HASH).is_ok() && is_up_to_date(DUMMY_HASH));
        for hash in [None, Some(""), Some("secret"), Some(DUMMY_HASH)] {
            assert!(!Password::new("secret").verify(hash).unwrap());
        }
    }

    #[test]
    fn hashes_with_excessive_cost_are_rejected() {
        let hash = Password::new("Sup3r-secret-pw!").hash().unwrap();
        assert!(is_hash(&hash));
        for greedy in [
            hash.replace("m=19456", "m=4194304"),
            hash.replace("t=2", "t=4000000"),
            bcrypt::hash("Sup3r-secret-pw!", 4)
                .unwrap()
                .replace("$04$", "$31$"),
        ] {
            assert!(!is_hash(&greedy), "{greedy}");
            let password = Password::new("Sup3r-secret-pw!");
            assert!(!password.verify(Some(&greedy)).unwrap());
        }
    }

    #[test]
    fn too_long_password_is_rejected_and_never_verifies() {
        let long = Password::new(&"a".repeat(PASSWORD_BYTES_MAX + 1));
        assert_eq!(long.hash().unwrap_err().kind(), Kind::Validation);
        assert!(!long.verify(None).unwrap());
    }

    #[test]
    fn concurrent_hashes_are_limited() {
        let permits = Permits::new(2);
        let most = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _permit = permits.take();
                    let now = *permits.hashing.lock().unwrap();
                    let mut most = most.lock().unwrap();
                    *most = now.max(*most);
                });
            }
        });
        assert!((1..=2).contains(&*most.lock().unwrap()));
        assert_eq!(*permits.hashing.lock().unwrap(), 0);
    }

    #[test]
    fn debug_output_omits_the_password() {
        assert!(!format!("{:?}", Password::new("Sup3r-secret-pw!")).contains("Sup3r"));
    }
}
