//! Snippets. They are few and only editors request them, so they are read from the store.

use std::ops::ControlFlow;

use super::{SiteSnapshot, Transaction, records};
use crate::{
    domain::snippet::Snippet,
    error::Result,
    id::Id,
    store::{Keys, Table},
};

impl SiteSnapshot {
    /// Visits all snippets, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read, or the error of `visitor`.
    pub fn visit_snippets(&self, mut visitor: impl FnMut(Snippet) -> Result<()>) -> Result<()> {
        self.visit(Table::Snippets, |_, snippet| visitor(snippet))
    }

    /// Returns the snippet with this identifier.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn snippet(&self, id: Id) -> Result<Option<Snippet>> {
        self.read(Table::Snippets, id.as_bytes())
    }
}

impl Transaction {
    /// Returns the snippet with this identifier, as this transaction left it.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn snippet(&self, id: Id) -> Result<Option<Snippet>> {
        self.read(Table::Snippets, id.as_bytes())
    }

    /// Returns the identifiers and names of all snippets, oldest first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn snippet_names(&self) -> Result<Vec<(Id, Box<str>)>> {
        let mut names: Vec<Result<(Id, Box<str>)>> = Vec::new();
        self.scan(Table::Snippets, &Keys::all(), |_, bytes| {
            let snippet = records::decode::<Snippet>(Table::Snippets, bytes);
            names.push(snippet.map(|snippet| (snippet.id, snippet.name)));
            ControlFlow::Continue(())
        })?;
        names.into_iter().collect()
    }

    /// Adds a snippet or replaces the one with its identifier.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn save_snippet(&mut self, snippet: &Snippet) -> Result<()> {
        self.put(Table::Snippets, snippet.id.as_bytes(), snippet)
    }

    /// Deletes a snippet, if it exists.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn delete_snippet(&mut self, id: Id) -> Result<()> {
        self.delete(Table::Snippets, id.as_bytes())
    }
}
