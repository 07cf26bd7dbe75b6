//! Tests that secrets are not in logs, exports, or responses to other users.

use fancy_regex::Regex;
use galley_tests::{
    Request, TestSite, Who, admin_token, owner,
    request::ADMIN,
    staff::{OWNER, code_in, email_of, password_of, text},
};
use serde_json::{Value, json};

/// Prefixes of password hashes.
const HASHES: [&str; 3] = ["$argon2", "$2a$", "$2b$"];

#[test]
fn log_contains_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let site = TestSite::start_process(folder.path(), true);
    let (_, email, password) = OWNER;
    let mut secrets = vec![password.to_owned()];

    // Every request that contains or returns a secret, both valid and invalid.
    site.add_user("Author");
    secrets.push(password_of("Author"));
    let sent = json!({"username": email, "password": "a-wrong-passw0rd"});
    site.ask_as(
        &Who::Anonymous,
        &Request::new("POST", &format!("{ADMIN}/session/")).json(&sent),
    );
    secrets.push("a-wrong-passw0rd".to_owned());
    let sent = json!({"username": email, "password": password});
    let response = site.ask_as(
        &Who::Anonymous,
        &Request::new("POST", &format!("{ADMIN}/session/")).json(&sent),
    );
    site.keep_cookie("New device", &response);
    let code = code_in(&site.mail().mail_to(email).everything());
    let verify =
        Request::new("PUT", &format!("{ADMIN}/session/verify/")).json(&json!({"token": code}));
    site.done(&Who::session("New device"), verify);
    let author = email_of("Author");
    let reset = json!({"password_reset": [{"email": author}]});
    site.post_as(&Who::Anonymous, "/authentication/password_reset/", &reset);
    let token = site.token_in_mail(&author, "reset");
    let sent = json!({"password_reset": [{
        "token": token, "newPassword": "A-fresh-start-99", "ne2Password": "A-fresh-start-99"
    }]});
    let request =
        Request::new("PUT", &format!("{ADMIN}/authentication/password_reset/")).json(&sent);
    site.done(&Who::Anonymous, request);
    secrets.extend([token, "A-fresh-start-99".to_owned()]);
    let invite =
        json!({"invites": [{"email": "guest@example.com", "role_id": site.role_id("Editor")}]});
    site.post_as(&owner(), "/invites/", &invite);
    secrets.push(site.token_in_mail("guest@example.com", "signup"));
    let jwt = admin_token::of_key(&site.staff_key("Owner"));
    for scheme in ["Ghost", "Bearer", "Nonsense"] {
        let request = Request::new("GET", &format!("{ADMIN}/users/me/?token={jwt}"));
        site.ask_as(
            &Who::Anonymous,
            &request.header("authorization", &format!("{scheme} {jwt}")),
        );
    }
    secrets.push(jwt);
    for role in ["Owner", "New device"] {
        let cookie = site.cookie(role);
        secrets.push(cookie.split_once('=').unwrap().1.to_owned());
    }
    for key in [site.staff_key("Owner"), site.admin_key().to_owned()] {
        secrets.push(key.split_once(':').unwrap().1.to_owned());
    }

    site.process().kill();
    let log = site.process().log();
    assert!(
        log.contains("/ghost/api/admin/session/"),
        "requests are not logged: {log}"
    );
    for secret in &secrets {
        assert!(
            !log.contains(secret.as_str()),
            "{secret} is in the log: {log}"
        );
    }
    for hash in HASHES {
        assert!(!log.contains(hash), "a password hash is in the log: {log}");
    }
    // The code is not mistaken for digits in a time.
    let code = Regex::new(&format!(r"(?<![\d.]){code}(?!\d)")).unwrap();
    assert!(
        !code.is_match(log.as_str()).unwrap(),
        "the code is in the log: {log}"
    );
}

/// Returns the responses to the owner and to the integration, each with the name of its request.
fn responses(site: &TestSite) -> Vec<(String, String)> {
    let me = text(&site.get_as(&owner(), "/users/me/")["users"][0]["id"]);
    let endpoints = [
        "/users/?include=roles,count.posts,permissions".to_owned(),
        "/users/me/".to_owned(),
        format!("/users/{me}/?fields=password,email"),
        "/settings/".to_owned(),
        "/config/".to_owned(),
        "/site/".to_owned(),
        "/roles/".to_owned(),
        "/invites/".to_owned(),
        "/integrations/".to_owned(),
        "/actions/?include=actor,resource&limit=100".to_owned(),
        "/posts/?include=authors,authors.roles&formats=html,lexical,plaintext".to_owned(),
        "/db/".to_owned(),
    ];
    let mut responses = Vec::new();
    for who in [owner(), Who::staff_token("Owner"), Who::Integration] {
        for endpoint in &endpoints {
            let response = site.ask_as(&who, &Request::new("GET", &format!("{ADMIN}{endpoint}")));
            responses.push((format!("{who:?} {endpoint}"), response.text().to_owned()));
        }
    }
    responses
}

#[test]
fn responses_and_exports_contain_no_secrets_of_others() {
    let site = TestSite::staffed();
    site.add_user("Author");
    let invite =
        json!({"invites": [{"email": "guest@example.com", "role_id": site.role_id("Editor")}]});
    site.post_as(&owner(), "/invites/", &invite);
    site.post_as(
        &Who::session("Author"),
        "/posts/",
        &post_of(&site, "Author"),
    );
    let secret = |key: String| key.split_once(':').unwrap().1.to_owned();
    let secrets = [
        site.token_in_mail("guest@example.com", "signup"),
        secret(site.staff_key("Owner")),
        secret(site.staff_key("Author")),
        secret(site.admin_key().to_owned()),
        site.cookie("Owner").split_once('=').unwrap().1.to_owned(),
    ];

    for (request, response) in responses(&site) {
        for secret in &secrets {
            assert!(
                !response.contains(secret.as_str()),
                "{secret} is in {request}"
            );
        }
        for hash in HASHES {
            assert!(!response.contains(hash), "a password hash is in {request}");
        }
    }
}

fn post_of(site: &TestSite, role: &str) -> Value {
    let me = site.get_as(&Who::session(role), "/users/me/");
    json!({"posts": [{"title": "By an author", "authors": [{"id": me["users"][0]["id"]}]}]})
}

#[test]
fn readers_cannot_see_staff_addresses() {
    let site = TestSite::staffed();
    let published = json!({"posts": [{"title": "For all", "status": "published"}]});
    site.post_as(&Who::Integration, "/posts/", &published);

    for endpoint in ["posts/?include=authors,tags", "authors/", "settings/"] {
        let request = Request::new("GET", &format!("/ghost/api/content/{endpoint}"));
        let response = site.done(&Who::Reader, request);
        assert!(!response.text().contains(OWNER.1), "{endpoint}");
    }
}
