//! Tests that a worker reuses the results that the connection's thread prepared for a request, and repeats only the checks that
//! depend on the time or on a newer snapshot.

use bytes::Bytes;
use galley::{
    api::{
        handler::Handler,
        request::{Request, RequestHead},
        response::{Body, Response},
    },
    domain::integration::Integration,
};
use galley_tests::admin_token::Token;
use http::{Method, StatusCode, header};
use serde_json::{Value, json};

use super::relative_dates::{DatedSite, site_at};

const NOW: &str = "2024-04-01T12:00:00Z";

/// [`NOW`] in seconds since 1970.
const NOW_S: i64 = 1_711_972_800;

fn integration(site: &DatedSite) -> Integration {
    let current = site.site.current();
    let integration = current.catalog.integrations().next().unwrap();
    Integration::clone(integration)
}

/// Returns a request for a new tag by an integration, with a token that is valid for a minute.
fn new_tag(site: &DatedSite) -> Request {
    let key = integration(site).admin_key;
    let admin_key = format!("{}:{}", key.id, key.secret);
    let token = Token::new(&admin_key)
        .claim("iat", NOW_S)
        .claim("exp", NOW_S + 60)
        .finish();
    let mut head = site.head("");
    head.method = Method::POST;
    head.target = "/ghost/api/admin/tags/".parse().unwrap();
    let fields = [
        (header::AUTHORIZATION, format!("Ghost {token}")),
        (header::CONTENT_TYPE, "application/json".to_owned()),
    ];
    for (name, value) in fields {
        head.headers.insert(name, value.parse().unwrap());
    }
    Request {
        head,
        body: Bytes::from(json!({"tags": [{"name": "Weather"}]}).to_string()),
    }
}

/// Returns the prepared state of a request that only a worker can respond to.
fn prepared(site: &DatedSite, head: &RequestHead) -> <galley::api::Api as Handler>::Prepared {
    let prepared = site.api().respond_from_memory(&head.head_ref()).err();
    prepared.expect("the request needs no worker")
}

fn json_of(response: Response) -> Value {
    let Body::Bytes(body) = response.body else {
        panic!("there is no body")
    };
    serde_json::from_slice(&body).unwrap()
}

/// Returns the response's status and error code if `meanwhile` runs between the preparation and the response.
fn status_after(meanwhile: impl FnOnce(&DatedSite)) -> (StatusCode, Value) {
    let site = site_at(NOW);
    let request = new_tag(&site);
    let prepared = prepared(&site, &request.head);
    // A long body needs valid credentials, so this call verifies the token.
    let bytes_max = site.api().body_bytes_max(&request.head, &prepared);
    assert!(bytes_max.is_some());
    meanwhile(&site);
    let response = site.api().respond(&request, &prepared, true);
    let status = response.status;
    (status, json_of(response)["errors"][0]["code"].clone())
}

#[test]
fn permissions_are_those_of_the_workers_snapshot() {
    assert_eq!(status_after(|_| {}), (StatusCode::CREATED, Value::Null));

    let unrelated = status_after(|site| {
        let added = |change: &mut galley::site::Transaction| change.add_integration("Other", None);
        site.site.write(added).unwrap();
    });
    assert_eq!(unrelated.0, StatusCode::CREATED);

    let revoked = status_after(|site| {
        let id = integration(site).id;
        site.site
            .write(|transaction| transaction.delete_integration(id))
            .unwrap();
    });
    let code = "UNKNOWN_ADMIN_API_KEY".into();
    assert_eq!(revoked, (StatusCode::UNAUTHORIZED, code));

    let refreshed = status_after(|site| {
        let mut integration = integration(site);
        integration.admin_key = integration.admin_key.refreshed().unwrap();
        site.site
            .write_once(|transaction| transaction.save_integration(integration))
            .unwrap();
    });
    assert_eq!(refreshed, (StatusCode::UNAUTHORIZED, "INVALID_JWT".into()));
}

#[test]
fn token_that_expires_while_the_body_arrives_is_rejected() {
    let in_time = status_after(|site| site.set_time("2024-04-01T12:00:59Z"));
    assert_eq!(in_time.0, StatusCode::CREATED);
    let expired = status_after(|site| site.set_time("2024-04-01T12:01:00Z"));
    assert_eq!(expired, (StatusCode::UNAUTHORIZED, "INVALID_JWT".into()));
}

#[test]
fn token_is_verified_once() {
    let site = site_at(NOW);
    let mut request = new_tag(&site);
    let prepared = prepared(&site, &request.head);
    site.api().body_bytes_max(&request.head, &prepared);

    // A second verification would reject this replacement, which no client can make.
    let replacement = "Ghost e30.e30.e30".parse().unwrap();
    request
        .head
        .headers
        .insert(header::AUTHORIZATION, replacement);
    let response = site.api().respond(&request, &prepared, true);

    assert_eq!(response.status, StatusCode::CREATED);
}

#[test]
fn path_is_routed_again_after_the_site_url_changes() {
    let site = site_at(NOW);
    let head = site.head("posts/");
    let prepared = prepared(&site, &head);
    site.site
        .write(|transaction| {
            let url = "https://example.com/ghost".into();
            transaction.edit_settings([("url".to_owned(), url)].into())
        })
        .unwrap();
    let body = Bytes::new();
    let response = site.api().respond(&Request { head, body }, &prepared, true);
    assert_eq!(response.status, StatusCode::NOT_FOUND);
}

/// Returns the parts of a response that a client sees: its status, headers and body.
fn visible_parts(response: Response) -> (StatusCode, Vec<(String, String)>, Option<Bytes>) {
    let mut fields: Vec<(String, String)> = response
        .headers
        .iter()
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    fields.sort();
    let body = match response.body {
        Body::Bytes(bytes) | Body::Sendfile { bytes, .. } => Some(bytes),
        _ => None,
    };
    (response.status, fields, body)
}

#[test]
fn inline_cached_and_worker_responses_are_the_same() {
    for endpoint in [
        "posts/?limit=2",
        "posts/?include=tags,authors&order=slug%20asc",
        "posts/?filter=slug:-winter&fields=slug,html",
        "posts/slug/spring/?include=authors",
        "authors/?include=count.posts",
        "tags/",
        "tiers/",
        "settings/",
        "search-index/posts/",
    ] {
        let other = site_at(NOW);
        let by_worker = visible_parts(other.api().respond_alone(&Request {
            head: other.head(endpoint),
            body: Bytes::new(),
        }));
        let site = site_at(NOW);
        site.respond("posts/");
        let inline = site.inline_response(endpoint);
        let inline = visible_parts(inline.unwrap_or_else(|| panic!("{endpoint} needs a worker")));
        let cached = visible_parts(site.inline_response(endpoint).unwrap());
        assert_eq!(inline, by_worker, "{endpoint}");
        assert_eq!(cached, by_worker, "{endpoint}");
    }
}
