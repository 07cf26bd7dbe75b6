//! Tests that invalid tokens grant no access.

use std::thread;

use galley_tests::{Request, TestSite, Who, admin_token::Token, owner, request::ADMIN};
use serde_json::{Value, json};

/// Returns a request with this token that a valid token would permit.
fn add_tag(token: &str) -> Request {
    Request::new("POST", &format!("{ADMIN}/tags/"))
        .header("authorization", &format!("Ghost {token}"))
        .json(&json!({"tags": [{"name": "Added"}]}))
}

/// Returns the number of tags.
fn tags(site: &TestSite) -> usize {
    let tags = site.get_as(&owner(), "/tags/");
    tags["tags"].as_array().unwrap().len()
}

/// Asserts that each token is refused with 401 and its code, and that no tag is added.
fn assert_refused(site: &TestSite, tokens: &[(&str, String, &str)]) {
    for (what, token, code) in tokens {
        let response = site.ask_as(&Who::Anonymous, &add_tag(token));
        assert_eq!(response.status, 401, "{what}: {}", response.text());
        assert_eq!(response.json()["errors"][0]["code"], *code, "{what}");
    }
    assert_eq!(tags(site), 0);
}

#[test]
fn expired_and_premature_tokens_are_rejected() {
    let site = TestSite::staffed();
    let token = || Token::new(site.admin_key());

    assert_refused(
        &site,
        &[
            (
                "expired",
                token().time("iat", -200).time("exp", -100).finish(),
                "INVALID_JWT",
            ),
            ("early", token().time("nbf", 120).finish(), "INVALID_JWT"),
            (
                "long-lived",
                token().time("iat", -400).time("exp", 86_400).finish(),
                "INVALID_JWT",
            ),
            (
                "without end",
                token().time("iat", -400).claim("exp", Value::Null).finish(),
                "INVALID_JWT",
            ),
            (
                "without a time",
                token().claim("iat", Value::Null).finish(),
                "INVALID_JWT",
            ),
            (
                "with words as a time",
                token().claim("iat", "now").finish(),
                "INVALID_JWT",
            ),
            (
                "issued an hour in the future",
                token().time("iat", 3600).time("exp", 3900).finish(),
                "INVALID_JWT",
            ),
            (
                "with times out of range",
                token().claim("iat", 1e300).claim("exp", 1e300).finish(),
                "INVALID_JWT",
            ),
        ],
    );
}

#[test]
fn clock_skew_of_four_minutes_is_accepted() {
    let site = TestSite::staffed();
    for seconds in [-240, 240] {
        let token = Token::new(site.admin_key());
        let token = token.time("iat", seconds).time("exp", seconds + 300);
        let response = site.ask_as(&Who::Anonymous, &add_tag(&token.finish()));
        assert_eq!(response.status, 201, "{seconds}: {}", response.text());
    }
}

#[test]
fn tokens_with_a_wrong_signature_are_rejected() {
    let site = TestSite::staffed();
    let key = site.admin_key();
    let (id, _) = key.split_once(':').unwrap();
    let token = || Token::new(key);
    let of_another_secret = format!("{id}:{}", "00".repeat(32));
    let valid = token().finish();
    let unsigned = valid.rsplit_once('.').unwrap().0;
    let mut signed_for_less = token().claim("aud", "/content/").finish();
    let signature = signed_for_less.split_off(signed_for_less.rfind('.').unwrap());

    assert_refused(
        &site,
        &[
            (
                "unsigned",
                token().algorithm("none").finish(),
                "INVALID_JWT",
            ),
            (
                "declared as unsigned",
                token().header("alg", "none").finish(),
                "INVALID_JWT",
            ),
            (
                "without its signature",
                format!("{unsigned}."),
                "INVALID_JWT",
            ),
            ("HS384", token().algorithm("HS384").finish(), "INVALID_JWT"),
            ("HS512", token().algorithm("HS512").finish(), "INVALID_JWT"),
            (
                "declared as RS256",
                token().header("alg", "RS256").finish(),
                "INVALID_JWT",
            ),
            (
                "with a corrupt signature",
                token().corrupt().finish(),
                "INVALID_JWT",
            ),
            (
                "with another token's signature",
                format!("{unsigned}{signature}"),
                "INVALID_JWT",
            ),
            (
                "signed with a guessed secret",
                Token::new(&of_another_secret).finish(),
                "INVALID_JWT",
            ),
            (
                "signed with an unknown key",
                token().header("kid", "a".repeat(24)).finish(),
                "UNKNOWN_ADMIN_API_KEY",
            ),
        ],
    );
}

#[test]
fn tokens_with_a_wrong_audience_are_rejected() {
    let site = TestSite::staffed();
    let to = |audience: Value| Token::new(site.admin_key()).claim("aud", audience).finish();

    assert_refused(
        &site,
        &[
            ("for readers", to("/content/".into()), "INVALID_JWT"),
            ("for no audience", to(Value::Null), "INVALID_JWT"),
            (
                "for a path below the API",
                to("/admin/posts/".into()),
                "INVALID_JWT",
            ),
            ("for a similar path", to("/badmin/x/".into()), "INVALID_JWT"),
            (
                "for two other audiences",
                to(json!(["/content/", "/members/"])),
                "INVALID_JWT",
            ),
        ],
    );
}

#[test]
fn token_with_a_jti_is_single_use() {
    let site = TestSite::staffed();
    let numbered = |number: &str| Token::new(site.admin_key()).claim("jti", number).finish();
    let status = |token: &str| site.ask_as(&Who::Anonymous, &add_tag(token)).status;

    let first = numbered("1");
    assert_eq!((status(&first), status(&first)), (201, 401));
    assert_eq!(status(&numbered("2")), 201);
    assert_eq!(tags(&site), 2);
}

#[test]
fn token_with_a_jti_is_used_once_under_concurrency() {
    let site = TestSite::staffed();
    let token = Token::new(site.admin_key()).claim("jti", "once").finish();

    let statuses: Vec<u16> = thread::scope(|scope| {
        let use_it = || site.ask_as(&Who::Anonymous, &add_tag(&token)).status;
        let uses: Vec<_> = (0..16).map(|_| scope.spawn(use_it)).collect();
        uses.into_iter().map(|one| one.join().unwrap()).collect()
    });

    let (taken, refused): (Vec<u16>, Vec<u16>) =
        statuses.into_iter().partition(|status| *status == 201);
    assert_eq!((taken.len(), refused), (1, vec![401; 15]));
    assert_eq!(tags(&site), 1);
}

#[test]
fn token_without_a_jti_is_reusable_until_it_expires() {
    let site = TestSite::staffed();
    let token = Token::new(site.admin_key()).finish();
    let status = || site.ask_as(&Who::Anonymous, &add_tag(&token)).status;

    assert_eq!((status(), status()), (201, 201));
}

/// The integration's key of this kind, as the Admin API shows it.
fn key_of_integration(site: &TestSite, kind: &str) -> Value {
    let target = format!("/integrations/{}/?include=api_keys", site.integration_id());
    let read = site.get_as(&owner(), &target);
    let keys = read["integrations"][0]["api_keys"].as_array().unwrap();
    keys.iter().find(|key| key["type"] == kind).unwrap().clone()
}

#[test]
fn token_of_a_replaced_secret_is_rejected() {
    let site = TestSite::staffed();
    let id = &site.integration_id();
    let key = key_of_integration(&site, "admin");
    let target = format!(
        "/integrations/{id}/api_key/{}/refresh/",
        key["id"].as_str().unwrap()
    );

    site.post_as(&owner(), &target, &json!({"integrations": [{"id": id}]}));

    let former = Token::new(site.admin_key()).finish();
    assert_refused(&site, &[("of the former secret", former, "INVALID_JWT")]);
}

#[test]
fn content_key_cannot_sign_tokens() {
    let site = TestSite::staffed();
    let key = key_of_integration(&site, "content");
    let secret = format!(
        "{}:{}",
        key["id"].as_str().unwrap(),
        key["secret"].as_str().unwrap()
    );

    let token = Token::new(&secret).finish();
    assert_refused(
        &site,
        &[("of a key for readers", token, "INVALID_API_KEY_TYPE")],
    );
}
