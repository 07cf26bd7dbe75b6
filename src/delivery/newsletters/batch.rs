//! Sending one batch: over some connections at once, at the pace that is set, until nobody waits, the mail server fails or
//! the program stops.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, mpsc::RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use super::{News, Office, change, letters::Letters};
use crate::{
    catalog::recipients,
    delivery::mail::{MailServer, Outcome},
    domain::{
        member::Member,
        post_email::{EmailBatch, EmailStatus, PostEmail, Refusal},
    },
    error::{Error, Result},
    id::Id,
    site::Edition,
};

/// How many mails a second one connection is counted on for: each takes some ways to the mail server and back.
const MAILS_OF_ONE_CONNECTION: u32 = 3;

/// How many mails are on their way at once, to keep up with this many a second. Mails of the site itself have connections
/// of their own.
pub(super) fn connections(rate: u32) -> usize {
    let needed = rate.div_ceil(MAILS_OF_ONE_CONNECTION) as usize;
    needed.clamp(1, MailServer::NEWSLETTER_CONNECTIONS_MAX)
}

/// How many mails in a row the server may put off before it counts as failing. One that is put off by itself waits until
/// all others had their turn: it may be its address.
const PUT_OFF_IN_A_ROW_MAX: usize = 5;

/// How long mails that are on their way may take when the program stops, before they are left to the next start.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// What came of a batch, until it is written down. It is not sent again before that: a disk that is full must not make
/// anybody get a mail over and over.
pub(super) struct Unrecorded {
    email: PostEmail,
    batch: EmailBatch,
    run: Run,
    /// For how many the mail server refused it.
    refused: u32,
}

/// What came of sending to those who waited in a batch.
#[derive(Default)]
struct Run {
    /// To how many the mail server took it.
    delivered: u32,
    /// How many get it no more.
    skipped: u32,
    /// Who was put off.
    put_off: Vec<Id>,
    /// How many of those came one after the other.
    put_off_in_a_row: usize,
    /// What was said last to one who was put off.
    last_reason: Option<String>,
    /// Why the mail server takes nothing.
    failure: Option<String>,
    /// The mails that are on their way: to whom, and since when.
    under_way: HashMap<u64, (Arc<Member>, Instant)>,
}

impl Office {
    /// Sends the next batch in which somebody waits.
    pub(super) fn send_batch(
        &mut self,
        edition: &Edition,
        email: &PostEmail,
        server: &MailServer,
    ) -> Result<()> {
        let Some(mut batch) = waiting_batch(edition, email)? else {
            return self.end_round(email);
        };
        let Some(letters) = self.letters(edition, email)? else {
            return self.end(email, Some("The letter is gone."));
        };
        if batch.status != EmailStatus::Submitting {
            batch.status = EmailStatus::Submitting;
            change(&self.site, email, |transaction, email| {
                transaction.save_email_batch(email.id, &batch)?;
                email.status = EmailStatus::Submitting;
                Ok(())
            })?;
        }
        let refused_before = batch.refusals.len();
        let run = self.carry_all(email, &mut batch, &letters, server);
        let refused = (batch.refusals.len() - refused_before) as u32;
        self.unrecorded = Some(Unrecorded {
            email: email.clone(),
            batch,
            run,
            refused,
        });
        self.record()
    }

    /// All batches were gone through: it is over, or those who were put off get another chance.
    fn end_round(&self, email: &PostEmail) -> Result<()> {
        if email.unreached() == 0 {
            return self.end(email, None);
        }
        let jitter = chance()?;
        let now = self.site.now();
        change(&self.site, email, |_, email| {
            let reason = email.sending.put_off.take();
            email.sending.next_batch = 0;
            email.fail(reason.as_deref().unwrap_or_default(), now, jitter);
            Ok(())
        })?;
        self.tell(email.id);
        Ok(())
    }

    /// Writes down what came of the last batch, and marks the next one as being sent.
    pub(super) fn record(&mut self) -> Result<()> {
        let Some(unrecorded) = &mut self.unrecorded else {
            return Ok(());
        };
        let now = self.site.now();
        let run = &unrecorded.run;
        let reason = run.failure.as_deref().or(run.last_reason.as_deref());
        unrecorded.batch.error = reason.map(Into::into);
        unrecorded.batch.settle(now);
        let Unrecorded {
            email,
            batch,
            run,
            refused,
        } = &*unrecorded;
        let jitter = chance()?;
        let is_stopping = self.is_stopping;
        change(&self.site, email, |transaction, email| {
            email.delivered += run.delivered;
            email.failed += refused;
            email.recipients = email.recipients.saturating_sub(run.skipped);
            if run.delivered + refused > 0 {
                email.succeed();
            }
            transaction.save_email_batch(email.id, batch)?;
            if let Some(reason) = &run.failure {
                email.fail(reason, now, jitter);
                return Ok(());
            }
            if let Some(reason) = &run.last_reason {
                email.sending.put_off = Some(reason.as_str().into());
            }
            if is_stopping {
                return Ok(());
            }
            email.sending.next_batch = batch.number + 1;
            let next = transaction.email_batch(email.id, batch.number + 1)?;
            if let Some(mut next) = next.filter(|next| !next.waiting.is_empty()) {
                next.status = EmailStatus::Submitting;
                transaction.save_email_batch(email.id, &next)?;
            }
            Ok(())
        })?;
        let (id, failure) = (email.id, run.failure.clone());
        self.unrecorded = None;
        if let Some(reason) = failure {
            tracing::warn!(email = %id, reason, "a newsletter cannot be sent; trying again later");
            self.tell(id);
        }
        Ok(())
    }

    /// Sends to all who wait in a batch. Who was not reached waits in it afterwards, those last who were put off.
    fn carry_all(
        &mut self,
        email: &PostEmail,
        batch: &mut EmailBatch,
        letters: &Arc<Letters>,
        server: &MailServer,
    ) -> Run {
        let mut run = Run::default();
        let mut waiting: VecDeque<Id> = std::mem::take(&mut batch.waiting).into();
        let mut stop_at = None;
        loop {
            if self.is_stopping && stop_at.is_none() {
                stop_at = Some(Instant::now() + STOP_PATIENCE);
            }
            let has_more = !waiting.is_empty() && run.failure.is_none() && !self.is_stopping;
            if run.under_way.is_empty() && !has_more {
                break;
            }
            let now = Instant::now();
            let may_send = has_more && run.under_way.len() < self.connections;
            let pause = self.pace.wait(now);
            if may_send && pause.is_zero() {
                let next = waiting.pop_front();
                if let Some(id) = next {
                    self.begin(email, id, letters, server, &mut run);
                }
                continue;
            }
            let end = stop_at.unwrap_or_else(|| run.first_end(now));
            let left = end.saturating_duration_since(now);
            let patience = if may_send { pause.min(left) } else { left };
            match self.told.recv_timeout(patience) {
                Ok(News::Carried(attempt, outcome)) => {
                    let at = self.site.now();
                    self.figures.newsletter_mail(&outcome);
                    run.learn(attempt, outcome, |refusal| batch.refusals.push(refusal), at);
                }
                Ok(News::Email) => {}
                Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => self.is_stopping = true,
                Err(RecvTimeoutError::Timeout) if Instant::now() >= end => {
                    run.give_up_on_what_is_under_way(self.is_stopping);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        waiting.extend(std::mem::take(&mut run.put_off));
        batch.waiting = waiting.into();
        run
    }

    /// Has a mail carried to a member who still gets the newsletter.
    fn begin(
        &mut self,
        email: &PostEmail,
        id: Id,
        letters: &Arc<Letters>,
        server: &MailServer,
        run: &mut Run,
    ) {
        let edition = self.edition();
        let catalog = &edition.catalog;
        // It is gone when its post was deleted.
        let is_there = catalog.emails.get(email.id).is_some();
        let member = catalog.members.get(id).filter(|_| is_there);
        let subscriber = member.filter(|member| recipients::takes(member, email.newsletter));
        let Some(member) = subscriber else {
            run.skipped += 1;
            return;
        };
        let addressee = letters.addressee(&edition, email, member, &*self.whereabouts);
        self.attempts += 1;
        self.pace.go(Instant::now());
        run.under_way
            .insert(self.attempts, (Arc::clone(member), Instant::now()));
        let (attempt, news, server) = (self.attempts, self.news.clone(), server.clone());
        let (letters, from) = (Arc::clone(letters), self.options.from.clone());
        let carrier = thread::Builder::new()
            .name("newsletter".to_owned())
            .spawn(move || {
                let outcome = match letters.message(&addressee, from.as_ref()) {
                    Ok(message) => server.send(&message),
                    Err(error) => Outcome::Refused {
                        code: None,
                        reason: error.to_string(),
                    },
                };
                // Nobody waits any more when the program has stopped.
                let _ = news.send(News::Carried(attempt, outcome));
            });
        if let Err(error) = carrier {
            run.under_way.remove(&attempt);
            run.put_off.push(id);
            run.failure = Some(error.to_string());
        }
    }
}

impl Run {
    /// When the first of the mails that are on their way has taken too long.
    fn first_end(&self, now: Instant) -> Instant {
        let begins = self.under_way.values().map(|(_, begin)| *begin);
        begins.min().unwrap_or(now) + MailServer::PATIENCE
    }

    fn learn(
        &mut self,
        attempt: u64,
        outcome: Outcome,
        refuse: impl FnOnce(Refusal),
        at: jiff::Timestamp,
    ) {
        // Another attempt, that took too long, is none of this run.
        let Some((member, _)) = self.under_way.remove(&attempt) else {
            return;
        };
        match outcome {
            Outcome::Sent => {
                self.delivered += 1;
                self.put_off_in_a_row = 0;
            }
            Outcome::Refused { code, reason } => {
                self.put_off_in_a_row = 0;
                refuse(Refusal {
                    member: member.id,
                    member_uuid: member.uuid,
                    address: member.email.clone(),
                    name: member.name.clone(),
                    code,
                    message: reason.into(),
                    at,
                });
            }
            Outcome::PutOff(reason) => {
                self.put_off.push(member.id);
                self.put_off_in_a_row += 1;
                if self.put_off_in_a_row >= PUT_OFF_IN_A_ROW_MAX {
                    self.failure = Some(reason.clone());
                }
                self.last_reason = Some(reason);
            }
            Outcome::Failed(reason) => {
                self.put_off.push(member.id);
                self.failure = Some(reason);
            }
        }
    }

    /// The server is not waited for any longer; whoever it was told of may get the mail a second time.
    fn give_up_on_what_is_under_way(&mut self, is_stopping: bool) {
        let left_behind = self.under_way.drain().map(|(_, (member, _))| member.id);
        self.put_off.extend(left_behind);
        if !is_stopping {
            self.failure = Some("The mail server takes too long.".to_owned());
        }
    }
}

/// The first batch from the next one on in which somebody waits.
fn waiting_batch(edition: &Edition, email: &PostEmail) -> Result<Option<EmailBatch>> {
    for number in email.sending.next_batch..email.sending.batches {
        let batch = edition.email_batch(email.id, number)?;
        if let Some(batch) = batch.filter(|batch| !batch.waiting.is_empty()) {
            return Ok(Some(batch));
        }
    }
    Ok(None)
}

fn chance() -> Result<u8> {
    let mut chance = [0];
    getrandom::fill(&mut chance).map_err(Error::internal)?;
    Ok(chance[0])
}
