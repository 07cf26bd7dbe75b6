//! Tests that stores of earlier versions can be opened: responses are the same, sessions continue, and queued events are
//! delivered.
//!
//! Each `*.zip` next to this file has a data folder with its content folder, the responses of the program that created it, and
//! the credentials. `stores.toml` names the version of that program. `make` creates a new archive.

mod archived_store;

use std::{collections::BTreeSet, sync::Arc, thread, time::Duration};

use galley::{
    clock::Clock,
    domain::{secret::Secret, webhook::Webhook},
    site::Site,
    store::redb::{DEFAULT_CACHE_BYTES, RedbStore},
};
use galley_tests::{
    clocked_site::ClockedSite, galley_process::GalleyProcess, staff::text, wait::PATIENCE,
    wait_until, webhook_receiver::WebhookReceiver,
};
use jiff::SignedDuration;
use serde_json::{Value, json};

use self::archived_store::{ArchivedStore, stores};
use crate::webhooks::WebhookSite;

/// The longest time from a start until content files are read.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The email address and password of the owner that `make` creates.
const OWNER: (&str, &str) = ("ada@example.com", "Sup3r-secret-pw!");

#[test]
fn archives_and_their_descriptions_match() {
    let described: BTreeSet<String> = stores().into_keys().collect();

    assert_eq!(described, archived_store::names_of_archives());
    assert!(!described.is_empty());
}

#[test]
fn stores_of_earlier_versions_serve_the_same_responses() {
    for (name, _) in stores() {
        let store = ArchivedStore::unpack(&name);
        // The first start opens the store of the earlier version, the second one the converted store.
        for start in ["first", "second"] {
            let process = GalleyProcess::start(store.folder(), &[]);
            thread::sleep(POLL_INTERVAL);
            let differences = store.differences(process.address());
            assert!(
                differences.is_empty(),
                "{name}, {start} start:\n{}",
                differences.join("\n")
            );
        }
    }
}

#[test]
fn passwords_of_earlier_versions_still_work() {
    for (name, _) in stores()
        .iter()
        .filter(|(_, description)| description.has_people())
    {
        let store = ArchivedStore::unpack(name);
        let variables = [("GALLEY_STAFF_DEVICE_VERIFICATION", "false")];
        let process = GalleyProcess::start(store.folder(), &variables);
        let credentials = json!({"username": OWNER.0, "password": OWNER.1});

        let response =
            archived_store::post(process.address(), "/ghost/api/admin/session/", &credentials);

        assert_eq!(response.status, 201, "{name}: {}", response.text());
    }
}

#[test]
fn sessions_of_earlier_versions_still_work() {
    for (name, _) in stores()
        .iter()
        .filter(|(_, description)| description.has_people())
    {
        let store = ArchivedStore::unpack(name);
        let site = site_of(&store);
        let secret = Secret::from_text(&store.session()).expect("the cookie contains a secret");

        let snapshot = site.site.current();
        let session = snapshot.catalog.sessions.get(&secret.digest());

        let session = session.unwrap_or_else(|| panic!("{name}: no user is signed in"));
        assert!(session.is_signed_in(site.clock.now()), "{name}");
        let user = snapshot.catalog.users.get(session.user).expect("a user");
        assert_eq!(user.email.as_deref(), Some(OWNER.0), "{name}");
    }
}

#[test]
fn queued_webhook_events_of_earlier_versions_are_delivered() {
    for (name, description) in stores() {
        let store = ArchivedStore::unpack(&name);
        let site = site_of(&store);
        let receiver = WebhookReceiver::start();
        let webhooks = move_webhooks(&site.site, &receiver);
        site.advance_clock(SignedDuration::from_hours(2));

        let _deliverer = site.deliver();

        let mut events = BTreeSet::new();
        while events.len() < description.waits.len() {
            let delivery = receiver.delivery_within(None, PATIENCE);
            let delivery = delivery.unwrap_or_else(|| panic!("{name}: only {events:?} arrived"));
            let body: Value = serde_json::from_slice(&delivery.body).unwrap();
            events.insert(text(&body["event"]));
        }
        assert_eq!(
            events,
            description.waits.iter().cloned().collect(),
            "{name}"
        );
        wait_until("nothing waits any more", || {
            let waiting = |webhook: &Arc<Webhook>| site.waiting(webhook.id) > 0;
            !webhooks.iter().any(waiting)
        });
    }
}

/// Opens the site in a store, with the clock an hour after the creation of the store.
fn site_of(store: &ArchivedStore) -> WebhookSite {
    let opened = RedbStore::open(store.data().join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    let now = store.made_at() + SignedDuration::from_hours(1);
    WebhookSite(ClockedSite::at(now, opened))
}

/// Sets the URL of all webhooks to `receiver`.
fn move_webhooks(site: &Site, receiver: &WebhookReceiver) -> Vec<Arc<Webhook>> {
    let webhooks: Vec<_> = site.current().catalog.webhooks.iter().cloned().collect();
    let written = site.write(|transaction| {
        webhooks.iter().try_for_each(|webhook| {
            transaction.save_webhook(Webhook {
                target_url: receiver.url().into(),
                ..Webhook::clone(webhook)
            })
        })
    });
    written.unwrap();
    webhooks
}
