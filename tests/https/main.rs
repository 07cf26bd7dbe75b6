//! Tests of a site that is served over https: with certificates of a real ACME authority (Debian's `pebble`), with concurrent
//! readers, and with `sslscan`. `tests/run` installs `pebble` and `sslscan`.

mod activation;
mod failures;
mod fake_authority;
mod grade;
mod handshakes;
mod interruptions;
mod obtaining;
mod pebble;
mod site;
