//! Tests of `galley webhook`, with and without a running server.

use crate::content_folder::users::run_with;
use galley_tests::{command_line::run, folder::Folder, galley_process::GalleyProcess};

const ADD: [&str; 8] = [
    "webhook",
    "add",
    "--event",
    "site.changed",
    "--url",
    "https://build.example/hook",
    "--integration",
    "My site",
];

fn folder() -> Folder {
    let folder = Folder::new();
    assert_eq!(
        run(&folder, &["key", "create", "--name", "My site"]).code,
        Some(0)
    );
    folder
}

#[test]
fn webhooks_are_added_listed_and_removed_without_a_server() {
    let folder = folder();
    let signed = [&ADD[..], &["--name", "Build", "--secret-stdin", "--json"]].concat();
    let made = run_with(&folder, &signed, "hush-hush");
    assert_eq!(made.code, Some(0), "{}", made.err);
    let made = made.json();
    assert_eq!(made["is_signed"], true);
    let id = made["id"].as_str().expect("an identifier");

    let list = run(&folder, &["webhook", "list"]);

    assert_eq!(
        list.out,
        format!(
            "site.changed to https://build.example/hook\n  {id}, Build, of My site, signed\n  nothing delivered yet\n"
        )
    );
    let listed = run(&folder, &["webhook", "list", "--json"]);
    assert!(!listed.out.contains("hush-hush"), "{}", listed.out);
    assert_eq!(listed.json()[0], made);
    let removed = run(&folder, &["webhook", "remove", id]);
    assert_eq!(removed.code, Some(0), "{}", removed.err);
    assert!(
        removed.out.contains("https://build.example/hook"),
        "{}",
        removed.out
    );
    assert_eq!(run(&folder, &["webhook", "list"]).out, "");
}

#[test]
fn running_server_adds_and_removes_webhooks_immediately() {
    let folder = folder();
    let _served = GalleyProcess::serve(&folder, &["--no-content"]);
    let made = run(&folder, &[&ADD[..], &["--json"]].concat());
    assert_eq!(made.code, Some(0), "{}", made.err);
    let made = made.json();
    assert_eq!(run(&folder, &["webhook", "list", "--json"]).json()[0], made);
    // Revoking the integration's key removes its webhook.
    assert_eq!(run(&folder, &["key", "revoke", "My site"]).code, Some(0));
    assert_eq!(run(&folder, &["webhook", "list"]).out, "");
}

#[test]
fn invalid_webhook_is_rejected_with_a_reason() {
    let folder = folder();
    let refused = |arguments: &[&str], reason: &str| {
        let output = run(&folder, arguments);
        assert_eq!(output.code, Some(1), "{arguments:?}: {}", output.out);
        assert!(output.err.contains(reason), "{arguments:?}: {}", output.err);
    };
    assert_eq!(run(&folder, &ADD).code, Some(0));
    refused(&ADD, "site.changed already exists");
    let with = |event: &'static str, url: &'static str, integration: &'static str| {
        [
            "webhook",
            "add",
            "--event",
            event,
            "--url",
            url,
            "--integration",
            integration,
        ]
    };
    refused(
        &with("Post", "https://a.example/", "My site"),
        "must be in lower case",
    );
    refused(
        &with("post.added", "two words", "My site"),
        "is not a valid URL",
    );
    refused(
        &with("post.added", "https://a.example/", "Unknown"),
        "galley key list",
    );
    refused(&["webhook", "remove", "nothing"], "Webhook not found");
    refused(
        &["webhook", "list", "--data", "elsewhere"],
        "there is no data folder",
    );
}
