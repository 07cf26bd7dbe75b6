//! Password rules, which reject passwords that are easy to guess.

use std::collections::BTreeSet;

use super::password::Password;
use crate::error::{Error, Kind, Result};

/// Minimum number of characters of a password (Ghost 6.65, recorded).
pub const CHARACTERS_MIN: usize = 10;

/// Minimum number of distinct characters of a password.
const DISTINCT_MIN: usize = 5;

/// The most common leaked passwords that the other rules would accept, in lower case.
const WELL_KNOWN: &[&str] = &[
    "0123456789",
    "0987654321",
    "1029384756",
    "1122334455",
    "1234554321",
    "1234567890",
    "1234567890-=",
    "12345678900",
    "12345678901",
    "12345678910",
    "123456789a",
    "123456789q",
    "12345qwert",
    "1234qwerasdf",
    "123qweasdzxc",
    "1q2w3e4r5t",
    "1q2w3e4r5t6y",
    "1qaz2wsx3edc",
    "1qazxsw23edc",
    "9876543210",
    "a123456789",
    "abc1234567",
    "abc123abc123",
    "abcd1234abcd",
    "abcdefghij",
    "abcdefghijk",
    "adgjmptw12",
    "administrator",
    "asdfghjkl1",
    "asdfghjkl123",
    "asdfghjkl;",
    "basketball",
    "changeme123",
    "christopher",
    "correcthorsebatterystaple",
    "iloveyou12",
    "iloveyou123",
    "juventus123",
    "letmein123",
    "letmeinplease",
    "liverpool1",
    "manchester",
    "michaeljordan",
    "p@ssw0rd123",
    "passw0rd123",
    "password!!",
    "password10",
    "password11",
    "password12",
    "password123",
    "password1234",
    "password12345",
    "passwordpassword",
    "q1w2e3r4t5",
    "q1w2e3r4t5y6",
    "qazwsxedcrfv",
    "qwer1234qwer",
    "qwerty1234",
    "qwerty12345",
    "qwerty123456",
    "qwertyqwerty",
    "qwertyuiop",
    "qwertyuiop123",
    "qwertyuiop[]",
    "qwertzuiop",
    "unbelievable",
    "welcome123",
    "welcome1234",
    "yourpassword",
    "zaq12wsxcde3",
    "zxcvbnm,./",
    "zxcvbnm123",
];

/// The user who chooses a password, with the properties that an attacker may know.
#[derive(Clone, Copy, Debug)]
pub struct Chooser<'a> {
    /// The user's e-mail address.
    pub email: &'a str,
    /// The user's name.
    pub name: &'a str,
    /// The title of the site.
    pub site_title: &'a str,
}

/// Rejects a password that is easy to guess (Ghost 6.65, recorded).
///
/// # Errors
///
/// `Validation`, with the reason as context.
pub fn check(password: &Password, chooser: Chooser) -> Result<()> {
    let text = password.text();
    let fault = if text.chars().count() < CHARACTERS_MIN {
        format!("It needs at least {CHARACTERS_MIN} characters.")
    } else if text.to_lowercase().chars().collect::<BTreeSet<_>>().len() < DISTINCT_MIN {
        "It repeats a few characters.".to_owned()
    } else if WELL_KNOWN.contains(&text.to_lowercase().as_str()) {
        "It is one of the most common passwords.".to_owned()
    } else if chooser.is_named_by(text) {
        "It consists of your address, your name or the title of the site.".to_owned()
    } else {
        return Ok(());
    };
    Err(Error::new(Kind::Validation, "This password is too easy to guess.").context(fault))
}

impl Chooser<'_> {
    /// Returns whether a password consists of the address, the name or the title of the site.
    fn is_named_by(self, password: &str) -> bool {
        // Blanks and punctuation are ignored. A password that only contains a name is accepted: the
        // rest can make it strong.
        let password_text = letters_and_digits(password);
        let mailbox = self.email.split('@').next().unwrap_or_default();
        [self.email, mailbox, self.name, self.site_title]
            .into_iter()
            .map(letters_and_digits)
            .any(|known| !known.is_empty() && known == password_text)
    }
}

fn letters_and_digits(text: &str) -> String {
    text.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Chooser = Chooser {
        email: "ada.lovelace@example.com",
        name: "Ada Lovelace",
        site_title: "Notes on Engines",
    };

    fn is_accepted(password: &str) -> bool {
        check(&Password::new(password), ADA).is_ok()
    }

    #[test]
    fn uncommon_passwords_are_accepted() {
        for password in [
            "Sup3r-secret-pw!",
            "Author-Pa55-phrase",
            "tell nobody else",
            "ひみつのことばをおしえて",
        ] {
            assert!(is_accepted(password), "{password}");
        }
    }

    #[test]
    fn easily_guessed_passwords_are_rejected() {
        for password in [
            "",
            "short",
            "nine.char",
            "1234567890",
            "QWERTYUIOP",
            "aaaaaaaaaaaa",
            "abababababAB",
            "ada.lovelace@example.com",
            "ADA.LOVELACE@example.com",
            "Ada Lovelace",
            "adalovelace",
            "notes-on-engines",
        ] {
            let refusal = check(&Password::new(password), ADA).unwrap_err();
            assert_eq!(refusal.kind(), Kind::Validation, "{password}");
        }
    }

    #[test]
    fn well_known_passwords_pass_the_other_rules() {
        for known in WELL_KNOWN {
            assert_eq!(*known, known.to_lowercase());
            assert!(known.chars().count() >= CHARACTERS_MIN, "{known}");
            let different: BTreeSet<_> = known.chars().collect();
            assert!(different.len() >= DISTINCT_MIN, "{known}");
        }
    }
}
