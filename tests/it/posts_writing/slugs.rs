//! Tests of slugs of posts and pages, which share one namespace.

use galley::{admin::posts::PostChange, domain::post::PostKind};

use super::desk::{Desk, integration, titled};

fn slugged(slug: &str) -> PostChange {
    PostChange {
        slug: Some(slug.to_owned()),
        ..PostChange::default()
    }
}

#[test]
fn taken_slug_gets_the_first_free_number() {
    let desk = Desk::new();
    let slugs = ["a-letter", "a-letter-2", "a-letter-3"];
    let kinds = [PostKind::Post, PostKind::Page, PostKind::Post];
    for (slug, kind) in slugs.into_iter().zip(kinds) {
        let post = desk.add_as(&integration(), kind, titled("A letter"));
        assert_eq!(&*post.unwrap().slug, slug);
    }
    let second = desk
        .site
        .current()
        .catalog
        .posts
        .by_slug("a-letter-2")
        .cloned();
    desk.delete_as(&integration(), &second.unwrap()).unwrap();
    assert_eq!(&*desk.add(titled("A letter")).slug, "a-letter-2");
}

#[test]
fn post_keeps_its_slug_when_sent_again_or_the_title_changes() {
    let desk = Desk::new();
    desk.add(titled("A letter"));
    let second = desk.add(titled("A letter"));
    let second = desk.edit(&second, slugged("a-letter-2"));
    assert_eq!(&*second.slug, "a-letter-2");
    let second = desk.edit(&second, titled("Quite another"));
    assert_eq!(&*second.slug, "a-letter-2");
    let second = desk.edit(&second, slugged("A Letter"));
    assert_eq!(&*second.slug, "a-letter-2");
}

#[test]
fn empty_slug_is_derived_from_the_title() {
    let desk = Desk::new();
    let post = desk.add(titled("Old"));
    let change = PostChange {
        slug: Some(String::new()),
        ..titled("New and better")
    };
    assert_eq!(&*desk.edit(&post, change).slug, "new-and-better");
}

#[test]
fn former_slug_can_be_reused() {
    let desk = Desk::new();
    let post = desk.add(titled("Moved"));
    desk.edit(&post, slugged("elsewhere"));
    assert_eq!(&*desk.add(titled("Moved")).slug, "moved");
}
