//! Requests to a site with a repository: requests of the Admin API, and webhooks signed like those of repository hosts.

use data_encoding::HEXLOWER;
use galley_tests::{
    admin_token, command_line::run, folder::Folder, galley_process::GalleyProcess,
    http_client::send_raw,
};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

/// Returns the HMAC-SHA256 of `text`.
pub fn digest(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut code = Hmac::<Sha256>::new_from_slice(key).expect("any key will do");
    code.update(text);
    code.finalize().into_bytes().to_vec()
}

/// Returns the HMAC-SHA256 of a body in hexadecimal, the signature of most hosts.
pub fn signature(secret: &str, body: &str) -> String {
    HEXLOWER.encode(&digest(secret.as_bytes(), body.as_bytes()))
}

/// Returns the header field with which an integration of the site authenticates.
pub fn authorization(folder: &Folder) -> String {
    let keys = run(folder, &["key", "list", "--data", "data", "--json"]).json();
    let key = keys[0]["admin_key"].as_str().expect("an Admin API key");
    format!("Authorization: Ghost {}", admin_token::of_key(key))
}

/// Sends a request for a path below `/ghost/api/admin/`, and returns the status and the response.
pub fn send(
    served: &GalleyProcess,
    method: &str,
    path: &str,
    fields: &[&str],
    body: &str,
) -> (u16, Value) {
    let address = served.address();
    let length = body.len();
    let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
    let request = format!(
        "{method} /ghost/api/admin/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n{fields}\r\n{body}"
    );
    let response = send_raw(address, request);
    let body = serde_json::from_slice(&response.body);
    (response.status, body.unwrap_or(Value::Null))
}
