//! Tests of `galley key`, `galley status` and `galley check`, with and without a running server.

use galley_tests::{
    command_line::{fetch, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use serde_json::Value;

const BAD: &str = "+++\ntitle = \n+++\n";

fn is_hexadecimal(text: &str, digits: usize) -> bool {
    text.len() == digits
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Asserts the form of the output of `key create --json`, and returns the Content API key.
fn assert_keys(keys: &Value) -> String {
    let content = keys["content_key"].as_str().expect("a content key");
    assert!(is_hexadecimal(content, 26), "{content}");
    let admin = keys["admin_key"].as_str().expect("an admin key");
    let (id, secret) = admin.split_once(':').expect("a colon");
    assert!(
        is_hexadecimal(id, 24) && is_hexadecimal(secret, 64),
        "{admin}"
    );
    assert_eq!(keys.as_object().map(serde_json::Map::len), Some(2));
    content.to_owned()
}

#[test]
fn keys_are_created_listed_and_revoked_without_a_server() {
    let folder = Folder::new();
    let made = run(&folder, &["key", "create", "--name", "My site", "--json"]);
    let key = assert_keys(&made.json());
    let scoped = ["key", "create", "--name", "Reader", "--scope", "read"];
    let scoped = run(&folder, &scoped);
    assert!(
        scoped.out.contains("Scope            read"),
        "{}",
        scoped.out
    );
    assert_eq!(run(&folder, &["key", "revoke", "Reader"]).code, Some(0));
    let list = run(&folder, &["key", "list"]);
    assert!(
        list.out.contains("My site") && list.out.contains(&key),
        "{}",
        list.out
    );
    let list = run(&folder, &["key", "list", "--json"]).json();
    assert_eq!(list[0]["content_key"], key);
    let revoked = run(&folder, &["key", "revoke", "My site"]);
    assert_eq!(revoked.code, Some(0));
    assert!(revoked.out.contains("Revoked My site"), "{}", revoked.out);
    assert_eq!(
        run(&folder, &["key", "list", "--json"]).json(),
        serde_json::json!([])
    );
}

#[test]
fn new_key_works_immediately_until_revoked() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let served = GalleyProcess::serve(&folder, &[]);
    let made = run(
        &folder,
        &["key", "create", "--data", "data", "--name", "CI", "--json"],
    );
    let key = assert_keys(&made.json());
    let path = format!("/ghost/api/content/posts/?key={key}");
    assert!(fetch(served.address(), &path).contains("\"A\""));
    assert_eq!(
        run(&folder, &["key", "revoke", "--data", "data", "CI"]).code,
        Some(0)
    );
    let mut connection = std::net::TcpStream::connect(served.address()).expect("a connection");
    use std::io::{Read, Write};
    write!(
        connection,
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .expect("sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a response");
    assert!(response.starts_with("HTTP/1.1 401"), "{response}");
}

#[test]
fn duplicate_or_unknown_key_names_are_rejected_with_advice() {
    let folder = Folder::new();
    run(&folder, &["key", "create", "--name", "CI"]);
    let again = run(&folder, &["key", "create", "--name", "CI"]);
    assert_eq!(again.code, Some(1));
    assert!(again.err.contains("already"), "{}", again.err);
    let unknown = run(&folder, &["key", "revoke", "Unknown"]);
    assert_eq!(unknown.code, Some(1));
    assert!(
        unknown.err.contains("Integration \"Unknown\" not found."),
        "{}",
        unknown.err
    );
    assert_eq!(run(&folder, &["key", "create"]).code, Some(2));
}

#[test]
fn status_is_equal_with_and_without_a_server() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/bad.md", BAD),
        ("site.toml", "title = \"T\"\n"),
    ]);
    let served = GalleyProcess::serve(&folder, &[]);
    let running = run(&folder, &["status", "--data", "data"]);
    assert!(
        running.out.starts_with("T: served by Galley"),
        "{}",
        running.out
    );
    let running = run(&folder, &["status", "--data", "data", "--json"]).json();
    served.stop(rustix::process::Signal::TERM);
    let stopped = run(&folder, &["status", "--data", "data"]);
    assert!(
        stopped.out.starts_with("T: not being served"),
        "{}",
        stopped.out
    );
    assert!(stopped.out.contains("1 post published"), "{}", stopped.out);
    assert!(
        stopped.out.contains("error: invalid TOML"),
        "{}",
        stopped.out
    );
    let stopped = run(&folder, &["status", "--data", "data", "--json"]).json();
    for field in ["title", "revision", "counts", "files", "problems"] {
        assert_eq!(running[field], stopped[field], "{field}");
    }
    assert_eq!(running["problems"][0]["file"], "posts/bad.md");
    assert_eq!(running["problems"][0]["line"], 2);
    assert!(running["store_bytes"].as_u64() > Some(0));
}

#[test]
fn status_shows_pending_deliveries() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let served = GalleyProcess::serve(&folder, &[]);
    run(
        &folder,
        &["key", "create", "--name", "Bot", "--data", "data"],
    );
    // Webhooks to private addresses are not sent by default, so the event stays pending.
    let webhook =
        "webhook add --event post.added --url http://127.0.0.1:1/ --integration Bot --data data";
    let added = run(&folder, &webhook.split(' ').collect::<Vec<_>>());
    assert_eq!(added.code, Some(0), "{}", added.err);
    let before = run(&folder, &["status", "--data", "data"]);
    assert!(!before.out.contains("waiting"), "{}", before.out);

    folder.write("posts/b.md", post("B", ""));
    served.wait_for_titles(|titles| titles.len() == 2);

    let after = run(&folder, &["status", "--data", "data"]);
    assert!(
        after.out.contains("1 request to webhooks waiting"),
        "{}",
        after.out
    );
    served.stop(rustix::process::Signal::TERM);
}

#[test]
fn status_without_a_data_folder_gives_advice_and_creates_none() {
    let folder = Folder::new();
    let output = run(&folder, &["status"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("there is no data folder galley-data"),
        "{}",
        output.err
    );
    assert!(!folder.top().join("galley-data").exists());
}

#[test]
fn check_reports_all_diagnostics_and_fails_for_errors_or_strict_warnings() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let good = run(&folder, &["check"]);
    assert_eq!(
        (good.code, good.out.as_str()),
        (
            Some(0),
            "1 file, 0 errors, 0 warnings\n1 post, 0 pages with 0 images, 0 links, 0 code blocks, 0 footnotes\n"
        )
    );

    folder.write("posts/warned.md", "+++\ntitle = \"W\"\n+++\n");
    let warned = run(&folder, &["check", "content"]);
    assert_eq!(warned.code, Some(0));
    assert!(
        warned.out.contains("warning: this post has no date"),
        "{}",
        warned.out
    );
    assert_eq!(run(&folder, &["check", "--strict"]).code, Some(1));

    folder.write("posts/bad.md", BAD);
    let bad = run(&folder, &["check"]);
    assert_eq!(bad.code, Some(1));
    assert!(
        bad.out
            .contains("3 files, 1 error, 1 warning\n2 posts, 0 pages with "),
        "{}",
        bad.out
    );
    let problems = run(&folder, &["check", "--json"]);
    assert_eq!(problems.code, Some(1));
    let problems = problems.json();
    assert_eq!(problems[0]["severity"], "error");
    assert_eq!(problems[0]["file"], "posts/bad.md");
    assert_eq!(
        (&problems[0]["line"], &problems[0]["column"]),
        (&2.into(), &9.into())
    );
    assert_eq!(problems[0]["line_text"], "title = ");
    assert!(problems[0]["advice"].is_string());
    assert_eq!(problems[1]["severity"], "warning");
    assert!(
        !folder.top().join("galley-data").exists(),
        "the check created a data folder"
    );
}

#[test]
fn check_groups_similar_diagnostics_unless_all_is_set() {
    let folder = Folder::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        let text = "+++\ntitle = \"T\"\ndate = 2025-01-01\ncolour = \"red\"\n+++\n";
        folder.write(&format!("posts/{name}.md"), text);
    }
    let grouped = run(&folder, &["check"]);
    assert_eq!(
        grouped.out.matches("colour = ").count(),
        1,
        "{}",
        grouped.out
    );
    assert!(grouped.out.starts_with("warning: 6 × "), "{}", grouped.out);
    let positions = "also at posts/b.md:4, posts/c.md:4, posts/d.md:4 and 2 more";
    assert!(grouped.out.contains(positions), "{}", grouped.out);
    assert!(grouped.out.contains("6 files, 0 errors, 6 warnings\n"));
    let all = run(&folder, &["check", "--all"]);
    assert_eq!(all.out.matches("colour = ").count(), 6, "{}", all.out);
    let listed = run(&folder, &["check", "--json"]).json();
    assert_eq!(listed.as_array().unwrap().len(), 6);
}

#[test]
fn check_of_files_shows_only_their_diagnostics() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/bad.md", BAD),
        ("blogs/2024/c.md", &post("C", "")),
    ]);
    let good = run(&folder, &["check", "content/posts/a.md"]);
    assert_eq!(
        (good.code, good.out.as_str()),
        (Some(0), "1 file, 0 errors, 0 warnings\n")
    );
    let both = run(
        &folder,
        &["check", "content/posts/a.md", "content/posts/bad.md"],
    );
    assert_eq!(both.code, Some(1));
    assert!(
        both.out.ends_with("2 files, 1 error, 0 warnings\n"),
        "{}",
        both.out
    );
    let unread = run(&folder, &["check", "content/blogs/2024/c.md"]);
    let message = "a Markdown file in blogs/ is not served: documents are in posts/ and pages/";
    assert!(unread.out.contains(message), "{}", unread.out);
    let missing = run(&folder, &["check", "content/posts/none.md"]);
    assert_ne!(missing.code, Some(0));
    assert!(missing.err.contains("none.md"), "{}", missing.err);
}

#[test]
fn markdown_outside_the_content_folders_is_reported() {
    let folder = Folder::with(&[
        ("posts/a.md", &post("A", "")),
        ("posts/README.md", "About the posts."),
        ("LICENSE.md", "MIT"),
        ("hello.md", &post("Hello", "")),
        ("notes/b.md", &post("B", "")),
        ("notes/deep/c.mdx", &post("C", "")),
        ("tiers/gold.md", &post("Gold", "")),
        ("images/a.txt", "no Markdown"),
    ]);
    let report = run(&folder, &["check", "--json"]).json();
    let found: Vec<(&str, &str)> = report
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| {
            let text = |key: &str| problem[key].as_str().unwrap();
            (text("file"), text("message"))
        })
        .collect();
    assert_eq!(
        found,
        [
            (
                "hello.md",
                "a Markdown file at the top of the content folder is not served: documents are in posts/ and pages/"
            ),
            (
                "notes/b.md",
                "2 Markdown files in notes/ are not served: documents are in posts/ and pages/"
            ),
            (
                "tiers/gold.md",
                "a Markdown file in tiers/ is not served: documents are in posts/ and pages/"
            ),
        ]
    );
    assert_eq!(run(&folder, &["check", "--strict"]).code, Some(1));
}

#[test]
fn check_of_a_missing_folder_fails() {
    let folder = Folder::new();
    let output = run(&folder, &["check", "nowhere"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("there is no folder nowhere"),
        "{}",
        output.err
    );
}

#[test]
fn check_works_while_a_server_holds_the_data_folder() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    let _served = GalleyProcess::serve(&folder, &[]);
    assert_eq!(run(&folder, &["check", "--data", "data"]).code, Some(0));
}

#[test]
fn help_shows_examples() {
    let folder = Folder::new();
    for command in ["serve", "check", "key", "status"] {
        let output = run(&folder, &[command, "--help"]);
        assert_eq!(output.code, Some(0));
        let example = format!("Examples:\n  galley {command}");
        assert!(output.out.contains(&example), "{}", output.out);
    }
    assert!(
        run(&folder, &["--help"])
            .out
            .contains("Examples:\n  galley ")
    );
    let wrong = run(&folder, &["serve", "--lisen", "x"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.err.contains("--listen"), "{}", wrong.err);
}
