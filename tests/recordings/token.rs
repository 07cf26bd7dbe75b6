//! Tokens of an Admin API key: a JSON Web Token (RFC 7519) signed with HMAC and SHA-256.

use std::time::{SystemTime, UNIX_EPOCH};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

/// How long a token holds, in seconds.
const LIFE_S: u64 = 300;

/// A token of an Admin API key, `id:secret`, that holds from now on.
pub fn of_key(admin_key: &str) -> String {
    let (id, secret) = admin_key.split_once(':').unwrap();
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    signed(
        &json!({"alg": "HS256", "typ": "JWT", "kid": id}),
        &json!({"iat": now, "exp": now + LIFE_S, "aud": "/admin/"}),
        &HEXLOWER.decode(secret.as_bytes()).unwrap(),
    )
}

fn signed(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let text = format!("{}.{}", part(header), part(claims));
    let mut signature = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    signature.update(text.as_bytes());
    let signature = BASE64URL_NOPAD.encode(&signature.finalize().into_bytes());
    format!("{text}.{signature}")
}

/// The token that everybody's documentation of HS256 shows.
#[test]
fn a_token_is_signed_as_others_sign_it() {
    let token = signed(
        &json!({"alg": "HS256", "typ": "JWT"}),
        &json!({"sub": "1234567890", "name": "John Doe", "iat": 1_516_239_022}),
        b"your-256-bit-secret",
    );

    assert_eq!(
        token,
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9\
         .eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ\
         .SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"
    );
}
