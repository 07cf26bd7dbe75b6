//! Tests of authentication by mail: codes, password resets, invitations.

use std::time::Duration;

use galley_tests::{
    Request, TestSite, Who,
    http_client::HttpResponse,
    owner,
    request::ADMIN,
    staff::{OWNER, code_in, email_of, password_of},
};
use serde_json::json;

fn post(site: &TestSite, who: &Who, endpoint: &str, body: serde_json::Value) -> HttpResponse {
    site.ask_as(
        who,
        &Request::new("POST", &format!("{ADMIN}{endpoint}")).json(&body),
    )
}

fn put(site: &TestSite, who: &Who, endpoint: &str, body: serde_json::Value) -> HttpResponse {
    site.ask_as(
        who,
        &Request::new("PUT", &format!("{ADMIN}{endpoint}")).json(&body),
    )
}

fn sign_in(site: &TestSite, email: &str, password: &str) -> HttpResponse {
    post(
        site,
        &Who::Anonymous,
        "/session/",
        json!({"username": email, "password": password}),
    )
}

#[test]
fn new_device_signs_in_with_the_mailed_code() {
    let site = TestSite::builder().staffed().device_verification().start();
    let (_, email, password) = OWNER;

    let response = sign_in(&site, email, password);
    assert_eq!(response.status, 403);
    assert_eq!(
        response.json()["errors"][0]["code"],
        "2FA_NEW_DEVICE_DETECTED"
    );
    site.keep_cookie("New device", &response);
    let device = Who::session("New device");
    let me = || {
        site.ask_as(&device, &Request::new("GET", &format!("{ADMIN}/users/me/")))
            .status
    };
    assert_eq!(me(), 403);

    let mail = site.mail().mail_to(email);
    let code = code_in(&mail.everything());
    assert!(mail.message.text.contains(&code) && mail.message.html.contains(&code));
    let wrong = if code == "000000" { "000001" } else { "000000" };
    assert_eq!(
        put(&site, &device, "/session/verify/", json!({"token": wrong})).status,
        401
    );
    assert_eq!(me(), 403);
    assert_eq!(
        put(&site, &device, "/session/verify/", json!({"token": code})).status,
        200
    );
    assert_eq!(me(), 200);

    // The code is valid only for this session.
    let other = sign_in(&site, email, password);
    site.keep_cookie("Other device", &other);
    let device = Who::session("Other device");
    assert_eq!(
        put(&site, &device, "/session/verify/", json!({"token": code})).status,
        401
    );
}

#[test]
fn new_mailed_code_invalidates_the_previous_one() {
    let site = TestSite::builder().staffed().device_verification().start();
    let (_, email, password) = OWNER;
    let response = sign_in(&site, email, password);
    site.keep_cookie("New device", &response);
    let device = Who::session("New device");
    let first = code_in(&site.mail().mail_to(email).everything());

    assert_eq!(
        post(&site, &device, "/session/verify/", json!({})).status,
        200
    );
    let second = code_in(&site.mail().mail_to(email).everything());

    assert_ne!(
        first, second,
        "equal codes have a probability of one in a million"
    );
    assert_eq!(
        put(&site, &device, "/session/verify/", json!({"token": first})).status,
        401
    );
    assert_eq!(
        put(&site, &device, "/session/verify/", json!({"token": second})).status,
        200
    );
}

#[test]
fn forgotten_password_is_reset_with_the_mailed_link() {
    let site = TestSite::staffed();
    site.add_user("Author");
    let email = email_of("Author");
    let asked = json!({"password_reset": [{"email": email}]});
    assert_eq!(
        post(
            &site,
            &Who::Anonymous,
            "/authentication/password_reset/",
            asked
        )
        .status,
        200
    );
    let token = site.token_in_mail(&email, "reset");
    let reset = |token: &str, password: &str, again: &str| {
        let sent = json!({"password_reset": [{"token": token, "newPassword": password, "ne2Password": again}]});
        put(
            &site,
            &Who::Anonymous,
            "/authentication/password_reset/",
            sent,
        )
        .status
    };
    let new = "A-fresh-start-99";

    assert_eq!(reset("bm90IGEgdG9rZW4", new, new), 401);
    assert_eq!(reset(&token, new, "A-fresh-start-98"), 422);
    assert_eq!(reset(&token, "short", "short"), 422);
    assert_eq!(reset(&token, new, new), 200);
    assert_eq!(reset(&token, new, new), 400);

    let session = Who::session("Author");
    let me = site.ask_as(
        &session,
        &Request::new("GET", &format!("{ADMIN}/users/me/")),
    );
    assert_eq!(me.status, 403, "earlier sessions have ended");
    assert_eq!(sign_in(&site, &email, &password_of("Author")).status, 422);
    assert_eq!(sign_in(&site, &email, new).status, 201);
}

#[test]
fn unknown_address_gets_no_reset_mail() {
    let site = TestSite::staffed();
    let asked = json!({"password_reset": [{"email": "unknown@example.com"}]});

    let response = post(
        &site,
        &Who::Anonymous,
        "/authentication/password_reset/",
        asked,
    );

    assert_eq!(response.status, 404);
    assert!(
        site.mail()
            .mail_within(None, Duration::from_millis(300))
            .is_none()
    );
}

#[test]
fn invitation_is_valid_once_for_the_invited_address() {
    let site = TestSite::staffed();
    let email = "guest@example.com";
    let invite = json!({"invites": [{"email": email, "role_id": site.role_id("Editor")}]});
    assert_eq!(post(&site, &owner(), "/invites/", invite).status, 201);
    let token = site.token_in_mail(email, "signup");
    let accept = |token: &str, email: &str, password: &str| {
        let sent = json!({"invitation": [{
            "name": "Guest", "email": email, "password": password, "token": token
        }]});
        post(&site, &Who::Anonymous, "/authentication/invitation/", sent).status
    };

    assert_eq!(accept("bm90IGEgdG9rZW4", email, "A-guest-passphrase"), 404);
    assert_eq!(accept(&token, email, "guest"), 422);
    // The link identifies the invited user, whatever address is sent.
    assert_eq!(
        accept(&token, "other@example.com", "A-guest-passphrase"),
        200
    );
    assert_eq!(accept(&token, email, "A-guest-passphrase"), 404);

    assert_eq!(
        sign_in(&site, "other@example.com", "A-guest-passphrase").status,
        404
    );
    site.sign_in("Editor", email, "A-guest-passphrase");
    let me = site.get_as(&Who::session("Editor"), "/users/me/?include=roles");
    assert_eq!(me["users"][0]["roles"][0]["name"], "Editor");
}

#[test]
fn revoked_invitation_is_rejected() {
    let site = TestSite::staffed();
    let email = "guest@example.com";
    let invite = json!({"invites": [{"email": email, "role_id": site.role_id("Editor")}]});
    let made = post(&site, &owner(), "/invites/", invite).json();
    let token = site.token_in_mail(email, "signup");
    let id = made["invites"][0]["id"].as_str().unwrap();

    site.done(
        &owner(),
        Request::new("DELETE", &format!("{ADMIN}/invites/{id}/")),
    );

    let sent = json!({"invitation": [{
        "name": "Guest", "email": email, "password": "A-guest-passphrase", "token": token
    }]});
    assert_eq!(
        post(&site, &Who::Anonymous, "/authentication/invitation/", sent).status,
        404
    );
}

#[test]
fn guesses_are_limited_and_reset_by_a_successful_sign_in() {
    let site = TestSite::staffed();
    let (_, email, password) = OWNER;
    let guess = || sign_in(&site, email, "not-the-password").status;

    assert_eq!([guess(), guess(), guess(), guess()], [422; 4]);
    assert_eq!(sign_in(&site, email, password).status, 201);
    assert_eq!([guess(), guess(), guess(), guess(), guess()], [422; 5]);
    assert_eq!(guess(), 429);
    assert_eq!(
        sign_in(&site, email, password).status,
        429,
        "the correct password is refused, too"
    );

    // Authenticated clients are not affected.
    assert_eq!(
        site.ask_as(
            &Who::Integration,
            &Request::new("GET", &format!("{ADMIN}/posts/"))
        )
        .status,
        200
    );
    site.get_as(&owner(), "/users/me/");
}
