//! Requests to the Admin API of a site of a repository.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use galley_tests::{
    command_line::{Served, run},
    folder::Folder,
};
use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;

/// The HMAC-SHA256 of `text`.
pub fn digest(key: &[u8], text: &[u8]) -> Vec<u8> {
    let mut code = Hmac::<Sha256>::new_from_slice(key).expect("any key will do");
    code.update(text);
    code.finalize().into_bytes().to_vec()
}

/// The same in hexadecimal, as most hosts sign.
pub fn signature(secret: &str, body: &str) -> String {
    HEXLOWER.encode(&digest(secret.as_bytes(), body.as_bytes()))
}

/// What an integration of the site shows to the Admin API.
pub fn authorization(folder: &Folder) -> String {
    let keys = run(folder, &["key", "list", "--data", "data", "--json"]).json();
    let key = keys[0]["admin_key"]
        .as_str()
        .expect("an Admin API key")
        .to_owned();
    let (id, secret) = key.split_once(':').expect("an identifier and a secret");
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .expect("a time")
        .as_secs();
    let header = format!(r#"{{"alg":"HS256","typ":"JWT","kid":"{id}"}}"#);
    let claims = format!(r#"{{"iat":{now},"exp":{},"aud":"/admin/"}}"#, now + 300);
    let signed = format!(
        "{}.{}",
        BASE64URL_NOPAD.encode(header.as_bytes()),
        BASE64URL_NOPAD.encode(claims.as_bytes())
    );
    let secret = HEXLOWER.decode(secret.as_bytes()).expect("hexadecimal");
    let proof = BASE64URL_NOPAD.encode(&digest(&secret, signed.as_bytes()));
    format!("Authorization: Ghost {signed}.{proof}")
}

/// Sends a request for a path below `/ghost/api/admin/`, and returns status and response.
pub fn ask(served: &Served, method: &str, path: &str, fields: &[&str], body: &str) -> (u16, Value) {
    let address = served.address();
    let mut connection = TcpStream::connect(address).expect("a connection");
    connection
        .set_read_timeout(Some(Duration::from_secs(20)))
        .expect("a timeout");
    let fields: String = fields.iter().map(|field| format!("{field}\r\n")).collect();
    let request = format!(
        "{method} /ghost/api/admin/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n{fields}\r\n{body}",
        body.len()
    );
    connection
        .write_all(request.as_bytes())
        .expect("the request is sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a whole response in UTF-8");
    let status = response[9..12].parse().expect("a status");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    (status, serde_json::from_str(body).unwrap_or(Value::Null))
}
