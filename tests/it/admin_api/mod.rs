//! Tests of the Admin API beyond the recordings.
//!
//! The sample site is that of the Content API's tests. Text that is not public in the Content API contains the word HIDDEN.

mod absent_features;
mod actions;
mod bodies;
mod dates_in_filters;
mod default_records;
mod drafts;
mod email_cards;
mod email_previews;
mod envelopes;
mod equal_records;
mod indexes;
mod integrations;
mod labels;
mod media_inlining;
mod member_events;
mod member_files;
mod member_lists;
mod members;
mod menus;
mod newsletters;
mod notifications;
mod oembed;
mod offers;
mod posts;
mod recommendations;
mod settings;
mod snippets;
mod statistics;
mod stored_fields;
mod tags;
mod tiers;
mod webhook_deliveries;
mod webhooks;
mod whole_content;
mod writing_posts;

use galley_tests::{Request, TestSite, http_client::HttpResponse, multipart::Form, owner};
use serde_json::Value;
use url::form_urlencoded;

/// Sends a file as the owner.
fn upload(site: &TestSite, endpoint: &str, form: Form) -> HttpResponse {
    site.ask_as(&owner(), &Request::admin("POST", endpoint).form(form))
}

/// Returns the status, error type and property of an error response.
fn failure(response: &HttpResponse) -> (u16, String, Value) {
    let error = &response.json()["errors"][0];
    let kind = error["type"].as_str().unwrap().to_owned();
    (response.status, kind, error["property"].clone())
}

/// Returns the slugs of a list of records, in its order.
fn slugs(app: &TestSite, endpoint: &str) -> Vec<String> {
    let resource = endpoint.split('/').next().unwrap();
    let records = app.read(endpoint);
    let records = records[resource].as_array().unwrap();
    let slug = |record: &Value| record["slug"].as_str().unwrap().to_owned();
    records.iter().map(slug).collect()
}

/// Returns the slugs of the posts that match a filter, in alphabetical order.
fn found(app: &TestSite, filter: &str) -> Vec<String> {
    let filter: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    slugs(
        app,
        &format!("posts/?fields=slug&order=slug+asc&filter={filter}"),
    )
}

/// Returns the first record of a response.
pub fn first<'a>(response: &'a Value, resource: &str) -> &'a Value {
    &response[resource][0]
}
