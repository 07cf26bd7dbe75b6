//! Tests that pages of hostile themes end soon, with an error page that has the position, and with little memory.

use std::time::{Duration, Instant};

use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::json;

use super::{
    activate, get,
    pages::{publish, site_with},
    theme_with, upload,
};

/// The longest time of a page: the limit of the page and that of its error page, twice for machines with more work.
const LONGEST: Duration = Duration::from_secs(20);

/// Activates a theme with this home page and these files, and returns the home page.
fn home(site: &TestSite, index: &str, files: &[(&str, &str)]) -> HttpResponse {
    let files = [&[("index.hbs", index)], files].concat();
    let uploaded = upload(site, "tide.zip", &theme_with(&files));
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    activate(site, "tide");
    let started = Instant::now();
    let page = get(site, "/");
    let time = started.elapsed();
    assert!(time < LONGEST, "{time:?}: {index}");
    page
}

/// A text of a mebibyte, made without one in the theme.
const LONG: &str = "{{> \"double\" x=\"aaaaaaaaaaaaaaaa\"}}";

#[test]
fn texts_that_grow_without_being_written_end_at_a_limit() {
    let site = site_with(&[]);
    let double = "{{> \"double\" x=(concat x x)}}";
    for (index, partial) in [
        (LONG, double),
        (LONG, "{{> \"double\" x=(t \"{a}{a}{a}{a}\" a=x)}}"),
        (
            LONG,
            "{{> \"double\" x=(concat (split x separator=\"a\") x separator=x)}}",
        ),
        (LONG, "{{> \"double\" x=(encode (concat x x))}}"),
        (
            LONG,
            "{{#contentFor \"b\"}}{{{x}}}{{/contentFor}}{{> \"double\" x=(block \"b\")}}",
        ),
        (
            "{{> \"double\"}}",
            "{{#if @index}}{{/if}}{{> \"double\" a=this b=this c=(json this)}}",
        ),
        (
            "{{> \"double\" a=this}}",
            "{{json this}}{{> \"double\" a=this b=this}}",
        ),
        (
            LONG,
            "{{#foreach x}}{{/foreach}}{{> \"double\" x=(concat x x)}}",
        ),
        (
            LONG,
            "{{tags separator=x}}{{> \"double\" x=(concat x x) tags=(split (concat x x) separator=\"\")}}",
        ),
        (
            LONG,
            "{{#link href=x a=x b=x c=x d=x}}{{/link}}{{> \"double\" x=(concat x x)}}",
        ),
    ] {
        let page = home(&site, index, &[("partials/double.hbs", partial)]);
        assert_eq!(page.status, 400, "{partial}: {}", page.text());
    }
    assert_eq!(site.ask("GET", "site/", None).status, 200);
}

#[test]
fn loops_end_in_time() {
    let site = site_with(&[]);
    let body = format!("<p>{}</p>", "Some words. ".repeat(20_000));
    publish(&site, "posts", json!({"title": "Long", "html": body}));
    let each = "{{#foreach (split \"a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a\" separator=\",\")}}";
    let nested = |inside: &str| format!("{}{inside}{}", each.repeat(5), "{{/foreach}}".repeat(5));
    for inside in [
        "{{#if @first}}{{/if}}",
        "{{#foreach @root.posts}}{{#if html}}{{/if}}{{/foreach}}",
        "{{#foreach @root.posts}}{{#if (content words=\"100000\")}}{{/if}}{{/foreach}}",
        "{{#get \"posts\" limit=\"100\" include=\"tags,authors\" formats=\"plaintext,html\"}}{{/get}}",
        "{{#with this as |me|}}{{#with @root}}{{#if (pagination x=me)}}{{/if}}{{/with}}{{/with}}",
        "{{#if (date format=\"LLLL LLLL LLLL LLLL\")}}{{/if}}",
        "{{total_members}}{{total_paid_members}}",
    ] {
        home(&site, &nested(inside), &[]);
    }
    assert_eq!(site.ask("GET", "site/", None).status, 200);
}

#[test]
fn pages_in_memory_stay_fast_beside_pages_that_take_long() {
    let many = "{{#foreach \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}";
    let post = format!(
        "{}{{{{#if a}}}}{{{{/if}}}}{}",
        many.repeat(4),
        "{{/foreach}}".repeat(4)
    );
    let site = site_with(&[("index.hbs", "home"), ("post.hbs", &post)]);
    publish(&site, "posts", json!({"title": "Long", "slug": "long"}));
    assert_eq!(get(&site, "/").text(), "home");
    std::thread::scope(|scope| {
        let long = || assert_eq!(get(&site, "/long/").status, 400);
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(long)).collect();
        std::thread::sleep(Duration::from_millis(200));
        let started = Instant::now();
        assert_eq!(get(&site, "/").text(), "home");
        let time = started.elapsed();
        assert!(time < Duration::from_secs(2), "{time:?}");
        assert!(threads.iter().any(|thread| !thread.is_finished()));
    });
}

#[test]
fn objects_that_hold_each_other_are_few() {
    let site = site_with(&[]);
    let each = "{{#each @site}}".repeat(3);
    let end = "{{/each}}".repeat(3);
    let index = format!("{each}{{{{> \"chain\" a=@root.x}}}}{end}");
    let chain =
        "{{#with this as |me|}}{{#with @root}}{{#if (pagination x=me)}}{{/if}}{{/with}}{{/with}}";
    let files = [
        ("partials/chain.hbs", chain),
        ("partials/pagination.hbs", "-"),
    ];
    home(&site, &index, &files);
    assert_eq!(site.ask("GET", "site/", None).status, 200);
}
