//! Tests of sending through a mail server that may be strict, slow or unreachable.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use galley::{
    admin,
    delivery::MailOptions,
    domain::post_email::EmailStatus,
    error::Kind,
    store::memory::{CommitFault, MemoryStore},
};
use galley_tests::smtp_receiver::Difficulty;
use jiff::SignedDuration;

use super::newsletter_site::{NewsletterSite, add_members};

/// Returns `count` email addresses.
fn addresses(count: usize) -> Vec<String> {
    (0..count)
        .map(|n| format!("reader-{n:05}@example.com"))
        .collect()
}

/// Returns a site with `count` subscribers, whose mail server stores only envelopes.
fn site_with_subscribers(count: usize) -> NewsletterSite {
    let site = NewsletterSite::with_members(&[]);
    add_members(&site.site, addresses(count).into_iter());
    site.receiver.keep_envelopes_only();
    site
}

/// Returns the recipients of all mails, one entry for each mail.
fn reached(site: &NewsletterSite) -> Vec<String> {
    let envelopes = site.receiver.envelopes().into_iter();
    let mut reached: Vec<String> = envelopes.map(|envelope| envelope.to).collect();
    reached.sort();
    reached
}

#[test]
fn each_recipient_gets_one_personal_mail_in_batches() {
    let site = site_with_subscribers(250);
    let _deliverer = site.deliver();
    let post = site.publish();

    let email = site.wait_for(post, EmailStatus::Submitted);

    assert_eq!(
        (email.recipients, email.delivered, email.failed),
        (250, 250, 0)
    );
    assert_eq!(reached(&site), addresses(250));
    let sizes: Vec<u32> = site.batches(post).iter().map(|batch| batch.size).collect();
    assert_eq!(sizes, [100, 100, 50]);
    let mut identifiers: Vec<String> = site
        .receiver
        .envelopes()
        .into_iter()
        .map(|envelope| envelope.identifier)
        .collect();
    identifiers.sort();
    identifiers.dedup();
    assert_eq!(identifiers.len(), 250);
    assert!(
        identifiers[0].ends_with("@harbour.example>"),
        "{}",
        identifiers[0]
    );
}

#[test]
fn rejected_recipient_is_reported_and_retried_without_delaying_others() {
    let site =
        NewsletterSite::with_members(&["ana@example.com", "ben@example.com", "cleo@example.com"]);
    site.receiver.refuse("ben@example.com");
    let deliverer = site.deliver();
    let post = site.publish();

    let email = site.wait_for(post, EmailStatus::Submitted);

    assert_eq!((email.recipients, email.delivered, email.failed), (3, 2, 1));
    let error = email.error.as_deref().unwrap();
    assert_eq!(error, "The mail server refused the mail for 1 of 3.");
    let refusals = &site.batches(post)[0].refusals;
    assert_eq!(refusals.len(), 1);
    assert_eq!(&*refusals[0].address, "ben@example.com");
    assert_eq!(refusals[0].code, Some(550));
    assert!(
        refusals[0].message.contains("no such mailbox"),
        "{}",
        refusals[0].message
    );

    drop(deliverer);
    site.receiver.clear();
    let other = NewsletterSite {
        receiver: galley_tests::smtp_receiver::SmtpReceiver::start(),
        ..site
    };
    let _deliverer = other.deliver();
    admin::emails::retry(&other.site, Some(email.id)).unwrap();
    let email = other.wait_for(post, EmailStatus::Submitted);
    assert_eq!((email.recipients, email.delivered, email.failed), (3, 3, 0));
    assert_eq!(email.error, None);
    other.receiver.mail_to("ben@example.com");
    assert!(other.receiver.mail_within(None, Duration::ZERO).is_none());
    let refused = admin::emails::retry(&other.site, Some(email.id)).unwrap_err();
    assert_eq!(refused.kind(), Kind::BadRequest);
}

#[test]
fn email_without_a_successful_delivery_fails() {
    let site = NewsletterSite::with_members(&["ana@example.com"]);
    site.receiver.refuse("ana@example.com");
    let _deliverer = site.deliver();
    let post = site.publish();
    let email = site.wait_for(post, EmailStatus::Failed);
    assert_eq!((email.recipients, email.delivered, email.failed), (1, 0, 1));
}

#[test]
fn unreachable_mail_server_loses_no_recipient_and_is_shown_on_the_email() {
    let site = NewsletterSite::with_members(&["ana@example.com", "ben@example.com"]);
    site.receiver
        .be_difficult(Some(Difficulty::Responses("535 who are you")));
    let _deliverer = site.deliver();
    let post = site.publish();

    let mut due = None;
    for _ in 0..4 {
        let email = site.wait("it is put off", post, |email| {
            email.sending.due_at.is_some() && email.sending.due_at != due
        });
        due = email.sending.due_at;
        let error = email.error.as_deref().unwrap();
        assert!(error.contains("who are you"), "{error}");
        assert_eq!(email.status, EmailStatus::Submitting);
        site.advance_clock(SignedDuration::from_hours(2));
    }
    site.receiver.be_difficult(None);
    site.wait("the last attempt is over", post, |email| {
        email.sending.due_at != due || !email.is_under_way()
    });
    site.advance_clock(SignedDuration::from_hours(2));

    let email = site.wait_for(post, EmailStatus::Submitted);
    assert_eq!((email.delivered, email.error.as_deref()), (2, None));
    site.receiver.mail_to("ana@example.com");
    site.receiver.mail_to("ben@example.com");
    assert!(site.receiver.mail_within(None, Duration::ZERO).is_none());
}

#[test]
fn send_fails_after_a_day_and_can_be_retried() {
    let site = NewsletterSite::with_members(&["ana@example.com"]);
    site.receiver
        .be_difficult(Some(Difficulty::Responses("421 closing")));
    let _deliverer = site.deliver();
    let post = site.publish();
    site.wait("it is put off", post, |email| {
        email.sending.due_at.is_some()
    });
    site.advance_clock(SignedDuration::from_hours(25));

    let email = site.wait_for(post, EmailStatus::Failed);
    let error = email.error.as_deref().unwrap();
    assert!(
        error.starts_with("Failed after a day, 1 not reached: "),
        "{error}"
    );

    site.receiver.be_difficult(None);
    admin::emails::retry(&site.site, Some(email.id)).unwrap();
    site.wait_for(post, EmailStatus::Submitted);
    site.receiver.mail_to("ana@example.com");
}

#[test]
fn deferred_recipient_does_not_delay_others() {
    let site = site_with_subscribers(120);
    site.receiver.put_off("reader-00003@example.com", true);
    let _deliverer = site.deliver();
    let post = site.publish();

    let email = site.wait("it is put off", post, |email| {
        email.sending.due_at.is_some()
    });
    assert_eq!(
        (email.recipients, email.delivered, email.failed),
        (120, 119, 0)
    );
    assert!(email.error.as_deref().unwrap().contains("come again"));

    site.receiver.put_off("reader-00003@example.com", false);
    site.advance_clock(SignedDuration::from_hours(2));
    let email = site.wait_for(post, EmailStatus::Submitted);
    assert_eq!((email.delivered, email.error.as_deref()), (120, None));
    assert_eq!(reached(&site), addresses(120));
}

#[test]
fn email_without_a_mail_server_waits_and_shows_the_reason() {
    let site = NewsletterSite::with_members(&["ana@example.com"]);
    let deliverer = site.deliver_with(MailOptions::default());
    let post = site.publish();
    let email = site.wait_for(post, EmailStatus::Failed);
    let error = email.error.as_deref().unwrap();
    assert_eq!(error, "No mail server is configured (mail.url).");

    drop(deliverer);
    let _deliverer = site.deliver();
    admin::emails::retry(&site.site, Some(email.id)).unwrap();
    site.wait_for(post, EmailStatus::Submitted);
    site.receiver.mail_to("ana@example.com");
}

#[test]
fn send_rate_is_limited() {
    let site = site_with_subscribers(31);
    let _deliverer = site.deliver_at(30);
    let start = Instant::now();
    let post = site.publish();
    site.wait_for(post, EmailStatus::Submitted);
    let took = start.elapsed();
    assert!(took >= Duration::from_millis(950), "{took:?}");
}

#[test]
fn graceful_stop_leaves_no_recipient_in_doubt() {
    let site = site_with_subscribers(400);
    let deliverer = site.deliver_at(100);
    let post = site.publish();
    site.receiver
        .wait_for_envelopes(120, Duration::from_secs(20));

    drop(deliverer);

    let email = site.email(post);
    assert_eq!(email.delivered as usize, site.receiver.envelopes().len());
    let batches = site.batches(post);
    assert!(
        batches
            .iter()
            .all(|batch| batch.status != EmailStatus::Submitting),
        "{batches:?}"
    );
    let waiting: usize = batches.iter().map(|batch| batch.waiting.len()).sum();
    assert_eq!(waiting as u32, email.unreached());
    assert!(waiting > 0, "all mails were sent before the stop");

    let _deliverer = site.deliver();
    site.wait_for(post, EmailStatus::Submitted);
    assert_eq!(reached(&site), addresses(400));
}

#[test]
fn silent_mail_server_does_not_block_shutdown() {
    let site = NewsletterSite::with_members(&["ana@example.com"]);
    site.receiver.be_difficult(Some(Difficulty::Silent));
    let deliverer = site.deliver();
    let post = site.publish();
    site.receiver.wait_for_conversations(1);

    let start = Instant::now();
    drop(deliverer);

    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(site.email(post).unreached(), 1);
    site.receiver.be_difficult(None);
    let _deliverer = site.deliver();
    site.wait_for(post, EmailStatus::Submitted);
    site.receiver.mail_to("ana@example.com");
}

#[test]
fn full_disk_does_not_cause_duplicate_mails() {
    let store = Arc::new(MemoryStore::new());
    let site = NewsletterSite::on(Arc::clone(&store));
    add_members(&site.site, addresses(3).into_iter());
    site.receiver.keep_envelopes_only();
    let post = site.publish();
    // The commits are: the list of recipients, the start of the batch, and its result.
    store.fail_commit(3, CommitFault::DiskFull);
    let _deliverer = site.deliver();

    let email = site.wait_for(post, EmailStatus::Submitted);

    assert_eq!(email.delivered, 3);
    assert_eq!(reached(&site), addresses(3));
}

#[test]
fn unsubscribed_or_deleted_member_gets_no_mail() {
    let site = site_with_subscribers(60);
    let _deliverer = site.deliver_at(40);
    let post = site.publish();
    site.receiver.wait_for_envelopes(2, Duration::from_secs(20));

    let snapshot = site.site.current().clone();
    let members: Vec<_> = snapshot.catalog.members.iter().cloned().collect();
    let last = &members[members.len() - 2..];
    site.site
        .write(|transaction| {
            transaction.delete_member(last[0].id)?;
            transaction.save_member(galley::domain::member::Member {
                newsletters: Vec::new(),
                ..(*last[1]).clone()
            })
        })
        .unwrap();

    let email = site.wait_for(post, EmailStatus::Submitted);
    assert_eq!(
        (email.recipients, email.delivered, email.failed),
        (58, 58, 0)
    );
    for member in last {
        assert!(!reached(&site).contains(&member.email.to_string()));
    }
}

#[test]
fn deleted_post_is_not_sent() {
    let site = site_with_subscribers(250);
    let _deliverer = site.deliver_at(100);
    let post = site.publish();
    site.receiver.wait_for_envelopes(2, Duration::from_secs(20));

    site.site
        .write(|transaction| transaction.delete_post(post))
        .unwrap();

    assert!(site.site.current().catalog.emails.of_post(post).is_none());
    let by_then = site.receiver.envelopes().len();
    std::thread::sleep(Duration::from_millis(1500));
    let later = site.receiver.envelopes().len() - by_then;
    assert!(later <= 50, "{later}");
}
