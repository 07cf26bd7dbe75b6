//! Sessions: what pages of other sites get from a browser that is signed in, and what a cookie is worth when it has ended.

use serde_json::json;

use crate::{
    app::TestApp,
    staffed_site::{ADMIN, Ask, OWNER, StaffedSite, Who, owner},
};

fn add_tag() -> Ask {
    Ask::new("POST", &format!("{ADMIN}/tags/")).json(&json!({"tags": [{"name": "Added"}]}))
}

fn me() -> Ask {
    Ask::new("GET", &format!("{ADMIN}/users/me/"))
}

#[test]
fn a_page_of_another_site_neither_writes_nor_reads() {
    let site = StaffedSite::start(TestApp::builder());
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
        for ask in [add_tag(), me()] {
            let answer = site.send(&owner(), &ask.header("origin", origin));
            assert_eq!(answer.status, 400, "{origin}: {}", answer.text());
            assert_eq!(
                answer.json()["errors"][0]["type"],
                "BadRequestError",
                "{origin}"
            );
            assert_eq!(
                answer.header("access-control-allow-origin"),
                None,
                "{origin}"
            );
            assert_eq!(
                answer.header("access-control-allow-credentials"),
                None,
                "{origin}"
            );
        }
    }
    let tags = site.get_as(&owner(), "/tags/");
    assert_eq!(tags["tags"], json!([]));
}

#[test]
fn the_cookie_is_kept_from_scripts_and_from_other_sites() {
    let sign_in = |site: &StaffedSite| {
        let (_, email, password) = OWNER;
        let sent = json!({"username": email, "password": password});
        let ask = Ask::new("POST", &format!("{ADMIN}/session/")).json(&sent);
        let answer = site.done(&Who::Nobody, ask);
        let cookie = answer.cookies.first().unwrap().to_lowercase();
        let parts = cookie.split("; ").skip(1).map(str::to_owned);
        parts.collect::<Vec<_>>()
    };
    let has = |parts: &[String], part: &str| parts.iter().any(|one| one == part);

    let plain = sign_in(&StaffedSite::start(TestApp::builder()));
    assert!(has(&plain, "httponly") && has(&plain, "samesite=lax") && has(&plain, "path=/ghost"));
    assert!(!has(&plain, "secure"), "{plain:?}");

    let on_https = TestApp::builder().url("https://site.example");
    let secure = sign_in(&StaffedSite::start(on_https));
    assert!(has(&secure, "httponly") && has(&secure, "samesite=lax") && has(&secure, "secure"));
}

#[test]
fn a_cookie_is_worth_nothing_when_its_session_has_ended() {
    let site = StaffedSite::start(TestApp::builder());
    let former = site.cookie("Owner");
    let status_with = |cookie: &str| {
        let ask = me().header("cookie", cookie).header("origin", &site.base());
        site.send(&Who::Nobody, &ask).status
    };
    assert_eq!(status_with(&former), 200);

    let sign_out = Ask::new("DELETE", &format!("{ADMIN}/session/"));
    site.done(&owner(), sign_out);

    assert_eq!(status_with(&former), 403);
    let name = former.split('=').next().unwrap();
    for guessed in ["", "0", "' or 1=1", &"a".repeat(64)] {
        assert_eq!(status_with(&format!("{name}={guessed}")), 403, "{guessed}");
    }
}

#[test]
fn a_new_password_ends_every_other_session() {
    let site = StaffedSite::start(TestApp::builder());
    let (_, email, password) = OWNER;
    let first = site.cookie("Owner");
    // On another machine.
    site.sign_in("Second", email, password);
    let me_id = site.get_as(&owner(), "/users/me/")["users"][0]["id"].clone();

    let new = "An-entirely-new-one-7";
    let changed = json!({"password": [{
        "user_id": me_id, "oldPassword": password, "newPassword": new, "ne2Password": new
    }]});
    let ask = Ask::new("PUT", &format!("{ADMIN}/users/password/")).json(&changed);
    let answer = site.done(&owner(), ask);
    site.keep_cookie("Owner", &answer);

    let with = |cookie: &str| {
        let ask = me().header("cookie", cookie).header("origin", &site.base());
        site.send(&Who::Nobody, &ask).status
    };
    assert_eq!(with(&site.cookie("Second")), 403);
    assert_eq!(with(&first), 403);
    assert_eq!(with(&site.cookie("Owner")), 200);
    site.sign_in("Owner", email, new);
}
