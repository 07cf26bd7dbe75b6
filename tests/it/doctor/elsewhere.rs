//! Tests of the checks of other services: database, webhooks, repository, backups, front end and releases.

use std::fs;

use galley_tests::{
    command_line::{output, run_on_data},
    folder::post,
    galley_process::GalleyProcess,
    other_site::{OtherSite, raw_response},
    wait_until,
};
use jiff::{Timestamp, ToSpan};

use super::{configured, examine, with_site};
use crate::repository::{
    host::Host,
    origin::{Origin, site_of},
};

const ANY_PORT: &str = "listen = \"127.0.0.1:0\"\n";

#[test]
fn unreachable_database_is_an_error() {
    let folder = configured(&format!(
        "{ANY_PORT}store.url = \"postgres://galley:secret@127.0.0.1:1/galley\"\nuploads.folder = \"content\"\n"
    ));
    let report = examine(&folder, &[]);
    report.assert("database", "error", &["postgres://127.0.0.1:1/galley"]);
    report.assert("site", "skipped", &["postgres://127.0.0.1:1/galley"]);
    assert!(!report.json.to_string().contains("secret"));
}

#[test]
fn webhook_whose_receiver_fails_is_an_error_even_without_a_server() {
    let folder = with_site(ANY_PORT);
    let served = GalleyProcess::start(folder.top(), &[("GALLEY_PRIVATE_RECEIVERS", "true")]);
    let add = [
        "webhook",
        "add",
        "--event",
        "post.added",
        "--url",
        "http://127.0.0.1:1/hook",
        "--integration",
        "First",
    ];
    let added = run_on_data(&folder, &add);
    assert!(added.is_success(), "{}", added.err);
    examine(&folder, &[]).assert("webhooks", "ok", &["the last delivery of each succeeded"]);

    folder.write("posts/first.md", post("First", "text"));
    let list = ["webhook", "list", "--json"];
    wait_until("the delivery fails", || {
        run_on_data(&folder, &list).json()[0]["last_triggered_error"].is_string()
    });

    let parts = ["post.added", "http://127.0.0.1:1/hook", "wait"];
    examine(&folder, &[]).assert("webhooks", "error", &parts);
    served.terminate();
    examine(&folder, &[]).assert("webhooks", "error", &parts);
}

#[test]
fn repository_must_have_the_branch_and_accept_pushes_if_edits_are_pushed() {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let folder = site_of(&origin.url(), 3600, "");
    let head = origin.head();
    examine(&folder, &[]).assert("repository", "ok", &["can be read", &head[..9]]);

    let folder = site_of(&origin.url(), 3600, "branch = \"draft\"");
    examine(&folder, &[]).assert("repository", "error", &["no branch draft"]);

    let host = Host::serve(origin.top(), Some("token"));
    let url = host.url("site.git");
    let pushes = "token = \"token\"\n[source]\nwrite_back = \"push\"";
    let folder = site_of(&url, 3600, pushes);
    examine(&folder, &[]).assert("repository", "ok", &["accepts pushes"]);
    assert_eq!(
        origin
            .git(&["ls-remote", "--heads", "origin"])
            .lines()
            .count(),
        1
    );

    host.refuse_pushes(403);
    examine(&folder, &[]).assert("repository", "error", &["trying to push", "403"]);

    let folder = site_of(&url, 3600, "token = \"wrong\"");
    let report = examine(&folder, &[]);
    report.assert("repository", "error", &["querying the repository"]);
    assert!(!report.json.to_string().contains("wrong"));
}

#[test]
fn missing_old_and_unreachable_backups_are_reported() {
    let folder = with_site(&format!(
        "{ANY_PORT}[backup]\nto = \"backups\"\nevery = \"24h\"\n"
    ));
    examine(&folder, &[]).assert("backups", "warning", &["there is none in"]);
    output(&folder, &["--data", "data", "backup", "--quiet"]);
    examine(&folder, &[]).assert("backups", "ok", &["1 in", "minutes old"]);

    let backups = folder.top().join("backups");
    for backup in fs::read_dir(&backups).unwrap().flatten() {
        let old = Timestamp::now() - (24 * 9).hours();
        let name = format!("galley-{}.galley.zip", old.strftime("%Y%m%dT%H%M%SZ"));
        fs::rename(backup.path(), backups.join(name)).unwrap();
    }
    examine(&folder, &[]).assert("backups", "error", &["9 days old"]);

    // The object of a regular backup, whose name contains the time.
    let now = Timestamp::now().strftime("%Y%m%dT%H%M%SZ");
    fs::create_dir(backups.join("segments")).unwrap();
    let name = format!("segments/{now}-{}.jsonl.gz", "a".repeat(64));
    fs::write(backups.join(name), "").unwrap();
    examine(&folder, &[]).assert("backups", "ok", &["2 in", "0 minutes old"]);

    fs::remove_dir_all(&backups).unwrap();
    fs::write(&backups, "").unwrap();
    examine(&folder, &[]).assert("backups", "error", &["backups"]);
}

#[test]
fn front_end_must_respond() {
    for (status, verdict) in [
        ("200 OK", "ok"),
        ("404 Not Found", "warning"),
        ("502 Bad Gateway", "error"),
    ] {
        let other = OtherSite::start(move |_| raw_response(status, "", "page"));
        let folder = configured(&format!("{ANY_PORT}front_end = \"{}\"\n", other.at("")));
        examine(&folder, &[]).assert("front end", verdict, &[&status[..3]]);
    }
    let folder = configured(&format!("{ANY_PORT}front_end = \"http://127.0.0.1:1\"\n"));
    examine(&folder, &[]).assert("front end", "error", &["127.0.0.1:1"]);
}

#[test]
fn newer_release_and_unreadable_release_document_are_warnings() {
    for (document, verdict, part) in [
        (r#"{"version": "0.0.1"}"#, "ok", "is the newest"),
        (r#"{"version": "99.0.0"}"#, "warning", "99.0.0 is newer"),
        ("nothing", "warning", "cannot read"),
    ] {
        let other = OtherSite::start(move |_| raw_response("200 OK", "", document));
        let folder = configured(&format!(
            "{ANY_PORT}upgrade.url = \"{}\"\n",
            other.at("/release.json")
        ));
        examine(&folder, &[]).assert("release", verdict, &[part]);
    }
}
