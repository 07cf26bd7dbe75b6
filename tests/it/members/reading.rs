//! Tests of the Content API for signed-in members.

use galley::domain::member::{Member, TierGrant};

use super::*;

/// Adds posts of each visibility, with a part before the paywall and a block for each access level.
fn write_posts(site: &MemberSite) {
    let tiers = site.get_as(&owner(), "/tiers/?limit=all");
    let tiers = tiers["tiers"].as_array().unwrap();
    let paid = tiers.iter().find(|tier| tier["type"] == "paid").unwrap();
    let html = |text: &str| json!({"type": "html", "version": 1, "html": format!("<p>{text}</p>")});
    let block = |level: &str| {
        let mut block = html(&format!("for {level}"));
        block["visibility"] = json!({
            "web": {"nonMember": false, "memberSegment": format!("status:{level}")},
            "email": {"memberSegment": ""},
        });
        block
    };
    let lexical = json!({"root": {"type": "root", "version": 1, "children": [
        html("before"),
        block("free"),
        block("-free"),
        json!({"type": "paywall", "version": 1}),
        html("after"),
    ]}});
    for visibility in ["public", "members", "paid", "tiers"] {
        site.add("posts", json!({
            "title": visibility, "slug": visibility, "status": "published", "lexical": lexical.to_string(),
            "visibility": visibility, "tiers": [{"id": paid["id"]}],
        }));
    }
}

/// Adds comped@example.com, who has the paid tier.
fn add_comped_member(site: &MemberSite) {
    let tiers = site.get_as(&owner(), "/tiers/?limit=all");
    let tiers = tiers["tiers"].as_array().unwrap();
    let paid = tiers.iter().find(|tier| tier["type"] == "paid").unwrap();
    site.add(
        "members",
        json!({"email": "comped@example.com", "tiers": [{"id": paid["id"]}]}),
    );
}

/// Returns the slug of each post, whether the reader has access, and the parts in its HTML.
fn seen(response: &HttpResponse) -> Vec<(String, bool, String)> {
    assert_eq!(response.status, 200, "{}", response.text());
    let posts = response.json()["posts"].as_array().unwrap().clone();
    posts
        .iter()
        .map(|post| {
            let html = text(&post["html"]);
            let parts = ["before", "for free", "for -free", "after"];
            let parts = parts
                .iter()
                .filter(|part| html.contains(&format!("<p>{part}</p>")));
            let parts = parts.copied().collect::<Vec<_>>().join(", ");
            (text(&post["slug"]), post["access"] == true, parts)
        })
        .collect()
}

fn target(site: &MemberSite) -> String {
    let key = &site.content_key();
    format!("/ghost/api/content/posts/?key={key}&order=title%20asc")
}

fn expected(rows: [(&str, bool, &str); 4]) -> Vec<(String, bool, String)> {
    let owned =
        |(slug, access, parts): (&str, bool, &str)| (slug.to_owned(), access, parts.to_owned());
    rows.into_iter().map(owned).collect()
}

#[test]
fn member_reads_the_parts_that_their_status_and_tiers_allow() {
    let site = MemberSite::new();
    write_posts(&site);
    site.add_member("free@example.com");
    add_comped_member(&site);
    let target = target(&site);
    let anonymous = || site.send(&Browser::default(), Request::new("GET", &target));
    let of_anonymous = expected([
        ("members", false, "before"),
        ("paid", false, "before"),
        ("public", true, "before, after"),
        ("tiers", false, "before"),
    ]);
    assert_eq!(seen(&anonymous()), of_anonymous);

    let free = site.sign_in("free@example.com");
    let response = site.send(&free, Request::new("GET", &target));
    assert_eq!(
        seen(&response),
        expected([
            ("members", true, "before, for free, after"),
            ("paid", false, "before, for free"),
            ("public", true, "before, for free, after"),
            ("tiers", false, "before, for free"),
        ])
    );
    let cache_control = response.header("cache-control").unwrap();
    assert!(cache_control.contains("private") && cache_control.contains("no-store"));
    let excerpts = response.json();
    assert!(text(&excerpts["posts"][0]["excerpt"]).contains("after"));
    assert!(!text(&excerpts["posts"][1]["excerpt"]).contains("after"));

    let comped = site.sign_in("comped@example.com");
    let whole = "before, for -free, after";
    let of_comped = expected([
        ("members", true, whole),
        ("paid", true, whole),
        ("public", true, whole),
        ("tiers", true, whole),
    ]);
    assert_eq!(
        seen(&site.send(&comped, Request::new("GET", &target))),
        of_comped
    );

    // Cached responses are not shared with other readers.
    let again = anonymous();
    assert_eq!(seen(&again), of_anonymous);
    assert_eq!(again.header("cache-control"), Some("public, max-age=0"));
}

#[test]
fn program_reads_with_the_identity_token() {
    let site = MemberSite::new();
    write_posts(&site);
    site.add_member("free@example.com");
    let browser = site.sign_in("free@example.com");
    let identity = site.get(&browser, "api/session/").text().to_owned();
    let entitlements = site.get(&browser, "api/entitlements/").text().to_owned();
    let target = target(&site);
    let access = |authorization: &str| {
        let request = Request::new("GET", &target).header("authorization", authorization);
        seen(&site.send(&Browser::default(), request))[0].1
    };
    assert!(access(&format!("Bearer {identity}")));
    assert!(access(&format!("GhostMembers {identity}")));
    assert!(access(&format!("Bearer {identity}")));
    assert!(!access(&format!("Bearer {entitlements}")));
    assert!(!access(&format!("Bearer {identity}x")));
    assert!(!access("Bearer"));
}

#[test]
fn page_of_a_listed_origin_reads_as_the_member() {
    let site = MemberSite::new();
    write_posts(&site);
    site.add_member("free@example.com");
    let browser = site.sign_in("free@example.com");
    let target = target(&site);
    let ask = |browser: &Browser, method: &str, origin: &str| {
        site.send(
            browser,
            Request::new(method, &target).header("origin", origin),
        )
    };
    for (origin, is_listed) in [(FRONT, true), (EVIL, false)] {
        for (browser, is_member) in [(&browser, true), (&Browser::default(), false)] {
            let response = ask(browser, "GET", origin);
            assert_eq!(seen(&response)[0].1, is_listed && is_member, "{origin}");
            let allowed = if is_listed { origin } else { "*" };
            assert_eq!(
                response.header("access-control-allow-origin"),
                Some(allowed)
            );
            let credentials = response.header("access-control-allow-credentials");
            assert_eq!(credentials, is_listed.then_some("true"));
        }
    }
    let preflight = ask(&Browser::default(), "OPTIONS", FRONT);
    assert_eq!(preflight.header("access-control-allow-origin"), Some(FRONT));
}

#[test]
fn cached_response_is_shared_only_by_readers_with_the_same_access() {
    let site = MemberSite::new();
    write_posts(&site);
    let tiers = site.get_as(&owner(), "/tiers/?limit=all");
    let tiers = tiers["tiers"].as_array().unwrap();
    let paid = tiers.iter().find(|tier| tier["type"] == "paid").unwrap();
    let ana = site.add_member("ana@example.com");
    site.add_member("ben@example.com");
    let (of_ana, of_ben) = (
        site.sign_in("ana@example.com"),
        site.sign_in("ben@example.com"),
    );
    let target = target(&site);
    let access = |browser: &Browser| {
        let response = site.send(browser, Request::new("GET", &target));
        let is_private = response
            .header("cache-control")
            .unwrap()
            .contains("private");
        assert_eq!(is_private, !browser.cookies.is_empty());
        let posts = seen(&response).into_iter();
        posts.map(|(_, access, _)| access).collect::<Vec<_>>()
    };
    let free = [true, false, true, false];
    for browser in [&of_ana, &of_ben, &of_ana] {
        assert_eq!(access(browser), free);
    }
    let tier = text(&paid["id"]).parse().unwrap();
    let id = text(&ana["id"]).parse().unwrap();
    let change = |tiers: &[TierGrant]| {
        let site = site.site();
        let member = Member::clone(site.current().catalog.members.get(id).unwrap());
        let member = Member {
            tiers: tiers.to_vec(),
            ..member
        };
        site.write_once(|transaction| transaction.save_member(member))
            .unwrap();
    };
    let expires_at = None;
    change(&[TierGrant { tier, expires_at }]);
    for _ in 0..2 {
        assert_eq!(access(&of_ana), [true; 4]);
        assert_eq!(access(&of_ben), free);
        assert_eq!(access(&Browser::default()), [false, false, true, false]);
    }
    change(&[]);
    assert_eq!(access(&of_ana), free);
    let forged = Browser {
        cookies: of_ana
            .cookies
            .replace("ghost-members-ssr.sig=", "ghost-members-ssr.sig=x"),
    };
    let response = site.send(&forged, Request::new("GET", &target));
    assert!(!seen(&response)[0].1);
    site.get(&of_ben, "api/member/");
    site.change(&of_ben, "DELETE", "api/session/", json!({"all": true}));
    let response = site.send(&of_ben, Request::new("GET", &target));
    assert!(!seen(&response)[0].1);
}

#[test]
fn search_finds_only_text_that_the_member_may_read() {
    let site = MemberSite::new();
    write_posts(&site);
    site.add_member("free@example.com");
    add_comped_member(&site);
    let key = &site.content_key();
    let found = |browser: &Browser, list: &str, query: &str| {
        let target = format!("/ghost/api/content/{query}&key={key}");
        let response = site.send(browser, Request::new("GET", &target));
        let response = response.json();
        let records = response[list].as_array().cloned().unwrap_or_default();
        let mut slugs: Vec<String> = records.iter().map(|post| text(&post["slug"])).collect();
        slugs.sort();
        slugs
    };
    let anonymous = Browser::default();
    wait_until("all posts are found", || {
        found(&anonymous, "search", "search/?q=before").len() == 4
    });
    let free = site.sign_in("free@example.com");
    let comped = site.sign_in("comped@example.com");
    let all = ["members", "paid", "public", "tiers"];
    for (browser, expected) in [
        (&anonymous, &["public"][..]),
        (&free, &["members", "public"]),
        (&comped, &all),
    ] {
        assert_eq!(found(browser, "search", "search/?q=after"), expected);
        assert_eq!(found(browser, "posts", "posts/?search=after"), expected);
        assert_eq!(
            found(browser, "search", "search/?q=%22before+after%22").is_empty(),
            expected != ["public"]
        );
    }
}
