//! Tests of scheduled posts of content files.

use std::{sync::Arc, time::Duration};

use galley::{
    clock::ManualClock, domain::post::Status, progress::NoProgress, scheduler::Scheduler,
    store::memory::MemoryStore,
};
use galley_tests::{
    folder::{Folder, post},
    reconciled_site::ReconciledSite,
    wait_until,
};
use jiff::{SignedDuration, Timestamp};

fn post_at(time: Timestamp) -> String {
    format!("+++\ntitle = \"Later\"\ndate = {time:.0}\n+++\nText\n")
}

/// Publishes all posts that are due, as the scheduler does.
fn publish_due(site: &ReconciledSite) {
    let snapshot = site.site.current();
    let scheduled = snapshot.catalog.posts.scheduled();
    let scheduled: Vec<_> = scheduled.map(|post| post.id).collect();
    let published = site
        .site
        .write(|transaction| transaction.publish_due_posts(&scheduled));
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
    let mut site = ReconciledSite::on(Box::new(MemoryStore::new()), clock.clone(), &folder);
    site.run();
    publish_due(&site);
    assert_eq!(site.list("posts", "slug"), ["now"]);
    clock.set(due);
    publish_due(&site);
    assert_eq!(site.list("posts", "slug"), ["later", "now"]);
    assert_eq!(
        site.post("later")["published_at"],
        "2030-01-01T12:00:00.000+00:00"
    );
    let revision = site.revision();
    site.reconciler
        .run(None, &NoProgress)
        .expect("the store works");
    assert_eq!(
        site.revision(),
        revision,
        "reading the file again changes the post"
    );
}

#[test]
fn scheduler_publishes_on_time() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let folder = Folder::with(&[("posts/later.md", &post_at(due))]);
    let mut site = ReconciledSite::open_at(&folder, clock.clone());
    site.run();
    let _scheduler = Scheduler::start(Arc::clone(&site.site)).expect("a thread");
    std::thread::sleep(Duration::from_millis(1100));
    assert!(site.list("posts", "slug").is_empty());
    clock.set(due);
    wait_until("the post is published", || {
        !site.list("posts", "slug").is_empty()
    });
    assert_eq!(site.list("posts", "slug"), ["later"]);
}

#[test]
fn overdue_posts_are_published_at_start() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let folder = Folder::with(&[("posts/later.md", &post_at(due))]);
    let mut site = ReconciledSite::open_at(&folder, clock.clone());
    site.run();
    drop(site);
    clock.set(due);
    let site = ReconciledSite::open_at(&folder, clock);
    assert!(site.list("posts", "slug").is_empty());
    let _scheduler = Scheduler::start(Arc::clone(&site.site)).expect("a thread");
    assert_eq!(site.list("posts", "slug"), ["later"]);
}

#[test]
fn email_only_post_is_not_shown_at_its_time() {
    let due: Timestamp = "2030-01-01T12:00:00Z".parse().expect("a time");
    let clock = Arc::new(ManualClock::new(due - SignedDuration::from_secs(1)));
    let text = format!("+++\ntitle = \"Mail\"\ndate = {due:.0}\nemail_only = true\n+++\nText\n");
    let folder = Folder::with(&[("posts/mail.md", &text)]);
    let mut site = ReconciledSite::on(Box::new(MemoryStore::new()), clock.clone(), &folder);
    site.run();
    clock.set(due);
    publish_due(&site);
    assert!(site.list("posts", "slug").is_empty());
    let snapshot = site.site.current();
    let post = snapshot
        .catalog
        .posts
        .by_slug("mail")
        .expect("the post exists");
    assert_eq!(post.status, Status::Sent);
}
