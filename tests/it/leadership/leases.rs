//! Tests of leases: which process leads, for any work.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use galley::{
    clock::SystemClock,
    domain::tag::Tag,
    error::Error,
    id::Id,
    leadership::{Leadership, Workers},
    site::{LeasedSite, Site, Work},
    store::{
        NewNode, Store,
        memory::{CommitFault, MemoryStore},
    },
};
use galley_tests::{wait::PATIENCE, wait_until};

use super::{LEASE_TIME, Process, Rights};

const WORK: Work = Work::Scheduler;

fn shared() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::shared())
}

fn tag(name: &str) -> Tag {
    let id = Id::derive("tag", name);
    Tag::new(id, name, name, jiff::Timestamp::UNIX_EPOCH)
}

fn has_tag(site: &Site, name: &str) -> bool {
    site.follow().unwrap();
    site.current().catalog.tags.by_slug(name).is_some()
}

fn add_tag(site: &LeasedSite, name: &str) -> Result<(), Error> {
    site.write(|transaction| transaction.save(tag(name)))
}

/// Starts two processes, the first of which leads.
fn two(store: &Arc<MemoryStore>) -> [(Process, Rights); 2] {
    ["one", "other"].map(|name| {
        let mut process = Process::start(store, name);
        let rights = process.leads(WORK);
        (process, rights)
    })
}

#[test]
fn process_with_an_unshared_store_leads_all_work_without_a_lease() {
    let store = Arc::new(MemoryStore::new());
    let site = Site::open(Box::new(Arc::clone(&store)), Arc::new(SystemClock)).unwrap();
    let site = Arc::new(site);
    let revision = site.current().catalog.revision;
    let node = NewNode {
        name: "one".to_owned(),
        version: String::new(),
        lease_time: LEASE_TIME,
    };
    let mut leadership = Leadership::join(Arc::clone(&site), node).unwrap();
    let rights = Rights::default();
    let leased = rights.clone();
    let start = move |site| -> io::Result<Workers> {
        leased.0.lock().unwrap().push(site);
        Ok(Box::new(()))
    };
    leadership.lead(WORK, start).unwrap();

    assert!(rights.is_valid());
    assert!(site.leases().unwrap().is_empty());
    assert_eq!(site.current().catalog.revision, revision);
    add_tag(&rights.last(), "a").unwrap();
    assert!(has_tag(&site, "a"));
}

#[test]
fn nothing_is_written_to_a_shared_store_without_a_lease() {
    let process = Process::start(&shared(), "one");
    let site = LeasedSite::from(Arc::clone(&process.site));
    assert!(!site.leads() && site.check_lead().is_err());
    assert!(add_tag(&site, "a").is_err());
    assert!(!has_tag(&process.site, "a"));
}

#[test]
fn one_process_leads_and_is_named_in_the_lease() {
    let [(one, first), (_other, second)] = two(&shared());
    thread::sleep(2 * LEASE_TIME);
    assert_eq!((first.count(), second.count()), (1, 0));
    let lease = &one.site.leases().unwrap()[&WORK];
    assert_eq!((lease.node_name(), lease.number()), ("one", 1));
    let nodes = one.site.nodes().unwrap().alive().unwrap();
    let names: Vec<_> = nodes.iter().map(|node| &*node.name).collect();
    assert_eq!(names, ["one", "other"]);
    assert_eq!(lease.node(), Some(nodes[0].id));
    assert_eq!(nodes[0].revision, one.site.current().catalog.revision);
}

#[test]
fn each_work_is_led_by_the_first_process_that_offers_it() {
    let store = shared();
    let (mut one, mut other) = (
        Process::start(&store, "one"),
        Process::start(&store, "other"),
    );
    assert!(one.leads(Work::Mail).is_valid());
    assert!(other.leads(Work::Webhooks).is_valid());
    assert!(!other.leads(Work::Mail).is_valid());
}

#[test]
fn stopping_process_hands_over_promptly_after_its_workers_have_stopped() {
    /// A worker that takes 300 ms to stop, and then sets the flag.
    struct Slow(Arc<AtomicBool>);
    impl Drop for Slow {
        fn drop(&mut self) {
            thread::sleep(Duration::from_millis(300));
            self.0.store(true, SeqCst);
        }
    }
    let store = shared();
    let long = Duration::from_secs(600);
    let start = |name| Process::start_with(&store, name, long, Arc::new(SystemClock));
    let (mut one, mut other) = (start("one"), start("other"));
    let has_stopped = Arc::<AtomicBool>::default();
    let stopped = Arc::clone(&has_stopped);
    one.lead(WORK, move |_| Box::new(Slow(Arc::clone(&stopped))));
    let started_after_stop = Arc::<AtomicBool>::default();
    let started_after = Arc::clone(&started_after_stop);
    let rights = Rights::default();
    let leased = rights.clone();
    other.lead(WORK, move |site| {
        started_after.store(has_stopped.load(SeqCst), SeqCst);
        leased.0.lock().unwrap().push(site);
        Box::new(())
    });
    assert!(!rights.is_valid());

    drop(one);

    let waited = wait_until("the other process leads", || rights.is_valid());
    assert!(waited < Duration::from_secs(3), "{waited:?}");
    assert!(started_after_stop.load(SeqCst));
}

#[test]
fn unresponsive_process_is_replaced_after_its_lease_time() {
    let [(one, first), (_other, second)] = two(&shared());
    one.pause();
    let waited = wait_until("the other process leads", || second.is_valid());
    // The next check may be a third of the lease time later; the rest is for a busy machine.
    assert!(waited < 2 * LEASE_TIME, "{waited:?}");
    assert!(!first.is_valid());
    assert_eq!(one.site.leases().unwrap()[&WORK].number(), 2);
}

#[test]
fn process_that_continues_after_a_pause_rejoins_and_waits_for_the_lease() {
    let [(one, first), (other, second)] = two(&shared());
    one.pause();
    wait_until("the other process leads", || second.is_valid());
    one.resume();
    thread::sleep(LEASE_TIME);
    assert!(!first.is_valid() && second.is_valid());

    drop(other);

    wait_until("the first process leads again", || first.is_valid());
    assert_eq!(first.count(), 2);
    add_tag(&first.last(), "a").unwrap();
}

#[test]
fn paused_leader_commits_nothing_after_another_took_over() {
    let [(one, first), (other, second)] = two(&shared());
    let late = first.last();
    one.pause();
    wait_until("the other process leads", || second.is_valid());

    let refused = add_tag(&late, "late").unwrap_err();

    assert_eq!(refused.code_name(), Some("LEASE_OVER"));
    let once = late.write_once(|transaction| transaction.save(tag("late")));
    assert!(once.is_err());
    add_tag(&second.last(), "in-time").unwrap();
    assert!(has_tag(&other.site, "in-time") && !has_tag(&other.site, "late"));
}

#[test]
fn transaction_of_a_former_leader_is_not_committed() {
    let [(one, first), (other, second)] = two(&shared());
    let runs = AtomicUsize::new(0);

    let refused = first.last().write(|transaction| {
        if runs.fetch_add(1, SeqCst) == 0 {
            one.pause();
            wait_until("the other process leads", || second.is_valid());
        }
        transaction.save(tag("late"))
    });

    assert_eq!(refused.unwrap_err().code_name(), Some("LEASE_OVER"));
    assert_eq!(runs.into_inner(), 1);
    assert!(!has_tag(&other.site, "late"));
}

#[test]
fn request_from_before_a_pause_commits_nothing_even_if_the_store_was_lost_again() {
    let process = Process::start(&shared(), "one");
    let before = process.site.request_life();
    process.pause();
    wait_until("the process notices", || !process.site.accepts_changes());
    process.resume();
    wait_until("the process rejoins", || process.site.accepts_changes());
    process.lose_store();

    let request = process.site.begin_request(before);
    let refused = process
        .site
        .write(|transaction| transaction.save(tag("late")));
    drop(request);

    assert_eq!(refused.unwrap_err().code_name(), Some("STORE_BUSY"));
    assert!(!has_tag(&process.site, "late"));
    process
        .site
        .write(|transaction| transaction.save(tag("in-time")))
        .unwrap();
}

#[test]
fn lease_whose_commit_was_in_doubt_is_acquired_again() {
    let store = shared();
    let mut one = Process::start(&store, "one");
    store.fail_commit(1, CommitFault::WrittenInDoubt);
    let rights = one.leads(WORK);
    wait_until("the process leads", || rights.is_valid());
    add_tag(&rights.last(), "a").unwrap();
}

#[test]
fn work_that_a_process_cannot_start_is_led_by_another() {
    let store = shared();
    let mut first = Process::start(&store, "first");
    let blocking = first.leads(WORK);
    let mut broken = Process::start(&store, "broken");
    let attempts = Arc::<AtomicUsize>::default();
    let counted = Arc::clone(&attempts);
    let start = move |_| -> io::Result<Workers> {
        counted.fetch_add(1, SeqCst);
        Err(io::Error::other("broken"))
    };
    broken
        .leadership
        .as_mut()
        .unwrap()
        .lead(WORK, start)
        .unwrap();
    assert!(blocking.is_valid());
    drop(first);
    wait_until("the broken process has tried", || attempts.load(SeqCst) > 0);

    let mut other = Process::start(&store, "other");
    let rights = other.leads(WORK);

    wait_until("the other process leads", || rights.is_valid());
    let tried = attempts.load(SeqCst);
    thread::sleep(2 * LEASE_TIME);
    assert!(rights.is_valid() && attempts.load(SeqCst) == tried);
}

#[test]
fn processes_never_lead_at_the_same_time() {
    let store = shared();
    let mut processes: Vec<(Process, Rights)> = ["a", "b", "c"]
        .map(|name| (Process::start(&store, name), Rights::default()))
        .into();
    for (process, rights) in &mut processes {
        *rights = process.leads(WORK);
    }
    let until = Instant::now() + 6 * LEASE_TIME;
    let mut seed = 7_u32;
    let mut changes_at = Instant::now();
    let mut leaders = 0;
    while Instant::now() < until {
        if Instant::now() >= changes_at {
            // A linear congruential generator chooses the paused processes.
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            changes_at += LEASE_TIME / 4;
            for (index, (process, _)) in processes.iter().enumerate() {
                match (seed >> 24) & (1 << index) {
                    0 => process.resume(),
                    _ => process.pause(),
                }
            }
        }
        for (index, (_, rights)) in processes.iter().enumerate() {
            let leads = rights.is_valid();
            let mut others = processes.iter().enumerate();
            let other_leads =
                others.any(|(other, (_, rights))| other != index && rights.is_valid());
            // Leadership may have moved between the checks, so this process is checked again.
            assert!(!(leads && other_leads && rights.is_valid()));
        }
        leaders = processes.iter().map(|(_, rights)| rights.count()).sum();
    }
    assert!(leaders >= 2, "leadership did not move");
    for (process, _) in &processes {
        process.resume();
    }
    let is_led = || processes.iter().any(|(_, rights)| rights.is_valid());
    assert!(wait_until("a process leads again", is_led) < PATIENCE);
}

#[test]
fn heartbeats_commit_nothing() {
    let store = shared();
    let processes = two(&store);
    let revision = store.snapshot().unwrap().revision();
    thread::sleep(2 * LEASE_TIME);
    assert_eq!(store.snapshot().unwrap().revision(), revision);
    drop(processes);
}
