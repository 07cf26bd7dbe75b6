//! What webhooks were told, and what came of it.
//!
//! The last deliveries of each webhook are kept, each under the key that it had in the queue. Beside them stands a short list
//! of which they are, so that what is too much is found without a look at them.

use std::{collections::BTreeMap, ops::ControlFlow};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{Edition, Topic, Transaction, webhook_deliveries::key};
use crate::{
    domain::{
        webhook::Webhook,
        webhook_delivery::{End, FinishedDelivery, Outcome, Progress, WebhookDelivery},
    },
    error::{Error, Kind, Result},
    id::Id,
    store::Table,
};

/// Most finished deliveries that are kept of a webhook.
pub const KEPT_MAX: usize = 100;

/// Longest bodies that are kept of the finished deliveries of a webhook together, in bytes.
pub const KEPT_BODIES_BYTES_MAX: usize = 4 << 20;

/// How many deliveries are given up in one step, and the length of their bodies, in bytes, at which a step ends.
const GIVEN_UP_AT_ONCE: usize = 500;
const GIVEN_UP_BYTES: usize = 1 << 20;

/// Which deliveries of a webhook are kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// From the one that was over first to the one that was last.
    deliveries: Vec<KeptDelivery>,
    /// What happened before this is being given up untried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    give_up_before: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct KeptDelivery {
    number: u64,
    body_bytes: usize,
}

impl Edition {
    /// The finished deliveries of a webhook that are kept, the last first: so many after the first so many; and how many
    /// there are.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn finished_deliveries(
        &self,
        webhook: Id,
        without_first: usize,
        count_max: usize,
    ) -> Result<(Vec<FinishedDelivery>, usize)> {
        let kept: Option<Kept> = self.read(Table::WebhookLog, webhook.as_bytes())?;
        let kept = kept.unwrap_or_default().deliveries;
        let total = kept.len();
        let wanted = kept.iter().rev().skip(without_first).take(count_max);
        let found = wanted
            .filter_map(|kept| self.finished_delivery(webhook, kept.number).transpose())
            .collect::<Result<_>>()?;
        Ok((found, total))
    }

    /// A finished delivery, if it is kept.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn finished_delivery(&self, webhook: Id, number: u64) -> Result<Option<FinishedDelivery>> {
        self.read(Table::WebhookLog, &key(webhook, number))
    }

    /// What happened before this time is being given up, of what waits for a webhook.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn webhook_gives_up_before(&self, webhook: Id) -> Result<Option<Timestamp>> {
        let kept: Option<Kept> = self.read(Table::WebhookLog, webhook.as_bytes())?;
        Ok(kept.and_then(|kept| kept.give_up_before))
    }
}

impl Transaction {
    /// Notes what came of deliveries: they leave the queue for the log, or wait for their next attempt, and their webhooks say
    /// how the last one went. What belongs to a webhook that there is no more is passed over.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn record_webhook_outcomes(&mut self, outcomes: &[Outcome]) -> Result<()> {
        let mut of_webhooks: BTreeMap<Id, Vec<&Outcome>> = BTreeMap::new();
        for outcome in outcomes {
            of_webhooks
                .entry(outcome.webhook)
                .or_default()
                .push(outcome);
        }
        for (webhook, outcomes) in of_webhooks {
            let Some(known) = self.catalog().webhooks.get(webhook) else {
                continue;
            };
            let known = Webhook::clone(known);
            if outcomes.iter().any(|one| matches!(one.end, End::Gone)) {
                tracing::warn!(
                    webhook = %webhook,
                    "a webhook was deleted: its receiver says that it is gone (410)"
                );
                self.delete_webhook(webhook)?;
                continue;
            }
            self.record_outcomes_of(known, &outcomes)?;
        }
        Ok(())
    }

    fn record_outcomes_of(&mut self, mut webhook: Webhook, outcomes: &[&Outcome]) -> Result<()> {
        let mut finished = Vec::new();
        let mut later = Vec::new();
        let mut give_up_before = None;
        for outcome in outcomes {
            match &outcome.end {
                End::Finished(delivery) => finished.push(&**delivery),
                End::GivenUpWithOlder(delivery, before) => {
                    finished.push(delivery);
                    give_up_before = Some(*before);
                }
                End::Later(delivery) => later.push(&**delivery),
                End::Gone => {}
            }
        }
        let numbers = outcomes.iter().map(|outcome| outcome.number);
        let waited = self.take_waiting(webhook.id, numbers)?;
        for delivery in later {
            if waited.contains(&delivery.number) {
                self.put_waiting(delivery)?;
            }
        }
        if !finished.is_empty() {
            self.log(webhook.id, &finished, give_up_before)?;
        }
        if let Some(last) = outcomes.last() {
            let attempt = &last.attempt;
            webhook.last_triggered_at = Some(attempt.at);
            webhook.last_triggered_status = attempt.status.map(|status| status.to_string().into());
            webhook.last_triggered_error = attempt.error.clone();
            self.put(Table::Webhooks, webhook.id.as_bytes(), &webhook)?;
            self.catalog_mut().webhooks.put(webhook);
        }
        Ok(())
    }

    /// Gives up, untried, a part of what is older than what was given up. Says whether there is more.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
    pub fn give_up_older_deliveries(&mut self, webhook: Id) -> Result<bool> {
        let mut kept = self.kept(webhook)?;
        let Some(before) = kept.give_up_before else {
            return Ok(false);
        };
        if self.catalog().webhooks.get(webhook).is_none() {
            return Ok(false);
        }
        let now = self.now();
        let mut finished = Vec::new();
        let mut bytes = 0;
        let mut is_over = true;
        self.visit_waiting(webhook, |delivery| {
            if delivery.queued_at >= before {
                return ControlFlow::Break(());
            }
            if finished.len() == GIVEN_UP_AT_ONCE || bytes >= GIVEN_UP_BYTES {
                is_over = false;
                return ControlFlow::Break(());
            }
            bytes += delivery.body.len();
            finished.push(given_up_untried(delivery, now));
            ControlFlow::Continue(())
        })?;
        self.take_waiting(webhook, finished.iter().map(|delivery| delivery.number))?;
        let finished: Vec<&FinishedDelivery> = finished.iter().collect();
        self.log(webhook, &finished, None)?;
        if is_over {
            kept = self.kept(webhook)?;
            kept.give_up_before = None;
            self.put(Table::WebhookLog, webhook.as_bytes(), &kept)?;
        }
        Ok(!is_over)
    }

    /// Has a delivery made again, under its name: one that is over goes to the front of what waits, and what waits is tried
    /// at once. It has as long as a new one before it is given up.
    ///
    /// # Errors
    ///
    /// `NotFound` when it neither waits nor is kept, `Validation` when it is over and its body was too long to be kept.
    pub fn retry_webhook_delivery(&mut self, webhook: Id, number: u64) -> Result<WebhookDelivery> {
        let delivery = match self.waiting_delivery(webhook, number)? {
            Some(waiting) => WebhookDelivery {
                progress: Progress {
                    failures: 0,
                    failing_since: None,
                    due_at: None,
                    ..waiting.progress
                },
                ..waiting
            },
            None => self.taken_out_of_log(webhook, number)?,
        };
        self.take_waiting(webhook, [number])?;
        self.put_waiting(&delivery)?;
        self.wake(Topic::Webhooks);
        Ok(delivery)
    }

    fn taken_out_of_log(&mut self, webhook: Id, number: u64) -> Result<WebhookDelivery> {
        let key = key(webhook, number);
        let finished: Option<FinishedDelivery> = self.read(Table::WebhookLog, &key)?;
        let finished = finished.ok_or_else(|| Error::not_found("delivery"))?;
        let Some(body) = finished.body else {
            return Err(Error::new(
                Kind::Validation,
                "The body of this delivery was too long to be kept, so it cannot be made again.",
            ));
        };
        let mut kept = self.kept(webhook)?;
        kept.deliveries.retain(|kept| kept.number != number);
        self.put(Table::WebhookLog, webhook.as_bytes(), &kept)?;
        self.delete(Table::WebhookLog, &key)?;
        Ok(WebhookDelivery {
            webhook,
            number,
            event: finished.event,
            body,
            queued_at: finished.queued_at,
            progress: Progress {
                attempt_count: finished.attempt_count,
                attempts: finished.attempts,
                ..Progress::default()
            },
        })
    }

    fn kept(&self, webhook: Id) -> Result<Kept> {
        let kept = self.read(Table::WebhookLog, webhook.as_bytes())?;
        Ok(kept.unwrap_or_default())
    }

    /// Puts these at the end of a webhook's log, and takes out what is too much then.
    fn log(
        &mut self,
        webhook: Id,
        finished: &[&FinishedDelivery],
        give_up_before: Option<Timestamp>,
    ) -> Result<()> {
        let mut kept = self.kept(webhook)?;
        kept.give_up_before = give_up_before.or(kept.give_up_before);
        let finished = &finished[finished.len().saturating_sub(KEPT_MAX)..];
        for delivery in finished {
            kept.deliveries
                .retain(|kept| kept.number != delivery.number);
            kept.deliveries.push(KeptDelivery {
                number: delivery.number,
                body_bytes: delivery.body_bytes,
            });
        }
        let too_many = kept.deliveries.len().saturating_sub(KEPT_MAX);
        for gone in kept.deliveries.drain(..too_many) {
            self.delete(Table::WebhookLog, &key(webhook, gone.number))?;
        }
        let mut bytes: usize = 0;
        for one in kept.deliveries.iter_mut().rev() {
            let key = key(webhook, one.number);
            let new = finished.iter().find(|new| new.number == one.number);
            bytes = bytes.saturating_add(one.body_bytes);
            let is_too_long = one.body_bytes > 0 && bytes > KEPT_BODIES_BYTES_MAX;
            if is_too_long {
                bytes -= one.body_bytes;
                one.body_bytes = 0;
            }
            let delivery = match new {
                Some(new) => Some(FinishedDelivery::clone(new)),
                None if is_too_long => self.read(Table::WebhookLog, &key)?,
                None => None,
            };
            if let Some(mut delivery) = delivery {
                if is_too_long {
                    delivery.body = None;
                }
                self.put(Table::WebhookLog, &key, &delivery)?;
            }
        }
        self.put(Table::WebhookLog, webhook.as_bytes(), &kept)
    }
}

fn given_up_untried(delivery: WebhookDelivery, now: Timestamp) -> FinishedDelivery {
    FinishedDelivery {
        number: delivery.number,
        event: delivery.event,
        queued_at: delivery.queued_at,
        finished_at: now,
        is_delivered: false,
        request: None,
        body_bytes: delivery.body.len(),
        body: Some(delivery.body),
        answer: None,
        attempt_count: delivery.progress.attempt_count,
        attempts: delivery.progress.attempts,
    }
}
