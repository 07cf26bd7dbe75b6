//! Tests of post revisions.

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
    store::Table,
};
use jiff::SignedDuration;

use super::post_site::{PostSite, by, integration, titled, user, user_id};

fn reasons(post_site: &PostSite, post: galley::id::Id) -> Vec<RevisionReason> {
    let revisions = post_site.revisions(post);
    revisions
        .iter()
        .map(|(revision, _)| revision.reason)
        .collect()
}

fn titles(post_site: &PostSite, post: galley::id::Id) -> Vec<String> {
    let revisions = post_site.revisions(post);
    revisions
        .iter()
        .map(|(revision, _)| revision.title.to_string())
        .collect()
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

fn text(post_site: &PostSite, text: &str) -> PostChange {
    let document = body::of_html(&format!("<p>{text}</p>"), post_site.url()).unwrap();
    PostChange {
        body: Some(BodyChange::Document(document.into())),
        ..PostChange::default()
    }
}

#[test]
fn revisions_are_stored_first_on_request_and_at_intervals() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("One"));
    let post = post_site.edit(&post, titled("Two"));
    assert_eq!(reasons(&post_site, post.id), [InitialRevision]);
    let post = post_site.edit(&post, explicitly(titled("Three")));
    let post = post_site.edit(&post, explicitly(titled("Three")));
    post_site.advance_clock(SignedDuration::from_mins(10));
    let post = post_site.edit(&post, text(&post_site, "A text."));
    assert_eq!(
        reasons(&post_site, post.id),
        [InitialRevision, ExplicitSave, ExplicitSave]
    );
    post_site.advance_clock(SignedDuration::from_secs(1));
    let post = post_site.edit(&post, titled("Three"));
    assert_eq!(
        reasons(&post_site, post.id),
        [InitialRevision, ExplicitSave, ExplicitSave, BackgroundSave]
    );
    assert_eq!(
        titles(&post_site, post.id),
        ["One", "Three", "Three", "Three"]
    );
    assert!(post_site.revisions(post.id)[3].1.contains("A text."));
}

#[test]
fn each_save_of_a_published_post_stores_a_revision() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        status: Some(Status::Published),
        ..titled("One")
    });
    let post = post_site.edit(&post, titled("Two"));
    let saved = post_site
        .edit_as(&integration(), &post, titled("Two"))
        .unwrap();
    assert!(!saved.is_changed());
    assert_eq!(
        reasons(&post_site, post.id),
        [InitialRevision, Published, Published]
    );
    assert_eq!(titles(&post_site, post.id), ["One", "Two", "Two"]);
    let author = post_site.revisions(post.id)[1].0.author;
    assert_eq!(author, Some(user_id(Role::Owner)));
}

#[test]
fn revision_is_marked_published_only_if_the_client_sends_the_status() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        email_only: Some(true),
        ..titled("A letter")
    });
    let post = post_site.edit(&post, with_status(Status::Published));
    let post = post_site.edit(&post, titled("A letter, corrected"));
    let post = post_site.edit(&post, with_status(Status::Draft));
    assert_eq!(reasons(&post_site, post.id), [InitialRevision, Published]);
    assert_eq!(post_site.revisions(post.id)[1].0.status, Status::Sent);
}

#[test]
fn scheduled_publication_stores_a_revision_of_the_owner() {
    let post_site = PostSite::new();
    let author = user(Role::Author);
    let post = post_site.add(PostChange {
        status: Some(Status::Scheduled),
        published_at: Some(Some(post_site.now() + SignedDuration::from_mins(1))),
        ..by(Role::Author)
    });
    let post = post_site
        .edit_as(&author, &post, titled("Soon"))
        .unwrap()
        .after;
    post_site.advance_clock(SignedDuration::from_mins(2));
    post_site.publish_due_posts(&[post.id]);
    assert_eq!(reasons(&post_site, post.id), [InitialRevision, Published]);
    let (revision, _) = &post_site.revisions(post.id)[1];
    assert_eq!(
        (revision.author, &*revision.title),
        (Some(user_id(Role::Owner)), "Soon")
    );
    assert!(post_site.read(post.id).unwrap().updated_at > post.updated_at);
}

#[test]
fn revisions_share_equal_documents() {
    let post_site = PostSite::new();
    let mut post = post_site.add(PostChange {
        title: Some("0".to_owned()),
        ..text(&post_site, "A text.")
    });
    for number in 1..REVISIONS_MAX {
        post = post_site.edit(&post, explicitly(titled(&number.to_string())));
    }
    // One record for the list of revisions, and one for the shared document.
    assert_eq!(post_site.records(Table::PostRevisions), 2);
    for number in 0..REVISIONS_MAX {
        assert!(
            post_site
                .revisions(post.id)
                .iter()
                .all(|(_, body)| body.contains("text"))
        );
        post = post_site.edit(
            &post,
            explicitly(text(&post_site, &format!("Another text {number}."))),
        );
    }
    assert!(
        post_site
            .revisions(post.id)
            .iter()
            .all(|(_, body)| body.contains("Another"))
    );
    assert_eq!(post_site.records(Table::PostRevisions), 1 + REVISIONS_MAX);
    post_site.delete_as(&user(Role::Owner), &post).unwrap();
    assert_eq!(post_site.records(Table::PostRevisions), 0);
}

#[test]
fn publishing_and_unpublishing_store_a_revision_with_the_author() {
    let post_site = PostSite::new();
    let post = post_site.add(by(Role::Author));
    let author = user(Role::Author);
    let post = post_site
        .edit_as(&author, &post, with_status(Status::Published))
        .unwrap()
        .after;
    let post = post_site
        .edit_as(&author, &post, with_status(Status::Draft))
        .unwrap()
        .after;
    assert_eq!(
        reasons(&post_site, post.id),
        [InitialRevision, Published, Unpublished]
    );
    let (latest, _) = &post_site.revisions(post.id)[2];
    assert_eq!(latest.author, Some(user_id(Role::Author)));
    assert_eq!(latest.status, Status::Draft);
}

#[test]
fn oldest_revisions_are_removed_first() {
    let post_site = PostSite::new();
    let mut post = post_site.add(titled("0"));
    for number in 1..=REVISIONS_MAX {
        post = post_site.edit(&post, explicitly(titled(&number.to_string())));
    }
    let revisions = post_site.revisions(post.id);
    assert_eq!(revisions.len(), REVISIONS_MAX);
    assert_eq!(&*revisions[0].0.title, "1");
    assert_eq!(
        &*revisions[REVISIONS_MAX - 1].0.title,
        REVISIONS_MAX.to_string()
    );
}

#[test]
fn revisions_are_deleted_with_their_post() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Short-lived"));
    post_site.delete_as(&user(Role::Owner), &post).unwrap();
    assert_eq!(post_site.revisions(post.id), []);
}
