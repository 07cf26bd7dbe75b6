//! Shared code for the files that configure the whole site: redirects and routes.

pub use crate::routing::FILE_BYTES_MAX;
use crate::{
    domain::{action::ActionEvent, actor::Actor, record::Subject},
    error::Result,
    id::Id,
    site::Transaction,
};

/// Records that the file called `name` was replaced.
///
/// # Errors
///
/// As [`Transaction::record_action`].
pub(super) fn record_edit(
    transaction: &mut Transaction,
    actor: &Actor,
    name: &'static str,
) -> Result<()> {
    let subject = Subject {
        id: Id::derive("site file", name),
        resource_type: name,
        name: None,
        kind: None,
    };
    transaction.record_action(actor, ActionEvent::Edited, subject)
}
