//! Tests of push webhooks, and of pulls on request.

use std::{
    thread,
    time::{Duration, Instant},
};

use data_encoding::BASE64;
use galley_tests::{
    command_line::run,
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use serde_json::Value;

use super::{
    origin::{Origin, site_of},
    requests::{authorization, digest, send, signature},
};

const SECRET: &str = "whsec_c2VjcmV0";
const JSON: &str = "Content-Type: application/json";
const PUSHED: &str = r#"{"ref":"refs/heads/main"}"#;

/// Starts a site that polls its repository only once an hour, and accepts push webhooks.
fn site() -> (Origin, Folder, GalleyProcess) {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let folder = site_of(&origin.url(), 3600, &format!("secret = \"{SECRET}\""));
    let served = GalleyProcess::serve(&folder, &[]);
    (origin, folder, served)
}

#[test]
fn push_webhook_of_every_host_updates_within_two_seconds() {
    let (origin, _folder, served) = site();
    let form = "payload=%7B%22ref%22%3A%22refs%2Fheads%2Fmain%22%7D";
    let signed = signature(SECRET, PUSHED);
    let github = format!("X-Hub-Signature-256: sha256={signed}");
    let of_form = format!("X-Hub-Signature-256: sha256={}", signature(SECRET, form));
    let now = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("a time")
        .as_secs();
    let standard = digest(b"secret", format!("1.{now}.{PUSHED}").as_bytes());
    let standard = format!("webhook-signature: v1,{}", BASE64.encode(&standard));
    let at = format!("webhook-timestamp: {now}");
    let token = format!("X-Gitlab-Token: {SECRET}");
    let gitea = format!("X-Gitea-Signature: {signed}");
    let forgejo = format!("X-Forgejo-Signature: {signed}");
    let urlencoded = "Content-Type: application/x-www-form-urlencoded";
    let webhooks: [(&str, &[&str], &str); 6] = [
        ("GitHub", &["X-GitHub-Event: push", JSON, &github], PUSHED),
        (
            "GitHub, as a form",
            &["X-GitHub-Event: push", urlencoded, &of_form],
            form,
        ),
        (
            "GitLab",
            &["X-Gitlab-Event: Push Hook", JSON, &token],
            PUSHED,
        ),
        (
            "GitLab, signed",
            &[
                "X-Gitlab-Event: Push Hook",
                JSON,
                "webhook-id: 1",
                &at,
                &standard,
            ],
            PUSHED,
        ),
        (
            "Gitea",
            &[
                "X-Gitea-Event: push",
                "X-GitHub-Event: push",
                JSON,
                &gitea,
                &github,
            ],
            PUSHED,
        ),
        (
            "Forgejo",
            &["X-Forgejo-Event: push", JSON, &forgejo, &gitea, &github],
            PUSHED,
        ),
    ];
    for (host, fields, body) in webhooks {
        origin.push(&[("posts/first.md", &post(host, ""))], host);
        let pushed = Instant::now();
        let (status, response) = send(&served, "POST", "git/push/", fields, body);
        assert_eq!(
            (status, &response["push"]["outcome"]),
            (202, &Value::from("accepted")),
            "{host}"
        );
        served.wait_for_titles(|titles| titles == [host]);
        assert!(
            pushed.elapsed() < Duration::from_secs(2),
            "{host}: {:?}",
            pushed.elapsed()
        );
    }
}

#[test]
fn unsigned_or_unrelated_webhooks_change_nothing() {
    let (origin, _folder, served) = site();
    origin.push(&[("posts/second.md", &post("Second", ""))], "Second");
    let send = |fields: &[&str], body: &str| {
        let (status, response) = send(&served, "POST", "git/push/", fields, body);
        (
            status,
            response["push"]["outcome"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        )
    };
    let right = signature(SECRET, PUSHED);
    let of = |signature: &str| format!("X-Hub-Signature-256: sha256={signature}");
    assert_eq!(send(&[JSON], PUSHED).0, 401);
    for wrong in [
        of(&signature("wrong", PUSHED)),
        of(&right[..32]),
        of(&right[..63]),
        of(""),
        format!("X-Hub-Signature-256: {right}"),
        format!("X-Gitea-Signature: {}", &right[2..]),
        format!("X-Gitlab-Token: {}", &SECRET[..8]),
        "webhook-signature: v1,".to_owned(),
    ] {
        assert_eq!(send(&[JSON, &wrong], PUSHED).0, 401, "{wrong}");
    }
    // A valid signature of another body.
    assert_eq!(
        send(&[JSON, &of(&right)], r#"{"ref":"refs/heads/main"} "#).0,
        401
    );
    let other = r#"{"ref":"refs/heads/draft"}"#;
    let token = format!("X-Gitlab-Token: {SECRET}");
    assert_eq!(send(&[JSON, &token], other), (200, "ignored".to_owned()));
    assert_eq!(
        send(&[JSON, &token, "X-GitHub-Event: ping"], "{}"),
        (200, "ignored".to_owned())
    );
    assert_eq!(send(&[JSON, &token], "not JSON").0, 400);
    // Longer than the bodies that anonymous clients may send to other endpoints.
    let long = format!(
        r#"{{"ref":"refs/heads/draft","commits":"{}"}}"#,
        "x".repeat(4 << 20)
    );
    assert_eq!(send(&[JSON, &token], &long), (200, "ignored".to_owned()));
    thread::sleep(Duration::from_millis(300));
    assert_eq!(served.titles(), ["First"]);
}

/// A replayed copy of a genuine delivery makes Galley fetch the repository and does nothing else, however often it is sent.
#[test]
fn replayed_webhook_does_not_revert_commits() {
    let (origin, _folder, served) = site();
    let signed = format!("X-Hub-Signature-256: sha256={}", signature(SECRET, PUSHED));
    let replay = || {
        let fields = [
            "X-GitHub-Event: push",
            "X-GitHub-Delivery: 7",
            JSON,
            &signed,
        ];
        send(&served, "POST", "git/push/", &fields, PUSHED).0
    };
    origin.push(&[("posts/first.md", &post("Then", ""))], "Then");
    assert_eq!(replay(), 202);
    served.wait_for_titles(|titles| titles == ["Then"]);
    origin.push(&[("posts/first.md", &post("Now", ""))], "Now");
    assert_eq!(replay(), 202);
    served.wait_for_titles(|titles| titles == ["Now"]);

    for _ in 0..50 {
        assert_eq!(replay(), 202);
    }

    assert_eq!(served.titles(), ["Now"]);
}

#[test]
fn admin_api_pull_returns_its_result() {
    let (origin, folder, served) = site();
    let authorization = authorization(&folder);
    let sync = || send(&served, "POST", "git/sync/", &[&authorization], "");
    let good = origin.push(
        &[("posts/second.md", &post("Second", ""))],
        "Second\n\nWith a body.",
    );
    let (status, response) = sync();
    assert_eq!(status, 200);
    let state = &response["git"][0];
    assert_eq!(state["commit"], good);
    assert_eq!(state["author"], "Ada Lovelace");
    assert_eq!(state["message"], "Second\n\nWith a body.");
    assert_eq!(state["files"], 2);
    assert_eq!(served.titles().len(), 2);
    let bad = origin.push(&[("posts/second.md", "+++\ntitle = \n+++\n")], "Bad");
    let (status, response) = sync();
    assert_eq!(status, 200);
    let state = &response["git"][0];
    assert_eq!(state["commit"], good);
    assert_eq!(state["refused"]["commit"], bad);
    assert_eq!(state["refused"]["problems"][0]["line"], 2);
    let (status, status_report) = send(&served, "GET", "git/", &[&authorization], "");
    assert_eq!(
        (status, &status_report["git"][0]["refused"]["commit"]),
        (200, &Value::from(bad))
    );
    assert_eq!(send(&served, "POST", "git/sync/", &[], "").0, 403);
}

#[test]
fn concurrent_pull_requests_share_one_pull() {
    let (origin, folder, served) = site();
    let authorization = authorization(&folder);
    let commit = origin.push(&[("posts/second.md", &post("Second", ""))], "Second");
    thread::scope(|scope| {
        let pulls: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| send(&served, "POST", "git/sync/", &[&authorization], "")))
            .collect();
        for pull in pulls {
            let (status, response) = pull.join().expect("it responds");
            assert_eq!(
                (status, &response["git"][0]["commit"]),
                (200, &Value::from(commit.as_str()))
            );
        }
    });
}

#[test]
fn pull_needs_a_repository_and_push_a_secret() {
    let folder = Folder::with(&[("posts/first.md", &post("First", ""))]);
    let served = GalleyProcess::serve(&folder, &[]);
    let authorization = authorization(&folder);
    let (status, response) = send(&served, "POST", "git/sync/", &[&authorization], "");
    assert_eq!(status, 404);
    assert_eq!(
        response["errors"][0]["message"],
        "Git repository not found."
    );
    assert_eq!(send(&served, "POST", "git/push/", &[JSON], PUSHED).0, 404);
    let output = run(&folder, &["sync", "--data", "data"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("is not made from a git repository"),
        "{}",
        output.err
    );
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let folder = site_of(&origin.url(), 3600, "");
    let served = GalleyProcess::serve(&folder, &[]);
    let (status, response) = send(&served, "POST", "git/push/", &[JSON], PUSHED);
    assert_eq!(status, 404);
    assert_eq!(response["errors"][0]["message"], "Push webhook not found.");
}

#[test]
fn galley_sync_pulls_with_and_without_a_running_server() {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let folder = site_of(&origin.url(), 3600, "");
    let sync = || run(&folder, &["sync", "--data", "data"]);
    let output = sync();
    assert_eq!(output.code, Some(0), "{}", output.err);
    let line = format!("Serving commit {} of ", &origin.head()[..10]);
    assert!(output.out.contains(&line), "{}", output.out);
    let served = GalleyProcess::serve(&folder, &["--git", &origin.url()]);
    let bad = origin.push(&[("posts/first.md", "+++\ntitle = \n+++\n")], "Bad");
    let output = sync();
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains(&line), "{}", output.out);
    assert!(
        output
            .out
            .contains(&format!("Refused commit {} of ", &bad[..10])),
        "{}",
        output.out
    );
    assert!(
        output.out.contains("--> posts/first.md:2:"),
        "{}",
        output.out
    );
    assert_eq!(served.titles(), ["First"]);
    let status_report = run(&folder, &["sync", "--data", "data", "--json"]).json();
    assert_eq!(status_report["refused"]["commit"], bad);
}
