//! Tests that random API edits and pushes from clones, with kills in between, lose no acknowledged edit.
//!
//! `GALLEY_ENDURANCE_ROUNDS` sets the number of rounds, [`ROUNDS`] by default.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use galley_tests::{
    command_line::run, content_responses::without_dates, folder::Folder,
    galley_process::GalleyProcess, wait_until,
};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::{
    repository::origin::{Origin, site_of},
    write_back::editing::Editor,
};

const ROUNDS: usize = 12;

const POSTS: usize = 4;

/// The number of paragraphs in each post.
const PARAGRAPHS: usize = 4;

const WRITES_BACK: &str = "[source]\nwrite_back = \"push\"\nwrite_back_settle_s = 1\n";

/// A fixed site URL, so that two servers have equal responses.
const URL: &[&str] = &["--url", "https://example.com"];

/// A pseudorandom number generator (SplitMix64).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

fn path_of(post: usize) -> String {
    format!("posts/ferry-{post}.md")
}

fn text_of(post: usize) -> String {
    let paragraphs: Vec<String> = (0..PARAGRAPHS)
        .map(|index| format!("Paragraph {index} of {post}.\n"))
        .collect();
    format!(
        "---\ntitle: Ferry {post}\ndate: 2025-01-0{}\n---\n\n{}",
        post + 1,
        paragraphs.join("\n")
    )
}

fn git(folder: &Path, arguments: &[&str]) -> bool {
    let identity = [
        "-c",
        "user.name=Grace",
        "-c",
        "user.email=grace@example.com",
    ];
    let output = Command::new("git")
        .current_dir(folder)
        .args(identity)
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .expect("git runs");
    output.status.success()
}

/// Replaces a paragraph of a post through the API, and returns whether the edit was accepted.
fn edit(folder: &Folder, served: &GalleyProcess, post: usize, index: usize, word: &str) -> bool {
    let editor = Editor::of(folder, served);
    let read = editor.read(&format!("ferry-{post}"));
    let lexical = read["lexical"].as_str().expect("a document");
    let mut document: Value = serde_json::from_str(lexical).expect("JSON");
    let blocks = document["root"]["children"].as_array_mut().expect("blocks");
    let index = index.min(blocks.len() - 1);
    blocks[index]["children"] = json!([{
        "type": "extended-text", "version": 1, "text": word,
        "detail": 0, "format": 0, "mode": "normal", "style": ""
    }]);
    let (status, saved) = editor.try_edit(&read, json!({ "lexical": document.to_string() }));
    assert!(status == 200 || status == 409, "{status}: {saved}");
    status == 200
}

/// Replaces a paragraph in a clone and pushes it, or discards it if another client changed the same paragraph meanwhile.
fn push(clone: &Path, post: usize, index: usize, word: &str) {
    let file = clone.join(path_of(post));
    let text = fs::read_to_string(&file).expect("a text");
    let mut paragraphs: Vec<String> = text.split("\n\n").map(str::to_owned).collect();
    let index = (index + 1).min(paragraphs.len() - 1);
    let end = if paragraphs[index].ends_with('\n') {
        "\n"
    } else {
        ""
    };
    paragraphs[index] = format!("{word}{end}");
    fs::write(&file, paragraphs.join("\n\n")).expect("the file is written");
    assert!(git(clone, &["commit", "-q", "--all", "-m", word]));
    if git(clone, &["push", "-q", "origin", "HEAD:main"]) {
        return;
    }
    let is_rebased = git(clone, &["pull", "-q", "--rebase", "origin", "main"]);
    if !is_rebased || !git(clone, &["push", "-q", "origin", "HEAD:main"]) {
        git(clone, &["rebase", "--abort"]);
        git(clone, &["fetch", "-q", "origin"]);
        git(clone, &["reset", "-q", "--hard", "origin/main"]);
    }
}

fn clones(origin: &Origin) -> Vec<PathBuf> {
    let names = ["one", "two"];
    let clone = |name: &str| {
        git(origin.top(), &["clone", "-q", &origin.url(), name]);
        origin.top().join(name)
    };
    names.map(clone).into()
}

#[test]
fn acknowledged_edits_are_in_the_branch_or_in_conflict_branches() {
    let rounds = env::var("GALLEY_ENDURANCE_ROUNDS").ok();
    let rounds = rounds.map_or(ROUNDS, |rounds| rounds.parse().expect("a number"));
    let texts: Vec<(String, String)> = (0..POSTS)
        .map(|post| (path_of(post), text_of(post)))
        .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let origin = Origin::with(&files);
    let clones = clones(&origin);
    let folder = site_of(&origin.url(), 1, WRITES_BACK);
    let mut random = Random(42);
    let mut served = GalleyProcess::serve(&folder, URL);
    // The last accepted API edit of each paragraph.
    let mut acknowledged: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for round in 0..rounds {
        for step in 0..3 {
            let (post, index) = (random.below(POSTS), random.below(PARAGRAPHS));
            let word = format!("word-{round}-{step}");
            match random.below(5) {
                0 | 1 => push(
                    &clones[random.below(clones.len())],
                    post,
                    index,
                    &format!("git-{word}"),
                ),
                _ => {
                    if edit(&folder, &served, post, index, &format!("api-{word}.")) {
                        acknowledged.insert((post, index), format!("api-{word}."));
                    }
                }
            }
        }
        if random.below(3) == 0 {
            served.stop(Signal::KILL);
            served = GalleyProcess::serve(&folder, URL);
        }
    }
    wait_until("all edits are in the repository", || {
        let git = run(&folder, &["status", "--data", "data", "--json"]).json()["git"].clone();
        origin.git(&["fetch", "-q", "--prune", "origin"]);
        git["waiting_edits"] == 0
            && git["served"]["commit"] == origin.git(&["rev-parse", "origin/main"]).trim()
    });
    let history = origin.git(&["log", "-p", "--all", "--format=%s"]);
    for word in acknowledged.values() {
        assert!(history.contains(word.as_str()), "{word} is lost");
    }
    let responses = without_dates(&served.responses());
    let elsewhere = site_of(&origin.url(), 1, WRITES_BACK);
    let again = GalleyProcess::serve(&elsewhere, URL);
    assert_eq!(without_dates(&again.responses()), responses);
}
