//! Tests of a newsletter to thousands of members when the sending process is killed.

use std::{
    collections::{BTreeMap, HashSet},
    path::Path,
    sync::Arc,
    thread,
    time::Duration,
};

use galley::{
    clock::SystemClock, data_folder::DataFolder, domain::post_email::BATCH_RECIPIENTS_MAX, id::Id,
    site::Site, store::redb::RedbStore,
};
use galley_tests::{
    galley_process::GalleyProcess,
    smtp_receiver::{Envelope, SmtpReceiver},
    wait_for,
};

use super::newsletter_site::{add_members, publish};

/// The number of recipients, which is some dozens of batches.
const RECIPIENTS: usize = 4_000;

/// The timeout, for a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

fn address(number: usize) -> String {
    format!("reader-{number:05}@example.com")
}

/// Creates a site with a published post that has not been sent yet.
fn prepare(data: &Path) {
    let folder = DataFolder::open(data).unwrap();
    let store = RedbStore::open(folder.store(), 8 << 20).unwrap();
    let site = Site::open(Box::new(store), Arc::new(SystemClock)).unwrap();
    add_members(&site, (0..RECIPIENTS).map(address));
    publish(&site);
}

#[test]
fn killed_send_resumes_with_at_most_one_batch_in_doubt() {
    let folder = tempfile::tempdir().unwrap();
    prepare(&folder.path().join("data"));
    let receiver = SmtpReceiver::start();
    receiver.keep_envelopes_only();
    let url = receiver.url();
    let variables = [
        ("GALLEY_MAIL_URL", url.as_str()),
        ("GALLEY_MAIL_RATE", "10000"),
    ];

    let process = GalleyProcess::start(folder.path(), &variables);
    receiver.wait_for_envelopes(RECIPIENTS / 3, PATIENCE);
    process.kill();
    let before = receiver.envelopes();
    assert!(
        before.len() < RECIPIENTS,
        "all mails were sent before the kill"
    );
    let _process = GalleyProcess::start(folder.path(), &variables);
    receiver.wait_for_envelopes(RECIPIENTS, PATIENCE);
    let after = wait_until_all_have_one(&receiver);

    let mut identifiers: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for envelope in after {
        let known = identifiers.entry(envelope.to).or_default();
        known.push(envelope.identifier);
    }
    assert_eq!(identifiers.len(), RECIPIENTS);
    let repeated: Vec<(&String, &Vec<String>)> = identifiers
        .iter()
        .filter(|(_, known)| known.len() > 1)
        .collect();
    assert!(repeated.len() <= BATCH_RECIPIENTS_MAX, "{}", repeated.len());
    for (to, known) in &repeated {
        assert_eq!(known.len(), 2, "{to}");
        assert_eq!(known[0], known[1], "{to}");
    }
    // Batches contain members in the order of their identifiers, so recipients in doubt must be in one batch.
    let mut ids: Vec<Id> = (0..RECIPIENTS)
        .map(|n| Id::derive("member", &address(n)))
        .collect();
    ids.sort();
    let batch_of = |to: &String| {
        let id = Id::derive("member", to);
        ids.binary_search(&id).unwrap() / BATCH_RECIPIENTS_MAX
    };
    let mut batches: Vec<usize> = repeated.iter().map(|(to, _)| batch_of(to)).collect();
    batches.dedup();
    batches.sort();
    batches.dedup();
    assert!(batches.len() <= 1, "{batches:?}");
}

/// Waits until every recipient has a mail, and for one more second, in which duplicates would arrive.
fn wait_until_all_have_one(receiver: &SmtpReceiver) -> Vec<Envelope> {
    let reached = || {
        let envelopes = receiver.envelopes();
        let addresses = envelopes.into_iter().map(|envelope| envelope.to);
        addresses.collect::<HashSet<String>>().len()
    };
    wait_for("all recipients have a mail", reached, |count| {
        *count == RECIPIENTS
    });
    thread::sleep(Duration::from_secs(1));
    receiver.envelopes()
}
