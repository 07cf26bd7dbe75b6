//! Brings out the mails that wait in the outbox, by a server that speaks SMTP.
//!
//! A thread that is woken after each commit that put something there. What fails is tried again after growing waits, for a
//! day. A delivery leaves the outbox after it was made, so a crash in between repeats it, and none is lost. Where no mail
//! server is configured, the log tells what a mail's reader must have of it, so that nobody is locked out of a site that
//! has just been installed; where there is one, the log never does.
//!
//! The site is read and changed by the thread alone. A thread of its own carries each mail, and can be left behind: a mail
//! server that does not answer keeps no site from closing.

pub(super) mod message;
mod server;

use std::{
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

pub use message::{SenderError, SenderOption};
pub use server::{MailServer, MailServerError};

use super::figures::DeliveryFigures;
use crate::{
    domain::delivery::Delivery,
    error::{Error, Result},
    site::{Site, Topic},
};

/// How many deliveries are taken out of the outbox at once.
const ROUND: usize = 100;

/// How often the clock is asked while something waits for its time: clocks are set, and machines sleep.
const LOOK: Duration = Duration::from_secs(1);

/// How often the outbox is looked at, whatever was told about it.
const FULL_LOOK: Duration = Duration::from_secs(60);

/// How long a mail that is on its way may take when the program stops, before it is left to the next start.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// Who carries the mail, and for whom.
#[derive(Clone, Debug, Default)]
pub struct MailOptions {
    /// The server that takes it; without one it is told in the log.
    pub server: Option<MailServer>,
    /// Who it is from, if not from `noreply` at the site's host.
    pub from: Option<SenderOption>,
    /// How fast newsletters go out.
    pub newsletter_rate: NewsletterRate,
}

/// How many mails of newsletters go out a second, all together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewsletterRate(pub u32);

impl Default for NewsletterRate {
    /// What most services that take mail let through.
    fn default() -> Self {
        Self(10)
    }
}

/// Delivers until it is dropped.
pub struct MailDeliverer {
    news: Sender<News>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread is told.
enum News {
    /// Something was put into the outbox.
    Outbox,
    /// It is to stop.
    Stop,
    /// What came of the attempt with this number.
    Carried(u64, Outcome),
}

/// What came of an attempt.
pub(super) enum Outcome {
    /// The mail server has it.
    Sent,
    /// It may pass later, and so may no other: the server cannot be reached, or has no time, or does not let us in.
    Failed(String),
    /// It may pass later; the server did not say whether others pass now.
    PutOff(String),
    /// It will never pass: there is nobody at that address, say.
    Refused {
        /// The code of the server's answer, if it came to that.
        code: Option<u16>,
        /// What the server, or who wrote the mail, says.
        reason: String,
    },
}

impl MailDeliverer {
    /// Delivers what waits, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(
        site: Arc<Site>,
        options: MailOptions,
        figures: Arc<DeliveryFigures>,
    ) -> Result<Self> {
        let (news, told) = mpsc::channel();
        let waker = news.clone();
        site.on(Topic::Mail, move || {
            // Nobody listens any more once this is dropped.
            let _ = waker.send(News::Outbox);
        });
        let mut round = Round {
            site,
            options,
            figures,
            news: news.clone(),
            told,
            attempts: 0,
            is_stopping: false,
        };
        let thread = thread::Builder::new()
            .name("mail delivery".to_owned())
            .spawn(move || round.run())
            .map_err(Error::internal)?;
        Ok(Self {
            news,
            thread: Some(thread),
        })
    }
}

impl Drop for MailDeliverer {
    /// Waits for the mail that is under way, but not for long.
    fn drop(&mut self) {
        let _ = self.news.send(News::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Round {
    site: Arc<Site>,
    options: MailOptions,
    figures: Arc<DeliveryFigures>,
    news: Sender<News>,
    told: Receiver<News>,
    attempts: u64,
    is_stopping: bool,
}

impl Round {
    fn run(&mut self) {
        while !self.is_stopping {
            let next = match self.deliver_due() {
                Ok(next) => next,
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "the outbox could not be read or written; trying again"
                    );
                    self.wait(FULL_LOOK);
                    continue;
                }
            };
            let until = Instant::now() + FULL_LOOK;
            loop {
                let now = self.site.now();
                let is_due = next.as_ref().is_some_and(|next| next.is_due(now));
                let left = until.saturating_duration_since(Instant::now());
                if is_due || left.is_zero() || self.is_stopping {
                    break;
                }
                let is_told = self.wait(if next.is_some() { left.min(LOOK) } else { left });
                if is_told {
                    break;
                }
            }
        }
    }

    /// Waits until something is told, but no longer than `patience`; whether something was.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.told.recv_timeout(patience) {
            Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => self.is_stopping = true,
            // A mail that was left behind: the outbox still has it.
            Ok(News::Outbox | News::Carried(..)) => {}
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    /// Delivers all that is due now, and returns what is due next.
    fn deliver_due(&mut self) -> Result<Option<Delivery>> {
        loop {
            let waiting = self.site.current().deliveries(ROUND)?;
            let now = self.site.now();
            let (due, later): (Vec<_>, Vec<_>) = waiting
                .into_iter()
                .partition(|delivery| delivery.is_due(now));
            if due.is_empty() || self.is_stopping {
                return Ok(due.into_iter().chain(later).next());
            }
            self.deliver(&due)?;
        }
    }

    /// Delivers these, one after the other. When the mail server itself fails, those that are left wait as well.
    fn deliver(&mut self, due: &[Delivery]) -> Result<()> {
        let Some(server) = self.options.server.clone() else {
            due.iter().for_each(tell);
            return self
                .site
                .write(|change| due.iter().try_for_each(|told| change.end_delivery(told)));
        };
        for (place, delivery) in due.iter().enumerate() {
            let outcome = self.carry(&server, delivery);
            if let Some(outcome) = &outcome {
                self.figures.mail(outcome);
            }
            match outcome {
                None => return Ok(()),
                Some(Outcome::Failed(reason) | Outcome::PutOff(reason)) => {
                    return self.postpone(&due[place..], &reason);
                }
                Some(Outcome::Refused { reason, .. }) => give_up(delivery, &reason),
                Some(Outcome::Sent) => {
                    tracing::info!(to = %delivery.mail.to, subject = %delivery.mail.subject, "a mail was sent");
                }
            }
            self.site.write(|change| change.end_delivery(delivery))?;
        }
        Ok(())
    }

    /// Makes one attempt; `None` when the program stopped before it was over.
    fn carry(&mut self, server: &MailServer, delivery: &Delivery) -> Option<Outcome> {
        let identifier = delivery.id.to_string();
        let from = self.options.from.as_ref();
        let message = match message::of(&delivery.mail, &identifier, delivery.queued_at, from) {
            Ok(message) => message,
            Err(error) => {
                return Some(Outcome::Refused {
                    code: None,
                    reason: error.to_string(),
                });
            }
        };
        self.attempts += 1;
        let (attempt, server, news) = (self.attempts, server.clone(), self.news.clone());
        let carrier = thread::Builder::new()
            .name("mail".to_owned())
            .spawn(move || {
                // Nobody waits any more when the program has stopped.
                let _ = news.send(News::Carried(attempt, server.send(&message)));
            });
        if let Err(error) = carrier {
            return Some(Outcome::Failed(error.to_string()));
        }
        self.outcome()
    }

    /// What came of the attempt that is under way.
    fn outcome(&mut self) -> Option<Outcome> {
        let mut until = Instant::now() + MailServer::PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.told.recv_timeout(left) {
                Ok(News::Carried(attempt, outcome)) if attempt == self.attempts => {
                    return Some(outcome);
                }
                // Another attempt that took too long, or something that is found when the outbox is looked at again.
                Ok(News::Carried(..) | News::Outbox) => {}
                Ok(News::Stop) => {
                    self.is_stopping = true;
                    until = Instant::now() + STOP_PATIENCE;
                }
                Err(_) if self.is_stopping => return None,
                Err(_) => {
                    return Some(Outcome::Failed("the mail server takes too long".to_owned()));
                }
            }
        }
    }

    fn postpone(&self, due: &[Delivery], reason: &str) -> Result<()> {
        let mut chances = vec![0; due.len()];
        getrandom::fill(&mut chances).map_err(Error::internal)?;
        let now = self.site.now();
        self.site.write(|change| {
            for (delivery, chance) in due.iter().zip(&chances) {
                match delivery.after_failure(now, *chance) {
                    Some(later) => change.postpone_delivery(delivery, &later)?,
                    None => {
                        self.figures.mail_given_up();
                        give_up(delivery, reason);
                        change.end_delivery(delivery)?;
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

fn give_up(delivery: &Delivery, reason: &str) {
    tracing::error!(
        to = %delivery.mail.to,
        subject = %delivery.mail.subject,
        attempts = delivery.failures.saturating_add(1),
        reason,
        "a mail is given up"
    );
}

/// Tells in the log what the reader of a mail must have of it.
fn tell(delivery: &Delivery) {
    tracing::warn!(
        "no mail server is configured (mail.url), so this is told here: \"{}\" for {}: {}",
        delivery.mail.subject,
        delivery.mail.to,
        delivery.mail.essence
    );
}
