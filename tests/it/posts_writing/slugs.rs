//! Tests of slugs of posts and pages, which share one namespace.

use galley::{admin::posts::PostChange, domain::post::PostKind};

use super::post_site::{PostSite, integration, titled};

fn slugged(slug: &str) -> PostChange {
    PostChange {
        slug: Some(slug.to_owned()),
        ..PostChange::default()
    }
}

#[test]
fn taken_slug_gets_the_first_free_number() {
    let post_site = PostSite::new();
    let slugs = ["a-letter", "a-letter-2", "a-letter-3"];
    let kinds = [PostKind::Post, PostKind::Page, PostKind::Post];
    for (slug, kind) in slugs.into_iter().zip(kinds) {
        let post = post_site.add_as(&integration(), kind, titled("A letter"));
        assert_eq!(&*post.unwrap().slug, slug);
    }
    let second = post_site
        .site
        .current()
        .catalog
        .posts
        .by_slug("a-letter-2")
        .cloned();
    post_site
        .delete_as(&integration(), &second.unwrap())
        .unwrap();
    assert_eq!(&*post_site.add(titled("A letter")).slug, "a-letter-2");
}

#[test]
fn post_keeps_its_slug_when_sent_again_or_the_title_changes() {
    let post_site = PostSite::new();
    post_site.add(titled("A letter"));
    let second = post_site.add(titled("A letter"));
    let second = post_site.edit(&second, slugged("a-letter-2"));
    assert_eq!(&*second.slug, "a-letter-2");
    let second = post_site.edit(&second, titled("Quite another"));
    assert_eq!(&*second.slug, "a-letter-2");
    let second = post_site.edit(&second, slugged("A Letter"));
    assert_eq!(&*second.slug, "a-letter-2");
}

#[test]
fn empty_slug_is_derived_from_the_title() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Old"));
    let change = PostChange {
        slug: Some(String::new()),
        ..titled("New and better")
    };
    assert_eq!(&*post_site.edit(&post, change).slug, "new-and-better");
}

#[test]
fn former_slug_can_be_reused() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Moved"));
    post_site.edit(&post, slugged("elsewhere"));
    assert_eq!(&*post_site.add(titled("Moved")).slug, "moved");
}
