//! Rules for several sites on one store, like the sites of several processes: all see the changes that one has
//! acknowledged, and concurrent changes are serialised.

mod following;
mod histories;

pub use following::sites_that_follow_each_other_are_as_if_just_opened;
pub use histories::concurrent_changes_of_several_processes_are_linearizable;

use std::{
    collections::BTreeSet,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
    thread,
};

use following::state;
use galley::{
    clock::SystemClock,
    domain::{post::Body, tag::Tag},
    error::{Error, Kind},
    id::Id,
    site::{CommitTopic, Site},
};

use crate::{
    shared_store::SharedStore,
    site_records::{post, tag},
};

fn open(store: &dyn SharedStore) -> Site {
    Site::open(store.open(), Arc::new(SystemClock)).unwrap()
}

fn add_tag(site: &Site, name: &str) {
    site.write(|transaction| transaction.save(tag(name)))
        .unwrap();
}

fn tags(site: &Site) -> Vec<String> {
    crate::site_records::tags(&site.current())
}

pub fn a_new_site_is_completed_once(store: &dyn SharedStore) {
    let sites = thread::scope(|scope| {
        let opened = [(); 4].map(|()| scope.spawn(|| open(store)));
        opened.map(|site| site.join().unwrap())
    });
    let states = sites.map(|site| {
        site.follow().unwrap();
        state(&site)
    });
    assert!(states.iter().all(|state| *state == states[0]));
    assert_eq!(states[0]["tiers"].as_array().unwrap().len(), 2);
}

pub fn an_acknowledged_change_is_seen_by_the_next_change_elsewhere(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    add_tag(&one, "a");

    let found = other.write(|transaction| Ok(transaction.catalog().tags.by_slug("a").is_some()));

    assert!(found.unwrap());
    assert_eq!(tags(&other), ["a"]);
}

pub fn readers_elsewhere_see_a_change_once_they_follow(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    let body = || Body::new("<p>Text</p>".to_owned(), false, false);
    one.write(|transaction| transaction.save_post(post("letter", 1), body()))
        .unwrap();
    let before = other.current().catalog.readers_revision;

    other.follow().unwrap();

    let snapshot = other.current();
    let found = snapshot.catalog.posts.by_slug("letter").unwrap();
    let html = snapshot.html(found.id).unwrap();
    assert_eq!(html.as_deref(), Some("<p>Text</p>"));
    assert!(snapshot.catalog.readers_revision > before);
}

pub fn slugs_that_were_swapped_lead_to_the_right_records_elsewhere(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    let body = || Body::new("<p>Text</p>".to_owned(), false, false);
    let posts = ["harbour", "kitchen"].map(|slug| post(slug, 1));
    let at = |number: usize, slug: &str| galley::domain::post::Post {
        slug: slug.into(),
        ..posts[number].clone()
    };
    one.write(|transaction| {
        for (number, slug) in ["harbour", "kitchen"].iter().enumerate() {
            transaction.save(tag(slug))?;
            transaction.save_post(at(number, slug), body())?;
        }
        Ok(())
    })
    .unwrap();
    other.follow().unwrap();

    one.write(|transaction| {
        let tags = ["harbour", "kitchen"].map(tag);
        let with_slug = |tag: &Tag, slug: &str| Tag {
            slug: slug.into(),
            ..tag.clone()
        };
        transaction.save(with_slug(&tags[0], "between"))?;
        transaction.save(with_slug(&tags[1], "harbour"))?;
        transaction.save(with_slug(&tags[0], "kitchen"))?;
        transaction.save_post(at(0, "between"), body())?;
        transaction.save_post(at(1, "harbour"), body())?;
        transaction.save_post(at(0, "kitchen"), body())
    })
    .unwrap();
    other.follow().unwrap();

    for site in [&one, &other] {
        let catalog = &site.current().catalog;
        let post = |slug| catalog.posts.by_slug(slug).map(|post| post.id);
        assert_eq!(post("harbour"), Some(posts[1].id));
        assert_eq!(post("kitchen"), Some(posts[0].id));
        let tag = |slug| catalog.tags.by_slug(slug).map(|tag| tag.name.to_string());
        assert_eq!(tag("harbour").as_deref(), Some("kitchen"));
        assert_eq!(tag("kitchen").as_deref(), Some("harbour"));
    }
}

pub fn what_waits_for_changes_is_woken_by_those_of_others(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    let woken = Arc::new(Mutex::new(BTreeSet::new()));
    for (topic, name) in [
        (CommitTopic::Changes, "changes"),
        (CommitTopic::Texts, "texts"),
        (CommitTopic::Mail, "mail"),
    ] {
        let woken = Arc::clone(&woken);
        other.on_commit(topic, move || {
            woken.lock().unwrap().insert(name);
        });
    }
    other.record_changed_texts();
    one.write(|transaction| transaction.save_post(post("letter", 1), Body::default()))
        .unwrap();

    other.follow().unwrap();

    assert_eq!(*woken.lock().unwrap(), ["changes", "texts"].into());
    let texts = other.take_changed_texts();
    assert_eq!(texts, [Id::derive("post", "letter")].into());
}

pub fn a_change_that_is_overtaken_runs_again_on_what_the_other_left(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    let runs = AtomicUsize::new(0);

    let seen = one.write(|transaction| {
        if runs.fetch_add(1, SeqCst) == 0 {
            add_tag(&other, "theirs");
        }
        transaction.save(tag("ours"))?;
        Ok(transaction.catalog().tags.len())
    });

    assert_eq!((seen.unwrap(), runs.into_inner()), (2, 2));
    other.follow().unwrap();
    assert_eq!(tags(&one), ["ours", "theirs"]);
    assert_eq!(tags(&other), ["ours", "theirs"]);
}

pub fn a_change_that_is_always_overtaken_has_the_store_to_itself_in_the_end(
    store: &dyn SharedStore,
) {
    let (one, other) = (open(store), open(store));
    let is_over = AtomicBool::new(false);
    let written = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(SeqCst) {
                let number = written.fetch_add(1, SeqCst);
                add_tag(&other, &format!("theirs-{}", number % 10));
                other
                    .write(|transaction| transaction.remove::<Tag>(Id::derive("tag", "theirs-0")))
                    .unwrap();
            }
        });
        one.write(|transaction| {
            // Gives the other site time to write, if it can.
            let before = written.load(SeqCst);
            for _ in 0..200 {
                if written.load(SeqCst) > before + 2 {
                    break;
                }
                thread::sleep(std::time::Duration::from_millis(1));
            }
            transaction.save(tag("ours"))
        })
        .unwrap();
        is_over.store(true, SeqCst);
    });
    assert!(tags(&one).contains(&"ours".to_owned()));
}

pub fn a_change_that_cannot_run_twice_runs_once(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    let once = String::from("ours");
    thread::scope(|scope| {
        let mut elsewhere = None;
        one.write_once(|transaction| {
            elsewhere = Some(scope.spawn(|| add_tag(&other, "theirs")));
            transaction.save(tag(&once))?;
            drop(once);
            Ok(())
        })
        .unwrap();
        elsewhere.unwrap().join().unwrap();
    });
    one.follow().unwrap();
    assert_eq!(tags(&one), ["ours", "theirs"]);
}

pub fn a_refusal_that_follows_from_what_was_overtaken_is_not_final(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    let runs = AtomicUsize::new(0);

    // The name is free when the transaction begins, but taken when it commits.
    let refused = one.write(|transaction| {
        if transaction.catalog().tags.by_slug("a").is_some() {
            return Err(Error::new(Kind::Validation, "taken"));
        }
        if runs.fetch_add(1, SeqCst) == 0 {
            add_tag(&other, "a");
        }
        transaction.save(tag("a"))
    });

    assert_eq!(refused.unwrap_err().kind(), Kind::Validation);
    assert_eq!(tags(&one), ["a"]);
}

pub fn a_store_that_forgot_what_changed_is_read_again(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    other.record_changed_texts();
    one.write(|transaction| {
        transaction.save_post(post("letter", 1), Body::default())?;
        (0..1000).try_for_each(|number| transaction.save(tag(&number.to_string())))
    })
    .unwrap();

    other.follow().unwrap();

    assert_eq!(state(&other), state(&one));
    assert!(
        other
            .take_changed_texts()
            .contains(&Id::derive("post", "letter"))
    );
}

pub fn a_client_finds_at_once_what_another_process_acknowledged(store: &dyn SharedStore) {
    let (one, other) = (open(store), open(store));
    for number in 0..20 {
        add_tag(&one, &number.to_string());
        other.follow_at_once();
        assert_eq!(tags(&other).len(), number + 1);
    }
}

/// Calls the macro `$tests` with the rules of a store.
#[macro_export]
macro_rules! sharing_rules {
    ($tests:ident) => {
        $tests! { sharing
            a_new_site_is_completed_once
            an_acknowledged_change_is_seen_by_the_next_change_elsewhere
            readers_elsewhere_see_a_change_once_they_follow
            slugs_that_were_swapped_lead_to_the_right_records_elsewhere
            what_waits_for_changes_is_woken_by_those_of_others
            a_change_that_is_overtaken_runs_again_on_what_the_other_left
            a_change_that_is_always_overtaken_has_the_store_to_itself_in_the_end
            a_change_that_cannot_run_twice_runs_once
            a_refusal_that_follows_from_what_was_overtaken_is_not_final
            a_store_that_forgot_what_changed_is_read_again
            concurrent_changes_of_several_processes_are_linearizable
        }
    };
}

/// Calls the macro `$tests` with the rules of a store that several processes share.
#[macro_export]
macro_rules! shared_sharing_rules {
    ($tests:ident) => {
        $tests! { sharing
            a_client_finds_at_once_what_another_process_acknowledged
        }
    };
}
