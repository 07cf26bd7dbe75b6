//! Tests that only changes visible to readers invalidate their cached responses.

use galley::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        post::{Body, Post, Status},
        record::Subject,
    },
    id::Id,
    site::{Site, Transaction},
    store::memory::MemoryStore,
};
use serde_json::json;

use super::{open, post};

fn site() -> Site {
    open(MemoryStore::new())
}

fn with_status(status: Status) -> Post {
    Post {
        status,
        ..post("letter", 0)
    }
}

fn save(transaction: &mut Transaction, status: Status) -> galley::error::Result<()> {
    transaction.save_post(with_status(status), Body::default())
}

/// Returns whether `change` invalidates cached responses of readers.
fn invalidates_responses(
    site: &Site,
    change: impl FnOnce(&mut Transaction) -> galley::error::Result<()>,
) -> bool {
    let before = site.current().catalog.readers_revision;
    site.write_once(change).unwrap();
    let after = site.current();
    assert!(after.catalog.readers_revision <= after.catalog.revision);
    after.catalog.readers_revision != before
}

#[test]
fn audit_entries_do_not_change_reader_revisions() {
    let subject = Subject {
        id: Id::derive("post", "letter"),
        resource_type: "post",
        name: None,
        kind: None,
    };
    assert!(!invalidates_responses(&site(), |transaction| {
        transaction.record_action(&Actor::Operator, ActionEvent::Edited, subject)
    }));
}

#[test]
fn drafts_do_not_change_reader_revisions() {
    let site = site();
    assert!(!invalidates_responses(&site, |transaction| save(
        transaction,
        Status::Draft
    )));
    assert!(!invalidates_responses(&site, |transaction| save(
        transaction,
        Status::Scheduled
    )));
    assert!(invalidates_responses(&site, |transaction| save(
        transaction,
        Status::Published
    )));
    assert!(invalidates_responses(&site, |transaction| save(
        transaction,
        Status::Draft
    )));
    assert!(!invalidates_responses(&site, |transaction| transaction
        .delete_post(with_status(Status::Draft).id)));
}

#[test]
fn deleting_a_published_post_changes_the_reader_revision() {
    let site = site();
    site.write(|transaction| save(transaction, Status::Published))
        .unwrap();
    assert!(invalidates_responses(&site, |transaction| {
        transaction.delete_post(with_status(Status::Published).id)
    }));
}

#[test]
fn draft_does_not_hide_other_changes_of_its_transaction() {
    assert!(invalidates_responses(&site(), |transaction| {
        transaction.edit_settings([("title".to_owned(), json!("Letters"))].into())?;
        save(transaction, Status::Draft)
    }));
}
