//! Tests of the format of diagnostics.

use galley::{
    content_files::ContentFile,
    content_text::{Diagnostic, Source},
};

use super::reading::{problem, read};

#[test]
fn diagnostic_is_one_flat_json_object() {
    let problem = problem("posts/a.md", "+++\ntitle = 'T'\n  featured = 1\n+++\n");
    assert_eq!(
        serde_json::to_value(problem).unwrap(),
        serde_json::json!({
            "severity": "error",
            "file": "posts/a.md",
            "line": 3,
            "column": 14,
            "line_text": "  featured = 1",
            "mark_start": 13,
            "mark_length": 1,
            "message": "`featured` must be true or false, not a whole number",
            "advice": "write, for example, `featured = true`",
        })
    );
}

#[test]
fn diagnostic_about_a_whole_file_has_no_position() {
    let diagnostic = Diagnostic::about_file("a.md", "it is gone", "bring it back");
    assert_eq!(
        diagnostic.to_string(),
        "error: it is gone\n--> a.md\n = help: bring it back"
    );
    assert_eq!(
        serde_json::to_value(diagnostic).unwrap(),
        serde_json::json!({ "severity": "error", "file": "a.md", "message": "it is gone", "advice": "bring it back" })
    );
}

#[test]
fn marker_aligns_under_wide_characters_and_tabs() {
    let problem = problem("posts/a.md", "---\ntitle: T\nid: 東京!\n---\n");
    let shown = problem.to_string();
    assert!(shown.contains("3 | id: 東京!\n  |     ^^^^^\n"), "{shown}");
    let tabbed =
        super::reading::problem("posts/a.md", "+++\ntitle\t=\t'T'\nfeatured\t=\t'x'\n+++\n")
            .to_string();
    assert!(
        tabbed.contains("3 | featured = 'x'\n  |            ^^^\n"),
        "{tabbed}"
    );
}

#[test]
fn long_line_is_shown_around_the_marker() {
    let filler = "x".repeat(190);
    let problem = problem(
        "posts/a.md",
        format!(
            "+++\ntitle = 'T'\ntags = ['{}', 7, '{filler}']\n+++\n",
            "y".repeat(180)
        ),
    );
    let position = problem.position.as_ref().unwrap();
    assert_eq!((position.line, position.column), (3, 193));
    assert_eq!(position.text.chars().count(), 120);
    assert_eq!(
        problem
            .to_string()
            .lines()
            .nth(4)
            .unwrap()
            .trim_start_matches("  | ")
            .trim(),
        "^"
    );
}

#[test]
fn later_diagnostic_has_its_source_position() {
    let parsed = read(
        "posts/a.md",
        "+++\ntitle = 'T'\nauthors = ['ada', 'no-one']\n+++\n",
    );
    let (Some(source), Some(ContentFile::Post(post))) = (parsed.source, parsed.value) else {
        panic!("no post")
    };
    let author = &post.fields.authors.as_ref().unwrap()[1];
    let diagnostic = source.error(
        author.span,
        "there is no author `no-one`",
        "add authors/no-one.toml",
    );
    let position = diagnostic.position.unwrap();
    assert_eq!((position.line, position.column), (3, 19));
}

#[test]
fn position_in_the_body_can_be_shown() {
    let parsed = read(
        "posts/a.md",
        "+++\ntitle = 'T'\n+++\n\nA ![photo](gone.jpg).\n",
    );
    let (Some(source), Some(ContentFile::Post(post))) = (parsed.source, parsed.value) else {
        panic!("no post")
    };
    let start = post.body.text().find("gone.jpg").unwrap();
    let diagnostic = source.warning(
        post.body.span(start, start + 8),
        "there is no gone.jpg",
        "add it",
    );
    assert!(
        diagnostic
            .to_string()
            .contains("5 | A ![photo](gone.jpg).\n  |            ^^^^^^^^\n")
    );
}

#[test]
fn first_invalid_utf_8_byte_is_marked() {
    let problem = problem("posts/a.md", b"+++\r\ntitle = 'Caf\xE9'\r\n+++\r\n");
    let position = problem.position.as_ref().unwrap();
    assert_eq!((position.line, position.column), (2, 13));
    assert_eq!(
        problem.message,
        "the file is not UTF-8: byte 0xE9 is invalid"
    );
}

#[test]
fn diagnostics_are_in_file_order() {
    let parsed = read("posts/a.md", "+++\nzz = 1\naa = 2\nslug = '?'\n+++\n");
    let lines: Vec<u32> = parsed
        .diagnostics
        .iter()
        .filter_map(|one| Some(one.position.as_ref()?.line))
        .collect();
    assert_eq!(lines, [1, 2, 3, 4]);
}

#[test]
fn span_of_another_file_never_panics() {
    let long = read("posts/a.md", "+++\ntitle = 'T'\nslug = 'abc'\n+++\n");
    let Some(ContentFile::Post(post)) = long.value else {
        panic!("no post")
    };
    let short = Source::decode("posts/b.md", "é".as_bytes()).unwrap();
    assert!(
        short
            .error(post.fields.slug.unwrap().span, "x", "y")
            .to_string()
            .contains("posts/b.md:1:")
    );
}
