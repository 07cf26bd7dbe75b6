//! Tests that an event for several webhooks is stored once, until it is delivered to the last of them.

use std::{collections::HashSet, sync::Arc};

use galley::{
    domain::{
        UNDATED,
        post::{Body, Post},
        tag::Tag,
        webhook::Webhook,
    },
    id::Id,
    site::{AnnouncedChange, Announcer, StoredRecord},
    store::{Store, Table, memory::MemoryStore, redb::RedbStore},
};
use galley_tests::{
    site_records::post,
    webhook_receiver::{Reaction, WebhookReceiver},
};
use jiff::SignedDuration;
use serde_json::Value;

use super::webhook_site::{WebhookSite, next_bodies};

/// Writes the identifier of the record, padded to a length that shows how many copies of a body are stored.
struct Long;

const BODY_BYTES: usize = 1000;

impl Long {
    fn text(id: Id) -> String {
        format!(r#""{id}":"{}""#, "x".repeat(BODY_BYTES))
    }
}

impl Announcer for Long {
    fn post(&self, change: &AnnouncedChange<Post>) -> galley::error::Result<String> {
        Ok(Self::text(change.after.as_ref().unwrap().record.id))
    }

    fn tag(&self, change: &AnnouncedChange<Tag>) -> String {
        Self::text(change.after.as_ref().unwrap().record.id)
    }

    fn member(&self, _: &AnnouncedChange<galley::domain::member::Member>) -> String {
        unreachable!("these tests change no members")
    }
}

fn site(store: impl Store + 'static) -> WebhookSite {
    let site = WebhookSite::on(store);
    site.site.announce_with(Arc::new(Long));
    site
}

/// Adds a webhook that sends each event of this name to this URL.
fn subscribe(site: &WebhookSite, event: &str, target_url: &str) -> Id {
    let id = site.webhook(target_url);
    let webhook = Webhook {
        event: event.into(),
        ..Webhook::clone(&site.known(id).unwrap())
    };
    site.site
        .write_once(|transaction| transaction.save_webhook(webhook))
        .unwrap();
    id
}

/// Adds `count` tags in one transaction.
fn add_tags(site: &WebhookSite, kind: &str, count: usize) {
    let tag = |number| {
        let slug = format!("{kind}-{number:05}");
        Tag::new(Id::derive("tag", &slug), &slug, &slug, UNDATED)
    };
    let write = site
        .site
        .write(|transaction| (0..count).try_for_each(|number| transaction.save(tag(number))));
    write.unwrap();
}

/// Returns the number of rows of a table, and their total length.
fn rows(site: &WebhookSite, table: Table) -> (usize, usize) {
    let mut found = (0, 0);
    let length =
        |row: StoredRecord<'_>| Ok(row.decode::<Value>().map_or(0, |row| row.to_string().len()));
    let count = |length| found = (found.0 + 1, found.1 + length);
    site.site.current().read_all(table, length, count).unwrap();
    found
}

fn numbers(site: &WebhookSite, webhook: Id) -> Vec<u64> {
    let snapshot = site.site.current();
    let all = snapshot.waiting_deliveries(webhook, &HashSet::new(), usize::MAX, usize::MAX);
    let all = all.unwrap();
    assert!(all.iter().all(|one| one.webhook == webhook));
    all.iter().map(|one| one.number).collect()
}

#[test]
fn event_of_many_webhooks_is_stored_once() {
    let site = site(MemoryStore::new());
    let webhooks: Vec<Id> = (0..30)
        .map(|number| subscribe(&site, "tag.added", &format!("http://127.0.0.1:9/{number}")))
        .collect();

    add_tags(&site, "a", 200);

    let (_, event_bytes) = rows(&site, Table::WebhookEvents);
    assert!(
        (200 * BODY_BYTES..250 * BODY_BYTES).contains(&event_bytes),
        "{event_bytes}"
    );
    let (queue_rows, queue_bytes) = rows(&site, Table::WebhookDeliveries);
    assert_eq!(queue_rows, webhooks.len());
    assert!(queue_bytes < webhooks.len() * 200, "{queue_bytes}");
    for webhook in webhooks {
        assert_eq!(site.waiting(webhook), 200);
        let waiting = numbers(&site, webhook);
        assert!(waiting.is_sorted() && waiting.len() == 200);
        let body = site.head(webhook).unwrap().body;
        assert!(body.starts_with(r#"{"event":"tag.added",""#), "{body}");
        assert!(body.len() > BODY_BYTES && body.ends_with("x\"}"));
    }
}

#[test]
fn event_per_tag_of_one_webhook_is_stored_once() {
    let site = site(MemoryStore::new());
    let webhook = subscribe(&site, "post.tag.attached", "http://127.0.0.1:9/");
    add_tags(&site, "a", 50);
    let tags = site
        .site
        .current()
        .catalog
        .tags
        .iter()
        .map(|tag| tag.id)
        .collect();
    let post = Post {
        tags,
        ..post("p", 0)
    };

    site.site
        .write_once(|transaction| transaction.save_post(post, Body::default()))
        .unwrap();

    assert_eq!(site.waiting(webhook), 50);
    let (_, bytes) = rows(&site, Table::WebhookEvents);
    assert!((BODY_BYTES..10 * BODY_BYTES).contains(&bytes), "{bytes}");
    let snapshot = site.site.current();
    let all = snapshot.waiting_deliveries(webhook, &HashSet::new(), 100, usize::MAX);
    let bodies: HashSet<Box<str>> = all.unwrap().into_iter().map(|one| one.body).collect();
    assert_eq!(bodies.len(), 1);
}

#[test]
fn each_webhook_is_sent_shared_events_in_order_and_the_last_one_removes_them() {
    let folder = tempfile::tempdir().unwrap();
    let site = site(RedbStore::open(folder.path().join("store"), 16 << 20).unwrap());
    let [one, other] = [WebhookReceiver::start(), WebhookReceiver::start()];
    let first = subscribe(&site, "tag.added", &one.url());
    let second = subscribe(&site, "tag.added", &other.url());
    // The second receiver fails at the first event, and gets all events later.
    other.react(|_| Reaction::HttpResponse(503, &[], ""));
    add_tags(&site, "a", 20);
    add_tags(&site, "b", 20);
    let expected: Vec<String> = numbers_and_bodies(&site, first);
    let deliverer = site.deliver();

    assert_eq!(next_bodies(&one, 40), expected);
    site.wait("the first has all", |site| site.waiting(first) == 0);
    site.wait_for_failures(second, 1);
    assert_eq!(site.waiting(second), 40);
    let head = site.head(second).unwrap();
    assert_eq!(*head.body, *expected[0]);
    other.react(|_| Reaction::HttpResponse(200, &[], ""));
    site.advance_clock(SignedDuration::from_hours(1));

    site.wait("the second has all", |site| site.waiting(second) == 0);
    let mut sent = next_bodies(&other, 41);
    assert_eq!(sent.remove(0), expected[0], "the failed attempt");
    assert_eq!(sent, expected);
    assert_eq!(rows(&site, Table::WebhookEvents), (0, 0));
    assert_eq!(rows(&site, Table::WebhookDeliveries), (0, 0));
    drop(deliverer);
}

fn numbers_and_bodies(site: &WebhookSite, webhook: Id) -> Vec<String> {
    let snapshot = site.site.current();
    let all = snapshot.waiting_deliveries(webhook, &HashSet::new(), 1000, usize::MAX);
    all.unwrap()
        .into_iter()
        .map(|one| one.body.into())
        .collect()
}

#[test]
fn events_of_a_deleted_webhook_remain_only_for_other_webhooks() {
    let site = site(MemoryStore::new());
    let receiver = WebhookReceiver::start();
    receiver.react(|_| Reaction::HttpResponse(503, &[], ""));
    let [gone, left] =
        [0, 1].map(|number| subscribe(&site, "tag.added", &format!("{}/{number}", receiver.url())));
    // More events than are deleted in one step.
    add_tags(&site, "a", 5000);
    let _deliverer = site.deliver();

    site.site
        .write(|transaction| transaction.delete_webhook(gone))
        .unwrap();
    site.wait("the queue of the webhook is deleted", |site| {
        site.waiting(gone) == 0
    });
    assert_eq!(
        site.waiting(left),
        1000,
        "at most 1000 deliveries are counted"
    );
    assert_eq!(numbers(&site, left).len(), 5000);
    site.site
        .write(|transaction| transaction.delete_webhook(left))
        .unwrap();

    site.wait("all events are deleted", |site| {
        rows(site, Table::WebhookEvents).0 == 0 && rows(site, Table::WebhookDeliveries).0 == 0
    });
}

#[test]
fn retried_pending_delivery_keeps_its_position_in_the_queue() {
    let site = site(MemoryStore::new());
    let [webhook, _] =
        [0, 1].map(|number| subscribe(&site, "tag.added", &format!("http://127.0.0.1:9/{number}")));
    add_tags(&site, "a", 5);
    let before = numbers(&site, webhook);

    let again = site
        .site
        .write(|transaction| transaction.retry_webhook_delivery(webhook, before[2]))
        .unwrap();

    assert_eq!(again.number, before[2]);
    assert_eq!(numbers(&site, webhook), before);
}
