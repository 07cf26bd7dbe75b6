//! Tags and authors as posts name them.

use galley::{
    admin::posts::{AuthorReference, PostChange, TagReference},
    domain::{
        post::PostKind,
        role::Role::{Author, Editor, Owner},
        tag::Tag,
        user::User,
    },
    id::Id,
};

use super::desk::{Desk, author, integration, titled, user, user_id};

#[test]
fn authors_are_found_by_address_in_any_case_and_the_owner_stands_in_for_the_unknown_once() {
    let desk = Desk::new();
    let by_email = |email: &str| AuthorReference {
        email: Some(email.to_owned()),
        ..AuthorReference::default()
    };
    let post = desk.add(PostChange {
        authors: Some(vec![
            by_email("AUTHOR@example.com"),
            by_email("nobody@example.com"),
            by_email("no.one@example.com"),
            author(Author),
        ]),
        ..titled("By several")
    });
    assert_eq!(post.authors, [user_id(Author), user_id(Owner)]);
}

#[test]
fn what_a_content_file_implied_stays_once_a_post_of_a_client_names_it() {
    let desk = Desk::new();
    let (tag, writer) = (Id::derive("tag", "implied"), Id::derive("user", "implied"));
    desk.site
        .write(|transaction| {
            let now = transaction.now();
            transaction.save(Tag {
                implied: true,
                ..Tag::new(tag, "implied", "Implied", now)
            })?;
            transaction.save(User {
                implied: true,
                ..User::new(writer, "implied", "Implied", now)
            })
        })
        .unwrap();
    desk.add(PostChange {
        tags: Some(vec![TagReference {
            id: Some(tag),
            ..TagReference::default()
        }]),
        authors: Some(vec![AuthorReference {
            id: Some(writer),
            ..AuthorReference::default()
        }]),
        ..titled("Names them")
    });
    let edition = desk.site.current();
    assert!(!edition.catalog.tags.get(tag).unwrap().implied);
    assert!(!edition.catalog.users.get(writer).unwrap().implied);
}

#[test]
fn a_name_beside_the_identifier_of_a_tag_renames_it_for_those_who_may_edit_tags() {
    let desk = Desk::new();
    let tag = Id::derive("tag", "known");
    desk.site
        .write(|transaction| {
            let now = transaction.now();
            transaction.save(Tag::new(tag, "known", "Known", now))
        })
        .unwrap();
    let change = |name: &str| PostChange {
        authors: Some(vec![author(Author)]),
        tags: Some(vec![TagReference {
            id: Some(tag),
            name: Some(name.to_owned()),
            ..TagReference::default()
        }]),
        ..titled("Tagged")
    };
    let name = || {
        let edition = desk.site.current();
        edition.catalog.tags.get(tag).unwrap().name.to_string()
    };
    desk.add_as(&user(Author), PostKind::Post, change("By an author"))
        .unwrap();
    assert_eq!(name(), "Known");
    desk.add(change("By a program"));
    assert_eq!(name(), "By a program");
}

#[test]
fn a_new_tag_counts_once_whatever_the_case_of_its_letters() {
    let desk = Desk::new();
    let named = |name: &str| TagReference {
        name: Some(name.to_owned()),
        ..TagReference::default()
    };
    let post = desk.add(PostChange {
        tags: Some(vec![named("High Water"), named("high water")]),
        ..titled("Tagged twice")
    });
    assert_eq!(tag_names(&desk, &post.tags), ["High Water"]);
    // What is there already by another spelling is another tag.
    let post = desk.add(PostChange {
        tags: Some(vec![named("HIGH water")]),
        ..titled("Tagged otherwise")
    });
    assert_eq!(tag_names(&desk, &post.tags), ["HIGH water"]);
}

#[test]
fn a_slug_is_made_clean_before_its_tag_is_looked_for() {
    let desk = Desk::new();
    let by_slug = |slug: &str| {
        let post = desk.add(PostChange {
            tags: Some(vec![TagReference {
                slug: Some(slug.to_owned()),
                ..TagReference::default()
            }]),
            ..titled("Tagged")
        });
        post.tags.clone()
    };
    assert_eq!(by_slug("low-water"), by_slug("Low WATER"));
    assert_eq!(tag_names(&desk, &by_slug("Only A Slug")), ["only-a-slug"]);
}

fn tag_names(desk: &Desk, tags: &[Id]) -> Vec<String> {
    let edition = desk.site.current();
    let name = |id: &Id| edition.catalog.tags.get(*id).unwrap().name.to_string();
    tags.iter().map(name).collect()
}

#[test]
fn a_post_without_authors_is_the_writers_or_the_owners() {
    let desk = Desk::new();
    let authors_of = |actor| {
        let post = desk.add_as(&actor, PostKind::Post, titled("Whose"));
        post.unwrap().authors.clone()
    };
    assert_eq!(authors_of(integration()), [user_id(Owner)]);
    assert_eq!(authors_of(user(Editor)), [user_id(Editor)]);
}
