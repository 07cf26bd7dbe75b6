//! Tests of a member's account and tokens, and of the permissions of other origins.

use data_encoding::BASE64URL_NOPAD;

use super::*;

#[test]
fn account_has_the_keys_that_portal_reads() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let anonymous = site.get(&Browser::default(), "api/member/");
    assert_eq!((anonymous.status, anonymous.text()), (204, ""));
    let browser = site.sign_in("ana@example.com");
    let response = site.get(&browser, "api/member/");
    assert!(
        response
            .header("cache-control")
            .unwrap()
            .contains("private")
    );
    let account = response.json();
    let keys: Vec<&str> = account
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    assert_eq!(
        keys,
        [
            "uuid",
            "email",
            "name",
            "firstname",
            "expertise",
            "avatar_image",
            "unsubscribe_url",
            "subscribed",
            "subscriptions",
            "status",
            "paid",
            "created_at",
            "enable_comment_notifications",
            "enable_updates_and_announcements",
            "can_comment",
            "commenting",
            "newsletters",
            "email_suppression",
        ]
    );
    assert_eq!(account["firstname"], "Ana");
    assert_eq!(account["status"], "free");
    assert_eq!(account["paid"], false);
    let newsletter: Vec<&str> = account["newsletters"][0]
        .as_object()
        .unwrap()
        .keys()
        .map(|key| &**key)
        .collect();
    assert_eq!(
        newsletter,
        ["id", "uuid", "name", "description", "sort_order"]
    );
}

#[test]
fn member_edits_and_deletes_their_account() {
    let site = MemberSite::new();
    let member = site.add_member("ana@example.com");
    let browser = site.sign_in("ana@example.com");
    let edit = |body: Value| site.change(&browser, "PUT", "api/member/", body);
    let edited = edit(json!({"name": "Ana B", "email": "x@example.com", "note": "n"})).json();
    assert_eq!(edited["name"], "Ana B");
    assert_eq!(edited["email"], "ana@example.com");
    assert_eq!(
        edit(json!({"subscribed": false})).json()["newsletters"],
        json!([])
    );
    assert_eq!(site.events(&member)[0], "newsletter_event");
    assert_eq!(edit(json!({"subscribed": true})).json()["subscribed"], true);
    assert_eq!(edit(json!({"name": "x".repeat(192)})).status, 422);

    let anonymous = Browser::default();
    for (method, path) in [
        ("PUT", "api/member/"),
        ("DELETE", "api/member/"),
        ("DELETE", "api/member/suppression/"),
    ] {
        let refused = site.change(&anonymous, method, path, json!({}));
        assert_eq!(refused.status, 401, "{method} {path}");
    }
    let lifted = site.change(&browser, "DELETE", "api/member/suppression/", json!({}));
    assert_eq!(lifted.status, 204);
    assert_eq!(
        site.change(&browser, "DELETE", "api/member/", json!({}))
            .status,
        204
    );
    assert!(site.member("ana@example.com").is_none());
    assert_eq!(site.get(&browser, "api/member/").status, 204);
}

#[test]
fn sessions_end_here_or_everywhere() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let (one, two) = (
        site.sign_in("ana@example.com"),
        site.sign_in("ana@example.com"),
    );
    let out = site.change(&one, "DELETE", "api/session/", json!({}));
    assert_eq!(out.status, 204);
    assert!(out.cookies.iter().all(|cookie| cookie.contains("1970")));
    assert_eq!(site.get(&two, "api/member/").status, 200);
    site.change(&one, "DELETE", "api/session/", json!({"all": true}));
    assert_eq!(site.get(&two, "api/member/").status, 204);

    let forged = Browser {
        cookies: two.cookies.replace(".sig=", ".sig=0"),
    };
    assert_eq!(site.get(&forged, "api/member/").status, 204);
}

#[test]
fn tokens_are_signed_with_the_published_key() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let browser = site.sign_in("ana@example.com");
    assert_eq!(site.get(&Browser::default(), "api/session/").status, 204);
    let key = site
        .get(&Browser::default(), ".well-known/jwks.json")
        .json()["keys"][0]
        .clone();
    assert_eq!(key["kty"], "EC");
    let part = |token: &str, index: usize| -> Value {
        let part = token.split('.').nth(index).unwrap();
        serde_json::from_slice(&BASE64URL_NOPAD.decode(part.as_bytes()).unwrap()).unwrap()
    };
    let issuer = format!("{}/members/api", site.base());
    let identity = site.get(&browser, "api/session/").text().to_owned();
    assert_eq!(part(&identity, 0)["kid"], key["kid"]);
    let claims = part(&identity, 1);
    assert_eq!(claims["sub"], "ana@example.com");
    assert_eq!(claims["iss"], issuer);
    assert_eq!(claims["scope"], "members:identity");
    let entitlements = site.get(&browser, "api/entitlements/").text().to_owned();
    let claims = part(&entitlements, 1);
    assert_eq!(claims["scope"], "members:entitlements:read");
    assert_eq!(claims["paid"], false);
    // An entitlements token does not prove an identity.
    let body = json!({"email": "b@example.com", "identity": entitlements});
    let refused = site.change(&Browser::default(), "POST", "api/member/email/", body);
    assert_eq!(refused.status, 401);
}

#[test]
fn newsletters_are_managed_with_the_key_in_a_mail() {
    let site = MemberSite::new();
    let member = site.add_member("ana@example.com");
    let url = text(&member["unsubscribe_url"]);
    let query = url.split_once('?').unwrap().1;
    let anonymous = Browser::default();
    let target = format!("api/member/newsletters/?{query}");
    let shown = site.get(&anonymous, &target).json();
    assert_eq!(shown["email"], "ana@example.com");
    assert_eq!(shown["newsletters"].as_array().unwrap().len(), 2);
    let edited = site.change(
        &anonymous,
        "PUT",
        &target,
        json!({"newsletters": [], "name": "x"}),
    );
    assert_eq!(edited.json()["newsletters"], json!([]));
    assert_eq!(edited.json()["name"], "Ana Reader");
    for query in [
        String::new(),
        query.replace("key=", "key=0"),
        format!("uuid={}", text(&member["uuid"])),
    ] {
        let target = format!("api/member/newsletters/?{query}");
        assert_eq!(site.get(&anonymous, &target).status, 401, "{query}");
    }
}

#[test]
fn pages_of_other_origins_cannot_act_for_a_member() {
    let site = MemberSite::new();
    site.add_member("ana@example.com");
    let browser = site.sign_in("ana@example.com");
    let ask = |origin: &str| {
        let request = Request::new("GET", "/members/api/member/").header("origin", origin);
        site.send(&browser, request)
    };
    for origin in [FRONT, &*site.base()] {
        let response = ask(origin);
        assert_eq!(response.status, 200, "{origin}");
        assert_eq!(response.header("access-control-allow-origin"), Some(origin));
        assert_eq!(
            response.header("access-control-allow-credentials"),
            Some("true")
        );
    }
    for origin in [EVIL, "null", "https://www.example.com.evil.example"] {
        let response = ask(origin);
        assert_eq!(response.status, 204, "{origin}");
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.header("access-control-allow-credentials"), None);
        let delete = Request::new("DELETE", "/members/api/member/").header("origin", origin);
        assert_eq!(site.send(&browser, delete).status, 401);
    }
    let preflight = Request::new("OPTIONS", "/members/api/session/")
        .header("origin", FRONT)
        .header("access-control-request-headers", "content-type");
    let preflight = site.send(&Browser::default(), preflight);
    assert_eq!(preflight.status, 204);
    assert_eq!(
        preflight.header("access-control-allow-headers"),
        Some("content-type")
    );
}

#[test]
fn unsupported_features_respond_as_disabled() {
    let site = MemberSite::new();
    let anonymous = Browser::default();
    let shown = site.get(&anonymous, "api/site/").json();
    assert_eq!(shown["site"]["title"], TITLE);
    assert_eq!(shown["site"]["allow_external_signup"], true);
    let counts = |query: &str| site.get(&anonymous, &format!("api/comments/counts/{query}"));
    assert_eq!(counts("").json(), json!({}));
    assert_eq!(counts("?ids=a,b").json(), json!({"a": 0, "b": 0}));
    let of_post = site.get(&anonymous, "api/comments/post/1/").json();
    assert_eq!(of_post["comments"], json!([]));
    for path in ["api/comments/", "api/comments/1/"] {
        assert_eq!(site.get(&anonymous, path).status, 405, "{path}");
    }
    let comment = json!({"comments": [{"post_id": "1", "html": "<p>Hello</p>"}]});
    let comment = |browser| site.change(browser, "POST", "api/comments/", comment.clone());
    assert_eq!(comment(&anonymous).status, 401);
    let feedback = |browser, score: u32| {
        let body = json!({"feedback": [{"post_id": "1", "score": score}]});
        site.change(browser, "POST", "api/feedback/", body).status
    };
    assert_eq!(feedback(&anonymous, 1), 401);
    let fields = "api/member/metafields/custom/";
    assert_eq!(site.get(&anonymous, fields).status, 401);
    site.add_member("ana@example.com");
    let browser = site.sign_in("ana@example.com");
    assert_eq!(comment(&browser).status, 405);
    assert_eq!((feedback(&browser, 1), feedback(&browser, 2)), (409, 422));
    let none = json!({"members_metafields": []});
    assert_eq!(site.get(&browser, fields).json(), none);
    let checkout = "api/create-stripe-checkout-session/";
    assert_eq!(
        site.change(&anonymous, "POST", checkout, json!({})).status,
        409
    );
    assert_eq!(site.get(&anonymous, "api/nothing/").status, 404);
    assert_eq!(
        site.get(&anonymous, "api/announcement/").json(),
        json!({"announcement": [{}]})
    );
    site.set("announcement_content", json!("<p>Hello</p>"));
    site.set("announcement_visibility", json!(["visitors"]));
    let shown = site.get(&anonymous, "api/announcement/").json();
    assert_eq!(shown["announcement"][0]["announcement"], "<p>Hello</p>");
}

#[test]
fn feedback_links_of_ghost_redirect_to_the_post() {
    let site = MemberSite::new();
    let post = json!({"posts": [{"title": "High tide", "status": "published"}]});
    let post = site.post_as(&owner(), "/posts/", &post)["posts"][0].clone();
    let follow = |id: &str| {
        let link = format!("feedback/{id}/1/?uuid=x&key=y");
        let response = site.get(&Browser::default(), &link);
        assert_eq!(response.status, 302);
        response.header("location").unwrap().to_owned()
    };
    let base = site.base();
    assert_eq!(follow(&text(&post["id"])), format!("{base}/high-tide/"));
    assert_eq!(follow("000000000000000000000001"), format!("{base}/"));
    assert_eq!(follow("nothing"), format!("{base}/"));
}
