//! Tests of tags and authors in the input of posts.

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

use super::post_site::{PostSite, author, integration, titled, user, user_id};

#[test]
fn authors_match_by_address_ignoring_case_and_unknown_ones_become_the_owner() {
    let post_site = PostSite::new();
    let by_email = |email: &str| AuthorReference {
        email: Some(email.to_owned()),
        ..AuthorReference::default()
    };
    let post = post_site.add(PostChange {
        authors: Some(vec![
            by_email("AUTHOR@example.com"),
            by_email("unknown@example.com"),
            by_email("no.one@example.com"),
            author(Author),
        ]),
        ..titled("By several")
    });
    assert_eq!(post.authors, [user_id(Author), user_id(Owner)]);
}

#[test]
fn implied_tag_becomes_permanent_once_a_client_post_uses_it() {
    let post_site = PostSite::new();
    let (tag, writer) = (Id::derive("tag", "implied"), Id::derive("user", "implied"));
    post_site
        .site
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
    post_site.add(PostChange {
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
    let snapshot = post_site.site.current();
    assert!(!snapshot.catalog.tags.get(tag).unwrap().implied);
    assert!(!snapshot.catalog.users.get(writer).unwrap().implied);
}

#[test]
fn name_with_a_tag_id_renames_the_tag_with_permission() {
    let post_site = PostSite::new();
    let tag = Id::derive("tag", "known");
    post_site
        .site
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
        let snapshot = post_site.site.current();
        snapshot.catalog.tags.get(tag).unwrap().name.to_string()
    };
    post_site
        .add_as(&user(Author), PostKind::Post, change("By an author"))
        .unwrap();
    assert_eq!(name(), "Known");
    post_site.add(change("By a program"));
    assert_eq!(name(), "By a program");
}

#[test]
fn tag_name_in_different_case_is_the_same_tag_and_keeps_its_name() {
    let post_site = PostSite::new();
    let named = |name: &str| TagReference {
        name: Some(name.to_owned()),
        ..TagReference::default()
    };
    let post = post_site.add(PostChange {
        tags: Some(vec![named("High Water"), named("high wáter")]),
        ..titled("Tagged twice")
    });
    assert_eq!(tag_names(&post_site, &post.tags), ["High Water"]);
    let post = post_site.add(PostChange {
        tags: Some(vec![named("HIGH water")]),
        ..titled("Tagged otherwise")
    });
    assert_eq!(tag_names(&post_site, &post.tags), ["High Water"]);
}

#[test]
fn tag_slug_is_normalised_before_lookup() {
    let post_site = PostSite::new();
    let by_slug = |slug: &str| {
        let post = post_site.add(PostChange {
            tags: Some(vec![TagReference {
                slug: Some(slug.to_owned()),
                ..TagReference::default()
            }]),
            ..titled("Tagged")
        });
        post.tags.clone()
    };
    assert_eq!(by_slug("low-water"), by_slug("Low WATER"));
    assert_eq!(
        tag_names(&post_site, &by_slug("Only A Slug")),
        ["only-a-slug"]
    );
}

fn tag_names(post_site: &PostSite, tags: &[Id]) -> Vec<String> {
    let snapshot = post_site.site.current();
    let name = |id: &Id| snapshot.catalog.tags.get(*id).unwrap().name.to_string();
    tags.iter().map(name).collect()
}

#[test]
fn post_without_authors_gets_the_current_user_or_the_owner() {
    let post_site = PostSite::new();
    let authors_of = |actor| {
        let post = post_site.add_as(&actor, PostKind::Post, titled("Whose"));
        post.unwrap().authors.clone()
    };
    assert_eq!(authors_of(integration()), [user_id(Owner)]);
    assert_eq!(authors_of(user(Editor)), [user_id(Editor)]);
}
