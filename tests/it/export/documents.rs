//! Tests that Lexical documents round-trip through a content folder. Nodes that Markdown cannot express are in fenced blocks.

use std::fs;

use galley::{
    domain::{
        post::{Body, Post, PostKind, Status, Visibility},
        user::User,
    },
    id::Id,
    render::{
        lexical::{self, Context},
        urls,
    },
};
use serde_json::Value;
use url::Url;

use super::publication::{NOW, Publication, URL, assert_same};

/// Returns the valid documents of the rendering tests, with their names.
pub fn documents() -> Vec<(String, String)> {
    let lines = fs::read_to_string("tests/it/render/lexical-to-html.jsonl").unwrap();
    lines
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|record| record.get("error").is_none())
        .map(|record| {
            let name = record["name"].as_str().unwrap().to_owned();
            (name, record["lexical"].to_string())
        })
        .collect()
}

/// Returns a site whose posts have these documents, stored as by the Admin API.
pub fn publication(documents: &[(String, String)]) -> Publication {
    let publication = Publication::empty();
    let author = User::new(
        Id::derive("user", "ada"),
        "ada",
        "Ada",
        NOW.parse().unwrap(),
    );
    publication
        .site
        .write(|transaction| {
            transaction.save(author.clone())?;
            for (number, (name, document)) in documents.iter().enumerate() {
                let slug = format!("document-{number}");
                let mut post = post(&slug, name, author.id);
                if number % 3 == 1 {
                    post.visibility = Visibility::Members;
                }
                let body = body(document, post.is_gated());
                transaction.save_post(post, body)?;
            }
            Ok(())
        })
        .unwrap();
    publication
}

/// Returns a published post of this author.
pub fn post(slug: &str, title: &str, author: Id) -> Post {
    let now = NOW.parse().unwrap();
    let id = Id::derive("post", slug);
    Post {
        slug: slug.into(),
        title: title.into(),
        status: Status::Published,
        published_at: Some(now),
        authors: vec![author],
        ..Post::draft(
            id,
            Post::derived_uuid(PostKind::Post, slug),
            PostKind::Post,
            now,
        )
    }
}

/// Returns the stored body of a document that a client sent.
fn body(document: &str, closed: bool) -> Body {
    let site: Url = URL.parse().unwrap();
    let rendering = lexical::to_html(document, Context { site: &site }).unwrap();
    let html = urls::html_to_stored(&rendering.html, &site).into_owned();
    let stored = urls::lexical_to_stored(document, &site).into_owned();
    Body::new(html, closed, false).with_lexical(stored)
}

#[test]
fn documents_round_trip_through_a_content_folder() {
    let first = publication(&documents());
    let folder = first.to_folder("export");
    let second = Publication::served_from(&folder);
    assert_same(&second.replies(), &first.replies());
}
