//! Tests of values of keys: dates, images, long texts, authors.

use super::*;

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
        ("date: soon", "`date` is not a valid date"),
        (
            "date: git Last Modified",
            "`date` is the date of the file itself, which is not read",
        ),
        (
            "date: Created",
            "`date` is the date of the file itself, which is not read",
        ),
        ("date: [a]", "`date` must be a date, not a list"),
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
        assert_eq!(text(&file, "feature_image_alt"), alt, "{written}");
        assert_eq!(text(&file, "feature_image_caption"), caption, "{written}");
        assert_eq!(problems, [""; 0], "{written}");
    }
    let (file, _) = yaml("ogImage:\n  url: /a.png", "astro");
    assert_eq!(text(&file, "og_image"), Some("/a.png"));
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
            "2: `{key}` has {length} characters, but may have {max}: it is truncated here; the file has the whole text"
        );
        assert_eq!(problems, [message]);
        let galley_file = read("posts/a.md", format!("---\ntitle: T\n{key}: {long}\n---\n"));
        assert!(key == "title" || galley_file.value.is_none(), "{key}");
    }
    let (file, problems) = yaml(&format!("authors: ['{words}']\ntags: ['{words}']"), "plain");
    assert_eq!(tags(&file)[0].chars().count(), 190);
    assert_eq!(problems.len(), 2);
}

#[test]
fn author_with_an_at_sign_is_an_email_address_only_if_valid() {
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
    assert_eq!(diagnostics[0].position.as_ref().unwrap().line, 1);
}

#[test]
fn theme_keys_are_ignored_silently_and_misspelt_keys_reported() {
    let (_, problems) = yaml(
        "layout: post\ntoc: true\nversion: 1.2\nsidebar_position: 3\nmenu: {main: {weight: 1}}\nid: my-doc\ndrft: true",
        "hugo",
    );
    assert_eq!(problems, ["8: the key `drft` is unknown"]);
}
