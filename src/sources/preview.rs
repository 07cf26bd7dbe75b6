//! What a content file would make, without making it: for people who write content files and want to know how they read.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;
use serde_json::Value;

use super::{
    Body, BodyFormat, Diagnostic, Source,
    conditions::Conditions,
    editor_body,
    identity::identity,
    linker::Linker,
    records::{Record, convert},
    state::FileOutput,
    symbol_table::Directory,
};
use crate::domain::setting::Settings;

/// A content folder as it is to be: which files it has, and what those of content are about.
pub struct Preview {
    directory: Directory,
    conditions: Conditions,
}

impl Preview {
    /// The folder that has the files `paths`, of which content files make what `made` says by path, on a site with these
    /// settings, at the time `now`.
    pub fn new(
        paths: BTreeSet<String>,
        made: BTreeMap<String, FileOutput>,
        settings: &Settings,
        now: Timestamp,
    ) -> Self {
        let made = made.into_iter().map(|(path, made)| (path, Arc::new(made)));
        Self {
            directory: Directory::new(Arc::new(paths), made.collect()),
            conditions: Conditions::of(settings, now),
        }
    }

    /// What the file at `path` makes when these are its bytes.
    ///
    /// # Errors
    ///
    /// What keeps it from being used; nothing when the path is not that of a content file.
    pub fn read(&self, path: &str, bytes: &[u8]) -> Result<Record, Vec<Diagnostic>> {
        let parsed = self.conditions.parse(path, bytes);
        let (Some(file), Some(source)) = (parsed.value, parsed.source) else {
            return Err(parsed.diagnostics);
        };
        let made = identity(&file);
        let converted = convert(&file, &made, &source, &self.directory, &self.conditions);
        Ok(converted.record)
    }

    /// The nodes of the editor's document that Markdown in the file at `path` becomes; `None` when something about it would
    /// be reported as a problem.
    pub fn nodes(&self, path: &str, markdown: &str) -> Option<Vec<Value>> {
        let source = Source::decode(path, markdown.as_bytes()).ok()?;
        let body = Body::new(BodyFormat::Lexical, source.clone(), 0);
        let mut linker = Linker::new(&source, &self.directory);
        let nodes = editor_body::nodes(&body, &mut linker);
        linker.diagnostics.is_empty().then_some(nodes)
    }
}
