//! The log of actions, each with its actor.
//!
//! Actions are numbered in commit order. Greater numbers sort first in the store, so a scan reads
//! the newest actions without reading the others, even if many fall into one second. The oldest
//! actions are deleted once there are more than [`ACTIONS_MAX`].

use std::ops::ControlFlow;

use super::{SiteSnapshot, Transaction};
use crate::{
    domain::{
        action::{Action, ActionEvent},
        actor::Actor,
        record::Subject,
    },
    error::{Error, Result},
    id::Id,
    store::{Keys, Snapshot, Table},
};

/// Maximum number of stored actions. It also bounds the work of filters.
pub const ACTIONS_MAX: u64 = 100_000;

/// Number of recent actions that are searched for the action of the current request.
const RECENT_ACTIONS: usize = 200;

/// Returns the key of the action with this number. Later actions sort first.
fn key(number: u64) -> [u8; 8] {
    // Inverted, because scans only ascend and the newest actions are read first.
    (!number).to_be_bytes()
}

/// Returns the number of the last action, or 0 if there is none.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn last_number(snapshot: &dyn Snapshot) -> Result<u64> {
    let mut last = 0;
    snapshot.scan(Table::Actions, &Keys::all(), &mut |key, _, _| {
        // The first key is that of the newest action.
        if let Some((number, _)) = key.split_first_chunk() {
            last = !u64::from_be_bytes(*number);
        }
        ControlFlow::Break(())
    })?;
    Ok(last)
}

impl SiteSnapshot {
    /// Returns the number of stored actions.
    pub fn action_count(&self) -> u64 {
        self.catalog.last_action.min(ACTIONS_MAX)
    }

    /// Visits the actions from newest to oldest, skipping the first `without_first`, until
    /// `visitor` breaks.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn visit_actions(
        &self,
        without_first: u64,
        visitor: impl FnMut(Action) -> ControlFlow<()>,
    ) -> Result<()> {
        let first = self.catalog.last_action.saturating_sub(without_first);
        let keys = Keys::range(key(first)..=key(0));
        self.visit_within(Table::Actions, &keys, visitor)
    }
}

impl Transaction {
    /// Records that `actor` did this.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the system provides no randomness.
    pub fn record_action(
        &mut self,
        actor: &Actor,
        event: ActionEvent,
        subject: Subject,
    ) -> Result<()> {
        self.record(actor, event, subject, None)
    }

    /// Records that `actor` did this to `count` records of one kind together. Records nothing if
    /// `count` is 0.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or the system provides no randomness.
    pub fn record_actions(
        &mut self,
        actor: &Actor,
        event: ActionEvent,
        resource_type: &'static str,
        count: u64,
    ) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        let subject = Subject {
            id: Id::derive(resource_type, "many"),
            resource_type,
            name: None,
            kind: None,
        };
        self.record(actor, event, subject, Some(count))
    }

    /// Adds the names of fields that a request ignored to the action that the request recorded: the
    /// last action of `actor` with a number greater than `before`, preferably an action on
    /// `record`. Does nothing if there is no such action, for example because the request changed
    /// nothing.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn name_ignored_fields(
        &mut self,
        actor: &Actor,
        before: u64,
        record: Option<Id>,
        names: &[String],
    ) -> Result<()> {
        let mut found: Option<(u64, Action)> = None;
        let last = self.catalog().last_action;
        // A bulk change records thousands of actions; the requested one is among the last.
        for number in (before + 1..=last).rev().take(RECENT_ACTIONS) {
            let Some(action) = self.read::<Action>(Table::Actions, &key(number))? else {
                break;
            };
            let is_of_record = record == Some(action.resource_id);
            if action.actor == actor.into() && (found.is_none() || is_of_record) {
                found = Some((number, action));
                if is_of_record {
                    break;
                }
            }
        }
        let Some((number, mut action)) = found else {
            return Ok(());
        };
        action.ignored_fields = names.iter().map(|name| name.as_str().into()).collect();
        self.put(Table::Actions, &key(number), &action)
    }

    fn record(
        &mut self,
        actor: &Actor,
        event: ActionEvent,
        subject: Subject,
        count: Option<u64>,
    ) -> Result<()> {
        let action = Action {
            id: Id::generate(self.now()).map_err(Error::internal)?,
            resource_id: subject.id,
            resource_type: subject.resource_type.into(),
            actor: actor.into(),
            event,
            name: subject.name.map(Into::into),
            kind: subject.kind.map(Into::into),
            count,
            ignored_fields: Vec::new(),
            created_at: self.now(),
        };
        self.store_action(&action)
    }

    /// Stores `action` as the newest one and deletes the action that then exceeds the limit.
    fn store_action(&mut self, action: &Action) -> Result<()> {
        let number = self.catalog().last_action + 1;
        // Counted in the catalog, so that no action has to be read to number the next one.
        self.catalog_mut().last_action = number;
        if let Some(oldest) = number.checked_sub(ACTIONS_MAX).filter(|oldest| *oldest > 0) {
            self.delete(Table::Actions, &key(oldest));
        }
        self.put(Table::Actions, &key(number), action)
    }
}
