//! Tests that edits of different keys and blocks merge, and that edits of the same key or block are conflicts.

use galley::content_text::{BodyFormat, Conflict, FileShape, merge};

use super::bodies::reader;

const BASE: &str = "---\ntitle: A # the title\ntags: [a]\ncover:\n  image: a.png\n---\n\n# One\nTwo\n\n- three\n\nFour\n";

fn merged(theirs: &str, ours: &str) -> (String, Vec<Conflict>) {
    let reader = reader(BodyFormat::Markdown);
    let merged = merge(FileShape::DOCUMENT, &reader, BASE, theirs, ours);
    (merged.text, merged.conflicts)
}

fn changed(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(BASE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

#[test]
fn different_keys_and_blocks_merge() {
    let theirs = [
        ("title: A", "title: B"),
        ("Two", "Deux"),
        ("tags: [a]\n", ""),
    ];
    let ours = [
        ("image: a.png", "image: b.png\n  alt: b"),
        ("Four", "Vier\n\nFive"),
        ("---\n\n", "draft: true\n---\n\n"),
    ];
    let expected = changed(&[&theirs[..], &ours].concat());
    assert_eq!(
        merged(&changed(&theirs), &changed(&ours)),
        (expected.clone(), Vec::new())
    );
    assert_eq!(
        merged(&changed(&ours), &changed(&theirs)),
        (expected, Vec::new())
    );
    let crlf = changed(&theirs).replace('\n', "\r\n");
    let expected = changed(&[&theirs[..], &ours].concat()).replace('\n', "\r\n");
    assert_eq!(merged(&crlf, &changed(&ours)), (expected, Vec::new()));
}

#[test]
fn theirs_wins_in_conflicts_of_keys_and_blocks() {
    let theirs = changed(&[("image: a.png", "image: b.png"), ("- three", "- drei")]);
    let ours = changed(&[
        ("image: a.png", "image: c.png"),
        ("- three", "- trois"),
        ("Four", "Quatre"),
    ]);
    let (text, conflicts) = merged(&theirs, &ours);
    assert_eq!(text, theirs.replace("Four", "Quatre"));
    let key = Conflict::Key {
        name: "cover.image".to_owned(),
    };
    let block = Conflict::Block {
        theirs: "- drei".to_owned(),
        ours: "- trois".to_owned(),
    };
    assert_eq!(conflicts, [key, block]);
}

#[test]
fn single_edit_is_applied_unchanged() {
    let edit = changed(&[("title: A", "title:   'B'"), ("Two", "Deux\n\n\n")]);
    assert_eq!(merged(BASE, &edit), (edit.clone(), Vec::new()));
    assert_eq!(merged(&edit, BASE), (edit.clone(), Vec::new()));
    assert_eq!(merged(&edit, &edit), (edit.clone(), Vec::new()));
}

#[test]
fn blocks_added_at_one_position_are_all_in_the_merge() {
    let theirs = changed(&[("Four", "Theirs\n\nFour")]);
    let ours = changed(&[("Four", "Ours\n\nFour")]);
    assert_eq!(
        merged(&theirs, &ours),
        (changed(&[("Four", "Theirs\n\nOurs\n\nFour")]), Vec::new())
    );
}
