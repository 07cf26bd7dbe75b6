//! Tests that records of content files change only with their file.

use galley::{
    admin::posts::{BulkChange, bulk_delete, bulk_edit},
    error::Kind,
};

use super::desk::{Desk, integration, titled};

const FILE: &str = "posts/of-a-file.md";

#[test]
fn edits_and_deletions_are_rejected_with_the_file_name() {
    let desk = Desk::new();
    let post = desk.add(titled("Of a file"));
    desk.give_to_file(&post, FILE);
    let edit = desk.edit_as(&integration(), &post, titled("Mine"));
    let delete = desk.delete_as(&integration(), &post);
    for error in [edit.unwrap_err(), delete.unwrap_err()] {
        assert_eq!(error.kind(), Kind::Validation);
        assert!(error.to_string().contains(FILE), "{error}");
    }
    assert_eq!(&*desk.read(post.id).unwrap().title, "Of a file");
}

#[test]
fn copy_of_a_post_of_a_content_file_can_be_edited() {
    let desk = Desk::new();
    let post = desk.add(titled("Of a file"));
    desk.give_to_file(&post, FILE);
    let copy = desk.copy_as(&integration(), &post).unwrap();
    assert_eq!(copy.origin.path(), None);
    assert_eq!(&*desk.edit(&copy, titled("Mine")).title, "Mine");
}

#[test]
fn bulk_changes_skip_and_report_posts_of_content_files() {
    let desk = Desk::new();
    let of_file = desk.add(titled("Of a file"));
    let other = desk.add(titled("Without a file"));
    desk.give_to_file(&of_file, FILE);
    let actor = integration();
    let context = desk.context(&actor);
    let all = |transaction: &galley::site::Transaction| {
        Ok(transaction.catalog().posts.iter().cloned().collect())
    };

    let feature = BulkChange::Feature(true);
    let edited = desk
        .site
        .write(|transaction| bulk_edit(transaction, &context, all, &feature))
        .unwrap();
    assert!(desk.read(other.id).unwrap().featured);
    assert!(!desk.read(of_file.id).unwrap().featured);
    let deleted = desk
        .site
        .write(|transaction| bulk_delete(transaction, &context, all))
        .unwrap();
    assert!(desk.read(other.id).is_none());
    assert!(desk.read(of_file.id).is_some());
    for outcome in [edited, deleted] {
        assert_eq!(outcome.successful, 1);
        let [(id, error)] = outcome.refused.as_slice() else {
            panic!("exactly one post must be refused: {outcome:?}");
        };
        assert_eq!(*id, of_file.id);
        assert!(error.to_string().contains(FILE), "{error}");
    }
}
