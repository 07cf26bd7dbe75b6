//! Sends posts to the subscribers of newsletters.
//!
//! A thread that is woken after each commit that made an email. First it fixes the recipients: members by rising
//! identifier, written as batches, and the letters, rendered once. Then it goes from batch to batch: the commit that marks
//! one as being sent comes before its first mail, and the commit that tells what came of it after its last, together with
//! the mark of the next. So there is one commit for each batch; after a crash only the batch that was marked is in doubt and
//! sent again, each of its mails known by the same name; and a stop in between leaves nothing in doubt but a mail that the
//! server does not answer.
//!
//! Who unsubscribed or was deleted since the recipients were fixed gets nothing. Who signed up since gets nothing either.

mod batch;
mod fixing;
mod letters;
mod pace;

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
    figures::DeliveryFigures,
    mail::{MailOptions, Outcome},
};
use crate::{
    domain::{post::Post, post_email::PostEmail, setting::Settings},
    error::{Error, Result},
    id::Id,
    site::{Edition, Site, Topic, Transaction},
};
use batch::Unrecorded;
use letters::{KeptLetters, Letters};
use pace::Pace;

/// How often the clock is asked while something waits for its time: clocks are set, and machines sleep.
const LOOK: Duration = Duration::from_secs(1);

/// How often emails are looked for, whatever was told about them.
const FULL_LOOK: Duration = Duration::from_secs(60);

/// How long it takes until what could not be read or written is tried again.
const AFTER_FAULT: Duration = Duration::from_secs(5);

/// What becomes of an email that nobody can carry.
const NO_MAIL_SERVER: &str = "No mail server is configured (mail.url).";

/// Where a site is for its readers, as its settings and its operator say.
pub trait Whereabouts: Send + Sync {
    /// The site's public address.
    fn site(&self, settings: &Settings) -> Url;

    /// Where a post is.
    fn post(&self, settings: &Settings, post: &Post) -> String;
}

/// Sends until it is dropped.
pub struct NewsletterDeliverer {
    news: Sender<News>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread is told.
enum News {
    /// There is something to send.
    Email,
    /// It is to stop.
    Stop,
    /// What came of the attempt with this number.
    Carried(u64, Outcome),
}

impl NewsletterDeliverer {
    /// Sends what waits, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give.
    pub fn start(
        site: Arc<Site>,
        options: MailOptions,
        whereabouts: Arc<dyn Whereabouts>,
        figures: Arc<DeliveryFigures>,
    ) -> Result<Self> {
        let (news, told) = mpsc::channel();
        let waker = news.clone();
        site.on(Topic::Newsletters, move || {
            // Nobody listens any more once this is dropped.
            let _ = waker.send(News::Email);
        });
        let mut office = Office {
            pace: Pace::new(options.newsletter_rate.0),
            connections: batch::connections(options.newsletter_rate.0),
            site,
            options,
            whereabouts,
            figures,
            news: news.clone(),
            told,
            attempts: 0,
            unrecorded: None,
            letters: None,
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
    /// Waits for the mails that are under way, but not for long.
    fn drop(&mut self) {
        let _ = self.news.send(News::Stop);
        if let Some(thread) = self.thread.take() {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

/// What the thread works with.
struct Office {
    site: Arc<Site>,
    options: MailOptions,
    whereabouts: Arc<dyn Whereabouts>,
    figures: Arc<DeliveryFigures>,
    pace: Pace,
    /// How many mails may be on their way at once.
    connections: usize,
    news: Sender<News>,
    told: Receiver<News>,
    attempts: u64,
    /// What came of the last batch, as long as it could not be written down.
    unrecorded: Option<Unrecorded>,
    /// The letters of the email that is being sent.
    letters: Option<(Id, Arc<Letters>)>,
    is_stopping: bool,
}

impl Office {
    fn run(&mut self) {
        while !self.is_stopping {
            match self.send_due() {
                Ok(next) => self.wait_for(next),
                Err(error) => {
                    tracing::error!(
                        error = &error as &dyn std::error::Error,
                        "what newsletters send could not be read or written; trying again"
                    );
                    self.wait(AFTER_FAULT);
                }
            }
        }
    }

    /// Waits until something is told or due, or for so long that a look does no harm.
    fn wait_for(&mut self, next: Option<Timestamp>) {
        let until = Instant::now() + FULL_LOOK;
        loop {
            let is_due = next.is_some_and(|next| next <= self.site.now());
            let left = until.saturating_duration_since(Instant::now());
            if is_due || left.is_zero() || self.is_stopping {
                return;
            }
            if self.wait(if next.is_some() { left.min(LOOK) } else { left }) {
                return;
            }
        }
    }

    /// Waits until something is told, but no longer than `patience`; whether something was.
    fn wait(&mut self, patience: Duration) -> bool {
        match self.told.recv_timeout(patience) {
            Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => self.is_stopping = true,
            // A mail that was left behind: its recipient still waits.
            Ok(News::Email | News::Carried(..)) => {}
            Err(RecvTimeoutError::Timeout) => return false,
        }
        true
    }

    /// Sends all that is due now, and returns when something is due next.
    fn send_due(&mut self) -> Result<Option<Timestamp>> {
        while !self.is_stopping {
            self.record()?;
            let edition = self.edition();
            let now = self.site.now();
            let emails = || edition.catalog.emails.under_way();
            let Some(email) = emails().find(|email| email.is_due(now)) else {
                return Ok(emails().filter_map(|email| email.sending.due_at).min());
            };
            self.go_on_with(&edition, email)?;
        }
        Ok(None)
    }

    fn go_on_with(&mut self, edition: &Edition, email: &PostEmail) -> Result<()> {
        let Some(server) = self.options.server.clone() else {
            return self.end(email, Some(NO_MAIL_SERVER));
        };
        if email.sending.is_fixed {
            self.send_batch(edition, email, &server)
        } else {
            self.fix(edition, email)
        }
    }

    fn edition(&self) -> Arc<Edition> {
        Arc::clone(&self.site.current())
    }

    /// Nothing is left to do for an email.
    fn end(&self, email: &PostEmail, error: Option<&str>) -> Result<()> {
        change(&self.site, email, |_, email| {
            email.conclude(error);
            Ok(())
        })?;
        self.tell(email.id);
        Ok(())
    }

    /// Tells in the log what became of an email that is over.
    fn tell(&self, id: Id) {
        let edition = self.site.current();
        let Some(email) = edition.catalog.emails.get(id) else {
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
                    "a newsletter did not reach everybody; PUT emails/ID/retry/ sends it to the others"
                );
            }
        }
    }

    /// The letters of an email, read once.
    fn letters(&mut self, edition: &Edition, email: &PostEmail) -> Result<Option<Arc<Letters>>> {
        if let Some((id, letters)) = &self.letters
            && *id == email.id
        {
            return Ok(Some(Arc::clone(letters)));
        }
        let kept: Option<KeptLetters> = edition.letters(email.id)?;
        let letters = kept.map(|kept| Arc::new(kept.ready()));
        self.letters = letters
            .as_ref()
            .map(|letters| (email.id, Arc::clone(letters)));
        Ok(letters)
    }
}

/// Changes an email, unless it was deleted with its post meanwhile. Nobody else changes one that is under way.
fn change(
    site: &Site,
    email: &PostEmail,
    change: impl FnOnce(&mut Transaction, &mut PostEmail) -> Result<()>,
) -> Result<()> {
    site.write(|transaction| {
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
