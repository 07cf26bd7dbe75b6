//! The owner of a site, asking by cookie.

use serde_json::Value;

use crate::{
    app::{Builder, TestApp},
    http_client::Answer,
    multipart::Form,
    staffed_site::{ADMIN, Ask, StaffedSite, Who},
};

/// A site without content and its owner.
pub fn site() -> StaffedSite {
    site_of(TestApp::builder())
}

/// A site with this content and its owner.
pub fn site_of(builder: Builder) -> StaffedSite {
    StaffedSite::start(builder)
}

/// Asks as the owner.
pub fn ask(site: &StaffedSite, method: &str, endpoint: &str, body: Option<&Value>) -> Answer {
    let ask = Ask::new(method, &format!("{ADMIN}/{endpoint}"));
    let ask = match body {
        Some(body) => ask.json(body),
        None => ask,
    };
    site.send(&Who::session("Owner"), &ask)
}

/// What an endpoint answers to GET; fails unless it is 200.
pub fn read(site: &StaffedSite, endpoint: &str) -> Value {
    let answer = ask(site, "GET", endpoint, None);
    assert_eq!(answer.status, 200, "{endpoint}: {}", answer.text());
    answer.json()
}

/// Sends a file as the owner.
pub fn upload(site: &StaffedSite, endpoint: &str, form: Form) -> Answer {
    let ask = Ask::new("POST", &format!("{ADMIN}/{endpoint}")).form(form);
    site.send(&Who::session("Owner"), &ask)
}

/// What the Content API answers; fails unless it is 200.
pub fn read_as_reader(site: &StaffedSite, endpoint: &str) -> Value {
    let ask = Ask::new("GET", &format!("/ghost/api/content/{endpoint}"));
    let answer = site.send(&Who::Reader, &ask);
    assert_eq!(answer.status, 200, "{endpoint}: {}", answer.text());
    answer.json()
}

/// The status, type and property of a failure.
pub fn failure(answer: &Answer) -> (u16, String, Value) {
    let error = &answer.json()["errors"][0];
    let kind = error["type"].as_str().unwrap().to_owned();
    (answer.status, kind, error["property"].clone())
}
