//! Tests of staff through the Admin API, beyond the recordings: users of content files, posts of deleted users, invitations,
//! and outdated clients.

use std::time::Duration;

use galley_tests::{
    Request, TestSite, Who,
    http_client::HttpResponse,
    owner,
    request::ADMIN,
    staff::{email_of, password_of},
    wait::PATIENCE,
    wait_until,
};
use serde_json::{Value, json};

/// Starts a site with authors and posts of content files.
fn site_with_files() -> TestSite {
    let site = TestSite::staffed();
    let ana = "name = 'Ana'\nbio = 'Writes.'\nemail = 'ana@example.com'\n";
    site.write_file("authors/ana.toml", ana);
    for (name, author) in [("a", "ana"), ("b", "Ben")] {
        let post = format!("---\ntitle: P\ndate: 2025-01-01\nauthors: [{author}]\n---\nText\n");
        site.write_file(&format!("posts/{name}.md"), &post);
    }
    let is_read = |slug: &str| {
        let target = format!("{ADMIN}/posts/slug/{slug}/");
        site.ask_as(&owner(), &Request::new("GET", &target)).status == 200
    };
    wait_until("the files are read", || is_read("a") && is_read("b"));
    site
}

fn user(site: &TestSite, slug: &str) -> Value {
    let path = format!("/users/slug/{slug}/?include=roles,count.posts");
    site.get_as(&owner(), &path)["users"][0].clone()
}

fn edit(site: &TestSite, who: &Who, user: &Value, change: Value) -> HttpResponse {
    let target = format!("{ADMIN}/users/{}/", user["id"].as_str().unwrap());
    site.ask_as(
        who,
        &Request::new("PUT", &target).json(&json!({"users": [change]})),
    )
}

fn delete(site: &TestSite, user: &Value) -> HttpResponse {
    let target = format!("{ADMIN}/users/{}/", user["id"].as_str().unwrap());
    site.ask_as(&owner(), &Request::new("DELETE", &target))
}

#[test]
fn user_fields_in_a_content_file_cannot_be_edited() {
    let site = site_with_files();
    let ana = user(&site, "ana");

    for change in [
        json!({"bio": "Reads."}),
        json!({"name": "Anna"}),
        json!({"slug": "anna"}),
        json!({"email": "anna@example.com"}),
    ] {
        let refused = edit(&site, &owner(), &ana, change);
        assert_eq!(refused.status, 422, "{}", refused.text());
        assert!(
            refused.text().contains("authors/ana.toml"),
            "{}",
            refused.text()
        );
    }
    let refused = delete(&site, &ana);
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(
        refused.text().contains("authors/ana.toml"),
        "{}",
        refused.text()
    );

    // Fields that are not in the file can be edited, even if the request contains the whole record.
    let mut whole = ana.clone();
    whole["comment_notifications"] = json!(false);
    whole["roles"] = json!(["Editor"]);
    let changed = edit(&site, &owner(), &ana, whole);
    assert_eq!(changed.status, 200, "{}", changed.text());
    let ana = user(&site, "ana");
    assert_eq!(ana["comment_notifications"], false);
    assert_eq!(ana["roles"][0]["name"], "Editor");
    assert_eq!(ana["bio"], "Writes.");
    assert_eq!(ana["count"]["posts"], 1);
}

#[test]
fn user_with_posts_of_content_files_cannot_be_deleted() {
    let site = site_with_files();
    let refused = delete(&site, &user(&site, "ben"));
    assert_eq!(refused.status, 422, "{}", refused.text());
    assert!(refused.text().contains("posts/b.md"), "{}", refused.text());
}

#[test]
fn invited_author_of_content_files_becomes_that_author() {
    let site = site_with_files();
    let ana = user(&site, "ana");
    let invite = json!({"invites": [{
        "email": "ANA@example.com", "role_id": site.role_id("Editor")
    }]});
    site.post_as(&owner(), "/invites/", &invite);
    let token = site.token_in_mail("ANA@example.com", "signup");
    let accepted = json!({"invitation": [{
        "name": "Somebody", "password": "Tell-no-one-1234", "token": token
    }]});

    site.post_as(&Who::Anonymous, "/authentication/invitation/", &accepted);

    site.sign_in("Ana", "ana@example.com", "Tell-no-one-1234");
    let me = site.get_as(&Who::session("Ana"), "/users/me/?include=roles");
    let me = &me["users"][0];
    assert_eq!((&me["id"], &me["name"]), (&ana["id"], &json!("Ana")));
    assert_eq!(me["roles"][0]["name"], "Editor");
}

#[test]
fn owner_taking_over_a_post_is_not_listed_twice() {
    let site = TestSite::staffed();
    site.add_user("Author");
    let author = user(&site, "author");
    let me = site.get_as(&owner(), "/users/me/")["users"][0].clone();
    let post = json!({"posts": [{
        "title": "Of both", "authors": [{"id": author["id"]}, {"id": me["id"]}]
    }]});
    let post = site.post_as(&owner(), "/posts/", &post)["posts"][0].clone();

    assert_eq!(delete(&site, &author).status, 204);

    let path = format!("/posts/{}/", post["id"].as_str().unwrap());
    let post = site.get_as(&owner(), &path)["posts"][0].clone();
    let authors: Vec<_> = post["authors"].as_array().unwrap().iter().collect();
    assert_eq!(authors.len(), 1, "{post}");
    assert_eq!(authors[0]["id"], me["id"]);
    assert_eq!(post["tags"], json!([]), "it had another author");
}

#[test]
fn deleted_user_loses_sessions_and_keys() {
    let site = TestSite::staffed();
    site.add_user("Editor");
    let token = Who::staff_token("Editor");
    let me = format!("{ADMIN}/users/me/");
    assert_eq!(site.ask_as(&token, &Request::new("GET", &me)).status, 200);

    assert_eq!(delete(&site, &user(&site, "editor")).status, 204);

    assert_eq!(site.ask_as(&token, &Request::new("GET", &me)).status, 401);
    let session = Who::session("Editor");
    assert_eq!(site.ask_as(&session, &Request::new("GET", &me)).status, 403);
    let credentials = json!({
        "username": email_of("Editor"), "password": password_of("Editor")
    });
    let sign_in = Request::new("POST", &format!("{ADMIN}/session/")).json(&credentials);
    assert_eq!(site.ask_as(&Who::Anonymous, &sign_in).status, 404);
}

#[test]
fn rejected_change_changes_nothing() {
    let site = TestSite::staffed();
    site.add_user("Author");
    let before = user(&site, "author");
    for change in [
        json!({"bio": "New", "name": ""}),
        json!({"bio": "New", "email": "owner@example.com"}),
        json!({"bio": "New", "email": "OWNER@example.com"}),
        json!({"bio": "New", "email": null}),
        json!({"bio": "New", "roles": ["King"]}),
        json!({"bio": "New", "roles": ["Author", "Editor"]}),
        json!({"bio": "New", "status": "asleep"}),
        json!({"bio": 5}),
    ] {
        let refused = edit(&site, &owner(), &before, change.clone());
        assert_eq!(refused.status, 422, "{change}: {}", refused.text());
    }
    assert_eq!(user(&site, "author"), before);
}

#[test]
fn invitation_names_the_inviter_as_plain_text() {
    let site = TestSite::staffed();
    let me = site.get_as(&owner(), "/users/me/")["users"][0].clone();
    let renamed = edit(&site, &owner(), &me, json!({"name": "Ada <b>Owner</b>"}));
    assert_eq!(renamed.status, 200, "{}", renamed.text());

    let invite = json!({"invites": [{
        "email": "guest@example.com", "role_id": site.role_id("Author")
    }]});
    site.post_as(&owner(), "/invites/", &invite);

    let mail = site.mail().mail_to("guest@example.com");
    assert_eq!(
        mail.message.subject(),
        "Ada <b>Owner</b> invites you to Reference"
    );
    assert!(
        mail.message.html.contains("Ada &lt;b&gt;Owner&lt;/b&gt;"),
        "{}",
        mail.message.html
    );
    assert_eq!(mail.from, "noreply@localhost");
    let listed = site.get_as(&owner(), "/invites/").to_string();
    let secret = site_secret(&mail.message.text);
    assert!(!listed.contains(&secret), "{listed}");
}

/// Returns the text between `/signup/` and the next slash.
fn site_secret(text: &str) -> String {
    let (_, rest) = text.split_once("/signup/").unwrap();
    rest.split('/').next().unwrap().to_owned()
}

#[test]
fn administrators_are_notified_of_an_outdated_client_once_a_day() {
    let site = TestSite::staffed();
    site.add_user("Administrator");
    site.mail().clear();
    let nothing = format!("{ADMIN}/no-such-endpoint/");
    let old = |user_agent: &str| {
        Request::new("GET", &nothing)
            .header("accept-version", "v4.0")
            .header("user-agent", user_agent)
    };

    assert_eq!(site.ask_as(&Who::Integration, &old("x")).status, 406);

    for address in ["owner@example.com", &email_of("Administrator")] {
        let mail = site.mail().mail_to(address);
        let text = mail.everything();
        assert!(text.contains("The integration \"Conformance\""), "{text}");
        assert!(text.contains("v4.0"), "{text}");
    }
    assert_eq!(site.ask_as(&Who::Integration, &old("y")).status, 406);
    assert_eq!(site.ask_as(&Who::Anonymous, &old("Reader/1.0")).status, 406);
    let mail = site.mail().mail_to("owner@example.com").everything();
    assert!(mail.contains("The client \"Reader/1.0\""), "{mail}");
    assert_eq!(site.ask_as(&Who::Anonymous, &old("Reader/1.0")).status, 406);
    site.mail().mail_to(&email_of("Administrator"));
    let more = site.mail().mail_within(None, Duration::from_millis(300));
    assert!(more.is_none(), "{more:?}");
}

#[test]
fn number_of_outdated_client_notifications_a_day_is_limited() {
    let site = TestSite::staffed();
    site.mail().clear();
    let target = format!("{ADMIN}/no-such-endpoint/");
    for number in 0..40 {
        let request = Request::new("GET", &target)
            .header("accept-version", "v4.0")
            .header("user-agent", &format!("Client/{number}"));
        assert_eq!(site.ask_as(&Who::Anonymous, &request).status, 406);
    }
    for number in 0..20 {
        let mail = site.mail().mail_within(None, PATIENCE);
        assert!(mail.is_some(), "only {number} notifications arrived");
    }
    let more = site.mail().mail_within(None, Duration::from_secs(1));
    assert!(more.is_none(), "{more:?}");
}

#[test]
fn notification_preferences_are_exported() {
    let site = TestSite::staffed();
    let me = site.get_as(&owner(), "/users/me/")["users"][0].clone();
    let change = json!({"comment_notifications": false, "donation_notifications": false});
    assert_eq!(edit(&site, &owner(), &me, change).status, 200);

    let export = site.get_as(&owner(), "/db/");

    let row = &export["db"][0]["data"]["users"][0];
    let flag = |name: &str| row[name].as_bool();
    assert_eq!(flag("comment_notifications"), Some(false), "{row}");
    assert_eq!(flag("donation_notifications"), Some(false));
    assert_eq!(flag("mention_notifications"), Some(true));
}

#[test]
fn request_without_a_record_is_rejected() {
    let site = TestSite::staffed();
    let ada = user(&site, "ada");
    let edit = format!("users/{}/", ada["id"].as_str().unwrap());
    for (method, endpoint, name) in [
        ("PUT", edit.as_str(), "users"),
        ("PUT", "users/password/", "password"),
        ("POST", "authentication/password_reset/", "password_reset"),
        ("PUT", "authentication/password_reset/", "password_reset"),
        ("POST", "invites/", "invites"),
    ] {
        let ask = || Request::new(method, &format!("{ADMIN}/{endpoint}"));
        let mut responses = vec![site.ask_as(&owner(), &ask())];
        for body in [
            json!({}),
            json!({name: []}),
            json!({name: [{}]}),
            json!({name: {}}),
            json!({"nonsense": [{"name": "x"}]}),
        ] {
            responses.push(site.ask_as(&owner(), &ask().json(&body)));
        }
        for response in responses {
            assert_eq!(response.status, 400, "{endpoint}: {}", response.text());
            let error = &response.json()["errors"][0];
            assert_eq!(error["type"], "BadRequestError");
            assert_eq!(error["property"], Value::Null);
        }
    }
}

#[test]
fn invalid_user_is_rejected_without_a_field_name() {
    let site = TestSite::staffed();
    site.add_user("Author");
    let author = user(&site, "author");
    for wrong in [
        json!({"name": null}),
        json!({"comment_notifications": "x"}),
        json!({"status": "x"}),
        json!({"roles": "Author"}),
        json!({"visibility": "x"}),
    ] {
        let response = edit(&site, &owner(), &author, wrong.clone());
        assert_eq!(response.status, 422, "{wrong}: {}", response.text());
        assert_eq!(
            response.json()["errors"][0]["property"],
            Value::Null,
            "{wrong}"
        );
    }
}

#[test]
fn missing_or_unknown_role_changes_nothing() {
    let site = TestSite::staffed();
    site.add_user("Author");
    let author = user(&site, "author");
    for roles in [json!([]), json!(["0123456789abcdef01234567"])] {
        let response = edit(&site, &owner(), &author, json!({"roles": roles}));
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(user(&site, "author")["roles"], author["roles"]);
    }
}

#[test]
fn website_without_a_scheme_gets_https() {
    let site = TestSite::staffed();
    let ada = user(&site, "ada");
    for (sent, stored) in [
        ("example.com", "http://example.com"),
        ("https://example.com", "https://example.com"),
    ] {
        let response = edit(&site, &owner(), &ada, json!({"website": sent}));
        assert_eq!(response.status, 200, "{}", response.text());
        assert_eq!(user(&site, "ada")["website"], stored);
    }
}

#[test]
fn user_specific_permissions_are_empty() {
    let site = TestSite::staffed();
    let listed = site.get_as(&owner(), "/users/?include=permissions");
    assert_eq!(listed["users"][0]["permissions"], json!([]));
}

#[test]
fn invalid_address_and_unknown_permission_are_rejected() {
    let site = TestSite::staffed();
    let status = |path: &str| {
        let target = format!("{ADMIN}/{path}");
        site.ask_as(&owner(), &Request::new("GET", &target)).status
    };
    assert_eq!(status("users/email/bad/"), 422);
    assert_eq!(status("users/email/unknown@example.com/"), 404);
    assert_eq!(status("roles/?permissions=x"), 422);
    assert_eq!(status("roles/?permissions=assign"), 200);
}

#[test]
fn password_change_needs_user_and_old_password() {
    let site = TestSite::staffed();
    let ada = user(&site, "ada");
    let new = "A-n0ther-phrase?";
    let change = json!({"newPassword": new, "ne2Password": new});
    let of_ada = json!({"user_id": ada["id"], "newPassword": new, "ne2Password": new});
    for change in [change, of_ada] {
        let request = Request::new("PUT", &format!("{ADMIN}/users/password/"));
        let response = site.ask_as(&owner(), &request.json(&json!({"password": [change]})));
        assert_eq!(response.status, 422, "{}", response.text());
        assert_eq!(response.json()["errors"][0]["code"], Value::Null);
    }
    let twisted = json!({"token": "broken", "newPassword": new, "ne2Password": "other"});
    let request = Request::new("PUT", &format!("{ADMIN}/authentication/password_reset/"));
    let response = site.ask_as(
        &owner(),
        &request.json(&json!({"password_reset": [twisted]})),
    );
    assert_eq!(response.status, 422, "{}", response.text());
}

#[test]
fn sign_in_needs_address_and_password() {
    let site = TestSite::staffed();
    let nothing = json!({"username": "", "password": ""});
    let request = Request::new("POST", &format!("{ADMIN}/session/")).json(&nothing);
    assert_eq!(site.ask_as(&Who::Anonymous, &request).status, 401);
}
