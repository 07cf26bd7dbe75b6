//! Tests of commands for theme authors: `galley theme check` and `galley serve --theme`.

use std::{fs, path::Path};

use galley_tests::{
    command_line::{CommandOutput, response_to, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use serde_json::{Value, json};

use super::{STYLE, theme_with};

/// A theme with a template of each kind.
const TEMPLATES: &[(&str, &str)] = &[
    (
        "package.json",
        r#"{"name": "tide", "version": "1.0.0", "keywords": ["ghost-theme"], "author": {"email": "a@example.com"},
            "config": {"card_assets": true, "posts_per_page": 5}}"#,
    ),
    ("assets/screen.css", STYLE),
    (
        "default.hbs",
        "<title>{{meta_title}}</title>{{ghost_head}}{{{body}}}{{ghost_foot}}",
    ),
    (
        "index.hbs",
        "{{!< default}}\n<main>{{#foreach posts}}{{title}},{{/foreach}}</main>{{pagination}}",
    ),
    (
        "post.hbs",
        "{{!< default}}\n{{#post}}<main>{{title}}</main>{{content}}{{/post}}",
    ),
    (
        "page.hbs",
        "{{!< default}}\n{{#post}}{{#if @page.show_title_and_feature_image}}{{title}}{{/if}}{{/post}}",
    ),
    ("tag.hbs", "{{!< default}}\n{{#tag}}{{name}}{{/tag}}"),
    (
        "author.hbs",
        "{{!< default}}\n{{#author}}{{name}}{{/author}}",
    ),
    ("error.hbs", "{{statusCode}}"),
    ("error-404.hbs", "{{statusCode}}"),
    ("private.hbs", "{{input_password}}"),
    ("custom-wide.hbs", "{{#post}}{{title}}{{/post}}"),
    ("post-harbour.hbs", "{{#post}}{{title}}{{/post}}"),
    ("page-crew.hbs", "{{#post}}{{title}}{{/post}}"),
    ("tag-tides.hbs", "{{#tag}}{{name}}{{/tag}}"),
    ("author-zoe.hbs", "{{#author}}{{name}}{{/author}}"),
    ("landing.hbs", "{{#foreach posts}}{{title}}{{/foreach}}"),
];

fn folder_with(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(&[("posts/a.md", &post("High water", "Tide."))]);
    for (path, text) in TEMPLATES.iter().chain(files) {
        write(&folder, path, text);
    }
    folder
}

fn write(folder: &Folder, path: &str, text: &str) {
    let path = folder.top().join("tide").join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn check(folder: &impl AsRef<Path>, arguments: &[&str]) -> CommandOutput {
    run(folder, &[&["theme", "check"], arguments].concat())
}

#[test]
fn valid_theme_passes_as_folder_and_as_archive() {
    let folder = folder_with(&[]);
    let output = check(&folder, &["tide"]);
    assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
    assert!(
        output.out.contains("0 errors, 0 warnings"),
        "{}",
        output.out
    );
    fs::write(folder.top().join("other.zip"), theme_with(TEMPLATES)).unwrap();
    assert_eq!(check(&folder, &["other.zip", "--json"]).json(), json!([]));
    let output = check(&folder, &["none.zip"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("none.zip cannot be read"),
        "{}",
        output.err
    );
}

#[test]
fn failure_in_each_template_is_reported_with_its_position() {
    for (template, page, reader) in [
        ("post.hbs", "/", "an anonymous reader"),
        ("page.hbs", "/", "an anonymous reader"),
        ("tag.hbs", "/tag/", "an anonymous reader"),
        ("author.hbs", "/author/", "an anonymous reader"),
        ("error.hbs", "/500/", "an anonymous reader"),
        ("error-404.hbs", "/404/", "an anonymous reader"),
        ("private.hbs", "/private/", "an anonymous reader"),
        (
            "custom-wide.hbs",
            "/page-with-custom-wide/",
            "an anonymous reader",
        ),
        ("post-harbour.hbs", "/harbour/", "an anonymous reader"),
        ("page-crew.hbs", "/crew/", "an anonymous reader"),
        ("tag-tides.hbs", "/tag/tides/", "an anonymous reader"),
        ("author-zoe.hbs", "/author/zoe/", "an anonymous reader"),
        ("landing.hbs", "/landing/", "an anonymous reader"),
    ] {
        let folder = folder_with(&[(template, "one\n  {{#foreach}}{{/foreach}}")]);
        let output = check(&folder, &["tide", "--json"]);
        assert_eq!(output.code, Some(1), "{template}");
        let found = output.json();
        let first = &found[0];
        assert_eq!(
            (
                &first["level"],
                &first["template"],
                &first["line"],
                &first["column"],
                &first["reader"]
            ),
            (
                &json!("error"),
                &json!(template),
                &json!(2),
                &json!(3),
                &json!(reader)
            ),
            "{found}"
        );
        assert!(
            first["page"].as_str().unwrap().starts_with(page),
            "{template}: {found}"
        );
    }
}

#[test]
fn failures_for_members_drafts_and_later_pages_are_reported() {
    for (files, reader) in [
        (
            (
                "page.hbs",
                "{{#if @member.paid}}{{#foreach}}{{/foreach}}{{/if}}",
            ),
            "a paying member",
        ),
        (
            ("page.hbs", "{{#if @member}}{{#foreach}}{{/foreach}}{{/if}}"),
            "a free member",
        ),
        (
            (
                "post.hbs",
                "{{#is \"preview\"}}{{#foreach}}{{/foreach}}{{/is}}",
            ),
            "an anonymous reader",
        ),
        (
            (
                "index.hbs",
                "{{#is \"paged\"}}{{#foreach}}{{/foreach}}{{/is}}",
            ),
            "an anonymous reader",
        ),
    ] {
        let folder = folder_with(&[files]);
        let found = check(&folder, &["tide", "--json"]).json();
        assert_eq!(found[0]["reader"], reader, "{files:?}: {found}");
    }
}

#[test]
fn errors_that_reject_an_upload_have_positions_and_advice() {
    let folder = folder_with(&[
        ("post.hbs", "<p>\n{{> missing}}\n{{nothing \"x\"}}"),
        ("page.hbs", "{{#if}}"),
    ]);
    let output = check(&folder, &["tide"]);
    assert_eq!(output.code, Some(1));
    for line in [
        "error: post.hbs:2:1: the partial \"missing\" does not exist",
        "Add partials/missing.hbs.",
        "error: post.hbs:3:1: the helper \"nothing\" does not exist",
        "error: page.hbs:1:",
    ] {
        assert!(output.out.contains(line), "{line}: {}", output.out);
    }
}

fn home(process: &GalleyProcess) -> (u16, String) {
    let response = response_to(process.address(), "/");
    (response.status, response.text().to_owned())
}

#[test]
fn saved_files_of_a_served_theme_show_immediately() {
    let folder = folder_with(&[("assets/a.css", "a {}"), ("locales/en.json", "{}")]);
    let served = GalleyProcess::serve(&folder, &["--theme", "tide"]);
    assert!(home(&served).1.contains("<main>High water,</main>"));
    write(
        &folder,
        "index.hbs",
        "{{asset \"a.css\"}} {{t \"Read\"}} {{@custom.word}}",
    );
    let (_, before) = home(&served);
    write(&folder, "assets/a.css", "a { color: navy }");
    write(&folder, "locales/en.json", r#"{"Read": "Peruse"}"#);
    write(
        &folder,
        "package.json",
        r#"{"name": "tide", "version": "1.0.0", "config": {"custom": {"word": {"type": "text", "default": "ebb"}}}}"#,
    );
    let (status, after) = home(&served);
    assert_eq!(status, 200);
    assert!(after.ends_with("Peruse ebb"), "{after}");
    let url = |text: &str| text.split(' ').next().unwrap().to_owned();
    assert_ne!(url(&before), url(&after));
    let asset = response_to(served.address(), &url(&after));
    assert_eq!(asset.text(), "a { color: navy }");
    let themes = run(&folder, &["theme", "list", "--json", "--data", "data"]).json();
    let is_active = |theme: &&Value| theme["active"] == true;
    let active = themes.as_array().unwrap().iter().find(is_active);
    assert_eq!(active.unwrap()["name"], "source");
}

#[test]
fn broken_template_shows_its_position_until_it_is_fixed() {
    let folder = folder_with(&[]);
    let served = GalleyProcess::serve(&folder, &["--theme", "tide"]);
    for (text, position, source) in [
        (
            "one\n  {{#foreach}}{{/foreach}}\nlast",
            "index.hbs:2:3",
            "  {{#foreach}}{{/foreach}}",
        ),
        ("one\n{{#if x}}\n<b>", "index.hbs:", "{{#if x}}"),
        ("one\n\n{{> none}}", "index.hbs:3:1", "{{&gt; none}}"),
    ] {
        write(&folder, "index.hbs", text);
        let (status, page) = home(&served);
        assert_eq!(status, 400, "{page}");
        for part in [position, source, "one"] {
            assert!(page.contains(part), "{part}: {page}");
        }
        assert!(
            response_to(served.address(), "/a/")
                .text()
                .contains("High water")
        );
    }
    write(&folder, "index.hbs", "fixed");
    assert_eq!(home(&served), (200, "fixed".to_owned()));
    fs::remove_dir_all(folder.top().join("tide")).unwrap();
    let (status, page) = home(&served);
    assert_eq!(status, 400);
    let gone = "The theme &quot;tide&quot; is missing, or has no templates.";
    let gone = [
        gone,
        &gone.replace("&quot;", "&#34;"),
        &gone.replace("&quot;", "\""),
    ];
    assert!(gone.iter().any(|gone| page.contains(gone)), "{page}");
    assert!(!page.contains("Missing template"), "{page}");
}

/// Ghost 6.65 shows U+FFFD for invalid bytes.
#[test]
fn files_that_are_not_utf_8_are_used_and_reported() {
    let folder = folder_with(&[("partials/loop.hbs", ""), ("locales/en.json", "")]);
    let write_bytes = |path: &str, bytes: &[u8]| {
        fs::write(folder.top().join("tide").join(path), bytes).unwrap();
    };
    write_bytes("index.hbs", b"{{> loop}} {{t \"Read\"}}");
    write_bytes("partials/loop.hbs", b"one\ncaf\xe9");
    write_bytes("locales/en.json", b"{\"Read\": \"Lire d\xe9j\xe0\"}");
    let output = check(&folder, &["tide"]);
    assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
    for (file, line, byte) in [
        ("partials/loop.hbs", 2, "0xe9"),
        ("locales/en.json", 1, "0xe9"),
    ] {
        let expected = format!(
            "warning: {file}: Templates, translations and package.json should be UTF-8. line {line}: the byte {byte} is not UTF-8."
        );
        assert!(output.out.contains(&expected), "{expected}: {}", output.out);
    }
    let served = GalleyProcess::serve(&folder, &["--theme", "tide"]);
    let (status, page) = home(&served);
    assert_eq!(
        (status, &*page),
        (200, "one\ncaf\u{fffd} Lire d\u{fffd}j\u{fffd}")
    );
}

#[test]
fn syntax_error_is_reported_once_with_its_position() {
    for (template, using) in [
        ("index.hbs", None),
        ("default.hbs", None),
        ("partials/loop.hbs", Some(("index.hbs", "{{> loop}}"))),
        (
            "partials/navigation.hbs",
            Some(("index.hbs", "{{navigation}}{{> navigation}}")),
        ),
    ] {
        let folder = folder_with(&[(template, "one\n{{#if x}}")]);
        if let Some((path, text)) = using {
            write(&folder, path, text);
        }
        let output = check(&folder, &["tide", "--json"]);
        let found = output.json();
        let errors = found.as_array().unwrap().iter();
        // As in Ghost, an invalid template is also reported for unknown variables.
        let errors: Vec<&Value> = errors
            .filter(|error| error["level"] == "error")
            .filter(|error| error["code"] != "GS120-NO-UNKNOWN-GLOBALS")
            .collect();
        assert_eq!(errors.len(), 1, "{template}: {found}");
        assert_eq!(errors[0]["template"], template, "{found}");
        assert!(errors[0]["line"].is_u64(), "{found}");
        let served = GalleyProcess::serve(&folder, &["--theme", "tide"]);
        let (status, page) = home(&served);
        assert_eq!(status, 400, "{template}: {page}");
        assert!(page.contains(template), "{template}: {page}");
        for wrong in ["could not be found", "Missing template"] {
            assert!(!page.contains(wrong), "{template}: {page}");
        }
    }
}

#[test]
fn unusable_layout_is_reported_where_it_is_named() {
    for (text, message) in [
        (
            "one\n {{!< none}}",
            "index.hbs:2:2: Could not read file none.hbs",
        ),
        (
            "one\n {{!< index}}",
            "index.hbs:2:2: circular layout: index.hbs → index.hbs",
        ),
    ] {
        let folder = folder_with(&[("index.hbs", text)]);
        let output = check(&folder, &["tide"]);
        assert_eq!(output.code, Some(1));
        let line = format!("error: {message}\n");
        assert!(output.out.contains(&line), "{message}: {}", output.out);
    }
}

#[test]
fn invalid_translation_is_shown_partially() {
    let long = format!("{{\"Read\": \"{} {{\"}}", "long ".repeat(10_000));
    let folder = folder_with(&[("locales/en.json", &*long), ("index.hbs", "{{t \"Read\"}}")]);
    let output = check(&folder, &["tide"]);
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("…\": "), "{}", output.out);
    assert!(output.out.len() < 3000, "{}", output.out.len());
}

#[test]
fn missing_theme_folder_is_rejected() {
    let folder = folder_with(&[]);
    let output = run(&folder, &["serve", "--data", "data", "--theme", "ebb"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("there is no folder ebb with a theme"),
        "{}",
        output.err
    );
}
