//! Notifications: shown to staff until each user dismisses them.

use std::cmp::Reverse;

use super::{SiteSnapshot, Transaction};
use crate::{
    domain::notification::{NOTIFICATIONS_MAX, Notification},
    error::Result,
    store::Table,
};

impl SiteSnapshot {
    /// Returns all notifications, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn notifications(&self) -> Result<Vec<Notification>> {
        Ok(newest_first(self.all(Table::Notifications)?))
    }
}

impl Transaction {
    /// Returns all notifications, newest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn notifications(&self) -> Result<Vec<Notification>> {
        let notifications = self.all(Table::Notifications, |notification| notification)?;
        Ok(newest_first(notifications))
    }

    /// Adds a notification, or replaces the one with its name. Only the last notification that is not `custom` is retained.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn notify(&mut self, notification: Notification) -> Result<Notification> {
        let known = self.notifications()?;
        let notification = Notification {
            number: known.first().map_or(0, |last| last.number + 1),
            ..notification
        };
        let is_one_of_many = |notification: &Notification| notification.custom == Some(true);
        for (index, other) in known.iter().enumerate() {
            let is_replaced = !is_one_of_many(&notification) && !is_one_of_many(other);
            // Newest first, so the oldest are deleted.
            if is_replaced || index + 1 >= NOTIFICATIONS_MAX {
                self.delete(Table::Notifications, other.name.as_bytes());
            }
        }
        self.save_notification(&notification)?;
        Ok(notification)
    }

    /// Stores a changed notification.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_notification(&mut self, notification: &Notification) -> Result<()> {
        let key = notification.name.as_bytes();
        self.put(Table::Notifications, key, notification)
    }

    /// Deletes the notification with this name, if there is one.
    pub fn end_notification(&mut self, name: &str) {
        self.delete(Table::Notifications, name.as_bytes());
    }
}

fn newest_first(mut notifications: Vec<Notification>) -> Vec<Notification> {
    notifications.sort_by_key(|notification| Reverse(notification.number));
    notifications
}
