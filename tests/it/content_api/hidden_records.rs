//! Tests that hidden records and private fields do not affect any response.

use std::{collections::BTreeSet, net::TcpStream};

use galley::{
    catalog::fields::{
        AUTHORS, MEMBERS, NEWSLETTERS, PAGES, POSTS, PRIVATE_EVERYWHERE, RECOMMENDATIONS,
        STAFF_NEWSLETTERS, STAFF_PAGES, STAFF_POSTS, STAFF_RECOMMENDATIONS, STAFF_TAGS,
        STAFF_TIERS, Schema, TAGS, TIERS, USERS,
    },
    domain::{
        member::Member,
        newsletter::Newsletter,
        post::{Body, Post, PostKind, Status},
        tag::Tag,
        user::{User, UserStatus},
    },
    id::Id,
    site::Transaction,
};
use galley_tests::{TestSite, http_client::Client, test_site::filtered};
use jiff::Timestamp;
use serde_json::Value;

use super::fixture;

/// Returns a site without cached responses.
fn site() -> TestSite {
    fixture::builder().option("answers.cache_mb", "0").start()
}

fn names<R>(schemas: [&'static Schema<R>; 2]) -> impl Iterator<Item = String> {
    let rows = schemas.into_iter().flat_map(Schema::rows);
    rows.map(|row| row.name.to_owned())
}

/// Returns every name that a filter or an order on a resource might use, valid or not.
fn names_of(resource: &str) -> BTreeSet<String> {
    let tags = || names([&TAGS, &STAFF_TAGS]);
    let authors = || names([&AUTHORS, &USERS]);
    let of_posts = |own: Vec<String>| {
        let tags = tags().map(|name| format!("tags.{name}"));
        let authors = authors().map(|name| format!("authors.{name}"));
        let aliases = [
            "tag",
            "author",
            "primary_tag",
            "primary_author",
            "tiers.slug",
            "newsletter.slug",
        ];
        let aliases = aliases.map(str::to_owned);
        own.into_iter()
            .chain(tags)
            .chain(authors)
            .chain(aliases)
            .collect()
    };
    let own: Vec<String> = match resource {
        "posts" => of_posts(names([&POSTS, &STAFF_POSTS]).collect()),
        "pages" => of_posts(names([&PAGES, &STAFF_PAGES]).collect()),
        "tags" => tags().collect(),
        "authors" => authors().collect(),
        "tiers" => names([&TIERS, &STAFF_TIERS]).collect(),
        "newsletters" => names([&NEWSLETTERS, &STAFF_NEWSLETTERS]).collect(),
        _ => names([&RECOMMENDATIONS, &STAFF_RECOMMENDATIONS]).collect(),
    };
    let other_names = [
        "count.posts",
        "count.members",
        "posts.status",
        "posts.slug",
        "members.email",
    ];
    let other_names = other_names.iter().chain(PRIVATE_EVERYWHERE);
    let of_members = names([&MEMBERS, &MEMBERS]);
    own.into_iter()
        .chain(other_names.map(|name| (*name).to_owned()))
        .chain(of_members)
        .collect()
}

/// The ends of conditions that could reveal something about a field's value.
const CONDITIONS: [&str; 4] = ["-null", ">'a'", "~'hidden'", "-[a,b]"];

fn requests() -> Vec<String> {
    let mut requests: Vec<String> = ["settings/", "changes/", "changes/?limit=1000"]
        .map(str::to_owned)
        .into();
    for index in ["posts", "tags", "authors"] {
        requests.push(format!("search-index/{index}/"));
    }
    let resources = [
        "posts",
        "pages",
        "tags",
        "authors",
        "tiers",
        "newsletters",
        "recommendations",
    ];
    for resource in resources {
        requests.push(format!(
            "{resource}/?include=tags,authors,count.posts,count.members,count.clicks,email,newsletter,roles\
             &formats=html,plaintext,lexical"
        ));
        requests.push(format!("{resource}/?limit=1&page=2"));
        for slug in ["secret", "hidden-author", "someday", "unfinished"] {
            requests.push(format!("{resource}/slug/{slug}/"));
        }
        for kind in ["post", "tag", "user", "newsletter"] {
            requests.push(format!("{resource}/{}/", Id::derive(kind, "secret")));
        }
        for name in names_of(resource) {
            for condition in CONDITIONS {
                let filter = filtered(resource, &format!("{name}:{condition}"));
                requests.push(format!("{filter}&fields=id,slug&include=count.posts"));
            }
            for direction in ["asc", "desc"] {
                requests.push(format!(
                    "{resource}/?order={name}%20{direction}&fields=id,{name}&include=count.posts"
                ));
            }
        }
    }
    requests
}

/// Returns the status and JSON of each response, without the random identifiers of errors.
fn responses(app: &TestSite, requests: &[String]) -> Vec<(u16, Value)> {
    let mut client = Client::new(TcpStream::connect(app.address()).unwrap());
    let response_to = |request: &String| {
        let target = app.content_path(request);
        client.send(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n"));
        let response = client.respond();
        let mut body = response.json();
        if let Some(error) = body.pointer_mut("/errors/0/id") {
            *error = Value::Null;
        }
        (response.status, body)
    };
    requests.iter().map(response_to).collect()
}

fn later() -> Timestamp {
    "2030-01-01T00:00:00Z".parse().unwrap()
}

/// Adds hidden records, and changes private fields of public records.
fn add_hidden_values(transaction: &mut Transaction) -> galley::error::Result<()> {
    let secret = Tag {
        description: Some("hidden".into()),
        ..Tag::new(
            Id::derive("tag", "secret"),
            "secret",
            "A hidden tag",
            later(),
        )
    };
    transaction.save(secret)?;
    let author = User {
        email: Some("hidden@example.com".into()),
        ..User::new(
            Id::derive("user", "secret"),
            "hidden-author",
            "A hidden author",
            later(),
        )
    };
    transaction.save(author)?;
    for (slug, kind, status) in [
        ("secret", PostKind::Post, Status::Draft),
        ("secret-plan", PostKind::Post, Status::Scheduled),
        ("secret-page", PostKind::Page, Status::Draft),
    ] {
        let id = Id::derive("post", slug);
        let post = Post {
            slug: slug.into(),
            title: "A hidden title".into(),
            featured: true,
            status,
            published_at: (status == Status::Scheduled).then(later),
            // One hidden tag and author each, and tags and an author of published posts.
            tags: ["secret", "letters", "travel"]
                .map(|tag| Id::derive("tag", tag))
                .into(),
            authors: ["secret", "ada"]
                .map(|user| Id::derive("user", user))
                .into(),
            ..Post::draft(id, Post::derived_uuid(kind, slug), kind, later())
        };
        let body = Body::new("<p>hidden</p>".to_owned(), false, false);
        transaction.save_post(post, body)?;
    }
    let users: Vec<_> = transaction.catalog().users.iter().cloned().collect();
    for (index, user) in users.iter().enumerate() {
        transaction.save(User {
            email: Some(format!("hidden-{index}@example.com").into()),
            status: UserStatus::Inactive,
            locale: Some("hidden".into()),
            last_seen: Some(later()),
            updated_at: later(),
            ..User::clone(user)
        })?;
    }
    let tags: Vec<_> = transaction.catalog().tags.iter().cloned().collect();
    if let Some(first) = tags.iter().find(|tag| &*tag.slug == "letters") {
        transaction.save(Tag {
            created_at: later(),
            updated_at: later(),
            ..Tag::clone(first)
        })?;
    }
    let newsletters: Vec<_> = transaction.catalog().newsletters.iter().cloned().collect();
    if let Some(first) = newsletters.first() {
        transaction.save(Newsletter {
            id: Id::derive("newsletter", "secret"),
            slug: "secret".into(),
            name: "A hidden newsletter".into(),
            active: false,
            ..Newsletter::clone(first)
        })?;
    }
    let id = Id::derive("member", "secret");
    transaction.save_member(Member::new(id, "hidden@example.com", later()))
}

#[test]
fn hidden_records_and_private_fields_do_not_affect_responses() {
    let app = site();
    let requests = requests();
    assert!(requests.len() > 1000, "{}", requests.len());
    let before = responses(&app, &requests);

    app.site().write(add_hidden_values).unwrap();

    let after = responses(&app, &requests);
    let changed: Vec<_> = requests
        .iter()
        .zip(before.iter().zip(&after))
        .filter(|(_, (before, after))| before != after)
        .map(|(request, (before, after))| format!("{request}\n  {before:?}\n  {after:?}"))
        .collect();
    assert!(
        changed.is_empty(),
        "{} of {}:\n{}",
        changed.len(),
        requests.len(),
        changed.join("\n")
    );
}
