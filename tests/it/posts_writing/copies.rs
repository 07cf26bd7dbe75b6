//! Tests of copies of posts.

use galley::{
    admin::posts::{BodyChange, PostChange, body},
    catalog::fields::POST_TEXTS,
    domain::{
        post::{Status, TITLE_CHARACTERS_MAX, Visibility},
        role::Role::{Author, Owner},
    },
};

use super::post_site::{PostSite, author, integration, titled};

#[test]
fn copy_has_body_and_relations_but_no_publication_state() {
    let post_site = PostSite::new();
    let document = body::of_html("<p>The text.</p>", post_site.url()).unwrap();
    let texts = POST_TEXTS
        .iter()
        .map(|field| (*field, Some("https://elsewhere.example/".to_owned())))
        .collect();
    let post = post_site.add(PostChange {
        status: Some(Status::Published),
        visibility: Some(Visibility::Members),
        featured: Some(true),
        authors: Some(vec![author(Author), author(Owner)]),
        body: Some(BodyChange::Document(document.into())),
        texts,
        ..titled("A letter")
    });
    let copy = post_site.copy_as(&integration(), &post).unwrap();
    assert_eq!(
        (&*copy.title, &*copy.slug),
        ("A letter (Copy)", "a-letter-copy")
    );
    assert_eq!((copy.status, copy.published_at), (Status::Draft, None));
    assert_ne!(copy.uuid, post.uuid);
    assert_eq!(*copy.comment_id, *copy.id.to_string());
    assert_eq!(
        (&copy.authors, copy.visibility),
        (&post.authors, post.visibility)
    );
    assert!(copy.featured);
    assert_eq!(post_site.html(copy.id).as_deref(), Some("<p>The text.</p>"));
    let meta = copy.meta.as_ref().unwrap();
    assert!(meta.social.og_image.is_some());
    assert_eq!((&copy.canonical_url, &meta.email_subject), (&None, &None));
}

#[test]
fn title_of_a_copy_is_truncated() {
    let post_site = PostSite::new();
    let post = post_site.add(titled(&"ü".repeat(TITLE_CHARACTERS_MAX)));
    let copy = post_site.copy_as(&integration(), &post).unwrap();
    assert_eq!(copy.title.chars().count(), TITLE_CHARACTERS_MAX);
    assert!(copy.title.ends_with("ü (Copy)"));
}
