//! Tests that an edit of a document changes only the edited blocks in the text of a body.

use galley::content_text::{BodyFormat, BodyReader, EditError};
use galley::render::markdown::Dialect;
use serde_json::{Value, json};

use super::random_edits::rendered;

pub fn reader(format: BodyFormat) -> BodyReader<'static> {
    BodyReader {
        format,
        dialect: Dialect::GALLEY,
        resolve: &|url| {
            let path = url.written.strip_prefix("./")?;
            Some(format!("__GHOST_URL__/content/{path}"))
        },
        urls: &[],
        expand: None,
    }
}

const MARKDOWN: &str = "
First *paragraph*, with a [link][a].
Two lines.

[a]: https://a.example

Setext
------
<!-- a comment -->

- tight
- list

* loose

* list

| a | b |
|---|---|
| 1 | 2 |

<div>

Raw *HTML*

</div>

```rust
fn main() {}
```

![A picture](./a.png)

    indented code

Last.
";

pub fn nodes(body: &str, reader: BodyReader<'_>) -> Vec<Value> {
    let document: Value = serde_json::from_str(&reader.document(body).lexical).unwrap();
    document["root"]["children"].as_array().unwrap().clone()
}

pub fn document(nodes: &[Value]) -> String {
    json!({"root": {"type": "root", "version": 1, "children": nodes}}).to_string()
}

fn edited(body: &str, edit: impl FnOnce(&mut Vec<Value>)) -> Result<String, EditError> {
    let reader = reader(BodyFormat::Markdown);
    let mut nodes = nodes(body, reader);
    edit(&mut nodes);
    reader.write(body, &reader.document(body).lexical, &document(&nodes))
}

pub fn paragraph(text: &str) -> Value {
    json!({"type": "paragraph", "version": 1, "children": [{"type": "extended-text", "text": text, "format": 0}]})
}

fn index_of(nodes: &[Value], text: &str) -> usize {
    nodes
        .iter()
        .position(|node| node.to_string().contains(text))
        .unwrap()
}

#[track_caller]
fn assert_edit(body: &str, edit: impl FnOnce(&mut Vec<Value>), from: &str, to: &str) {
    assert!(body.contains(from), "{from}");
    assert_eq!(edited(body, edit).unwrap(), body.replacen(from, to, 1));
}

#[test]
fn blocks_are_nodes_or_cards_with_their_bytes() {
    let reader = reader(BodyFormat::Markdown);
    let read = reader.document(MARKDOWN);
    let nodes = nodes(MARKDOWN, reader);
    let shown: Vec<(&str, &str)> = nodes
        .iter()
        .zip(&read.blocks)
        .map(|(node, range)| (node["type"].as_str().unwrap(), &MARKDOWN[range.clone()]))
        .collect();
    assert_eq!(
        shown,
        [
            (
                "paragraph",
                "First *paragraph*, with a [link][a].\nTwo lines."
            ),
            ("extended-heading", "Setext\n------"),
            ("list", "- tight\n- list"),
            ("list", "* loose\n\n* list"),
            ("markdown", "| a | b |\n|---|---|\n| 1 | 2 |"),
            ("html", "<div>\n\nRaw *HTML*\n\n</div>"),
            ("codeblock", "```rust\nfn main() {}\n```"),
            ("image", "![A picture](./a.png)"),
            ("codeblock", "    indented code"),
            ("paragraph", "Last."),
        ]
    );
}

#[test]
fn only_edited_blocks_change() {
    assert_edit(MARKDOWN, |_| {}, "", "");
    assert_edit(
        MARKDOWN,
        |nodes| *nodes.last_mut().unwrap() = paragraph("The *end*."),
        "Last.",
        "The \\*end\\*.",
    );
    assert_edit(
        MARKDOWN,
        |nodes| nodes.push(paragraph("New")),
        "Last.",
        "Last.\n\nNew",
    );
    assert_edit(
        MARKDOWN,
        |nodes| nodes.insert(0, paragraph("New")),
        "First",
        "New\n\nFirst",
    );
    assert_edit(
        MARKDOWN,
        |nodes| drop(nodes.remove(0)),
        "First *paragraph*, with a [link][a].\nTwo lines.\n\n",
        "",
    );
    assert_edit(
        MARKDOWN,
        |nodes| drop(nodes.pop()),
        "    indented code\n\nLast.",
        "    indented code",
    );
    assert_edit(
        MARKDOWN,
        |nodes| {
            let index = index_of(nodes, "codeblock");
            nodes[index]["code"] = json!("fn other() {}");
        },
        "fn main() {}",
        "fn other() {}",
    );
    assert_edit(
        MARKDOWN,
        |nodes| {
            let index = index_of(nodes, "A picture");
            nodes[index]["alt"] = json!("Another");
        },
        "A picture",
        "Another",
    );
    assert_edit(
        MARKDOWN,
        |nodes| {
            let index = index_of(nodes, "| 1 | 2 |");
            nodes[index]["markdown"] = json!("| a |\n|---|\n| 3 |");
        },
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "| a |\n|---|\n| 3 |",
    );
}

#[test]
fn moved_blocks_keep_their_notation() {
    let body = "One\ntwo\n\n* a\n+ b\n\nThree\n===\n";
    let moved = edited(body, |nodes| nodes.rotate_left(1)).unwrap();
    assert_eq!(moved, "* a\n+ b\n\nThree\n===\n\nOne\ntwo\n");
}

#[test]
fn adjacent_lists_that_would_merge_are_separated() {
    let body = "- a\n\nOne\n\n- b\n";
    let joined = edited(body, |nodes| drop(nodes.remove(1))).unwrap();
    assert_eq!(joined, "- a\n\n<!-- -->\n\n- b\n");
}

#[test]
fn nodes_without_markdown_syntax_are_fenced_blocks() {
    let callout = json!({"type": "callout", "version": 1, "calloutText": "Mind the gap", "calloutEmoji": "", "backgroundColor": "blue"});
    let written = edited("One\n", |nodes| nodes.push(callout.clone())).unwrap();
    assert!(
        written.starts_with("One\n\n```lexical\n{\n  \"type\": \"callout\""),
        "{written}"
    );
    let reader = reader(BodyFormat::Markdown);
    assert_eq!(nodes(&written, reader)[1], callout);
    assert!(reader.html(&written).contains("kg-callout-card"));
    let back = edited(&written, |nodes| drop(nodes.pop())).unwrap();
    assert_eq!(back, "One\n");
}

#[test]
fn empty_body_gets_content() {
    assert_eq!(
        edited("", |nodes| *nodes = vec![paragraph("a")]).unwrap(),
        "a\n"
    );
    assert_eq!(
        edited("\n", |nodes| *nodes = vec![paragraph("a")]).unwrap(),
        "\na\n"
    );
}

#[test]
fn footnotes_follow_their_references() {
    let body = "A[^x] b.\n\n[^x]: The note\n\nC[^y].\n\n[^y]: Other\n";
    assert_edit(
        body,
        |nodes| nodes.insert(1, paragraph("New")),
        "[^x]: The",
        "New\n\n[^x]: The",
    );
    assert_edit(body, |nodes| drop(nodes.remove(1)), "C[^y].\n\n", "");
}

#[test]
fn edited_paragraph_keeps_its_footnote_references() {
    let body = "One.[^x] *Two*.\n\nThree.[^y]\n\n[^x]: The note\n\n[^y]: Other\n";
    let written = edited(body, |nodes| {
        let html = nodes[0]["html"].as_str().unwrap();
        nodes[0]["html"] = json!(html.replace("One.", "Oone."));
    });
    assert_eq!(written.unwrap(), body.replace("One.", "Oone."));
}

/// In a body for the editor, references and the list of footnotes are nodes.
#[test]
fn footnotes_of_the_editor_stay_with_the_edits_around_them() {
    let reader = reader(BodyFormat::Lexical);
    let body = "One.[^x] Two.\n\nThree.[^y]\n\n[^x]: The note\n\n[^y]: Other\n";
    let shown = reader.document(body).lexical;
    let write = |edited: &str| reader.write(body, &shown, edited).unwrap();
    let edited = shown.replace("One.", "Oone.");
    assert_eq!(write(&edited), body.replace("One.", "Oone."));
    let edited = shown.replace("The note", "A longer note");
    let written = write(&edited);
    assert!(written.contains("A longer note"), "{written}");
    let mut moved = nodes(body, reader);
    moved.swap(0, 1);
    for edited in [edited, document(&moved)] {
        let edited: Value = serde_json::from_str(&edited).unwrap();
        let edited = edited["root"]["children"].as_array().unwrap();
        let written = write(&document(edited));
        assert_eq!(
            rendered(&nodes(&written, reader)),
            rendered(edited),
            "{written}"
        );
    }
}

#[test]
fn edit_of_a_file_that_has_changed_is_refused() {
    let reader = reader(BodyFormat::Markdown);
    let shown = reader.document("One\n").lexical;
    reader
        .write("Two\n", &shown, &document(&[paragraph("Three")]))
        .unwrap_err();
}

#[test]
fn templates_keep_their_lines() {
    let expand = |body: &str| {
        let mut expansion = galley::content_text::Expansion::default();
        for (number, line) in body.split_inclusive('\n').enumerate() {
            let shown = match line.trim_end() {
                "{{< video >}}" => "<figure>\n<video src=\"a.mp4\"></video>\n</figure>\n",
                line if line.starts_with("{{%") => "",
                _ => line,
            };
            expansion.text.push_str(shown);
            expansion
                .lines
                .extend(shown.split_inclusive('\n').map(|_| number));
        }
        expansion.lines.push(body.lines().count());
        expansion
    };
    let reader = BodyReader {
        expand: Some(&expand),
        ..reader(BodyFormat::Markdown)
    };
    let body = "One\n\n{{< video >}}\n\n{{% hidden %}}\n\nTwo\n";
    let read = reader.document(body);
    let mut nodes = nodes(body, reader);
    assert_eq!(
        &body[read.blocks[1].clone()],
        "{{< video >}}\n\n{{% hidden %}}"
    );
    nodes[0] = paragraph("First");
    nodes.push(paragraph("{{< video >}}"));
    let written = reader
        .write(body, &read.lexical, &document(&nodes))
        .unwrap();
    assert_eq!(
        written,
        "First\n\n{{< video >}}\n\n{{% hidden %}}\n\nTwo\n\n\\{\\{< video >\\}\\}\n"
    );
}

#[test]
fn html_and_editor_bodies_are_written_in_their_language() {
    let reader_of = reader;
    let html = reader_of(BodyFormat::Html);
    let body = "<p>One</p>\n<p>Two</p>\n";
    let shown = html.document(body).lexical;
    assert_eq!(html.write(body, &shown, &shown).unwrap(), body);
    let written = html
        .write(body, &shown, &document(&[paragraph("Three")]))
        .unwrap();
    assert_eq!(written, "<p>Three</p>\n");
    let lexical = reader_of(BodyFormat::Lexical);
    let body = "One\ntwo\n\n```lexical\n{\"type\": \"paywall\", \"version\": 1}\n```\n";
    let shown = lexical.document(body).lexical;
    let mut edited = nodes(body, lexical);
    edited.push(paragraph("Three"));
    let written = lexical.write(body, &shown, &document(&edited)).unwrap();
    assert_eq!(written, format!("{body}\nThree\n"));
}
