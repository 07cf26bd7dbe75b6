//! Tests that scheduled posts are published once, at their time, despite clock changes and disk errors.

use std::{
    ops::Deref,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread,
    time::Duration,
};

use galley::{
    domain::{
        post::{Body, Post, PostKind, Status},
        user::User,
    },
    id::Id,
    scheduler::Scheduler,
    store::{
        ChangedKeys, Keys, Record, Snapshot, Store, StoreError, Table, Visit, Writer,
        memory::{CommitFault, MemoryStore},
    },
};
use galley_tests::{clocked_site::ClockedSite, wait_until};
use jiff::{SignedDuration, Timestamp};

/// Longer than two check intervals of the scheduler.
const TWO_CHECKS: Duration = Duration::from_millis(2100);

fn noon() -> Timestamp {
    "2030-01-01T12:00:00Z".parse().unwrap()
}

fn minutes(count: i64) -> SignedDuration {
    SignedDuration::from_mins(count)
}

/// A site whose clock shows noon until the test sets it.
struct ScheduledSite(ClockedSite);

impl Deref for ScheduledSite {
    type Target = ClockedSite;

    fn deref(&self) -> &ClockedSite {
        &self.0
    }
}

impl ScheduledSite {
    fn new(store: impl Store + 'static) -> Self {
        let clocked = ClockedSite::at(noon(), store);
        let ada = User::new(ada(), "ada", "Ada", noon());
        clocked
            .site
            .write(|transaction| transaction.save(ada.clone()))
            .unwrap();
        Self(clocked)
    }

    fn start(&self) -> Scheduler {
        Scheduler::start(Arc::clone(&self.site)).unwrap()
    }

    /// Saves these posts in one transaction.
    fn schedule(&self, posts: Vec<Post>) {
        let body = || Body::new("<p>text</p>".to_owned(), false, false);
        self.site
            .write_once(|transaction| {
                posts
                    .into_iter()
                    .try_for_each(|post| transaction.save_post(post, body()))
            })
            .unwrap();
    }

    fn post(&self, slug: &str) -> Post {
        let snapshot = self.site.current();
        Post::clone(snapshot.catalog.posts.by_slug(slug).unwrap())
    }

    fn is_published(&self, slug: &str) -> bool {
        self.post(slug).status == Status::Published
    }

    fn wait_for(&self, slug: &str) {
        wait_until(&format!("{slug} is published"), || self.is_published(slug));
    }

    fn revision(&self) -> u64 {
        self.site.current().catalog.revision
    }
}

fn ada() -> Id {
    Id::derive("user", "ada")
}

/// Returns a post that is scheduled for `after` minutes after noon.
fn scheduled(slug: &str, after: i64) -> Post {
    let id = Id::derive("post", slug);
    let uuid = Post::derived_uuid(PostKind::Post, slug);
    Post {
        slug: slug.into(),
        title: slug.into(),
        status: Status::Scheduled,
        published_at: Some(noon() + minutes(after)),
        authors: vec![ada()],
        ..Post::draft(id, uuid, PostKind::Post, noon())
    }
}

#[test]
fn scheduled_posts_are_published_on_time_with_the_planned_date() {
    let site = ScheduledSite::new(MemoryStore::new());
    let page = Post {
        kind: PostKind::Page,
        ..scheduled("page", 10)
    };
    let half = SignedDuration::from_millis(500);
    let fraction = Post {
        published_at: Some(noon() + minutes(10) + half),
        ..scheduled("fraction", 10)
    };
    site.schedule(vec![scheduled("post", 10), page, fraction]);
    let _scheduler = site.start();
    site.clock
        .set(noon() + minutes(10) - SignedDuration::from_secs(1));
    thread::sleep(TWO_CHECKS);
    assert!(!site.is_published("post"));

    site.clock.set(noon() + minutes(10));
    site.wait_for("post");
    site.wait_for("page");
    assert!(!site.is_published("fraction"), "its second is not over");
    site.clock.set(noon() + minutes(25));
    site.wait_for("fraction");
    let post = site.post("post");
    assert_eq!(post.published_at, Some(noon() + minutes(10)));
    assert_eq!(post.updated_at, noon() + minutes(10));
}

#[test]
fn overdue_posts_are_published_before_the_first_request() {
    let site = ScheduledSite::new(MemoryStore::new());
    site.schedule(vec![
        scheduled("first", 10),
        scheduled("second", 60 * 24 * 400),
    ]);
    site.clock.set(noon() + minutes(60 * 24 * 365));
    let _scheduler = site.start();
    assert!(site.is_published("first"));
    assert!(!site.is_published("second"));
}

#[test]
fn clock_changes_do_not_lose_or_revert_publications() {
    let site = ScheduledSite::new(MemoryStore::new());
    site.schedule(vec![scheduled("first", 10), scheduled("second", 20)]);
    let _scheduler = site.start();
    site.clock.set(noon() + minutes(15));
    site.wait_for("first");
    // The clock is set back a year, and then ahead.
    site.clock.set(noon() - minutes(60 * 24 * 365));
    thread::sleep(TWO_CHECKS);
    assert!(site.is_published("first"));
    assert!(!site.is_published("second"));
    site.clock.set(noon() + minutes(60 * 24 * 365 * 10));
    site.wait_for("second");
    assert_eq!(site.post("second").published_at, Some(noon() + minutes(20)));
}

#[test]
fn unscheduled_or_postponed_post_is_not_published() {
    let site = ScheduledSite::new(MemoryStore::new());
    site.schedule(vec![
        scheduled("back", 10),
        scheduled("off", 10),
        scheduled("on", 10),
    ]);
    let _scheduler = site.start();
    let taken_back = Post {
        status: Status::Draft,
        ..scheduled("back", 10)
    };
    site.schedule(vec![taken_back, scheduled("off", 30)]);
    site.clock.set(noon() + minutes(10));
    site.wait_for("on");
    thread::sleep(TWO_CHECKS);
    assert_eq!(site.post("back").status, Status::Draft);
    assert_eq!(site.post("off").status, Status::Scheduled);
    site.clock.set(noon() + minutes(30));
    site.wait_for("off");
}

#[test]
fn scheduled_post_is_published_once() {
    let site = ScheduledSite::new(MemoryStore::new());
    site.schedule(vec![scheduled("post", 10)]);
    let _scheduler = site.start();
    site.clock.set(noon() + minutes(10));
    site.wait_for("post");
    let revision = site.revision();
    site.clock.set(noon() + minutes(11));
    thread::sleep(TWO_CHECKS);
    drop(site.start());
    assert_eq!(site.revision(), revision);
}

#[test]
fn many_due_posts_are_published_in_batches_earliest_first() {
    const MANY: usize = 1_050;
    let site = ScheduledSite::new(MemoryStore::new());
    let mut posts: Vec<Post> = (0..MANY)
        .map(|number| scheduled(&format!("post-{number}"), 10))
        .collect();
    posts.push(scheduled("earlier", 5));
    site.schedule(posts);
    let before = site.revision();
    site.clock.set(noon() + minutes(10));
    let _scheduler = site.start();
    let snapshot = site.site.current();
    assert_eq!(snapshot.catalog.posts.scheduled().count(), 0);
    assert_eq!(
        snapshot.catalog.revision - before,
        11,
        "batches of a hundred"
    );
    let changes = &snapshot.catalog.changes;
    let first = changes
        .since(0)
        .find(|change| change.slug.as_deref() == Some("earlier"));
    let earlier = first.unwrap().number;
    let post = changes
        .since(0)
        .find(|change| change.slug.as_deref() == Some("post-1049"));
    assert!(earlier < post.unwrap().number);
}

#[test]
fn failed_publication_commit_is_retried() {
    let store = Arc::new(MemoryStore::new());
    let site = ScheduledSite::new(Arc::clone(&store));
    let posts = (0..5).map(|number| scheduled(&format!("post-{number}"), 10));
    site.schedule(posts.collect());
    // Enough failures for every kind of attempt to fail at first.
    for nth in 1..=6 {
        store.fail_commit(nth, CommitFault::DiskFull);
    }
    site.clock.set(noon() + minutes(10));
    let _scheduler = site.start();
    for number in 0..5 {
        site.wait_for(&format!("post-{number}"));
    }
}

/// A store with one record that cannot be read while `is_damaged` is set.
struct DamagedStore {
    store: MemoryStore,
    is_damaged: Arc<AtomicBool>,
}

struct DamagedSnapshot {
    snapshot: Box<dyn Snapshot>,
    is_damaged: Arc<AtomicBool>,
}

impl Store for DamagedStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        Ok(Box::new(DamagedSnapshot {
            snapshot: self.store.snapshot()?,
            is_damaged: Arc::clone(&self.is_damaged),
        }))
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        self.store.writer()
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.store.changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }
}

impl Snapshot for DamagedSnapshot {
    fn revision(&self) -> u64 {
        self.snapshot.revision()
    }

    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Record>, StoreError> {
        let is_damaged = Id::derive("post", "damaged").as_bytes() == key;
        if is_damaged && self.is_damaged.load(SeqCst) {
            Err(StoreError::Io {
                store: "store".into(),
                source: std::io::Error::other("a bad sector"),
            })
        } else {
            self.snapshot.get(table, key)
        }
    }

    fn scan(&self, table: Table, keys: &Keys, visit: &mut Visit<'_>) -> Result<(), StoreError> {
        self.snapshot.scan(table, keys, visit)
    }
}

#[test]
fn unpublishable_post_does_not_block_others() {
    let is_damaged = Arc::new(AtomicBool::new(false));
    let site = ScheduledSite::new(DamagedStore {
        store: MemoryStore::new(),
        is_damaged: Arc::clone(&is_damaged),
    });
    let mut posts: Vec<Post> = (0..250)
        .map(|number| scheduled(&format!("post-{number}"), 10))
        .collect();
    posts.push(scheduled("damaged", 10));
    posts.push(scheduled("tomorrow", 24 * 60));
    site.schedule(posts);
    is_damaged.store(true, SeqCst);
    site.clock.set(noon() + minutes(10));
    let _scheduler = site.start();
    let snapshot = site.site.current();
    let waiting: Vec<String> = snapshot
        .catalog
        .posts
        .scheduled()
        .map(|post| post.slug.to_string())
        .collect();
    assert_eq!(waiting.len(), 2, "{waiting:?}");
    // Nor does the damaged post block posts that are due later.
    site.clock.set(noon() + minutes(24 * 60));
    site.wait_for("tomorrow");
    assert!(!site.is_published("damaged"));
    is_damaged.store(false, SeqCst);
    site.wait_for("damaged");
}
