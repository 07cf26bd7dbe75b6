//! Tests of responses that the event loop sends itself, since everything needed is in memory.

use bytes::Bytes;
use galley::{
    api::{handler::Handler, request::Request, response},
    domain::post::{Body, Post},
    site::Transaction,
};
use http::header::CONTENT_ENCODING;
use serde_json::Value;

use super::relative_dates::{DatedSite, site_at};

fn new_site() -> DatedSite {
    site_at("2024-04-01T12:00:00Z")
}

/// A site of which the bodies are in memory.
fn site_in_memory() -> DatedSite {
    let site = new_site();
    site.respond("posts/");
    site
}

/// The post of this slug, to be changed.
fn post(change: &Transaction, slug: &str) -> Post {
    Post::clone(change.catalog().posts.by_slug(slug).unwrap())
}

fn html(reply: &Value) -> &str {
    reply["posts"][0]["html"].as_str().unwrap()
}

#[test]
fn bodies_are_loaded_by_a_worker_and_cached() {
    for endpoint in [
        "posts/?filter=slug:-winter",
        "posts/?include=tags,authors&order=slug%20asc",
        "posts/slug/spring/",
        "posts/slug/spring/?include=tags,authors",
    ] {
        let site = new_site();
        assert!(site.reply_at_once(endpoint).is_none(), "{endpoint}");
        let by_worker = site.respond("posts/");
        assert_eq!(by_worker["posts"].as_array().map(Vec::len), Some(3));
        let at_once = site.reply_at_once(endpoint);
        let expected = new_site().respond(endpoint);
        assert_eq!(at_once, Some(expected), "{endpoint}");
        let other_form = format!("{endpoint}{}formats=plaintext", joint(endpoint));
        assert!(site.reply_at_once(&other_form).is_none(), "{endpoint}");
    }
}

fn joint(endpoint: &str) -> &'static str {
    if endpoint.contains('?') { "&" } else { "?" }
}

#[test]
fn request_without_bodies_gets_an_inline_response() {
    let site = new_site();
    for endpoint in [
        "posts/?fields=slug,title",
        "posts/?fields=slug&filter=title:~'in'&order=slug%20asc",
        "authors/?include=count.posts",
        "tags/",
        "settings/",
        "tiers/?include=benefits",
        "search-index/posts/",
    ] {
        let at_once = site.reply_at_once(endpoint);
        assert!(at_once.is_some(), "{endpoint}");
        assert_eq!(
            at_once,
            Some(site_in_memory().respond(endpoint)),
            "{endpoint}"
        );
    }
}

#[test]
fn unusual_request_is_left_to_a_worker() {
    let site = site_in_memory();
    let long = format!("posts/?filter=slug:%5B{}%5D", vec!["spring"; 200].join(","));
    for endpoint in [
        "posts",
        "posts/slug/nosuch/",
        "posts/?limit=-1",
        "posts/?filter=((",
        "posts/?filter=published_at:%3Enow-1d",
        "posts/?key=another",
        "changes/",
        &long,
    ] {
        assert!(site.reply_at_once(endpoint).is_none(), "{endpoint}");
    }
}

#[test]
fn change_keeps_the_bodies_of_other_posts_cached() {
    let site = site_in_memory();
    site.site
        .write(|change| {
            let mut post = post(change, "winter");
            post.title = "Cold".into();
            change.update_post(post)
        })
        .unwrap();
    assert!(site.reply_at_once("posts/slug/spring/").is_some());
    assert!(site.reply_at_once("posts/slug/winter/").is_none());
    assert_eq!(
        site.respond("posts/slug/winter/")["posts"][0]["title"],
        "Cold"
    );
}

#[test]
fn change_of_only_the_body_is_visible() {
    let site = site_in_memory();
    site.site
        .write(|change| {
            let post = post(change, "spring");
            let body = Body {
                html: Some("<p>It rained.</p>".to_owned()),
                lexical: None,
                public_excerpt: post.public_excerpt.clone(),
                reading_time: post.reading_time,
            };
            change.save_post_of_file(post, body)
        })
        .unwrap();
    assert!(site.reply_at_once("posts/slug/spring/").is_none());
    let reply = site.respond("posts/slug/spring/");
    assert_eq!(html(&reply), "<p>It rained.</p>");
    assert_eq!(html(&site.respond("posts/")), "<p>It rained.</p>");
}

/// A site of which one post has this body, and all bodies are in memory.
fn site_with_spring(html: String) -> DatedSite {
    let site = site_in_memory();
    site.site
        .write_once(|change| {
            let post = post(change, "spring");
            let body = Body {
                html: Some(html),
                lexical: None,
                public_excerpt: None,
                reading_time: None,
            };
            change.save_post_of_file(post, body)
        })
        .unwrap();
    site.respond("posts/");
    site
}

#[test]
fn repeated_long_response_is_sent_by_the_kernel() {
    let site = site_with_spring(format!("<p>{}</p>", "It rained. ".repeat(4000)));
    let endpoint = "posts/slug/spring/?include=tags";

    let first = site.response_at_once(endpoint).unwrap();
    let second = site.response_at_once(endpoint).unwrap();

    assert!(matches!(first.body, response::Body::Bytes(_)));
    assert!(matches!(second.body, response::Body::Sendfile { .. }));
}

#[test]
fn long_compressed_response_is_sent_by_the_kernel() {
    let repeated = "It rained. ".repeat(4000);
    let never_the_same: String = (1..4000_u32)
        .map(|number| number.wrapping_mul(2_654_435_761).to_string())
        .collect();
    for (text, is_long_still) in [(repeated, false), (never_the_same, true)] {
        let site = site_with_spring(format!("<p>{text}</p>"));
        let head = site.gzip_head("posts/slug/spring/");
        let compressed = site.api().respond_alone(&Request {
            head: head.clone(),
            body: Bytes::new(),
        });

        let again = site
            .api()
            .respond_from_memory(&head.head_ref())
            .ok()
            .unwrap();

        assert_eq!(again.headers.get(&CONTENT_ENCODING).unwrap(), "gzip");
        assert_eq!(again.body.length(), compressed.body.length());
        let is_copied = matches!(again.body, response::Body::Sendfile { .. });
        assert_eq!(is_copied, is_long_still);
    }
}

#[test]
fn bodies_are_rendered_again_for_another_site_url() {
    let site = site_in_memory();
    site.site
        .write(|change| {
            let post = post(change, "spring");
            let body = Body {
                html: Some("<p><a href=\"__GHOST_URL__/winter/\">Before</a></p>".to_owned()),
                lexical: None,
                public_excerpt: None,
                reading_time: None,
            };
            change.save_post_of_file(post, body)
        })
        .unwrap();
    for url in ["https://one.example", "https://two.example/blog"] {
        site.site
            .write(|change| change.edit_settings([("url".to_owned(), url.into())].into()))
            .unwrap();
        let reply = site.respond("posts/slug/spring/");
        assert!(
            html(&reply).contains(&format!("\"{url}/winter/\"")),
            "{reply}"
        );
    }
}
