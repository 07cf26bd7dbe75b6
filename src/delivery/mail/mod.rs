//! Delivers the mails in the outbox over SMTP.
//!
//! A thread is woken after each commit that queued a mail. Failed attempts are retried for a day, after
//! increasing waits. A delivery is removed from the outbox after it has been completed, so a crash in
//! between repeats it and no mail is lost. Without a configured mail server, the log shows the essential
//! part of each mail, so that no user is locked out of a newly installed site. With a mail server, the log
//! never does.
//!
//! Only this thread reads and changes the site. Each mail is sent by a separate thread, which can be
//! abandoned, so a mail server that does not respond does not prevent a site from closing.

pub(super) mod message;
pub(super) mod server;

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

pub use message::{SenderError, SenderOption};
pub(super) use server::SendOutcome;
pub use server::{MailServer, MailServerError, MailTrialError};

use super::metrics::DeliveryMetrics;
use crate::{
    domain::delivery::Delivery,
    error::{Error, Result},
    site::{CommitTopic, LeasedSite},
};

/// Number of deliveries that are read from the outbox together.
const DELIVERIES_AT_ONCE: usize = 100;

/// Interval at which the clock is read while a delivery waits until it is due: clocks may be set, and
/// machines may be suspended.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Interval at which the outbox is read even without a notification.
const FULL_SCAN_INTERVAL: Duration = Duration::from_secs(60);

/// Time limit for a mail in flight when the program stops, after which it is left to the next start.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// The transport and the sender of mail.
#[derive(Clone, Debug, Default)]
pub struct MailOptions {
    /// The mail server; if `None`, mails are logged.
    pub server: Option<MailServer>,
    /// The sender; if `None`, `noreply` at the site's host.
    pub from: Option<SenderOption>,
    /// The maximum rate of newsletters.
    pub newsletter_rate: NewsletterRate,
}

/// Maximum number of newsletter mails per second, over all newsletters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewsletterRate(pub u32);

impl Default for NewsletterRate {
    /// Returns a rate that most mail services accept.
    fn default() -> Self {
        Self(10)
    }
}

/// Delivers mails until dropped.
pub struct MailDeliverer {
    message_sender: Sender<MailThreadMessage>,
    thread: Option<JoinHandle<()>>,
}

/// A message to the thread.
enum MailThreadMessage {
    /// A mail was queued.
    Outbox,
    /// The program stops.
    Stop,
    /// The result of the attempt with this number.
    Finished(u64, SendOutcome),
}

impl MailDeliverer {
    /// Delivers the waiting mails, and continues in a thread.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(
        site: impl Into<LeasedSite>,
        options: MailOptions,
        metrics: Arc<DeliveryMetrics>,
    ) -> Result<Self> {
        let site = site.into();
        // One channel for notifications and results, so that the thread waits for both at once.
        let (message_sender, messages) = mpsc::channel();
        let waker = message_sender.clone();
        site.on_commit(CommitTopic::Mail, move || {
            // Fails once the thread has ended.
            let _ = waker.send(MailThreadMessage::Outbox);
        });
        let mut worker = MailWorker {
            site,
            options,
            metrics,
            message_sender: message_sender.clone(),
            messages,
            attempts: 0,
            is_stopping: false,
        };
        let thread = thread::Builder::new()
            .name("mail delivery".to_owned())
            .spawn(move || worker.run())
            .map_err(Error::internal)?;
        Ok(Self {
            message_sender,
            thread: Some(thread),
        })
    }
}

impl Drop for MailDeliverer {
    /// Waits briefly for the mail in flight.
    fn drop(&mut self) {
        let _ = self.message_sender.send(MailThreadMessage::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been logged.
            let _ = thread.join();
        }
    }
}

/// The state of the thread.
struct MailWorker {
    site: LeasedSite,
    options: MailOptions,
    metrics: Arc<DeliveryMetrics>,
    message_sender: Sender<MailThreadMessage>,
    messages: Receiver<MailThreadMessage>,
    /// The number of attempts so far, which is that of the last one.
    attempts: u64,
    is_stopping: bool,
}

impl MailWorker {
    fn run(&mut self) {
        while !self.is_stopping {
            let next = match self.deliver_due() {
                Ok(next) => next,
                Err(error) => {
                    tracing::error!(
                        cause = error.cause(),
                        "the outbox could not be read or written; trying again"
                    );
                    self.wait(FULL_SCAN_INTERVAL);
                    continue;
                }
            };
            let until = Instant::now() + FULL_SCAN_INTERVAL;
            loop {
                let now = self.site.now();
                let is_due = next.as_ref().is_some_and(|next| next.is_due(now));
                let remaining = until.saturating_duration_since(Instant::now());
                if is_due || remaining.is_zero() || self.is_stopping {
                    break;
                }
                let has_message = self.wait(if next.is_some() {
                    remaining.min(POLL_INTERVAL)
                } else {
                    remaining
                });
                // The outbox is read again, because the new mail may be due before `next`.
                if has_message {
                    break;
                }
            }
        }
    }

    /// Waits for a message, for at most `patience`. Returns whether one arrived.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.messages.recv_timeout(patience) {
            Ok(MailThreadMessage::Stop) | Err(RecvTimeoutError::Disconnected) => {
                self.is_stopping = true
            }
            // The result of an abandoned attempt, whose mail is still in the outbox.
            Ok(MailThreadMessage::Outbox | MailThreadMessage::Finished(..)) => {}
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    /// Delivers all mails that are due, and returns the next delivery that is not due yet.
    fn deliver_due(&mut self) -> Result<Option<Delivery>> {
        loop {
            // Read again after each round: a mail that was queued meanwhile may be due before the remaining
            // ones.
            let queued = self.site.current().deliveries(DELIVERIES_AT_ONCE)?;
            let now = self.site.now();
            let (due, later): (Vec<_>, Vec<_>) = queued
                .into_iter()
                .partition(|delivery| delivery.is_due(now));
            // Another process has taken over and has the mail in its outbox, too.
            self.is_stopping |= !self.site.leads();
            if due.is_empty() || self.is_stopping {
                return Ok(due.into_iter().chain(later).next());
            }
            self.deliver(&due)?;
        }
    }

    /// Delivers these mails in order. If the mail server fails, or defers several mails in a row, the remaining mails
    /// are postponed as well.
    fn deliver(&mut self, due: &[Delivery]) -> Result<()> {
        let Some(server) = self.options.server.clone() else {
            due.iter().for_each(log_mail);
            return self.site.write(|transaction| {
                due.iter()
                    .for_each(|delivery| transaction.end_delivery(delivery));
                Ok(())
            });
        };
        let mut deferred_in_a_row = 0;
        for (index, delivery) in due.iter().enumerate() {
            // Before each mail, because sending cannot be undone: another process may have taken
            // over meanwhile.
            if !self.site.leads() {
                return Ok(());
            }
            let outcome = self.attempt_delivery(&server, delivery);
            if let Some(outcome) = &outcome {
                self.metrics.mail(outcome);
            }
            match outcome {
                None => return Ok(()),
                Some(SendOutcome::Failed(reason)) => {
                    // The later mails as well: they would fail for the same reason, each after a timeout.
                    return self.postpone(&due[index..], &reason);
                }
                Some(SendOutcome::Deferred(reason)) => {
                    deferred_in_a_row += 1;
                    if deferred_in_a_row >= MailServer::DEFERRED_IN_A_ROW_MAX {
                        return self.postpone(&due[index..], &reason);
                    }
                    self.postpone(std::slice::from_ref(delivery), &reason)?;
                    continue;
                }
                Some(SendOutcome::Refused { reason, .. }) => {
                    log_permanent_failure(delivery, &reason)
                }
                Some(SendOutcome::Sent) => {
                    tracing::info!(to = %delivery.mail.to, subject = %delivery.mail.subject_in_log(), "a mail was sent");
                }
            }
            deferred_in_a_row = 0;
            self.site.write(|transaction| {
                transaction.end_delivery(delivery);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Makes one attempt; `None` if the program stopped before it was finished.
    fn attempt_delivery(
        &mut self,
        server: &MailServer,
        delivery: &Delivery,
    ) -> Option<SendOutcome> {
        let identifier = delivery.id.to_string();
        let from = self.options.from.as_ref();
        let message = match message::of(&delivery.mail, &identifier, delivery.queued_at, from) {
            Ok(message) => message,
            Err(error) => {
                return Some(SendOutcome::Refused {
                    code: None,
                    reason: error.to_string(),
                });
            }
        };
        // Numbers the attempt, so that the late result of an abandoned one is not taken for that of
        // the next mail.
        self.attempts += 1;
        let (attempt, server, message_sender) =
            (self.attempts, server.clone(), self.message_sender.clone());
        let sender = thread::Builder::new()
            .name("mail".to_owned())
            .spawn(move || {
                // Fails if the program has stopped.
                let _ = message_sender
                    .send(MailThreadMessage::Finished(attempt, server.send(&message)));
            });
        if let Err(error) = sender {
            return Some(SendOutcome::Failed(error.to_string()));
        }
        self.outcome()
    }

    /// Waits for the result of the current attempt, and returns it; `None` if the program stopped first.
    fn outcome(&mut self) -> Option<SendOutcome> {
        let mut until = Instant::now() + MailServer::PATIENCE;
        loop {
            let remaining = until.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(remaining) {
                Ok(MailThreadMessage::Finished(attempt, outcome)) if attempt == self.attempts => {
                    return Some(outcome);
                }
                // The result of an abandoned attempt, or a new mail, which is found when the outbox is read
                // again.
                Ok(MailThreadMessage::Finished(..) | MailThreadMessage::Outbox) => {}
                Ok(MailThreadMessage::Stop) => {
                    self.is_stopping = true;
                    // The result is still awaited for a moment: a mail that was sent but not
                    // recorded is sent again at the next start.
                    until = Instant::now() + STOP_PATIENCE;
                }
                Err(_) if self.is_stopping => return None,
                Err(_) => {
                    return Some(SendOutcome::Failed(
                        "the mail server takes too long".to_owned(),
                    ));
                }
            }
        }
    }

    fn postpone(&self, due: &[Delivery], reason: &str) -> Result<()> {
        // Jitter, so that the mails do not all become due at the same moment again.
        let mut jitters = vec![0; due.len()];
        getrandom::fill(&mut jitters).map_err(Error::internal)?;
        let now = self.site.now();
        self.site.write(|transaction| {
            for (delivery, jitter) in due.iter().zip(&jitters) {
                match delivery.after_failure(now, *jitter) {
                    Some(later) => transaction.postpone_delivery(delivery, &later)?,
                    None => {
                        self.metrics.mail_failed_permanently();
                        log_permanent_failure(delivery, reason);
                        transaction.end_delivery(delivery);
                    }
                }
            }
            Ok(())
        })?;
        tracing::warn!(
            reason,
            mails = due.len(),
            "mail cannot be sent; trying again later"
        );
        Ok(())
    }
}

fn log_permanent_failure(delivery: &Delivery, reason: &str) {
    tracing::error!(
        to = %delivery.mail.to,
        subject = %delivery.mail.subject_in_log(),
        attempts = delivery.failures.saturating_add(1),
        reason,
        "a mail failed permanently"
    );
}

/// Logs the essential part of a mail for its recipient.
fn log_mail(delivery: &Delivery) {
    tracing::warn!(
        "no mail server is configured (mail.url), so the mail is logged: \"{}\" for {}: {}",
        delivery.mail.subject_in_log(),
        delivery.mail.to,
        delivery.mail.essence
    );
}
