//! Tokens of the links in mails to staff: for setting a password, and for accepting an invite.
//!
//! A token is `expires|address|secret` in standard Base64 without padding; Ghost's admin app reads
//! the address from it. Tokens of earlier versions consist of the secret alone, and remain valid.

use data_encoding::BASE64_NOPAD;
use jiff::Timestamp;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

const SEPARATOR: char = '|';

/// Base64 characters that have a special meaning in URLs.
const ESCAPED: &AsciiSet = &CONTROLS.add(b'+').add(b'/');

/// Returns the token with `secret` for a link that is sent to `email` and expires at `expires_at`.
pub fn in_link(expires_at: Timestamp, email: &str, secret: &str) -> String {
    let expires = expires_at.as_millisecond();
    let token = format!("{expires}{SEPARATOR}{email}{SEPARATOR}{secret}");
    let token = BASE64_NOPAD.encode(token.as_bytes());
    utf8_percent_encode(&token, ESCAPED).to_string()
}

/// Returns the secret of a token, which may be the secret alone.
pub fn secret_of(token: &str) -> String {
    let token = token.trim();
    let decoded = BASE64_NOPAD.decode(token.trim_end_matches('=').as_bytes());
    let decoded = decoded.ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let secret = decoded.as_deref().and_then(|text| {
        let (expires, rest) = text.split_once(SEPARATOR)?;
        let is_number = expires.bytes().all(|byte| byte.is_ascii_digit());
        // From the end, because an address may contain the separator (see `email::is_address`); a
        // secret cannot.
        let (_, secret) = rest.rsplit_once(SEPARATOR)?;
        is_number.then(|| secret.to_owned())
    });
    secret.unwrap_or_else(|| token.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_of_any_address_is_read_from_its_link() {
        let expires_at = Timestamp::from_millisecond(1_795_000_000_000).unwrap();
        for email in [
            "ada@example.com",
            "a~b?c@example.com",
            "a|b@example.com",
            "jürgen@bücher.example",
        ] {
            let link = in_link(expires_at, email, "Zm9-v_YmFy");
            assert!(!link.contains(['+', '/', '=']), "{link}");
            let token = percent_encoding::percent_decode_str(&link)
                .decode_utf8()
                .unwrap();
            assert_eq!(secret_of(&token), "Zm9-v_YmFy");
            let text = String::from_utf8(BASE64_NOPAD.decode(token.as_bytes()).unwrap()).unwrap();
            assert_eq!(text, format!("1795000000000|{email}|Zm9-v_YmFy"));
        }
    }

    #[test]
    fn token_of_an_earlier_version_is_its_secret() {
        assert_eq!(secret_of("QWxhbg"), "QWxhbg");
        assert_eq!(secret_of("Zm9-v_Ymh"), "Zm9-v_Ymh");
    }
}
