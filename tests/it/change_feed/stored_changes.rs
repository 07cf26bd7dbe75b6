//! Tests of the retention of changes, and of clients with an old, unknown or missing revision.

use std::{collections::BTreeSet, path::Path};

use galley::{
    domain::{
        change::FORMER_SLUGS_MAX,
        post::{Post, PostKind},
    },
    site::{CHANGES_MAX, Site},
    store::{
        Table,
        redb::{DEFAULT_CACHE_BYTES, RedbStore},
    },
};
use galley_tests::TestSite;
use serde_json::{Value, json};

use super::{ada, body, changes_since, in_short, post, revision, save, served_site, write};

fn open(path: &Path) -> Site {
    let store = RedbStore::open(path, DEFAULT_CACHE_BYTES).unwrap();
    Site::open(
        Box::new(store),
        std::sync::Arc::new(galley::clock::SystemClock),
    )
    .unwrap()
}

#[test]
fn client_without_a_revision_gets_everything_in_pages() {
    let app = served_site();
    for name in ["one", "two", "three", "four", "five"] {
        save(app.site(), post(PostKind::Post, name, &[]));
    }
    let whole = app.json("changes/");
    assert_eq!(whole["meta"]["reset"], true);
    assert_eq!(whole["meta"]["next"], Value::Null);
    assert_eq!(whole["meta"]["revision"], revision(&app));
    let mut kinds: Vec<String> = in_short(&whole);
    kinds.sort();
    // The records that every site has from the beginning are included.
    assert_eq!(
        kinds,
        [
            "published authors ada",
            "published newsletters default-newsletter",
            "published posts five",
            "published posts four",
            "published posts one",
            "published posts three",
            "published posts two",
            "published settings -",
            "published tiers default-product",
            "published tiers free",
        ]
    );

    let mut changes = Vec::new();
    let mut since = "0".to_owned();
    loop {
        let page = app.json(&format!("changes/?since={since}&limit=3"));
        assert_eq!(page["meta"]["reset"], true);
        assert_eq!(page["meta"]["revision"], revision(&app));
        changes.extend(page["changes"].as_array().unwrap().clone());
        match page["meta"]["next"].as_str() {
            Some(next) => next.clone_into(&mut since),
            None => break,
        }
    }
    assert_eq!(json!(changes), whole["changes"]);
}

#[test]
fn changes_are_paginated() {
    let app = served_site();
    save(app.site(), post(PostKind::Post, "first", &[]));
    let start = revision(&app);
    for name in ["one", "two", "three"] {
        save(app.site(), post(PostKind::Post, name, &[]));
    }
    let page = app.json(&format!("changes/?since={start}&limit=2"));
    assert_eq!(
        in_short(&page),
        ["published posts one", "published posts two"]
    );
    let next = page["meta"]["next"].as_str().unwrap();
    let rest = app.json(&format!("changes/?since={next}&limit=2"));
    assert_eq!(in_short(&rest), ["published posts three"]);
    assert_eq!(
        rest["meta"],
        json!({"revision": start + 3, "reset": false, "next": null})
    );
}

#[test]
fn revision_of_another_store_gets_everything() {
    let app = served_site();
    for since in [revision(&app) + 1, u64::MAX] {
        let response = app.json(&format!("changes/?since={since}"));
        assert_eq!(response["meta"]["reset"], true, "{since}");
    }
    let response = app.json("changes/?since=99999999999999999999999999");
    assert_eq!(response["meta"]["reset"], true);
}

#[test]
fn revisions_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let site = open(&path);
    write(&site, |transaction| transaction.save(ada()));
    let article = post(PostKind::Post, "letter", &[]);
    save(&site, article.clone());
    save(
        &site,
        Post {
            slug: "moved".into(),
            ..article.clone()
        },
    );
    write(&site, |transaction| transaction.delete_post(article.id));
    let values = [("timezone".to_owned(), json!("Europe/Lisbon"))].into();
    write(&site, |transaction| transaction.edit_settings(values));
    let seen = |site: &Site| {
        let changes = site.current().catalog.changes.clone();
        let all: Vec<_> = changes.since(0).map(|change| (**change).clone()).collect();
        (changes.last(), changes.complete_since(), all)
    };
    let before = seen(&site);
    drop(site);
    assert_eq!(seen(&open(&path)), before);
    assert!(before.2.len() > 4);
}

#[test]
fn store_without_a_feed_starts_with_all_records() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let site = open(&path);
    write(&site, |transaction| transaction.save(ada()));
    let article = post(PostKind::Post, "letter", &[]);
    save(&site, article.clone());
    // Deletes the changes, as in a store that was created by a version without the feed.
    let numbers: Vec<u64> = {
        let snapshot = site.current();
        let changes = snapshot.catalog.changes.since(0);
        changes.map(|change| change.number).collect()
    };
    write(&site, |transaction| {
        for number in &numbers {
            transaction.delete(Table::Changes, &number.to_be_bytes());
        }
        Ok(())
    });
    drop(site);

    let site = open(&path);
    let start = site.current().catalog.changes.last();
    assert!(start > 0, "clients send 0 if they have no records");
    save(
        &site,
        Post {
            slug: "moved".into(),
            ..article
        },
    );
    let snapshot = site.current();
    let changes: Vec<_> = snapshot.catalog.changes.since(start).collect();
    assert_eq!(changes.len(), 1);
    assert_eq!(&*changes[0].former_slugs[0].slug, "letter");
    assert_eq!(changes[0].appeared, 0, "the record is older than the feed");
}

#[test]
fn only_the_last_change_of_a_record_is_stored() {
    let app = served_site();
    let article = post(PostKind::Post, "letter", &[]);
    save(app.site(), article.clone());
    let stored = app.site().current().catalog.changes.len();
    for number in 0..20 {
        let titled = Post {
            title: format!("Version {number}").into(),
            ..article.clone()
        };
        save(app.site(), titled);
    }
    assert_eq!(app.site().current().catalog.changes.len(), stored);
}

#[test]
fn old_changes_are_dropped_and_their_clients_reset() {
    let app = served_site();
    let start = revision(&app);
    let first: Vec<Post> = (0..CHANGES_MAX)
        .map(|number| post(PostKind::Post, &format!("post-{number}"), &[]))
        .collect();
    // One transaction with more changes than the feed retains, and then some that evict others.
    write(app.site(), |transaction| {
        first
            .iter()
            .try_for_each(|post| transaction.save_post(post.clone(), body("text")))
    });
    let imported = revision(&app);
    assert_eq!(
        imported,
        start + CHANGES_MAX as u64 + 1,
        "the posts and their author"
    );
    let response = app.json(&format!("changes/?since={start}&limit=1"));
    assert_eq!(response["meta"]["reset"], true);
    for removed in &first[..10] {
        write(app.site(), |transaction| {
            transaction.delete_post(removed.id)
        });
    }
    save(app.site(), post(PostKind::Page, "another", &[]));
    let changes = app.site().current().catalog.changes.clone();
    assert_eq!(changes.len(), CHANGES_MAX);
    assert_eq!(changes_since(&app, imported).len(), 11);
    assert!(changes.complete_since() < imported);

    // All records can be read, in pages that contain each record once.
    let mut slugs = BTreeSet::new();
    let mut since = "0".to_owned();
    loop {
        let page = app.json(&format!("changes/?since={since}&limit=1000"));
        let entries = page["changes"].as_array().unwrap();
        for entry in entries.iter().filter(|entry| entry["resource"] == "posts") {
            assert!(slugs.insert(entry["slug"].as_str().unwrap().to_owned()));
        }
        match page["meta"]["next"].as_str() {
            Some(next) => next.clone_into(&mut since),
            None => break,
        }
    }
    assert_eq!(slugs.len(), CHANGES_MAX - 10);
}

#[test]
fn repeatedly_moved_record_stays_within_the_limit() {
    let app = served_site();
    let article = post(PostKind::Post, "slug-0", &[]);
    save(app.site(), article.clone());
    let start = revision(&app);
    for number in 1..40 {
        let moved = Post {
            slug: format!("slug-{number}").into(),
            ..article.clone()
        };
        save(app.site(), moved);
    }
    let late = revision(&app) - 1;
    let response = app.json(&format!("changes/?since={late}"));
    assert_eq!(
        response["changes"][0]["previous"].as_array().unwrap().len(),
        FORMER_SLUGS_MAX
    );
    let response = app.json(&format!("changes/?since={start}"));
    assert_eq!(
        response["meta"]["reset"], true,
        "the first slug has been dropped"
    );
}

#[test]
fn malformed_parameter_is_rejected_by_name() {
    let app = served_site();
    for (query, property) in [
        ("since=-1", "since"),
        ("since=", "since"),
        ("since=yesterday", "since"),
        ("since=3.posts", "since"),
        ("since=3.drafts.65a000000000000000000000", "since"),
        ("since=3.posts.65a0", "since"),
        ("limit=0", "limit"),
        ("limit=-5", "limit"),
        ("limit=many", "limit"),
        ("wait=soon", "wait"),
        ("wait=-1", "wait"),
        ("wait=1.5", "wait"),
    ] {
        let response = app.content(&format!("changes/?{query}"));
        assert_eq!(response.status, 422, "{query}: {}", response.text());
        let error = &response.json()["errors"][0];
        assert_eq!(error["type"], "ValidationError", "{query}");
        assert_eq!(error["property"], property, "{query}");
    }
    let response = app.content("changes/?since=1&since=2");
    assert_eq!(response.status, 422);
    for good in ["limit=all", "limit=5000", "wait=0", "since=0"] {
        assert_eq!(
            app.content(&format!("changes/?{good}")).status,
            200,
            "{good}"
        );
    }
}

#[test]
fn feed_uses_the_keys_and_urls_of_the_content_api() {
    let app = served_site();
    let path = "/ghost/api/content/changes/";
    assert_eq!(app.get(path).status, 403);
    assert_eq!(
        app.get(&format!("{path}?key=0123456789abcdef0123456789"))
            .status,
        401
    );
    let without_slash = app.get(&app.content_path("changes"));
    assert_eq!(without_slash.status, 301);
    let old = format!("/ghost/api/v3/content/changes/?key={}", app.content_key());
    assert_eq!(app.get(&old).header("deprecation"), Some("version=\"v3\""));

    let response = app.content("changes/?since=1");
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    assert_eq!(response.header("cache-control"), Some("public, max-age=0"));
    assert!(response.header("vary").unwrap().contains("Accept,"));
    let tag = response.header("etag").unwrap();
    let again = app.content_with("changes/?since=1", &format!("if-none-match: {tag}\r\n"));
    assert_eq!(again.status, 304);
    assert_eq!(again.header("vary"), response.header("vary"));
    // After a change, the cached response is no longer used.
    save(app.site(), post(PostKind::Post, "letter", &[]));
    let changed = app.content_with("changes/?since=1", &format!("if-none-match: {tag}\r\n"));
    assert_eq!(changed.status, 200);
}

#[test]
fn site_of_a_content_folder_is_listed_completely_at_first_start() {
    let app = TestSite::builder()
        .file(
            "posts/a.md",
            "---\ntitle: A\ndate: 2025-01-01\nauthors: [ada]\n---\nOne.\n",
        )
        .start();
    let listed = in_short(&app.json("changes/"));
    assert!(
        listed.contains(&"published posts a".to_owned()),
        "{listed:?}"
    );
}
