//! The recoverable part of a document with errors.

use std::collections::HashMap;

use crate::content_text::{
    document::{
        error::DocumentError,
        value::{Table, Value},
    },
    span::{Span, Spanned},
};

/// Maximum number of repeated keys that are reported.
pub(super) const PROBLEMS_MAX: usize = 100;

/// A document that was parsed in spite of errors.
#[derive(Debug, Default)]
pub struct RecoveredDocument {
    pub table: Table,
    /// The errors that the parser recovered from.
    pub problems: Vec<DocumentError>,
}

/// Collects keys and values into tables, each key once.
#[derive(Default)]
pub(super) struct Collector {
    /// Errors about repeated keys, and about keys that are not text.
    pub(super) problems: Vec<DocumentError>,
}

impl Collector {
    /// Adds a value to `table`, replacing an earlier one of the same key.
    pub(super) fn add(
        &mut self,
        table: &mut Table,
        seen: &mut HashMap<String, usize>,
        key: Spanned<String>,
        value: Value,
    ) {
        let Some(index) = seen.get(&key.value) else {
            seen.insert(key.value.clone(), table.entries.len());
            table.entries.push((key, value));
            return;
        };
        if self.problems.len() < PROBLEMS_MAX {
            let message = format!("`{}` is given twice", key.value);
            let problem = DocumentError {
                remedy: "; the last one is used",
                ..DocumentError::new(key.span, message, "remove one of the two")
            };
            self.problems.push(problem);
        }
        table.entries[*index] = (key, value);
    }

    /// Reports a key that is a list or a table, such as the `{{ title }}` of a template without quotes.
    pub(super) fn leave_out_key(&mut self, span: Span) {
        if self.problems.len() < PROBLEMS_MAX {
            self.problems.push(DocumentError {
                remedy: "; this one is left out",
                ..DocumentError::new(span, "a key must be text", "put it in quotes")
            });
        }
    }
}
