//! The owner of a site, authenticated by cookie.

use serde_json::Value;

use crate::{
    app::{Builder, TestApp},
    http_client::HttpResponse,
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
pub fn ask(site: &StaffedSite, method: &str, endpoint: &str, body: Option<&Value>) -> HttpResponse {
    let ask = Ask::new(method, &format!("{ADMIN}/{endpoint}"));
    let ask = match body {
        Some(body) => ask.json(body),
        None => ask,
    };
    site.send(&Who::session("Owner"), &ask)
}

/// What an endpoint responds to GET; fails unless it is 200.
pub fn read(site: &StaffedSite, endpoint: &str) -> Value {
    let response = ask(site, "GET", endpoint, None);
    assert_eq!(response.status, 200, "{endpoint}: {}", response.text());
    response.json()
}

/// Sends a file as the owner.
pub fn upload(site: &StaffedSite, endpoint: &str, form: Form) -> HttpResponse {
    let ask = Ask::new("POST", &format!("{ADMIN}/{endpoint}")).form(form);
    site.send(&Who::session("Owner"), &ask)
}

/// Returns the JSON of the Content API; fails unless the status is 200.
pub fn read_as_reader(site: &StaffedSite, endpoint: &str) -> Value {
    let ask = Ask::new("GET", &format!("/ghost/api/content/{endpoint}"));
    let response = site.send(&Who::Reader, &ask);
    assert_eq!(response.status, 200, "{endpoint}: {}", response.text());
    response.json()
}

/// The status, type and property of a failure.
pub fn failure(response: &HttpResponse) -> (u16, String, Value) {
    let error = &response.json()["errors"][0];
    let kind = error["type"].as_str().unwrap().to_owned();
    (response.status, kind, error["property"].clone())
}
