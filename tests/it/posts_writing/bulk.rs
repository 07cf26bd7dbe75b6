//! Tests of bulk changes of posts.

use std::sync::Arc;

use galley::{
    admin::posts::{BulkChange, PostChange, TagReference, bulk_edit},
    domain::post::{Post, Status, Visibility},
    error::{Kind, Result},
    id::Id,
    site::Transaction,
};
use jiff::SignedDuration;

use super::post_site::{PostSite, integration, refusal, titled};

fn all(transaction: &Transaction) -> Result<Vec<Arc<Post>>> {
    Ok(transaction.catalog().posts.iter().cloned().collect())
}

fn change_all(post_site: &PostSite, change: BulkChange) -> Result<usize> {
    let actor = integration();
    let context = post_site.context(&actor);
    let outcome = post_site
        .site
        .write(|transaction| bulk_edit(transaction, &context, all, &change));
    outcome.map(|outcome| outcome.successful)
}

fn named(name: &str) -> TagReference {
    TagReference {
        name: Some(name.to_owned()),
        ..TagReference::default()
    }
}

#[test]
fn bulk_unpublish_and_unschedule_affect_only_matching_statuses() {
    let post_site = PostSite::new();
    let published = post_site.add(PostChange {
        status: Some(Status::Published),
        ..titled("Published")
    });
    let scheduled = post_site.add(PostChange {
        status: Some(Status::Scheduled),
        published_at: Some(Some(post_site.now() + SignedDuration::from_hours(1))),
        ..titled("Scheduled")
    });
    let status = |post: &Post| post_site.read(post.id).unwrap().status;
    assert_eq!(change_all(&post_site, BulkChange::Unpublish).unwrap(), 1);
    assert_eq!(
        (status(&published), status(&scheduled)),
        (Status::Draft, Status::Scheduled)
    );
    assert_eq!(change_all(&post_site, BulkChange::Unschedule).unwrap(), 1);
    assert_eq!(status(&scheduled), Status::Draft);
    let date = |post: &Post| post_site.read(post.id).unwrap().published_at;
    assert_eq!(date(&published), published.published_at);
    assert_eq!(date(&scheduled), None);
}

#[test]
fn bulk_tags_are_appended_and_created_once() {
    let post_site = PostSite::new();
    let tagged = post_site.add(PostChange {
        tags: Some(vec![named("Known"), named("First")]),
        ..titled("Tagged")
    });
    let untagged = post_site.add(titled("Untagged"));
    let tags = vec![named("New"), named("Known")];
    change_all(&post_site, BulkChange::AddTags(tags)).unwrap();
    let names = |post: &Post| -> Vec<String> {
        let snapshot = post_site.site.current();
        let tags = snapshot.catalog.posts.get(post.id).unwrap().tags.clone();
        tags.iter()
            .map(|tag| snapshot.catalog.tags.get(*tag).unwrap().name.to_string())
            .collect()
    };
    assert_eq!(names(&tagged), ["Known", "First", "New"]);
    assert_eq!(names(&untagged), ["New", "Known"]);
    assert_eq!(post_site.site.current().catalog.tags.len(), 3);
}

#[test]
fn bulk_changes_keep_dates_and_store_no_revisions() {
    let post_site = PostSite::new();
    let post = post_site.add(PostChange {
        status: Some(Status::Published),
        ..titled("Read before")
    });
    post_site.advance_clock(SignedDuration::from_hours(1));
    change_all(&post_site, BulkChange::Feature(true)).unwrap();
    change_all(&post_site, BulkChange::Unpublish).unwrap();
    let changed = post_site.read(post.id).unwrap();
    assert_eq!((changed.featured, changed.status), (true, Status::Draft));
    assert_eq!(changed.updated_at, post.updated_at);
    assert_eq!(post_site.revisions(post.id).len(), 1);
    let outcome = post_site.edit_as(&integration(), &post, titled("In time"));
    assert_eq!(refusal(outcome), None);
}

#[test]
fn unknown_tier_rejects_the_bulk_change() {
    let post_site = PostSite::new();
    let post = post_site.add(titled("Open"));
    let unknown_tier = Id::derive("tier", "unknown");
    let access = BulkChange::Access(Visibility::Tiers, vec![unknown_tier]);
    assert_eq!(
        refusal(change_all(&post_site, access)),
        Some(Kind::Validation)
    );
    assert_eq!(
        post_site.read(post.id).unwrap().visibility,
        Visibility::Public
    );
}
