//! Tests that records of content files change only with their file.

use galley::{
    admin::posts::{BulkChange, bulk_delete, bulk_edit},
    error::Kind,
};

use super::post_site::{PostSite, integration, titled};

const FILE: &str = "posts/of-a-file.md";

#[test]
fn edits_and_deletions_are_rejected_with_the_file_name() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Of a file"));
    post_site.give_to_file(&post, FILE);
    let edit = post_site.edit_as(&integration(), &post, titled("Mine"));
    let delete = post_site.delete_as(&integration(), &post);
    for error in [edit.unwrap_err(), delete.unwrap_err()] {
        assert_eq!(error.kind(), Kind::Validation);
        assert!(error.to_string().contains(FILE), "{error}");
    }
    assert_eq!(&*post_site.read(post.id).unwrap().title, "Of a file");
}

#[test]
fn copy_of_a_post_of_a_content_file_can_be_edited() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Of a file"));
    post_site.give_to_file(&post, FILE);
    let copy = post_site.copy_as(&integration(), &post).unwrap();
    assert_eq!(copy.origin.path(), None);
    assert_eq!(&*post_site.edit(&copy, titled("Mine")).title, "Mine");
}

#[test]
fn bulk_changes_skip_and_report_posts_of_content_files() {
    let post_site = PostSite::new();
    let of_file = post_site.add(titled("Of a file"));
    let other = post_site.add(titled("Without a file"));
    post_site.give_to_file(&of_file, FILE);
    let actor = integration();
    let context = post_site.context(&actor);
    let all = |transaction: &galley::site::Transaction| {
        Ok(transaction.catalog().posts.iter().cloned().collect())
    };

    let feature = BulkChange::Feature(true);
    let edited = post_site
        .site
        .write(|transaction| bulk_edit(transaction, &context, all, &feature))
        .unwrap();
    assert!(post_site.read(other.id).unwrap().featured);
    assert!(!post_site.read(of_file.id).unwrap().featured);
    let deleted = post_site
        .site
        .write(|transaction| bulk_delete(transaction, &context, all))
        .unwrap();
    assert!(post_site.read(other.id).is_none());
    assert!(post_site.read(of_file.id).is_some());
    for outcome in [edited, deleted] {
        assert_eq!(outcome.successful, 1);
        let [(id, error)] = outcome.refused.as_slice() else {
            panic!("exactly one post must be refused: {outcome:?}");
        };
        assert_eq!(*id, of_file.id);
        assert!(error.to_string().contains(FILE), "{error}");
    }
}
