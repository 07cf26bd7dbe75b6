//! Previews the record of a content file, for authors of content files.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    content_files::{
        body::{Body, BodyFormat},
        conditions::Conditions,
        editor_body,
        file_state::FileOutput,
        identity::identity,
        linker::Linker,
        records::{ConvertedRecord, convert},
        symbol_table::Directory,
    },
    content_text::{Diagnostic, Source},
    domain::setting::Settings,
};

/// A planned content folder: its files, and the records of its content files.
pub struct Preview {
    directory: Directory,
    conditions: Conditions,
}

impl Preview {
    /// Creates the preview of a folder with the files `paths`, whose content files have the identities `outputs` by path, on
    /// a site with these settings, at the time `now`.
    pub fn new(
        paths: BTreeSet<String>,
        outputs: BTreeMap<String, FileOutput>,
        settings: &Settings,
        now: Timestamp,
    ) -> Self {
        let outputs = outputs
            .into_iter()
            .map(|(path, output)| (path, Arc::new(output)));
        Self {
            directory: Directory::new(Arc::new(paths), outputs.collect()),
            conditions: Conditions::of(settings, now),
        }
    }

    /// Returns the record of the file at `path` with these bytes.
    ///
    /// # Errors
    ///
    /// The errors that make it unusable; empty if the path is not that of a content file.
    pub fn read(&self, path: &str, bytes: &[u8]) -> Result<ConvertedRecord, Vec<Diagnostic>> {
        let parsed = self.conditions.parse(path, bytes);
        let (Some(file), Some(source)) = (parsed.value, parsed.source) else {
            return Err(parsed.diagnostics);
        };
        let identity = identity(&file);
        let converted = convert(&file, &identity, &source, &self.directory, &self.conditions);
        Ok(converted.record)
    }

    /// Returns the nodes of Markdown in the file at `path`; `None` if any diagnostic would be reported.
    pub fn nodes(&self, path: &str, markdown: &str) -> Option<Vec<Value>> {
        let source = Source::decode(path, markdown.as_bytes()).ok()?;
        let body = Body::new(BodyFormat::Lexical, source.clone(), 0);
        let mut linker = Linker::new(&source, &self.directory);
        let nodes = editor_body::nodes(&body, &mut linker);
        linker.diagnostics.is_empty().then_some(nodes)
    }
}
