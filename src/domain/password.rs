//! Passwords: how they are kept, and how one is told from another.
//!
//! New ones are kept as Argon2id hashes. Hashes that Ghost made are bcrypt; they are verified as they are and replaced when
//! their owner signs in. Hashing costs memory and time by design, so only so many are made at once; others wait. Requests that
//! may come to it are let in a few at a time (`api`), so that those that need no password find a worker free.

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

/// Passes over that memory.
const PASSES: u32 = 2;

/// Threads of one hash.
const LANES: u32 = 1;

/// What every hash that is made here begins with; others are replaced at the next sign-in.
const HEAD: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// A hash of nobody's password, made as all are: whoever asks for a user that there is not waits as long as for one there is.
const NOBODYS: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5J3Mgc2FsdC4u$\
                       Z2FsbGV5OiB0aGUgaGFzaCBvZiBub2JvZHkncyBwd2Q";

/// Longest password, in bytes.
pub const PASSWORD_BYTES_MAX: usize = 1024;

/// A password as somebody typed it.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Box<str>);

impl Password {
    /// What was typed.
    pub fn new(text: &str) -> Self {
        Self(text.into())
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The hash to keep. Takes tens of milliseconds.
    ///
    /// # Errors
    ///
    /// `Validation` when it is longer than [`PASSWORD_BYTES_MAX`].
    pub fn hash(&self) -> Result<Box<str>> {
        if self.0.len() > PASSWORD_BYTES_MAX {
            return Err(Error::new(
                Kind::Validation,
                format!("A password has at most {PASSWORD_BYTES_MAX} bytes."),
            ));
        }
        let _turn = TURNS.take();
        let hash = hasher()?
            .hash_password(self.0.as_bytes())
            .map_err(|error| Error::internal(error.to_string()))?;
        Ok(hash.to_string().into())
    }

    /// Whether this is the password that `hash` was made of; never when there is none, which takes as long to say.
    ///
    /// # Errors
    ///
    /// When the hash cannot be looked at.
    pub fn verify(&self, hash: Option<&str>) -> Result<bool> {
        if self.0.len() > PASSWORD_BYTES_MAX {
            return Ok(false);
        }
        let _turn = TURNS.take();
        Ok(match hash {
            // bcrypt looks at 72 bytes; so did the program that made the hash.
            Some(hash) if is_bcrypt(hash) => {
                bcrypt::verify(self.0.as_bytes(), hash).is_ok_and(|is| is)
            }
            // Another one could ask for more memory and time than there is.
            Some(hash) if is_up_to_date(hash) => is_argon2_of(&self.0, hash)?,
            Some(_) => false,
            None => {
                is_argon2_of(&self.0, NOBODYS)?;
                false
            }
        })
    }
}

impl fmt::Debug for Password {
    /// Shows nothing: passwords do not get into logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password")
    }
}

/// Whether the text is a hash that passwords are verified against here: bcrypt, or Argon2id as it is made here.
pub fn is_hash(text: &str) -> bool {
    is_bcrypt(text) || (is_up_to_date(text) && PasswordHash::new(text).is_ok())
}

/// Whether a hash is kept as new ones are. Others are made anew when the password is at hand.
pub fn is_up_to_date(hash: &str) -> bool {
    hash.starts_with(HEAD)
}

fn hasher() -> Result<Argon2<'static>> {
    let parameters = Params::new(MEMORY_KIB, PASSES, LANES, None)
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

/// Who hashes at the moment. One of these is for the whole process: what it bounds is the machine's memory.
static TURNS: LazyLock<Turns> = LazyLock::new(|| {
    let processors = available_parallelism().map_or(1, usize::from);
    // A hash keeps a processor busy; half of them are left for everybody else.
    Turns::new((processors / 2).max(1))
});

struct Turns {
    hashing_max: usize,
    hashing: Mutex<usize>,
    freed: Condvar,
}

/// The right to hash, until it is dropped.
struct Turn<'a>(&'a Turns);

impl Turns {
    fn new(hashing_max: usize) -> Self {
        Self {
            hashing_max,
            hashing: Mutex::new(0),
            freed: Condvar::new(),
        }
    }

    /// Waits for a turn.
    fn take(&self) -> Turn<'_> {
        let hashing = self.hashing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut hashing = self
            .freed
            .wait_while(hashing, |hashing| *hashing >= self.hashing_max)
            .unwrap_or_else(PoisonError::into_inner);
        *hashing += 1;
        Turn(self)
    }
}

impl Drop for Turn<'_> {
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
    fn a_password_is_told_from_another_by_its_hash() {
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
    fn the_same_password_has_another_hash_each_time() {
        let password = Password::new("Sup3r-secret-pw!");
        assert_ne!(password.hash().unwrap(), password.hash().unwrap());
    }

    #[test]
    fn hashes_that_ghost_made_are_verified_and_out_of_date() {
        // Of "Sup3r-secret-pw!", cost 4.
        let made = bcrypt::hash("Sup3r-secret-pw!", 4).unwrap();
        for version in ["$2a$", "$2b$", "$2y$"] {
            let hash = made.replace("$2b$", version);
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
    fn who_has_no_password_is_verified_by_none() {
        assert!(PasswordHash::new(NOBODYS).is_ok() && is_up_to_date(NOBODYS));
        for hash in [None, Some(""), Some("secret"), Some(NOBODYS)] {
            assert!(!Password::new("secret").verify(hash).unwrap());
        }
    }

    #[test]
    fn hashes_that_cost_more_than_is_meant_are_never_looked_at() {
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
    fn what_is_too_long_is_refused_and_never_right() {
        let long = Password::new(&"a".repeat(PASSWORD_BYTES_MAX + 1));
        assert_eq!(long.hash().unwrap_err().kind(), Kind::Validation);
        assert!(!long.verify(None).unwrap());
    }

    #[test]
    fn no_more_are_hashed_at_once_than_there_is_memory_for() {
        let turns = Turns::new(2);
        let most = Mutex::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let _turn = turns.take();
                    let now = *turns.hashing.lock().unwrap();
                    let mut most = most.lock().unwrap();
                    *most = now.max(*most);
                });
            }
        });
        assert!((1..=2).contains(&*most.lock().unwrap()));
        assert_eq!(*turns.hashing.lock().unwrap(), 0);
    }

    #[test]
    fn passwords_do_not_get_into_logs() {
        assert!(!format!("{:?}", Password::new("Sup3r-secret-pw!")).contains("Sup3r"));
    }
}
