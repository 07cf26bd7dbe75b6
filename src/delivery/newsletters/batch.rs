//! Sends one batch over several connections at the configured rate, until no recipient is waiting, the
//! mail server fails or the program stops.

use std::{
    collections::VecDeque,
    sync::{Arc, mpsc::RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

use super::stored_templates::MessageTemplates;
use crate::{
    catalog::recipients,
    delivery::{
        mail::{MailServer, SendOutcome},
        newsletters::{
            batch_run::{BatchRun, UnrecordedBatch},
            worker::{NewsletterThreadMessage, NewsletterWorker, change},
        },
    },
    domain::{
        member::Member,
        post_email::{EmailBatch, EmailStatus, PostEmail},
    },
    error::{Error, Result},
    id::Id,
    site::{SiteSnapshot, Transaction},
};

/// Number of mails per second that one connection is expected to send: each mail takes several round
/// trips to the mail server.
const MAILS_OF_ONE_CONNECTION: u32 = 3;

/// Returns the number of concurrent mails that are needed for this rate. Mails from the site itself have
/// separate connections.
pub(super) fn connections(rate: u32) -> usize {
    let needed = rate.div_ceil(MAILS_OF_ONE_CONNECTION) as usize;
    needed.clamp(1, MailServer::NEWSLETTER_CONNECTIONS_MAX)
}

/// Time limit for mails in flight when the program stops, after which they are left to the next start.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

impl NewsletterWorker {
    /// Sends the next batch that has waiting recipients.
    pub(super) fn send_batch(
        &mut self,
        snapshot: &SiteSnapshot,
        email: &PostEmail,
        server: &MailServer,
    ) -> Result<()> {
        let Some(mut batch) = waiting_batch(snapshot, email)? else {
            return self.end_round(email);
        };
        let Some(templates) = self.templates(snapshot, email)? else {
            return self.end(email, Some("The message template is missing."));
        };
        // Marked in a commit before the first mail: after a crash, only the marked batch is
        // uncertain.
        if batch.status != EmailStatus::Submitting {
            batch.status = EmailStatus::Submitting;
            change(&self.site, email, |transaction, email| {
                transaction.save_email_batch(email.id, &batch)?;
                email.status = EmailStatus::Submitting;
                Ok(())
            })?;
        }
        let refused_before = batch.refusals.len();
        let run = self.send_all(email, &mut batch, &templates, server);
        let refused = (batch.refusals.len() - refused_before) as u32;
        // Stored before the commit, which can fail: the batch is then recorded later instead of
        // sent again.
        self.unrecorded = Some(UnrecordedBatch {
            email: email.clone(),
            batch,
            run,
            refused,
        });
        self.record()
    }

    /// Ends a pass over all batches: either the email is finished, or the deferred recipients are
    /// retried.
    fn end_round(&self, email: &PostEmail) -> Result<()> {
        if email.unreached() == 0 {
            return self.end(email, None);
        }
        let jitter = chance()?;
        let now = self.site.now();
        change(&self.site, email, |_, email| {
            let reason = email.sending.last_deferral.take();
            // From the first batch again, because any of them may have deferred recipients.
            email.sending.next_batch = 0;
            email.fail(reason.as_deref().unwrap_or_default(), now, jitter);
            Ok(())
        })?;
        self.log_result(email.id);
        Ok(())
    }

    /// Records the result of the last batch, and marks the next one as being sent.
    pub(super) fn record(&mut self) -> Result<()> {
        let Some(unrecorded) = &mut self.unrecorded else {
            return Ok(());
        };
        let now = self.site.now();
        let run = &unrecorded.run;
        let reason = run.failure.as_deref().or(run.last_reason.as_deref());
        unrecorded.batch.error = reason.map(Into::into);
        unrecorded.batch.update_status(now);
        let UnrecordedBatch {
            email,
            batch,
            run,
            refused,
        } = &*unrecorded;
        let jitter = chance()?;
        let is_stopping = self.is_stopping;
        change(&self.site, email, |transaction, email| {
            let delivered = run.delivered.len() as u32;
            email.delivered += delivered;
            email.failed += refused;
            // These members have unsubscribed or were deleted meanwhile, which is not a failure.
            email.recipients = email.recipients.saturating_sub(run.skipped);
            // A refusal is also a sign that the server works again.
            if delivered + refused > 0 {
                email.succeed();
            }
            count_for_members(transaction, &run.delivered)?;
            transaction.save_email_batch(email.id, batch)?;
            if let Some(reason) = &run.failure {
                email.fail(reason, now, jitter);
                return Ok(());
            }
            if let Some(reason) = &run.last_reason {
                // Deferred recipients are retried after the last batch, so that other recipients do not
                // wait for them.
                email.sending.last_deferral = Some(reason.as_str().into());
            }
            // The batch may have waiting recipients, so `next_batch` stays at it.
            if is_stopping {
                return Ok(());
            }
            email.sending.next_batch = batch.number + 1;
            // In the same commit, so that a batch needs only one commit.
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
            self.log_result(id);
        }
        Ok(())
    }

    /// Sends to all waiting recipients of a batch. Recipients that were not reached remain waiting, with
    /// the deferred ones last.
    fn send_all(
        &mut self,
        email: &PostEmail,
        batch: &mut EmailBatch,
        templates: &Arc<MessageTemplates>,
        server: &MailServer,
    ) -> BatchRun {
        let mut run = BatchRun::default();
        // Only the members that were not reached are put back, so that a repetition skips the others.
        let mut waiting: VecDeque<Id> = std::mem::take(&mut batch.waiting).into();
        let mut stop_at = None;
        loop {
            // Checked between any two mails: no commit can undo a mail that is sent after another process
            // has taken over.
            self.is_deposed();
            if self.is_stopping && stop_at.is_none() {
                stop_at = Some(Instant::now() + STOP_PATIENCE);
            }
            let has_more = !waiting.is_empty() && run.failure.is_none() && !self.is_stopping;
            if run.under_way.is_empty() && !has_more {
                break;
            }
            let now = Instant::now();
            let may_send = has_more && run.under_way.len() < self.connections;
            let pause = self.rate_limiter.wait(now);
            if may_send && pause.is_zero() {
                let next = waiting.pop_front();
                if let Some(id) = next {
                    self.begin(email, id, templates, server, &mut run);
                }
                continue;
            }
            let end = stop_at.unwrap_or_else(|| run.first_end(now));
            let remaining = end.saturating_duration_since(now);
            let patience = if may_send {
                pause.min(remaining)
            } else {
                remaining
            };
            match self.messages.recv_timeout(patience) {
                Ok(NewsletterThreadMessage::Finished(attempt, outcome)) => {
                    let at = self.site.now();
                    self.metrics.newsletter_mail(&outcome);
                    run.record_outcome(
                        attempt,
                        outcome,
                        |refusal| batch.refusals.push(refusal),
                        at,
                    );
                }
                Ok(NewsletterThreadMessage::Email) => {}
                Ok(NewsletterThreadMessage::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    self.is_stopping = true
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() >= end => {
                    run.abandon_mails_under_way(self.is_stopping);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        // After the recipients that were not tried: the addresses of the deferred ones may be the cause
        // of the deferral.
        waiting.extend(std::mem::take(&mut run.deferred));
        batch.waiting = waiting.into();
        run
    }

    /// Starts a mail to a member who still receives the newsletter.
    fn begin(
        &mut self,
        email: &PostEmail,
        id: Id,
        templates: &Arc<MessageTemplates>,
        server: &MailServer,
        run: &mut BatchRun,
    ) {
        // The current snapshot for each mail: an unsubscription takes effect until the mail is sent.
        let snapshot = self.snapshot();
        let catalog = &snapshot.catalog;
        // The email is missing if its post was deleted.
        let exists = catalog.emails.get(email.id).is_some();
        let member = catalog.members.get(id).filter(|_| exists);
        let subscriber = member.filter(|member| recipients::takes(member, email.newsletter));
        let Some(member) = subscriber else {
            run.skipped += 1;
            return;
        };
        let now = self.site.now();
        let recipient_values =
            templates.recipient_values(&snapshot, email, member, &*self.public_urls, now);
        // Numbers are never reused, so that the late result of an abandoned attempt is recognised.
        self.attempts += 1;
        self.rate_limiter.go(Instant::now());
        run.under_way
            .insert(self.attempts, (Arc::clone(member), Instant::now()));
        let (attempt, message_sender, server) =
            (self.attempts, self.message_sender.clone(), server.clone());
        let (templates, from) = (Arc::clone(templates), self.options.from.clone());
        let sender = thread::Builder::new()
            .name("newsletter".to_owned())
            .spawn(move || {
                let outcome = match templates.message(&recipient_values, from.as_ref()) {
                    Ok(message) => server.send(&message),
                    Err(error) => SendOutcome::Refused {
                        code: None,
                        reason: error.to_string(),
                    },
                };
                // Fails if the program has stopped.
                let _ = message_sender.send(NewsletterThreadMessage::Finished(attempt, outcome));
            });
        if let Err(error) = sender {
            run.under_way.remove(&attempt);
            // Without a thread, no mail was sent, so the recipient stays waiting.
            run.deferred.push(id);
            run.failure = Some(error.to_string());
        }
    }
}

/// Counts a mail for each of its recipients. Webhooks do not report this as a change, because a
/// newsletter would cause as many events as mails.
fn count_for_members(transaction: &mut Transaction, recipients: &[Id]) -> Result<()> {
    transaction.announce_site_only();
    for id in recipients {
        let Some(known) = transaction.catalog().members.get(*id) else {
            continue;
        };
        let mut member = Member::clone(known);
        member.email_count = member.email_count.saturating_add(1);
        transaction.save_member(member)?;
    }
    Ok(())
}

/// Returns the first batch from the next one on that has waiting recipients.
fn waiting_batch(snapshot: &SiteSnapshot, email: &PostEmail) -> Result<Option<EmailBatch>> {
    for number in email.sending.next_batch..email.sending.batches {
        let batch = snapshot.email_batch(email.id, number)?;
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
