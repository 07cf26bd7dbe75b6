//! Tests that an edited body is read back equal from the text that was written, for random texts and edits.

use std::{fs, path::Path};

use galley::{
    content_text::{
        BodyFormat, BodyReader, FileShape, KeyChange, KeyValue, body_of, edit_keys, merge,
        with_body,
    },
    render::{equivalence::NormalForm, lexical, markdown::Dialect},
};
use galley_tests::random::{TestRandom, rounds};
use serde_json::{Value, json};
use url::Url;
use walkdir::WalkDir;

use super::bodies::{document, nodes, paragraph, reader};

/// The default number of edit sequences; `GALLEY_ENDURANCE_ROUNDS=10000` runs more.
const SEQUENCES: u64 = 300;

/// Returns documents, each with its dialect: files of all generators, the Markdown of the rendering tests, and the constructs
/// of each section of CommonMark and of GitHub's extensions, in two dialects.
fn corpus() -> Vec<(String, Dialect)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = Vec::new();
    for folder in ["content", "tests/generators/sites", "docs"] {
        for entry in WalkDir::new(root.join(folder)).sort_by_file_name() {
            let entry = entry.unwrap();
            let is_markdown = entry
                .path()
                .extension()
                .is_some_and(|end| end == "md" || end == "mdx");
            if !is_markdown
                || entry
                    .path()
                    .components()
                    .any(|part| part.as_os_str() == "node_modules")
            {
                continue;
            }
            let generator = entry.path().strip_prefix(root).unwrap().iter().nth(3);
            let name = generator.and_then(|name| name.to_str()).unwrap_or_default();
            if let Ok(text) = fs::read_to_string(entry.path()) {
                texts.push((text, Dialect::by_name(name).unwrap_or(Dialect::GALLEY)));
            }
        }
    }
    for file in ["markdown.jsonl", "dialects.jsonl"] {
        let lines = fs::read_to_string(root.join("tests/it/render").join(file)).unwrap();
        let cases: Vec<Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        for group in cases.chunks(4) {
            let text = group.iter().filter_map(|case| case["markdown"].as_str());
            let name = group[0]["dialect"].as_str().unwrap_or_default();
            let dialect = Dialect::by_name(name).unwrap_or(Dialect::GALLEY);
            texts.push((text.collect::<Vec<_>>().join("\n\n"), dialect));
        }
    }
    for entry in WalkDir::new(root.join("tests/it/content_text/constructs")).sort_by_file_name() {
        if let Ok(text) = fs::read_to_string(entry.unwrap().path()) {
            texts.push((text.clone(), Dialect::GALLEY));
            texts.push((text, Dialect::GITHUB));
        }
    }
    assert!(texts.len() > 200);
    texts
}

/// Returns the visible content, without the numbers of footnotes, which follow from the order of their references.
fn shown(html: &str) -> NormalForm {
    let html = match html.split_once("<ul id=\"markdown-toc\">") {
        // A table of contents is derived from the headings, so it is ignored.
        Some((before, _)) => before,
        None => html,
    };
    let mut text = String::new();
    for (index, part) in html.split("<sup class=\"footnote-ref\">").enumerate() {
        let rest = if index == 0 {
            part
        } else {
            part.split_once("</sup>").map_or(part, |(_, rest)| rest)
        };
        text.push_str(rest);
    }
    NormalForm::of(&text.replace("__GHOST_URL__", ""))
}

/// Returns the HTML of a document with these nodes; empty if it cannot be rendered.
pub fn rendered(nodes: &[Value]) -> String {
    let site = Url::parse("https://site.galley.invalid").unwrap();
    lexical::to_html(&document(nodes), lexical::Context { site: &site })
        .map_or_else(|_| String::new(), |rendered| rendered.html)
}

/// Words that have, or could have, a meaning in Markdown.
const WORDS: [&str; 16] = [
    "ferry",
    "*",
    "_night_",
    "# no heading",
    "1. one",
    "- two",
    "[a](b)",
    "<b>",
    "&amp;",
    "`",
    "a  b",
    "|",
    "\\",
    "{{< x >}}",
    "[^1]",
    "Ünï 🚢",
];

fn words(random: &mut TestRandom) -> String {
    let count = 1 + random.below(4);
    let words: Vec<&str> = (0..count).map(|_| random.of(&WORDS)).collect();
    words.join(" ").trim().to_owned()
}

fn text(random: &mut TestRandom) -> Value {
    let format = random.of(&[0, 0, 0, 1, 2, 3, 4, 8, 16, 32]);
    json!({"type": "extended-text", "text": words(random), "format": format})
}

fn node(random: &mut TestRandom) -> Value {
    let children = json!([text(random), {"type": "linebreak", "version": 1}, text(random),
        {"type": "link", "url": "https://a.example/?b=c&d", "children": [text(random)]}]);
    let item = |children: &Value| json!({"type": "listitem", "value": 1, "children": children});
    match random.below(10) {
        0 => json!({"type": "extended-heading", "tag": "h2", "children": [text(random)]}),
        1 => json!({"type": "extended-quote", "children": children}),
        2 => {
            json!({"type": "list", "listType": "bullet", "start": 1, "tag": "ul", "children": [item(&json!([text(random)])), item(&children)]})
        }
        3 => {
            json!({"type": "codeblock", "code": format!("{}\n\n```", words(random)), "language": "js", "caption": ""})
        }
        4 => json!({"type": "html", "html": format!("<div>{}</div>\n\n<p>", words(random))}),
        5 => json!({"type": "markdown", "markdown": format!("{}\n\n- a\n", words(random))}),
        6 => {
            json!({"type": "callout", "calloutText": words(random), "calloutEmoji": "", "backgroundColor": "blue"})
        }
        7 => json!({"type": "horizontalrule"}),
        8 => {
            json!({"type": "image", "src": "https://a.example/b.png", "alt": words(random), "width": 3, "height": 2})
        }
        _ => json!({"type": "paragraph", "children": children}),
    }
}

/// Changes the first text in a node, or a text of a card.
fn change(node: &mut Value, random: &mut TestRandom) {
    for key in ["markdown", "html", "code"] {
        if let Some(text) = node[key].as_str() {
            node[key] = json!(format!("{text} {}", random.of(&["end", "*b*", "c"])));
            return;
        }
    }
    match node.get_mut("text") {
        Some(text) => *text = json!(words(random)),
        None => {
            let children = node.get_mut("children").and_then(Value::as_array_mut);
            if let Some(child) = children.and_then(|children| children.first_mut()) {
                change(child, random);
            }
        }
    }
}

/// Inserts, removes, moves, splits or changes a node, or appends a paragraph.
fn edit(nodes: &mut Vec<Value>, random: &mut TestRandom) {
    let index = random.below(nodes.len() as u64 + 1) as usize;
    match random.below(5) {
        0 => nodes.insert(index, node(random)),
        1 if index < nodes.len() => drop(nodes.remove(index)),
        2 if index < nodes.len() => {
            let moved = nodes.remove(index);
            nodes.insert(random.below(nodes.len() as u64 + 1) as usize, moved);
        }
        3 if index < nodes.len() => {
            let Some(children) = nodes[index]["children"]
                .as_array()
                .filter(|children| children.len() > 1)
                .cloned()
            else {
                return;
            };
            let (first, second) = children.split_at(1);
            let mut rest = nodes[index].clone();
            rest["children"] = json!(second);
            nodes[index]["children"] = json!(first);
            nodes.insert(index + 1, rest);
        }
        _ if index < nodes.len() => change(&mut nodes[index], random),
        _ => nodes.push(paragraph(&words(random))),
    }
}

#[test]
fn unedited_text_keeps_its_bytes() {
    for (text, dialect) in corpus() {
        let body = body_of(&text, FileShape::DOCUMENT);
        let reader = BodyReader {
            dialect,
            ..reader(BodyFormat::Markdown)
        };
        let shown = reader.document(&body).lexical;
        assert_eq!(reader.write(&body, &shown, &shown).unwrap(), body);
        assert_eq!(with_body(&text, FileShape::DOCUMENT, &body), text);
        assert_eq!(edit_keys(&text, FileShape::DOCUMENT, &[]).unwrap(), text);
        assert_eq!(
            merge(FileShape::DOCUMENT, &reader, &text, &text, &text).text,
            text
        );
    }
}

#[test]
fn edits_are_read_back() {
    let corpus = corpus();
    let mut random = TestRandom::begin();
    for _ in 0..rounds(SEQUENCES) {
        let (text, dialect) = &corpus[random.below(corpus.len() as u64) as usize];
        let reader = BodyReader {
            dialect: *dialect,
            ..reader(BodyFormat::Markdown)
        };
        let mut body = body_of(text, FileShape::DOCUMENT).into_owned();
        for _ in 0..1 + random.below(4) {
            let read = reader.document(&body);
            let before = nodes(&body, reader);
            let mut after = before.clone();
            for _ in 0..1 + random.below(3) {
                edit(&mut after, &mut random);
            }
            let written = reader
                .write(&body, &read.lexical, &document(&after))
                .unwrap();
            // The list of footnotes depends on the references; `footnotes_follow_their_references` tests it.
            if !body.trim().is_empty() && read.blocks.iter().any(std::ops::Range::is_empty) {
                break;
            }
            let html = reader.html(&written);
            // An HTML element that spans several blocks renders differently from the document.
            let is_clean = shown(&reader.html(&body)).shows_the_same(&shown(&rendered(&before)));
            assert!(
                !is_clean || shown(&html).shows_the_same(&shown(&rendered(&after))),
                "{body}\n----- is written as\n{written}\n----- which renders to\n{}\n----- instead of\n{}",
                html,
                rendered(&after)
            );
            body = written;
        }
    }
}

fn value(random: &mut TestRandom) -> KeyValue {
    match random.below(7) {
        0 => KeyValue::Boolean(random.happens(50)),
        1 => KeyValue::Integer(random.below(1000) as i64),
        2 => KeyValue::Date(
            random
                .of(&["2024-01-05", "2024-01-05T10:00:00Z"])
                .to_owned(),
        ),
        3 => KeyValue::List(
            (0..random.below(4))
                .map(|_| KeyValue::Text(words(random)))
                .collect(),
        ),
        4 => KeyValue::Text(format!("{}\n{}\n+++\n---", words(random), words(random))),
        5 => KeyValue::Text(
            random
                .of(&[
                    "",
                    "yes",
                    "12",
                    "a: b",
                    " x",
                    "'",
                    "\"",
                    "null",
                    "\u{7f}",
                    "2024-01-05",
                ])
                .to_owned(),
        ),
        _ => KeyValue::Text(words(random)),
    }
}

#[test]
fn values_are_read_back_and_only_they_change() {
    let corpus = corpus();
    let mut random = TestRandom::begin();
    let mut refused = 0;
    let all = rounds(SEQUENCES) * 3;
    for _ in 0..all {
        let (text, _) = &corpus[random.below(corpus.len() as u64) as usize];
        let mut text = text.clone();
        if random.happens(20) {
            text = text.replace('\n', "\r\n");
        }
        let names = [
            "title",
            "tags",
            "date",
            "draft",
            "description",
            "cover.image",
            "author",
            "new_key",
        ];
        let changes: Vec<KeyChange> = (0..1 + random.below(3))
            .map(|_| KeyChange {
                names: vec![random.of(&names).to_owned()],
                value: random.happens(85).then(|| value(&mut random)),
            })
            .collect();
        // An edit that would not be read back equal is refused, which must be rare.
        match edit_keys(&text, FileShape::DOCUMENT, &changes) {
            Ok(edited) => {
                let bodies = [&text, &edited].map(|text| body_of(text, FileShape::DOCUMENT));
                assert_eq!(bodies[0], bodies[1]);
                // An earlier change may concern the same key, so only the last one must have no further effect.
                assert_eq!(
                    edit_keys(
                        &edited,
                        FileShape::DOCUMENT,
                        &[changes.last().unwrap().clone()]
                    )
                    .unwrap(),
                    edited
                );
            }
            Err(error) => {
                println!("{error}: {changes:?}");
                refused += 1;
            }
        }
    }
    assert!(refused * 20 < all, "{refused} of {all} edits are refused");
}
