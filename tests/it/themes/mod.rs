//! Tests of themes and redirects beyond the recordings.

mod assets;
mod bounded;
mod built_in;
mod checks;
mod developing;
mod documents;
mod hostile;
mod installing;
mod moments;
mod pages;
mod redirects;
mod replacing;
mod routed;
mod staff;

use std::io::{Cursor, Write};

use galley_tests::{
    Request, TestSite, http_client::HttpResponse, multipart::Form, owner, request::ADMIN,
};
use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

/// An archive of these files.
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

/// A site with its owner.
fn site() -> TestSite {
    TestSite::staffed()
}

/// What no theme can do without, and these files, which may replace it.
pub fn theme_with(files: &[(&str, &str)]) -> Vec<u8> {
    let needed = [
        ("index.hbs", "{{#foreach posts}}{{/foreach}}"),
        ("post.hbs", "{{title}}"),
    ];
    let is_given = |path: &str| files.iter().any(|(own, _)| *own == path);
    let missing = needed.into_iter().filter(|(path, _)| !is_given(path));
    archive_of(&missing.chain(files.iter().copied()).collect::<Vec<_>>())
}

/// What an upload gets a response.
pub fn upload(site: &TestSite, name: &str, archive: &[u8]) -> HttpResponse {
    let form = Form::default().file("file", name, "application/zip", archive);
    let ask = Request::new("POST", &format!("{ADMIN}/themes/upload/")).form(form);
    site.ask_as(&owner(), &ask)
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

/// A theme as an archive.
fn download(site: &TestSite, name: &str) -> Vec<u8> {
    let ask = Request::new("GET", &format!("{ADMIN}/themes/{name}/download/"));
    site.done(&owner(), ask).body
}
