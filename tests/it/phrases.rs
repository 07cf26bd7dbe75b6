//! Tests of phrases in messages that clients match, over every endpoint of the OpenAPI document: "not found" in every 404,
//! exactly "Authorization failed" for unauthenticated requests, "already exists" for duplicates, "invalid token" for bad
//! tokens.

use galley_tests::{
    Request, TestSite, Who, admin_token::Token, http_client::HttpResponse, owner, request::ADMIN,
};
use serde_json::{Value, json};

use crate::architecture::{Source, sources};

/// An identifier that no record has.
const UNKNOWN: &str = "666666666666666666666666";

/// Returns every method and path of one of the APIs in the document, with values for the variables of the path.
fn endpoints(api: &str) -> Vec<(String, String)> {
    let document: Value = serde_json::from_str(include_str!("../../schema/openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    let mut endpoints = Vec::new();
    for (path, methods) in paths.iter().filter(|(path, _)| path.starts_with(api)) {
        let parts = path.split('/').map(|part| match part.starts_with('{') {
            true if part.contains("slug") => "no-such-slug",
            true if part.contains("email") => "no@example.com",
            true => UNKNOWN,
            false => part,
        });
        let path = format!("/ghost/api{}", parts.collect::<Vec<_>>().join("/"));
        for method in methods.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            if ["GET", "POST", "PUT", "DELETE"].contains(&method.as_str()) {
                endpoints.push((method, path.clone()));
            }
        }
    }
    assert!(endpoints.len() > 5, "the document has no paths below {api}");
    endpoints
}

fn message(response: &HttpResponse) -> String {
    let error = &response.json()["errors"][0];
    error["message"].as_str().unwrap().to_owned()
}

#[test]
fn unauthenticated_requests_get_exactly_authorization_failed() {
    let site = TestSite::staffed();
    let mut refused = 0;
    for (method, path) in endpoints("/admin/")
        .into_iter()
        .chain(endpoints("/content/"))
    {
        let response = site.ask_as(&Who::Anonymous, &Request::new(&method, &path));
        if response.status != 403 {
            continue;
        }
        let error = &response.json()["errors"][0];
        if error["message"] == "The site already has an owner." {
            continue;
        }
        refused += 1;
        assert_eq!(error["message"], "Authorization failed", "{method} {path}");
        assert_eq!(error["type"], "NoPermissionError", "{method} {path}");
        assert!(error["context"].is_string(), "{method} {path}");
    }
    assert!(refused > 100, "{refused} endpoints were refused");
}

#[test]
fn every_404_says_not_found() {
    let site = TestSite::staffed();
    let mut missing = 0;
    let endpoints = endpoints("/admin/")
        .into_iter()
        .chain(endpoints("/content/"));
    let signed_out = |path: &str| {
        let ends_it = ["/session/", "/authentication/", "/db/"];
        ends_it.iter().any(|part| path.contains(part))
    };
    for (method, path) in endpoints.filter(|(_, path)| !signed_out(path)) {
        let who = if path.contains("/content/") {
            Who::Reader
        } else {
            owner()
        };
        let resource = path.split('/').nth(4).unwrap();
        let record = json!({"name": "N", "title": "T", "updated_at": "2026-01-01T00:00:00.000Z"});
        let request = match method.as_str() {
            "GET" | "DELETE" if !path.contains(UNKNOWN) && method == "DELETE" => continue,
            "GET" | "DELETE" => Request::new(&method, &path),
            _ => Request::new(&method, &path).json(&json!({resource: [record]})),
        };
        let response = site.ask_as(&who, &request);
        if response.status != 404 {
            continue;
        }
        missing += 1;
        let message = message(&response);
        assert!(
            message.ends_with(" not found."),
            "{method} {path}: {message}"
        );
    }
    assert!(missing > 40, "{missing} responded with 404");
    for path in [
        "/ghost/api/admin/nothing/",
        "/ghost/api/nothing/",
        "/ghost/api/v5/admin/posts/",
    ] {
        let response = site.ask_as(&owner(), &Request::new("GET", path));
        assert_eq!(
            (response.status, message(&response)),
            (404, "Endpoint not found.".into())
        );
    }
}

#[test]
fn unknown_user_or_invite_is_not_found() {
    let site = TestSite::staffed();
    let unknown = json!({"username": "no@example.com", "password": "x"});
    let invitation = json!({"invitation": [{
        "name": "N", "email": "no@example.com", "password": "Som3-pass-phr4se", "token": "none"
    }]});
    let reset = json!({"password_reset": [{"email": "no@example.com"}]});
    for (path, body, wanted) in [
        ("/session/", unknown, "User not found."),
        (
            "/authentication/invitation/",
            invitation,
            "Invite not found.",
        ),
        ("/authentication/password_reset/", reset, "User not found."),
    ] {
        let request = Request::new("POST", &format!("{ADMIN}{path}")).json(&body);
        let response = site.ask_as(&Who::Anonymous, &request);
        assert_eq!(
            (response.status, message(&response).as_str()),
            (404, wanted),
            "{path}"
        );
    }
}

#[test]
fn duplicates_get_the_already_exists_phrase() {
    let site = TestSite::staffed();
    let webhook = json!({
        "event": "post.added", "target_url": "https://example.com/", "integration_id": site.integration_id()
    });
    for (resource, record) in [
        ("members", json!({"email": "m@example.com"})),
        ("labels", json!({"name": "L"})),
        ("newsletters", json!({"name": "N"})),
        ("snippets", json!({"name": "S", "mobiledoc": "{}"})),
        (
            "recommendations",
            json!({"title": "R", "url": "https://example.com/"}),
        ),
        ("webhooks", webhook),
    ] {
        let body = json!({resource: [record]});
        site.post_as(&owner(), &format!("/{resource}/"), &body);
        let again = Request::new("POST", &format!("{ADMIN}/{resource}/")).json(&body);
        let response = site.ask_as(&owner(), &again);
        assert_eq!(response.status, 422, "{resource}");
        assert!(
            message(&response).contains("already exists"),
            "{}",
            response.text()
        );
    }
    let role = site.role_id("Author");
    let invite = json!({"invites": [{"email": "owner@example.com", "role_id": role}]});
    let request = Request::new("POST", &format!("{ADMIN}/invites/")).json(&invite);
    assert!(message(&site.ask_as(&owner(), &request)).contains("already exists"));
}

#[test]
fn invalid_tokens_get_the_invalid_token_phrase() {
    let site = TestSite::staffed();
    let key = site.admin_key();
    for token in [
        Token::new(key).corrupt().finish(),
        Token::new(key).algorithm("HS512").finish(),
        Token::new(key).algorithm("none").finish(),
        Token::new(key).claim("aud", "/other/").finish(),
        Token::new(key).time("exp", -1).finish(),
        Token::new(key).time("iat", -301).finish(),
        Token::new(key).claim("iat", Value::Null).finish(),
        Token::new(key).header("kid", Value::Null).finish(),
        "nonsense".to_owned(),
    ] {
        let request = Request::new("GET", &format!("{ADMIN}/posts/"));
        let request = request.header("authorization", &format!("Ghost {token}"));
        let response = site.ask_as(&Who::Anonymous, &request);
        assert!([400, 401].contains(&response.status), "{}", response.text());
        assert!(
            message(&response).starts_with("Invalid token: "),
            "{}",
            response.text()
        );
    }
}

/// Clients match phrases in messages. Each phrase has one constructor.
#[test]
fn phrases_that_clients_match_are_defined_once() {
    let phrases = [
        " not found.\"",
        " already exists.\"",
        "\"Invalid token: {why}",
        "\"INVALID_JWT\"",
        "\"Authorization failed\"",
    ];
    let elsewhere = |source: &Source| !source.is_one_of(&["error.rs"]);
    for source in sources().iter().filter(|source| elsewhere(source)) {
        let code: String = source.code().split("#[cfg(test)]").next().unwrap().into();
        for phrase in phrases {
            assert!(!code.contains(phrase), "src/{}: {phrase}", source.path);
        }
        let words: String = code.split_whitespace().collect();
        assert!(
            !words.contains("Error::new(Kind::NotFound"),
            "src/{}: Error::not_found says \"not found\"",
            source.path
        );
    }
}
