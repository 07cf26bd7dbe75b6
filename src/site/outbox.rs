//! The outbox: what is to leave the site, committed with what caused it.
//!
//! A crash between a delivery and the note of it repeats the delivery; none is ever lost.

use std::ops::ControlFlow;

use jiff::Timestamp;

use super::{Edition, Topic, Transaction};
use crate::{
    domain::{delivery::Delivery, mail::Mail},
    error::{Error, Result},
    id::Id,
    store::{Keys, Table},
};

/// How far mails that wait are counted: each is looked at.
pub const MAILS_COUNTED_MAX: usize = 1000;

impl Edition {
    /// The deliveries that are due first, by the time that they are due; `count_max` at most.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or holds a record that this program cannot read.
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

    /// How many mails wait, counted up to [`MAILS_COUNTED_MAX`].
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn waiting_mail_count(&self) -> Result<usize> {
        self.count_within(Table::Outbox, &Keys::all(), MAILS_COUNTED_MAX)
    }
}

impl Transaction {
    /// Hands in a mail. It goes out once this change is committed, at least once.
    ///
    /// # Errors
    ///
    /// When the store cannot be read, or the system has no randomness to give.
    pub fn send_mail(&mut self, mail: Mail) -> Result<()> {
        let delivery = Delivery {
            id: Id::generate(self.now()).map_err(Error::internal)?,
            mail,
            queued_at: self.now(),
            due_at: self.now(),
            failures: 0,
        };
        self.put(Table::Outbox, &key(&delivery), &delivery)?;
        self.wake(Topic::Mail);
        Ok(())
    }

    /// Takes a delivery out of the outbox, if it is there: it was made or is given up.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn end_delivery(&mut self, delivery: &Delivery) -> Result<()> {
        self.delete(Table::Outbox, &key(delivery))
    }

    /// Puts `later` in the place of the same delivery as it was.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn postpone_delivery(&mut self, delivery: &Delivery, later: &Delivery) -> Result<()> {
        self.delete(Table::Outbox, &key(delivery))?;
        self.put(Table::Outbox, &key(later), later)
    }
}

/// The key of a delivery: those that are due earlier come first.
fn key(delivery: &Delivery) -> Vec<u8> {
    let due_s = Timestamp::as_second(delivery.due_at).max(0);
    [&due_s.to_be_bytes()[..], delivery.id.as_bytes()].concat()
}
