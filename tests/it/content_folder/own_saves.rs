//! Tests that the saves of a single editor never collide: while a save is written, committed, pushed or pulled, the next save is
//! accepted at any time.

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

/// The pauses between saves in milliseconds, below and above the durations of the folder's watcher, a commit and a push.
const PAUSES_MS: [u64; 9] = [0, 700, 3, 130, 0, 1300, 40, 300, 1];

const POSTS: usize = 3;
const SAVES: usize = 6;

/// Writes posts as the admin app's editor does: a title, then growing text with a publication in between. Each save has the
/// update date of the previous response.
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

/// Returns a document with paragraphs 0 to `lines` and an empty last paragraph, as while the author is writing.
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

/// Ends the concurrent thread when dropped, even if the test panics.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn saves_written_to_a_folder_never_collide() {
    let (folder, served) = folder_with_ferry();
    write_posts(&Editor::of(&folder, &served));
}

#[test]
fn committed_saves_never_collide() {
    let folder = work_tree();
    let served = serve(&folder);
    write_posts(&Editor::of(&folder, &served));
}

#[test]
fn concurrently_pushed_and_pulled_saves_never_collide() {
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
    wait_until("no edit is pending", || {
        run(&folder, &["sync", "--data", "data"]);
        let state = editor.send("GET", "git/", &Value::Null).1;
        state["git"][0]["waiting_edits"] == 0
    });
}
