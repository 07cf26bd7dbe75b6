//! Tests of the checks of this machine: configuration, data folder, site, clock, ports and certificates.

use std::{
    fs::{self, File, Permissions},
    net::TcpListener,
    os::unix::fs::{FileExt, PermissionsExt, chown},
    path::Path,
    time::{Duration, SystemTime},
};

use galley_tests::{
    command_line::{run_mounted, run_on_data},
    folder::Folder,
    galley_process::GalleyProcess,
    other_site::{OtherSite, raw_response},
};
use rcgen::{CertificateParams, KeyPair, date_time_ymd};

use super::{Report, configured, examine, with_site};

/// Options of a site that listens on any free port, so that tests do not affect each other.
const ANY_PORT: &str = "listen = \"127.0.0.1:0\"\n";

#[test]
fn invalid_configuration_reports_all_its_errors_and_skips_other_checks() {
    let folder = configured("listne = \"a\"\n\n[server]\nbody_kb = 0\n");

    let report = examine(&folder, &[]);

    assert_eq!(report.code, Some(1));
    report.assert("configuration", "error", &["galley.toml:1:1", "listne"]);
    report.assert("configuration", "error", &["galley.toml:4:1", "body_kb"]);
    for check in galley::doctor::CHECKS.iter().skip(1) {
        report.assert(check.name, "skipped", &["configuration is invalid"]);
    }
}

#[test]
fn usual_site_has_no_errors() {
    let folder = with_site(ANY_PORT);

    let report = examine(&folder, &[]);

    assert_eq!((report.code, &report.json["errors"]), (Some(0), &0.into()));
    report.assert("configuration", "ok", &["valid"]);
    report.assert("site", "ok", &["not being served", "whole"]);
    report.assert("ports", "ok", &["listen"]);
    report.assert("clock", "ok", &["plausible"]);
    report.assert("backups", "warning", &["backup.to is not set"]);
    for check in [
        "database",
        "domains",
        "certificates",
        "mail server",
        "mail sender",
        "webhooks",
        "repository",
        "front end",
        "release",
    ] {
        report.assert(check, "skipped", &[]);
    }
}

#[test]
fn text_report_has_a_line_for_each_finding_and_advice_below() {
    let folder = with_site(ANY_PORT);

    let output = run_on_data(&folder, &["doctor"]);

    assert!(output.is_success(), "{}", output.err);
    let lines: Vec<&str> = output.out.lines().collect();
    let warning = lines
        .iter()
        .position(|line| line.starts_with("warning  backups: "));
    let warning = warning.expect("a warning");
    assert!(lines[warning + 1].starts_with("         Set backup.to "));
    assert!(
        lines.contains(&"ok       configuration: valid"),
        "{lines:?}"
    );
    assert!(lines.last().unwrap().starts_with("0 errors, "), "{lines:?}");
    assert_eq!(run_on_data(&folder, &["--quiet", "doctor"]).stdout(), "");
}

#[test]
fn missing_data_folder_and_a_file_with_its_name_are_reported() {
    let folder = configured(ANY_PORT);
    let report = examine(&folder, &[]);
    report.assert("data folder", "warning", &["does not exist"]);
    report.assert("site", "skipped", &["none yet"]);

    fs::write(folder.data(), "").unwrap();
    examine(&folder, &[]).assert("data folder", "error", &["not a folder"]);
}

#[test]
fn data_folder_accessible_to_others_is_reported() {
    let folder = with_site(ANY_PORT);
    fs::set_permissions(folder.data(), Permissions::from_mode(0o755)).unwrap();
    examine(&folder, &[]).assert("data folder", "warning", &["other users"]);
}

#[test]
fn file_of_another_user_in_the_data_folder_is_reported() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = with_site(ANY_PORT);
    chown(folder.data().join("galley.redb"), Some(12_345), None).unwrap();
    let report = examine(&folder, &[]);
    report.assert(
        "data folder",
        "error",
        &["galley.redb", "the owner of its folder"],
    );
}

/// Runs the command after shell commands that mount file systems; `None` if this user may not mount file systems.
fn examine_mounted(folder: &Folder, mounts: &str) -> Option<Report> {
    let arguments = ["--data", "data", "doctor", "--json"];
    run_mounted(folder, mounts, &arguments).map(|output| Report::of(&output))
}

#[test]
fn full_read_only_and_unsuitable_disks_are_reported() {
    let folder = with_site(ANY_PORT);
    let small =
        "cp -a data copy && mount -t tmpfs -o size=8m,mode=700 none data && cp -a copy/. data/";
    let Some(report) = examine_mounted(&folder, small) else {
        return;
    };
    report.assert("data folder", "error", &["free on the disk"]);
    report.assert("data folder", "warning", &["tmpfs", "in memory"]);

    let read_only = "mount --bind data data && mount -o remount,bind,ro data";
    let report = examine_mounted(&folder, read_only).unwrap();
    report.assert("data folder", "error", &["read-only"]);
    report.assert("site", "ok", &["whole"]);
}

#[test]
fn damaged_store_is_reported() {
    let folder = with_site(ANY_PORT);
    let store = File::options()
        .write(true)
        .open(folder.data().join("galley.redb"))
        .unwrap();
    let length = store.metadata().unwrap().len();
    for offset in (4096..length).step_by(512) {
        store.write_all_at(&[0xa5; 64], offset).unwrap();
    }

    let report = examine(&folder, &[]);

    report.assert("site", "error", &["damaged"]);
    report.assert("webhooks", "skipped", &["cannot be read"]);
    assert_eq!(report.code, Some(1));
}

#[test]
fn running_server_is_queried_and_continues() {
    let folder = with_site("");
    let served = GalleyProcess::serve(&folder, &["--no-content"]);
    let listen = format!("listen = \"{}\"\n", served.address());
    fs::write(folder.top().join("galley.toml"), listen).unwrap();

    let report = examine(&folder, &[]);

    report.assert("site", "ok", &["served by Galley", "revision"]);
    report.assert("ports", "ok", &["accepts connections"]);
    assert!(served.is_running());

    // The command reads an option that the server does not have.
    let free = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap();
    fs::write(
        folder.top().join("galley.toml"),
        format!("listen = \"{free}\"\n"),
    )
    .unwrap();
    let report = examine(&folder, &[]);
    report.assert("ports", "warning", &["accepts no connections"]);
}

#[test]
fn port_in_use_and_address_of_another_machine_are_reported() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    let folder = configured(&format!("listen = \"{address}\"\n"));
    examine(&folder, &[]).assert("ports", "error", &["in use"]);

    let folder = configured("listen = \"192.0.2.7:2368\"\n");
    examine(&folder, &[]).assert("ports", "error", &["192.0.2.7:2368"]);
}

#[test]
fn moved_data_folder_is_named_as_a_cause_of_a_port_in_use() {
    let folder = with_site("");
    let served = GalleyProcess::serve(&folder, &["--no-content"]);
    let listen = format!("listen = \"{}\"\n", served.address());
    fs::write(folder.top().join("galley.toml"), listen).unwrap();
    fs::rename(folder.data(), folder.top().join("moved")).unwrap();

    let report = examine(&folder, &[]);

    report.assert("ports", "error", &["in use"]);
    let findings = report.json["findings"].as_array().unwrap();
    let ports = findings.iter().find(|finding| finding["check"] == "ports");
    let advice = ports.unwrap()["advice"].as_str().unwrap();
    assert!(advice.contains("was moved"), "{advice}");
}

#[test]
fn clock_behind_the_files_and_behind_another_server_is_reported() {
    let folder = with_site(ANY_PORT);
    let tomorrow = SystemTime::now() + Duration::from_secs(86_400);
    let store = File::open(folder.data().join("galley.redb")).unwrap();
    store.set_modified(tomorrow).unwrap();
    examine(&folder, &[]).assert("clock", "error", &["galley.redb", "behind"]);

    for (seconds, verdict, part) in [
        (0, "ok", "the same"),
        (90, "warning", "behind"),
        (7200, "error", "behind"),
    ] {
        let other = OtherSite::start(move |_| {
            let date = SystemTime::now() + Duration::from_secs(seconds);
            let date = format!("date: {}\r\n", httpdate::fmt_http_date(date));
            raw_response("200 OK", &date, "{}")
        });
        let options = format!("{ANY_PORT}upgrade.url = \"{}\"\n", other.at("/"));
        let folder = with_site(&options);
        examine(&folder, &[]).assert("clock", verdict, &[part]);
    }
}

/// Asserts that the advice of the first finding about certificates contains these words.
fn assert_advice(report: &Report, words: &str) {
    let findings = report.json["findings"].as_array().unwrap();
    let mut findings = findings.iter();
    let finding = findings.find(|finding| finding["check"] == "certificates");
    let advice = finding.unwrap()["advice"].as_str().unwrap();
    assert!(advice.contains(words), "{advice}");
}

/// Writes a certificate for `harbour.example` that is valid until the beginning of the year `end`, and its key.
fn write_certificate(folder: &Path, end: i32) {
    write_certificate_from(folder, 2020, end);
}

/// Writes a certificate that is valid from the beginning of the year `begin` until the beginning of the year `end`, and its
/// key.
fn write_certificate_from(folder: &Path, begin: i32, end: i32) {
    let mut params = CertificateParams::new(["harbour.example".to_owned()]).unwrap();
    params.not_before = date_time_ymd(begin, 1, 1);
    params.not_after = date_time_ymd(end, 1, 1);
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    fs::write(folder.join("cert.pem"), certificate.pem()).unwrap();
    fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
}

#[test]
fn expired_missing_and_wrong_certificates_are_reported() {
    const OF_FILES: &str = "domain = [\"harbour.example\"]\nlisten = \"127.0.0.1:0\"\n[tls]\nlisten = \"127.0.0.1:0\"\ncert = \"cert.pem\"\nkey = \"key.pem\"\n";
    // No name server listens on this address.
    const NO_DNS: &[&str] = &["--dns", "127.0.0.1:1"];
    let folder = with_site(OF_FILES);
    examine(&folder, NO_DNS).assert("certificates", "error", &["cert.pem"]);
    write_certificate(folder.top(), 2020 + 1);
    examine(&folder, NO_DNS).assert("certificates", "error", &["harbour.example", "expired"]);
    assert_advice(&examine(&folder, NO_DNS), "Renew it");
    write_certificate_from(folder.top(), 2090, 2099);
    let early = examine(&folder, NO_DNS);
    early.assert("certificates", "error", &["only from 2090"]);
    assert_advice(&early, "clock");
    write_certificate(folder.top(), 2099);
    examine(&folder, NO_DNS).assert("certificates", "ok", &["harbour.example", "expires 2099"]);
    let other = OF_FILES.replace("harbour", "quay");
    fs::write(folder.top().join("galley.toml"), other).unwrap();
    examine(&folder, NO_DNS).assert("certificates", "error", &["quay.example"]);

    let of_authority = "domain = [\"harbour.example\"]\nlisten = \"127.0.0.1:0\"\n[tls]\nlisten = \"127.0.0.1:0\"\nacme_directory = \"http://127.0.0.1:1/\"\n";
    let folder = with_site(of_authority);
    let report = examine(&folder, NO_DNS);
    report.assert(
        "certificates",
        "warning",
        &["harbour.example", "there is none"],
    );
}

#[test]
fn missing_uploads_folder_is_reported_and_refused_at_start() {
    let folder = with_site(ANY_PORT);
    let options = format!("{ANY_PORT}[uploads]\nfolder = \"nowhere\"\n");
    fs::write(folder.top().join("galley.toml"), options).unwrap();

    examine(&folder, &[]).assert("uploads", "error", &["cannot read nowhere"]);
    let served = run_on_data(&folder, &["serve"]);
    assert!(!served.is_success());
    let message = "there is no folder nowhere for uploads";
    assert!(served.err.contains(message), "{}", served.err);
    // `galley check` checks content on any machine, so the folder may be missing.
    let checked = run_on_data(&folder, &["check"]);
    assert!(checked.is_success(), "{}", checked.err);
}

#[test]
fn bucket_without_a_key_fails_only_commands_that_use_it() {
    let folder = with_site(&format!("{ANY_PORT}[backup]\nto = \"s3://harbour/site\"\n"));

    let missing = "set backup.access_key and backup.secret_key";
    let report = examine(&folder, &[]);
    report.assert("configuration", "warning", &[missing]);
    report.assert("backups", "skipped", &[missing]);
    let status = run_on_data(&folder, &["status"]);
    assert!(status.is_success(), "{}", status.err);
    let check = run_on_data(&folder, &["check"]);
    assert!(check.is_success(), "{}", check.err);
    let serve = run_on_data(&folder, &["serve"]);
    assert!(!serve.is_success());
    assert!(serve.err.contains(missing), "{}", serve.err);
}
