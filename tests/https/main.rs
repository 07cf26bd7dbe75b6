//! Tests of a site that is served over https: with certificates of a real ACME authority (Debian's `pebble`), beside readers,
//! and under `sslscan`. `tests/run` installs both.

#[path = "../it/http_client.rs"]
#[allow(dead_code, reason = "most of it is for other tests")]
mod http_client;
#[path = "../it/tls_client.rs"]
#[allow(dead_code, reason = "most of it is for other tests")]
mod tls_client;

mod activation;
mod failures;
mod fake_authority;
mod grade;
mod handshakes;
mod interruptions;
mod obtaining;
mod pebble;
mod site;
