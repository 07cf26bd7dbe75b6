//! Tests of scheduled posts of content files.

use std::{sync::Arc, time::Duration};

use galley::{
    clock::ManualClock, domain::post::Status, progress::NoProgress, scheduler::Scheduler,
    store::memory::MemoryStore,
};
use galley_tests::{
    folder::{Folder, post},
    seeded_site::Seeded,
    wait_until,
};
use jiff::{SignedDuration, Timestamp};

fn post_at(time: Timestamp) -> String {
    format!("+++\ntitle = \"Later\"\ndate = {time:.0}\n+++\nText\n")
}

/// Publishes all posts that are due, as the scheduler does.
fn publish_due(seeded: &Seeded) {
    let snapshot = seeded.site.current();
    let scheduled = snapshot.catalog.posts.scheduled();
    let scheduled: Vec<_> = scheduled.map(|post| post.id).collect();
    let published = seeded
        .site
        .write(|change| change.publish_those_due(&scheduled));
    published.expect("the store works");
}

#[test]
fn post_appears_at_its_time() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let folder = Folder::with(&[
        ("posts/later.md", &post_at(due)),
        ("posts/now.md", &post("Now", "")),
    ]);
    let mut seeded = Seeded::on(Box::new(MemoryStore::new()), clock.clone(), &folder);
    seeded.run();
    publish_due(&seeded);
    assert_eq!(seeded.list("posts", "slug"), ["now"]);
    clock.set(due);
    publish_due(&seeded);
    assert_eq!(seeded.list("posts", "slug"), ["later", "now"]);
    assert_eq!(
        seeded.post("later")["published_at"],
        "2030-01-01T12:00:00.000+00:00"
    );
    let revision = seeded.revision();
    seeded
        .reconciler
        .run(None, &NoProgress)
        .expect("the store works");
    assert_eq!(
        seeded.revision(),
        revision,
        "reading the file again changes the post"
    );
}

#[test]
fn scheduler_publishes_on_time() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let folder = Folder::with(&[("posts/later.md", &post_at(due))]);
    let mut seeded = Seeded::open_at(&folder, clock.clone());
    seeded.run();
    let _scheduler = Scheduler::start(Arc::clone(&seeded.site)).expect("a thread");
    std::thread::sleep(Duration::from_millis(1100));
    assert!(seeded.list("posts", "slug").is_empty());
    clock.set(due);
    wait_until("the post is published", || {
        !seeded.list("posts", "slug").is_empty()
    });
    assert_eq!(seeded.list("posts", "slug"), ["later"]);
}

#[test]
fn overdue_posts_are_published_at_start() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let folder = Folder::with(&[("posts/later.md", &post_at(due))]);
    let mut seeded = Seeded::open_at(&folder, clock.clone());
    seeded.run();
    drop(seeded);
    clock.set(due);
    let seeded = Seeded::open_at(&folder, clock);
    assert!(seeded.list("posts", "slug").is_empty());
    let _scheduler = Scheduler::start(Arc::clone(&seeded.site)).expect("a thread");
    assert_eq!(seeded.list("posts", "slug"), ["later"]);
}

#[test]
fn email_only_post_is_not_shown_at_its_time() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let text = format!("+++\ntitle = \"Mail\"\ndate = {due:.0}\nemail_only = true\n+++\nText\n");
    let folder = Folder::with(&[("posts/mail.md", &text)]);
    let mut seeded = Seeded::on(Box::new(MemoryStore::new()), clock.clone(), &folder);
    seeded.run();
    clock.set(due);
    publish_due(&seeded);
    assert!(seeded.list("posts", "slug").is_empty());
    let snapshot = seeded.site.current();
    let post = snapshot
        .catalog
        .posts
        .by_slug("mail")
        .expect("the post exists");
    assert_eq!(post.status, Status::Sent);
}
