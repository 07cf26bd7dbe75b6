//! The report of a finished export.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The result of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// The number of records of each kind, in the plural: `posts`, `tags`.
    pub counts: BTreeMap<String, usize>,
    /// Values that could not be exported exactly, record by record.
    pub remarks: Vec<String>,
}

impl Report {
    /// Adds `number` records of `kind`.
    pub fn add(&mut self, kind: &str, number: usize) {
        *self.counts.entry(kind.to_owned()).or_default() += number;
    }
}
