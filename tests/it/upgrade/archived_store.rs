//! An archived store, which is extracted and sent the requests that were recorded when it was created.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use data_encoding::HEXLOWER;
use galley_tests::{
    admin_token,
    http_client::{HttpResponse, send_raw},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use tempfile::TempDir;
use zip::ZipArchive;

/// The description of a store in `stores.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StoreDescription {
    /// The commit that its program was built from.
    #[expect(dead_code, reason = "it is for those who read the file")]
    commit: String,
    /// The features that were new in that program.
    #[expect(dead_code, reason = "it is for those who read the file")]
    new: String,
    /// The skipped steps of `make`.
    #[serde(default)]
    without: Vec<String>,
    /// The events that are still queued for webhooks.
    #[serde(default)]
    pub waits: Vec<String>,
}

impl StoreDescription {
    /// Returns whether the program had staff users with sign-in.
    pub fn has_people(&self) -> bool {
        !self.without.iter().any(|step| step == "people")
    }
}

/// A response as `make` recorded it.
#[derive(Deserialize)]
struct Recorded {
    who: String,
    target: String,
    status: u16,
    location: Option<String>,
    json: Option<Value>,
    sha256: Option<String>,
}

/// The creation time of a store, and its credentials.
#[derive(Deserialize)]
struct Made {
    at: jiff::Timestamp,
    keys: BTreeMap<String, String>,
    session: Option<String>,
}

/// An extracted store. Its folder is deleted when this is dropped.
pub struct ArchivedStore {
    folder: TempDir,
    made: Made,
    responses: Vec<Recorded>,
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/upgrade")
}

/// Returns the descriptions of all stores, by name.
pub fn stores() -> BTreeMap<String, StoreDescription> {
    toml::from_str(&fs::read_to_string(here().join("stores.toml")).unwrap()).unwrap()
}

/// Returns the names of the existing archives.
pub fn names_of_archives() -> BTreeSet<String> {
    let entries = fs::read_dir(here()).unwrap().map(|entry| entry.unwrap());
    let names = entries.map(|entry| entry.file_name().into_string().unwrap());
    names
        .filter_map(|name| name.strip_suffix(".zip").map(str::to_owned))
        .collect()
}

/// Sends a POST of JSON as an anonymous client, with the origin of the site.
pub fn post(address: &str, target: &str, body: &Value) -> HttpResponse {
    let body = body.to_string();
    let headers = format!(
        "origin: https://quay.example\r\ncontent-type: application/json\r\ncontent-length: {}\r\n",
        body.len()
    );
    send(address, "POST", target, &headers, &body)
}

fn send(address: &str, method: &str, target: &str, headers: &str, body: &str) -> HttpResponse {
    let request = format!(
        "{method} {target} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\naccept-version: v6.0\r\n{headers}\r\n{body}"
    );
    send_raw(address, request)
}

impl ArchivedStore {
    /// Extracts the store with this name.
    pub fn unpack(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = fs::File::open(here().join(format!("{name}.zip"))).unwrap();
        ZipArchive::new(archive)
            .unwrap()
            .extract(folder.path())
            .unwrap();
        let read = |file: &str| fs::read_to_string(folder.path().join(file)).unwrap();
        Self {
            made: serde_json::from_str(&read("made.json")).unwrap(),
            responses: serde_json::from_str(&read("answers.json")).unwrap(),
            folder,
        }
    }

    /// Returns the folder with `data` and `content`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the data folder.
    pub fn data(&self) -> PathBuf {
        self.folder().join("data")
    }

    /// Returns the creation time of the store.
    pub fn made_at(&self) -> jiff::Timestamp {
        self.made.at
    }

    /// Returns the session cookie of the owner.
    pub fn session(&self) -> String {
        let cookie = self.made.session.as_ref().unwrap();
        cookie.split_once('=').unwrap().1.to_owned()
    }

    /// Returns the differences between the responses of the program at `address` and the recorded ones, which may have fewer
    /// fields.
    pub fn differences(&self, address: &str) -> Vec<String> {
        let mut found = Vec::new();
        for recorded in &self.responses {
            let response = self.again(address, recorded);
            let mut differ = |path: &str, was: &str, is: &str| {
                let target = &recorded.target;
                if is_as_in_ghost(target, path) {
                    return;
                }
                found.push(format!("{target} {path}\n  was {was}\n  is  {is}"));
            };
            let (was, is) = (recorded.status.to_string(), response.status.to_string());
            if was != is {
                differ("status", &was, &is);
            }
            if recorded.location.as_deref() != response.header("location") {
                let is = response.header("location").unwrap_or_default();
                differ("location", &format!("{:?}", recorded.location), is);
            }
            if let Some(digest) = &recorded.sha256 {
                let is = HEXLOWER.encode(&Sha256::digest(&response.body));
                if *digest != is {
                    differ("body", digest, &is);
                }
            }
            if let Some(was) = &recorded.json {
                let is = serde_json::from_slice(&response.body).unwrap_or_default();
                compare(was, &is, String::new(), &mut differ);
            }
        }
        found
    }

    fn again(&self, address: &str, recorded: &Recorded) -> HttpResponse {
        let target = &recorded.target;
        let separator = if target.contains('?') { '&' } else { '?' };
        let (target, headers) = match recorded.who.as_str() {
            "nobody" => (target.clone(), String::new()),
            "reader" => {
                let key = &self.made.keys["content_key"];
                (format!("{target}{separator}key={key}"), String::new())
            }
            who => {
                let token = admin_token::of_key(&self.made.keys[who]);
                (target.clone(), format!("authorization: Ghost {token}\r\n"))
            }
        };
        send(address, "GET", &target, &headers, "")
    }
}

/// Reports each missing or changed value: its path, with `[]` for each list, the recorded value, and the current value.
/// Additional fields and settings are permitted. Settings are identified by their keys.
fn compare(was: &Value, is: &Value, path: String, differ: &mut impl FnMut(&str, &str, &str)) {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            let stands = was.iter().filter(|(key, _)| !is_corrected(was, key));
            for (key, was) in stands {
                compare(
                    was,
                    is.get(key).unwrap_or(&Value::Null),
                    format!("{path}.{key}"),
                    differ,
                );
            }
        }
        (Value::Array(was), Value::Array(is)) if is_of_settings(was) => {
            let known = |key: &Value| is.iter().find(|setting| setting["key"] == *key);
            for was in was {
                let key = &was["key"];
                let path = format!("{path}[{key}]");
                compare(was, known(key).unwrap_or(&Value::Null), path, differ);
            }
        }
        (Value::Array(was), Value::Array(is)) if is_ordered_as_in_ghost(&path) => {
            let known = |id: &Value| is.iter().find(|record| record["id"] == *id);
            for was in was {
                let is = known(&was["id"]).unwrap_or(&Value::Null);
                compare(was, is, format!("{path}[]"), differ);
            }
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            for (was, is) in was.iter().zip(is) {
                compare(was, is, format!("{path}[]"), differ);
            }
        }
        (was, is) if was != is => differ(&path, &was.to_string(), &is.to_string()),
        _ => {}
    }
}

/// Returns whether the value was wrong in earlier versions and is corrected now: the `context` of actions on settings, which
/// Ghost never sends.
fn is_corrected(record: &Map<String, Value>, key: &str) -> bool {
    key == "context"
        && record
            .get("resource_type")
            .is_some_and(|kind| kind == "setting")
}

/// Returns whether the order of a list was changed to Ghost's: users by their last visit, and revisions oldest first. Records
/// of these lists are matched by identifier.
fn is_ordered_as_in_ghost(path: &str) -> bool {
    path == ".users" || path.ends_with(".post_revisions")
}

/// Returns whether a value was changed to Ghost's: the number of recommendations per page, and a setting that had no effect.
fn is_as_in_ghost(target: &str, path: &str) -> bool {
    target.contains("/recommendations/") && path == ".meta.pagination.limit"
        || path == ".settings[\"members_track_sources\"].value"
}

fn is_of_settings(list: &[Value]) -> bool {
    !list.is_empty() && list.iter().all(|record| record["key"].is_string())
}
