//! Tests of `galley version` and `galley upgrade --check`.

use std::fs;

use galley_tests::{
    command_line::{CommandOutput, run},
    other_site::{OtherSite, raw_response},
};
use serde_json::{Value, json};
use tempfile::TempDir;

fn folder(upgrade_url: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = format!("upgrade.url = \"{upgrade_url}\"\n");
    fs::write(folder.path().join("galley.toml"), options).unwrap();
    folder
}

/// Starts a server with a release document, and returns its URL.
fn serving(status: &'static str, body: String) -> String {
    OtherSite::start(move |_| raw_response(status, "", &body)).at("/release.json")
}

fn check(body: &Value) -> CommandOutput {
    let folder = folder(&serving("200 OK", body.to_string()));
    let output = run(&folder, &["upgrade", "--check"]);
    let names = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 1, "the command must not create files");
    output
}

#[test]
fn version_names_the_target_and_the_formats() {
    let folder = tempfile::tempdir().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let output = run(&folder, &["--version"]);
    assert_eq!(output.stdout(), format!("galley {version}\n"));
    let output = run(&folder, &["version"]);
    assert!(
        output
            .stdout()
            .starts_with(&format!("galley {version} for "))
    );
    let output = run(&folder, &["version", "--json"]);
    let shown: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(shown["version"], version);
    assert_eq!(shown["store_format"], galley::store::FORMAT_VERSION);
    assert_eq!(shown["backup_format"], galley::backup::FORMAT);
    assert!(shown["target"].as_str().unwrap().contains('-'));
    let has_jemalloc = shown["features"] == json!(["jemalloc"]);
    assert_eq!(has_jemalloc, cfg!(feature = "jemalloc"));
    let document = include_str!("../../schema/openapi.json");
    let document: Value = serde_json::from_str(document).unwrap();
    assert_eq!(shown["api_version"], document["info"]["version"]);
}

#[test]
fn newer_release_is_shown_with_its_url() {
    let newest = json!({"version": "99.0.0", "url": "https://example.com/99\u{1b}", "more": 1});
    assert_eq!(
        check(&newest).stdout().to_owned(),
        format!(
            "Galley 99.0.0 is newer than this one, {}: https://example.com/99\\u{{1b}}\n",
            env!("CARGO_PKG_VERSION")
        )
    );
    let newest = json!({"version": "99.0.0", "store_format": galley::store::FORMAT_VERSION + 1});
    assert!(
        check(&newest)
            .stdout()
            .to_owned()
            .contains("changes the format of the store")
    );

    let folder = folder(&serving("200 OK", newest.to_string()));
    let output = run(&folder, &["upgrade", "--check", "--json"]);
    let shown: Value = serde_json::from_str(output.stdout()).unwrap();
    let expected = json!({
        "current": env!("CARGO_PKG_VERSION"),
        "newest": "99.0.0",
        "is_newer": true,
        "url": null,
        "changes_store": true,
    });
    assert_eq!(shown, expected);
}

#[test]
fn same_older_and_pre_releases_are_not_newer() {
    let own = env!("CARGO_PKG_VERSION");
    for version in [own, "0.0.9", &format!("{own}-rc.1"), &format!("{own}+7")] {
        let output = check(&json!({"version": version}));
        assert!(
            output.stdout().contains("is the newest release"),
            "{version}"
        );
    }
}

#[test]
fn wrong_responses_are_refused() {
    for version in ["", "1", "1.2", "1.2.x", "1.2.3.4", "99.0.0-\u{1b}[2J"] {
        let output = check(&json!({"version": version}));
        assert_eq!(output.code, Some(1), "{version}");
        assert!(output.err.contains("invalid version"), "{version}");
        assert!(!output.err.contains('\u{1b}'));
    }
    let long = json!({"version": "99.0.0", "url": "x".repeat(2 << 20)});
    for (status, body) in [
        ("200 OK", "no JSON".to_owned()),
        ("200 OK", "{}".to_owned()),
        ("200 OK", long.to_string()),
        ("404 Not Found", "{}".to_owned()),
    ] {
        let folder = folder(&serving(status, body));
        let output = run(&folder, &["upgrade", "--check"]);
        assert_eq!(output.code, Some(1));
        assert!(output.err.contains("cannot read http"), "{}", output.err);
    }
}

#[test]
fn releases_are_requested_only_from_a_configured_https_url() {
    let without = tempfile::tempdir().unwrap();
    let output = run(&without, &["upgrade", "--check"]);
    assert!(output.err.contains("set upgrade.url"), "{}", output.err);
    for url in ["http://example.com/release.json", "ftp://127.0.0.2x/"] {
        let output = run(&folder(url), &["upgrade", "--check"]);
        assert!(output.err.contains("upgrade.url"), "{}", output.err);
        assert_eq!(output.code, Some(1));
    }
    let output = run(&without, &["upgrade"]);
    assert_eq!(output.code, Some(2), "only --check is supported");
}
