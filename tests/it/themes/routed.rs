//! Tests of pages whose addresses a routes file gives.

use galley_tests::{Request, TestSite, multipart::Form, owner, request::ADMIN};
use serde_json::json;

use super::{
    get,
    pages::{publish, site_with},
};

fn send_routes(site: &TestSite, routes: &str) {
    let form = Form::default().file("routes", "routes.yaml", "text/yaml", routes.as_bytes());
    let ask = Request::new("POST", &format!("{ADMIN}/settings/routes/yaml/")).form(form);
    let response = site.ask_as(&owner(), &ask);
    assert_eq!(response.status, 200, "{}", response.text());
}

#[test]
fn feed_of_a_theme_replaces_that_of_the_site() {
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
fn feeds_of_a_tag_that_a_route_shows_are_below_the_route() {
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
    // The home page is not a list.
    for path in ["/rss/", "/feed/", "/shore/rss/"] {
        assert_eq!(get(&site, path).status, 404, "{path}");
    }
}

#[test]
fn post_in_no_collection_leads_to_the_page_that_is_missing() {
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
fn pages_of_routes_are_in_the_sitemap_in_their_order() {
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
fn order_by_what_is_unknown_is_that_of_creation() {
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
