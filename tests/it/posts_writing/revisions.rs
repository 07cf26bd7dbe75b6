//! What a post was, as it is kept.

use galley::{
    admin::posts::{BodyChange, PostChange, body},
    domain::{
        post::Status,
        post_revision::{
            REVISIONS_MAX,
            RevisionReason::{self, *},
        },
        role::Role,
    },
};
use jiff::SignedDuration;

use super::desk::{Desk, by, titled, user, user_id};

fn reasons(desk: &Desk, post: galley::id::Id) -> Vec<RevisionReason> {
    let revisions = desk.revisions(post);
    revisions.iter().map(|(kept, _)| kept.reason).collect()
}

fn explicitly(change: PostChange) -> PostChange {
    PostChange {
        is_explicit_save: true,
        ..change
    }
}

fn with_status(status: Status) -> PostChange {
    PostChange {
        status: Some(status),
        ..PostChange::default()
    }
}

fn text(desk: &Desk, text: &str) -> PostChange {
    let document = body::of_html(&format!("<p>{text}</p>"), desk.address()).unwrap();
    PostChange {
        body: Some(BodyChange::Document(document)),
        ..PostChange::default()
    }
}

#[test]
fn the_first_state_is_kept_and_then_what_was_asked_for_or_what_a_while_separates() {
    let desk = Desk::new();
    let post = desk.add(titled("One"));
    let post = desk.edit(&post, titled("Two"));
    assert_eq!(reasons(&desk, post.id), [InitialRevision]);
    let post = desk.edit(&post, explicitly(titled("Three")));
    let post = desk.edit(&post, explicitly(titled("Three")));
    desk.wait(SignedDuration::from_mins(10));
    let post = desk.edit(&post, text(&desk, "A text."));
    assert_eq!(
        reasons(&desk, post.id),
        [BackgroundSave, ExplicitSave, InitialRevision]
    );
    let titles: Vec<_> = desk
        .revisions(post.id)
        .into_iter()
        .map(|(kept, _)| kept.title)
        .collect();
    assert_eq!(
        titles.iter().map(|title| &**title).collect::<Vec<_>>(),
        ["Three", "Three", "One"]
    );
    assert!(desk.revisions(post.id)[0].1.contains("A text."));
}

#[test]
fn going_public_and_being_taken_back_are_kept_at_once_with_who_did_it() {
    let desk = Desk::new();
    let post = desk.add(by(Role::Author));
    let author = user(Role::Author);
    let post = desk
        .edit_as(&author, &post, with_status(Status::Published))
        .unwrap()
        .after;
    let post = desk
        .edit_as(&author, &post, with_status(Status::Draft))
        .unwrap()
        .after;
    assert_eq!(
        reasons(&desk, post.id),
        [Unpublished, Published, InitialRevision]
    );
    let (latest, _) = &desk.revisions(post.id)[0];
    assert_eq!(latest.author, Some(user_id(Role::Author)));
    assert_eq!(latest.status, Status::Draft);
}

#[test]
fn the_oldest_go_first() {
    let desk = Desk::new();
    let mut post = desk.add(titled("0"));
    for number in 1..=REVISIONS_MAX {
        post = desk.edit(&post, explicitly(titled(&number.to_string())));
    }
    let revisions = desk.revisions(post.id);
    assert_eq!(revisions.len(), REVISIONS_MAX);
    assert_eq!(&*revisions[0].0.title, REVISIONS_MAX.to_string());
    assert_eq!(&*revisions[REVISIONS_MAX - 1].0.title, "1");
}

#[test]
fn they_go_with_their_post() {
    let desk = Desk::new();
    let post = desk.add(titled("Short-lived"));
    desk.delete_as(&user(Role::Owner), &post).unwrap();
    assert_eq!(desk.revisions(post.id), []);
}
