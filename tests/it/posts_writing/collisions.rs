//! Tests of concurrent updates: an update of a stale state is rejected, and no change is lost.

use std::{sync::Arc, thread};

use galley::{
    admin::posts::{PostChange, TagReference},
    catalog::fields::POST_TEXTS,
    clock::{SystemClock, whole_milliseconds},
    domain::{post::Post, role::Role},
    error::Kind,
    site::Site,
    store::memory::MemoryStore,
};
use jiff::{SignedDuration, Timestamp};

use super::post_site::{PostSite, author, integration, refusal, titled};

fn tag(name: &str) -> TagReference {
    TagReference {
        name: Some(name.to_owned()),
        ..TagReference::default()
    }
}

/// Returns a change of only this text.
fn side_text(name: &str) -> PostChange {
    let field = POST_TEXTS.iter().find(|field| field.name == name).unwrap();
    PostChange {
        texts: vec![(field, Some("Beside".to_owned()))],
        ..PostChange::default()
    }
}

#[test]
fn concurrent_update_of_one_state_is_rejected_even_within_a_second() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("First"));
    let changed = post_site.edit(&post, titled("Second"));
    assert!(changed.updated_at > post.updated_at);
    let late = post_site.edit_as(&integration(), &post, titled("Third"));
    let error = late.unwrap_err();
    assert_eq!(error.kind(), Kind::UpdateCollision);
    assert_eq!(error.code_name(), Some("UPDATE_COLLISION"));
    assert_eq!(&*post_site.read(post.id).unwrap().title, "Second");
}

#[test]
fn changes_within_a_second_have_different_dates_in_that_second() {
    const CHANGES: usize = 50;
    let post_site = PostSite::new();
    let mut states = vec![post_site.add(titled("First"))];
    for number in 1..=CHANGES {
        states.push(post_site.edit(&states[number - 1], titled(&format!("State {number}"))));
    }

    let milliseconds = |post: &Post| (post.updated_at - post_site.now()).get_milliseconds();
    let dates: Vec<i64> = states.iter().map(|post| milliseconds(post)).collect();
    assert_eq!(dates, Vec::from_iter(0..=50));
    let earlier = &states[..CHANGES];
    for state in earlier {
        let late = post_site.edit_as(&integration(), state, titled("Late"));
        assert_eq!(refusal(late), Some(Kind::UpdateCollision));
    }
    assert_eq!(&*post_site.read(states[0].id).unwrap().title, "State 50");
}

#[test]
fn rapid_changes_are_not_dated_ahead_of_the_clock() {
    let site = Site::open(Box::new(MemoryStore::new()), Arc::new(SystemClock)).unwrap();
    site.write(|transaction| {
        let mut before = whole_milliseconds(Timestamp::now());
        for _ in 0..50 {
            let date = transaction.changed_after(before);
            assert!(date > before && date <= Timestamp::now(), "{date}");
            before = date;
        }
        Ok(())
    })
    .unwrap();
}

#[test]
fn change_in_a_later_second_is_dated_by_the_whole_second() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("First"));
    let second = post_site.edit(&post, titled("Second"));
    post_site.advance_clock(SignedDuration::from_secs(1));

    let third = post_site.edit(&second, titled("Third"));

    assert_eq!(third.updated_at, post_site.now());
}

#[test]
fn client_with_whole_seconds_collides_only_in_a_later_second() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("First"));
    post_site.edit(&post, titled("Second"));
    let known = |title| PostChange {
        knows_whole_seconds: true,
        ..titled(title)
    };

    let changed = post_site.edit(&post, known("Third"));
    post_site.advance_clock(SignedDuration::from_secs(1));
    post_site.edit(&changed, titled("Fourth"));
    let late = post_site.edit_as(&integration(), &changed, known("Fifth"));

    assert_eq!(refusal(late), Some(Kind::UpdateCollision));
}

/// Earlier versions dated each change at least a second after the previous one, ahead of the clock.
#[test]
fn post_dated_ahead_of_the_clock_is_changed_in_order() {
    let post_site = PostSite::new();
    let ahead = SignedDuration::from_secs(15);
    let post = post_site.add(titled("First"));
    let post = Post {
        updated_at: post_site.now() + ahead,
        ..Post::clone(&post)
    };
    post_site
        .site
        .write_once(|transaction| transaction.update_post(post.clone()))
        .unwrap();

    let changed = post_site.edit(&post, titled("Second"));
    let late = post_site.edit_as(&integration(), &post, titled("Late"));
    post_site.advance_clock(ahead + ahead);
    let later = post_site.edit(&changed, titled("Third"));

    assert_eq!(
        changed.updated_at,
        post.updated_at + SignedDuration::from_millis(1)
    );
    assert_eq!(refusal(late), Some(Kind::UpdateCollision));
    assert_eq!(later.updated_at, post_site.now());
}

#[test]
fn post_dates_and_ids_increase_even_if_the_clock_is_set_back() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("First"));
    post_site.advance_clock(SignedDuration::from_hours(-24));

    let changed = post_site.edit(&post, titled("Later"));
    let next = post_site.add(titled("Next"));

    assert!(changed.updated_at > post.updated_at);
    assert!(next.id > post.id);
}

#[test]
fn unchanged_update_keeps_the_date_and_adds_no_audit_entry() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Same"));
    post_site.advance_clock(SignedDuration::from_mins(1));
    let revision = post_site.site.current().catalog.revision;
    let written = post_site
        .edit_as(&integration(), &post, titled("Same"))
        .unwrap();
    assert!(!written.is_changed());
    assert_eq!(written.after.updated_at, post.updated_at);
    assert_eq!(post_site.site.current().catalog.revision, revision);
}

#[test]
fn relations_and_metadata_do_not_change_the_date() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Tagged"));
    post_site.advance_clock(SignedDuration::from_mins(1));
    let changes = [
        PostChange {
            tags: Some(vec![tag("A tag")]),
            ..PostChange::default()
        },
        PostChange {
            authors: Some(vec![author(Role::Editor)]),
            ..PostChange::default()
        },
        PostChange {
            email_only: Some(true),
            ..PostChange::default()
        },
        side_text("meta_title"),
        side_text("feature_image_alt"),
        side_text("email_subject"),
    ];
    for change in changes {
        // Each change is based on the date of the first state.
        let written = post_site.edit_as(&integration(), &post, change).unwrap();
        assert!(written.is_changed());
        assert_eq!(written.after.updated_at, post.updated_at);
    }
    let outcome = post_site.edit_as(&integration(), &post, titled("Renamed"));
    assert!(outcome.unwrap().after.updated_at > post.updated_at);
}

#[test]
fn update_of_metadata_or_nothing_needs_no_updated_at() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("First"));
    post_site.edit(&post, titled("Second"));
    for change in [titled("Second"), side_text("meta_title")] {
        let outcome = post_site.edit_as(&integration(), &post, change);
        assert_eq!(refusal(outcome), None);
    }
}

#[test]
fn updates_of_only_relations_collide_too() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Tagged"));
    post_site.edit(&post, titled("Tagged again"));
    let change = PostChange {
        tags: Some(vec![tag("A tag")]),
        ..PostChange::default()
    };
    let outcome = post_site.edit_as(&integration(), &post, change);
    assert_eq!(refusal(outcome), Some(Kind::UpdateCollision));
}

#[test]
fn exactly_one_of_many_concurrent_updates_succeeds() {
    const WRITERS: usize = 64;
    let post_site = PostSite::new();
    let post = post_site.add(titled("Wanted by many"));
    let outcomes: Vec<bool> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (post_site, post) = (&post_site, &post);
                let change = titled(&format!("By writer {number}"));
                scope.spawn(move || post_site.edit_as(&integration(), post, change).is_ok())
            })
            .collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    assert_eq!(outcomes.iter().filter(|was_made| **was_made).count(), 1);
    let winner = outcomes.iter().position(|was_made| *was_made).unwrap();
    let title = format!("By writer {winner}");
    assert_eq!(*post_site.read(post.id).unwrap().title, *title);
}

#[test]
fn writers_that_reread_all_succeed() {
    const WRITERS: usize = 16;
    let post_site = PostSite::new();
    let post = post_site.add(titled(""));
    thread::scope(|scope| {
        for number in 0..WRITERS {
            let (post_site, id) = (&post_site, post.id);
            scope.spawn(move || {
                loop {
                    let now = post_site.read(id).unwrap();
                    let change = titled(&format!("{} {number}", now.title));
                    if post_site.edit_as(&integration(), &now, change).is_ok() {
                        break;
                    }
                }
            });
        }
    });
    let title = post_site.read(post.id).unwrap().title.clone();
    for number in 0..WRITERS {
        let number = number.to_string();
        assert!(title.split(' ').any(|word| word == number), "{title}");
    }
}
