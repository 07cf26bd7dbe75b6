//! Tests of other generators' front matter, with an example of each rule.

mod publication;
mod values;

use std::{path::Path, sync::Arc};

use galley::{
    content_files::{
        ContentFile, ContentFiles, Context, Layout, PostFile, Reference, Status, parse,
    },
    content_text::Diagnostic,
};
use jiff::tz::TimeZone;

use super::reading::read;

/// Returns the context of a folder of `generator` in which every document is a post.
pub fn context(generator: &str) -> Context {
    let set = ContentFiles {
        generator: Some(generator.to_owned()),
        posts: vec!["**".to_owned()],
        ..ContentFiles::default()
    };
    let folder = Path::new("/there/is/no/such/folder");
    Context {
        time_zone: TimeZone::UTC,
        layout: Arc::new(Layout::of_content(folder, std::iter::empty(), &set)),
        included_files: galley::content_files::IncludedFiles::default(),
        themes: None,
    }
}

fn try_read(
    path: &str,
    text: &str,
    generator: &str,
) -> Result<(PostFile, Vec<Diagnostic>), Diagnostic> {
    let mut parsed = parse(path, text.as_bytes(), &context(generator));
    match parsed.value {
        Some(ContentFile::Post(file)) => Ok((*file, parsed.diagnostics)),
        _ => Err(parsed.diagnostics.remove(0)),
    }
}

/// Reads a post and returns it with its diagnostics as `line: message`.
fn read_with(path: &str, text: &str, generator: &str) -> (PostFile, Vec<String>) {
    let (file, diagnostics) = try_read(path, text, generator).unwrap();
    let lines = diagnostics.iter().map(|diagnostic| {
        assert!(!diagnostic.is_error(), "{diagnostic}");
        let position = diagnostic.position.as_ref().unwrap();
        format!("{}: {}", position.line, diagnostic.message)
    });
    (file, lines.collect())
}

/// Reads a post with these lines of YAML front matter, which begin at line 2.
fn yaml(lines: &str, generator: &str) -> (PostFile, Vec<String>) {
    read_with(
        "blog/a.md",
        &format!("---\n{lines}\n---\nText.\n"),
        generator,
    )
}

fn tags(file: &PostFile) -> Vec<&str> {
    let tags = file.fields.tags.iter().flatten();
    tags.filter_map(|tag| match &tag.value {
        Reference::Named(name) => Some(name.as_str()),
        Reference::Described(fields) => fields.name.as_deref(),
    })
    .collect()
}

fn aliases(file: &PostFile) -> Vec<&str> {
    let aliases = file.fields.aliases.iter().flatten();
    aliases.map(|alias| alias.as_str()).collect()
}

fn slug(file: &PostFile) -> Option<&str> {
    file.fields.slug.as_ref().map(|slug| slug.as_str())
}

fn text<'f>(file: &'f PostFile, name: &str) -> Option<&'f str> {
    file.fields.texts.get(name).map(|text| text.as_str())
}

fn image(file: &PostFile) -> Option<&str> {
    text(file, "feature_image")
}

fn date(file: &PostFile) -> Option<String> {
    file.fields.published_at.map(|date| date.to_string())
}

#[test]
fn front_matter_formats_are_recognised() {
    for (form, text) in [
        ("YAML", "---\ntitle: T\nfeatured: true\n---\nText.\n"),
        (
            "YAML by name",
            "---yaml\ntitle: T\nfeatured: true\n---\nText.\n",
        ),
        (
            "YAML with dots",
            "---\ntitle: T\nfeatured: true\n...\nText.\n",
        ),
        ("TOML", "+++\ntitle = 'T'\nfeatured = true\n+++\nText.\n"),
        (
            "TOML by name",
            "---toml\ntitle = 'T'\nfeatured = true\n---\nText.\n",
        ),
        (
            "TOML with a blank",
            "--- toml\ntitle = 'T'\nfeatured = true\n---\nText.\n",
        ),
        (
            "JSON by name",
            "---json\n{\n\t\"title\": \"T\",\n\t\"featured\": true\n}\n---\nText.\n",
        ),
        (
            "JSON of Hexo",
            ";;;\n\"title\": \"T\",\n\"featured\": true\n;;;\nText.\n",
        ),
        (
            "JSON of Hexo with braces",
            ";;;\n{\"title\": \"T\", \"featured\": true}\n;;;\nText.\n",
        ),
        (
            "JSON of Hugo",
            "{\n\"title\": \"T\", \"featured\": true\n}\nText.\n",
        ),
        (
            "constants of Eleventy",
            "---js\n// Text.\nconst title = 'T';\nconst featured = true;\n---\nText.\n",
        ),
        (
            "an object of JavaScript",
            "---js\n{ title: 'T', featured: true }\n---\nText.\n",
        ),
        (
            "line ends of Windows",
            "---\r\ntitle: T\r\nfeatured: true\r\n---\r\nText.\r\n",
        ),
        (
            "a mark of UTF-8",
            "\u{FEFF}---\ntitle: T\nfeatured: true\n---\nText.\n",
        ),
    ] {
        let (file, problems) = read_with("a.md", text, "plain");
        assert_eq!(problems, [""; 0], "{form}");
        assert_eq!(file.fields.title.as_deref(), Some("T"), "{form}");
        assert_eq!(file.fields.featured, Some(true), "{form}");
        assert_eq!(file.body.text().trim(), "Text.", "{form}");
    }
}

#[test]
fn front_matter_is_optional() {
    for text in [
        "Text.\n",
        "",
        "---\n---\n",
        "---\n---",
        "---",
        "---\n\nA rule stands above.\n",
        "{% include x %}\n",
        "{{< shortcode >}}\n",
        "; Text\n",
        "--- a dash\n",
    ] {
        let (file, problems) = read_with("a.md", text, "plain");
        assert_eq!(problems, [""; 0], "{text}");
        assert_eq!(file.fields.title.as_deref(), Some("A"), "{text}");
    }
}

#[test]
fn malformed_front_matter_is_an_error_with_its_line() {
    for (text, line, message) in [
        ("---\ntitle: Foo: bar\n---\n", 2, "invalid YAML"),
        ("---\ntitle: T\nmenu:\n\tmain: 1\n---\n", 4, "invalid YAML"),
        ("+++\ntitle: T\n+++\n", 2, "invalid TOML"),
        ("---json\n{\n\"title\": T\n}\n---\n", 3, "invalid JSON"),
        (";;;\n\"title\": T\n;;;\n", 2, "invalid JSON"),
        ("{\n\"title\": \"T\",\n}\nText.\n", 3, "invalid JSON"),
        (
            "---\ntitle: T\nno end\n",
            1,
            "the front matter is not closed",
        ),
        (
            "---js\n{ title: title() }\n---\n",
            1,
            "the front matter is a program, which is not run",
        ),
    ] {
        let problem = try_read("a.md", text, "plain").unwrap_err();
        assert!(problem.message.starts_with(message), "{text}: {problem}");
        assert_eq!(problem.position.unwrap().line, line, "{text}");
    }
}

#[test]
fn galley_files_accept_the_same_formats_with_strict_errors() {
    for text in [
        "---json\n{\"title\": \"T\"}\n---\n",
        "---toml\ntitle = 'T'\n---\n",
        ";;;\n\"title\": \"T\"\n;;;\n",
    ] {
        assert_eq!(read("posts/a.md", text).diagnostics, [], "{text}");
    }
    for text in [
        "---\ntitle: T\ntitle: U\n---\n",
        "---\ntitle: T\ntags: 7.5: x\n---\n",
        "{\"title\": \"T\"}\n",
        "Text.\n",
    ] {
        assert!(read("posts/a.md", text).value.is_none(), "{text}");
    }
}

#[test]
fn last_value_of_a_repeated_key_is_used() {
    let (file, problems) = yaml("title: A\ntitle: B", "jekyll");
    assert_eq!(file.fields.title.as_deref(), Some("B"));
    assert_eq!(
        problems,
        ["3: `title` is given twice; the last one is used"]
    );
    let json = "---json\n{\"title\": \"A\",\n\"title\": \"B\"}\n---\n";
    let (file, problems) = read_with("a.md", json, "eleventy");
    assert_eq!(file.fields.title.as_deref(), Some("B"));
    assert_eq!(
        problems,
        ["3: `title` is given twice; the last one is used"]
    );
}

#[test]
fn tags_follow_each_generators_keys() {
    let jane = ["sea", "quay"];
    for (name, rules, written, expected) in [
        ("Hugo", "hugo", "tags: sea and quay", &["sea and quay"][..]),
        ("Hugo", "hugo", "tags: [sea, quay]", &jane),
        ("Zola", "zola", "taxonomies:\n  tags: [sea, quay]", &jane),
        ("Jekyll", "jekyll", "tags: sea quay", &jane),
        ("Jekyll", "jekyll", "tags: sea, quay", &jane),
        ("Jekyll", "jekyll", "categories: sea quay", &jane),
        ("Jekyll", "jekyll", "tag: sea quay", &["sea quay"]),
        ("Jekyll", "jekyll", "tags: [\"two words\"]", &["two words"]),
        ("Eleventy", "eleventy", "tags: sea, quay", &["sea, quay"]),
        ("Eleventy", "eleventy", "tags: post", &[]),
        (
            "Eleventy",
            "eleventy",
            "tags: [Posts, sea, quay, nav]",
            &jane,
        ),
        ("Astro", "astro", "tags: [sea, quay]", &jane),
        (
            "Docusaurus",
            "astro",
            "tags: [sea, {label: quay, permalink: /q}]",
            &jane,
        ),
        ("Obsidian", "obsidian", "tags: '#sea, quay'", &jane),
        ("Obsidian", "obsidian", "tags: sea #quay", &["sea"]),
        ("Obsidian", "obsidian", "tags: ['#sea', quay]", &jane),
        (
            "all",
            "plain",
            "tags: [2024, 3.0, true]",
            &["2024", "3.0", "true"],
        ),
        ("all", "plain", "tags: 2024", &["2024"]),
        ("all", "plain", "tags:", &[]),
        ("all", "plain", "tags: null", &[]),
        ("all", "plain", "tags: ''", &[]),
        ("all", "plain", "tags: []", &[]),
        ("all", "plain", "tags: ['', sea, null, quay]", &jane),
    ] {
        let (file, problems) = yaml(written, rules);
        assert_eq!(tags(&file), expected, "{name}: {written}");
        assert_eq!(problems, [""; 0], "{name}: {written}");
    }
}

#[test]
fn toml_numbers_are_accepted_as_strings() {
    let text = "+++\ntitle = 2024\ntags = [2024, 3.0]\n+++\n";
    let (file, problems) = read_with("a.md", text, "hugo");
    assert_eq!(file.fields.title.as_deref(), Some("2024"));
    assert_eq!(tags(&file), ["2024", "3.0"]);
    assert_eq!(problems, [""; 0]);
}

#[test]
fn yes_and_no_are_booleans() {
    for (written, status) in [
        ("draft: yes", Some(Status::Draft)),
        ("draft: on", Some(Status::Draft)),
        ("draft: 'true'", Some(Status::Draft)),
        ("draft: no", None),
        ("draft: off", None),
        ("published: no", Some(Status::Draft)),
        ("published: 2024-01-05", None),
        ("publish: false", Some(Status::Draft)),
        ("publish: true", None),
    ] {
        let (file, problems) = yaml(written, "plain");
        assert_eq!(file.fields.status, status, "{written}");
        assert_eq!(problems, [""; 0], "{written}");
    }
    let (file, problems) = yaml("draft: perhaps", "plain");
    assert_eq!(file.fields.status, None);
    assert_eq!(problems, ["2: `draft` must be true or false, not text"]);
}

#[test]
fn executable_front_matter_is_left_out() {
    let text = "---js\nconst title = 'T';\nconst date = today();\n---\nText.\n";
    let (file, problems) = read_with("a.md", text, "eleventy");
    assert_eq!(file.fields.title.as_deref(), Some("T"));
    assert_eq!(
        problems,
        ["3: this value is computed by code, and is left out"]
    );
}

#[test]
fn flag_to_show_a_date_is_not_a_date() {
    let (file, problems) = yaml("title: T\nlastUpdated: false", "astro");
    assert_eq!(problems, [""; 0]);
    assert!(file.fields.updated_at.is_none());
}
