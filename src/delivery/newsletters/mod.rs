//! Sends posts to the subscribers of newsletters.
//!
//! A thread is woken after each commit that created an email. First it fixes the recipients:
//! members by ascending identifier, written as batches, and the message templates, rendered once.
//! Then it sends batch after batch: the commit that marks a batch as being sent comes before its
//! first mail, and the commit with its result after its last, together with the mark of the next.
//! So there is one commit for each batch; after a crash only the marked batch is uncertain and sent
//! again, each of its mails with the same identifier; and a normal stop leaves nothing uncertain
//! but a mail that the server does not respond to.
//!
//! Members who unsubscribed or were deleted since the recipients were fixed receive nothing, nor do
//! members who signed up since.

mod batch;
mod batch_run;
mod public_urls;
mod rate_limiter;
mod recipients;
mod stored_templates;
mod subscription;
mod worker;

pub use self::public_urls::PublicUrls;

use std::{
    sync::{
        Arc,
        mpsc::{self, Sender},
    },
    thread::{self, JoinHandle},
};

use self::worker::{NewsletterThreadMessage, NewsletterWorker};
use super::{mail::MailOptions, metrics::DeliveryMetrics};
use crate::{
    error::{Error, Result},
    site::{CommitTopic, LeasedSite},
};
use rate_limiter::SendRateLimiter;

/// Sends newsletters until it is dropped.
pub struct NewsletterDeliverer {
    news: Sender<NewsletterThreadMessage>,
    thread: Option<JoinHandle<()>>,
}

impl NewsletterDeliverer {
    /// Sends the waiting emails, and continues in a thread.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(
        site: impl Into<LeasedSite>,
        options: MailOptions,
        public_urls: Arc<dyn PublicUrls>,
        metrics: Arc<DeliveryMetrics>,
    ) -> Result<Self> {
        let site = site.into();
        let (news, messages) = mpsc::channel();
        let waker = news.clone();
        site.on(CommitTopic::Newsletters, move || {
            // Fails once the thread has ended.
            let _ = waker.send(NewsletterThreadMessage::Email);
        });
        let mut office = NewsletterWorker {
            rate_limiter: SendRateLimiter::new(options.newsletter_rate.0),
            connections: batch::connections(options.newsletter_rate.0),
            site,
            options,
            public_urls,
            metrics,
            news: news.clone(),
            messages,
            attempts: 0,
            unrecorded: None,
            templates: None,
            is_stopping: false,
        };
        let thread = thread::Builder::new()
            .name("newsletter delivery".to_owned())
            .spawn(move || office.run())
            .map_err(Error::internal)?;
        Ok(Self {
            news,
            thread: Some(thread),
        })
    }
}

impl Drop for NewsletterDeliverer {
    /// Waits briefly for the mails that are under way.
    fn drop(&mut self) {
        let _ = self.news.send(NewsletterThreadMessage::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}
