//! Notifications. They are few and read from the store.

use std::{cmp::Reverse, ops::ControlFlow};

use super::{SiteSnapshot, Transaction, records};
use crate::{
    domain::notification::Notification,
    error::Result,
    store::{Keys, Table},
};

impl SiteSnapshot {
    /// Returns all notifications, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn notifications(&self) -> Result<Vec<Notification>> {
        let mut notifications = Vec::new();
        self.visit(Table::Notifications, |_, notification: Notification| {
            notifications.push(notification);
            Ok(())
        })?;
        notifications.sort_by_key(|notification| Reverse(notification.number));
        Ok(notifications)
    }
}

impl Transaction {
    /// Returns all notifications, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn notifications(&self) -> Result<Vec<Notification>> {
        let mut found: Vec<Result<Notification>> = Vec::new();
        self.scan(Table::Notifications, &Keys::all(), |_, bytes| {
            found.push(records::decode(Table::Notifications, bytes));
            ControlFlow::Continue(())
        })?;
        let mut notifications = found.into_iter().collect::<Result<Vec<_>>>()?;
        notifications.sort_by_key(|notification| Reverse(notification.number));
        Ok(notifications)
    }

    /// Adds a notification or replaces the one with its name.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_notification(&mut self, notification: &Notification) -> Result<()> {
        self.put(
            Table::Notifications,
            notification.name.as_bytes(),
            notification,
        )
    }

    /// Deletes the notification with this name, if it exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_notification(&mut self, name: &str) -> Result<()> {
        self.delete(Table::Notifications, name.as_bytes())
    }
}
