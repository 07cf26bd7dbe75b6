//! The outbox: the mails and requests to send, committed with the change that caused them.
//!
//! A crash after a delivery and before the commit that records it repeats the delivery. No delivery
//! is ever lost.

use std::ops::ControlFlow;

use jiff::Timestamp;

use super::{CommitTopic, SiteSnapshot, Transaction};
use crate::{
    domain::{delivery::Delivery, mail::Mail},
    error::{Error, Result},
    id::Id,
    store::{Keys, Table},
};

/// Maximum number of waiting mails that are counted. Counting reads each mail.
pub const MAILS_COUNTED_MAX: usize = 1000;

impl SiteSnapshot {
    /// Returns at most `count_max` deliveries, those that are due first, ordered by due time.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn deliveries(&self, count_max: usize) -> Result<Vec<Delivery>> {
        let mut deliveries = Vec::new();
        self.visit_within(Table::Outbox, &Keys::all(), |delivery| {
            deliveries.push(delivery);
            if deliveries.len() < count_max {
                ControlFlow::Continue(())
            } else {
                ControlFlow::Break(())
            }
        })?;
        Ok(deliveries)
    }

    /// Returns the number of waiting mails, counted up to `MAILS_COUNTED_MAX`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn waiting_mail_count(&self) -> Result<usize> {
        self.count_within(Table::Outbox, &Keys::all(), MAILS_COUNTED_MAX)
    }
}

impl Transaction {
    /// Queues a mail. It is sent at least once, after this transaction is committed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or the system provides no randomness.
    pub fn send_mail(&mut self, mail: Mail) -> Result<()> {
        let delivery = Delivery {
            id: Id::generate(self.now()).map_err(Error::internal)?,
            mail,
            queued_at: self.now(),
            due_at: self.now(),
            failures: 0,
        };
        self.put(Table::Outbox, &key(&delivery), &delivery)?;
        self.notify_listener(CommitTopic::Mail);
        Ok(())
    }

    /// Removes a delivery from the outbox, if it is there: it was completed or failed permanently.
    pub fn end_delivery(&mut self, delivery: &Delivery) {
        self.delete(Table::Outbox, &key(delivery));
    }

    /// Replaces a delivery with `later`, the same delivery at a later time.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn postpone_delivery(&mut self, delivery: &Delivery, later: &Delivery) -> Result<()> {
        // The due time is a part of the key, so the row moves.
        self.delete(Table::Outbox, &key(delivery));
        self.put(Table::Outbox, &key(later), later)
    }
}

/// Returns the key of a delivery. Deliveries that are due earlier sort first.
fn key(delivery: &Delivery) -> Vec<u8> {
    // Negative numbers are excluded because they would sort after all others as unsigned bytes.
    let due_s = Timestamp::as_second(delivery.due_at).max(0);
    [&due_s.to_be_bytes()[..], delivery.id.as_bytes()].concat()
}
