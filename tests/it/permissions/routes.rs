//! Tests of every route with every role and key, against the table of Ghost 6.65.
//!
//! `routes.json` is derived from the permissions that Ghost declares for its endpoints, the permissions of its roles, and its
//! list of endpoints for integrations. A running Ghost 6.65 confirmed each row that it decides before it reads the body. Rights
//! that depend on the record are in `permissions.json`. The requests name records that do not exist, so a permitted request
//! gets any status but 403.

use std::collections::BTreeMap;

use galley_tests::{Request, TestSite, Who, admin_token, owner, request::ADMIN, staff::text};
use serde_json::json;

use super::{site_with_roles::SiteWithRoles, table::INVITED};

const INTEGRATION: &str = "Integration";

/// Returns each route, such as `GET /stats/mrr/`, with the roles that may use it.
fn table() -> BTreeMap<String, Vec<String>> {
    serde_json::from_str(include_str!("routes.json")).unwrap()
}

fn request_of(route: &str) -> Request {
    let (method, path) = route.split_once(' ').unwrap();
    let request = Request::new(method, &format!("{ADMIN}{path}"));
    if matches!(method, "GET" | "DELETE") {
        request
    } else {
        request.json(&json!({}))
    }
}

#[test]
fn every_route_admits_the_roles_that_ghost_admits() {
    let site = SiteWithRoles::new();
    let mut wrong = Vec::new();
    for (route, admitted) in table() {
        for role in ["Owner"].iter().chain(&INVITED) {
            let expected = admitted.iter().any(|name| name == role);
            for who in [Who::session(role), Who::staff_token(role)] {
                let status = site.ask_as(&who, &request_of(&route)).status;
                if (status != 403) != expected {
                    wrong.push(format!("{route} as {who:?}: {status}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns a site whose integration has this scope, and the Admin API key of the integration.
fn site_of_integration(scope: &str) -> (TestSite, String) {
    let site = TestSite::staffed();
    let body = json!({"integrations": [{"name": scope, "scope": scope}]});
    let made = site.post_as(&owner(), "/integrations/?include=api_keys", &body);
    let keys = made["integrations"][0]["api_keys"].as_array().unwrap();
    let key = keys.iter().find(|key| key["type"] == "admin").unwrap();
    let secret = text(&key["secret"]);
    (site, secret)
}

fn status_with_key(site: &TestSite, key: &str, route: &str) -> u16 {
    let token = admin_token::of_key(key);
    let request = request_of(route).header("authorization", &format!("Ghost {token}"));
    site.ask_as(&Who::Anonymous, &request).status
}

/// Asserts that an integration with this scope may use exactly those routes of integrations that satisfy `is_in_scope`.
fn assert_scope(scope: &str, is_in_scope: impl Fn(&str) -> bool) {
    let (site, key) = site_of_integration(scope);
    let mut wrong = Vec::new();
    for (route, admitted) in table() {
        let expected = admitted.iter().any(|name| name == INTEGRATION) && is_in_scope(&route);
        let status = status_with_key(&site, &key, &route);
        if (status != 403) != expected {
            wrong.push(format!("{route}: {status}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_route_admits_the_integrations_that_ghost_admits() {
    assert_scope("ghost", |_| true);
}

#[test]
fn read_only_key_has_the_reads_of_ghost_except_member_sign_in_links() {
    assert_scope("read", |route| {
        route.starts_with("GET ") && !route.contains("/signin_urls/")
    });
}
