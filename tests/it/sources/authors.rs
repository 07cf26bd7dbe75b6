//! Tests of files in which other generators describe authors.

use galley::content_files::{AuthorsFile, read_authors};
use jiff::tz::TimeZone;

fn read(path: &str, text: &str) -> AuthorsFile {
    read_authors(path, text.as_bytes(), &TimeZone::UTC).unwrap()
}

/// Returns the key, name, slug, bio, website and image of each author.
fn fields_of(file: &AuthorsFile) -> Vec<[String; 6]> {
    let authors = file.authors.iter();
    authors
        .map(|author| {
            let fields = &author.fields;
            let slug = fields.slug.as_ref();
            let text = |name| {
                let text = fields.texts.get(name);
                text.map(|text| text.value.clone()).unwrap_or_default()
            };
            [
                author.key.clone(),
                fields.name.clone().unwrap_or_default(),
                slug.map(|slug| slug.value.clone()).unwrap_or_default(),
                text("bio"),
                text("website"),
                text("profile_image"),
            ]
        })
        .collect()
}

#[test]
fn author_files_of_each_generator_are_read() {
    let jane = [
        "jane",
        "Jane Doe",
        "jane",
        "Captain",
        "https://jane.example/",
        "/jane.png",
    ];
    for (path, text) in [
        (
            "blog/authors.yml",
            "jane:\n  name: Jane Doe\n  title: Captain\n  url: https://jane.example/\n  image_url: /jane.png\n  page: true\n  socials:\n    x: jane\n",
        ),
        (
            "_data/authors.yml",
            "jane:\n  display_name: Jane Doe\n  web: https://jane.example/\n  avatar: /jane.png\n  bio: Captain\n",
        ),
        (
            "_data/authors.json",
            "{\"jane\": {\"name\": \"Jane Doe\", \"role\": \"Captain\", \"website\": \"https://jane.example/\", \"image\": {\"src\": \"/jane.png\"}}}",
        ),
        (
            "data/authors/jane.toml",
            "name = 'Jane Doe'\nbio = 'Captain'\nhomepage = 'https://jane.example/'\nphoto = '/jane.png'\n",
        ),
        (
            "data/authors.toml",
            "[jane]\nname = 'Jane Doe'\nbio = 'Captain'\nurl = 'https://jane.example/'\nphoto = '/jane.png'\n",
        ),
    ] {
        let file = read(path, text);
        assert_eq!(fields_of(&file), [jane.map(str::to_owned)], "{path}");
        assert_eq!(file.diagnostics, [], "{path}");
    }
    let docusaurus = read(
        "authors.yml",
        "jane:\n  name: Jane\n  socials:\n    x: jane_d\n",
    );
    let fields = &docusaurus.authors[0].fields;
    let handle = fields.texts.get("twitter").map(|text| text.as_str());
    assert_eq!(handle, Some("jane_d"));
}

#[test]
fn plain_string_is_a_name_and_the_key_a_fallback() {
    let file = read(
        "authors.yml",
        "jane: Jane Doe\nThe Crew: {bio: All of us}\n",
    );
    let fields = fields_of(&file);
    assert_eq!(fields[0][..3], ["jane", "Jane Doe", "jane"]);
    assert_eq!(fields[1][..3], ["The Crew", "The Crew", "the-crew"]);
}

#[test]
fn invalid_author_does_not_affect_others() {
    let text = "jane: 7\njoe:\n  name: Joe\n  email: nowhere\n";
    let file = read("authors.yml", text);
    assert_eq!(fields_of(&file)[0][1], "Joe");
    let messages: Vec<&str> = file
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.message.as_str())
        .collect();
    assert_eq!(
        messages,
        [
            "`jane` has no description",
            "`email` is not a valid e-mail address"
        ]
    );
    let problem = read_authors("authors.yml", b"a: b: c\n", &TimeZone::UTC).unwrap_err();
    assert!(problem.is_error());
    assert!(read_authors("authors.csv", b"", &TimeZone::UTC).is_err());
}
