//! Tests of the paths of records, and of the records at paths.

use std::sync::Arc;

use jiff::Timestamp;
use uuid::Uuid;

use super::{BoundRoutes, DEFAULT_FILE, FeedOf, Resolution, RoutedList, parse};
use crate::{
    catalog::Catalog,
    domain::{
        post::{Post, PostKind, Status},
        setting::Settings,
        tag::Tag,
        user::User,
    },
    id::Id,
};

/// Routes of every kind.
const ROUTES: &str = r#"
routes:
  /about-routes/:
    template: page
    data: page.about-us
  /with-tag/:
    template: index
    data: tag.archive
  /featured/:
    controller: channel
    filter: featured:true
  /letters-channel/:
    controller: channel
    data: tag.lodz
    rss: false
  /many/:
    data:
      highlight: {type: read, resource: posts, slug: harbour-lights, redirect: false}
  /by/:slug/: index
collections:
  /journal/:
    permalink: /journal/{year}/{month}/{slug}/
    filter: primary_tag:letters
  /gardens/:
    permalink: /gardens/{primary_author}/{slug}/
    filter: tag:gardens
    rss: false
  /:
    permalink: /{primary_tag}/{slug}/
    filter: slug:-nowhere
taxonomies:
  tag: /topic/{slug}/
  author: /writer/{slug}/
"#;

fn id(name: &str) -> Id {
    Id::derive("test", name)
}

fn post(slug: &str, kind: PostKind, tags: &[&str]) -> Post {
    let published: Timestamp = "2026-02-28T23:30:00Z".parse().unwrap();
    Post {
        slug: slug.into(),
        status: Status::Published,
        published_at: Some(published),
        tags: tags.iter().map(|tag| id(tag)).collect(),
        authors: vec![id("ada")],
        ..Post::draft(id(slug), Uuid::nil(), kind, published)
    }
}

fn site(file: &str) -> Catalog {
    let mut catalog = Catalog::default();
    catalog.routes = Arc::new(parse(file).unwrap());
    for slug in ["letters", "gardens", "archive", "lodz", "empty"] {
        let tag = Tag::new(id(slug), slug, slug, Timestamp::UNIX_EPOCH);
        catalog.tags.put(tag);
    }
    catalog
        .users
        .put(User::new(id("ada"), "ada", "Ada", Timestamp::UNIX_EPOCH));
    for (slug, tags) in [
        ("harbour-lights", &["letters", "gardens"][..]),
        ("for-paid", &["archive", "gardens"]),
        ("plain", &[]),
        ("nowhere", &["archive"]),
    ] {
        catalog.posts.put(post(slug, PostKind::Post, tags));
    }
    for slug in ["about-us", "contact"] {
        catalog.posts.put(post(slug, PostKind::Page, &[]));
    }
    catalog
}

/// Returns the name of the page or the location at a path.
fn found(catalog: &Catalog, path: &str) -> String {
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path, None),
    };
    match BoundRoutes::of(catalog).resolve(catalog, path, query) {
        Resolution::Collection { index, page, slug } => {
            format!("collection {index}.{page}{slug:?}")
        }
        Resolution::Channel { index, page, slug } => format!("channel {index}.{page}{slug:?}"),
        Resolution::StaticRoute { index, slug } => format!("route {index} {slug:?}"),
        Resolution::Tag { tag, page } => {
            format!("tag {}.{page}", catalog.tags.get(tag).unwrap().slug)
        }
        Resolution::Author { page, .. } => format!("author {page}"),
        Resolution::Entry(post) => format!("entry {}", catalog.posts.get(post).unwrap().slug),
        Resolution::Rss(feed) => match feed {
            FeedOf::List(RoutedList::Collection(index)) => format!("feed of collection {index}"),
            FeedOf::List(RoutedList::Channel(index)) => format!("feed of channel {index}"),
            FeedOf::Tag(_) => "feed of tag".to_owned(),
            FeedOf::Author(_) => "feed of author".to_owned(),
        },
        Resolution::Redirect {
            location,
            permanent: true,
        } => location,
        Resolution::Redirect {
            location,
            permanent: false,
        } => format!("{location} for now"),
        Resolution::Editor(fragment) => format!("editor {fragment}"),
        Resolution::NoSuchPage => "no such page".to_owned(),
        Resolution::NotFound => "nothing".to_owned(),
    }
}

#[track_caller]
fn check(catalog: &Catalog, expected: &[(&str, &str)]) {
    for (path, page) in expected {
        assert_eq!(found(catalog, path), *page, "{path}");
    }
}

#[test]
fn default_routes_are_those_of_ghost() {
    let catalog = site(DEFAULT_FILE);
    let edited = format!("editor /editor/post/{}/", id("plain"));
    check(
        &catalog,
        &[
            ("/", "collection 0.1None"),
            ("/page/2/", "collection 0.2None"),
            ("/page/1/?a=b", "/?a=b"),
            ("/page/0/", "no such page"),
            ("/page/x/", "nothing"),
            ("/page/99999999999999999999999/", "no such page"),
            ("/rss/", "feed of collection 0"),
            ("/feed/", "/rss/"),
            ("/plain/", "entry plain"),
            ("//plain/", "entry plain"),
            ("/plain", "/plain/"),
            ("/plain?a=b", "/plain/?a=b"),
            ("//evil.example", "/evil.example/"),
            ("/\\evil.example", "/evil.example/"),
            ("/PLAIN/", "/plain/"),
            ("/Plain", "/Plain/"),
            ("/pl%61in/", "/plain/"),
            ("/plain/amp/", "/plain/"),
            ("/plain/amp", "/plain/amp/"),
            ("/plain/edit/", &edited),
            ("/plain/else/", "nothing"),
            ("/%ff/", "nothing"),
            ("/index.hbs", "/index.hbs/"),
            ("/contact/", "entry contact"),
            ("/contact/rss/", "nothing"),
            ("/tag/letters/", "tag letters.1"),
            ("/tag/letters/page/2/", "tag letters.2"),
            ("/tag/letters/page/1/", "/tag/letters/"),
            ("/tag/letters/rss/", "feed of tag"),
            ("/tag/letters/feed/", "/tag/letters/rss/"),
            ("/tag/letters/edit/", "editor /tags/letters/"),
            ("/tag/empty/", "nothing"),
            ("/tag/empty/rss/", "nothing"),
            ("/tag/", "nothing"),
            ("/author/ada/", "author 1"),
            ("/author/ada/edit/", "editor /settings/staff/ada/"),
            ("/author/unknown/", "nothing"),
        ],
    );
}

#[test]
fn pages_are_where_the_routes_say() {
    check(
        &site(ROUTES),
        &[
            ("/", "collection 2.1None"),
            ("/about-routes/", "route 0 None"),
            ("/featured/page/2/", "channel 2.2None"),
            ("/featured/rss/", "feed of channel 2"),
            ("/letters-channel/rss/", "nothing"),
            ("/by/anyone/", r#"route 5 Some("anyone")"#),
            ("/journal/", "collection 0.1None"),
            ("/journal/page/3/", "collection 0.3None"),
            ("/gardens/rss/", "nothing"),
            ("/journal/2026/02/harbour-lights/", "entry harbour-lights"),
            ("/archive/plain/", "/all/plain/"),
            ("/all/plain/", "entry plain"),
            ("/topic/letters/", "tag letters.1"),
            ("/tag/letters/", "nothing"),
            ("/harbour-lights/", "nothing"),
            ("/archive/nowhere/", "/404/"),
            ("/contact/", "entry contact"),
        ],
    );
}

#[test]
fn wrong_parts_of_a_path_and_claimed_records_redirect() {
    check(
        &site(ROUTES),
        &[
            (
                "/journal/2025/02/harbour-lights/?a=b",
                "/journal/2026/02/harbour-lights/?a=b",
            ),
            ("/gardens/imke/for-paid/", "/gardens/ada/for-paid/"),
            ("/about-us/", "/about-routes/"),
            ("/topic/archive/", "/with-tag/"),
            ("/topic/archive/page/2/?a", "/with-tag/page/2/?a"),
            ("/topic/lodz/rss/", "/letters-channel/rss/"),
            ("/topic/archive/rss/", "/with-tag/rss/"),
            ("/topic/archive/other/", "/with-tag/other/"),
        ],
    );
}

#[test]
fn routes_take_precedence_over_the_feeds_of_other_lists() {
    let file = "\
routes:
  /rss/: {template: rss, content_type: text/xml}
  /letters/rss/: letters-feed
  /featured/: {controller: channel}
  /featured/rss/: featured-feed
collections:
  /letters/: {permalink: '/letters/{slug}/', filter: 'tag:letters'}
  /: {permalink: '/{slug}/'}
taxonomies: {tag: '/tag/{slug}/', author: '/author/{slug}/'}
";
    let catalog = site(file);
    check(
        &catalog,
        &[
            ("/rss/", "route 0 None"),
            ("/letters/rss/", "route 1 None"),
            ("/featured/rss/", "feed of channel 2"),
            ("/tag/letters/rss/", "feed of tag"),
        ],
    );
    let routes = BoundRoutes::of(&catalog);
    let is_route = |path: &str| routes.is_of_a_route(path);
    assert!(is_route("/rss/") && is_route("/letters/rss/"));
    assert!(!is_route("/letters/") && !is_route("/tag/letters/rss/"));
}

#[test]
fn site_has_a_feed_if_its_home_page_is_a_list_with_one() {
    let blog = "collections:\n  /blog/: {permalink: '/blog/{slug}/'}\n";
    for (file, has_feed) in [
        (
            "collections:\n  /: {permalink: '/{slug}/'}\n".to_owned(),
            true,
        ),
        (
            format!("routes:\n  /: {{controller: channel}}\n{blog}"),
            true,
        ),
        (
            "collections:\n  /: {permalink: '/{slug}/', rss: false}\n".to_owned(),
            false,
        ),
        (format!("routes:\n  /: home\n{blog}"), false),
        (blog.to_owned(), false),
    ] {
        let catalog = site(&file);
        let routes = BoundRoutes::of(&catalog);
        assert_eq!(routes.has_feed_of_site(), has_feed, "{file}");
    }
}

#[test]
fn dates_in_paths_are_those_of_the_time_zone() {
    let mut catalog = site(ROUTES);
    let zone = serde_json::json!("Europe/Warsaw");
    catalog.settings = Arc::new(Settings::with_file(
        [("timezone".to_owned(), zone)].into(),
        Default::default(),
    ));
    let routes = BoundRoutes::of(&catalog);
    let path = routes.post_path(catalog.posts.by_slug("harbour-lights").unwrap());
    assert_eq!(path.as_deref(), Some("/journal/2026/03/harbour-lights/"));
}

#[test]
fn posts_in_no_collection_have_no_path() {
    let catalog = site(ROUTES);
    let routes = BoundRoutes::of(&catalog);
    assert_eq!(
        routes.post_path(catalog.posts.by_slug("nowhere").unwrap()),
        None
    );
}
