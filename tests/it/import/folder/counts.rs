//! Tests that documents and imported posts have equal element counts.

use super::*;

const BODY: &str = "A [link](https://a.example/)[^1] and ![a picture](deck.jpg).\n\n1. one\n\n   ```sh\n   ls\n   ```\n\n2. two\n\n\
    ```rust\nfn main() {}\n```\n\n[![](deck.jpg)](https://b.example/)\n\n[^1]: A note.\n";

fn content_counts(report: &Report) -> Vec<(String, usize, usize)> {
    let passed = report.passed.iter();
    passed
        .map(|(kind, passed)| (kind.clone(), passed.r#in, passed.out))
        .collect()
}

#[test]
fn element_counts_of_documents_and_posts_are_equal() {
    let text = format!("---\ntitle: A\ndate: 2024-01-01\n---\n{BODY}");
    let migration = Migration::of(&[("a.md", &text), ("b.md", &text), ("deck.jpg", "deck")]);
    let expected = [
        ("code_blocks", 4, 4),
        ("footnotes", 2, 2),
        ("links", 8, 8),
        ("pictures", 4, 4),
        ("texts", 2, 2),
    ]
    .map(|(kind, before, after)| (kind.to_owned(), before, after));

    let first = migration.import();
    assert_eq!(content_counts(&first), expected);
    assert!(is_clean(&first), "{:?}", first.changed);
    // The counts are the same when nothing has to be saved.
    assert_eq!(content_counts(&migration.import()), expected);
}

#[test]
fn lost_elements_are_reported_with_their_file() {
    let migration = Migration::of(&[
        (
            "a.md",
            "---\ntitle: A\ndate: 2024-01-01\n---\n<p>a <a href=\"javascript:alert(1)\">b</a></p>\n",
        ),
        ("b.md", "---\ntitle: [\n---\nText.\n"),
    ]);

    let report = migration.import();

    assert_eq!(
        report.passed["texts"],
        galley::import::ContentCount { r#in: 2, out: 1 }
    );
    assert_eq!(
        report.passed["links"],
        galley::import::ContentCount { r#in: 1, out: 0 }
    );
    let expected = "a.md: the file has 1 links, and the post has 0".to_owned();
    assert!(
        lines(&report.changed).contains(&expected),
        "{:?}",
        report.changed
    );
}

#[test]
fn changed_block_ends_are_reported_with_their_line() {
    let migration = Migration::of(&[(
        "a.md",
        "---\ntitle: A\ndate: 2024-01-01\n---\nText.\n\n<div class=\"note\">\n\nMore.\n",
    )]);
    let report = migration.import();
    let expected =
        "a.md:7: this HTML element is not closed; it is closed at the end of its block".to_owned();
    assert_eq!(lines(&report.changed), [expected]);
}
