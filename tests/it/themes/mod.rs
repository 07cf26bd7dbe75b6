//! Tests of themes and redirects beyond the recordings.

mod assets;
mod hostile;
mod redirects;
mod replacing;

use std::io::{Cursor, Write};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{
    http_client::HttpResponse,
    multipart::Form,
    staffed_site::{ADMIN, Ask, StaffedSite, owner},
};

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
fn site() -> StaffedSite {
    StaffedSite::empty()
}

/// What no theme can do without, and these files.
fn theme_with(files: &[(&str, &str)]) -> Vec<u8> {
    let needed = [
        ("index.hbs", "{{#foreach posts}}{{/foreach}}"),
        ("post.hbs", "{{title}}"),
    ];
    archive_of(&[&needed[..], files].concat())
}

/// What an upload gets a response.
fn upload(site: &StaffedSite, name: &str, archive: &[u8]) -> HttpResponse {
    let form = Form::default().file("file", name, "application/zip", archive);
    let ask = Ask::new("POST", &format!("{ADMIN}/themes/upload/")).form(form);
    site.send(&owner(), &ask)
}

fn activate(site: &StaffedSite, name: &str) {
    site.put_as(&owner(), &format!("/themes/{name}/activate/"), &json!({}));
}

/// Returns the response to an anonymous client.
fn get(site: &StaffedSite, target: &str) -> HttpResponse {
    site.send(
        &crate::staffed_site::Who::Anonymous,
        &Ask::new("GET", target),
    )
}

fn names(site: &StaffedSite) -> Vec<String> {
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
fn download(site: &StaffedSite, name: &str) -> Vec<u8> {
    let ask = Ask::new("GET", &format!("{ADMIN}/themes/{name}/download/"));
    site.done(&owner(), ask).body
}
