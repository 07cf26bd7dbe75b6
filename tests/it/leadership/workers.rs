//! Tests of the workers: the messages that they send and the records that they write while leadership moves.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use galley::{
    clock::{Clock, ManualClock},
    delivery::{
        MailDeliverer, MailOptions, NewsletterDeliverer, NewsletterRate, WebhookDeliverer,
        WebhookOptions,
    },
    domain::{
        file_edit::Editor,
        mail::{Mail, MailBlock, SenderSite},
        origin::RecordOrigin,
        post::{Body, Post, Status},
        webhook::Webhook,
    },
    error::Kind,
    id::Id,
    repository::{GitError, Pulls},
    scheduler::Scheduler,
    site::{CommitTopic, Site, Work},
    store::{Store, memory::MemoryStore},
    write_back::WriterElsewhere,
};
use galley_tests::{
    clocked_site::{public_urls, webhook_options},
    site_records::post,
    smtp_receiver::SmtpReceiver,
    wait::PATIENCE,
    wait_until,
    webhook_receiver::WebhookReceiver,
};
use jiff::{SignedDuration, Timestamp};

use super::{LEASE_TIME, Process, Rights};
use crate::newsletters::{add_members, publish};

const LONG: Duration = Duration::from_secs(600);

fn noon() -> Timestamp {
    "2030-01-01T12:00:00Z".parse().unwrap()
}

fn start(store: &Arc<MemoryStore>, name: &str, clock: &Arc<ManualClock>) -> Process {
    let clock: Arc<dyn Clock> = Arc::clone(clock) as _;
    Process::start_with(store, name, LEASE_TIME, clock)
}

fn webhook(site: &Site, target_url: &str) -> Id {
    let added = site.write(|transaction| {
        let integration = transaction.add_integration("A", None)?.id;
        let webhook = Webhook {
            id: Id::derive("webhook", "a"),
            event: "post.edited".into(),
            target_url: target_url.into(),
            name: None,
            secret: None,
            api_version: "v6.65".into(),
            integration,
            last_triggered_at: None,
            last_triggered_status: None,
            last_triggered_error: None,
            created_at: noon(),
            updated_at: noon(),
        };
        let id = webhook.id;
        transaction.save_webhook(webhook)?;
        Ok(id)
    });
    added.unwrap()
}

fn queue(site: &Site, webhook: Id, body: &str) {
    site.write(|transaction| {
        transaction.queue_webhook_delivery(webhook, "post.edited", body.into())
    })
    .unwrap();
}

/// Returns options that name the sending process in a header field of each delivery.
fn options_of(name: &str) -> WebhookOptions {
    WebhookOptions {
        content_version: name.to_owned(),
        ..webhook_options()
    }
}

/// Returns the senders and bodies of the received messages, in order.
fn received(receiver: &WebhookReceiver, count: usize) -> Vec<(String, String)> {
    let next = |_| receiver.delivery_within(None, PATIENCE).unwrap();
    let deliveries = (0..count).map(next);
    deliveries
        .map(|delivery| {
            let body = String::from_utf8(delivery.body).unwrap();
            (delivery.headers["content-version"].clone(), body)
        })
        .collect()
}

#[test]
fn scheduled_post_is_published_once() {
    let store = Arc::new(MemoryStore::shared());
    let clock = Arc::new(ManualClock::new(noon()));
    let mut processes = ["one", "other"].map(|name| start(&store, name, &clock));
    for process in &mut processes {
        process.lead(Work::Scheduler, |site| {
            Box::new(Scheduler::start(site).unwrap())
        });
    }
    let [one, other] = &processes;
    let scheduled = Post {
        status: Status::Scheduled,
        published_at: Some(noon() + SignedDuration::from_mins(5)),
        ..post("letter", 0)
    };
    other
        .site
        .write(|transaction| transaction.save_post(scheduled.clone(), Body::default()))
        .unwrap();
    let before = store.snapshot().unwrap().revision();

    clock.set(noon() + SignedDuration::from_mins(6));

    let is_published = |site: &Site| {
        let snapshot = site.current();
        let post = snapshot.catalog.posts.by_slug("letter");
        post.is_some_and(|post| post.status == Status::Published)
    };
    wait_until("both show the post", || {
        is_published(&one.site) && is_published(&other.site)
    });
    thread::sleep(Duration::from_millis(1500));
    assert_eq!(store.snapshot().unwrap().revision(), before + 1);
}

#[test]
fn webhooks_are_sent_once_and_in_order_while_processes_start_and_stop() {
    let store = Arc::new(MemoryStore::shared());
    let clock = Arc::new(ManualClock::new(noon()));
    let receiver = WebhookReceiver::start();
    let api = start(&store, "api", &clock);
    let id = webhook(&api.site, &receiver.url());
    let sender = |number: usize| {
        let name = format!("sender-{number}");
        let clock: Arc<dyn Clock> = Arc::clone(&clock) as _;
        let mut process = Process::start_with(&store, &name, LONG, clock);
        process.lead(Work::Webhooks, move |site| {
            Box::new(WebhookDeliverer::start(site, options_of(&name), Arc::default()).unwrap())
        });
        process
    };
    let mut senders = vec![sender(0), sender(1)];
    let mut bodies = Vec::new();
    for round in 0..4 {
        for number in 0..25 {
            let body = format!("{{\"n\":{}}}", 25 * round + number);
            queue(&api.site, id, &body);
            bodies.push(body);
        }
        drop(senders.remove(0));
        senders.push(sender(round + 2));
    }

    let received = received(&receiver, bodies.len());

    let found: Vec<&String> = received.iter().map(|(_, body)| body).collect();
    assert_eq!(found, bodies.iter().collect::<Vec<_>>());
    assert_eq!(receiver.count(), 0);
}

#[test]
fn paused_leader_sends_no_webhook() {
    let store = Arc::new(MemoryStore::shared());
    let clock = Arc::new(ManualClock::new(noon()));
    let receiver = WebhookReceiver::start();
    let (mut one, mut other) = (start(&store, "one", &clock), start(&store, "other", &clock));
    let id = webhook(&one.site, &receiver.url());
    // The worker keeps running, like one that has not noticed the end of the lease.
    let first = one.leads(Work::Webhooks);
    let _late = WebhookDeliverer::start(first.last(), options_of("one"), Arc::default()).unwrap();
    queue(&other.site, id, "{\"n\":1}");
    assert_eq!(received(&receiver, 1)[0].0, "one");
    one.pause();
    wait_until("the lease is over", || !first.is_valid());
    queue(&other.site, id, "{\"n\":2}");
    one.site.follow().unwrap();
    thread::sleep(Duration::from_millis(300));
    assert_eq!(receiver.count(), 0);

    other.lead(Work::Webhooks, move |site| {
        Box::new(WebhookDeliverer::start(site, options_of("other"), Arc::default()).unwrap())
    });

    let sent = received(&receiver, 1);
    assert_eq!(sent, [("other".to_owned(), "{\"n\":2}".to_owned())]);
}

#[test]
fn paused_leader_sends_no_mail() {
    let store = Arc::new(MemoryStore::shared());
    let clock = Arc::new(ManualClock::new(noon()));
    let receiver = SmtpReceiver::start();
    let options = MailOptions {
        server: Some(receiver.url().parse().unwrap()),
        ..MailOptions::default()
    };
    let (mut one, mut other) = (start(&store, "one", &clock), start(&store, "other", &clock));
    let first = one.leads(Work::Mail);
    let _late = MailDeliverer::start(first.last(), options.clone(), Arc::default()).unwrap();
    one.pause();
    wait_until("the lease is over", || !first.is_valid());
    let sender = SenderSite {
        title: "The Harbour",
        url: "https://harbour.example/",
        host: "harbour.example",
        ..SenderSite::default()
    };
    let mail = Mail::new(
        sender,
        "ada@example.com",
        "Hello",
        &[MailBlock::Text("Hello.")],
    );
    other
        .site
        .write(|transaction| transaction.send_mail(mail.clone()))
        .unwrap();
    one.site.follow().unwrap();
    let quiet = receiver.mail_within(None, Duration::from_millis(300));
    assert!(quiet.is_none());

    other.lead(Work::Mail, move |site| {
        Box::new(MailDeliverer::start(site, options.clone(), Arc::default()).unwrap())
    });

    receiver.mail_to("ada@example.com");
    let again = receiver.mail_within(None, Duration::from_millis(300));
    assert!(again.is_none());
}

#[test]
fn webhooks_are_delivered_in_order_without_loss_while_leaders_are_paused() {
    let store = Arc::new(MemoryStore::shared());
    let clock = Arc::new(ManualClock::new(noon()));
    let receiver = WebhookReceiver::start();
    let mut senders = ["one", "other"].map(|name| {
        let mut process = start(&store, name, &clock);
        let rights = Rights::default();
        let leased = rights.clone();
        process.lead(Work::Webhooks, move |site| {
            leased.0.lock().unwrap().push(site.clone());
            Box::new(WebhookDeliverer::start(site, options_of(name), Arc::default()).unwrap())
        });
        (process, rights)
    });
    let api = start(&store, "api", &clock);
    let id = webhook(&api.site, &receiver.url());
    let mut queued = 0;
    for _ in 0..4 {
        for _ in 0..10 {
            queue(&api.site, id, &queued.to_string());
            queued += 1;
        }
        senders[0].0.pause();
        wait_until("the other process leads", || senders[1].1.is_valid());
        senders[0].0.resume();
        senders.reverse();
    }

    let mut next = 0;
    while next < queued {
        let delivery = receiver.delivery_within(None, PATIENCE).unwrap();
        let number: i32 = String::from_utf8(delivery.body).unwrap().parse().unwrap();
        // The next leader repeats deliveries that may not have been recorded.
        assert!(number <= next, "{number} came before {next}");
        next = next.max(number + 1);
    }
}

#[test]
fn paused_leader_sends_no_newsletter_and_another_sends_the_rest() {
    let store = Arc::new(MemoryStore::shared());
    let clock = Arc::new(ManualClock::new(noon()));
    let receiver = SmtpReceiver::start();
    receiver.keep_envelopes_only();
    let options = MailOptions {
        server: Some(receiver.url().parse().unwrap()),
        newsletter_rate: NewsletterRate(10),
        ..MailOptions::default()
    };
    let (mut one, mut other) = (start(&store, "one", &clock), start(&store, "other", &clock));
    let addresses = (0..60).map(|number| format!("reader-{number}@example.com"));
    add_members(&one.site, addresses.clone());
    let first = one.leads(Work::Newsletters);
    let deliver = move |site, options: &MailOptions| {
        NewsletterDeliverer::start(site, options.clone(), public_urls(), Arc::default()).unwrap()
    };
    let _late = deliver(first.last(), &options);
    let post = publish(&one.site);
    receiver.wait_for_envelopes(3, PATIENCE);
    one.pause();
    wait_until("the lease is over", || !first.is_valid());
    // Mails in flight are completed and recorded, because no other process leads yet.
    thread::sleep(Duration::from_millis(500));
    let sent = receiver.envelopes().len();
    thread::sleep(Duration::from_millis(500));
    assert_eq!(receiver.envelopes().len(), sent);
    assert!(sent < 60, "{sent}");

    other.lead(Work::Newsletters, move |site| {
        Box::new(deliver(site, &options))
    });

    wait_until("the newsletter is sent", || {
        let snapshot = other.site.current();
        let email = snapshot.catalog.emails.of_post(post);
        email.is_some_and(|email| !email.is_under_way())
    });
    let mut reached: Vec<String> = receiver
        .envelopes()
        .iter()
        .map(|envelope| envelope.to.clone())
        .collect();
    reached.sort();
    let mut all: Vec<String> = addresses.collect();
    all.sort();
    assert_eq!(reached, all);
}

#[test]
fn edit_of_a_content_file_on_another_process_names_the_leader() {
    let store = Arc::new(MemoryStore::shared());
    let (mut one, other) = (
        Process::start(&store, "web-1:7"),
        Process::start(&store, "x"),
    );
    one.leads(Work::Source);
    other.site.write_files_with(Arc::new(WriterElsewhere));
    let of_file = Post {
        origin: RecordOrigin::File {
            path: "posts/letter.md".into(),
        },
        ..post("letter", 0)
    };
    one.site
        .write(|transaction| transaction.save_post_of_file(of_file.clone(), Body::default()))
        .unwrap();

    let refused = other.site.write(|transaction| {
        transaction.edit_files_as(Editor {
            name: "Ada".into(),
            email: None,
        });
        transaction.save_post(of_file.clone(), Body::default())
    });

    let error = refused.unwrap_err();
    assert_eq!(error.kind(), Kind::Maintenance);
    assert!(error.message().contains("web-1:7"), "{}", error.message());
}

#[test]
fn pull_on_another_process_is_refused_and_push_is_forwarded_to_the_leader() {
    let store = Arc::new(MemoryStore::shared());
    let (mut one, other) = (
        Process::start(&store, "web-1:7"),
        Process::start(&store, "x"),
    );
    one.leads(Work::Source);
    let asked = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&asked);
    one.site
        .on_commit(CommitTopic::Leases, move || *counted.lock().unwrap() += 1);
    let pulls = Pulls::new(&other.site, None);

    match pulls.pull() {
        Err(GitError::Elsewhere { node }) => assert_eq!(node, "web-1:7"),
        outcome => panic!("{:?}", outcome.map(drop)),
    }
    pulls.push().unwrap();

    wait_until("the leader is notified", || *asked.lock().unwrap() == 1);
    // Leadership has not moved.
    assert_eq!(other.site.leases().unwrap()[&Work::Source].number(), 1);
}
