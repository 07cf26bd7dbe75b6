//! Sends posts to the subscribers of newsletters.
//!
//! A thread is woken after each commit that created an email. First it determines the recipients,
//! members by ascending identifier, and writes them as batches, with the message templates, which
//! are rendered once. Then it sends batch after batch. A batch is marked as being sent in a commit
//! before its first mail. Its result is committed after its last mail, together with the mark of
//! the next batch, so each batch needs one commit. After a crash, only the marked batch is
//! uncertain. It is sent again, each mail with the same identifier. After a normal stop, only mails
//! that the server has not responded to are uncertain.
//!
//! Members who have unsubscribed or were deleted since the recipients were determined receive
//! nothing; neither do members who signed up since.

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

/// Sends newsletters until dropped.
pub struct NewsletterDeliverer {
    message_sender: Sender<NewsletterThreadMessage>,
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
        let (message_sender, messages) = mpsc::channel();
        let waker = message_sender.clone();
        site.on_commit(CommitTopic::Newsletters, move || {
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
            message_sender: message_sender.clone(),
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
            message_sender,
            thread: Some(thread),
        })
    }
}

impl Drop for NewsletterDeliverer {
    /// Waits briefly for the mails in flight.
    fn drop(&mut self) {
        let _ = self.message_sender.send(NewsletterThreadMessage::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been logged.
            let _ = thread.join();
        }
    }
}
