//! Tests of a site while no certificate can be obtained.

use std::{fs, net::TcpStream, process::Command, time::Duration};

use galley::{
    app::App,
    certificates::CertificateProblem,
    control::{self, Reply},
    progress::NoProgress,
};
use galley_tests::{http_client::Client, wait_until};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};

use crate::{
    fake_authority::FakeAuthority,
    pebble::{Pebble, PebbleOptions},
    site::{HttpsSite, NAMES, options_with_files, wait_for_report},
};

fn pebble(site: &HttpsSite) -> Pebble {
    Pebble::start(&pebble_options(site))
}

fn pebble_options(site: &HttpsSite) -> PebbleOptions {
    PebbleOptions {
        http_port: site.http.port(),
        tls_port: site.https.port(),
        validity_s: 3600,
    }
}

/// Returns the metrics page.
fn metrics(app: &App) -> String {
    let mut client = Client::new(TcpStream::connect(app.metrics_address().unwrap()).unwrap());
    client.send("GET /metrics HTTP/1.1\r\nhost: localhost\r\n\r\n");
    client.respond().text().to_owned()
}

#[test]
fn site_is_served_over_http_while_the_authority_is_unreachable() {
    let site = HttpsSite::new();
    let mut pebble = pebble(&site);
    pebble.stop();
    let mut options = site.options(&pebble.directory(), &pebble.server_root());
    options.insert("metrics.listen", "127.0.0.1:0".to_owned());
    let app = site.serve(&options);
    let report = wait_for_report(&app, "it is reported", |report| report.failures > 0);
    let problem = report.problem.unwrap();
    assert!(problem.contains("localhost cannot be reached"), "{problem}");
    wait_until("the failure is reported for both names", || {
        let reports = app.certificate_reports();
        reports.iter().all(|report| report.failures > 0)
    });
    assert_reported(&app, &site, &problem);
    assert_eq!(report.expires_at, None);
    assert_eq!(site.get_over_http("/healthz").status, 200);
    assert!(
        site.connect(
            "example.com",
            &std::fs::read_to_string(pebble.server_root()).unwrap()
        )
        .is_err()
    );

    pebble.start_again();
    site.wait_for_certificate(&pebble.issuing_root());
    assert_eq!(site.get_over_http("/healthz").status, 301);
}

#[test]
fn name_that_resolves_elsewhere_is_reported_until_it_resolves_here() {
    let site = HttpsSite::new();
    let pebble = pebble(&site);
    pebble.resolve_to("127.0.0.99");
    let app = site.serve(&site.options(&pebble.directory(), &pebble.server_root()));
    let report = wait_for_report(&app, "it is reported", |report| report.failures > 0);
    let problem = report.problem.unwrap();
    let says_why = problem.starts_with("example.com could not be verified by http-01");
    assert!(says_why && problem.contains("127.0.0.99"), "{problem}");
    assert_eq!(site.get_over_http("/healthz").status, 200);
    assert!(report.next_attempt_at.is_some());

    pebble.resolve_to("127.0.0.1");
    site.wait_for_certificate(&pebble.issuing_root());
    assert_eq!(app.certificate_reports()[0].problem, None);
}

#[test]
fn failed_name_leaves_other_names_on_https() {
    const BAD: &str = "bad.example.com";
    let site = HttpsSite::new();
    let pebble = Pebble::start(&PebbleOptions {
        validity_s: 20,
        ..pebble_options(&site)
    });
    let root = pebble.issuing_root();
    let mut options = site.options(&pebble.directory(), &pebble.server_root());
    drop((site.serve(&options), site.wait_for_certificate(&root)));

    pebble.resolve_name_to(BAD, "127.0.0.99");
    options.insert("domain", format!("{BAD},{NAMES}"));
    options.insert("metrics.listen", "127.0.0.1:0".to_owned());
    let app = site.serve(&options);
    let first = site.certificate(&root);
    let report = wait_for_report(&app, "it is reported", |report| report.failures > 0);
    assert_eq!(
        (report.names, report.expires_at),
        (vec![BAD.to_owned()], None)
    );
    assert!(report.problem.unwrap().contains("127.0.0.99"));
    assert!(report.next_attempt_at.is_some());
    // The failed name is served over http; the others stay on https and are renewed.
    assert_eq!(site.get_over_http_from(BAD, "/healthz").status, 200);
    assert_eq!(site.get_over_http("/healthz").status, 301);
    wait_until("the others are renewed", || {
        site.certificate(&root) != first
    });
    assert_eq!(app.certificate_reports()[1].failures, 0);
    let page = metrics(&app);
    assert!(
        page.contains(
            "\ngalley_certificate_problem{name=\"bad.example.com\",reason=\"not_verified\"} 1\n"
        ),
        "{page}"
    );
    for name in [BAD, "example.com"] {
        let next = format!("galley_certificate_next_attempt_timestamp_seconds{{name=\"{name}\"}} ");
        assert!(page.contains(&next), "{page}");
    }

    pebble.resolve_name_to(BAD, "127.0.0.1");
    wait_until("the name has https", || site.connect(BAD, &root).is_ok());
    assert_eq!(site.get_over_http_from(BAD, "/healthz").status, 301);
    // Now another name fails.
    pebble.resolve_name_to("www.example.com", "127.0.0.99");
    let certificate = site.certificate_of(BAD, &root);
    wait_until("the other name fails", || {
        app.certificate_reports()[2].problem.is_some()
    });
    wait_until("the first name is renewed", || {
        site.certificate_of(BAD, &root) != certificate
    });
}

#[test]
fn rate_limit_is_respected_across_restarts() {
    const PAUSE_S: u64 = 7200;
    let site = HttpsSite::new();
    let authority = FakeAuthority::start(PAUSE_S);
    let options = site.options(&authority.directory(), "");
    let app = site.serve(&options);
    let report = wait_for_report(&app, "it is reported", |report| {
        report.failures > 0
            && report
                .next_attempt_at
                .is_some_and(|next| next > report_time(1))
    });
    assert!(report.problem.unwrap().contains("too many certificates"));
    let next = report.next_attempt_at.unwrap();
    let least = report_time(PAUSE_S - 60);
    assert!(next > least, "{next} is before {least}");
    let waits = |app: &App| {
        let reports = app.certificate_reports();
        let mut times = reports.iter().map(|report| report.next_attempt_at);
        times.all(|next| next > Some(least))
    };
    wait_until("both names wait for the next attempt", || waits(&app));
    assert_eq!(authority.orders(), 2, "one for each name");

    drop(app);
    let app = site.serve(&options);
    wait_until("both names wait after the restart", || waits(&app));
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(authority.orders(), 2, "one for each name");
    assert_eq!(site.get_over_http("/healthz").status, 200);
}

/// Checks that metrics and `galley status` show the problem.
fn assert_reported(app: &App, site: &HttpsSite, problem: &str) {
    let Reply::Status(status) = control::execute(
        app.control_context(),
        &control::Command::Status,
        &NoProgress,
    ) else {
        panic!("the reply is not a status");
    };
    for report in status.certificates {
        assert_eq!(
            (report.problem.as_deref(), report.expires_at),
            (Some(problem), None)
        );
    }
    let data = site.data();
    let printed = Command::new(env!("CARGO_BIN_EXE_galley"))
        .args(["status", "--data", data.to_str().unwrap()])
        .current_dir(site.folder.path())
        .output()
        .unwrap();
    let printed = String::from_utf8(printed.stdout).unwrap();
    assert!(
        printed.contains(problem) && printed.contains("so it is served over http"),
        "{printed}"
    );
    let page = metrics(app);
    assert!(
        page.contains("\ngalley_certificate_failures_total{name=\"www.example.com\"} "),
        "{page}"
    );
    assert!(
        !page.contains("\ngalley_certificate_expiry_timestamp_seconds{"),
        "{page}"
    );
}

/// Returns the time `seconds` from now.
fn report_time(seconds: u64) -> jiff::Timestamp {
    jiff::Timestamp::now() + Duration::from_secs(seconds)
}

#[test]
fn server_that_is_not_an_authority_is_reported() {
    let site = HttpsSite::new();
    let other = HttpsSite::new();
    let app = other.serve(
        &[
            ("data", other.data().to_str().unwrap().to_owned()),
            ("content", String::new()),
            ("listen", other.http.to_string()),
        ]
        .into(),
    );
    let directory = format!("http://localhost:{}/dir", other.http.port());
    let secure = site.serve(&site.options(&directory, ""));
    let report = wait_for_report(&secure, "it is reported", |report| report.failures > 0);
    assert!(report.problem.is_some());
    drop(app);
}

/// Replaces the certificate files of the site. The new certificate is valid from the beginning of the year `from` to the
/// beginning of the year `to`.
fn write_certificate(site: &HttpsSite, (from, to): (i32, i32)) {
    let mut params = CertificateParams::new(["example.com".to_owned()]).unwrap();
    params.not_before = date_time_ymd(from, 1, 1);
    params.not_after = date_time_ymd(to, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    for (name, pem) in [
        ("cert.pem", certificate.pem()),
        ("key.pem", key.serialize_pem()),
    ] {
        fs::write(site.folder.path().join(name), pem).unwrap();
    }
}

#[test]
fn invalid_certificate_is_reported_and_does_not_replace_a_valid_one() {
    let site = HttpsSite::new();
    let mut options = options_with_files(&site);
    options.insert("metrics.listen", "127.0.0.1:0".to_owned());
    write_certificate(&site, (2020, 2090));
    let app = site.serve(&options);
    let expires_in = |year: &str| {
        let report = &app.certificate_reports()[0];
        report.expires_at.unwrap().to_string().starts_with(year)
    };
    assert!(!metrics(&app).contains("\ngalley_certificate_problem{"));

    for (validity, words, kind) in [
        ((2020, 2021), "expired at 2021", CertificateProblem::Expired),
        (
            (2091, 2092),
            "only from 2091",
            CertificateProblem::NotYetValid,
        ),
    ] {
        write_certificate(&site, validity);
        let report = wait_for_report(&app, "the problem is reported", |report| {
            report.problem_kind == Some(kind)
        });
        assert!(report.problem.unwrap().contains(words));
        assert!(expires_in("2090"));
        let code = format!(
            "\ngalley_certificate_problem{{name=\"\",reason=\"{}\"}} 1\n",
            kind.code()
        );
        let page = metrics(&app);
        assert!(page.contains(&code), "{page}");
    }
    write_certificate(&site, (2020, 2080));
    wait_for_report(&app, "the problem is resolved", |report| {
        report.problem.is_none()
    });
    assert!(expires_in("2080"));
    drop(app);

    // At start there is no earlier certificate, so the expired one is used, and reported.
    write_certificate(&site, (2020, 2021));
    let app = site.serve(&options);
    let report = app.certificate_reports().remove(0);
    assert_eq!(report.problem_kind, Some(CertificateProblem::Expired));
    assert!(metrics(&app).contains("reason=\"expired\"} 1\n"));
    assert_eq!(site.get_over_http("/healthz").status, 200);
}

/// The server certificate of the authority is verified with the roots in `tls.acme_root`.
#[test]
fn doctor_compares_the_clock_with_a_private_authority() {
    let site = HttpsSite::new();
    let pebble = pebble(&site);
    let examined = Command::new(env!("CARGO_BIN_EXE_galley"))
        .args(["doctor", "--json"])
        .env("GALLEY_DOMAIN", "example.com")
        .env("GALLEY_LISTEN", "127.0.0.1:0")
        .env("GALLEY_TLS_LISTEN", "127.0.0.1:0")
        .env("GALLEY_TLS_ACME_DIRECTORY", pebble.directory())
        .env("GALLEY_TLS_ACME_ROOT", pebble.server_root())
        .current_dir(site.folder.path())
        .output()
        .unwrap();
    let examined = String::from_utf8(examined.stdout).unwrap();
    let is_compared = format!("the same as that of {}", pebble.directory());
    assert!(examined.contains(&is_compared), "{examined}");
}
