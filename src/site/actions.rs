//! What was done, by whom.

use jiff::Timestamp;

use super::Transaction;
use crate::{
    domain::{
        action::{Action, ActionEvent, Subject},
        actor::Actor,
    },
    error::{Error, Result},
    id::Id,
    store::Table,
};

/// The key of an action: later ones come first when keys are read in order.
fn key(at: Timestamp, id: Id) -> Vec<u8> {
    let newest_first = !(at.as_second() as u64);
    // Of two in one second, the one with the greater identifier comes first as well.
    let id_falling = id.as_bytes().map(|byte| !byte);
    [newest_first.to_be_bytes().as_slice(), &id_falling].concat()
}

impl Transaction {
    /// Notes that `actor` did this.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or the system has no randomness to give.
    pub fn record_action(
        &mut self,
        actor: &Actor,
        event: ActionEvent,
        subject: Subject,
    ) -> Result<()> {
        let action = Action {
            id: Id::generate(self.now()).map_err(Error::internal)?,
            resource_id: subject.id,
            resource_type: subject.resource_type.into(),
            actor: actor.into(),
            event,
            name: subject.name.map(Into::into),
            kind: subject.kind.map(Into::into),
            count: None,
            created_at: self.now(),
        };
        self.put(Table::Actions, &key(action.created_at, action.id), &action)
    }
}
