//! Tests of pages whose URLs are defined in a routes file.

use galley_tests::{Request, TestSite, multipart::Form, owner, request::ADMIN};
use serde_json::json;

use super::{
    get,
    pages::{publish, site_with},
};

pub fn send_routes(site: &TestSite, routes: &str) {
    let form = Form::default().file("routes", "routes.yaml", "text/yaml", routes.as_bytes());
    let request = Request::new("POST", &format!("{ADMIN}/settings/routes/yaml/")).form(form);
    let response = site.ask_as(&owner(), &request);
    assert_eq!(response.status, 200, "{}", response.text());
}

#[test]
fn feed_of_a_theme_replaces_the_default_feed() {
    let site = site_with(&[("feed.hbs", "<feed>{{@site.title}}</feed>")]);
    publish(&site, "posts", json!({"title": "High water"}));
    send_routes(
        &site,
        "routes:\n  /rss/: {template: feed, content_type: text/xml}\n\
         collections:\n  /: {permalink: '/{slug}/'}\n",
    );
    let feed = get(&site, "/rss/");
    assert!(feed.text().starts_with("<feed>"), "{}", feed.text());
    assert_eq!(feed.header("content-type"), Some("text/xml; charset=utf-8"));
    assert!(get(&site, "/feed.json").text().contains("High water"));
}

#[test]
fn feeds_of_a_routed_tag_are_below_the_route() {
    let site = site_with(&[]);
    let tagged = json!({"title": "High water", "tags": [{"name": "Sea"}]});
    publish(&site, "posts", tagged);
    send_routes(
        &site,
        "routes:\n  /shore/: {template: index, data: tag.sea}\n  /: index\n\
         collections:\n  /blog/: {permalink: '/blog/{slug}/'}\n\
         taxonomies: {tag: '/topic/{slug}/', author: '/author/{slug}/'}\n",
    );
    for (path, location) in [
        ("/topic/sea/", "/shore/"),
        ("/topic/sea/rss/", "/shore/rss/"),
        ("/topic/sea/feed/", "/shore/feed/"),
        ("/topic/sea/feed.json", "/shore/feed.json"),
        ("/topic/sea/other/", "/shore/other/"),
    ] {
        let response = get(&site, path);
        let found = (response.status, response.header("location"));
        assert_eq!(found, (301, Some(location)), "{path}");
    }
    assert_eq!(get(&site, "/blog/rss/").status, 200);
    // A home page that is not a collection has no feed.
    for path in ["/rss/", "/feed/", "/shore/rss/"] {
        assert_eq!(get(&site, path).status, 404, "{path}");
    }
}

#[test]
fn post_in_no_collection_redirects_to_the_missing_page() {
    let site = site_with(&[]);
    publish(&site, "posts", json!({"title": "High water"}));
    publish(
        &site,
        "posts",
        json!({"title": "Low water", "featured": true}),
    );
    send_routes(
        &site,
        "collections:\n  /tides/: {permalink: '/tides/{slug}/', filter: 'featured:true'}\n",
    );
    assert_eq!(get(&site, "/tides/low-water/").status, 200);
    let other = get(&site, "/tides/high-water/");
    assert_eq!(
        (other.status, other.header("location")),
        (301, Some("/404/"))
    );
    assert_eq!(get(&site, "/404/").status, 404);
    assert_eq!(get(&site, "/high-water/").status, 404);
}

#[test]
fn routes_are_in_the_sitemap_in_their_order() {
    let site = site_with(&[]);
    send_routes(
        &site,
        "routes:\n  /shop/: index\n  /about/: index\n\
         collections:\n  /tides/: {permalink: '/tides/{slug}/'}\n",
    );
    let sitemap = get(&site, "/sitemap-pages.xml");
    let text = sitemap.text();
    let at = |path: &str| text.find(path).unwrap_or_else(|| panic!("{path}: {text}"));
    assert!(at("/shop/") < at("/about/") && at("/about/") < at("/tides/"));
}

#[test]
fn order_by_an_unavailable_field_is_creation_order() {
    let slugs = "{{#foreach tags}}{{slug}} {{/foreach}}{{/get}}";
    let index = [
        "{{#get \"tags\"}}",
        slugs,
        "|{{#get \"tags\" order=\"count.posts desc\"}}",
        slugs,
        "|{{#get \"tags\" order=\"count.posts desc\" limit=\"1\" page=\"2\"}}",
        slugs,
        "|{{#get \"tags\" order=\"count.posts desc\" include=\"count.posts\"}}",
        slugs,
    ]
    .concat();
    let site = site_with(&[("index.hbs", &index)]);
    let tagged = |tags: &[&str]| {
        let tags: Vec<_> = tags.iter().map(|name| json!({ "name": name })).collect();
        json!({"title": "Tide", "tags": tags})
    };
    publish(&site, "posts", tagged(&["West"]));
    publish(&site, "posts", tagged(&["East"]));
    publish(&site, "posts", tagged(&["North", "East"]));
    let page = get(&site, "/");
    let lists: Vec<&str> = page.text().split('|').map(str::trim).collect();
    assert_eq!(lists[..3], ["east north west", "west east north", "east"]);
    assert!(lists[3].starts_with("east "), "{}", lists[3]);
}

#[test]
fn page_size_of_a_list_is_that_of_its_route_or_theme() {
    let list = "{{pagination.page}}/{{pagination.pages}} {{pagination.total}} {{pagination.limit}} \
        {{@config.posts_per_page}} {{#foreach posts}}.{{/foreach}}";
    let site = site_with(&[
        (
            "package.json",
            r#"{"name": "tide", "version": "1.0.0", "author": {"email": "a@example.com"}, "config": {"posts_per_page": 102}}"#,
        ),
        ("index.hbs", list),
        ("author.hbs", list),
        ("records.hbs", "{{#foreach tides}}.{{/foreach}}"),
    ]);
    for number in 1..=103 {
        publish(&site, "posts", json!({"title": format!("Tide {number}")}));
    }
    send_routes(
        &site,
        "routes:\n  /all/: {controller: channel, limit: all}\n  /many/: {controller: channel, limit: 101}\n  \
         /records/: {template: records, data: {tides: {type: browse, resource: posts, limit: all}}}\n\
         collections:\n  /: {permalink: '/{slug}/'}\ntaxonomies:\n  author: /author/{slug}/\n",
    );
    let dots = |count| ".".repeat(count);
    let posts = site.ask("GET", "posts/?include=authors&limit=1", None);
    let author = posts.json()["posts"][0]["primary_author"]["slug"].to_string();
    let of_author = format!("/author/{}/", author.trim_matches('"'));
    for (path, expected) in [
        ("/all/", format!("1/1 103 all all {}", dots(103))),
        ("/many/", format!("1/2 103 101 101 {}", dots(101))),
        ("/many/page/2/", format!("2/2 103 101 101 {}", dots(2))),
        ("/", format!("1/2 103 102 102 {}", dots(102))),
        (&of_author, format!("1/2 103 102 102 {}", dots(102))),
        ("/records/", dots(103)),
    ] {
        assert_eq!(get(&site, path).text(), expected, "{path}");
    }
    assert_eq!(get(&site, "/all/page/2/").status, 404);
}

#[test]
fn route_has_publication_dates_if_its_name_contains_the_record_type() {
    let site = site_with(&[("post.hbs", "{{ghost_head}}")]);
    publish(&site, "pages", json!({"title": "High water"}));
    publish(&site, "posts", json!({"title": "Low water"}));
    let route = |path: &str, data: &str| format!("  {path}: {{template: post, data: {data}}}\n");
    let routes: String = [
        route("/high-page/", "page.high-water"),
        route("/landing-pages/", "page.high-water"),
        route("/signpost/", "post.low-water"),
        route("/two/", "page.high-water"),
    ]
    .concat();
    send_routes(
        &site,
        &format!("routes:\n{routes}collections:\n  /: {{permalink: '/{{slug}}/'}}\n"),
    );
    for (path, has_dates) in [
        ("/high-page/", true),
        ("/landing-pages/", true),
        ("/signpost/", true),
        ("/two/", false),
    ] {
        let head = get(&site, path);
        for date in ["article:published_time", "\"datePublished\""] {
            assert_eq!(head.text().contains(date), has_dates, "{path}: {date}");
        }
        assert!(head.text().contains("article:modified_time"), "{path}");
    }
}

#[test]
fn only_the_message_for_a_missing_list_page_ends_with_a_full_stop() {
    let site = site_with(&[("error.hbs", "{{message}}")]);
    publish(&site, "posts", json!({"title": "High water"}));
    send_routes(
        &site,
        "routes:\n  /gone/: {template: index, data: page.gone}\n  /gone-list/: {controller: channel, data: page.gone}\n\
         collections:\n  /tides/: {permalink: '/tides/{slug}/'}\ntaxonomies:\n  tag: /tag/{slug}/\n",
    );
    for (path, message) in [
        ("/tides/page/2/", "Page not found."),
        ("/tides/page/0/", "Page not found."),
        ("/nowhere/page/2/", "Page not found"),
        ("/page/02/", "Page not found"),
        ("/tides/rss/page/2/", "Page not found"),
        ("/tag/none/page/2/", "Page not found"),
        ("/gone/", "Page not found"),
        ("/gone-list/", "Page not found"),
    ] {
        let page = get(&site, path);
        assert_eq!((page.status, page.text().trim()), (404, message), "{path}");
    }
}
