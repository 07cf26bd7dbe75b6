//! Tests of edits whose process is killed before they are written to the content folder.

use std::fs;

use galley_tests::{command_line::run, folder::Folder, galley_process::GalleyProcess, wait_until};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::write_back::editing::{Editor, FERRY, folder_with_ferry, with_last_block};

const FILE: &str = "posts/2025-01-05-night-ferry.md";

fn serve(folder: &Folder) -> GalleyProcess {
    GalleyProcess::serve(folder, &["--content", "content", "--write-back", "folder"])
}

fn text_of(folder: &Folder) -> String {
    fs::read_to_string(folder.at(FILE)).expect("a text")
}

fn conflicts(folder: &Folder) -> Value {
    let status = run(folder, &["status", "--data", "data", "--json"]).json();
    status["conflicts"].clone()
}

#[test]
fn kills_between_quick_saves_cause_no_conflict_with_the_same_editor() {
    let (folder, mut served) = folder_with_ferry();
    for round in 0..6 {
        let editor = Editor::of(&folder, &served);
        let ferry = editor.read("night-ferry");
        let save = |read: &Value, end: &str| {
            editor.edit(read, json!({ "lexical": with_last_block(read, end) }))
        };
        let [first, second] = ["First", "Second"].map(|name| format!("{name} of {round}."));
        let saved = save(&ferry, &first);
        while !text_of(&folder).contains(&first) {}
        save(&saved, &second);
        served.stop(Signal::KILL);
        served = serve(&folder);
        wait_until("the file contains the last save", || {
            text_of(&folder).contains(&second)
        });
        let found = conflicts(&folder);
        assert!(found.as_array().is_none_or(Vec::is_empty), "{found}");
    }
}

#[test]
fn change_of_the_file_applies_and_the_next_save_collides() {
    const ROUNDS: usize = 50;
    for round in 0..ROUNDS {
        let (folder, served) = folder_with_ferry();
        let editor = Editor::of(&folder, &served);
        let ferry = editor.read("night-ferry");
        let document = with_last_block(&ferry, "By the editor.");
        let saved = editor.edit(&ferry, json!({ "lexical": document }));
        served.stop(Signal::KILL);
        // The edit was written before the kill, so try again.
        if text_of(&folder) != FERRY && round + 1 < ROUNDS {
            continue;
        }
        folder.write(FILE, FERRY.replace("The   end.", "By hand."));
        let served = serve(&folder);
        let editor = Editor::of(&folder, &served);
        let now = editor.read("night-ferry");
        let html = now["html"].to_string();
        assert!(
            html.contains("By hand.") && !html.contains("By the editor."),
            "{html}"
        );
        assert_ne!(now["updated_at"], saved["updated_at"]);
        assert_eq!(conflicts(&folder)[0]["path"], FILE);
        let (_, found) = editor.send("GET", "git/", &Value::Null);
        assert_eq!(found["git"][0]["write_back"], "folder", "{found}");
        assert_eq!(found["git"][0]["conflicts"][0]["path"], FILE, "{found}");
        for read in [&ferry, &saved] {
            let stale = json!({ "lexical": with_last_block(read, "Stale.") });
            let (status, refusal) = editor.try_edit(read, stale);
            assert_eq!(status, 409, "{refusal}");
            assert_eq!(refusal["errors"][0]["type"], "UpdateCollisionError");
        }
        editor.edit(
            &now,
            json!({ "lexical": with_last_block(&now, "Together.") }),
        );
        wait_until("the file contains the save of the newest version", || {
            text_of(&folder).contains("Together.")
        });
        return;
    }
}
