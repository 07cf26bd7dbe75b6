//! The log of webhook deliveries and their results.
//!
//! The last deliveries of each webhook are stored, under the keys that they had in the queue. A short
//! list of them is stored as well, so that surplus entries are found without reading the deliveries.

use std::{collections::BTreeMap, ops::ControlFlow};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{CommitTopic, SiteSnapshot, Transaction, delivery_keys::key};
use crate::{
    domain::{
        webhook::Webhook,
        webhook_delivery::{AttemptResult, End, FinishedDelivery, Progress, WebhookDelivery},
    },
    error::{Error, Kind, Result},
    id::Id,
    store::Table,
};

/// Maximum number of finished deliveries that are stored for a webhook.
pub const LOGGED_DELIVERIES_MAX: usize = 100;

/// Maximum size of the bodies that are stored with the finished deliveries of one webhook, in bytes.
pub const LOGGED_BODIES_BYTES_MAX: usize = 4 << 20;

/// Number of deliveries that fail permanently in one step, and the total size of their bodies, in bytes,
/// that ends a step.
const FAILED_AT_ONCE: usize = 500;
const FAILED_BYTES: usize = 1 << 20;

/// The list of the logged deliveries of a webhook.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct DeliveryLog {
    /// The deliveries, in the order in which they finished.
    deliveries: Vec<LoggedDelivery>,
    /// Deliveries of events before this time are being marked as failed permanently without an attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    give_up_before: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct LoggedDelivery {
    number: u64,
    body_bytes: usize,
}

impl SiteSnapshot {
    /// Returns at most `count_max` logged deliveries of a webhook, latest first and without the first
    /// `without_first`, and the number of all logged deliveries.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn finished_deliveries(
        &self,
        webhook: Id,
        without_first: usize,
        count_max: usize,
    ) -> Result<(Vec<FinishedDelivery>, usize)> {
        let delivery_log: Option<DeliveryLog> = self.read(Table::WebhookLog, webhook.as_bytes())?;
        let delivery_log = delivery_log.unwrap_or_default().deliveries;
        let total = delivery_log.len();
        let requested = delivery_log
            .iter()
            .rev()
            .skip(without_first)
            .take(count_max);
        let found = requested
            .filter_map(|logged| self.finished_delivery(webhook, logged.number).transpose())
            .collect::<Result<_>>()?;
        Ok((found, total))
    }

    /// Returns a finished delivery, if it is logged.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn finished_delivery(&self, webhook: Id, number: u64) -> Result<Option<FinishedDelivery>> {
        self.read(Table::WebhookLog, &key(webhook, number))
    }

    /// Returns the time before which the waiting deliveries of a webhook are being marked as failed
    /// permanently, if that is in progress.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn webhook_fails_before(&self, webhook: Id) -> Result<Option<Timestamp>> {
        let delivery_log: Option<DeliveryLog> = self.read(Table::WebhookLog, webhook.as_bytes())?;
        Ok(delivery_log.and_then(|delivery_log| delivery_log.give_up_before))
    }
}

impl Transaction {
    /// Records the results of deliveries. They move from the queue to the log or wait for their next
    /// attempt, and each webhook stores the result of its last attempt. Results of deleted webhooks are
    /// ignored.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn record_webhook_results(&mut self, results: &[AttemptResult]) -> Result<()> {
        let mut of_webhooks: BTreeMap<Id, Vec<&AttemptResult>> = BTreeMap::new();
        for result in results {
            of_webhooks.entry(result.webhook).or_default().push(result);
        }
        for (webhook, results) in of_webhooks {
            let Some(known) = self.catalog().webhooks.get(webhook) else {
                continue;
            };
            let known = Webhook::clone(known);
            if results.iter().any(|one| matches!(one.end, End::Gone)) {
                tracing::warn!(
                    webhook = %webhook,
                    "a webhook was deleted: its receiver responded with 410 Gone"
                );
                self.delete_webhook(webhook)?;
                continue;
            }
            self.record_results_of(known, &results)?;
        }
        Ok(())
    }

    fn record_results_of(
        &mut self,
        mut webhook: Webhook,
        results: &[&AttemptResult],
    ) -> Result<()> {
        let mut finished = Vec::new();
        let mut later = Vec::new();
        let mut give_up_before = None;
        for result in results {
            match &result.end {
                End::Finished(delivery) => finished.push(&**delivery),
                End::FailedWithOlder(delivery, before) => {
                    finished.push(delivery);
                    give_up_before = Some(*before);
                }
                End::Later(delivery) => later.push(&**delivery),
                End::Gone => {}
            }
        }
        let numbers = results.iter().map(|result| result.number);
        let waited = self.take_waiting(webhook.id, numbers)?;
        for delivery in later {
            // Excludes a delivery that staff have repeated meanwhile, because it has left the queue.
            if waited.contains(&delivery.number) {
                self.put_waiting(delivery)?;
            }
        }
        if !finished.is_empty() {
            self.log(webhook.id, &finished, give_up_before)?;
        }
        if let Some(last) = results.last() {
            let attempt = &last.attempt;
            webhook.last_triggered_at = Some(attempt.at);
            webhook.last_triggered_status = attempt.status.map(|status| status.to_string().into());
            webhook.last_triggered_error = attempt.error.clone();
            self.put(Table::Webhooks, webhook.id.as_bytes(), &webhook)?;
            self.catalog_mut().webhooks.put(webhook);
        }
        Ok(())
    }

    /// Marks a part of the older deliveries as failed permanently, without an attempt. Returns whether
    /// there are more.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn fail_older_deliveries(&mut self, webhook: Id) -> Result<bool> {
        let mut delivery_log = self.delivery_log(webhook)?;
        let Some(before) = delivery_log.give_up_before else {
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
            if finished.len() == FAILED_AT_ONCE || bytes >= FAILED_BYTES {
                is_over = false;
                return ControlFlow::Break(());
            }
            bytes += delivery.body.len();
            finished.push(failed_without_attempt(delivery, now));
            ControlFlow::Continue(())
        })?;
        self.take_waiting(webhook, finished.iter().map(|delivery| delivery.number))?;
        let finished: Vec<&FinishedDelivery> = finished.iter().collect();
        self.log(webhook, &finished, None)?;
        if is_over {
            // Read again, because `log` has changed it.
            delivery_log = self.delivery_log(webhook)?;
            delivery_log.give_up_before = None;
            self.put(Table::WebhookLog, webhook.as_bytes(), &delivery_log)?;
        }
        Ok(!is_over)
    }

    /// Queues a delivery again under its number. A finished delivery is put at the front of the queue,
    /// and a waiting one becomes due immediately. It is then retried for as long as a new delivery.
    ///
    /// # Errors
    ///
    /// `NotFound` if the delivery is neither waiting nor logged; `Validation` if it is finished and its
    /// body was too long to be stored.
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
            None => self.take_from_log(webhook, number)?,
        };
        self.take_waiting(webhook, [number])?;
        self.put_waiting(&delivery)?;
        self.notify_listener(CommitTopic::Webhooks);
        Ok(delivery)
    }

    fn take_from_log(&mut self, webhook: Id, number: u64) -> Result<WebhookDelivery> {
        let key = key(webhook, number);
        let finished: Option<FinishedDelivery> = self.read(Table::WebhookLog, &key)?;
        let finished = finished.ok_or_else(|| Error::not_found("delivery"))?;
        let Some(body) = finished.body else {
            return Err(Error::new(
                Kind::Validation,
                "The body of this delivery was too long to be stored, so it cannot be sent again.",
            ));
        };
        let mut delivery_log = self.delivery_log(webhook)?;
        delivery_log
            .deliveries
            .retain(|logged| logged.number != number);
        self.put(Table::WebhookLog, webhook.as_bytes(), &delivery_log)?;
        self.delete(Table::WebhookLog, &key);
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

    fn delivery_log(&self, webhook: Id) -> Result<DeliveryLog> {
        let delivery_log = self.read(Table::WebhookLog, webhook.as_bytes())?;
        Ok(delivery_log.unwrap_or_default())
    }

    /// Appends deliveries to a webhook's log, and deletes the surplus.
    fn log(
        &mut self,
        webhook: Id,
        finished: &[&FinishedDelivery],
        give_up_before: Option<Timestamp>,
    ) -> Result<()> {
        let mut delivery_log = self.delivery_log(webhook)?;
        delivery_log.give_up_before = give_up_before.or(delivery_log.give_up_before);
        // More could not stay in the log, so they are not written.
        let finished = &finished[finished.len().saturating_sub(LOGGED_DELIVERIES_MAX)..];
        for delivery in finished {
            delivery_log
                .deliveries
                .retain(|logged| logged.number != delivery.number);
            delivery_log.deliveries.push(LoggedDelivery {
                number: delivery.number,
                body_bytes: delivery.body_bytes,
            });
        }
        let too_many = delivery_log
            .deliveries
            .len()
            .saturating_sub(LOGGED_DELIVERIES_MAX);
        for gone in delivery_log.deliveries.drain(..too_many) {
            self.delete(Table::WebhookLog, &key(webhook, gone.number));
        }
        let mut bytes: usize = 0;
        // From the latest to the oldest: older deliveries lose their bodies first.
        for one in delivery_log.deliveries.iter_mut().rev() {
            let key = key(webhook, one.number);
            let new = finished.iter().find(|new| new.number == one.number);
            bytes = bytes.saturating_add(one.body_bytes);
            let is_too_long = one.body_bytes > 0 && bytes > LOGGED_BODIES_BYTES_MAX;
            if is_too_long {
                // Without its body, the delivery leaves room for the shorter bodies of older ones.
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
        self.put(Table::WebhookLog, webhook.as_bytes(), &delivery_log)
    }
}

fn failed_without_attempt(delivery: WebhookDelivery, now: Timestamp) -> FinishedDelivery {
    FinishedDelivery {
        number: delivery.number,
        event: delivery.event,
        queued_at: delivery.queued_at,
        finished_at: now,
        is_delivered: false,
        request: None,
        body_bytes: delivery.body.len(),
        body: Some(delivery.body),
        response: None,
        attempt_count: delivery.progress.attempt_count,
        attempts: delivery.progress.attempts,
    }
}
