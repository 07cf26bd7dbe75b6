//! Tests of the delivery of mails that transactions have queued, with a mail server that may be slow, strict or unreachable.

use std::{
    ops::Deref,
    time::{Duration, Instant},
};

use galley::{
    clock::Clock,
    delivery::MailOptions,
    domain::mail::{Mail, MailBlock, SenderSite},
    error::{Error, Kind},
};
use galley_tests::{
    clocked_site::{ClockedSite, webhook_options},
    deliverer::Deliverer,
    smtp_receiver::{Difficulty, SmtpReceiver},
    wait_until,
};
use jiff::{SignedDuration, Timestamp};

const LETTERHEAD: SenderSite = SenderSite {
    title: "The Härbour",
    url: "https://harbour.example/",
    host: "harbour.example",
    icon: None,
    accent: None,
};

/// A site that sends mails, and a mail server.
struct Outbox {
    clocked: ClockedSite,
    receiver: SmtpReceiver,
}

impl Deref for Outbox {
    type Target = ClockedSite;

    fn deref(&self) -> &ClockedSite {
        &self.clocked
    }
}

impl Outbox {
    fn new() -> Self {
        Self {
            clocked: ClockedSite::new(),
            receiver: SmtpReceiver::start(),
        }
    }

    fn deliver(&self) -> Deliverer {
        self.deliver_by(&self.receiver.url(), None)
    }

    fn deliver_by(&self, url: &str, from: Option<&str>) -> Deliverer {
        let options = MailOptions {
            server: Some(url.parse().unwrap()),
            from: from.map(|from| from.parse().unwrap()),
            ..MailOptions::default()
        };
        self.deliver_with(options)
    }

    fn deliver_with(&self, options: MailOptions) -> Deliverer {
        self.clocked.deliver(options, webhook_options())
    }

    fn write_to(&self, address: &str) {
        let mail = Mail::new(
            LETTERHEAD,
            address,
            "Grüße from <b>us</b>",
            &[
                MailBlock::Text("Ana & Ben < all the others"),
                MailBlock::Link("Come in", "https://harbour.example/in/?a=1&b=2"),
            ],
        );
        self.site
            .write_once(|transaction| transaction.send_mail(mail))
            .unwrap();
    }

    fn waiting(&self) -> usize {
        self.site.current().deliveries(100).unwrap().len()
    }

    fn wait_until_nothing_waits(&self) {
        self.wait("the outbox is empty", |outbox| outbox.waiting() == 0);
    }

    /// Returns the time at which the first queued delivery is tried again.
    fn next_attempt(&self) -> Timestamp {
        self.site.current().deliveries(1).unwrap()[0].due_at
    }

    fn has_no_more_mail(&self) -> bool {
        self.receiver.mail_within(None, Duration::ZERO).is_none()
    }

    fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        wait_until(what, || holds(self));
    }
}

#[test]
fn mail_is_sent_as_text_and_html_after_the_commit() {
    let outbox = Outbox::new();
    let _deliverer = outbox.deliver();

    outbox.write_to("ben@example.com");

    let mail = outbox.receiver.mail_to("ben@example.com");
    assert_eq!(mail.to, ["ben@example.com"]);
    assert_eq!(mail.message.header("To"), Some("ben@example.com"));
    let from = mail.message.header("From").unwrap();
    assert!(from.ends_with(" <noreply@harbour.example>"), "{from}");
    assert_eq!(
        mail.message.header("Date"),
        Some("Fri, 02 Jan 2026 03:04:05 +0000")
    );
    assert_eq!(
        mail.message.header("Auto-Submitted"),
        Some("auto-generated")
    );
    let text = &mail.message.text;
    assert!(
        text.starts_with(
            "Ana & Ben < all the others\n\nCome in:\nhttps://harbour.example/in/?a=1&b=2\n"
        ),
        "{text}"
    );
    assert!(text.contains("The Härbour"), "{text}");
    let html = &mail.message.html;
    assert!(html.contains("Ana &amp; Ben &lt; all the others"), "{html}");
    assert!(
        html.contains("href=\"https://harbour.example/in/?a=1&amp;b=2\""),
        "{html}"
    );
    assert!(
        html.contains("<title>Grüße from &lt;b&gt;us&lt;/b&gt;</title>"),
        "{html}"
    );
    outbox.wait_until_nothing_waits();
}

#[test]
fn failed_transaction_sends_no_mail() {
    let outbox = Outbox::new();
    let _deliverer = outbox.deliver();

    let mail = Mail::new(LETTERHEAD, "ben@example.com", "S", &[]);
    let outcome = outbox.site.write_once(|transaction| {
        transaction.send_mail(mail)?;
        Err::<(), _>(Error::new(Kind::Validation, "No."))
    });
    assert!(outcome.is_err());
    outbox.write_to("ana@example.com");

    outbox.receiver.mail_to("ana@example.com");
    outbox.wait_until_nothing_waits();
    assert!(outbox.has_no_more_mail());
}

#[test]
fn queued_mail_is_sent_after_a_restart() {
    let outbox = Outbox::new();
    outbox.write_to("ben@example.com");
    assert_eq!(outbox.waiting(), 1);

    let _deliverer = outbox.deliver();

    outbox.receiver.mail_to("ben@example.com");
    outbox.wait_until_nothing_waits();
}

#[test]
fn deferred_mail_is_retried_with_the_same_message_id() {
    let outbox = Outbox::new();
    outbox
        .receiver
        .be_difficult(Some(Difficulty::Responses("451 later")));
    let _deliverer = outbox.deliver();
    let start = outbox.clock.now();
    outbox.write_to("ben@example.com");
    outbox.write_to("ana@example.com");

    outbox.wait("the mail is put off", |outbox| {
        outbox.next_attempt() > start
    });
    let wait = outbox.next_attempt().duration_since(start).as_secs();
    assert!((5..=6).contains(&wait), "{wait}");
    outbox
        .receiver
        .be_difficult(Some(Difficulty::Responses("421 still later")));
    outbox.advance_clock(SignedDuration::from_secs(7));
    outbox.wait("the mail is put off again", |outbox| {
        outbox.next_attempt() > start + SignedDuration::from_secs(14)
    });
    assert!(outbox.has_no_more_mail());

    outbox.receiver.be_difficult(None);
    outbox.advance_clock(SignedDuration::from_secs(20));
    outbox.wait_until_nothing_waits();
    let identifiers = ["ben@example.com", "ana@example.com"].map(|address| {
        let mail = outbox.receiver.mail_to(address);
        mail.message.header("Message-ID").unwrap().to_owned()
    });
    assert!(outbox.has_no_more_mail());
    assert_ne!(identifiers[0], identifiers[1]);
    assert!(identifiers[0].ends_with("@harbour.example>"));
}

#[test]
fn deferred_mail_is_not_delayed_by_a_clock_set_back() {
    let outbox = Outbox::new();
    outbox
        .receiver
        .be_difficult(Some(Difficulty::Responses("451 later")));
    let _deliverer = outbox.deliver();
    let start = outbox.clock.now();
    outbox.write_to("ben@example.com");
    outbox.wait("the mail is put off", |outbox| {
        outbox.next_attempt() > start
    });

    outbox.receiver.be_difficult(None);
    outbox.advance_clock(SignedDuration::from_hours(-24));

    outbox.receiver.mail_to("ben@example.com");
    outbox.wait_until_nothing_waits();
}

#[test]
fn rejected_recipient_does_not_delay_others() {
    let outbox = Outbox::new();
    outbox.receiver.refuse("unknown@example.com");
    outbox.write_to("unknown@example.com");
    outbox.write_to("not an address");
    outbox.write_to("ana@example.com");

    let _deliverer = outbox.deliver();

    outbox.receiver.mail_to("ana@example.com");
    outbox.wait_until_nothing_waits();
}

#[test]
fn deferred_recipient_does_not_delay_others() {
    let outbox = Outbox::new();
    outbox.receiver.put_off("full@example.com", true);
    outbox.write_to("full@example.com");
    outbox.write_to("ana@example.com");

    let _deliverer = outbox.deliver();

    outbox.receiver.mail_to("ana@example.com");
    outbox.wait("only the deferred mail waits", |outbox| {
        outbox.waiting() == 1
    });
    outbox.receiver.put_off("full@example.com", false);
    outbox.advance_clock(SignedDuration::from_secs(7));
    outbox.receiver.mail_to("full@example.com");
    outbox.wait_until_nothing_waits();
}

#[test]
fn mail_is_retried_for_a_day_if_login_or_connection_fails() {
    let outbox = Outbox::new();
    outbox
        .receiver
        .be_difficult(Some(Difficulty::Responses("535 who are you")));
    let _deliverer = outbox.deliver();
    outbox.write_to("ben@example.com");

    for attempts in 1..=4 {
        outbox.receiver.wait_for_conversations(attempts);
        let now = outbox.clock.now();
        outbox.wait("the mail is deferred", |outbox| outbox.next_attempt() > now);
        outbox.advance_clock(SignedDuration::from_hours(7));
    }
    outbox.wait_until_nothing_waits();
    assert!(outbox.has_no_more_mail());
}

#[test]
fn silent_mail_server_does_not_block_shutdown_or_lose_mail() {
    let outbox = Outbox::new();
    outbox.receiver.be_difficult(Some(Difficulty::Silent));
    let deliverer = outbox.deliver();
    outbox.write_to("ben@example.com");
    outbox.receiver.wait_for_conversations(1);

    let start = Instant::now();
    drop(deliverer);

    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(outbox.waiting(), 1);
    outbox.receiver.be_difficult(None);
    let _deliverer = outbox.deliver();
    outbox.receiver.mail_to("ben@example.com");
}

#[test]
fn sender_and_mail_server_come_from_the_configuration() {
    let outbox = Outbox::new();
    let url = outbox.receiver.url().replace("//", "//ana:p%40ss@");
    let _deliverer = outbox.deliver_by(&url, Some("Post <post@mail.example>"));

    outbox.write_to("ben@example.com");

    let mail = outbox.receiver.mail_to("ben@example.com");
    assert_eq!(
        mail.message.header("From"),
        Some("Post <post@mail.example>")
    );
    // "\0ana\0p@ss"
    assert_eq!(mail.signed_in.as_deref(), Some("AUTH PLAIN AGFuYQBwQHNz"));
}

#[test]
fn mail_is_not_queued_without_a_mail_server() {
    let outbox = Outbox::new();
    let _deliverer = outbox.deliver_with(MailOptions::default());
    outbox.write_to("ben@example.com");
    outbox.wait_until_nothing_waits();
}
