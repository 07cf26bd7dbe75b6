//! Tests of pages that change with time, although nothing is published.

use std::{collections::BTreeMap, fs};

use galley::{
    admin::routes_file,
    api::{Options, files::FileRoots},
    clock::Clock,
    domain::{actor::Actor, post::Body},
};
use galley_tests::{
    api_reader::{ApiReader, bytes_of},
    clocked_site::ClockedSite,
    site_records::post,
};
use jiff::SignedDuration;
use serde_json::json;
use tempfile::TempDir;

/// Returns a site whose theme has this home page, and a reader of its pages. The theme is in the folder.
fn site_with(index: &str) -> (ClockedSite, ApiReader, TempDir) {
    let folder = TempDir::new().unwrap();
    let theme = folder.path().join("themes/tide");
    fs::create_dir_all(&theme).unwrap();
    fs::write(theme.join("index.hbs"), index).unwrap();
    fs::write(theme.join("package.json"), r#"{"name": "tide"}"#).unwrap();
    let clocked = ClockedSite::new();
    let settings = BTreeMap::from([("active_theme".to_owned(), json!("tide"))]);
    clocked
        .site
        .write_once(|transaction| transaction.edit_settings(settings))
        .unwrap();
    let options = Options {
        files: FileRoots::in_data(folder.path()),
        ..Options::default()
    };
    let reader = ApiReader::new(&clocked.site, options);
    (clocked, reader, folder)
}

fn home(reader: &ApiReader) -> String {
    let page = String::from_utf8(bytes_of(reader.get("/"))).unwrap();
    page.trim().to_owned()
}

#[test]
fn page_with_the_time_is_rendered_again_after_a_minute() {
    let (clocked, reader, _folder) = site_with("{{date format=\"HH:mm\"}}");
    assert_eq!(home(&reader), "03:04");
    clocked.advance_clock(SignedDuration::from_secs(50));
    assert_eq!(home(&reader), "03:04", "the page is cached");
    clocked.advance_clock(SignedDuration::from_secs(20));
    assert_eq!(home(&reader), "03:05");
}

#[test]
fn page_with_a_time_filter_is_rendered_again_after_a_minute() {
    let (clocked, reader, _folder) =
        site_with("{{#get \"posts\" filter=\"published_at:>now-1h\"}}{{pagination.total}}{{/get}}");
    let mut post = post("new", 0);
    post.published_at = Some(clocked.clock.now());
    clocked
        .site
        .write(|transaction| transaction.save_post(post.clone(), Body::default()))
        .unwrap();
    assert_eq!(home(&reader), "1");
    clocked.advance_clock(SignedDuration::from_hours(2));
    assert_eq!(home(&reader), "0");
}

#[test]
fn feed_with_a_time_filter_follows_the_clock_of_the_site() {
    let (clocked, reader, _folder) = site_with("");
    let routes = "routes:\n  /recent/: {controller: channel, filter: 'published_at:>now-1h'}\n\
                  collections:\n  /: {permalink: '/{slug}/'}\n";
    routes_file::upload(&clocked.site, &Actor::Operator, routes.as_bytes()).unwrap();
    let mut post = post("new", 0);
    post.published_at = Some(clocked.clock.now());
    clocked
        .site
        .write(|transaction| transaction.save_post(post.clone(), Body::default()))
        .unwrap();
    let items = || {
        let feed = bytes_of(reader.get("/recent/feed.json"));
        let feed: serde_json::Value = serde_json::from_slice(&feed).unwrap();
        feed["items"].as_array().unwrap().len()
    };

    assert_eq!(items(), 1);
    clocked.advance_clock(SignedDuration::from_hours(2));
    assert_eq!(items(), 0);
}
