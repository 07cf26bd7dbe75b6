//! Tests of group commit: transactions that run during a commit are committed, visible and lost together.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread::{self, Scope, ScopedJoinHandle},
    time::Duration,
};

use galley::{
    domain::{post::Body, tag::Tag},
    error::{Error, Kind, Result},
    id::Id,
    site::{Site, SiteSnapshot, Transaction},
    store::{
        Store, Table,
        memory::{CommitFault, MemoryStore},
    },
};
use galley_tests::faulty_disk::{self, NO_SPACE, Trouble};

use super::{Gate, HeldStore, open, open_file, post, tags};

/// A site whose commits a test can block.
struct Held {
    site: Site,
    gate: Arc<Gate>,
    made: AtomicUsize,
}

type Writer<'s> = ScopedJoinHandle<'s, Result<()>>;

impl Held {
    fn on(store: impl Store + 'static) -> Self {
        let gate = Arc::new(Gate::default());
        let store = HeldStore {
            store,
            gate: Arc::clone(&gate),
        };
        Self {
            site: open(store),
            gate,
            made: AtomicUsize::new(0),
        }
    }

    /// Starts a transaction, and returns once it has run and waits for its commit.
    fn start<'s>(
        &'s self,
        scope: &'s Scope<'s, '_>,
        change: impl Fn(&mut Transaction) -> Result<()> + Send + 's,
    ) -> Writer<'s> {
        let made = self.made.load(Ordering::SeqCst);
        let writer = scope.spawn(move || {
            self.site.write(|transaction| {
                self.made.fetch_add(1, Ordering::SeqCst);
                change(transaction)
            })
        });
        while self.made.load(Ordering::SeqCst) == made {
            thread::yield_now();
        }
        self.wait_until_made(scope);
        writer
    }

    /// Waits until every started transaction waits for its commit: only then can the next transaction run.
    fn wait_until_made<'s>(&'s self, scope: &'s Scope<'s, '_>) {
        let (begun, has_begun) = mpsc::channel();
        scope.spawn(move || {
            self.site.rehearse(|_| {
                begun.send(()).unwrap();
                Ok(())
            })
        });
        has_begun.recv().unwrap();
    }

    /// Starts a transaction whose commit is blocked.
    fn start_first<'s>(&'s self, scope: &'s Scope<'s, '_>) -> Writer<'s> {
        let commits = self.gate.sizes().len();
        self.gate.hold();
        let first = self.start(scope, |transaction| add_tag(transaction, "first"));
        self.gate.wait_for_commits(commits + 1);
        first
    }

    /// Returns the number of transactions in each commit after the one that created the site.
    fn commits(&self) -> Vec<usize> {
        self.gate.sizes().split_off(1)
    }
}

fn add_tag(transaction: &mut Transaction, name: &str) -> Result<()> {
    let now = transaction.now();
    transaction.save(Tag::new(Id::derive("tag", name), name, name, now))
}

fn ended(writer: Writer<'_>) -> Result<()> {
    writer.join().unwrap()
}

fn all_succeed<const COUNT: usize>(writers: [Writer<'_>; COUNT]) {
    writers
        .into_iter()
        .for_each(|writer| ended(writer).unwrap());
}

#[test]
fn transactions_during_a_commit_share_the_next_one() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let names = ["a", "b", "c", "d"];
        let others =
            names.map(|name| held.start(scope, move |transaction| add_tag(transaction, name)));
        held.gate.release();
        ended(first).unwrap();
        all_succeed(others);
    });
    assert_eq!(held.commits(), [1, 4]);
    assert_eq!(tags(&held.site.current()), ["a", "b", "c", "d", "first"]);
    assert_eq!(held.site.current().catalog.revision, 3);
}

#[test]
fn transaction_sees_earlier_uncommitted_ones_of_its_group() {
    let held = Held::on(MemoryStore::new());
    let body = |text: &str| Body::new(format!("<p>{text}</p>"), false, false);
    thread::scope(|scope| {
        let first = held.start_first(scope);
        held.start(scope, move |transaction| {
            transaction.put(Table::Meta, b"count", &1)?;
            transaction.save_post(post("letter", 1), body("first"))
        });
        held.start(scope, move |transaction| {
            assert_eq!(transaction.read::<u64>(Table::Meta, b"count")?, Some(1));
            assert!(transaction.catalog().tags.by_slug("first").is_some());
            assert_eq!(
                transaction.body(post("letter", 1).id)?.0,
                body("first").html
            );
            transaction.save_post(post("letter", 2), body("second"))?;
            transaction.delete(Table::Meta, b"count");
            Ok(())
        });
        held.start(scope, move |transaction| {
            assert_eq!(transaction.read::<u64>(Table::Meta, b"count")?, None);
            // The state before both transactions, which is a transaction from the uncommitted state.
            transaction.save_post(post("letter", 3), body("first"))
        });
        held.gate.release();
        ended(first).unwrap();
    });
    let snapshot = held.site.current();
    let found = snapshot.catalog.posts.by_slug("letter").unwrap();
    assert_eq!(found.updated_at, post("letter", 3).updated_at);
    assert_eq!(snapshot.html(found.id).unwrap(), body("first").html);
    assert_eq!(snapshot.read::<u64>(Table::Meta, b"count").unwrap(), None);
    assert_eq!(held.commits(), [1, 3]);
}

#[test]
fn readers_see_only_durable_data_without_waiting() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        held.start(scope, |transaction| add_tag(transaction, "second"));
        assert_eq!(tags(&held.site.current()), [""; 0]);
        assert_eq!(held.site.current().catalog.revision, 1);
        held.gate.release();
        ended(first).unwrap();
        assert!(tags(&held.site.current()).starts_with(&["first".to_owned()]));
    });
}

#[test]
fn failed_transaction_does_not_affect_its_group() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let before = held.start(scope, |transaction| add_tag(transaction, "before"));
        let failing = held.start(scope, |transaction| {
            add_tag(transaction, "failing")?;
            Err(Error::new(Kind::Validation, "No."))
        });
        let after = held.start(scope, |transaction| {
            assert!(transaction.catalog().tags.by_slug("failing").is_none());
            add_tag(transaction, "after")
        });
        held.gate.release();
        assert_eq!(ended(failing).unwrap_err().message(), "No.");
        all_succeed([first, before, after]);
    });
    assert_eq!(tags(&held.site.current()), ["after", "before", "first"]);
}

#[test]
fn panicking_transaction_does_not_affect_its_group() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let before = held.start(scope, |transaction| add_tag(transaction, "before"));
        let panicking = held.start(scope, |transaction| {
            add_tag(transaction, "panicking")?;
            panic!("the test causes this panic")
        });
        let after = held.start(scope, |transaction| add_tag(transaction, "after"));
        held.gate.release();
        assert!(panicking.join().is_err());
        all_succeed([first, before, after]);
    });
    assert_eq!(tags(&held.site.current()), ["after", "before", "first"]);
}

#[test]
fn failed_commit_fails_its_group_and_transactions_built_on_it() {
    for (fault, kind, seen) in [
        (CommitFault::NotWritten, Kind::Internal, vec![]),
        (CommitFault::DiskFull, Kind::NoSpace, vec![]),
        (CommitFault::LostInDoubt, Kind::Internal, vec![]),
        (CommitFault::WrittenInDoubt, Kind::Internal, vec!["first"]),
    ] {
        let store = Arc::new(MemoryStore::new());
        let held = Held::on(Arc::clone(&store));
        thread::scope(|scope| {
            let first = held.start_first(scope);
            let over_it = held.start(scope, |transaction| add_tag(transaction, "over it"));
            let unchanged = held.start(scope, |_| Ok(()));
            let refused = held.start(scope, |_| Err(Error::new(Kind::Validation, "No.")));
            store.fail_commit(1, fault);
            held.gate.release();
            for writer in [first, over_it, unchanged, refused] {
                assert_eq!(ended(writer).unwrap_err().kind(), kind, "{fault:?}");
            }
        });
        assert_eq!(tags(&held.site.current()), seen, "{fault:?}");
        assert_eq!(held.commits(), [1], "{fault:?}");

        held.site
            .write(|transaction| add_tag(transaction, "later"))
            .unwrap();
        assert_eq!(tags(&held.site.current()), [&seen[..], &["later"]].concat());
    }
}

#[test]
fn failed_commit_fails_a_running_transaction_built_on_it() {
    let store = Arc::new(MemoryStore::new());
    let held = Held::on(Arc::clone(&store));
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let (go_on, waiting) = mpsc::channel();
        let (begun, has_begun) = mpsc::channel();
        let long = scope.spawn({
            let site = &held.site;
            move || {
                site.write(|transaction| {
                    assert!(transaction.catalog().tags.by_slug("first").is_some());
                    begun.send(()).unwrap();
                    waiting.recv().unwrap();
                    add_tag(transaction, "long")
                })
            }
        });
        has_begun.recv().unwrap();
        store.fail_commit(1, CommitFault::DiskFull);
        held.gate.release();
        assert!(ended(first).is_err());
        go_on.send(()).unwrap();
        assert!(ended(long).is_err());
    });
    assert_eq!(tags(&held.site.current()), [""; 0]);
    held.site
        .write(|transaction| add_tag(transaction, "later"))
        .unwrap();
    assert_eq!(tags(&held.site.current()), ["later"]);
}

#[test]
fn panicking_commit_leaves_no_transaction_waiting() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let over_it = held.start(scope, |transaction| add_tag(transaction, "over it"));
        held.gate.panic_once();
        held.gate.release();
        assert!(first.join().is_err());
        assert_eq!(ended(over_it).unwrap_err().kind(), Kind::Internal);
    });
    held.site
        .write(|transaction| add_tag(transaction, "later"))
        .unwrap();
    assert_eq!(tags(&held.site.current()), ["later"]);
}

#[test]
fn result_based_on_uncommitted_data_waits_for_the_commit() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let unchanged = held.start(scope, |transaction| add_tag(transaction, "first"));
        let refused = held.start(scope, |transaction| {
            let taken = transaction.catalog().tags.by_slug("first").is_some();
            Err(Error::new(Kind::Validation, format!("taken: {taken}")))
        });
        let rehearsed = scope.spawn(|| {
            held.site
                .rehearse(|transaction| add_tag(transaction, "first"))
        });
        thread::sleep(Duration::from_millis(50));
        assert!(!unchanged.is_finished() && !refused.is_finished() && !rehearsed.is_finished());
        held.gate.release();
        all_succeed([first, unchanged, rehearsed]);
        assert_eq!(ended(refused).unwrap_err().message(), "taken: true");
    });
}

#[test]
fn large_transaction_is_committed_alone() {
    let held = Held::on(MemoryStore::new());
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let small = held.start(scope, |transaction| add_tag(transaction, "small"));
        let large = scope.spawn(|| {
            held.site.write(|transaction| {
                held.made.fetch_add(1, Ordering::SeqCst);
                add_tag(transaction, "large")?;
                transaction.save_post(
                    post("large", 1),
                    Body::new("a".repeat(2 << 20), false, false),
                )
            })
        });
        while held.made.load(Ordering::SeqCst) < 3 {
            thread::yield_now();
        }
        let later = scope.spawn(|| held.site.write(|transaction| add_tag(transaction, "later")));
        held.gate.release();
        all_succeed([first, small, large, later]);
    });
    assert_eq!(held.commits(), [1, 1, 1, 1]);
    assert_eq!(
        tags(&held.site.current()),
        ["first", "large", "later", "small"]
    );
}

#[test]
fn group_commit_is_durable_across_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("galley.redb");
    let held = Held::on(faulty_disk::open_on(&path, 1 << 20, &Arc::default()));
    thread::scope(|scope| {
        let first = held.start_first(scope);
        let second = held.start(scope, |transaction| {
            transaction.save_post(
                post("letter", 1),
                Body::new("<p>1</p>".to_owned(), false, false),
            )
        });
        let third = held.start(scope, |transaction| {
            transaction.save_post(
                post("letter", 2),
                Body::new("<p>2</p>".to_owned(), false, false),
            )
        });
        held.gate.release();
        all_succeed([first, second, third]);
    });
    let revision = held.site.current().catalog.revision;
    assert_eq!(held.commits(), [1, 2]);
    drop(held);

    let site = open_file(&path);
    let snapshot = site.current();
    assert_eq!(snapshot.catalog.revision, revision);
    assert_eq!(post_body(&snapshot), "<p>2</p>");
    assert_eq!(tags(&snapshot), ["first"]);
}

fn post_body(snapshot: &SiteSnapshot) -> String {
    let found = snapshot.catalog.posts.by_slug("letter").unwrap();
    snapshot.html(found.id).unwrap().unwrap()
}

#[test]
fn bodies_are_readable_after_a_commit_on_a_full_disk() {
    let folder = tempfile::tempdir().unwrap();
    let trouble = Arc::new(Trouble::default());
    let without_cache = 0;
    let store = faulty_disk::open_on(&folder.path().join("galley.redb"), without_cache, &trouble);
    let site = open(store);
    let save = |text: &str| {
        let body = Body::new(text.to_owned(), false, false);
        site.write_once(|transaction| transaction.save_post(post("letter", 1), body))
    };
    save("<p>stored</p>").unwrap();

    trouble.start(NO_SPACE, 0);
    save(&"too long ".repeat(100_000)).unwrap_err();

    assert_eq!(post_body(&site.current()), "<p>stored</p>");
    trouble.stop();
    save("<p>new</p>").unwrap();
    assert_eq!(post_body(&site.current()), "<p>new</p>");
}
