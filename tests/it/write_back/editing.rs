//! Tests that edits of posts through the Admin API are written back into their content files.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::Duration,
};

use galley_tests::{
    command_line::{galley, run},
    content_responses::without_dates,
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::repository::{
    origin::{Origin, site_of},
    requests::{authorization, send},
};

pub const FERRY: &str = "---
# The ferry
title: 'The night ferry'   # in quotes
pubDate: 2025-01-05
tags: [sea, \"Quay\"]
---

A *first* paragraph,
on two lines.

- one
- two

  ```js
  let x = 1
  ```

The   end.
";

/// A client of a served site's Admin API.
pub struct Editor<'a> {
    served: &'a GalleyProcess,
    authorization: String,
}

impl<'a> Editor<'a> {
    pub fn of(folder: &Folder, served: &'a GalleyProcess) -> Self {
        Self {
            served,
            authorization: authorization(folder),
        }
    }

    /// Signs in to `https://site.example` as a staff user with a session.
    pub fn signed_in(served: &'a GalleyProcess, email: &str, password: &str) -> Self {
        let origin = "https://site.example";
        let body = json!({ "username": email, "password": password }).to_string();
        let mut connection = TcpStream::connect(served.address()).expect("a connection");
        write!(
            connection,
            "POST /ghost/api/admin/session/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: {origin}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("sent");
        let mut response = String::new();
        connection
            .read_to_string(&mut response)
            .expect("a response");
        let cookie = response
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .unwrap_or_else(|| panic!("no cookie: {response}"));
        let cookie = cookie.split(';').next().expect("a name and a value");
        Self {
            served,
            authorization: format!("Cookie: {cookie}\r\nOrigin: {origin}"),
        }
    }

    pub fn send(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        self.send_as(method, path, "Content-Type: application/json", &body)
    }

    /// Sends a body with the content type in the header `kind`.
    pub fn send_as(&self, method: &str, path: &str, kind: &str, body: &str) -> (u16, Value) {
        send(
            self.served,
            method,
            path,
            &[&self.authorization, kind],
            body,
        )
    }

    pub fn read(&self, slug: &str) -> Value {
        let (status, found) = self.send(
            "GET",
            &format!("posts/slug/{slug}/?formats=lexical,html"),
            &Value::Null,
        );
        assert_eq!(status, 200, "{found}");
        found["posts"][0].clone()
    }

    /// Changes fields of a post that was read, and returns the saved post.
    pub fn edit(&self, read: &Value, fields: Value) -> Value {
        let (status, saved) = self.try_edit(read, fields);
        assert_eq!(status, 200, "{saved}");
        saved["posts"][0].clone()
    }

    pub fn try_edit(&self, read: &Value, mut fields: Value) -> (u16, Value) {
        fields["updated_at"] = read["updated_at"].clone();
        let id = read["id"].as_str().expect("an identifier");
        self.send(
            "PUT",
            &format!("posts/{id}/"),
            &json!({ "posts": [fields] }),
        )
    }
}

/// Returns the Lexical document of a post with `text` in its last block.
pub fn with_last_block(read: &Value, text: &str) -> Value {
    let lexical = read["lexical"].as_str().expect("a document");
    let mut document: Value = serde_json::from_str(lexical).expect("JSON");
    let blocks = document["root"]["children"].as_array_mut().expect("blocks");
    let last = blocks.last_mut().expect("a block");
    last["children"] = json!([{
        "type": "extended-text", "version": 1, "text": text,
        "detail": 0, "format": 0, "mode": "normal", "style": ""
    }]);
    Value::String(document.to_string())
}

/// Creates an owner, and returns the account with its password.
pub fn create_owner(folder: &Folder) -> Value {
    let owner = "user create --name Owner --email o@example.com --role owner --data data --json";
    let arguments: Vec<&str> = owner.split(' ').collect();
    run(folder, &arguments).json()
}

/// Serves a folder with the ferry, and writes edits into its files.
pub fn folder_with_ferry() -> (Folder, GalleyProcess) {
    let folder = Folder::new();
    folder.write("posts/2025-01-05-night-ferry.md", FERRY);
    folder.write("../galley.toml", "url = \"https://site.example\"\n");
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    (folder, served)
}

#[test]
fn edit_changes_only_the_edited_bytes() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let document = with_last_block(&ferry, "Another end.");
    editor.edit(
        &ferry,
        json!({ "title": "The day ferry", "lexical": document }),
    );
    let expected = FERRY
        .replace("The night ferry", "The day ferry")
        .replace("The   end.", "Another end.");
    let file = folder.at("posts/2025-01-05-night-ferry.md");
    wait_until("the edit is in the file", || {
        fs::read_to_string(&file).is_ok_and(|text| text == expected)
    });
    served.wait_for_titles(|titles| titles == ["The day ferry"]);
    let status = run(&folder, &["status", "--data", "data"]).out;
    assert!(status.contains("written into the files"), "{status}");
}

#[test]
fn restoring_a_file_immediately_undoes_the_edit() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let file = folder.at("posts/2025-01-05-night-ferry.md");
    for number in 0..5 {
        let ferry = editor.read("night-ferry");
        thread::scope(|scope| {
            scope.spawn(|| {
                // Restore the file immediately, possibly before the server reads its own edit.
                while fs::read_to_string(&file).is_ok_and(|text| text == FERRY) {}
                fs::write(&file, FERRY).expect("the file is written");
            });
            editor.edit(&ferry, json!({ "title": format!("Undone {number}") }));
        });
        served.wait_for_titles(|titles| titles == ["The night ferry"]);
        assert_eq!(fs::read_to_string(&file).expect("a text"), FERRY);
    }
}

#[test]
fn node_that_markdown_cannot_express_is_written_as_lexical() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let lexical = ferry["lexical"].as_str().expect("a document");
    let mut document: Value = serde_json::from_str(lexical).expect("JSON");
    let blocks = document["root"]["children"].as_array_mut().expect("blocks");
    blocks.push(json!({ "type": "callout", "version": 1, "calloutText": "<p>Mind the gap</p>", "calloutEmoji": "!", "backgroundColor": "blue" }));
    editor.edit(&ferry, json!({ "lexical": document.to_string() }));
    let file = folder.at("posts/2025-01-05-night-ferry.md");
    wait_until("the node is in the file", || {
        let text = fs::read_to_string(&file).expect("a text");
        text.contains("body: lexical")
            && text.contains("```lexical")
            && text.contains("A *first* paragraph,\non two lines.")
    });
    let html = editor.read("night-ferry")["html"].to_string();
    assert!(
        html.contains("kg-callout-card") && html.contains("Mind the gap"),
        "{html}"
    );
}

#[test]
fn edited_folder_served_by_a_new_site_has_the_same_responses() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "tags": ["sea", "New"], "featured": true }));
    editor.edit(
        &ferry,
        json!({ "slug": "day-ferry", "custom_excerpt": "Short" }),
    );
    let (status, added) = editor.send(
        "POST",
        "posts/",
        &json!({ "posts": [{ "title": "New", "status": "published", "html": "x" }] }),
    );
    assert_eq!(status, 201, "{added}");
    wait_until("both files exist", || {
        folder.at("posts/2025-01-05-day-ferry.md").exists() && run(&folder, &["status", "--data", "data", "--json"]).json()["counts"]["edits of files waiting"].is_null()
    });
    let responses = served.responses();
    served.stop(Signal::TERM);
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        "elsewhere",
        "--content",
        "content",
    ];
    let again = GalleyProcess::from_command(&mut galley(&folder, &arguments));
    assert_eq!(without_dates(&again.responses()), without_dates(&responses));
}

#[test]
fn adding_and_deleting_posts_creates_and_removes_files() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let (status, added) = editor.send(
        "POST",
        "posts/",
        &json!({ "posts": [{ "title": "A new post" }] }),
    );
    assert_eq!(status, 201, "{added}");
    let id = added["posts"][0]["id"].as_str().expect("an identifier");
    let name = || {
        let files = fs::read_dir(folder.at("posts")).expect("a folder");
        let mut names = files.map(|file| {
            file.expect("a file")
                .file_name()
                .into_string()
                .expect("UTF-8")
        });
        names.find(|name| name.ends_with("a-new-post.md"))
    };
    wait_until("the new post has a file named like the others", || {
        name().is_some_and(|name| name.starts_with("20"))
    });
    let (status, _) = editor.send("DELETE", &format!("posts/{id}/"), &Value::Null);
    assert_eq!(status, 204);
    wait_until("the file is removed", || name().is_none());
}

#[test]
fn edit_of_text_with_shortcodes_is_rejected_and_keys_are_written() {
    let folder = Folder::new();
    folder.write("../content/hugo.toml", "title = \"Hugo\"\n");
    let text = "---\ntitle: Ferry\ndate: 2025-01-05\nlastmod: 2025-01-05\n---\nSee {{< youtube w7Ft2ymGmfc >}}\n";
    folder.write("../content/content/posts/ferry.md", text);
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("ferry");
    let (status, refusal) = editor.try_edit(
        &ferry,
        json!({ "lexical": with_last_block(&ferry, "Mine") }),
    );
    assert_eq!(status, 422, "{refusal}");
    assert!(refusal.to_string().contains("posts/ferry.md"), "{refusal}");
    editor.edit(&ferry, json!({ "title": "Day" }));
    let file = folder.at("../content/content/posts/ferry.md");
    wait_until("the title is in the file", || {
        let text = fs::read_to_string(&file).expect("a text");
        text.starts_with("---\ntitle: Day\ndate: 2025-01-05\nlastmod: 20")
            && text.ends_with("{{< youtube w7Ft2ymGmfc >}}\n")
    });
}

#[test]
fn project_defaults_are_written_only_where_an_edit_changes_them() {
    let folder = Folder::new();
    folder.write(
        "_config.yml",
        "defaults:\n- scope: {path: ''}\n  values: {author: Ada, tags: [sea], featured: true, image: /a.png, published: false}\n",
    );
    folder.write(
        "_posts/2025-01-05-ferry.md",
        "---\ntitle: Ferry\n---\nText.\n",
    );
    let served = GalleyProcess::serve(&folder, &["--content", "content", "--write-back", "folder"]);
    let editor = Editor::of(&folder, &served);
    let file = folder.at("_posts/2025-01-05-ferry.md");
    let text = || fs::read_to_string(&file).expect("a text");

    let ferry = editor.read("ferry");
    assert_eq!(ferry["featured"], true);
    let day = editor.edit(&ferry, json!({ "title": "Day" }));
    wait_until("the title is in the file", || text().contains("title: Day"));
    assert_eq!(text(), "---\ntitle: Day\n---\nText.\n");

    let plain = editor.edit(
        &day,
        json!({ "featured": false, "tags": [{ "name": "quay" }] }),
    );
    let bare = editor.edit(&plain, json!({ "tags": [], "feature_image": null }));
    assert_eq!(bare["status"], "draft");
    editor.edit(&bare, json!({ "status": "published" }));
    wait_until("the changed values are in the file", || {
        let text = text();
        let lines = [
            "featured: false",
            "tags: []",
            "\nimage: \"\"",
            "published: true",
        ];
        lines.iter().all(|line| text.contains(line))
    });
    assert!(!text().contains("author"), "{}", text());
    drop(served);
    let served = GalleyProcess::serve(&folder, &["--content", "content"]);
    let ferry = Editor::of(&folder, &served).read("ferry");
    assert_eq!(ferry["featured"], false);
    assert_eq!(ferry["tags"], json!([]));
    assert_eq!(ferry["feature_image"], Value::Null);
    assert_eq!(ferry["primary_author"]["name"], "Ada");
    assert_eq!(ferry["status"], "published");
}

/// Adds the site's URL to its configuration.
pub fn with_site_url(folder: &Folder) {
    let configuration = folder.top().join("galley.toml");
    let others = fs::read_to_string(&configuration).expect("a text");
    let text = format!("url = \"https://site.example\"\n{others}");
    fs::write(&configuration, text).expect("the file is written");
}

/// Serves a site from a repository with the ferry, and pushes edits after a second.
fn repository_with_ferry() -> (Origin, Folder, GalleyProcess) {
    let origin = Origin::with(&[
        ("posts/night-ferry.md", FERRY),
        ("posts/other.md", &post("Other", "")),
    ]);
    let folder = site_of(
        &origin.url(),
        1,
        "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 1\n",
    );
    with_site_url(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    (origin, folder, served)
}

fn log_of(origin: &Origin, branch: &str) -> String {
    origin.git(&["fetch", "-q", "origin"]);
    origin.git(&["log", "--format=%an|%cn|%s", &format!("origin/{branch}")])
}

#[test]
fn edits_become_one_commit_by_their_editor_that_renames_the_file() {
    let (origin, folder, served) = repository_with_ferry();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let ferry = editor.edit(&ferry, json!({ "title": "The day ferry" }));
    editor.edit(&ferry, json!({ "slug": "day-ferry" }));
    wait_until("the commit is in the repository", || {
        log_of(&origin, "main").contains("Edit \"The day ferry\"")
    });
    assert!(
        log_of(&origin, "main").starts_with("Default|Galley|Edit \"The day ferry\"\nAda Lovelace|")
    );
    let changed = origin.git(&["show", "--format=", "--name-status", "-M20%", "origin/main"]);
    assert!(
        changed.contains("posts/night-ferry.md\tposts/day-ferry.md"),
        "{changed}"
    );
    served.wait_for_titles(|titles| titles.contains(&"The day ferry".to_owned()));
}

#[test]
fn edits_and_commits_of_different_blocks_are_merged() {
    let (origin, folder, served) = repository_with_ferry();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(
        &ferry,
        json!({ "lexical": with_last_block(&ferry, "By the editor.") }),
    );
    origin.push(
        &[(
            "posts/night-ferry.md",
            &FERRY.replace("A *first*", "A *changed*"),
        )],
        "In git",
    );
    wait_until("both changes are in the branch", || {
        log_of(&origin, "main").starts_with("Default|Galley|Edit");
        let text = origin.git(&["show", "origin/main:posts/night-ferry.md"]);
        text.contains("A *changed*") && text.contains("By the editor.")
    });
    let (status, refusal) = editor.try_edit(&ferry, json!({ "title": "Stale" }));
    assert_eq!(status, 409, "{refusal}");
}

#[test]
fn conflict_keeps_both_versions() {
    let (origin, folder, served) = repository_with_ferry();
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    let saved = editor.edit(
        &ferry,
        json!({ "lexical": with_last_block(&ferry, "By the editor.") }),
    );
    origin.push(
        &[(
            "posts/night-ferry.md",
            &FERRY.replace("The   end.", "By git."),
        )],
        "In git",
    );
    wait_until("the version in git is served", || {
        editor.read("night-ferry")["html"]
            .to_string()
            .contains("By git.")
    });
    wait_until("the editor's version is in a conflict branch", || {
        origin.git(&["fetch", "-q", "origin"]);
        let branches = origin.git(&["branch", "-r", "--list", "origin/galley/conflict/*"]);
        let branch = branches.trim();
        !branch.is_empty()
            && origin
                .git(&["show", &format!("{branch}:posts/night-ferry.md")])
                .contains("By the editor.")
    });
    let (status, refusal) = editor.try_edit(&saved, json!({ "title": "Stale" }));
    assert_eq!(status, 409, "{refusal}");
    let id = saved["id"].as_str().expect("an identifier");
    let (_, found) = editor.send(
        "GET",
        &format!("posts/{id}/?include=post_revisions"),
        &Value::Null,
    );
    assert!(
        found["posts"][0]["post_revisions"]
            .to_string()
            .contains("By the editor."),
        "{found}"
    );
    let branch = origin.git(&["branch", "-r", "--list", "origin/galley/conflict/*"]);
    let branch = branch.trim().trim_start_matches("origin/");
    let (_, found) = editor.send("GET", "git/", &Value::Null);
    let conflict = &found["git"][0]["conflicts"][0];
    assert_eq!(conflict["path"], "posts/night-ferry.md", "{found}");
    assert_eq!(conflict["editor"], "Default");
    assert_eq!(conflict["other_author"], "Ada Lovelace");
    assert_eq!(conflict["branch"], branch);
    let status = run(&folder, &["status", "--data", "data", "--json"]).json();
    assert_eq!(status["conflicts"][0]["branch"], branch, "{status}");
    let status = run(&folder, &["status", "--data", "data"]).out;
    let line = "posts/night-ferry.md: the edit by Default and a change by Ada Lovelace, which applies. The edit is in the post history and in branch galley/conflict/night-ferry-";
    assert!(status.contains(line), "{status}");
    let made = create_owner(&folder);
    let password = made["password"].as_str().expect("a password");
    let owner = Editor::signed_in(&served, "o@example.com", password);
    let (status, found) = owner.send("GET", "notifications/", &Value::Null);
    assert_eq!(status, 200, "{found}");
    let message = found["notifications"][0]["message"].to_string();
    assert!(
        message
            .contains("by Default conflicts with a change of posts/night-ferry.md by Ada Lovelace"),
        "{found}"
    );
}

#[test]
fn edits_survive_kills_before_they_are_pushed() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let folder = site_of(
        &origin.url(),
        1,
        "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 3\n",
    );
    for round in 0..3 {
        let served = GalleyProcess::serve(&folder, &[]);
        let editor = Editor::of(&folder, &served);
        let ferry = editor.read("night-ferry");
        editor.edit(&ferry, json!({ "title": format!("Round {round}") }));
        thread::sleep(Duration::from_millis(700 * round));
        served.stop(Signal::KILL);
    }
    let _served = GalleyProcess::serve(&folder, &[]);
    wait_until("the last edit is in the branch", || {
        origin.git(&["fetch", "-q", "origin"]);
        origin
            .git(&["show", "origin/main:posts/night-ferry.md"])
            .contains("Round 2")
    });
}

#[test]
fn unsettled_edit_at_a_pull_is_pushed_after_it_settles() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 2\n";
    let folder = site_of(&origin.url(), 3600, settings);
    with_site_url(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    let editor = Editor::of(&folder, &served);
    let ferry = editor.read("night-ferry");
    editor.edit(&ferry, json!({ "title": "The day ferry" }));
    let (_, found) = editor.send("GET", "git/", &Value::Null);
    assert_eq!(found["git"][0]["waiting_edits"], 1, "{found}");
    run(&folder, &["sync", "--data", "data"]);
    wait_until("the commit is in the repository", || {
        log_of(&origin, "main").contains("Edit \"The day ferry\"")
    });
}

#[test]
fn rejected_push_shows_a_notification_until_the_repository_accepts_it() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let folder = site_of(
        &origin.url(),
        1,
        "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\ncommit_message = \"{action} {path}, by {author}\"\n",
    );
    with_site_url(&folder);
    let made = create_owner(&folder);
    let password = made["password"].as_str().expect("a password");
    let served = GalleyProcess::serve(&folder, &[]);
    let owner = Editor::signed_in(&served, "o@example.com", password);
    let messages = || {
        let (_, found) = owner.send("GET", "notifications/", &Value::Null);
        found["notifications"].to_string()
    };
    origin.refuse_pushes(true);
    let ferry = owner.read("night-ferry");
    owner.edit(&ferry, json!({ "title": "The day ferry" }));
    wait_until("the staff are notified", || {
        messages().contains("1 edit waits for the repository")
    });
    origin.refuse_pushes(false);
    run(&folder, &["sync", "--data", "data"]);
    wait_until("the commit is in the branch", || {
        log_of(&origin, "main").starts_with("Owner|Galley|Edit posts/night-ferry.md, by Owner")
    });
    wait_until("the notification is removed", || messages() == "[]");
}
