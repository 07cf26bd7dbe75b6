//! Tests that certificates are obtained, stored and renewed.

use std::{net::TcpListener, process::Command, thread::sleep, time::Duration};

use crate::{
    fake_authority::SuggestingDirectory,
    pebble::{Pebble, PebbleOptions, free_address},
    site::{HttpsSite, NAMES, wait_for_report},
};
use galley::config::Config;
use galley_tests::wait_until;

fn pebble(site: &HttpsSite, validity_s: u64) -> Pebble {
    Pebble::start(&PebbleOptions {
        http_port: site.http.port(),
        tls_port: site.https.port(),
        validity_s,
    })
}

#[test]
fn certificate_is_obtained_stored_and_reused() {
    let site = HttpsSite::new();
    let mut pebble = pebble(&site, 90 * 24 * 3600);
    let root = pebble.issuing_root();
    let options = site.options(&pebble.directory(), &pebble.server_root());
    let app = site.serve(&options);
    let certificate = site.wait_for_certificate(&root);

    assert_eq!(app.site_urls().site(), "https://example.com/");
    let mut client = site.connect("www.example.com", &root).unwrap();
    client.send("GET /healthz HTTP/1.1\r\nhost: www.example.com\r\n\r\n");
    assert_eq!(client.respond().status, 200);
    let redirect = site.get_over_http("/healthz?a=b");
    assert_eq!(redirect.status, 301);
    assert_eq!(
        redirect.header("location"),
        Some("https://example.com/healthz?a=b")
    );
    let unknown = site.get_over_http("/.well-known/acme-challenge/unknown");
    assert_eq!(unknown.status, 404);
    let report = wait_for_report(&app, "it is known", |report| report.expires_at.is_some());
    assert_eq!((report.problem, report.failures), (None, 0));
    assert!(report.next_attempt_at < report.expires_at);
    let reports = app.certificate_reports();
    let names: Vec<_> = reports.iter().flat_map(|report| &*report.names).collect();
    assert_eq!(names, NAMES.split(',').collect::<Vec<_>>());
    let stored = [
        ("account.pem", 0o600),
        ("example.com/", 0o700),
        ("example.com/certificate.json", 0o600),
        ("www.example.com/", 0o700),
        ("www.example.com/certificate.json", 0o600),
    ];
    assert_eq!(
        site.stored(),
        stored.map(|(path, mode)| (path.to_owned(), mode))
    );

    // A restart uses the stored certificate, even if the authority is unreachable.
    pebble.stop();
    drop(app);
    let _app = site.serve(&options);
    assert_eq!(site.certificate(&root), certificate);
    assert_eq!(pebble.accounts(), 1);
}

#[test]
fn certificate_is_renewed_without_interruption() {
    let site = HttpsSite::new();
    let pebble = pebble(&site, 15);
    let root = pebble.issuing_root();
    let app = site.serve(&site.options(&pebble.directory(), &pebble.server_root()));
    let mut certificate = site.wait_for_certificate(&root);
    let mut open = site.connect("example.com", &root).unwrap();
    for _ in 0..2 {
        wait_until("the certificate is renewed", || {
            // Fails unless a valid certificate is served.
            site.certificate(&root) != certificate
        });
        certificate = site.certificate(&root);
    }
    open.send("GET /healthz HTTP/1.1\r\nhost: example.com\r\n\r\n");
    assert_eq!(open.respond().status, 200);
    assert_eq!(app.certificate_reports()[0].failures, 0);
    assert_eq!(pebble.accounts(), 1);
}

#[test]
fn revoked_certificate_is_replaced_immediately() {
    let site = HttpsSite::new();
    let pebble = pebble(&site, 90 * 24 * 3600);
    let root = pebble.issuing_root();
    let authority = SuggestingDirectory::start(&pebble);
    let mut options = site.options(&authority.directory(), &pebble.server_root());
    options.insert("domain", "example.com".to_owned());
    let app = site.serve(&options);
    wait_until("the site has a certificate", || {
        site.connect("example.com", &root).is_ok()
    });
    let certificate = site.certificate(&root);
    // The suggestion is requested repeatedly; the certificate is not replaced.
    wait_until("the suggestion is requested again", || {
        authority.asked().len() > 2
    });
    assert_eq!(site.certificate(&root), certificate);
    let identifier = authority.asked()[0].clone();
    assert!(authority.asked().iter().all(|asked| *asked == identifier));

    authority.revoke(&identifier);
    wait_until("the certificate is replaced", || {
        site.certificate(&root) != certificate
    });
    let replacement = site.certificate(&root);
    wait_until("a suggestion for the new certificate is requested", || {
        authority.asked().last() != Some(&identifier)
    });
    assert_eq!(site.certificate(&root), replacement);
    assert_eq!(app.certificate_reports()[0].failures, 0);
}

#[test]
fn names_are_validated_over_tls_if_http_fails() {
    let site = HttpsSite::new();
    let pebble = Pebble::start(&PebbleOptions {
        http_port: free_address().port(),
        tls_port: site.https.port(),
        validity_s: 3600,
    });
    let app = site.serve(&site.options(&pebble.directory(), &pebble.server_root()));
    site.wait_for_certificate(&pebble.issuing_root());
    assert_eq!(app.certificate_reports()[0].failures, 1);
}

#[test]
fn another_name_gets_another_certificate() {
    let site = HttpsSite::new();
    let pebble = pebble(&site, 3600);
    let root = pebble.issuing_root();
    let mut options = site.options(&pebble.directory(), &pebble.server_root());
    let app = site.serve(&options);
    let certificate = site.wait_for_certificate(&root);
    drop(app);
    options.insert("domain", "example.com,blog.example.com".to_owned());
    let _app = site.serve(&options);
    wait_until("the other name has a certificate", || {
        site.connect("blog.example.com", &root).is_ok()
    });
    assert_eq!(site.certificate(&root), certificate);
}

#[test]
fn names_change_while_the_site_is_served() {
    let site = HttpsSite::new();
    let pebble = pebble(&site, 3600);
    let root = pebble.issuing_root();
    let mut options = site.options(&pebble.directory(), &pebble.server_root());
    let app = site.serve(&options);
    let certificate = site.wait_for_certificate(&root);
    options.insert("domain", "example.com,blog.example.com".to_owned());
    let config = Config::read(&options, None).unwrap();
    assert!(app.live_parts().is_live("domain", &config));
    let changed = ["domain".to_owned()];
    app.live_parts().reconfigure(&config, &changed).unwrap();
    wait_until("the new name has a certificate", || {
        site.connect("blog.example.com", &root).is_ok()
    });
    assert_eq!(site.certificate(&root), certificate);
    let reports = app.certificate_reports().into_iter();
    let names: Vec<String> = reports.flat_map(|report| report.names).collect();
    assert_eq!(names, ["example.com", "blog.example.com"]);
}

#[test]
fn site_is_served_over_http_once_its_certificate_has_expired() {
    let site = HttpsSite::new();
    let mut pebble = pebble(&site, 8);
    let root = pebble.issuing_root();
    let app = site.serve(&site.options(&pebble.directory(), &pebble.server_root()));
    site.wait_for_certificate(&root);
    pebble.stop();
    wait_until("the certificate has expired", || {
        site.get_over_http("/healthz").status == 200
    });
    wait_for_report(&app, "the failure is reported", |report| {
        report.problem.is_some()
    });
    pebble.start_again();
    wait_until("the site has a new certificate", || {
        site.get_over_http("/healthz").status == 301
    });
    sleep(Duration::from_millis(10));
    assert_eq!(app.certificate_reports()[0].problem, None);
}

#[test]
fn temporary_server_of_exec_needs_no_certificate() {
    let site = HttpsSite::new();
    let content = site.folder.path().join("content");
    std::fs::create_dir(&content).unwrap();
    let _taken = TcpListener::bind(site.https).unwrap();
    let run = Command::new(env!("CARGO_BIN_EXE_galley"))
        .args(["-q", "exec", "--", "true"])
        .current_dir(site.folder.path())
        .env("GALLEY_DOMAIN", NAMES)
        .env("GALLEY_TLS_LISTEN", site.https.to_string())
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
}
