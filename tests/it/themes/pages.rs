//! Tests of the pages that the active theme renders.

use galley_tests::{
    Request, TestSite, Who, http_client::HttpResponse, multipart::Form, owner, request::ADMIN,
};
use serde_json::json;

use super::{activate, get, theme_with, upload};

/// A theme whose pages contain the names of their templates.
const TEMPLATES: &[(&str, &str)] = &[
    (
        "default.hbs",
        "<title>{{meta_title}}</title>{{ghost_head}}<main>{{{body}}}</main>",
    ),
    (
        "index.hbs",
        "{{!< default}}\nindex:{{#foreach posts}}{{title}},{{/foreach}}",
    ),
    (
        "post.hbs",
        "{{!< default}}\n{{#post}}post:{{title}}:{{content}}{{/post}}",
    ),
    (
        "page.hbs",
        "{{!< default}}\n{{#post}}page:{{title}}{{/post}}",
    ),
    ("tag.hbs", "{{!< default}}\n{{#tag}}tag:{{name}}{{/tag}}"),
    ("error.hbs", "{{!< default}}\nerror:{{statusCode}}"),
];

/// Returns a site whose theme has these files in addition to the required ones.
pub fn site_with(files: &[(&str, &str)]) -> TestSite {
    let site = TestSite::builder()
        .option("front_end", "theme")
        .staffed()
        .start();
    let uploaded = upload(&site, "tide.zip", &theme_with(files));
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    activate(&site, "tide");
    site
}

pub fn publish(site: &TestSite, kind: &str, mut record: serde_json::Value) {
    record["status"] = json!("published");
    let added = site.ask(
        "POST",
        &format!("{kind}/?source=html"),
        Some(&json!({ kind: [record] })),
    );
    assert_eq!(added.status, 201, "{}", added.text());
}

/// Returns the content of a page's `main` element.
fn main_of(response: &HttpResponse) -> &str {
    let text = response.text();
    let (_, rest) = text
        .split_once("<main>")
        .unwrap_or_else(|| panic!("no page: {text}"));
    rest.split("</main>").next().unwrap().trim()
}

#[test]
fn each_page_type_has_its_template() {
    let site = site_with(TEMPLATES);
    publish(
        &site,
        "posts",
        json!({"title": "High water", "html": "<p>Tide.</p>", "tags": [{"name": "Sea"}]}),
    );
    publish(
        &site,
        "pages",
        json!({"title": "About us", "slug": "about"}),
    );
    for (path, status, main) in [
        ("/", 200, "index:High water,"),
        ("/high-water/", 200, "post:High water:<p>Tide.</p>"),
        ("/about/", 200, "page:About us"),
        ("/tag/sea/", 200, "tag:Sea"),
        ("/nowhere/", 404, "error:404"),
        ("/page/2/", 404, "error:404"),
    ] {
        let page = get(&site, path);
        assert_eq!((page.status, main_of(&page)), (status, main), "{path}");
    }
    assert_eq!(
        get(&site, "/high-water").header("location"),
        Some("/high-water/")
    );
}

#[test]
fn page_follows_changes_of_posts_theme_and_theme_settings() {
    let site = site_with(TEMPLATES);
    publish(&site, "posts", json!({"title": "Low water"}));
    let before = get(&site, "/");
    assert_eq!(main_of(&before), "index:Low water,");
    let tag = before.header("etag").unwrap().to_owned();
    let again = Request::new("GET", "/").header("if-none-match", &tag);
    assert_eq!(site.ask_as(&Who::Anonymous, &again).status, 304);

    publish(&site, "posts", json!({"title": "High water"}));
    assert!(main_of(&get(&site, "/")).contains("High water"));

    let files = [
        ("index.hbs", "<main>{{@custom.word}}</main>"),
        (
            "package.json",
            r#"{"name": "tide", "version": "1.0.0", "author": {"email": "a@example.com"},
                "config": {"custom": {"word": {"type": "text", "default": "ebb"}}}}"#,
        ),
    ];
    let uploaded = upload(&site, "tide.zip", &theme_with(&files));
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    assert_eq!(main_of(&get(&site, "/")), "ebb");
    let chosen = json!({"custom_theme_settings": [{"key": "word", "value": "flood"}]});
    site.put_as(&owner(), "/custom_theme_settings/", &chosen);
    assert_eq!(main_of(&get(&site, "/")), "flood");
}

#[test]
fn page_of_a_gated_post_omits_gated_parts() {
    let site = site_with(TEMPLATES);
    let html = "<p>Public words.</p><!--members-only--><p>Gated words.</p>";
    publish(
        &site,
        "posts",
        json!({"title": "Gated", "html": html, "visibility": "members"}),
    );
    let page = get(&site, "/gated/");
    assert!(page.text().contains("Public words."), "{}", page.text());
    assert!(!page.text().contains("Gated words."), "{}", page.text());
}

#[test]
fn private_site_shows_nothing_without_its_password() {
    let robots = ("robots.txt", "User-agent: *\nAllow: /\n");
    let site = site_with(&[TEMPLATES, &[robots]].concat());
    assert!(get(&site, "/robots.txt").text().contains("Allow: /"));
    publish(&site, "posts", json!({"title": "Hidden"}));
    for path in ["/", "/hidden/", "/rss/"] {
        assert_eq!(get(&site, path).status, 200, "{path}");
    }
    let settings = json!({"settings": [
        {"key": "is_private", "value": true},
        {"key": "password", "value": "tide"},
    ]});
    site.put_as(&owner(), "/settings/", &settings);
    for path in [
        "/",
        "/hidden/",
        "/rss/",
        "/sitemap.xml",
        "/assets/css/screen.css",
        "/nowhere/",
    ] {
        let refused = get(&site, path);
        assert_eq!(refused.status, 302, "{path}");
        assert!(
            refused
                .header("location")
                .unwrap()
                .starts_with("/private/?r="),
            "{path}"
        );
    }
    let enter_for = |wanted: &str, password: &str| {
        let form = Request::new("POST", &format!("/private/?r={wanted}"))
            .header("content-type", "application/x-www-form-urlencoded")
            .bytes(format!("password={password}"));
        site.ask_as(&Who::Anonymous, &form)
    };
    let enter = |password: &str| enter_for("%2Fhidden%2F", password);
    assert_eq!(enter("flood").status, 200);
    for (wanted, location) in [
        ("%2F%2Fother.example%2F", "/"),
        ("https%3A%2F%2Fother.example%2F", "/"),
        ("%2F.%2F%2Fother.example%2F", "/other.example/"),
        ("%5C.%5C%5Cother.example%2F", "/other.example/"),
    ] {
        let entered = enter_for(wanted, "tide");
        assert_eq!(entered.header("location"), Some(location), "{wanted}");
    }
    assert!(get(&site, "/robots.txt").text().contains("Disallow: /"));
    let entered = enter("tide");
    assert_eq!(
        (entered.status, entered.header("location")),
        (302, Some("/hidden/"))
    );
    let cookie = entered
        .header("set-cookie")
        .unwrap()
        .split(';')
        .next()
        .unwrap()
        .to_owned();
    for path in ["/hidden/", "/", "/rss/"] {
        let inside = Request::new("GET", path).header("cookie", &cookie);
        let page = site.ask_as(&Who::Anonymous, &inside);
        assert_eq!(page.status, 200, "{path}");
        let is_page = path.ends_with("hidden/") || path == "/";
        assert!(!is_page || page.header("cache-control").unwrap().contains("private"));
        assert_eq!(get(&site, path).status, 302, "{path}");
    }
}

#[test]
fn private_site_serves_uploads_and_shared_files_without_its_password() {
    let site = site_with(&[TEMPLATES, &[("assets/app.css", "a {}")]].concat());
    let image = b"\x89PNG\r\n\x1a\n";
    let form = Form::default().file("file", "tide.txt", "text/plain", image);
    let upload = Request::new("POST", &format!("{ADMIN}/files/upload/")).form(form);
    let uploaded = site.done(&owner(), upload).json();
    let url = uploaded["files"][0]["url"].as_str().unwrap();
    let file = &url[url.find("/content/").unwrap()..];
    let settings = json!({"settings": [
        {"key": "is_private", "value": true},
        {"key": "password", "value": "tide"},
    ]});
    site.put_as(&owner(), "/settings/", &settings);
    for (path, status) in [
        (file, 200),
        ("/content/images/none.png", 404),
        ("/content/media/none.mp4", 404),
        ("/public/cards.min.css", 200),
        ("/public/none.css", 404),
        ("/favicon.ico", 200),
        ("/favicon.png", 200),
        ("/sitemap.xsl", 200),
        ("/.well-known/recommendations.json", 200),
        ("/assets/app.css", 302),
        ("/content/other/file", 302),
    ] {
        let response = get(&site, path);
        assert_eq!(response.status, status, "{path}");
        let is_shared = response.header("cache-control").unwrap_or_default();
        assert!(status != 200 || is_shared.contains("public"), "{path}");
    }
    // Only reads are allowed without the password, because an error page would show the site's menus.
    let posted = site.ask_as(&Who::Anonymous, &Request::new("POST", file));
    assert_eq!(posted.status, 302);
}

#[test]
fn recommendations_file_lists_recommended_sites() {
    let site = site_with(TEMPLATES);
    let path = "/.well-known/recommendations.json";
    assert_eq!(get(&site, path).text(), "[]");
    for name in ["ebb", "flood"] {
        let url = format!("https://{name}.example/");
        let sent = json!({"recommendations": [{"title": name, "url": url}]});
        site.post_as(&owner(), "/recommendations/", &sent);
    }
    let file = get(&site, path);
    assert_eq!(
        file.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let file = file.json();
    let urls: Vec<_> = file
        .as_array()
        .unwrap()
        .iter()
        .map(|site| &site["url"])
        .collect();
    assert_eq!(urls, ["https://ebb.example/", "https://flood.example/"]);
    assert!(file[0]["created_at"].is_string() && file[0]["updated_at"].is_string());
}

/// In Ghost, templates get previews and tiers as database models, whose dates are JavaScript dates.
#[test]
fn dates_of_previews_and_tiers_are_javascript_dates() {
    let post = "{{#post}}{{published_at}}|{{date published_at format=\"YYYY-MM-DD HH:mm\"}}|{{json published_at}}|\
        {{#foreach published_at}}{{else}}none{{/foreach}}|{{#match published_at published_at}}{{else}}other{{/match}}|\
        {{#match published_at \">\" \"2020\"}}later{{/match}}|\
        {{#get \"posts\" filter=\"published_at:<{{published_at}}\"}}{{posts.length}}{{/get}}{{/post}}";
    let tiers = "{{#get \"tiers\"}}{{#foreach tiers}}{{#match type \"free\"}}{{created_at}}{{/match}}{{/foreach}}{{/get}}";
    let site = site_with(&[("post.hbs", post), ("index.hbs", tiers)]);
    let record = json!({"title": "Draft", "published_at": "2026-03-02T23:30:05.000Z"});
    let sent = json!({ "posts": [record] });
    let added = site.ask("POST", "posts/", Some(&sent)).json();
    let preview = format!("/p/{}/", added["posts"][0]["uuid"].as_str().unwrap());
    assert_eq!(
        get(&site, &preview).text().trim(),
        "Mon Mar 02 2026 23:30:05 GMT+0000 (Coordinated Universal Time)|2026-03-02 23:30|\
         \"2026-03-02T23:30:05.000Z\"|none|other|later|0"
    );
    let home = get(&site, "/");
    let date = home.text().trim();
    assert!(
        date.ends_with(" GMT+0000 (Coordinated Universal Time)"),
        "{date}"
    );
}

#[test]
fn preview_as_an_anonymous_reader_hides_blocks_for_members() {
    let site = site_with(&[("post.hbs", "{{#post}}{{content}}{{/post}}")]);
    let everyone = "status:free,status:-free";
    let card = json!({"type": "html", "version": 1, "html": "<p>For members.</p>", "visibility": {
        "web": {"nonMember": false, "memberSegment": everyone}, "email": {"memberSegment": everyone}}});
    let document = json!({"root": {"type": "root", "version": 1, "children": [card]}});
    let record = json!({"title": "Draft", "lexical": document.to_string()});
    let sent = json!({ "posts": [record] });
    let added = site.ask("POST", "posts/", Some(&sent)).json();
    let uuid = added["posts"][0]["uuid"].as_str().unwrap();
    for (status, is_shown) in [("anonymous", false), ("free", true), ("paid", true)] {
        let page = get(&site, &format!("/p/{uuid}/?member_status={status}"));
        assert_eq!(page.status, 200, "{status}");
        assert_eq!(page.text().contains("For members."), is_shown, "{status}");
    }
}

#[test]
fn preview_url_with_edit_redirects_to_the_editor() {
    let site = site_with(TEMPLATES);
    let add = |kind: &str, record: serde_json::Value| {
        let sent = json!({ kind: [record] });
        let added = site.ask("POST", &format!("{kind}/"), Some(&sent)).json();
        let field = |name: &str| added[kind][0][name].as_str().unwrap().to_owned();
        (field("uuid"), field("id"))
    };
    let draft = add("posts", json!({"title": "Draft"}));
    let page = add("pages", json!({"title": "Page"}));
    let published = add(
        "posts",
        json!({"title": "Published", "status": "published"}),
    );
    for (path, (uuid, id), kind) in [
        ("p", &draft, "post"),
        ("p", &page, "page"),
        ("p", &published, "post"),
        ("email", &published, "post"),
    ] {
        let response = get(&site, &format!("/{path}/{uuid}/edit/"));
        let location = response.header("location").unwrap_or_default();
        let editor = format!("/ghost/#/editor/{kind}/{id}/");
        assert_eq!(response.status, 302, "{path} {kind}");
        assert!(location.ends_with(&editor), "{location}");
    }
    for path in ["email", "p"] {
        let missing = format!("/{path}/{}/more/", draft.0);
        assert_eq!(get(&site, &missing).status, 404);
    }
    // A draft that was not sent has no `/email/` URL.
    assert_eq!(get(&site, &format!("/email/{}/edit/", draft.0)).status, 404);
}

#[test]
fn page_contains_no_secrets_of_the_site() {
    let index = "{{json @site}}{{json @config}}{{json @labs}}{{json @member}}{{json this}}\
        {{#get \"authors\" include=\"count.posts\"}}{{json authors}}{{/get}}\
        {{#get \"members\"}}{{json members}}{{else}}{{@error}}{{/get}}\
        {{#get \"settings\"}}{{json settings}}{{else}}{{@error}}{{/get}}\
        {{#get \"posts\" filter=\"status:draft\" include=\"authors,tags\" formats=\"html,plaintext,lexical,mobiledoc\"}}\
        {{json posts}}{{/get}}{{#get \"posts\" slug=\"unfinished\"}}{{json posts}}{{/get}}\
        {{#get \"newsletters\"}}{{json newsletters}}{{/get}}";
    let site = site_with(&[("index.hbs", index)]);
    let html = "<p>Open.</p><!--members-only--><p>Gated words.</p>";
    let gated = json!({"title": "Gated", "html": html, "visibility": "members"});
    publish(&site, "posts", gated);
    let draft = json!({"posts": [{"title": "Unfinished draft", "slug": "unfinished"}]});
    site.ask("POST", "posts/", Some(&draft));
    let member = json!({"members": [{"email": "ana@example.com", "name": "Ana Reader"}]});
    site.post_as(&owner(), "/members/", &member);
    let settings = json!({"settings": [{"key": "password", "value": "flood-tide"}]});
    site.put_as(&owner(), "/settings/", &settings);
    let user = site.get_as(&owner(), "/users/me/");
    let owner_email = user["users"][0]["email"].as_str().unwrap();
    let page = get(&site, "/");
    assert_eq!(page.status, 200, "{}", page.text());
    let text = page.text();
    assert!(text.contains("Gated") && text.contains("Open."), "{text}");
    for secret in [
        owner_email,
        "ana@",
        "Ana Reader",
        "Unfinished",
        "flood-tide",
        "Gated words",
        "_secret",
        "public_hash",
    ] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn endless_recursion_ends_with_an_error_page() {
    let endless = [
        ("index.hbs", "{{> \"loop\"}}"),
        ("partials/loop.hbs", "{{> \"loop\"}}"),
        ("tag.hbs", "{{#get \"posts\" limit=\"all\"}}{{/get}}"),
    ];
    let site = site_with(&endless);
    let page = get(&site, "/");
    assert_eq!(page.status, 400, "{}", page.text());
    assert_eq!(site.ask("GET", "site/", None).status, 200);
}
