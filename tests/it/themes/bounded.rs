//! Tests that pages of hostile themes end quickly with an error page, and use little memory.

use std::time::{Duration, Instant};

use galley_tests::{TestSite, http_client::HttpResponse};
use serde_json::json;

use super::{
    activate, get,
    pages::{publish, site_with},
    theme_with, upload,
};

/// The longest time of a request: the limits of the page and of its error page, doubled for busy machines.
const TIME_MAX: Duration = Duration::from_secs(20);

/// Activates a theme with these files, and returns its home page after asserting its time.
fn home(site: &TestSite, index: &str, files: &[(&str, &str)]) -> HttpResponse {
    let files = [&[("index.hbs", index)], files].concat();
    let uploaded = upload(site, "tide.zip", &theme_with(&files));
    assert_eq!(uploaded.status, 200, "{}", uploaded.text());
    activate(site, "tide");
    let started = Instant::now();
    let page = get(site, "/");
    let time = started.elapsed();
    assert!(time < TIME_MAX, "{time:?}: {index}");
    page
}

/// A call of the partial `double`, which doubles the value `x` recursively.
const DOUBLE: &str = "{{> \"double\" x=\"aaaaaaaaaaaaaaaa\"}}";

#[test]
fn growing_values_that_are_not_output_are_limited() {
    let site = site_with(&[]);
    let double = "{{> \"double\" x=(concat x x)}}";
    for (index, partial) in [
        (DOUBLE, double),
        (DOUBLE, "{{> \"double\" x=(t \"{a}{a}{a}{a}\" a=x)}}"),
        (
            DOUBLE,
            "{{> \"double\" x=(concat (split x separator=\"a\") x separator=x)}}",
        ),
        (DOUBLE, "{{> \"double\" x=(encode (concat x x))}}"),
        (
            DOUBLE,
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
            DOUBLE,
            "{{#foreach x}}{{/foreach}}{{> \"double\" x=(concat x x)}}",
        ),
        (
            DOUBLE,
            "{{tags separator=x}}{{> \"double\" x=(concat x x) tags=(split (concat x x) separator=\"\")}}",
        ),
        (
            DOUBLE,
            "{{#link href=x a=x b=x c=x d=x}}{{/link}}{{> \"double\" x=(concat x x)}}",
        ),
    ] {
        let page = home(&site, index, &[("partials/double.hbs", partial)]);
        assert_eq!(page.status, 400, "{partial}: {}", page.text());
    }
    assert_eq!(site.ask("GET", "site/", None).status, 200);
}

#[test]
fn nested_loops_end_in_time() {
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
fn cached_pages_stay_fast_next_to_slow_pages() {
    let each = "{{#foreach \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\"}}";
    let post = format!(
        "{}{{{{#if a}}}}{{{{/if}}}}{}",
        each.repeat(4),
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
fn contexts_that_contain_each_other_are_limited() {
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
