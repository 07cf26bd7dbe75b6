//! Front matter of other generators, as those read it: every rule with an example.

use std::{path::Path, sync::Arc};

use galley::sources::{
    ContentFile, ContentFiles, Context, Diagnostic, Layout, PostFile, Reference, Status, parse,
};
use jiff::tz::TimeZone;

use super::reading::read;

/// The folder of a generator, in which every text is a post.
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
        included_files: galley::sources::IncludedFiles::default(),
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

/// Reads a text, and what is wrong with it as `line: message`.
fn read_with(path: &str, text: &str, rules: &str) -> (PostFile, Vec<String>) {
    let (file, diagnostics) = try_read(path, text, rules).unwrap();
    let lines = diagnostics.iter().map(|diagnostic| {
        assert!(!diagnostic.is_error(), "{diagnostic}");
        let place = diagnostic.place.as_ref().unwrap();
        format!("{}: {}", place.line, diagnostic.message)
    });
    (file, lines.collect())
}

/// The text with these lines of YAML, which starts at line 2.
fn yaml(lines: &str, rules: &str) -> (PostFile, Vec<String>) {
    read_with("blog/a.md", &format!("---\n{lines}\n---\nText.\n"), rules)
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

fn image(file: &PostFile) -> Option<&str> {
    let image = file.fields.feature_image.as_ref();
    image.map(|image| image.as_str())
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
        ("---\ntitle: Foo: bar\n---\n", 2, "the YAML cannot be read"),
        (
            "---\ntitle: T\nmenu:\n\tmain: 1\n---\n",
            4,
            "the YAML cannot be read",
        ),
        ("+++\ntitle: T\n+++\n", 2, "the TOML cannot be read"),
        (
            "---json\n{\n\"title\": T\n}\n---\n",
            3,
            "the JSON cannot be read",
        ),
        (";;;\n\"title\": T\n;;;\n", 2, "the JSON cannot be read"),
        (
            "{\n\"title\": \"T\",\n}\nText.\n",
            3,
            "the JSON cannot be read",
        ),
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
        assert_eq!(problem.place.unwrap().line, line, "{text}");
    }
}

#[test]
fn own_files_accept_the_same_formats_with_strict_errors() {
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
fn repeated_key_takes_the_last_value() {
    let (file, problems) = yaml("title: A\ntitle: B", "jekyll");
    assert_eq!(file.fields.title.as_deref(), Some("B"));
    assert_eq!(problems, ["3: `title` is given twice; the last one counts"]);
    let json = "---json\n{\"title\": \"A\",\n\"title\": \"B\"}\n---\n";
    let (file, problems) = read_with("a.md", json, "eleventy");
    assert_eq!(file.fields.title.as_deref(), Some("B"));
    assert_eq!(problems, ["3: `title` is given twice; the last one counts"]);
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
    assert_eq!(
        problems,
        ["2: `draft` is text, but true or false is wanted"]
    );
}

#[test]
fn executable_front_matter_is_left_out() {
    let text = "---js\nconst title = 'T';\nconst date = today();\n---\nText.\n";
    let (file, problems) = read_with("a.md", text, "eleventy");
    assert_eq!(file.fields.title.as_deref(), Some("T"));
    assert_eq!(problems, ["3: this would have to be run, and is left out"]);
}

#[test]
fn flag_to_show_a_date_is_not_a_date() {
    let (file, problems) = yaml("title: T\nlastUpdated: false", "astro");
    assert_eq!(problems, [""; 0]);
    assert!(file.fields.updated_at.is_none());
}

#[test]
fn dates_have_many_keys_and_formats() {
    let mut wrong = Vec::new();
    for (written, expected) in [
        ("published: 2024-01-05", "2024-01-05T00:00:00Z"),
        ("date: 2024-01-05 10:00:00 +0200", "2024-01-05T08:00:00Z"),
        ("date: Jan 5, 2024", "2024-01-05T00:00:00Z"),
        ("date: 5 January 2024", "2024-01-05T00:00:00Z"),
        ("date: January 5th, 2024", "2024-01-05T00:00:00Z"),
        ("date: 20240105", "2024-01-05T00:00:00Z"),
        ("date: 2024.01.05", "2024-01-05T00:00:00Z"),
        ("date: Jan 5, 2024 3:30 PM", "2024-01-05T15:30:00Z"),
        ("date: 2024-01-05T10:00:00+0200", "2024-01-05T08:00:00Z"),
        ("date: 2024-01-05T10:00:00.000+0000", "2024-01-05T10:00:00Z"),
        ("date: 2024-01-05T10:00:00 +02:00", "2024-01-05T08:00:00Z"),
        (
            "date: 2024-01-05 10:00:00.123456 +0200",
            "2024-01-05T08:00:00Z",
        ),
        (
            "date: 2024-01-05 10:00:00.123456789 +02:00",
            "2024-01-05T08:00:00Z",
        ),
        ("date: 2024-1-5T10:00:00.000Z", "2024-01-05T10:00:00Z"),
        ("date: 2024-01-05T10:00Z", "2024-01-05T10:00:00Z"),
        ("date: 2024-01-05 10:00:00Z", "2024-01-05T10:00:00Z"),
        ("date: 2024-01-05 10:00:00 Z", "2024-01-05T10:00:00Z"),
        ("date: 2024-1-5 9:3", "2024-01-05T09:03:00Z"),
        ("date: Fri Jan 05 2024", "2024-01-05T00:00:00Z"),
        (
            "date: Fri Jan 05 2024 10:00:00 GMT+0100 (CET)",
            "2024-01-05T09:00:00Z",
        ),
        ("date: Friday, January 5, 2024", "2024-01-05T00:00:00Z"),
        ("date: Fri, 5 Jan 2024 10:00:00 GMT", "2024-01-05T10:00:00Z"),
        (
            "date: 2024-01-05 10:00:00 America/New_York",
            "2024-01-05T15:00:00Z",
        ),
        (
            "date: 2024-01-05 10:00:00 +0100 CET",
            "2024-01-05T09:00:00Z",
        ),
        ("date: 5. January 2024", "2024-01-05T00:00:00Z"),
        ("date: 5th of January 2024", "2024-01-05T00:00:00Z"),
        ("date: Sept 5, 2024", "2024-09-05T00:00:00Z"),
        (
            "pubDatetime: 2024-01-05T10:00:00.000Z",
            "2024-01-05T10:00:00Z",
        ),
        ("publishDate: 2024-01-05", "2024-01-05T00:00:00Z"),
        (
            "publishDate: soon\ndate: 2024-01-05",
            "2024-01-05T00:00:00Z",
        ),
        ("path: 2024/01/05/ferry", "2024-01-05T00:00:00Z"),
        (
            "permalink: /blog/2024/1/5/ferry.html",
            "2024-01-05T00:00:00Z",
        ),
        (
            "path: 2024/01/05/ferry\ndate: 2023-01-01",
            "2023-01-01T00:00:00Z",
        ),
    ] {
        let (file, _) = yaml(written, "plain");
        if date(&file).as_deref() != Some(expected) {
            wrong.push((written, date(&file)));
        }
    }
    assert_eq!(wrong, []);
    let (file, _) = yaml("last_update:\n  date: 2024-02-03\n  author: Ada", "astro");
    let updated = file.fields.updated_at.map(|date| date.to_string());
    assert_eq!(updated.as_deref(), Some("2024-02-03T00:00:00Z"));
}

#[test]
fn invalid_date_is_a_warning_that_names_its_key() {
    for (written, message) in [
        ("date: soon", "`date` is not a date that can be read"),
        (
            "date: git Last Modified",
            "`date` is that of the file, which is looked up where it is asked for",
        ),
        (
            "date: Created",
            "`date` is that of the file, which is looked up where it is asked for",
        ),
        ("date: [a]", "`date` is a list, but a date is wanted"),
    ] {
        let (file, problems) = yaml(&format!("title: T\n{written}"), "eleventy");
        assert_eq!(problems, [format!("3: {message}")]);
        assert_eq!(file.fields.title.as_deref(), Some("T"));
        assert_eq!(date(&file), None);
    }
    let (file, _) = yaml("title: T\nexpiryDate: 2024-01-05", "hugo");
    let expires_at = file.expires_at.unwrap().value.to_string();
    assert_eq!(expires_at, "2024-01-05T00:00:00Z");
}

#[test]
fn images_in_tables_and_lists_are_read() {
    for (written, address, alt, caption) in [
        (
            "coverImage: {src: a.png, alt: Deck}",
            "a.png",
            Some("Deck"),
            None,
        ),
        (
            "image: {path: a.png, alt: Deck}",
            "a.png",
            Some("Deck"),
            None,
        ),
        (
            "cover: {file: a.png, caption: By Ada}",
            "a.png",
            None,
            Some("By Ada"),
        ),
        ("hero: {image: a.png}", "a.png", None, None),
        (
            "thumbnail: {url: a.png, credit: Ada}",
            "a.png",
            None,
            Some("Ada"),
        ),
        ("banner: [a.png, b.png]", "a.png", None, None),
        (
            "images: [{src: a.png, alt: Deck}, b.png]",
            "a.png",
            Some("Deck"),
            None,
        ),
        (
            "heroImage: {src: {url: a.png}, title: Sea}",
            "a.png",
            None,
            Some("Sea"),
        ),
        ("cover: {hidden: true}\nimage: a.png", "a.png", None, None),
        ("image: false\nthumbnail: a.png", "a.png", None, None),
        (
            "cover:\n  image: a.png\n  alt: Deck\n  relative: true",
            "a.png",
            Some("Deck"),
            None,
        ),
    ] {
        let (file, problems) = yaml(written, "plain");
        assert_eq!(image(&file), Some(address), "{written}");
        let fields = &file.fields;
        assert_eq!(fields.feature_image_alt.as_deref(), alt, "{written}");
        assert_eq!(
            fields.feature_image_caption.as_deref(),
            caption,
            "{written}"
        );
        assert_eq!(problems, [""; 0], "{written}");
    }
    let (file, _) = yaml("ogImage:\n  url: /a.png", "astro");
    assert_eq!(file.fields.og_image.unwrap().value, "/a.png");
}

#[test]
fn too_long_value_is_truncated_at_a_word_and_reported() {
    let words = "word ".repeat(80);
    for (key, max) in [
        ("title", 255),
        ("description", 300),
        ("meta_title", 300),
        ("meta_description", 500),
        ("og_title", 300),
        ("og_description", 500),
        ("twitter_title", 300),
        ("twitter_description", 500),
        ("feature_image_alt", 191),
    ] {
        let long = words.repeat(2);
        let long = long.trim();
        let (file, problems) = yaml(&format!("{key}: {long}"), "plain");
        let fields = serde_json::to_value(&file.fields).unwrap();
        let field = if key == "description" {
            "custom_excerpt"
        } else {
            key
        };
        let cut = fields[field].as_str().unwrap();
        assert!(
            cut.chars().count() <= max && cut.ends_with("word…"),
            "{cut}"
        );
        let length = long.len();
        let message = format!(
            "2: `{key}` has {length} characters, but may have {max}: it is cut here, and only the file says it whole"
        );
        assert_eq!(problems, [message]);
        let own = read("posts/a.md", format!("---\ntitle: T\n{key}: {long}\n---\n"));
        assert!(key == "title" || own.value.is_none(), "{key}");
    }
    let (file, problems) = yaml(&format!("authors: ['{words}']\ntags: ['{words}']"), "plain");
    assert_eq!(tags(&file)[0].chars().count(), 190);
    assert_eq!(problems.len(), 2);
}

#[test]
fn author_with_an_at_sign_is_an_address_only_if_valid() {
    for (written, name, email) in [
        ("author: 'Jane @jane'", Some("Jane @jane"), None),
        ("author: '@jane'", Some("jane"), None),
        ("author: jane@localhost", Some("jane@localhost"), None),
        ("author: jane@example.com", None, Some("jane@example.com")),
        (
            "authors: [{name: Jane, email: jane@example.com}]",
            Some("Jane"),
            Some("jane@example.com"),
        ),
        (
            "authors:\n  name: Jane\n  title: Captain\n  image_url: /j.png\n  socials: {x: jane}",
            Some("Jane"),
            None,
        ),
    ] {
        let (file, problems) = yaml(written, "astro");
        let author = file.fields.authors.unwrap().remove(0).value;
        let (found_name, found_email) = match author {
            Reference::Named(name) => (Some(name), None),
            Reference::Described(fields) => (fields.name, fields.email.map(|email| email.value)),
        };
        assert_eq!(found_name.as_deref(), name, "{written}");
        assert_eq!(found_email.as_deref(), email, "{written}");
        assert_eq!(problems, [""; 0], "{written}");
    }
}

#[test]
fn markdown_in_author_names_is_plain_text() {
    let link = "[@jane](https://social.example/@jane)";
    let (file, problems) = yaml(
        &format!("authors: ['Jane Doe ({link})', '{link}', 'a [b] (c)', 'x [y](z']"),
        "eleventy",
    );
    let authors = file.fields.authors.unwrap();
    let names: Vec<&Reference<_>> = authors.iter().map(|author| &author.value).collect();
    let named = |name: &str| Reference::Named(name.to_owned());
    assert_eq!(
        names,
        [
            &named("Jane Doe (@jane)"),
            &named("jane"),
            &named("a [b] (c)"),
            &named("x [y](z")
        ]
    );
    assert_eq!(problems, [""; 0]);
}

#[test]
fn site_defaults_fill_in_missing_front_matter() {
    let text = format!(
        "---\ntitle: T\n---\nexport const meta = {{ title: 'Other', date: '2024-01-05', tags: ['sea', 2024], \
         image: {{ src: 'a.png' }}, draft: null, description: '{}' }};\n\nText.\n",
        "d".repeat(400),
    );
    let (file, diagnostics) = try_read("a.mdx", &text, "astro").unwrap();
    assert_eq!(file.fields.title.as_deref(), Some("T"));
    assert_eq!(date(&file).as_deref(), Some("2024-01-05T00:00:00Z"));
    assert_eq!(tags(&file), ["sea", "2024"]);
    assert_eq!(image(&file), Some("a.png"));
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].place.as_ref().unwrap().line, 1);
}

#[test]
fn theme_keys_are_ignored_silently_and_misspelt_keys_reported() {
    let (_, problems) = yaml(
        "layout: post\ntoc: true\nversion: 1.2\nsidebar_position: 3\nmenu: {main: {weight: 1}}\nid: my-doc\ndrft: true",
        "hugo",
    );
    assert_eq!(problems, ["8: the key `drft` is unknown"]);
}

#[test]
fn documents_not_built_by_the_generator_are_left_out_with_the_reason() {
    for (written, key) in [
        ("headless: true", "headless"),
        ("render: false", "render"),
        ("build:\n  render: never", "build.render"),
        ("_build:\n  render: false", "_build.render"),
        ("permalink: false", "permalink"),
    ] {
        let text = format!("---\ntitle: T\n{written}\n---\nText.\n");
        let reason = try_read("blog/a.md", &text, "plain").unwrap_err();
        let message = format!("its generator makes no page of it, as `{key}` says");
        assert_eq!(reason.message, message);
    }
    for written in [
        "headless: false",
        "render: true",
        "build:\n  render: always\n  list: always",
    ] {
        let (file, problems) = yaml(written, "plain");
        assert_eq!(file.left_out, None, "{written}");
        assert_eq!((file.fields.status, problems), (None, Vec::new()));
    }
}

#[test]
fn documents_hidden_by_the_generator_stay_drafts() {
    for (written, message) in [
        (
            "unlisted: true",
            "`unlisted`: every published post is listed",
        ),
        (
            "build:\n  list: never",
            "`build.list`: every published post is listed",
        ),
        ("private: yes", "`private`: every published post is public"),
        ("password: secret", "`password`: posts have no passwords"),
    ] {
        let (file, problems) = yaml(written, "astro");
        assert_eq!(file.fields.status, Some(Status::Draft), "{written}");
        assert!(problems[0].ends_with(&format!("it stays a draft because of {message}")));
    }
}

#[test]
fn slugs_are_sanitised_and_old_paths_redirect() {
    for (written, expected, old, has_warning) in [
        ("slug: night-ferry", Some("night-ferry"), &[][..], false),
        ("slug: Über", Some("uber"), &["/Über"], true),
        (
            "slug: Über/My Post",
            Some("my-post"),
            &["/Über/My Post"],
            true,
        ),
        ("slug: /a/b", Some("b"), &["/a/b"], true),
        ("slug: /", None, &[], true),
        ("slug: 404", Some("404"), &[], false),
        ("permalink: /about/", Some("about"), &[], false),
        (
            "permalink: /2020/01/about.html",
            Some("about"),
            &["/2020/01/about.html"],
            false,
        ),
        ("permalink: /About/", Some("about"), &["/About"], false),
        ("url: /old/place/", Some("place"), &["/old/place"], false),
        (
            "path: 2025/09/18/rust",
            Some("rust"),
            &["/2025/09/18/rust"],
            false,
        ),
        ("path: plain", Some("plain"), &[], false),
        ("permalink: /:categories/:title/", None, &[], false),
        ("permalink: pretty", None, &[], false),
        (
            "permalink: \"posts/{{ page.fileSlug }}/\"",
            None,
            &[],
            false,
        ),
        ("permalink: true", None, &[], false),
        ("url: false", None, &[], false),
        ("url: https://elsewhere.example/a/", None, &[], false),
        (
            "slug: ferry\npermalink: /2020/night/",
            Some("ferry"),
            &["/2020/night"],
            false,
        ),
    ] {
        let (file, problems) = yaml(written, "plain");
        assert_eq!(slug(&file), expected, "{written}");
        assert_eq!(aliases(&file), old, "{written}");
        assert_eq!(!problems.is_empty(), has_warning, "{written}: {problems:?}");
        assert_eq!(file.left_out, None, "{written}");
    }
}

#[test]
fn aliases_are_paths_or_names_by_generator() {
    for (name, rules, written, expected) in [
        (
            "Hugo",
            "hugo",
            "aliases: [/a/, b, ../c]",
            &["/a", "/posts/b"][..],
        ),
        (
            "Jekyll",
            "jekyll",
            "redirect_from: /a/b.html",
            &["/a/b.html"],
        ),
        (
            "Jekyll",
            "jekyll",
            "redirect_from:\n  - /a/\n  - b/",
            &["/a", "/b"],
        ),
        (
            "Zola",
            "zola",
            "aliases: [a/b, /c/index.html]",
            &["/a/b", "/c"],
        ),
        ("Obsidian", "obsidian", "aliases: [The ferry, Boat]", &[]),
        (
            "all",
            "plain",
            "aliases: ['https://x.example/a/#part', /a]",
            &["/a"],
        ),
    ] {
        let text = format!("---\n{written}\n---\n");
        let (file, _) = read_with("content/posts/ferry/index.md", &text, rules);
        assert_eq!(aliases(&file), expected, "{name}: {written}");
    }
    let (_, problems) = yaml("aliases: [/, '/?p=12', ../up]", "plain");
    assert_eq!(problems.len(), 3);
    let many: Vec<String> = (0..200).map(|number| format!("/{number}")).collect();
    let (file, problems) = yaml(&format!("aliases: [{}]", many.join(", ")), "plain");
    assert_eq!(aliases(&file).len(), 100);
    assert_eq!(problems, ["2: `aliases` has 200 entries, but may have 100"]);
}

#[test]
fn invalid_key_never_loses_a_document() {
    for written in [
        "date: soon",
        "featured: 7",
        "tags: {a: b}",
        "authors: [[a]]",
        "authors: [{}]",
        "image: [1, 2]",
        "slug: '!!!'",
        "visibility: everybody",
        "status: done",
        "canonical_url: 'javascript:alert(1)'",
        "aliases: {a: b}",
        "description: [a, b]",
        "draft: []",
        "permalink: []",
        "expiryDate: never",
        "title: [a]",
        "body: org",
        "published: maybe",
    ] {
        let (file, problems) = yaml(&format!("meta_title: T\n{written}"), "plain");
        assert_eq!(file.fields.meta_title.as_deref(), Some("T"), "{written}");
        assert_eq!(problems.len(), 1, "{written}: {problems:?}");
        assert!(problems[0].starts_with("3: "), "{written}: {problems:?}");
    }
}
