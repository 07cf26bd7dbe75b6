//! Tests that the saves of an editor who works alone never collide: whatever the folder, the commits and the pulls do with one, the
//! next one is accepted, however soon it comes.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use galley_tests::{command_line::run, galley_process::GalleyProcess, wait_until};
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::{
        commits::{serve, work_tree},
        editing::{Editor, FERRY, folder_with_ferry, with_site_url},
    },
};

/// Milliseconds from one save to the next, in turns: below and above the time of the folder's watcher, a commit and a push.
const PAUSES_MS: [u64; 9] = [0, 700, 3, 130, 0, 1300, 40, 300, 1];

const POSTS: usize = 3;
const SAVES: usize = 6;

/// Writes posts as the editor of the app does: title, text, more text, publication, more text, each with the date of change that
/// the reply before had.
fn write_posts(editor: &Editor<'_>) {
    let mut pauses = PAUSES_MS.into_iter().cycle();
    let mut pause = || thread::sleep(Duration::from_millis(pauses.next().unwrap_or_default()));
    for number in 0..POSTS {
        let title = json!({ "posts": [{ "title": format!("Post {number}"), "status": "draft" }] });
        let (status, added) = editor.send("POST", "posts/", &title);
        assert_eq!(status, 201, "{added}");
        let mut post = added["posts"][0].clone();
        for save in 0..SAVES {
            pause();
            let mut fields = json!({ "lexical": document(save) });
            if save == SAVES / 2 {
                fields["status"] = json!("published");
            }
            post = editor.edit(&post, fields);
        }
        let slug = post["slug"].as_str().expect("a slug");
        let served = editor.read(slug);
        let text = format!("Line {}.", SAVES - 1);
        assert!(served["html"].to_string().contains(&text), "{served}");
    }
}

/// A document with so many lines, and an empty one, as while the author continues to write.
fn document(lines: usize) -> String {
    let paragraph = |children: Value| json!({ "children": children, "direction": "ltr", "format": "", "indent": 0, "type": "paragraph", "version": 1 });
    let text = |line: usize| {
        let text = format!("Line {line}.");
        json!([{ "detail": 0, "format": 0, "mode": "normal", "style": "", "text": text, "type": "extended-text", "version": 1 }])
    };
    let mut children: Vec<Value> = (0..=lines).map(|line| paragraph(text(line))).collect();
    children.push(paragraph(json!([])));
    json!({ "root": { "children": children, "direction": "ltr", "format": "", "indent": 0, "type": "root", "version": 1 } })
        .to_string()
}

/// Ends the concurrent threads, also when the test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn saves_into_a_folder() {
    let (folder, served) = folder_with_ferry();
    write_posts(&Editor::of(&folder, &served));
}

#[test]
fn saves_that_are_committed() {
    let folder = work_tree();
    let served = serve(&folder);
    write_posts(&Editor::of(&folder, &served));
}

#[test]
fn saves_that_are_pushed_and_pulled_at_the_same_time() {
    let origin = Origin::with(&[("posts/night-ferry.md", FERRY)]);
    let settings = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 0\n";
    let folder = site_of(&origin.url(), 3600, settings);
    with_site_url(&folder);
    let served = GalleyProcess::serve(&folder, &[]);
    let editor = Editor::of(&folder, &served);
    let is_done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                run(&folder, &["sync", "--data", "data"]);
            }
        });
        let _end = End(&is_done);
        write_posts(&editor);
    });
    wait_until("no edit waits", || {
        run(&folder, &["sync", "--data", "data"]);
        let state = editor.send("GET", "git/", &Value::Null).1;
        state["git"][0]["waiting_edits"] == 0
    });
}
