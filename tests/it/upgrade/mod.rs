//! Stores that earlier programs wrote, opened by this one: all that they answered is answered still, who was signed in is so
//! still, and what was waiting is delivered.
//!
//! Each `*.zip` beside this file is a data folder with its content folder, what the program that made it answered, and what
//! opens it; `stores.toml` says which program that was. `make` makes the next one.

mod kept;

use std::{collections::BTreeSet, sync::Arc, thread, time::Duration};

use galley::{
    clock::{Clock, ManualClock},
    domain::{secret::Secret, webhook::Webhook},
    site::Site,
    store::redb::{DEFAULT_CACHE_BYTES, RedbStore},
};
use jiff::SignedDuration;
use serde_json::{Value, json};

use self::kept::{KeptStore, stores};
use crate::{
    galley_process::GalleyProcess,
    http_client::{PATIENCE, wait_until},
    staffed_site::text,
    webhook_receiver::WebhookReceiver,
    webhooks::Stage,
};

/// How long content files may take to be looked at after a start.
const LOOK: Duration = Duration::from_millis(500);

/// What `make` makes the owner known by.
const OWNER: (&str, &str) = ("ada@example.com", "Sup3r-secret-pw!");

#[test]
fn each_kept_store_is_told_of_and_each_that_is_told_of_is_kept() {
    let told: BTreeSet<String> = stores().into_keys().collect();

    assert_eq!(told, kept::names_of_archives());
    assert!(!told.is_empty());
}

#[test]
fn what_earlier_programs_answered_is_answered_still() {
    for (name, _) in stores() {
        let store = KeptStore::unpack(&name);
        // Once on what the earlier program wrote, and once more on what this one made of it.
        for start in ["first", "second"] {
            let process = GalleyProcess::start(store.folder(), &[]);
            thread::sleep(LOOK);
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
fn whoever_had_a_password_signs_in_with_it() {
    for (name, _) in stores().iter().filter(|(_, told)| told.has_people()) {
        let store = KeptStore::unpack(name);
        let variables = [("GALLEY_STAFF_DEVICE_VERIFICATION", "false")];
        let process = GalleyProcess::start(store.folder(), &variables);
        let credentials = json!({"username": OWNER.0, "password": OWNER.1});

        let answer = kept::post(process.address(), "/ghost/api/admin/session/", &credentials);

        assert_eq!(answer.status, 201, "{name}: {}", answer.text());
    }
}

#[test]
fn whoever_was_signed_in_is_so_still() {
    for (name, _) in stores().iter().filter(|(_, told)| told.has_people()) {
        let store = KeptStore::unpack(name);
        let stage = stage_of(&store);
        let secret = Secret::from_text(&store.session()).expect("the cookie holds a secret");

        let edition = stage.site.current();
        let session = edition.catalog.sessions.get(&secret.digest());

        let session = session.unwrap_or_else(|| panic!("{name}: nobody is signed in"));
        assert!(session.is_signed_in(stage.clock.now()), "{name}");
        let user = edition.catalog.users.get(session.user).expect("a user");
        assert_eq!(user.email.as_deref(), Some(OWNER.0), "{name}");
    }
}

#[test]
fn webhooks_are_told_what_waited_for_them() {
    for (name, told) in stores() {
        let store = KeptStore::unpack(&name);
        let stage = stage_of(&store);
        let receiver = WebhookReceiver::start();
        let webhooks = move_webhooks(&stage.site, &receiver);
        stage.pass(SignedDuration::from_hours(2));

        let _deliverer = stage.deliver();

        let mut events = BTreeSet::new();
        while events.len() < told.waits.len() {
            let delivery = receiver.delivery_within(None, PATIENCE);
            let delivery = delivery.unwrap_or_else(|| panic!("{name}: only {events:?} came"));
            let body: Value = serde_json::from_slice(&delivery.body).unwrap();
            events.insert(text(&body["event"]));
        }
        assert_eq!(events, told.waits.iter().cloned().collect(), "{name}");
        wait_until("nothing waits any more", || {
            let waiting = |webhook: &Arc<Webhook>| stage.waiting(webhook.id) > 0;
            !webhooks.iter().any(waiting)
        });
    }
}

/// The site that a store holds, an hour after it was made.
fn stage_of(store: &KeptStore) -> Stage {
    let opened = RedbStore::open(store.data().join("galley.redb"), DEFAULT_CACHE_BYTES).unwrap();
    let clock = Arc::new(ManualClock::new(
        store.made_at() + SignedDuration::from_hours(1),
    ));
    let shared: Arc<dyn Clock> = clock.clone();
    let site = Arc::new(Site::open(Box::new(opened), shared).unwrap());
    Stage { site, clock }
}

/// Has all webhooks told at `receiver` from now on.
fn move_webhooks(site: &Site, receiver: &WebhookReceiver) -> Vec<Arc<Webhook>> {
    let webhooks: Vec<_> = site.current().catalog.webhooks.iter().cloned().collect();
    let written = site.write(|change| {
        webhooks.iter().try_for_each(|webhook| {
            change.save_webhook(Webhook {
                target_url: receiver.url().into(),
                ..Webhook::clone(webhook)
            })
        })
    });
    written.unwrap();
    webhooks
}
