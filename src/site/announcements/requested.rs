//! The requests of a transaction of how it is to be announced.

use std::{collections::BTreeMap, sync::Arc};

use super::Announcer;
use crate::{id::Id, store::Table};

/// The announcement of a transaction.
pub(in crate::site) struct Announcements {
    pub(super) announcer: Option<Arc<dyn Announcer>>,
    /// True if each record is announced, and not only that the site changed.
    pub(super) of_records: bool,
    /// True if the site as a whole changed in a way that no record shows.
    pub(super) of_site: bool,
    /// True if the site counts as changed even if nothing differs.
    pub(super) of_nothing: bool,
    /// Fields without a value that were written as empty strings.
    pub(super) emptied: Vec<EmptiedFields>,
    /// The numbers of the stored events, the first and the last of each name.
    pub(super) runs: BTreeMap<&'static str, (u64, u64)>,
}

impl Announcements {
    /// Returns the announcements of a transaction, written by `announcer` if there is one.
    pub(in crate::site) fn by(announcer: Option<Arc<dyn Announcer>>) -> Self {
        Self {
            announcer,
            of_records: true,
            of_site: false,
            of_nothing: false,
            emptied: Vec::new(),
            runs: BTreeMap::new(),
        }
    }
}

/// Fields of one record that were written as empty strings.
pub(super) struct EmptiedFields {
    pub table: Table,
    pub record: Id,
    pub fields: Vec<&'static str>,
}
