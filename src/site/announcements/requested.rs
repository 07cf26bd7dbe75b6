//! The announcements that the code of a transaction requested.

use std::{collections::BTreeMap, sync::Arc};

use super::Announcer;
use crate::{id::Id, store::Table};

/// The announcements that a transaction makes.
pub(in crate::site) struct Announcements {
    pub(super) announcer: Option<Arc<dyn Announcer>>,
    /// True if each record is announced; if false, only the change of the site is.
    pub(super) of_records: bool,
    /// True if the site as a whole changed in a way that no record shows.
    pub(super) of_site: bool,
    /// True if the site counts as changed even if nothing differs.
    pub(super) even_if_unchanged: bool,
    /// Fields without a value that were written as empty strings.
    pub(super) emptied: Vec<EmptiedFields>,
    /// The first and the last number of the stored events of each name.
    pub(super) runs: BTreeMap<&'static str, (u64, u64)>,
}

impl Announcements {
    /// Returns the announcements of a transaction, serialised by `announcer` if there is one.
    pub(in crate::site) fn by(announcer: Option<Arc<dyn Announcer>>) -> Self {
        Self {
            announcer,
            of_records: true,
            of_site: false,
            even_if_unchanged: false,
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
