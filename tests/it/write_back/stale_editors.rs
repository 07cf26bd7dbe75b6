//! Tests that an editor who has not read a post's newest version cannot overwrite it, however the post changed, and that commits
//! contain only the changes of editors.

use std::fs;

use galley_tests::{command_line::run, folder::Folder, galley_process::GalleyProcess, wait_until};
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::{
        Editor, FERRY, create_owner, folder_with_ferry, with_last_block, with_site_url,
    },
};

const FILE: &str = "posts/night-ferry.md";

/// A site that pushes edits after a second and pulls only on request.
struct PushedSite {
    origin: Origin,
    folder: Folder,
    served: GalleyProcess,
}

impl PushedSite {
    fn with(text: &str) -> Self {
        let origin = Origin::with(&[(FILE, text)]);
        let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 1\n";
        let folder = site_of(&origin.url(), 3600, settings);
        with_site_url(&folder);
        let served = GalleyProcess::serve(&folder, &[]);
        Self {
            origin,
            folder,
            served,
        }
    }

    fn editor(&self) -> Editor<'_> {
        Editor::of(&self.folder, &self.served)
    }

    fn sync(&self) {
        run(&self.folder, &["sync", "--data", "data"]);
    }

    fn state(&self) -> Value {
        self.editor().send("GET", "git/", &Value::Null).1["git"][0].clone()
    }

    /// Pulls until no edit is pending, and once more.
    fn settle(&self) {
        wait_until("no edit is pending", || {
            self.sync();
            self.state()["waiting_edits"] == 0
        });
        self.sync();
    }

    /// Returns the file's text in the main branch.
    fn text(&self) -> String {
        self.origin.git(&["fetch", "-q", "origin"]);
        self.origin.git(&["show", &format!("origin/main:{FILE}")])
    }

    /// Pulls until the served post contains `words`. One pull may not suffice, because a pull in flight may have started
    /// before a push.
    fn pull_until(&self, words: &str) {
        wait_until(words, || {
            self.sync();
            let path = "posts/slug/night-ferry/?formats=html";
            let (_, found) = self.editor().send("GET", path, &Value::Null);
            found.to_string().contains(words)
        });
    }

    fn push(&self, text: &str) {
        self.origin
            .git(&["pull", "-q", "--rebase", "origin", "main"]);
        self.origin.push(&[(FILE, text)], "In git");
    }

    /// Returns the lines that Galley's commits added and removed.
    fn changed_by_galley(&self) -> Vec<String> {
        self.origin.git(&["fetch", "-q", "origin"]);
        let log = self.origin.git(&[
            "log",
            "-p",
            "-U0",
            "--format=tformat:commit",
            "--committer=Galley",
            "origin/main",
        ]);
        let changed = log.lines().filter(|line| {
            line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---")
        });
        changed.map(str::to_owned).collect()
    }
}

/// Saves the post `open` with another last block.
fn save_last_block(editor: &Editor<'_>, open: &Value, end: &str) -> (u16, Value) {
    editor.try_edit(open, json!({ "lexical": with_last_block(open, end) }))
}

#[test]
fn editor_who_lost_a_conflict_must_read_the_newest_version() {
    let dated = FERRY.replace("tags:", "updated_at: 2025-01-06\ntags:");
    for text in [FERRY, &dated] {
        let site = PushedSite::with(text);
        let editor = site.editor();
        let open = editor.read("night-ferry");
        site.push(&text.replace("The   end.", "By a colleague."));
        let (status, saved) = save_last_block(&editor, &open, "By the editor.");
        assert_eq!(status, 200, "{saved}");
        site.settle();
        assert!(site.text().contains("By a colleague."), "{}", site.text());
        let saved = &saved["posts"][0];
        for held in [&open, saved] {
            let mut held = held.clone();
            held["lexical"] = open["lexical"].clone();
            let (status, refusal) = save_last_block(&editor, &held, "Once more.");
            assert_eq!(status, 409, "{refusal}");
        }
        site.settle();
        assert!(site.text().contains("By a colleague."), "{}", site.text());
        assert_eq!(site.changed_by_galley(), [""; 0]);
        let read = editor.read("night-ferry");
        let (status, saved) = save_last_block(&editor, &read, "By both.");
        assert_eq!(status, 200, "{saved}");
    }
}

#[test]
fn every_change_in_the_repository_makes_open_editors_stale() {
    let site = PushedSite::with(FERRY);
    let editor = site.editor();
    let is_refused = |open: &Value, change: &str| {
        let (status, reply) = save_last_block(&editor, open, change);
        assert_eq!(status, 409, "{change}: {reply}");
    };

    let open = editor.read("night-ferry");
    site.push(&FERRY.replace("A *first*", "A *pushed*"));
    site.pull_until("pushed");
    is_refused(&open, "a push");

    let open = editor.read("night-ferry");
    let (_, saved) = save_last_block(&editor, &open, "An end.");
    site.settle();
    let mut saved = saved["posts"][0].clone();
    saved["lexical"] = open["lexical"].clone();
    site.push(FERRY);
    site.pull_until("The   end.");
    is_refused(&saved, "a revert");
    is_refused(&open, "a revert to what was open before");

    let open = editor.read("night-ferry");
    let (_, saved) = save_last_block(&editor, &open, "Another end.");
    let mut saved = saved["posts"][0].clone();
    saved["lexical"] = open["lexical"].clone();
    site.push(&FERRY.replace("A *first*", "A *merged*"));
    site.settle();
    assert!(site.text().contains("Another end."), "{}", site.text());
    is_refused(&saved, "a merge with another block");

    let open = editor.read("night-ferry");
    site.origin
        .git(&["pull", "-q", "--rebase", "origin", "main"]);
    site.origin.git(&["rm", "-q", FILE]);
    site.origin.git(&["commit", "-q", "-m", "Delete"]);
    site.origin.git(&["push", "-q", "origin", "HEAD:main"]);
    site.sync();
    site.push(&FERRY.replace("A *first*", "A *returned*"));
    site.pull_until("returned");
    is_refused(&open, "a file that was deleted and returns");

    let text = FERRY.replace("tags:", "slug: night-ferry\ntags:");
    site.push(&text);
    site.pull_until("first");
    let open = editor.read("night-ferry");
    site.origin
        .git(&["pull", "-q", "--rebase", "origin", "main"]);
    site.origin.git(&["mv", FILE, "posts/ferry.md"]);
    site.origin.push(
        &[("posts/ferry.md", &text.replace("A *first*", "A *moved*"))],
        "Move",
    );
    site.pull_until("moved");
    is_refused(&open, "a renamed file");
}

#[test]
fn commit_contains_only_the_editors_changes() {
    let site = PushedSite::with(FERRY);
    let editor = site.editor();
    let open = editor.read("night-ferry");
    let saved = editor.edit(&open, json!({ "title": "The day ferry" }));
    // The app also saves unchanged documents.
    let saved = editor.edit(&saved, json!({ "lexical": saved["lexical"] }));
    site.settle();
    assert_eq!(
        site.changed_by_galley(),
        [
            "-title: 'The night ferry'   # in quotes",
            "+title: 'The day ferry'   # in quotes"
        ]
    );
    let read = editor.read("night-ferry");
    assert_eq!(read["updated_at"], saved["updated_at"]);
}

#[test]
fn rejected_commit_shows_a_notification_until_a_commit_is_served() {
    let site = PushedSite::with(FERRY);
    let made = create_owner(&site.folder);
    let password = made["password"].as_str().expect("a password");
    let owner = Editor::signed_in(&site.served, "o@example.com", password);
    let messages = || {
        let (_, found) = owner.send("GET", "notifications/", &Value::Null);
        found["notifications"].to_string()
    };
    let open = owner.read("night-ferry");
    site.push(&FERRY.replace("tags: [", "tags: [["));
    owner.edit(&open, json!({ "featured": true }));
    site.sync();
    wait_until("the staff are notified", || {
        let messages = messages();
        messages.contains("\\\"In git\\\" by Ada Lovelace is refused")
            && messages.contains(FILE)
            && messages.contains("Edits wait")
    });
    site.push(FERRY);
    site.settle();
    assert_eq!(messages(), "[]");
    assert!(site.text().contains("featured: true"), "{}", site.text());
}

#[test]
fn conflict_branches_are_listed_while_they_exist() {
    let site = PushedSite::with(FERRY);
    let editor = site.editor();
    let open = editor.read("night-ferry");
    site.push(&FERRY.replace("The   end.", "By a colleague."));
    save_last_block(&editor, &open, "By the editor.");
    site.settle();
    let branches = || site.state()["conflict_branches"].clone();
    let listed = branches();
    let branch = listed[0].as_str().expect("a branch");
    assert!(
        branch.starts_with("galley/conflict/night-ferry-"),
        "{listed}"
    );
    site.origin.git(&[
        "push",
        "-q",
        "origin",
        "HEAD:refs/heads/galley/conflict/older",
    ]);
    site.sync();
    assert_eq!(branches(), json!([branch, "galley/conflict/older"]));
    for branch in [branch, "galley/conflict/older"] {
        site.origin
            .git(&["push", "-q", "origin", "--delete", branch]);
    }
    site.sync();
    assert_eq!(branches(), json!([]));
}

fn text(text: &str) -> Value {
    json!({ "detail": 0, "format": 0, "mode": "normal", "style": "", "text": text, "type": "extended-text", "version": 1 })
}

fn node(kind: &str, children: Vec<Value>) -> Value {
    json!({ "children": children, "direction": "ltr", "format": "", "indent": 0, "type": kind, "version": 1 })
}

fn item(children: Vec<Value>) -> Value {
    json!({ "children": children, "direction": "ltr", "format": "", "indent": 0, "type": "listitem", "version": 1, "value": 1 })
}

fn list(items: Vec<Value>) -> Value {
    json!({ "children": items, "direction": "ltr", "format": "", "indent": 0, "type": "list", "version": 1,
        "listType": "bullet", "start": 1, "tag": "ul" })
}

/// Returns documents as the editor produces them while an author writes, each with its description.
fn shapes() -> Vec<(&'static str, Vec<Value>)> {
    let paragraph = |words: &str| node("paragraph", vec![text(words)]);
    let empty = || node("paragraph", Vec::new());
    let line_break = || json!({ "type": "linebreak", "version": 1 });
    vec![
        ("plain text", vec![paragraph("One.")]),
        ("an empty end", vec![paragraph("One."), empty()]),
        (
            "two empty paragraphs at the end",
            vec![paragraph("One."), empty(), empty()],
        ),
        (
            "an empty paragraph inside",
            vec![paragraph("One."), empty(), paragraph("Two.")],
        ),
        ("an empty beginning", vec![empty(), paragraph("One.")]),
        ("a trailing blank", vec![paragraph("One. ")]),
        ("a leading blank", vec![paragraph(" One.")]),
        ("two blanks", vec![paragraph("One.  Two.")]),
        (
            "a soft break",
            vec![node(
                "paragraph",
                vec![text("One."), line_break(), text("Two.")],
            )],
        ),
        (
            "a soft break at the end",
            vec![node("paragraph", vec![text("One."), line_break()])],
        ),
        (
            "an empty list item",
            vec![list(vec![item(vec![text("a")]), item(Vec::new())])],
        ),
        (
            "a nested empty item",
            vec![list(vec![
                item(vec![text("a")]),
                item(vec![list(vec![item(Vec::new())])]),
            ])],
        ),
        (
            "an empty quote",
            vec![paragraph("One."), node("extended-quote", Vec::new())],
        ),
        (
            "a quote with two breaks",
            vec![node(
                "extended-quote",
                vec![text("a"), line_break(), line_break(), text("b")],
            )],
        ),
        (
            "an empty Markdown card",
            vec![
                paragraph("One."),
                json!({ "type": "markdown", "version": 1, "markdown": "" }),
            ],
        ),
        (
            "an empty HTML card",
            vec![
                paragraph("One."),
                json!({ "type": "html", "version": 1, "html": "" }),
            ],
        ),
        (
            "an empty image",
            vec![
                paragraph("One."),
                json!({ "type": "image", "version": 1, "src": "", "alt": "", "caption": "" }),
            ],
        ),
        (
            "two texts of one format",
            vec![node("paragraph", vec![text("a"), text("b")])],
        ),
        ("no text at all", vec![empty()]),
    ]
}

#[test]
fn sent_document_is_returned_unchanged() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let file = folder.at("posts/2025-01-05-night-ferry.md");
    for (shape, nodes) in shapes() {
        let document = json!({ "root": { "children": nodes, "direction": "ltr", "format": "", "indent": 0, "type": "root", "version": 1 } });
        let parsed = |post: &Value| -> Value {
            serde_json::from_str(post["lexical"].as_str().expect("a document")).expect("JSON")
        };
        let sent = document.to_string();
        let post = json!({ "posts": [{ "title": shape, "lexical": sent }] });
        let (status, added) = editor.send("POST", "posts/", &post);
        assert_eq!(status, 201, "{shape}: {added}");
        assert_eq!(parsed(&added["posts"][0]), document, "{shape}");

        let open = editor.read("night-ferry");
        let saved = editor.edit(&open, json!({ "lexical": sent }));
        assert_eq!(parsed(&saved), document, "{shape}");
        wait_until("the file is written and read", || {
            run(&folder, &["status", "--data", "data", "--json"]).json()["counts"]
                ["edits of files waiting"]
                .is_null()
        });
        run(&folder, &["sync", "--data", "data"]);
        let read = editor.read("night-ferry");
        assert_eq!(parsed(&read), document, "{shape}");
        assert_eq!(read["updated_at"], saved["updated_at"], "{shape}");
        // Saving the unchanged document again does not change the file.
        let written = fs::read_to_string(&file).expect("a text");
        editor.edit(
            &read,
            json!({ "lexical": read["lexical"], "featured": true }),
        );
        wait_until("the edit is written", || {
            fs::read_to_string(&file).is_ok_and(|text| text.contains("featured: true"))
        });
        let again = fs::read_to_string(&file).expect("a text");
        assert_eq!(again.replace("featured: true\n", ""), written, "{shape}");
        let read = editor.read("night-ferry");
        editor.edit(&read, json!({ "featured": false }));
    }
}

#[test]
fn change_of_the_file_replaces_the_sent_document() {
    let (folder, served) = folder_with_ferry();
    let editor = Editor::of(&folder, &served);
    let file = folder.at("posts/2025-01-05-night-ferry.md");
    let open = editor.read("night-ferry");
    let lexical = open["lexical"].as_str().expect("a document");
    let mut document: Value = serde_json::from_str(lexical).expect("JSON");
    let blocks = document["root"]["children"].as_array_mut().expect("blocks");
    blocks.push(json!({ "type": "email", "version": 1, "html": "<p>Mail</p>" }));
    blocks.push(node("paragraph", Vec::new()));
    editor.edit(&open, json!({ "lexical": document.to_string() }));
    wait_until("the card is in the file", || {
        fs::read_to_string(&file).is_ok_and(|text| text.contains("<p>Mail</p>"))
    });
    let text = fs::read_to_string(&file).expect("a text");
    fs::write(&file, text.replace("<p>Mail</p>", "<p>Letter</p>")).expect("the file is written");
    // Only the document changes: a mail card is not part of the HTML.
    wait_until("the document has the change of the file", || {
        editor.read("night-ferry")["lexical"]
            .to_string()
            .contains("<p>Letter</p>")
    });
}
