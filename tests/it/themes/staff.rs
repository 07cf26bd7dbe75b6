//! Tests of pages for staff: previews of unsaved settings, and the admin app's toolbar.

use std::fs;

use galley_tests::{Request, TestSite, Who, http_client::HttpResponse};
use serde_json::json;

use super::{
    get,
    pages::{publish, site_with},
};

/// A theme whose home page shows the settings that can be previewed.
const THEME: &[(&str, &str)] = &[
    (
        "index.hbs",
        "<head>{{ghost_head}}</head><body class=\"{{body_class}}\"><main>{{@site.accent_color}}|{{@site.description}}|{{@site.icon}}|\
         {{@site.logo}}|{{@site.cover_image}}|{{@custom.word}}|{{@custom.mood}}</main>",
    ),
    (
        "post.hbs",
        "<head>{{ghost_head}}</head>{{#post}}<main>{{title}}:{{@site.accent_color}}</main>{{/post}}",
    ),
    ("tag.hbs", "<head>{{ghost_head}}</head>"),
    (
        "error.hbs",
        "<head>{{ghost_head exclude=\"admin_toolbar\"}}</head><main>error:{{statusCode}}</main>",
    ),
    (
        "package.json",
        r#"{"name": "tide", "version": "1.0.0", "author": {"email": "a@example.com"}, "config": {"custom": {
            "word": {"type": "text", "default": "ebb"}, "mood": {"type": "select", "options": ["calm", "wild"], "default": "calm"}}}}"#,
    ),
];

/// Returns the page that the admin app requests to preview unsaved settings.
fn preview_settings(site: &TestSite, target: &str, settings: &str) -> HttpResponse {
    let request = Request::new("POST", target)
        .header("content-type", "text/html;charset=utf-8")
        .header("x-ghost-preview", settings);
    site.ask_as(&Who::Anonymous, &request)
}

fn main_of(page: &HttpResponse) -> String {
    let text = page.text();
    let (_, rest) = text
        .split_once("<main>")
        .unwrap_or_else(|| panic!("no page: {text}"));
    rest.split("</main>").next().unwrap().to_owned()
}

/// Returns the attributes of the page's script element that contains `name`.
fn script_attributes(page: &HttpResponse, name: &str) -> Option<String> {
    let mut scripts = page.text().split("<script").skip(1);
    scripts
        .find(|script| script.contains(name))
        .map(|script| script.split('>').next().unwrap().to_owned())
}

#[test]
fn authentication_frame_is_served_only_to_browsers_with_a_session() {
    let site = site_with(THEME);
    let frame = Request::new("GET", "/ghost/auth-frame/");
    let for_readers = site.ask_as(&Who::Anonymous, &frame);
    assert_eq!((for_readers.status, for_readers.text()), (204, ""));
    let for_staff = site.ask_as(&Who::session("Owner"), &frame);
    assert_eq!(for_staff.status, 200);
    let policy = for_staff.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'self' http"), "{policy}");
    assert!(for_staff.text().contains("users/me/"));
}

#[test]
fn previewed_settings_affect_only_their_own_request() {
    let site = site_with(THEME);
    let before = get(&site, "/");
    let settings = "c=%23ff0000&d=Salt+%26+tar&icon=https%3A%2F%2Fexample.com%2Fi.png&logo=&cover=null\
        &bf=Lora&hf=&custom=%7B%22word%22%3A%22flood%22%2C%22other%22%3A1%7D";
    for target in ["/?admin_toolbar=0", "/"] {
        let page = preview_settings(&site, target, settings);
        assert_eq!(page.status, 200, "{}", page.text());
        assert_eq!(
            main_of(&page),
            "#ff0000|Salt &amp; tar|https://example.com/i.png|||flood|calm"
        );
        assert!(page.text().contains("--ghost-accent-color: #ff0000;"));
        assert!(page.text().contains("gh-font-body-lora"));
        assert!(
            script_attributes(&page, "portal")
                .unwrap()
                .contains("data-accent-color=\"#ff0000\"")
        );
        assert!(page.header("cache-control").unwrap().contains("no-store"));
        assert_eq!(page.header("etag"), None);
        assert_eq!(get(&site, "/").body, before.body);
    }
    let with_get = Request::new("GET", "/").header("x-ghost-preview", "c=%2300ff00");
    let page = site.ask_as(&Who::Anonymous, &with_get);
    assert!(main_of(&page).starts_with("#00ff00|"));
    assert!(page.header("cache-control").unwrap().contains("no-store"));
    assert_eq!(get(&site, "/").body, before.body);
}

#[test]
fn settings_can_be_previewed_on_every_page() {
    let site = site_with(THEME);
    publish(&site, "posts", json!({"title": "High water"}));
    let page = preview_settings(&site, "/high-water/", "c=%23ff0000");
    assert_eq!(main_of(&page), "High water:#ff0000");
    let missing = preview_settings(&site, "/nowhere/", "c=%23ff0000");
    assert_eq!(
        (missing.status, main_of(&missing).as_str()),
        (404, "error:404")
    );
    assert!(missing.text().contains("--ghost-accent-color: #ff0000;"));
}

#[test]
fn unknown_and_malformed_values_are_ignored() {
    let site = site_with(THEME);
    let saved = main_of(&get(&site, "/"));
    for settings in [
        "x=1",
        "custom=%7Bbroken",
        "custom=%5B%22word%22%5D",
        "title=Mine",
        "%",
        "=&&=",
        "constructor=1",
    ] {
        let page = preview_settings(&site, "/", settings);
        assert_eq!(
            (page.status, main_of(&page)),
            (200, saved.clone()),
            "{settings}"
        );
    }
    let markup = preview_settings(
        &site,
        "/",
        "c=%3C%2Fstyle%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E",
    );
    assert!(
        !markup.text().contains("<script>alert"),
        "{}",
        markup.text()
    );
}

#[test]
fn post_requests_without_settings_get_no_page() {
    let site = site_with(THEME);
    for request in [
        Request::new("POST", "/"),
        Request::new("POST", "/").header("x-ghost-preview", ""),
    ] {
        let response = site.ask_as(&Who::Anonymous, &request);
        assert_eq!(
            (response.status, main_of(&response).as_str()),
            (404, "error:404")
        );
    }
}

#[test]
fn bodies_of_preview_requests_are_limited() {
    let site = site_with(THEME);
    let request = |bytes: usize| {
        let request = Request::new("POST", "/").header("x-ghost-preview", "c=%23ff0000");
        let request = request.header("content-type", "text/html;charset=utf-8");
        site.ask_as(&Who::Anonymous, &request.bytes("a".repeat(bytes)))
    };
    assert_eq!(request(1000).status, 200);
    assert_eq!(request((1 << 20) + 1).status, 413);
}

#[test]
fn previewed_announcement_replaces_the_saved_one() {
    let site = site_with(THEME);
    let saved = json!({"settings": [
        {"key": "announcement_content", "value": "<p>Saved.</p>"},
        {"key": "announcement_visibility", "value": ["visitors"]},
    ]});
    site.put_as(&galley_tests::owner(), "/settings/", &saved);
    assert!(script_attributes(&get(&site, "/"), "announcement-bar").is_some());
    let preview = "announcement_bg=accent&announcement=%3Cp%3EThe+%22pier%22%3C%2Fp%3E&announcement_vis=visitors";
    let page = preview_settings(&site, "/", preview);
    let bar = script_attributes(&page, "announcement-bar").unwrap();
    assert!(
        bar.contains("data-announcement=\"&lt;p&gt;The &quot;pier&quot;&lt;/p&gt;\""),
        "{bar}"
    );
    assert!(
        bar.contains("data-announcement-background=\"accent\""),
        "{bar}"
    );
    assert!(bar.contains("data-preview=\"true\""), "{bar}");
    for none in [
        "announcement=%3Cp%3E",
        "announcement=&announcement_vis=visitors",
        "c=%23ff0000",
    ] {
        assert_eq!(
            script_attributes(&preview_settings(&site, "/", none), "announcement-bar"),
            None,
            "{none}"
        );
    }
}

#[test]
fn only_the_configured_admin_origin_may_preview_settings() {
    let site = TestSite::builder()
        .option("front_end", "theme")
        .option("admin.origin", "https://admin.example.com")
        .staffed()
        .start();
    for (origin, is_allowed) in [
        ("https://admin.example.com", true),
        ("https://evil.example", false),
    ] {
        let preflight = Request::new("OPTIONS", "/?admin_toolbar=0")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "x-ghost-preview");
        let preflight = site.ask_as(&Who::Anonymous, &preflight);
        let allowed = preflight.header("access-control-allow-headers");
        assert_eq!(allowed, is_allowed.then_some("x-ghost-preview"), "{origin}");
        let preview = Request::new("POST", "/?admin_toolbar=0")
            .header("origin", origin)
            .header("x-ghost-preview", "c=%23ff0000");
        let page = site.ask_as(&Who::Anonymous, &preview);
        let allowed = page.header("access-control-allow-origin");
        assert_eq!(allowed, is_allowed.then_some(origin));
        assert_eq!(
            page.header("access-control-allow-credentials"),
            is_allowed.then_some("true")
        );
        let read = Request::new("GET", "/").header("origin", origin);
        let read = site.ask_as(&Who::Anonymous, &read);
        assert_eq!(read.header("access-control-allow-origin"), None);
    }
}

/// Returns the response to a browser with a cookie.
fn with_cookie(site: &TestSite, target: &str, cookie: &str) -> HttpResponse {
    site.ask_as(
        &Who::Anonymous,
        &Request::new("GET", target).header("cookie", cookie),
    )
}

/// Returns the cookie that a response sets.
fn cookie(response: &HttpResponse) -> String {
    let set = response.header("set-cookie").unwrap();
    set.split(';').next().unwrap().to_owned()
}

#[test]
fn toolbar_is_shown_only_to_the_browser_that_enabled_it() {
    let site = site_with(THEME);
    publish(
        &site,
        "posts",
        json!({"title": "High water", "tags": [{"name": "Sea"}]}),
    );
    let before = get(&site, "/");
    assert_eq!(script_attributes(&before, "admin-toolbar"), None);

    let enabled = get(&site, "/?page=2&admin=1");
    assert_eq!(
        (enabled.status, enabled.header("location")),
        (302, Some("/?page=2"))
    );
    assert_eq!(enabled.header("cache-control"), Some("no-store"));
    let toolbar_cookie = cookie(&enabled);
    let home = with_cookie(&site, "/", &toolbar_cookie);
    let toolbar = script_attributes(&home, "admin-toolbar").unwrap();
    assert!(
        toolbar.contains("data-page-context=\"home\" data-members-enabled=\"true\""),
        "{toolbar}"
    );
    assert!(home.header("cache-control").unwrap().contains("private"));
    let post = with_cookie(&site, "/high-water/", &toolbar_cookie);
    assert!(
        script_attributes(&post, "admin-toolbar")
            .unwrap()
            .contains("data-resource-type=\"post\" data-resource-id=")
    );
    let tag = with_cookie(&site, "/tag/sea/", &toolbar_cookie);
    assert!(
        script_attributes(&tag, "admin-toolbar")
            .unwrap()
            .contains("data-resource-type=\"tag\" data-resource-slug=\"sea\"")
    );
    assert_eq!(
        script_attributes(
            &with_cookie(&site, "/?admin_toolbar=0", &toolbar_cookie),
            "admin-toolbar"
        ),
        None
    );

    let excluded = with_cookie(&site, "/nowhere/", &toolbar_cookie);
    assert_eq!(script_attributes(&excluded, "admin-toolbar"), None);

    let after = get(&site, "/");
    assert_eq!(
        (&after.body, after.header("cache-control")),
        (&before.body, Some("public, max-age=0"))
    );
    let off = with_cookie(&site, "/?admin=0", &toolbar_cookie);
    assert_eq!(
        (off.status, cookie(&off).as_str()),
        (302, "ghost-admin-toolbar=")
    );
}

#[test]
fn iframe_gets_the_page_and_the_toolbar_cookie() {
    let site = site_with(THEME);
    let framed = Request::new("GET", "/?v=1&admin=1").header("sec-fetch-dest", "iframe");
    let page = site.ask_as(&Who::Anonymous, &framed);
    assert_eq!(page.status, 200);
    assert_eq!(script_attributes(&page, "admin-toolbar"), None);
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert_eq!(page.header("x-frame-options"), None);
    assert!(script_attributes(&with_cookie(&site, "/", &cookie(&page)), "admin-toolbar").is_some());
}

#[test]
fn toolbar_cookie_cannot_be_forged_and_its_redirect_stays_on_the_site() {
    let site = site_with(THEME);
    let far_future = "ghost-admin-toolbar=9999999999-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    for forged in [
        far_future,
        "ghost-admin-toolbar=",
        "ghost-admin-toolbar=1-",
        "ghost-admin-toolbar=a",
    ] {
        let page = with_cookie(&site, "/", forged);
        assert_eq!(script_attributes(&page, "admin-toolbar"), None, "{forged}");
        assert_eq!(page.header("cache-control"), Some("public, max-age=0"));
    }
    for target in ["//evil.example/?admin=1", "/\\evil.example/?admin=1"] {
        let moved = get(&site, target);
        assert!(
            moved
                .header("location")
                .is_none_or(|to| to.starts_with("/evil")),
            "{target}"
        );
    }
}

#[test]
fn links_to_the_admin_app_follow_path_prefix_and_subdirectory() {
    let theme = tempfile::tempdir().unwrap();
    let index = "<head>{{ghost_head}}</head><main>{{@site.admin_url}}</main>";
    fs::write(theme.path().join("index.hbs"), index).unwrap();
    fs::write(theme.path().join("package.json"), r#"{"name": "tide"}"#).unwrap();
    let site = |front_end: &str| {
        TestSite::builder()
            .file("drafts/low-water.md", "---\ntitle: Low water\n---\nText.\n")
            .url("https://harbour.example/blog")
            .option("path_prefix", "cms")
            .option("theme", theme.path().to_str().unwrap())
            .option("front_end", front_end)
            .start()
    };
    let with_theme = site("theme");
    let toolbar_cookie = cookie(&get(&with_theme, "/blog/?admin=1"));
    let home = with_cookie(&with_theme, "/blog/", &toolbar_cookie);
    let admin = "https://harbour.example/blog/cms/";
    assert_eq!(main_of(&home), admin);
    let toolbar = script_attributes(&home, "admin-toolbar").unwrap();
    let expected = format!("data-ghost-admin-toolbar=\"{admin}\"");
    assert!(toolbar.contains(&expected), "{toolbar}");

    for site in [&with_theme, &site("none")] {
        let catalog = &site.site().current().catalog;
        let draft = catalog.posts.by_slug("low-water").unwrap();
        let response = get(site, &format!("/blog/p/{}/edit/", draft.uuid));
        let location = response.header("location").unwrap_or_default();
        let editor = format!("/blog/cms/#/editor/post/{}/", draft.id);
        assert_eq!(response.status, 302);
        assert!(location.ends_with(&editor), "{location}");
    }
}
