//! Tests of themes and redirects beyond the recordings.

mod assets;
mod bounded;
mod built_in;
mod checks;
mod code;
mod developing;
mod documents;
mod failing;
mod filters;
mod hostile;
mod installing;
mod package_settings;
mod pages;
mod redirects;
mod replacing;
mod routed;
mod staff;
mod time_dependent_pages;

use std::io::{Cursor, Write};

use galley_tests::{
    Request, TestSite, http_client::HttpResponse, multipart::Form, owner, request::ADMIN,
};
use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

/// Returns a zip archive of these files.
pub fn archive_of(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, content) in files {
        archive
            .start_file(*path, SimpleFileOptions::default())
            .unwrap();
        archive.write_all(content.as_bytes()).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Starts a site with an owner.
fn site() -> TestSite {
    TestSite::staffed()
}

/// Returns the archive of a theme with these files and with defaults for missing required files.
pub fn theme_with(files: &[(&str, &str)]) -> Vec<u8> {
    let needed = [
        ("index.hbs", "{{#foreach posts}}{{/foreach}}"),
        ("post.hbs", "{{title}}"),
    ];
    archive_of(&with_missing(files, &needed))
}

/// Returns the archive of a theme without findings, with these files added or replaced.
pub fn flawless_theme_with(files: &[(&str, &str)]) -> Vec<u8> {
    const PACKAGE: &str = r#"{"name": "tide", "version": "1.0.0", "keywords": ["ghost-theme"],
        "author": {"email": "zoe@example.com"}, "config": {"posts_per_page": 5, "card_assets": true}}"#;
    let needed = [
        ("package.json", PACKAGE),
        (
            "default.hbs",
            "{{ghost_head}}{{{body}}}{{ghost_foot}}{{@page.show_title_and_feature_image}}",
        ),
        ("index.hbs", "{{#foreach posts}}{{/foreach}}"),
        ("post.hbs", "{{title}}"),
        ("assets/screen.css", STYLE),
    ];
    archive_of(&with_missing(files, &needed))
}

/// A style sheet with the styles that the check requires of every theme.
pub const STYLE: &str = ".kg-width-wide, .kg-width-full { font-family: var(--gh-font-body) }
    h1 { font-family: var(--gh-font-heading) }";

/// Returns these files and those of `needed` whose paths are missing.
fn with_missing<'f>(
    files: &[(&'f str, &'f str)],
    needed: &[(&'f str, &'f str)],
) -> Vec<(&'f str, &'f str)> {
    let is_given = |path: &str| files.iter().any(|(given, _)| *given == path);
    let missing = needed.iter().filter(|(path, _)| !is_given(path));
    missing.chain(files).copied().collect()
}

/// Uploads a theme and returns the response.
pub fn upload(site: &TestSite, name: &str, archive: &[u8]) -> HttpResponse {
    let form = Form::default().file("file", name, "application/zip", archive);
    let request = Request::new("POST", &format!("{ADMIN}/themes/upload/")).form(form);
    site.ask_as(&owner(), &request)
}

pub fn activate(site: &TestSite, name: &str) {
    site.put_as(&owner(), &format!("/themes/{name}/activate/"), &json!({}));
}

/// Returns the response to an anonymous client.
fn get(site: &TestSite, target: &str) -> HttpResponse {
    site.ask_as(&galley_tests::Who::Anonymous, &Request::new("GET", target))
}

fn names(site: &TestSite) -> Vec<String> {
    let themes = site.get_as(&owner(), "/themes/");
    let name = |theme: &Value| theme["name"].as_str().unwrap().to_owned();
    themes["themes"]
        .as_array()
        .unwrap()
        .iter()
        .map(name)
        .collect()
}

/// Downloads a theme as an archive.
fn download(site: &TestSite, name: &str) -> Vec<u8> {
    let request = Request::new("GET", &format!("{ADMIN}/themes/{name}/download/"));
    site.done(&owner(), request).body
}
