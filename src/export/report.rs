//! What came of an export, for whoever asked for it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// How many records of each kind, in the plural: `posts`, `tags`.
    pub counts: BTreeMap<String, usize>,
    /// What could not be written as it is, record by record.
    pub remarks: Vec<String>,
}

impl Report {
    /// Counts records of `kind`.
    pub fn add(&mut self, kind: &str, number: usize) {
        *self.counts.entry(kind.to_owned()).or_default() += number;
    }
}
