//! Tests that a process can obtain a certificate after an earlier one was killed at any moment.

use std::{
    process::{Command, Stdio},
    thread::sleep,
    time::Duration,
};

use crate::{
    pebble::{Pebble, PebbleOptions, Process},
    site::HttpsSite,
};

fn galley(site: &HttpsSite, pebble: &Pebble) -> Process {
    let options = site.options(&pebble.directory(), &pebble.server_root());
    let mut command = Command::new(env!("CARGO_BIN_EXE_galley"));
    command
        .args(["-q", "serve"])
        .current_dir(site.folder.path());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    for (key, value) in options {
        let name = key.replace('.', "_").to_uppercase();
        command.env(format!("GALLEY_{name}"), value);
    }
    Process::start(&mut command)
}

#[test]
fn account_and_certificate_survive_kills_at_any_moment() {
    let site = HttpsSite::new();
    let pebble = Pebble::start(&PebbleOptions {
        http_port: site.http.port(),
        tls_port: site.https.port(),
        validity_s: 3600,
    });
    let root = pebble.issuing_root();
    for step in 0..40 {
        let mut process = galley(&site, &pebble);
        sleep(Duration::from_millis(40 + 25 * step));
        assert!(process.is_running());
        process.kill();
    }
    let _process = galley(&site, &pebble);
    site.wait_for_certificate(&root);
    assert_eq!(pebble.accounts(), 1, "{}", pebble.log());
    for (path, mode) in site.stored() {
        let expected = if path.ends_with('/') { 0o700 } else { 0o600 };
        assert_eq!(mode, expected, "{path}");
    }
}
