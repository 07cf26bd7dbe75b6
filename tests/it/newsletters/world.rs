//! A site with members, a newsletter and a mail server, and a clock that stands still.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use galley::{
    api::site_urls::{SiteUrlSources, SiteUrls},
    clock::{Clock, ManualClock},
    delivery::{MailOptions, NewsletterRate, PublicUrls},
    domain::{
        member::Member,
        newsletter::{DEFAULT_SLUG, Newsletter},
        post::{Body, Post, PostKind, Status},
        post_email::{EmailBatch, EmailStatus, PostEmail},
    },
    id::Id,
    site::Site,
    store::{Store, memory::MemoryStore},
};
use jiff::SignedDuration;
use uuid::Uuid;

use crate::{deliverer::Deliverer, smtp_receiver::SmtpReceiver, webhooks::webhook_options};

/// Where the site is.
pub const URL: &str = "https://harbour.example/";

/// Where that site is for its readers.
pub fn whereabouts() -> Arc<dyn PublicUrls> {
    Arc::new(SiteUrlSources {
        operator: None,
        listen: SiteUrls::new(URL).unwrap(),
    })
}

/// The site, and where its mail goes.
pub struct World {
    pub site: Arc<Site>,
    pub clock: Arc<ManualClock>,
    pub receiver: SmtpReceiver,
}

impl World {
    /// A site to which these addresses subscribed.
    pub fn with_members(addresses: &[&str]) -> Self {
        let world = Self::on(MemoryStore::new());
        add_members(&world.site, addresses.iter().map(ToString::to_string));
        world
    }

    /// A site without members whose data is stored here.
    pub fn on(store: impl Store + 'static) -> Self {
        let clock = Arc::new(ManualClock::new("2026-01-02T03:04:05Z".parse().unwrap()));
        let shared: Arc<dyn Clock> = clock.clone();
        let site = Site::open(Box::new(store), shared).unwrap();
        Self {
            site: Arc::new(site),
            clock,
            receiver: SmtpReceiver::start(),
        }
    }

    /// Sends by the mail server, as fast as it takes mail.
    pub fn deliver(&self) -> Deliverer {
        self.deliver_at(10_000)
    }

    /// Sends so many mails a second.
    pub fn deliver_at(&self, rate: u32) -> Deliverer {
        self.deliver_with(MailOptions {
            server: Some(self.receiver.url().parse().unwrap()),
            newsletter_rate: NewsletterRate(rate),
            ..MailOptions::default()
        })
    }

    pub fn deliver_with(&self, options: MailOptions) -> Deliverer {
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

    /// Publishes a post and has it sent.
    pub fn publish(&self) -> Id {
        publish(&self.site)
    }

    pub fn email(&self, post: Id) -> Arc<PostEmail> {
        let snapshot = self.site.current();
        Arc::clone(
            snapshot
                .catalog
                .emails
                .of_post(post)
                .expect("there is an email"),
        )
    }

    pub fn batches(&self, post: Id) -> Vec<EmailBatch> {
        let email = self.email(post);
        let mut batches = Vec::new();
        let snapshot = self.site.current();
        snapshot
            .visit_email_batches(email.id, |batch| {
                batches.push(batch);
                std::ops::ControlFlow::Continue(())
            })
            .unwrap();
        batches
    }

    pub fn pass(&self, time: SignedDuration) {
        self.clock.set(self.clock.now() + time);
    }

    /// Waits until an email is as it is to be.
    pub fn wait(&self, what: &str, post: Id, holds: impl Fn(&PostEmail) -> bool) -> Arc<PostEmail> {
        let until = Instant::now() + Duration::from_secs(30);
        loop {
            let email = self.email(post);
            if holds(&email) {
                return email;
            }
            assert!(
                Instant::now() < until,
                "it never came that {what}: {email:?}"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Waits until an email is over.
    pub fn wait_until_over(&self, post: Id) -> Arc<PostEmail> {
        self.wait("it is over", post, |email| !email.is_under_way())
    }

    pub fn wait_for(&self, post: Id, status: EmailStatus) -> Arc<PostEmail> {
        let email = self.wait_until_over(post);
        assert_eq!(email.status, status, "{email:?}");
        email
    }
}

/// The newsletter that a new site has.
pub fn newsletter(site: &Site) -> Arc<Newsletter> {
    let snapshot = site.current();
    Arc::clone(snapshot.catalog.newsletters.by_slug(DEFAULT_SLUG).unwrap())
}

/// Adds members who get the newsletter that a new site has.
pub fn add_members(site: &Site, addresses: impl Iterator<Item = String>) {
    let newsletter = newsletter(site).id;
    site.write_once(|transaction| {
        for address in addresses {
            let id = Id::derive("member", &address);
            transaction.save_member(Member {
                newsletters: vec![newsletter],
                ..Member::new(id, &address, transaction.now())
            })?;
        }
        Ok(())
    })
    .unwrap();
}

/// Publishes a post in the newsletter that a new site has.
pub fn publish(site: &Site) -> Id {
    let newsletter = newsletter(site).id;
    site.write(|transaction| {
        let now = transaction.now();
        let id = Id::derive("post", "tide");
        let post = Post {
            title: "High tide".into(),
            slug: "high-tide".into(),
            status: Status::Published,
            published_at: Some(now),
            newsletter: Some(newsletter),
            authors: vec![Id::derive("user", "ana")],
            ..Post::draft(id, Uuid::nil(), PostKind::Post, now)
        };
        let body = Body::new("<p>The water comes.</p>".to_owned(), false, false);
        transaction.save_post(post.clone(), body)?;
        transaction.send_to_subscribers(&post)?;
        Ok(id)
    })
    .unwrap()
}
