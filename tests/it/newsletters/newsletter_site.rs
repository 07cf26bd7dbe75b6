//! A site with members, a newsletter, a mail server, and a clock that tests set.

use std::{ops::Deref, sync::Arc};

use galley::{
    delivery::{MailOptions, NewsletterRate},
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
use galley_tests::{
    clocked_site::{ClockedSite, webhook_options},
    deliverer::Deliverer,
    smtp_receiver::SmtpReceiver,
    wait_for,
};
use uuid::Uuid;

/// The site, and the mail server that it sends to.
pub struct NewsletterSite {
    pub clocked: ClockedSite,
    pub receiver: SmtpReceiver,
}

impl Deref for NewsletterSite {
    type Target = ClockedSite;

    fn deref(&self) -> &ClockedSite {
        &self.clocked
    }
}

impl NewsletterSite {
    /// Returns a site whose newsletter has these subscribers.
    pub fn with_members(addresses: &[&str]) -> Self {
        let site = Self::on(MemoryStore::new());
        add_members(&site.site, addresses.iter().map(ToString::to_string));
        site
    }

    /// Returns a site without members, on a store.
    pub fn on(store: impl Store + 'static) -> Self {
        Self {
            clocked: ClockedSite::on(store),
            receiver: SmtpReceiver::start(),
        }
    }

    /// Starts delivery to the mail server without a noticeable rate limit.
    pub fn deliver(&self) -> Deliverer {
        self.deliver_at(10_000)
    }

    /// Starts delivery of at most `rate` mails per second.
    pub fn deliver_at(&self, rate: u32) -> Deliverer {
        self.deliver_with(MailOptions {
            server: Some(self.receiver.url().parse().unwrap()),
            newsletter_rate: NewsletterRate(rate),
            ..MailOptions::default()
        })
    }

    pub fn deliver_with(&self, options: MailOptions) -> Deliverer {
        self.clocked.deliver(options, webhook_options())
    }

    /// Publishes a post with the newsletter, and returns its identifier.
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
                .expect("the post has an email"),
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

    /// Waits until an email fulfils a condition, and returns it.
    pub fn wait(&self, what: &str, post: Id, holds: impl Fn(&PostEmail) -> bool) -> Arc<PostEmail> {
        wait_for(what, || self.email(post), |email| holds(email))
    }

    /// Waits until an email is sent or has failed, and returns it.
    pub fn wait_until_over(&self, post: Id) -> Arc<PostEmail> {
        self.wait("the email is completed", post, |email| {
            !email.is_under_way()
        })
    }

    pub fn wait_for(&self, post: Id, status: EmailStatus) -> Arc<PostEmail> {
        let email = self.wait_until_over(post);
        assert_eq!(email.status, status, "{email:?}");
        email
    }
}

/// Returns the default newsletter of a new site.
pub fn newsletter(site: &Site) -> Arc<Newsletter> {
    let snapshot = site.current();
    Arc::clone(snapshot.catalog.newsletters.by_slug(DEFAULT_SLUG).unwrap())
}

/// Adds members who subscribe to the default newsletter.
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

/// Publishes a post with the default newsletter, and returns its identifier.
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
