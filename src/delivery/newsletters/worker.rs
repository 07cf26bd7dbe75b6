//! The thread that sends newsletters.

use std::{
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender},
    },
    time::{Duration, Instant},
};

use jiff::Timestamp;

use crate::{
    delivery::{
        mail::{MailOptions, SendOutcome},
        metrics::DeliveryMetrics,
        newsletters::{
            batch_run::UnrecordedBatch,
            public_urls::PublicUrls,
            rate_limiter::SendRateLimiter,
            stored_templates::{MessageTemplates, StoredTemplates},
        },
    },
    domain::post_email::PostEmail,
    error::Result,
    id::Id,
    site::{LeasedSite, SiteSnapshot, Transaction},
};

/// Interval at which the clock is read while an email waits until it is due: clocks may be set, and
/// machines may be suspended.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Interval of searches for emails without a notification.
pub(super) const FULL_SCAN_INTERVAL: Duration = Duration::from_secs(60);

/// Time between a failed read or write of the store and the next attempt.
pub(super) const AFTER_FAULT: Duration = Duration::from_secs(5);

/// Error of an email that cannot be sent because no mail server is configured.
pub(super) const NO_MAIL_SERVER: &str = "No mail server is configured (mail.url).";

/// A message to the thread.
pub(super) enum NewsletterThreadMessage {
    /// An email was created.
    Email,
    /// The program stops.
    Stop,
    /// The result of the attempt with this number.
    Finished(u64, SendOutcome),
}

/// The state of the thread.
pub(super) struct NewsletterWorker {
    pub(super) site: LeasedSite,
    pub(super) options: MailOptions,
    pub(super) public_urls: Arc<dyn PublicUrls>,
    pub(super) metrics: Arc<DeliveryMetrics>,
    pub(super) rate_limiter: SendRateLimiter,
    /// Maximum number of mails that are sent concurrently.
    pub(super) connections: usize,
    pub(super) message_sender: Sender<NewsletterThreadMessage>,
    pub(super) messages: Receiver<NewsletterThreadMessage>,
    pub(super) attempts: u64,
    /// The result of the last batch while it could not be recorded.
    pub(super) unrecorded: Option<UnrecordedBatch>,
    /// The message templates of the email that is being sent.
    pub(super) templates: Option<(Id, Arc<MessageTemplates>)>,
    pub(super) is_stopping: bool,
}

impl NewsletterWorker {
    pub(super) fn run(&mut self) {
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

    /// Waits for a message, for at most `patience`. Returns whether one arrived.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.messages.recv_timeout(patience) {
            Ok(NewsletterThreadMessage::Stop) | Err(RecvTimeoutError::Disconnected) => {
                self.is_stopping = true
            }
            // The result of an abandoned attempt, whose recipient is still waiting.
            Ok(NewsletterThreadMessage::Email | NewsletterThreadMessage::Finished(..)) => {}
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    /// Sends all emails that are due, and returns when the next is due.
    fn send_due(&mut self) -> Result<Option<Timestamp>> {
        while !self.is_stopping {
            // Recorded first: a batch whose result is not recorded would be sent again.
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

    /// Returns whether another process has taken over, and stops in that case.
    pub(super) fn is_deposed(&mut self) -> bool {
        let is_deposed = !self.site.leads();
        self.is_stopping |= is_deposed;
        is_deposed
    }

    pub(super) fn snapshot(&self) -> Arc<SiteSnapshot> {
        Arc::clone(&self.site.current())
    }

    /// Ends an email.
    pub(super) fn end(&self, email: &PostEmail, error: Option<&str>) -> Result<()> {
        change(&self.site, email, |_, email| {
            email.conclude(error);
            Ok(())
        })?;
        self.log_result(email.id);
        Ok(())
    }

    /// Logs the result of a finished email.
    pub(super) fn log_result(&self, id: Id) {
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
    pub(super) fn templates(
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
        // Only those of one email, which can have megabytes.
        self.templates = templates
            .as_ref()
            .map(|templates| (email.id, Arc::clone(templates)));
        Ok(templates)
    }
}

/// Changes an email, unless it was deleted with its post meanwhile. Only this thread changes emails that
/// are being sent.
pub(super) fn change(
    site: &LeasedSite,
    email: &PostEmail,
    change: impl Fn(&mut Transaction, &mut PostEmail) -> Result<()>,
) -> Result<()> {
    site.write(|transaction| {
        // Read again each time, because the closure runs again if another process has changed the site
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
