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
mod rate_limiter;
mod recipients;
mod stored_templates;
mod subscription;

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use url::Url;

use super::{
    mail::{MailOptions, SendOutcome},
    metrics::DeliveryMetrics,
};
use crate::{
    catalog::Catalog,
    domain::{post::Post, post_email::PostEmail, setting::Settings},
    error::{Error, Result},
    id::Id,
    site::{CommitTopic, LeasedSite, SiteSnapshot, Transaction},
};
use batch::UnrecordedBatch;
use rate_limiter::RateLimiter;
use stored_templates::{MessageTemplates, StoredTemplates};

/// Interval at which the clock is read while an email waits until it is due: clocks are set, and machines
/// sleep.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Interval at which emails are looked for without a notification.
const FULL_SCAN_INTERVAL: Duration = Duration::from_secs(60);

/// Time between a failed read or write of the store and the next attempt.
const AFTER_FAULT: Duration = Duration::from_secs(5);

/// Error of an email that cannot be sent for lack of a mail server.
const NO_MAIL_SERVER: &str = "No mail server is configured (mail.url).";

/// Public URLs of a site, from its settings and the operator's configuration.
pub trait PublicUrls: Send + Sync {
    /// Returns the site's public URL.
    fn site(&self, settings: &Settings) -> Url;

    /// Returns the URL of a post.
    fn post(&self, catalog: &Catalog, post: &Post) -> String;
}

/// Sends newsletters until it is dropped.
pub struct NewsletterDeliverer {
    news: Sender<NewsletterThreadMessage>,
    thread: Option<JoinHandle<()>>,
}

/// A message to the thread.
enum NewsletterThreadMessage {
    /// An email was created.
    Email,
    /// The program stops.
    Stop,
    /// The result of the attempt with this number.
    Finished(u64, SendOutcome),
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
            rate_limiter: RateLimiter::new(options.newsletter_rate.0),
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

/// The state of the thread.
struct NewsletterWorker {
    site: LeasedSite,
    options: MailOptions,
    public_urls: Arc<dyn PublicUrls>,
    metrics: Arc<DeliveryMetrics>,
    rate_limiter: RateLimiter,
    /// Most mails that are sent concurrently.
    connections: usize,
    news: Sender<NewsletterThreadMessage>,
    messages: Receiver<NewsletterThreadMessage>,
    attempts: u64,
    /// The result of the last batch, as long as it could not be recorded.
    unrecorded: Option<UnrecordedBatch>,
    /// The message templates of the email that is being sent.
    templates: Option<(Id, Arc<MessageTemplates>)>,
    is_stopping: bool,
}

impl NewsletterWorker {
    fn run(&mut self) {
        while !self.is_stopping {
            match self.send_due() {
                Ok(next) => self.wait_for(next),
                Err(error) => {
                    tracing::error!(
                        cause = error.cause(),
                        "newsletter emails could not be read or written; trying again"
                    );
                    self.wait(AFTER_FAULT);
                }
            }
        }
    }

    /// Waits for a message or until an email is due, or until the next regular check.
    fn wait_for(&mut self, next: Option<Timestamp>) {
        let until = Instant::now() + FULL_SCAN_INTERVAL;
        loop {
            let is_due = next.is_some_and(|next| next <= self.site.now());
            let remaining = until.saturating_duration_since(Instant::now());
            if is_due || remaining.is_zero() || self.is_stopping {
                return;
            }
            if self.wait(if next.is_some() {
                remaining.min(POLL_INTERVAL)
            } else {
                remaining
            }) {
                return;
            }
        }
    }

    /// Waits for a message, but no longer than `patience`. Returns whether one arrived.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.messages.recv_timeout(patience) {
            Ok(NewsletterThreadMessage::Stop) | Err(RecvTimeoutError::Disconnected) => {
                self.is_stopping = true
            }
            // The result of an abandoned attempt: its recipient still waits.
            Ok(NewsletterThreadMessage::Email | NewsletterThreadMessage::Finished(..)) => {}
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    /// Sends all emails that are due, and returns when the next is due.
    fn send_due(&mut self) -> Result<Option<Timestamp>> {
        while !self.is_stopping {
            // First of all: a batch whose result is not recorded would be sent again.
            self.record()?;
            if self.is_deposed() {
                break;
            }
            let snapshot = self.snapshot();
            let now = self.site.now();
            let emails = || snapshot.catalog.emails.under_way();
            let Some(email) = emails().find(|email| email.is_due(now)) else {
                return Ok(emails().filter_map(|email| email.sending.due_at).min());
            };
            self.continue_with(&snapshot, email)?;
        }
        Ok(None)
    }

    fn continue_with(&mut self, snapshot: &SiteSnapshot, email: &PostEmail) -> Result<()> {
        let Some(server) = self.options.server.clone() else {
            return self.end(email, Some(NO_MAIL_SERVER));
        };
        if email.sending.is_fixed {
            self.send_batch(snapshot, email, &server)
        } else {
            self.fix(snapshot, email)
        }
    }

    /// Returns whether another process leads, and stops if so.
    fn is_deposed(&mut self) -> bool {
        let is_deposed = !self.site.leads();
        self.is_stopping |= is_deposed;
        is_deposed
    }

    fn snapshot(&self) -> Arc<SiteSnapshot> {
        Arc::clone(&self.site.current())
    }

    /// Ends an email.
    fn end(&self, email: &PostEmail, error: Option<&str>) -> Result<()> {
        change(&self.site, email, |_, email| {
            email.conclude(error);
            Ok(())
        })?;
        self.log_result(email.id);
        Ok(())
    }

    /// Logs the result of a finished email.
    fn log_result(&self, id: Id) {
        let snapshot = self.site.current();
        let Some(email) = snapshot.catalog.emails.get(id) else {
            return;
        };
        if email.is_under_way() {
            return;
        }
        let (email_id, subject) = (email.id, &email.subject);
        let (recipients, delivered, failed) = (email.recipients, email.delivered, email.failed);
        match email.error.as_deref() {
            None => {
                tracing::info!(email = %email_id, %subject, recipients, delivered, "a newsletter was sent");
            }
            Some(reason) => {
                tracing::error!(
                    email = %email_id, %subject, recipients, delivered, failed, reason,
                    "a newsletter did not reach all recipients; PUT emails/ID/retry/ sends it to the others"
                );
            }
        }
    }

    /// Returns the message templates of an email, read once.
    fn templates(
        &mut self,
        snapshot: &SiteSnapshot,
        email: &PostEmail,
    ) -> Result<Option<Arc<MessageTemplates>>> {
        if let Some((id, templates)) = &self.templates
            && *id == email.id
        {
            return Ok(Some(Arc::clone(templates)));
        }
        let stored: Option<StoredTemplates> = snapshot.templates(email.id)?;
        let templates = stored.map(|stored| Arc::new(stored.ready()));
        self.templates = templates
            .as_ref()
            .map(|templates| (email.id, Arc::clone(templates)));
        Ok(templates)
    }
}

/// Changes an email, unless it was deleted with its post meanwhile. Only this thread changes one
/// that is under way.
fn change(
    site: &LeasedSite,
    email: &PostEmail,
    change: impl Fn(&mut Transaction, &mut PostEmail) -> Result<()>,
) -> Result<()> {
    site.write(|transaction| {
        // Read again, because the closure runs again if another process has changed the site
        // meanwhile.
        let Some(found) = transaction.catalog().emails.get(email.id).cloned() else {
            return Ok(());
        };
        let mut changed = PostEmail::clone(&found);
        change(transaction, &mut changed)?;
        if changed == *found {
            Ok(())
        } else {
            transaction.save_email(changed)
        }
    })
}
