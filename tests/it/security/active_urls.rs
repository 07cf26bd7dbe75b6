//! Tests of URLs that run code in fields for URLs. They are dropped with a warning where Ghost 6.65 accepts them (observed), and
//! rejected where Ghost rejects them.

use galley_tests::{Request, TestSite, multipart::Form, owner, request::ADMIN, staff::OWNER};
use serde_json::{Value, json};

const ACTIVE: &[&str] = &[
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "javascript://example.com/%0aalert(1)",
    "vbscript:msgbox(1)",
];

/// Edits the record at `path`, and returns its value of `field` from the response.
fn field_after(site: &TestSite, path: &str, field: &str, sent: Value) -> Value {
    let resource = path.split('/').nth(1).unwrap();
    let mut record = sent;
    if resource == "posts" {
        let now = site.get_as(&owner(), path)["posts"][0]["updated_at"].clone();
        record["updated_at"] = now;
    }
    let changed = site.put_as(&owner(), path, &json!({ resource: [record] }));
    changed[resource][0][field].clone()
}

#[test]
fn record_fields_drop_active_urls_and_keep_others() {
    let site = TestSite::staffed();
    let post = site.post_as(&owner(), "/posts/", &json!({"posts": [{"title": "P"}]}));
    let tag = site.post_as(&owner(), "/tags/", &json!({"tags": [{"name": "T"}]}));
    let newsletter = json!({"newsletters": [{"name": "N"}]});
    let newsletter = site.post_as(&owner(), "/newsletters/", &newsletter);
    let me = site.get_as(&owner(), "/users/me/");
    let path = |resource: &str, response: &Value| {
        format!(
            "/{resource}/{}/",
            response[resource][0]["id"].as_str().unwrap()
        )
    };
    let meta = [
        "feature_image",
        "canonical_url",
        "og_image",
        "twitter_image",
    ];
    let social = ["facebook", "twitter", "mastodon", "linkedin"];
    let fields = [
        (path("posts", &post), &meta[..]),
        (path("tags", &tag), &meta),
    ]
    .into_iter()
    .chain([(path("users", &me), &social[..])])
    .chain([(path("users", &me), &["profile_image", "cover_image"][..])])
    .chain([(path("newsletters", &newsletter), &["header_image"][..])]);
    for (path, fields) in fields {
        for field in fields {
            let after = |url: &str| field_after(&site, &path, field, json!({ *field: url }));
            for url in ACTIVE {
                assert_eq!(after(url), Value::Null, "{path} {field} {url}");
            }
            for url in ["https://example.com/a.png", "data:image/png;base64,AAAA"] {
                assert_eq!(after(url), url, "{path} {field}");
            }
        }
    }
}

#[test]
fn websites_and_recommendations_reject_active_urls() {
    let site = TestSite::staffed();
    let me = site.get_as(&owner(), "/users/me/")["users"][0]["id"].clone();
    let user = format!("{ADMIN}/users/{}/", me.as_str().unwrap());
    for url in ACTIVE.iter().chain(&["data:text/html,x", "java\tscript:x"]) {
        let website = Request::new("PUT", &user).json(&json!({"users": [{"website": url}]}));
        let recommended = json!({"recommendations": [{"title": "R", "url": url}]});
        let recommended =
            Request::new("POST", &format!("{ADMIN}/recommendations/")).json(&recommended);
        for request in [website, recommended] {
            assert_eq!(site.ask_as(&owner(), &request).status, 422, "{url}");
        }
    }
}

#[test]
fn settings_drop_active_urls() {
    let site = TestSite::staffed();
    let set = |key: &str, value: Value| {
        let sent = json!({"settings": [{"key": key, "value": value}]});
        let settings = site.put_as(&owner(), "/settings/", &sent)["settings"].clone();
        let settings = settings.as_array().unwrap();
        let setting = settings.iter().find(|setting| setting["key"] == key);
        setting.unwrap()["value"].clone()
    };
    let link = |url: &str| json!({"label": "L", "url": url});
    for url in ACTIVE.iter().chain(&["data:text/html,x"]) {
        for key in [
            "logo",
            "cover_image",
            "og_image",
            "twitter_image",
            "facebook",
            "mastodon",
        ] {
            let stored = set(key, json!(url));
            assert!(stored.is_null() || stored == "", "{key} {url}: {stored}");
        }
        for key in ["navigation", "secondary_navigation"] {
            let menu = json!([link(url), link("/about/")]).to_string();
            let stored = set(key, json!(menu));
            let stored: Value = serde_json::from_str(stored.as_str().unwrap()).unwrap();
            assert_eq!(stored, json!([link("/about/")]), "{key} {url}");
        }
    }
    let data = "data:image/png;base64,AAAA";
    assert_eq!(set("logo", json!(data)), data);
    assert_eq!(set("facebook", json!("ghost")), "ghost");
}

#[test]
fn redirects_reject_active_urls() {
    let site = TestSite::staffed();
    let upload = |to: &str| {
        let file = json!([{"from": "/ok/", "to": "/fine/"}, {"from": "/a/", "to": to}]);
        let file = file.to_string();
        let form = Form::default().file(
            "redirects",
            "redirects.json",
            "application/json",
            file.as_bytes(),
        );
        let target = format!("{ADMIN}/redirects/upload/");
        site.ask_as(&owner(), &Request::new("POST", &target).form(form))
    };
    for url in ACTIVE.iter().chain(&["data:text/html,x", "java\tscript:x"]) {
        let response = upload(url);
        assert_eq!(response.status, 422, "{url}");
        assert!(response.text().contains("Entry 2"), "{}", response.text());
    }
    assert_eq!(upload("https://example.com/").status, 200);
}

#[test]
fn content_files_drop_active_urls_with_file_line_and_key() {
    let app = TestSite::builder()
        .file(
            "site.toml",
            "title = \"S\"\nlogo = \"javascript:a()\"\nfacebook = \"javascript:a()\"\nnavigation = [\n  { label = \"Bad\", url = \"vbscript:a()\" },\n  { label = \"Good\", url = \"/good/\" },\n]\n",
        )
        .file(
            "posts/p.md",
            "+++\ntitle = \"P\"\ndate = 2025-01-05\ncanonical_url = \"java\\tscript:a()\"\nfeature_image = \"data:text/html,x\"\nog_image = \"data:image/png;base64,AAAA\"\n+++\nText.\n",
        )
        .file(
            "tags/t.toml",
            "name = \"T\"\ncanonical_url = \" JAVASCRIPT:a()\"\n",
        )
        .file(
            "authors/ada.yaml",
            "name: Ada\nwebsite: \"javascript:a()\"\nmastodon: \"javascript:a()\"\n",
        )
        .start();

    let problems = app.content_diagnostics();
    let positions = [
        ("authors/ada.yaml:2:", "website"),
        ("authors/ada.yaml:3:", "mastodon"),
        ("posts/p.md:4:", "canonical_url"),
        ("posts/p.md:5:", "feature_image"),
        ("site.toml:2:", "logo"),
        ("site.toml:3:", "facebook"),
        ("site.toml:5:", "url"),
        ("tags/t.toml:2:", "canonical_url"),
    ];
    assert_eq!(problems.len(), positions.len(), "{problems:#?}");
    for (position, key) in positions {
        let is_it = |problem: &&String| {
            problem.contains(position)
                && problem.contains(&format!("`{key}` is a URL that runs code"))
        };
        assert_eq!(
            problems.iter().filter(is_it).count(),
            1,
            "{position} {key}: {problems:#?}"
        );
    }

    let settings = app.json("settings/")["settings"].clone();
    assert_eq!(
        settings["navigation"],
        json!([{"label": "Good", "url": "/good/"}])
    );
    let shown = [
        settings.to_string(),
        app.json("posts/?include=tags,authors").to_string(),
        app.json("tags/").to_string(),
    ];
    for text in &shown {
        let text = text.to_lowercase();
        assert!(
            !text.contains("script:") && !text.contains("data:text"),
            "{text}"
        );
    }
    assert!(shown[1].contains("data:image/png;base64,AAAA"));
}

#[test]
fn imports_drop_active_urls_with_a_note() {
    let site = TestSite::staffed();
    let export = json!({"db": [{"meta": {"version": "6.0.0"}, "data": {
        "posts": [{"id": "1", "title": "P", "slug": "p", "status": "published", "html": "<p>x</p>",
            "feature_image": "javascript:a()", "canonical_url": "vbscript:a()"}],
        "tags": [{"id": "1", "name": "T", "slug": "t", "feature_image": "data:text/html,x", "og_image": "data:image/png;base64,AAAA"}],
        "posts_tags": [{"id": "1", "post_id": "1", "tag_id": "1", "sort_order": 0}],
        "users": [{"id": "1", "name": "U", "slug": "u", "email": OWNER.1, "website": "javascript:a()", "facebook": "javascript:a()", "cover_image": "javascript:a()"}],
        "newsletters": [{"id": "1", "name": "N", "slug": "n", "header_image": "javascript:a()"}],
        "settings": [{"key": "logo", "value": "javascript:a()"}, {"key": "facebook", "value": "javascript:a()"},
            {"key": "navigation", "value": "[{\"label\":\"L\",\"url\":\"javascript:a()\"}]"}]
    }}]});
    site.import(export.to_string().as_bytes());
    for path in [
        "/posts/?include=tags,authors",
        "/tags/",
        "/users/",
        "/newsletters/",
        "/settings/",
    ] {
        let text = site.get_as(&owner(), path).to_string();
        assert!(
            !text.contains("script:") && !text.contains("data:text"),
            "{path}: {text}"
        );
    }
    let tag = &site.get_as(&owner(), "/tags/slug/t/")["tags"][0];
    assert_eq!(tag["og_image"], "data:image/png;base64,AAAA");
}
