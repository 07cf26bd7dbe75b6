//! Tests that no update is lost by concurrent writers through the Admin API of a process that is killed repeatedly.
//!
//! A change names the state of the post that it is based on by its `updated_at`. The acknowledged changes of a post must form
//! one chain, each based on the one before. Two changes based on the same state would mean that one is lost.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use galley_tests::{Request, TestSite, Who, request::ADMIN, staff::text};
use serde_json::{Value, json};

/// The number of concurrent writers.
const WRITERS: usize = 64;

/// The number of posts that the writers change.
const POSTS: usize = 100;

/// The number of acknowledged changes before the process is killed.
const ACKNOWLEDGED: usize = 800;

/// Every so many changes, a writer bases a change on the first, outdated state of the post.
const STALE_EVERY: usize = 5;

/// A change of a post that was sent.
#[derive(Clone, Debug)]
struct Change {
    /// The state that the change is based on.
    base: String,
    /// The title that the change sets.
    title: String,
    /// The resulting state, if the change was acknowledged.
    made: Option<String>,
}

/// A post, and the changes that were sent for it, except refused ones.
struct Post {
    id: String,
    /// The first state of the post.
    first: String,
    changes: Mutex<Vec<Change>>,
}

#[test]
fn no_change_is_lost_by_concurrent_writers_or_kills() {
    let folder = tempfile::tempdir().unwrap();
    let mut site = TestSite::start_process(folder.path(), false);
    let posts: Vec<Post> = (0..POSTS).map(|number| add(&site, number)).collect();

    let acknowledged = AtomicUsize::new(0);
    let collisions = AtomicUsize::new(0);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (site, posts) = (&site, &posts);
            let (acknowledged, collisions) = (&acknowledged, &collisions);
            scope.spawn(move || write(site, posts, writer, acknowledged, collisions));
        }
    });
    assert!(
        collisions.into_inner() > WRITERS,
        "no concurrent writes happened"
    );
    site.start_again(folder.path());

    for post in posts {
        let now = read(&site, &post.id);
        assert_chain(&post, &text(&now["updated_at"]), &text(&now["title"]));
    }
}

fn add(site: &TestSite, number: usize) -> Post {
    let post = json!({"posts": [{"title": format!("Post {number}")}]});
    let added = site.post_as(&Who::Integration, "/posts/", &post);
    Post {
        id: text(&added["posts"][0]["id"]),
        first: text(&added["posts"][0]["updated_at"]),
        changes: Mutex::default(),
    }
}

fn read(site: &TestSite, id: &str) -> Value {
    let read = site.get_as(&Who::Integration, &format!("/posts/{id}/"));
    read["posts"][0].clone()
}

/// Changes one post after another until the process is killed. The writer with the last required acknowledgement kills it.
fn write(
    site: &TestSite,
    posts: &[Post],
    writer: usize,
    acknowledged: &AtomicUsize,
    collisions: &AtomicUsize,
) {
    for turn in 1.. {
        let post = &posts[(writer * 7 + turn * 13) % posts.len()];
        let target = format!("{ADMIN}/posts/{}/", post.id);
        let Some(now) = site.try_ask_as(&Who::Integration, &Request::new("GET", &target)) else {
            return;
        };
        let current = text(&now.json()["posts"][0]["updated_at"]);
        let is_stale = turn % STALE_EVERY == 0 && current != post.first;
        let base = if is_stale {
            post.first.clone()
        } else {
            current
        };
        let title = format!("Writer {writer}, turn {turn}");
        let change = json!({"posts": [{"title": title, "updated_at": base}]});
        let mut sent = Change {
            base,
            title,
            made: None,
        };
        let response = site.try_ask_as(
            &Who::Integration,
            &Request::new("PUT", &target).json(&change),
        );
        match response.as_ref().map(|response| response.status) {
            Some(409) => {
                collisions.fetch_add(1, Ordering::Relaxed);
                continue;
            }
            Some(200) => {
                assert!(!is_stale, "a change of an old state was accepted");
                let made = serde_json::from_slice::<Value>(&response.unwrap().body);
                sent.made = made.ok().map(|made| text(&made["posts"][0]["updated_at"]));
            }
            Some(status) => panic!("{status}: {}", response.unwrap().text()),
            None => {}
        }
        let is_acknowledged = sent.made.is_some();
        post.changes.lock().unwrap().push(sent);
        if !is_acknowledged {
            return;
        }
        if acknowledged.fetch_add(1, Ordering::Relaxed) + 1 == ACKNOWLEDGED {
            site.process().kill();
        }
    }
}

/// Asserts that the acknowledged changes form a chain from the first state to the last. The chain may contain changes whose
/// response was lost in the kill. The post must have the state of the last change, or of a change in progress during the kill.
fn assert_chain(post: &Post, state: &str, title: &str) {
    let changes = post.changes.lock().unwrap();
    let mut by_base = BTreeMap::new();
    for change in changes.iter().filter(|change| change.made.is_some()) {
        let twice = by_base.insert(&change.base, change);
        assert!(
            twice.is_none(),
            "two changes of one state: {twice:?} and {change:?}"
        );
    }
    let mut under_way: Vec<&Change> = changes
        .iter()
        .filter(|change| change.made.is_none())
        .collect();
    let mut last = &post.first;
    let mut last_title = None;
    loop {
        if let Some(change) = by_base.remove(last) {
            last = change.made.as_ref().unwrap();
            last_title = Some(&change.title);
            continue;
        }
        // Another writer may have based its change on one whose response was lost in the kill.
        let unconfirmed = under_way.iter().position(|change| change.base == *last);
        let (Some(unconfirmed), Some((seen, _))) = (unconfirmed, by_base.first_key_value()) else {
            break;
        };
        last = *seen;
        under_way.swap_remove(unconfirmed);
    }
    assert!(
        by_base.is_empty(),
        "changes based on states that never existed: {by_base:?}"
    );
    let is_last = state == last && last_title.is_none_or(|last| last == title);
    assert!(
        is_last
            || under_way
                .iter()
                .any(|change| change.base == *last && change.title == title),
        "post {} has state {state}, title {title}; acknowledged changes: {changes:?}",
        post.id
    );
}
