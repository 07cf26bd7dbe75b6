//! Tests of the delivery log on the command line, with and without a server.

use std::path::Path;

use galley_tests::{
    command_line::run_on_data,
    galley_process::GalleyProcess,
    wait_for,
    webhook_receiver::{Reaction, WebhookReceiver},
};
use serde_json::Value;

fn output(folder: &Path, arguments: &[&str]) -> String {
    run_on_data(folder, arguments).stdout().to_owned()
}

/// Repeats a command until its output fulfils a condition, and returns the output.
fn wait_for_output(folder: &Path, arguments: &[&str], is_wanted: impl Fn(&Value) -> bool) -> Value {
    let read = || serde_json::from_str(&output(folder, arguments)).unwrap();
    wait_for(&format!("{arguments:?}"), read, is_wanted)
}

#[test]
fn webhook_log_shows_outcomes_and_retries_deliveries() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::HttpResponse(500, &[], "no room"));
    output(folder, &["key", "create", "--name", "CI"]);
    let url = receiver.url();
    let add = ["webhook", "add", "--event", "site.changed", "--url", &url];
    let added = output(
        folder,
        &[&add[..], &["--integration", "CI", "--json"]].concat(),
    );
    let added: Value = serde_json::from_str(&added).unwrap();
    let webhook = added["id"].as_str().unwrap();
    assert_eq!(output(folder, &["webhook", "log"]), "");
    let process = GalleyProcess::start(folder, &[("GALLEY_PRIVATE_RECEIVERS", "true")]);
    publish_something(folder);

    let command = ["webhook", "log", webhook, "--json"];
    let log = wait_for_output(folder, &command, |log| log[0]["attempt_count"] == 1);

    assert_eq!(log[0]["state"], "waiting");
    assert_eq!(log[0]["attempts"][0]["status"], 500);
    let name = log[0]["id"].as_str().unwrap();
    let text = output(folder, &["webhook", "log"]);
    assert!(
        text.contains(&format!("{name} site.changed: waiting\n")),
        "{text}"
    );
    assert!(
        text.contains("the receiver responded with 500: no room"),
        "{text}"
    );
    let listed = output(folder, &["webhook", "list"]);
    assert!(listed.contains("  1 waiting\n"), "{listed}");

    receiver.react(|_| Reaction::HttpResponse(200, &[], "thanks"));
    let again = output(folder, &["webhook", "retry", name]);

    assert_eq!(again, format!("{name} is delivered again.\n"));
    let log = wait_for_output(folder, &command, |log| log[0]["state"] == "delivered");
    assert_eq!(log[0]["answer"]["body"], "thanks");
    process.kill();
    // A retry that is requested without a running server is performed after the next start.
    output(folder, &["webhook", "retry", name]);
    let waiting: Value = serde_json::from_str(&output(folder, &command)).unwrap();
    assert_eq!(waiting[0]["state"], "waiting");
    let refused = run_on_data(folder, &["webhook", "retry", "something"]);
    let errors = &refused.err;
    assert!(
        errors.contains("Delivery \"something\" not found."),
        "{errors}"
    );
    let refused = run_on_data(folder, &["webhook", "log", "something"]);
    let errors = &refused.err;
    assert!(errors.contains("Webhook not found."), "{errors}");
}

#[test]
fn url_that_cannot_be_requested_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    output(folder, &["key", "create", "--name", "Bot"]);
    for (url, reason) in [
        ("http://127.0.0.1:384750/", "invalid port"),
        ("bot.example", "relative URL"),
        ("ftp://bot.example/", "not at ftp"),
    ] {
        let add = [
            "webhook",
            "add",
            "--event",
            "tag.added",
            "--integration",
            "Bot",
            "--url",
            url,
        ];
        let refused = run_on_data(folder, &add);
        let errors = &refused.err;
        assert!(
            !refused.is_success() && errors.contains(url) && errors.contains(reason),
            "{url}: {errors}"
        );
    }
    assert_eq!(output(folder, &["webhook", "list", "--json"]).trim(), "[]");
}

#[test]
fn unknown_event_is_refused_with_the_nearest_name() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    output(folder, &["key", "create", "--name", "Bot"]);
    let url = "https://bot.example/";
    let add = [
        "webhook",
        "add",
        "--integration",
        "Bot",
        "--url",
        url,
        "--event",
    ];
    let refused = run_on_data(folder, &[&add[..], &["site.chagned"]].concat());
    let errors = &refused.err;
    assert!(
        !refused.is_success()
            && errors.contains("Did you mean site.changed?")
            && errors.contains("member.added"),
        "{errors}"
    );
    assert_eq!(output(folder, &["webhook", "list", "--json"]).trim(), "[]");
}

/// Imports a post, which changes the site for readers.
fn publish_something(folder: &Path) {
    let texts = folder.join("texts");
    std::fs::create_dir(&texts).unwrap();
    std::fs::write(texts.join("news.md"), "---\ntitle: News\n---\n\nText.\n").unwrap();
    output(folder, &["import", "texts"]);
}
