//! Tests of responses that the event loop sends without a worker, because all required data are in memory.

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

/// Creates a site whose bodies are all in memory.
fn site_in_memory() -> DatedSite {
    let site = new_site();
    site.respond("posts/");
    site
}

/// Returns a copy of the post with this slug, for a change.
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
        assert!(site.inline_json(endpoint).is_none(), "{endpoint}");
        let by_worker = site.respond("posts/");
        assert_eq!(by_worker["posts"].as_array().map(Vec::len), Some(3));
        let inline = site.inline_json(endpoint);
        let expected = new_site().respond(endpoint);
        assert_eq!(inline, Some(expected), "{endpoint}");
        let other_form = format!("{endpoint}{}formats=plaintext", query_separator(endpoint));
        assert!(site.inline_json(&other_form).is_none(), "{endpoint}");
    }
}

fn query_separator(endpoint: &str) -> &'static str {
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
        let inline = site.inline_json(endpoint);
        assert!(inline.is_some(), "{endpoint}");
        assert_eq!(
            inline,
            Some(site_in_memory().respond(endpoint)),
            "{endpoint}"
        );
    }
}

#[test]
fn uncommon_request_needs_a_worker() {
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
        assert!(site.inline_json(endpoint).is_none(), "{endpoint}");
    }
}

#[test]
fn change_keeps_the_bodies_of_other_posts_cached() {
    let site = site_in_memory();
    site.site
        .write(|transaction| {
            let mut post = post(transaction, "winter");
            post.title = "Cold".into();
            transaction.update_post(post)
        })
        .unwrap();
    assert!(site.inline_json("posts/slug/spring/").is_some());
    assert!(site.inline_json("posts/slug/winter/").is_none());
    assert_eq!(
        site.respond("posts/slug/winter/")["posts"][0]["title"],
        "Cold"
    );
}

#[test]
fn change_of_only_the_body_is_visible() {
    let site = site_in_memory();
    site.site
        .write(|transaction| {
            let post = post(transaction, "spring");
            let body = Body {
                html: Some("<p>It rained.</p>".to_owned()),
                lexical: None,
                public_excerpt: post.public_excerpt.clone(),
                reading_time: post.reading_time,
            };
            transaction.save_post_of_file(post, body)
        })
        .unwrap();
    assert!(site.inline_json("posts/slug/spring/").is_none());
    let reply = site.respond("posts/slug/spring/");
    assert_eq!(html(&reply), "<p>It rained.</p>");
    assert_eq!(html(&site.respond("posts/")), "<p>It rained.</p>");
}

/// Creates a site whose post `spring` has this body, with all bodies in memory.
fn site_with_spring(html: String) -> DatedSite {
    let site = site_in_memory();
    site.site
        .write_once(|transaction| {
            let post = post(transaction, "spring");
            let body = Body {
                html: Some(html),
                lexical: None,
                public_excerpt: None,
                reading_time: None,
            };
            transaction.save_post_of_file(post, body)
        })
        .unwrap();
    site.respond("posts/");
    site
}

#[test]
fn repeated_long_response_uses_sendfile() {
    let site = site_with_spring(format!("<p>{}</p>", "It rained. ".repeat(4000)));
    let endpoint = "posts/slug/spring/?include=tags";

    let first = site.inline_response(endpoint).unwrap();
    let second = site.inline_response(endpoint).unwrap();

    assert!(matches!(first.body, response::Body::Bytes(_)));
    assert!(matches!(second.body, response::Body::Sendfile { .. }));
}

#[test]
fn long_compressed_response_uses_sendfile() {
    let repeated = "It rained. ".repeat(4000);
    let incompressible: String = (1..4000_u32)
        .map(|number| number.wrapping_mul(2_654_435_761).to_string())
        .collect();
    for (text, is_long_compressed) in [(repeated, false), (incompressible, true)] {
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
        assert_eq!(is_copied, is_long_compressed);
    }
}

#[test]
fn bodies_are_rendered_again_for_another_site_url() {
    let site = site_in_memory();
    site.site
        .write(|transaction| {
            let post = post(transaction, "spring");
            let body = Body {
                html: Some("<p><a href=\"__GHOST_URL__/winter/\">Before</a></p>".to_owned()),
                lexical: None,
                public_excerpt: None,
                reading_time: None,
            };
            transaction.save_post_of_file(post, body)
        })
        .unwrap();
    for url in ["https://one.example", "https://two.example/blog"] {
        site.site
            .write(|transaction| transaction.edit_settings([("url".to_owned(), url.into())].into()))
            .unwrap();
        let reply = site.respond("posts/slug/spring/");
        assert!(
            html(&reply).contains(&format!("\"{url}/winter/\"")),
            "{reply}"
        );
    }
}
