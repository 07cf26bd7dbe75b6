//! Tests of sessions: cross-site requests, and cookies of ended sessions.

use galley_tests::{Request, TestSite, Who, owner, request::ADMIN, staff::OWNER};
use serde_json::json;

fn add_tag() -> Request {
    Request::new("POST", &format!("{ADMIN}/tags/")).json(&json!({"tags": [{"name": "Added"}]}))
}

fn me() -> Request {
    Request::new("GET", &format!("{ADMIN}/users/me/"))
}

#[test]
fn cross_site_requests_cannot_write_or_read() {
    let site = TestSite::staffed();
    let port = site.address().rsplit_once(':').unwrap().1.to_owned();
    let near = [
        "https://evil.example".to_owned(),
        "null".to_owned(),
        site.base().replace("http:", "https:"),
        format!("http://127.0.0.1:{}", port.parse::<u16>().unwrap() ^ 1),
        format!("{}.evil.example", site.base()),
        format!("http://evil.example/{}", site.base()),
    ];
    for origin in &near {
        for request in [add_tag(), me()] {
            let response = site.ask_as(&owner(), &request.header("origin", origin));
            assert_eq!(response.status, 400, "{origin}: {}", response.text());
            assert_eq!(
                response.json()["errors"][0]["type"],
                "BadRequestError",
                "{origin}"
            );
            assert_eq!(
                response.header("access-control-allow-origin"),
                None,
                "{origin}"
            );
            assert_eq!(
                response.header("access-control-allow-credentials"),
                None,
                "{origin}"
            );
        }
    }
    let tags = site.get_as(&owner(), "/tags/");
    assert_eq!(tags["tags"], json!([]));
}

#[test]
fn session_cookie_is_http_only_and_same_site() {
    let sign_in = |site: &TestSite| {
        let (_, email, password) = OWNER;
        let sent = json!({"username": email, "password": password});
        let request = Request::new("POST", &format!("{ADMIN}/session/")).json(&sent);
        let response = site.done(&Who::Anonymous, request);
        let cookie = response.cookies.first().unwrap().to_lowercase();
        let parts = cookie.split("; ").skip(1).map(str::to_owned);
        parts.collect::<Vec<_>>()
    };
    let has = |parts: &[String], part: &str| parts.iter().any(|one| one == part);

    let plain = sign_in(&TestSite::staffed());
    assert!(has(&plain, "httponly") && has(&plain, "samesite=lax") && has(&plain, "path=/ghost"));
    assert!(!has(&plain, "secure"), "{plain:?}");

    let on_https = TestSite::builder().url("https://site.example");
    let secure = sign_in(&on_https.staffed().start());
    assert!(has(&secure, "httponly") && has(&secure, "samesite=lax") && has(&secure, "secure"));
}

#[test]
fn separate_admin_origin_requires_an_origin_on_changes() {
    let admin = "https://admin.example.com";
    let site = TestSite::builder()
        .option("admin.origin", admin)
        .staffed()
        .start();
    let (_, email, password) = OWNER;
    let sent = json!({"username": email, "password": password});
    let sign_in = Request::new("POST", &format!("{ADMIN}/session/"))
        .json(&sent)
        .header("origin", admin);
    let signed_in = site.done(&Who::Anonymous, sign_in);
    let cookie = signed_in.cookies.first().unwrap();
    let parts: Vec<&str> = cookie.split("; ").collect();
    assert!(
        parts.contains(&"SameSite=None") && parts.contains(&"Secure"),
        "{cookie}"
    );
    assert!(parts.contains(&"HttpOnly"), "{cookie}");

    // A session that began on the admin origin, and one that began on the site.
    for cookie in [parts[0].to_owned(), site.cookie("Owner")] {
        let send = |request: &Request, field: Option<(&str, &str)>| {
            let mut request = request.clone().header("cookie", &cookie);
            request.headers.push(("origin".to_owned(), None));
            if let Some((name, value)) = field {
                request = request.header(name, value);
            }
            site.ask_as(&Who::Anonymous, &request)
        };
        let own = site.base();
        let page = format!("{admin}/ghost/?a=b");
        for field in [("origin", admin), ("origin", &*own), ("referer", &page)] {
            assert_eq!(send(&me(), Some(field)).status, 200, "{field:?}");
            assert_eq!(send(&add_tag(), Some(field)).status, 201, "{field:?}");
        }
        assert_eq!(send(&me(), None).status, 200);
        let near = format!("{admin}.evil.example");
        for field in [
            None,
            Some(("origin", "https://evil.example")),
            Some(("origin", "null")),
            Some(("origin", &near)),
            Some(("referer", "https://evil.example/https://admin.example.com")),
            Some(("referer", "no URL")),
        ] {
            let changes = [
                add_tag(),
                Request::new("PUT", &format!("{ADMIN}/settings/")).json(&json!({"settings": []})),
                Request::new("DELETE", &format!("{ADMIN}/db/")),
                Request::new("DELETE", &format!("{ADMIN}/session/")),
                Request::new("PUT", &format!("{ADMIN}/session/verify/"))
                    .json(&json!({"token": "1"})),
            ];
            for change in changes {
                let response = send(&change, field);
                assert_eq!(response.status, 403, "{} {field:?}", change.target);
                assert_eq!(response.header("access-control-allow-origin"), None);
            }
        }
        let cross_origin = send(&me(), Some(("origin", "https://evil.example")));
        assert_eq!(cross_origin.status, 400);
    }
}

#[test]
fn only_a_separate_admin_origin_may_read_with_credentials() {
    let admin = "https://admin.example.com";
    let site = TestSite::builder()
        .option("admin.origin", admin)
        .staffed()
        .start();
    let preflight = || Request::new("OPTIONS", &format!("{ADMIN}/tags/"));
    for request in [
        preflight().header("access-control-request-method", "PUT"),
        me().header("cookie", &site.cookie("Owner")),
        Request::new("GET", &format!("{ADMIN}/no-such-thing/")),
    ] {
        let response = site.ask_as(&Who::Anonymous, &request.clone().header("origin", admin));
        assert_eq!(response.header("access-control-allow-origin"), Some(admin));
        assert_eq!(
            response.header("access-control-allow-credentials"),
            Some("true")
        );
        assert!(response.header("vary").unwrap().contains("Origin"));

        let own = site.ask_as(
            &Who::Anonymous,
            &request.clone().header("origin", &site.base()),
        );
        assert_eq!(
            own.header("access-control-allow-origin"),
            Some(&*site.base())
        );
        assert_eq!(own.header("access-control-allow-credentials"), None);

        let other = request.header("origin", "https://evil.example");
        let other = site.ask_as(&Who::Anonymous, &other);
        assert_eq!(other.header("access-control-allow-origin"), None);
        assert_eq!(other.header("access-control-allow-credentials"), None);
    }
}

#[test]
fn staff_links_use_the_separate_admin_origin() {
    let site = TestSite::builder()
        .url("https://site.example")
        .option("admin.origin", "https://admin.example.com")
        .staffed()
        .start();
    site.mail().clear();
    let reset = json!({"password_reset": [{"email": OWNER.1}]});
    site.post_as(&Who::Anonymous, "/authentication/password_reset/", &reset);
    let mail = site.mail().mail_to(OWNER.1).everything();
    let start = "https://admin.example.com/ghost/reset/";
    assert!(mail.contains(start), "{mail}");
}

#[test]
fn cookie_of_an_ended_session_is_rejected() {
    let site = TestSite::staffed();
    let former = site.cookie("Owner");
    let status_with = |cookie: &str| {
        let request = me().header("cookie", cookie).header("origin", &site.base());
        site.ask_as(&Who::Anonymous, &request).status
    };
    assert_eq!(status_with(&former), 200);

    let sign_out = Request::new("DELETE", &format!("{ADMIN}/session/"));
    site.done(&owner(), sign_out);

    assert_eq!(status_with(&former), 403);
    let name = former.split('=').next().unwrap();
    for guessed in ["", "0", "' or 1=1", &"a".repeat(64)] {
        assert_eq!(status_with(&format!("{name}={guessed}")), 403, "{guessed}");
    }
}

#[test]
fn password_change_ends_every_other_session() {
    let site = TestSite::staffed();
    let (_, email, password) = OWNER;
    let first = site.cookie("Owner");
    // A session in another browser.
    site.sign_in("Second", email, password);
    let me_id = site.get_as(&owner(), "/users/me/")["users"][0]["id"].clone();

    let new = "An-entirely-new-one-7";
    let changed = json!({"password": [{
        "user_id": me_id, "oldPassword": password, "newPassword": new, "ne2Password": new
    }]});
    let request = Request::new("PUT", &format!("{ADMIN}/users/password/")).json(&changed);
    let response = site.done(&owner(), request);
    site.keep_cookie("Owner", &response);

    let with = |cookie: &str| {
        let request = me().header("cookie", cookie).header("origin", &site.base());
        site.ask_as(&Who::Anonymous, &request).status
    };
    assert_eq!(with(&site.cookie("Second")), 403);
    assert_eq!(with(&first), 403);
    assert_eq!(with(&site.cookie("Owner")), 200);
    site.sign_in("Owner", email, new);
}
