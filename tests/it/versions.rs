//! Tests of `galley version` and `galley upgrade --check`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    process::{Command, Output},
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;

fn galley(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_galley"))
        .current_dir(folder.path())
        .env_remove("GALLEY_CONFIG")
        .args(arguments)
        .output()
        .unwrap()
}

fn folder(upgrade_url: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let options = format!("upgrade.url = \"{upgrade_url}\"\n");
    fs::write(folder.path().join("galley.toml"), options).unwrap();
    folder
}

/// Starts a server that responds once, and returns its URL.
fn serving(status: &str, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        while !lines.next().unwrap().unwrap().is_empty() {}
        // The client does not read all of a long body.
        let _ = stream.write_all((head + &body).as_bytes());
    });
    format!("http://{address}/release.json")
}

fn check(body: &Value) -> Output {
    let folder = folder(&serving("200 OK", body.to_string()));
    let said = galley(&folder, &["upgrade", "--check"]);
    let names = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(names, 1, "nothing is installed or created");
    said
}

fn output(said: &Output) -> &str {
    assert!(said.status.success(), "{}", errors(said));
    str::from_utf8(&said.stdout).unwrap()
}

fn errors(said: &Output) -> &str {
    str::from_utf8(&said.stderr).unwrap()
}

#[test]
fn version_names_the_target_and_the_formats() {
    let folder = tempfile::tempdir().unwrap();
    let version = env!("CARGO_PKG_VERSION");
    let said = galley(&folder, &["--version"]);
    assert_eq!(output(&said), format!("galley {version}\n"));
    let said = galley(&folder, &["version"]);
    assert!(output(&said).starts_with(&format!("galley {version} for ")));
    let said = galley(&folder, &["version", "--json"]);
    let shown: Value = serde_json::from_str(output(&said)).unwrap();
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
        output(&check(&newest)),
        format!(
            "Galley 99.0.0 is newer than this one, {}: https://example.com/99\\u{{1b}}\n",
            env!("CARGO_PKG_VERSION")
        )
    );
    let newest = json!({"version": "99.0.0", "store_format": galley::store::FORMAT_VERSION + 1});
    assert!(output(&check(&newest)).contains("changes the format of the store"));

    let folder = folder(&serving("200 OK", newest.to_string()));
    let said = galley(&folder, &["upgrade", "--check", "--json"]);
    let shown: Value = serde_json::from_str(output(&said)).unwrap();
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
        let said = check(&json!({"version": version}));
        assert!(output(&said).contains("is the newest release"), "{version}");
    }
}

#[test]
fn wrong_responses_are_refused() {
    for version in ["", "1", "1.2", "1.2.x", "1.2.3.4", "99.0.0-\u{1b}[2J"] {
        let said = check(&json!({"version": version}));
        assert_eq!(said.status.code(), Some(1), "{version}");
        assert!(errors(&said).contains("invalid version"), "{version}");
        assert!(!errors(&said).contains('\u{1b}'));
    }
    let long = json!({"version": "99.0.0", "url": "x".repeat(2 << 20)});
    for (status, body) in [
        ("200 OK", "no JSON".to_owned()),
        ("200 OK", "{}".to_owned()),
        ("200 OK", long.to_string()),
        ("404 Not Found", "{}".to_owned()),
    ] {
        let folder = folder(&serving(status, body));
        let said = galley(&folder, &["upgrade", "--check"]);
        assert_eq!(said.status.code(), Some(1));
        assert!(
            errors(&said).contains("cannot read http"),
            "{}",
            errors(&said)
        );
    }
}

#[test]
fn releases_are_asked_for_only_where_it_is_set_and_over_https() {
    let without = tempfile::tempdir().unwrap();
    let said = galley(&without, &["upgrade", "--check"]);
    assert!(
        errors(&said).contains("set upgrade.url"),
        "{}",
        errors(&said)
    );
    for url in ["http://example.com/release.json", "ftp://127.0.0.2x/"] {
        let said = galley(&folder(url), &["upgrade", "--check"]);
        assert!(errors(&said).contains("upgrade.url"), "{}", errors(&said));
        assert_eq!(said.status.code(), Some(1));
    }
    let said = galley(&without, &["upgrade"]);
    assert_eq!(said.status.code(), Some(2), "nothing but a check exists");
}
