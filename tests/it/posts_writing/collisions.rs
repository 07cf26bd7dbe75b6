//! Who changes what somebody else changed in the meantime is told, and nobody's change is lost.

use std::thread;

use galley::{admin::posts::PostChange, error::Kind};
use jiff::SignedDuration;

use super::desk::{Desk, integration, refusal, titled};

#[test]
fn a_second_change_of_the_same_state_is_refused_within_the_second_too() {
    let desk = Desk::new();
    let post = desk.add(titled("First"));
    let changed = desk.edit(&post, titled("Second"));
    assert!(changed.updated_at > post.updated_at);
    let late = desk.edit_as(&integration(), &post, titled("Third"));
    let error = late.unwrap_err();
    assert_eq!(error.kind(), Kind::UpdateCollision);
    assert_eq!(error.code_name(), Some("UPDATE_COLLISION"));
    assert_eq!(&*desk.read(post.id).unwrap().title, "Second");
}

#[test]
fn a_post_rises_in_date_and_identifier_although_the_clock_is_set_back() {
    let desk = Desk::new();
    let post = desk.add(titled("First"));
    desk.wait(SignedDuration::from_hours(-24));

    let changed = desk.edit(&post, titled("Later"));
    let next = desk.add(titled("Next"));

    assert!(changed.updated_at > post.updated_at);
    assert!(next.id > post.id);
}

#[test]
fn a_change_of_nothing_changes_no_date_and_notes_nothing() {
    let desk = Desk::new();
    let post = desk.add(titled("Same"));
    desk.wait(SignedDuration::from_mins(1));
    let revision = desk.site.current().catalog.revision;
    let written = desk.edit_as(&integration(), &post, titled("Same")).unwrap();
    assert!(!written.is_changed());
    assert_eq!(written.after.updated_at, post.updated_at);
    assert_eq!(desk.site.current().catalog.revision, revision);
}

#[test]
fn relations_alone_collide_as_well() {
    let desk = Desk::new();
    let post = desk.add(titled("Tagged"));
    desk.edit(&post, titled("Tagged again"));
    let change = PostChange {
        tags: Some(Vec::new()),
        ..PostChange::default()
    };
    let outcome = desk.edit_as(&integration(), &post, change);
    assert_eq!(refusal(outcome), Some(Kind::UpdateCollision));
}

#[test]
fn of_many_who_change_one_state_exactly_one_does() {
    const WRITERS: usize = 64;
    let desk = Desk::new();
    let post = desk.add(titled("Wanted by many"));
    let outcomes: Vec<bool> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (desk, post) = (&desk, &post);
                let change = titled(&format!("By writer {number}"));
                scope.spawn(move || desk.edit_as(&integration(), post, change).is_ok())
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
    assert_eq!(*desk.read(post.id).unwrap().title, *title);
}

#[test]
fn writers_who_read_again_all_get_their_turn() {
    const WRITERS: usize = 16;
    let desk = Desk::new();
    let post = desk.add(titled(""));
    thread::scope(|scope| {
        for number in 0..WRITERS {
            let (desk, id) = (&desk, post.id);
            scope.spawn(move || {
                loop {
                    let now = desk.read(id).unwrap();
                    let change = titled(&format!("{} {number}", now.title));
                    if desk.edit_as(&integration(), &now, change).is_ok() {
                        break;
                    }
                }
            });
        }
    });
    let title = desk.read(post.id).unwrap().title.clone();
    for number in 0..WRITERS {
        let number = number.to_string();
        assert!(title.split(' ').any(|word| word == number), "{title}");
    }
}
