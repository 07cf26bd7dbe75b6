//! Tests of the Admin API beyond the recordings.
//!
//! The publication is that of the Content API's tests. Text that is not public in the Content API contains the word HIDDEN.

mod absent_features;
mod actions;
mod beginnings;
mod bodies;
mod dates_in_filters;
mod drafts;
mod email_cards;
mod email_previews;
mod envelopes;
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
mod owner;
mod posts;
mod recommendations;
mod settings;
mod snippets;
mod statistics;
mod stored_fields;
mod tags;
mod tiers;
mod ties;
mod webhook_deliveries;
mod webhooks;
mod whole_content;
mod writing_posts;

use serde_json::Value;
use url::form_urlencoded;

use crate::{admin_token, app::TestApp, http_client::HttpResponse};

const ADMIN: &str = "/ghost/api/admin";

/// Asks with a token of the integration that came with the site.
pub fn ask(app: &TestApp, method: &str, endpoint: &str, body: Option<&Value>) -> HttpResponse {
    let token = admin_token::of_key(&app.admin_key());
    let headers = format!("authorization: Ghost {token}\r\ncontent-type: application/json\r\n");
    let body = body.map(ToString::to_string).unwrap_or_default();
    app.ask(method, &format!("{ADMIN}/{endpoint}"), &headers, &body)
}

/// What an endpoint responds to GET; fails unless it is 200.
pub fn read(app: &TestApp, endpoint: &str) -> Value {
    let response = ask(app, "GET", endpoint, None);
    assert_eq!(response.status, 200, "{endpoint}: {}", response.text());
    response.json()
}

/// The slugs of a list of posts, in its order.
fn slugs(app: &TestApp, endpoint: &str) -> Vec<String> {
    let resource = endpoint.split('/').next().unwrap();
    let records = read(app, endpoint);
    let records = records[resource].as_array().unwrap();
    let slug = |record: &Value| record["slug"].as_str().unwrap().to_owned();
    records.iter().map(slug).collect()
}

/// The slugs of the posts that a filter finds, in the order of the alphabet.
fn found(app: &TestApp, filter: &str) -> Vec<String> {
    let filter: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    slugs(
        app,
        &format!("posts/?fields=slug&order=slug+asc&filter={filter}"),
    )
}

/// The first record of a response.
pub fn first<'a>(response: &'a Value, resource: &str) -> &'a Value {
    &response[resource][0]
}
