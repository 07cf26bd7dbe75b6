//! Admin API tokens for tests: JSON Web Tokens (RFC 7519) signed with HMAC, valid and invalid.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Map, Value, json};
use sha2::{Sha256, Sha384, Sha512};

/// Returns the HMAC of a text with a digest algorithm.
macro_rules! signature {
    ($digest:ty, $secret:expr, $text:expr) => {{
        let mut signature = Hmac::<$digest>::new_from_slice($secret).unwrap();
        signature.update($text.as_bytes());
        signature.finalize().into_bytes().to_vec()
    }};
}

/// The validity of a token, in seconds.
const LIFE_S: u64 = 300;

/// Builds a token.
pub struct Token<'a> {
    secret: &'a str,
    header: Map<String, Value>,
    claims: Map<String, Value>,
    algorithm: String,
    is_corrupt: bool,
}

/// Returns the time, in seconds since 1970.
pub fn now() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.unwrap().as_secs()
}

/// Returns a token for an Admin API key, `id:secret`, that is valid from now on.
pub fn of_key(admin_key: &str) -> String {
    Token::new(admin_key).finish()
}

impl<'a> Token<'a> {
    /// Returns a builder of a valid token for an Admin API key, `id:secret`.
    pub fn new(admin_key: &'a str) -> Self {
        let (id, secret) = admin_key.split_once(':').unwrap();
        let members = |value: Value| value.as_object().cloned().unwrap();
        Self {
            secret,
            header: members(json!({"alg": "HS256", "typ": "JWT", "kid": id})),
            claims: members(json!({"iat": now(), "exp": now() + LIFE_S, "aud": "/admin/"})),
            algorithm: "HS256".to_owned(),
            is_corrupt: false,
        }
    }

    /// Sets a claim; null removes it.
    pub fn claim(mut self, name: &str, value: impl Into<Value>) -> Self {
        set(&mut self.claims, name, value.into());
        self
    }

    /// Sets a claim to the time `seconds` from now.
    pub fn time(self, name: &str, seconds: i64) -> Self {
        let time = now().checked_add_signed(seconds).unwrap();
        self.claim(name, time)
    }

    /// Sets a header parameter without changing the signature algorithm; null removes it.
    pub fn header(mut self, name: &str, value: impl Into<Value>) -> Self {
        set(&mut self.header, name, value.into());
        self
    }

    /// Signs with another algorithm, which is also set in the header: `HS384`, `HS512`, or `none` for no
    /// signature.
    pub fn algorithm(mut self, name: &str) -> Self {
        self.algorithm = name.to_owned();
        self.header("alg", name)
    }

    /// Makes the signature invalid.
    pub fn corrupt(mut self) -> Self {
        self.is_corrupt = true;
        self
    }

    /// Returns the signed token.
    pub fn finish(self) -> String {
        let part = |part: &Map<String, Value>| {
            BASE64URL_NOPAD.encode(Value::from(part.clone()).to_string().as_bytes())
        };
        let text = format!("{}.{}", part(&self.header), part(&self.claims));
        let secret = HEXLOWER.decode(self.secret.as_bytes()).unwrap();
        let mut signature = match self.algorithm.as_str() {
            "none" => Vec::new(),
            "HS256" => signature!(Sha256, &secret, &text),
            "HS384" => signature!(Sha384, &secret, &text),
            "HS512" => signature!(Sha512, &secret, &text),
            other => panic!("a token is not signed with {other}"),
        };
        if self.is_corrupt {
            signature.reverse();
        }
        format!("{text}.{}", BASE64URL_NOPAD.encode(&signature))
    }
}

fn set(members: &mut Map<String, Value>, name: &str, value: Value) {
    match value {
        Value::Null => members.remove(name),
        value => members.insert(name.to_owned(), value),
    };
}
