//! Tests of filtering and ordering posts by their bodies.

use std::sync::Arc;

use galley::{
    admin::posts::{BodyChange, PostChange, body},
    catalog::{
        fields::STAFF_POSTS,
        filter::{Filter, FilterScope},
        order::Order,
        relation::Relations,
    },
    domain::post::{Post, PostKind, Status},
    error::{Kind, Result},
    nql,
    site::BodySearch,
};

use super::post_site::{PostSite, titled};

fn written(title: &str, html: &str) -> PostChange {
    let post_site = PostSite::new();
    PostChange {
        body: Some(BodyChange::Document(
            body::of_html(html, post_site.url()).unwrap().into(),
        )),
        ..titled(title)
    }
}

/// Returns the titles of the posts that match a filter, with a limit of `bytes_max` bytes of searched bodies.
fn found(post_site: &PostSite, filter: &str, bytes_max: usize) -> Result<Vec<String>> {
    let snapshot = post_site.site.current();
    let catalog = &snapshot.catalog;
    let scope = FilterScope {
        schema: &STAFF_POSTS,
        relations: Relations::OfPosts,
        catalog,
        now: post_site.now(),
        text: filter,
    };
    let filter = Filter::compile(&nql::parse(filter).unwrap(), &scope)
        .unwrap()
        .unwrap();
    let posts = || {
        catalog
            .posts
            .iter()
            .filter(|post| post.kind == PostKind::Post)
    };
    let mut search = BodySearch::bounded(snapshot.as_ref(), post_site.url(), bytes_max);
    let filter = search.decide(filter, posts())?;
    let found = posts().filter(|post| filter.holds(post));
    Ok(found.map(|post| post.title.to_string()).collect())
}

fn three_posts() -> PostSite {
    let post_site = PostSite::new();
    post_site.add(written("One", "<p>Salt of the earth</p>"));
    post_site.add(PostChange {
        status: Some(Status::Published),
        ..written("Two", "<p>Sand</p><p>and salt</p>")
    });
    post_site.add(titled("Three"));
    post_site
}

#[test]
fn bodies_are_searched_in_html_plain_text_and_document() {
    let post_site = three_posts();
    for (filter, titles) in [
        ("plaintext:~'salt'", vec!["One", "Two"]),
        ("plaintext:-~'salt'", vec![]),
        ("plaintext:~^'sand'", vec!["Two"]),
        ("plaintext:null", vec!["Three"]),
        ("html:~$'earth</p>'", vec!["One"]),
        ("lexical:~'paragraph'+status:draft", vec!["One", "Three"]),
        ("plaintext:~'salt'+status:draft", vec!["One"]),
        ("plaintext:~'sand',title:Three", vec!["Two", "Three"]),
        ("(plaintext:~'sand',html:~'earth')+title:-One", vec!["Two"]),
    ] {
        let found = found(&post_site, filter, usize::MAX).unwrap();
        assert_eq!(found, titles, "{filter}");
    }
}

#[test]
fn body_search_is_bounded_and_reads_only_candidates() {
    let post_site = three_posts();
    let error = found(&post_site, "plaintext:~'salt'", 30).unwrap_err();
    assert_eq!(error.kind(), Kind::BadRequest);
    assert!(error.context_text().unwrap().contains("30 bytes"));
    // A body is not read if another condition decides.
    assert_eq!(
        found(&post_site, "plaintext:~'salt'+title:One", 30).unwrap(),
        ["One"]
    );
    assert!(
        found(
            &post_site,
            "plaintext:~'salt'+plaintext:~'of'+title:One",
            30
        )
        .is_err()
    );
}

#[test]
fn posts_can_be_ordered_by_body_with_null_first() {
    let post_site = three_posts();
    let snapshot = post_site.site.current();
    let mut posts: Vec<&Arc<Post>> = snapshot.catalog.posts.iter().collect();
    let mut order = Order::parse("plaintext desc", &STAFF_POSTS, false).unwrap();
    let mut search = BodySearch::new(snapshot.as_ref(), post_site.url());
    search.rank(&mut order, posts.clone().into_iter()).unwrap();
    posts.sort_by(|a, b| order.compare(a, b, |_| 0));
    let titles: Vec<&str> = posts.iter().map(|post| &*post.title).collect();
    assert_eq!(titles, ["Two", "One", "Three"]);
}
