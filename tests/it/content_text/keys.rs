//! Tests that an edit of a key leaves all other bytes unchanged.

use galley::content_text::{
    FileShape, KeyChange, KeyValue, Language, body_of, edit_keys, with_body,
};

fn text(text: &str) -> KeyValue {
    KeyValue::Text(text.to_owned())
}

fn list(items: &[&str]) -> KeyValue {
    KeyValue::List(items.iter().map(|item| text(item)).collect())
}

fn date(date: &str) -> KeyValue {
    KeyValue::Date(date.to_owned())
}

fn table(entries: &[(&str, &str)]) -> KeyValue {
    let entries = entries.iter();
    KeyValue::Table(
        entries
            .map(|(key, value)| ((*key).to_owned(), text(value)))
            .collect(),
    )
}

fn change(names: &str, value: impl Into<Option<KeyValue>>) -> KeyChange {
    KeyChange {
        names: names.split(' ').map(str::to_owned).collect(),
        value: value.into(),
    }
}

#[track_caller]
fn assert_edit(file: &str, change: KeyChange, expected: &str) {
    let edited = edit_keys(file, FileShape::DOCUMENT, std::slice::from_ref(&change)).unwrap();
    assert_eq!(edited, expected);
    // The same change again changes nothing.
    assert_eq!(
        edit_keys(&edited, FileShape::DOCUMENT, &[change]).unwrap(),
        expected
    );
}

/// Asserts the result of an edit of front matter in YAML, TOML or JSON, with each kind of line ending.
#[track_caller]
fn assert_edit_in(fence: &str, keys: &str, change: KeyChange, expected: &str) {
    let file = |keys: &str| format!("{fence}\n{keys}{fence}\n\nBody.\n");
    assert_edit(&file(keys), change.clone(), &file(expected));
    let crlf = |keys: &str| format!("\u{feff}{}", file(keys).replace('\n', "\r\n"));
    assert_edit(&crlf(keys), change, &crlf(expected));
}

const YAML: &str = "\
# The first post
title:   \"Night ferry\"  # in quotes
pubDate: 2024-01-05
description: 'It''s late'
summary: |
  Two
  lines

tags:
  - sea # the best
  - \"night\"
authors: [jane, 'joe' ]
heroImage:
  src: ./a.png
  alt: A ferry
draft: true
empty:
extra:
  featured: false
";

#[test]
fn yaml_keeps_comments_order_and_notation() {
    let replaced = |from: &str, to: &str| {
        assert!(YAML.contains(from));
        YAML.replace(from, to)
    };
    for (change, from, to) in [
        (
            change("title", text("Day: ferry")),
            "\"Night ferry\"",
            "\"Day: ferry\"",
        ),
        (
            change("published_at pubDate", date("2024-02-01T10:00:00Z")),
            "2024-01-05",
            "2024-02-01T10:00:00Z",
        ),
        (
            change("description", text("That's it")),
            "'It''s late'",
            "'That''s it'",
        ),
        (
            change("summary", text("Three\nlines\nhere\n")),
            "  Two\n  lines\n",
            "  Three\n  lines\n  here\n",
        ),
        (
            change("tags", list(&["sea", "night", "new: one"])),
            "  - \"night\"\n",
            "  - \"night\"\n  - \"new: one\"\n",
        ),
        (change("tags", list(&["night"])), "  - sea # the best\n", ""),
        (
            change("authors", list(&["jane", "joe", "jim"])),
            "'joe' ]",
            "'joe', jim ]",
        ),
        (
            change("authors", list(&["joe"])),
            "[jane, 'joe' ]",
            "['joe' ]",
        ),
        (
            change("feature_image_alt heroImage.alt", text("B")),
            "alt: A ferry",
            "alt: B",
        ),
        (
            change("heroImage", table(&[("src", "./a.png"), ("width", "5")])),
            "  alt: A ferry\n",
            "  width: \"5\"\n",
        ),
        (
            change("draft", KeyValue::Boolean(false)),
            "draft: true",
            "draft: false",
        ),
        (change("draft", None), "draft: true\n", ""),
        (change("empty", text("x")), "empty:\n", "empty: x\n"),
        (
            change("featured", KeyValue::Boolean(true)),
            "featured: false",
            "featured: true",
        ),
        (
            change("featured", None),
            "extra:\n  featured: false\n",
            "extra: {}\n",
        ),
        (
            change("slug", text("night-ferry")),
            "  featured: false\n",
            "  featured: false\nslug: night-ferry\n",
        ),
        (
            change("slug", text("yes")),
            "  featured: false\n",
            "  featured: false\nslug: \"yes\"\n",
        ),
        (
            change("aliases", list(&["/a", "b"])),
            "  featured: false\n",
            "  featured: false\naliases:\n  - /a\n  - b\n",
        ),
        (
            change("cover.image", text("c.png")),
            "  featured: false\n",
            "  featured: false\ncover:\n  image: c.png\n",
        ),
        (
            change("hero_image.caption", text("c")),
            "  alt: A ferry\n",
            "  alt: A ferry\n  caption: c\n",
        ),
        (change("absent", None), "", ""),
    ] {
        let expected = replaced(from, to);
        assert_edit_in("---", YAML, change, &expected);
    }
}

#[test]
fn edits_of_yaml_anchors_in_use_are_refused_by_name() {
    let file = "---\ntitle: &t A\nog_title: *t\n---\n";
    let error = edit_keys(file, FileShape::DOCUMENT, &[change("title", text("B"))]).unwrap_err();
    assert_eq!(error.key.as_deref(), Some("title"));
    assert_edit(
        file,
        change("og_title", text("B")),
        "---\ntitle: &t A\nog_title: B\n---\n",
    );
}

const TOML: &str = "\
# The first post
title   = \"Night ferry\"  # in quotes
date = 2024-01-05
lastmod = \"2024-01-06\"
description = 'It is late'
summary = \"\"\"
Two
lines\"\"\"
tags = [
  \"sea\", # the best
  'night',
]
authors = [\"jane\", \"joe\"]
cover.image = \"a.png\"

# Others
[extra] # free
featured = false

[params.author]
name = \"Jane\"
";

#[test]
fn toml_keeps_comments_order_and_notation() {
    for (change, from, to) in [
        (
            change("title", text("Day \"ferry\"")),
            "\"Night ferry\"",
            "\"Day \\\"ferry\\\"\"",
        ),
        (
            change("published_at date", date("2024-02-01T10:00:00Z")),
            "2024-01-05",
            "2024-02-01T10:00:00Z",
        ),
        (
            change("updated_at lastmod", date("2024-02-01")),
            "\"2024-01-06\"",
            "\"2024-02-01\"",
        ),
        (
            change("description", text("That is it")),
            "'It is late'",
            "'That is it'",
        ),
        (
            change("description", text("That's it")),
            "'It is late'",
            "\"That's it\"",
        ),
        (
            change("summary", text("Three\nlines\nhere")),
            "Two\nlines\"",
            "Three\nlines\nhere\"",
        ),
        (
            change("summary", text("a\n+++\nb")),
            "\"\"\"\nTwo\nlines\"\"\"",
            "\"a\\n+++\\nb\"",
        ),
        (
            change("tags", list(&["sea", "night", "new"])),
            "  'night',\n",
            "  'night',\n  \"new\",\n",
        ),
        (
            change("authors", list(&["joe", "jane"])),
            "[\"jane\", \"joe\"]",
            "[\"joe\", \"jane\"]",
        ),
        (
            change("authors", list(&["jim"])),
            "[\"jane\", \"joe\"]",
            "[\"jim\"]",
        ),
        (
            change("feature_image cover.image", text("b.png")),
            "cover.image = \"a.png\"",
            "cover.image = \"b.png\"",
        ),
        (
            change("cover.alt", text("b")),
            "cover.image = \"a.png\"\n",
            "cover.image = \"a.png\"\ncover.alt = \"b\"\n",
        ),
        (
            change("featured", KeyValue::Boolean(true)),
            "featured = false",
            "featured = true",
        ),
        (change("lastmod", None), "lastmod = \"2024-01-06\"\n", ""),
        (
            change("slug", text("a")),
            "cover.image = \"a.png\"\n",
            "cover.image = \"a.png\"\nslug = \"a\"\n",
        ),
        (
            change("name author.name", text("Joe")),
            "name = \"Jane\"",
            "name = \"Joe\"",
        ),
    ] {
        assert!(TOML.contains(from), "{from}");
        assert_edit_in("+++", TOML, change, &TOML.replace(from, to));
    }
}

#[test]
fn json_keeps_order_and_notation() {
    let json = "{\n\t\"title\" : \"A\",\n\t\"tags\": [\"a\", \"b\"],\n\t\"n\": 1.50\n}\n";
    for (change, from, to) in [
        (change("title", text("B\u{7f}")), "\"A\"", "\"B\\u007F\""),
        (
            change("tags", list(&["b", "c"])),
            "[\"a\", \"b\"]",
            "[\"b\", \"c\"]",
        ),
        (change("tags", None), "\t\"tags\": [\"a\", \"b\"],\n", ""),
        (change("n", None), ",\n\t\"n\": 1.50", ""),
        (
            change("draft", KeyValue::Boolean(true)),
            "1.50",
            "1.50,\n\t\"draft\" : true",
        ),
    ] {
        let file = |keys: &str| format!("---json\n{keys}---\nBody");
        assert_edit(&file(json), change.clone(), &file(&json.replace(from, to)));
        let whole = |keys: &str| format!("{keys}Body");
        assert_edit(&whole(json), change, &whole(&json.replace(from, to)));
    }
    assert_edit(
        ";;;\n\"a\": 1\n;;;\n",
        change("b", text("c")),
        ";;;\n\"a\": 1, \"b\": \"c\"\n;;;\n",
    );
}

#[test]
fn new_front_matter_has_the_requested_language() {
    let of = |new_front_matter| FileShape {
        new_front_matter,
        ..FileShape::DOCUMENT
    };
    for (language, expected) in [
        (Language::Toml, "+++\ntitle = \"A\"\n+++\nBody"),
        (Language::Yaml, "---\ntitle: A\n---\nBody"),
        (
            Language::Json,
            "---json\n{\n  \"title\": \"A\"\n}\n---\nBody",
        ),
    ] {
        let edited = edit_keys("Body", of(language), &[change("title", text("A"))]).unwrap();
        assert_eq!(edited, expected);
    }
}

#[test]
fn data_files_are_edited_whole() {
    let edited =
        |text, language, change| edit_keys(text, FileShape::data(language), &[change]).unwrap();
    assert_eq!(
        edited("name = \"A\"", Language::Toml, change("name", text("B"))),
        "name = \"B\""
    );
    assert_eq!(
        edited("name: A", Language::Yaml, change("bio", text("B"))),
        "name: A\nbio: B\n"
    );
    assert_eq!(
        edited("", Language::Yaml, change("bio", text("B"))),
        "bio: B\n"
    );
}

#[test]
fn front_matter_that_cannot_be_edited_is_refused() {
    for file in [
        "---js\nexport const a = 1\n---\n",
        "---\na: [\n---\n",
        "---\na: 1\na: 2\n---\n",
    ] {
        edit_keys(file, FileShape::DOCUMENT, &[change("a", text("B"))]).unwrap_err();
    }
}

#[test]
fn body_is_replaced_without_changing_front_matter() {
    let file = "\u{feff}---\r\na: 1\r\n---\r\nOne\r\nTwo\n";
    assert_eq!(body_of(file, FileShape::DOCUMENT), "One\nTwo\n");
    assert_eq!(with_body(file, FileShape::DOCUMENT, "One\nTwo\n"), file);
    assert_eq!(
        with_body(file, FileShape::DOCUMENT, "One\nx\nTwo\n"),
        "\u{feff}---\r\na: 1\r\n---\r\nOne\r\nx\r\nTwo\n"
    );
}

#[test]
fn comment_after_a_bracketed_list_or_table_stays() {
    assert_edit_in(
        "---",
        "tags: [Sea, Quay] # both\nseo: { a: b } # of search engines\n",
        change("tags", list(&["Ocean", "Quay"])),
        "tags: [Ocean, Quay] # both\nseo: { a: b } # of search engines\n",
    );
    assert_edit_in(
        "---",
        "seo: { a: b } # of search engines\n",
        change("seo.a", text("c")),
        "seo: { a: c } # of search engines\n",
    );
}

#[test]
fn new_entry_in_an_inline_table_repeats_no_comment() {
    assert_edit_in(
        "---",
        "extra: {a: x, # the first\n  b: y}\n",
        change("extra", table(&[("a", "x"), ("b", "y"), ("c", "z")])),
        "extra: {a: x, # the first\n  b: y, c: z}\n",
    );
}
