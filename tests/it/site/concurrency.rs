//! Tests of concurrent writers and readers: no acknowledged change is lost, and no reader sees a partial one.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use galley::{
    domain::{post::Body, tag::Tag},
    error::{Error, Kind, Result},
    id::Id,
    site::Site,
    store::{Table, memory::MemoryStore},
};

use super::{open, open_file, post};

const WRITERS: u64 = 16;
const ROUNDS: u64 = 25;
const COUNT: &[u8] = b"count";

/// Increments a counter record, and adds a tag with the number.
fn count_up(site: &Site) -> u64 {
    site.write(|transaction| {
        let count = transaction.read::<u64>(Table::Meta, COUNT)?.unwrap_or(0) + 1;
        assert_eq!(transaction.catalog().tags.len() as u64 + 1, count);
        let name = count.to_string();
        let now = transaction.now();
        transaction.save(Tag::new(Id::derive("tag", &name), &name, &name, now))?;
        transaction.put(Table::Meta, COUNT, &count)?;
        Ok(count)
    })
    .unwrap()
}

/// Returns the number of tags that readers see, which must be the same in the catalog and in the store.
fn counted(site: &Site) -> u64 {
    let snapshot = site.current();
    let count = snapshot
        .read::<u64>(Table::Meta, COUNT)
        .unwrap()
        .unwrap_or(0);
    assert_eq!(snapshot.catalog.tags.len() as u64, count);
    count
}

fn assert_concurrent_changes_are_visible(site: &Site) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut last = 0;
                while !is_over.load(Ordering::Relaxed) {
                    let count = counted(site);
                    assert!(count >= last);
                    last = count;
                }
            });
        }
        let writers = (0..WRITERS).map(|_| {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let count = count_up(site);
                    assert!(counted(site) >= count, "acknowledged changes are visible");
                }
            })
        });
        let writers: Vec<_> = writers.collect();
        let ends: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(ends.iter().all(|end| end.is_ok()));
    });
    assert_eq!(counted(site), WRITERS * ROUNDS);
}

#[test]
fn concurrent_changes_are_not_lost_in_memory() {
    assert_concurrent_changes_are_visible(&open(MemoryStore::new()));
}

#[test]
fn concurrent_changes_are_not_lost_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let site = open_file(&path);
    let before = site.current().catalog.revision;

    assert_concurrent_changes_are_visible(&site);

    let commits = site.current().catalog.revision - before;
    assert!(commits < WRITERS * ROUNDS, "{commits} commits");
    drop(site);
    assert_eq!(counted(&open_file(&path)), WRITERS * ROUNDS);
}

const EDITORS: u64 = 64;
const POSTS: u64 = 100;
const EDITS: u64 = 20;

/// Saves a post with a later update time, if its current one is the one that the editor knows.
fn edit(site: &Site, slug: &str, known: i64, body: &str) -> Result<i64> {
    site.write(|transaction| {
        let found = transaction.catalog().posts.by_slug(slug);
        let found = found.map_or(0, |post| post.updated_at.as_millisecond());
        if found != known {
            return Err(Error::new(Kind::UpdateCollision, "stale"));
        }
        let body = Body::new(body.to_owned(), false, false);
        transaction.save_post(post(slug, known + 1), body)?;
        Ok(known + 1)
    })
}

#[test]
fn concurrent_edits_are_saved_or_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let site = open_file(&path);
    // The body of each acknowledged version of each post.
    let written: Mutex<BTreeMap<(String, i64), String>> = Mutex::default();

    thread::scope(|scope| {
        for editor in 0..EDITORS {
            let (site, written) = (&site, &written);
            scope.spawn(move || {
                for snapshot in 0..EDITS {
                    // Editors work on the same posts, and every third edit is based on an old version.
                    let slug = format!("post-{}", (editor / 2 + snapshot * 7) % POSTS);
                    let current = site.current();
                    let found = current.catalog.posts.by_slug(&slug);
                    let found = found.map_or(0, |post| post.updated_at.as_millisecond());
                    drop(current);
                    let known = found - i64::from(editor % 3 == 0 && found > 0);
                    let body = format!("<p>{editor}, {snapshot}</p>");
                    match edit(site, &slug, known, &body) {
                        Ok(version) => {
                            let before = written.lock().unwrap().insert((slug, version), body);
                            assert_eq!(before, None, "two edits have the same version");
                        }
                        Err(error) => assert_eq!(error.kind(), Kind::UpdateCollision),
                    }
                }
            });
        }
    });
    drop(site);

    let written = written.into_inner().unwrap();
    let site = open_file(&path);
    let snapshot = site.current();
    for number in 0..POSTS {
        let slug = format!("post-{number}");
        let versions = written.range((slug.clone(), 0)..=(slug.clone(), i64::MAX));
        let versions: Vec<_> = versions
            .map(|((_, version), body)| (*version, body))
            .collect();
        let Some(post) = snapshot.catalog.posts.by_slug(&slug) else {
            assert!(versions.is_empty());
            continue;
        };
        let numbers: Vec<i64> = versions.iter().map(|(version, _)| *version).collect();
        assert_eq!(numbers, (1..=versions.len() as i64).collect::<Vec<_>>());
        let (last, body) = versions[versions.len() - 1];
        assert_eq!(post.updated_at.as_millisecond(), last);
        assert_eq!(snapshot.html(post.id).unwrap().as_ref(), Some(body));
    }
}
