//! Tests of the permissions of authors and contributors on their own posts and on posts of others.

use galley::{
    admin::posts::{PostChange, TagReference},
    domain::{
        post::{PostKind, Status, Visibility},
        role::Role::{Author, Contributor, Editor, Owner},
    },
    error::Kind,
};

use super::post_site::{PostSite, author, by, integration, refusal, titled, user, user_id};

const REFUSED: Option<Kind> = Some(Kind::NoPermission);

fn with_status(status: Status) -> PostChange {
    PostChange {
        status: Some(status),
        ..PostChange::default()
    }
}

#[test]
fn author_becomes_the_only_author_of_their_posts() {
    let post_site = PostSite::new();
    for role in [Author, Contributor] {
        let add = |change| post_site.add_as(&user(role), PostKind::Post, change);
        assert_eq!(refusal(add(titled("Without authors"))), REFUSED);
        assert_eq!(refusal(add(by(Owner))), REFUSED);
        let together = PostChange {
            authors: Some(vec![author(role), author(Owner)]),
            ..titled("Together")
        };
        assert_eq!(add(together).unwrap().authors, [user_id(role)]);
    }
}

#[test]
fn co_author_may_edit_but_only_the_first_author_may_delete() {
    let post_site = PostSite::new();
    let second = PostChange {
        authors: Some(vec![author(Owner), author(Author)]),
        ..titled("Named second")
    };
    let post = post_site.add(second);
    let post = post_site
        .edit_as(&user(Author), &post, titled("Edited"))
        .unwrap()
        .after;
    assert_eq!(refusal(post_site.delete_as(&user(Author), &post)), REFUSED);
    let others = post_site.add(by(Owner));
    let outcome = post_site.edit_as(&user(Author), &others, titled("Not mine"));
    assert_eq!(refusal(outcome), REFUSED);
    let own = post_site.add(by(Author));
    assert!(post_site.delete_as(&user(Author), &own).is_ok());
}

#[test]
fn authors_cannot_change_the_first_author_and_other_author_changes_are_ignored() {
    let post_site = PostSite::new();
    for role in [Author, Contributor] {
        let post = post_site.add(by(role));
        let handed_over = PostChange {
            authors: Some(vec![author(Owner)]),
            ..PostChange::default()
        };
        let outcome = post_site.edit_as(&user(role), &post, handed_over);
        assert_eq!(refusal(outcome), REFUSED);
        let joined = PostChange {
            authors: Some(vec![author(role), author(Owner)]),
            ..PostChange::default()
        };
        let written = post_site.edit_as(&user(role), &post, joined).unwrap();
        assert_eq!(written.after.authors, [user_id(role)]);
    }
}

#[test]
fn contributors_write_untagged_drafts_and_cannot_edit_published_posts() {
    let post_site = PostSite::new();
    let contributor = user(Contributor);
    let published = PostChange {
        status: Some(Status::Published),
        ..by(Contributor)
    };
    let outcome = post_site.add_as(&contributor, PostKind::Post, published.clone());
    assert_eq!(refusal(outcome), REFUSED);

    let tagged = PostChange {
        tags: Some(vec![TagReference {
            name: Some("New".to_owned()),
            ..TagReference::default()
        }]),
        visibility: Some(Visibility::Members),
        ..by(Contributor)
    };
    let draft = post_site
        .add_as(&contributor, PostKind::Post, tagged)
        .unwrap();
    assert_eq!(draft.tags, []);
    assert_eq!(draft.visibility, Visibility::Members);
    assert!(post_site.site.current().catalog.tags.is_empty());
    let outcome = post_site.edit_as(&contributor, &draft, with_status(Status::Published));
    assert_eq!(refusal(outcome), REFUSED);
    assert!(
        post_site
            .edit_as(&contributor, &draft, with_status(Status::Draft))
            .is_ok()
    );

    let out = post_site.add(published);
    let outcome = post_site.edit_as(&contributor, &out, titled("Too late"));
    assert_eq!(refusal(outcome), REFUSED);
    assert_eq!(refusal(post_site.delete_as(&contributor, &out)), REFUSED);
}

#[test]
fn authors_publish_and_tag_but_cannot_set_visibility() {
    let post_site = PostSite::new();
    let post = post_site.add(by(Author));
    let change = PostChange {
        status: Some(Status::Published),
        tags: Some(vec![TagReference {
            name: Some("Fresh".to_owned()),
            ..TagReference::default()
        }]),
        // Sending the current value of a field is not a change.
        visibility: Some(Visibility::Public),
        ..PostChange::default()
    };
    let post = post_site
        .edit_as(&user(Author), &post, change)
        .unwrap()
        .after;
    assert_eq!((post.status, post.tags.len()), (Status::Published, 1));
    let closed = PostChange {
        visibility: Some(Visibility::Paid),
        ..PostChange::default()
    };
    let outcome = post_site.edit_as(&user(Author), &post, closed);
    assert_eq!(refusal(outcome), REFUSED);
}

#[test]
fn copying_and_adding_pages_needs_an_editor() {
    let post_site = PostSite::new();
    for role in [Author, Contributor] {
        let own = post_site.add(by(role));
        assert_eq!(refusal(post_site.copy_as(&user(role), &own)), REFUSED);
        let page = post_site.add_as(&user(role), PostKind::Page, by(role));
        assert_eq!(refusal(page), REFUSED);
    }
    let page = post_site
        .add_as(&user(Editor), PostKind::Page, titled("About"))
        .unwrap();
    assert_eq!(page.authors, [user_id(Editor)]);
}

#[test]
fn contributor_edits_but_cannot_publish_own_pages() {
    let post_site = PostSite::new();
    let contributor = user(Contributor);
    let page = post_site
        .add_as(&integration(), PostKind::Page, by(Contributor))
        .unwrap();
    let outcome = post_site.edit_as(&contributor, &page, with_status(Status::Published));
    assert_eq!(refusal(outcome), REFUSED);
    let page = post_site
        .edit_as(&contributor, &page, titled("Mine"))
        .unwrap();
    assert!(post_site.delete_as(&contributor, &page.after).is_ok());
}

#[test]
fn rejected_changes_leave_no_records() {
    let post_site = PostSite::new();
    let revision = post_site.site.current().catalog.revision;
    let change = PostChange {
        tags: Some(vec![
            TagReference {
                name: Some("Made in passing".to_owned()),
                ..TagReference::default()
            },
            TagReference {
                name: Some(String::new()),
                ..TagReference::default()
            },
        ]),
        ..titled("Refused for its last tag")
    };
    let outcome = post_site.add_as(&integration(), PostKind::Post, change);
    assert_eq!(refusal(outcome), Some(Kind::Validation));
    assert_eq!(post_site.site.current().catalog.revision, revision);
}
