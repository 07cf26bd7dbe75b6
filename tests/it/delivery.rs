//! Tests of mails that a change caused, with a mail server that may be slow, strict or unreachable.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use galley::{
    clock::{Clock, ManualClock},
    delivery::MailOptions,
    domain::mail::{Mail, Part, SenderSite},
    error::{Error, Kind},
    site::Site,
    store::memory::MemoryStore,
};
use jiff::{SignedDuration, Timestamp};

use crate::{
    deliverer::Deliverer,
    newsletters::whereabouts,
    smtp_receiver::{Difficulty, SmtpReceiver},
    webhooks::webhook_options,
};

const LETTERHEAD: SenderSite = SenderSite {
    title: "The Härbour",
    url: "https://harbour.example/",
    host: "harbour.example",
    icon: None,
    accent: None,
};

/// A site with a clock that stands still, and a mail server.
struct World {
    site: Arc<Site>,
    clock: Arc<ManualClock>,
    receiver: SmtpReceiver,
}

impl World {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::new("2026-01-02T03:04:05Z".parse().unwrap()));
        let shared: Arc<dyn Clock> = clock.clone();
        let site = Site::open(Box::new(MemoryStore::new()), shared).unwrap();
        Self {
            site: Arc::new(site),
            clock,
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
        let site = Arc::clone(&self.site);
        Deliverer::start(
            site,
            options,
            webhook_options(),
            whereabouts(),
            Arc::default(),
        )
        .unwrap()
    }

    fn write_to(&self, address: &str) {
        let mail = Mail::new(
            LETTERHEAD,
            address,
            "Grüße from <b>us</b>",
            &[
                Part::Text("Ana & Ben < all the others"),
                Part::Link("Come in", "https://harbour.example/in/?a=1&b=2"),
            ],
        );
        self.site
            .write_once(|change| change.send_mail(mail))
            .unwrap();
    }

    fn pass(&self, time: SignedDuration) {
        self.clock.set(self.clock.now() + time);
    }

    fn waiting(&self) -> usize {
        self.site.current().deliveries(100).unwrap().len()
    }

    fn wait_until_nothing_waits(&self) {
        self.wait("the outbox is empty", |world| world.waiting() == 0);
    }

    /// When the first of what waits is tried again.
    fn next_attempt(&self) -> Timestamp {
        self.site.current().deliveries(1).unwrap()[0].due_at
    }

    fn nothing_came(&self) -> bool {
        self.receiver.mail_within(None, Duration::ZERO).is_none()
    }

    fn wait(&self, what: &str, holds: impl Fn(&Self) -> bool) {
        let until = Instant::now() + Duration::from_secs(20);
        while !holds(self) {
            assert!(Instant::now() < until, "it never came that {what}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn mail_is_sent_as_text_and_html_after_the_commit() {
    let world = World::new();
    let _deliverer = world.deliver();

    world.write_to("ben@example.com");

    let mail = world.receiver.mail_to("ben@example.com");
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
    world.wait_until_nothing_waits();
}

#[test]
fn failed_transaction_sends_no_mail() {
    let world = World::new();
    let _deliverer = world.deliver();

    let mail = Mail::new(LETTERHEAD, "ben@example.com", "S", &[]);
    let outcome = world.site.write_once(|change| {
        change.send_mail(mail)?;
        Err::<(), _>(Error::new(Kind::Validation, "No."))
    });
    assert!(outcome.is_err());
    world.write_to("ana@example.com");

    world.receiver.mail_to("ana@example.com");
    world.wait_until_nothing_waits();
    assert!(world.nothing_came());
}

#[test]
fn queued_mail_is_sent_after_a_restart() {
    let world = World::new();
    world.write_to("ben@example.com");
    assert_eq!(world.waiting(), 1);

    let _deliverer = world.deliver();

    world.receiver.mail_to("ben@example.com");
    world.wait_until_nothing_waits();
}

#[test]
fn deferred_mail_is_retried_with_the_same_message_id() {
    let world = World::new();
    world
        .receiver
        .be_difficult(Some(Difficulty::Responses("451 later")));
    let _deliverer = world.deliver();
    let start = world.clock.now();
    world.write_to("ben@example.com");
    world.write_to("ana@example.com");

    world.wait("the mail is put off", |world| world.next_attempt() > start);
    let wait = world.next_attempt().duration_since(start).as_secs();
    assert!((5..=6).contains(&wait), "{wait}");
    world
        .receiver
        .be_difficult(Some(Difficulty::Responses("421 still later")));
    world.pass(SignedDuration::from_secs(7));
    world.wait("the mail is put off again", |world| {
        world.next_attempt() > start + SignedDuration::from_secs(14)
    });
    assert!(world.nothing_came());

    world.receiver.be_difficult(None);
    world.pass(SignedDuration::from_secs(20));
    world.wait_until_nothing_waits();
    let identifiers = ["ben@example.com", "ana@example.com"].map(|address| {
        let mail = world.receiver.mail_to(address);
        mail.message.header("Message-ID").unwrap().to_owned()
    });
    assert!(world.nothing_came());
    assert_ne!(identifiers[0], identifiers[1]);
    assert!(identifiers[0].ends_with("@harbour.example>"));
}

#[test]
fn deferred_mail_is_not_delayed_by_a_clock_set_back() {
    let world = World::new();
    world
        .receiver
        .be_difficult(Some(Difficulty::Responses("451 later")));
    let _deliverer = world.deliver();
    let start = world.clock.now();
    world.write_to("ben@example.com");
    world.wait("the mail is put off", |world| world.next_attempt() > start);

    world.receiver.be_difficult(None);
    world.pass(SignedDuration::from_hours(-24));

    world.receiver.mail_to("ben@example.com");
    world.wait_until_nothing_waits();
}

#[test]
fn rejected_recipient_does_not_delay_others() {
    let world = World::new();
    world.receiver.refuse("unknown@example.com");
    world.write_to("unknown@example.com");
    world.write_to("not an address");
    world.write_to("ana@example.com");

    let _deliverer = world.deliver();

    world.receiver.mail_to("ana@example.com");
    world.wait_until_nothing_waits();
}

#[test]
fn mail_is_retried_for_a_day_if_login_or_connection_fails() {
    let world = World::new();
    world
        .receiver
        .be_difficult(Some(Difficulty::Responses("535 who are you")));
    let _deliverer = world.deliver();
    world.write_to("ben@example.com");

    for attempts in 1..=4 {
        world.receiver.wait_for_conversations(attempts);
        let now = world.clock.now();
        world.wait("the mail is put off", |world| world.next_attempt() > now);
        world.pass(SignedDuration::from_hours(7));
    }
    world.wait_until_nothing_waits();
    assert!(world.nothing_came());
}

#[test]
fn silent_mail_server_does_not_block_shutdown_or_lose_mail() {
    let world = World::new();
    world.receiver.be_difficult(Some(Difficulty::Silent));
    let deliverer = world.deliver();
    world.write_to("ben@example.com");
    world.receiver.wait_for_conversations(1);

    let start = Instant::now();
    drop(deliverer);

    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(world.waiting(), 1);
    world.receiver.be_difficult(None);
    let _deliverer = world.deliver();
    world.receiver.mail_to("ben@example.com");
}

#[test]
fn sender_and_mail_server_come_from_the_configuration() {
    let world = World::new();
    let url = world.receiver.url().replace("//", "//ana:p%40ss@");
    let _deliverer = world.deliver_by(&url, Some("Post <post@mail.example>"));

    world.write_to("ben@example.com");

    let mail = world.receiver.mail_to("ben@example.com");
    assert_eq!(
        mail.message.header("From"),
        Some("Post <post@mail.example>")
    );
    // "\0ana\0p@ss"
    assert_eq!(mail.signed_in.as_deref(), Some("AUTH PLAIN AGFuYQBwQHNz"));
}

#[test]
fn mail_is_not_queued_without_a_mail_server() {
    let world = World::new();
    let _deliverer = world.deliver_with(MailOptions::default());
    world.write_to("ben@example.com");
    world.wait_until_nothing_waits();
}
