//! Exports of Ghost 4, 5 and 6, and files of other programs in the same format.
//!
//! A file is read in two passes. The first reads everything but the posts into memory and checks that the file is
//! complete; the second reads the posts in chunks, converts them in parallel and saves them. So the order of the tables
//! does not matter, a file of any size takes little memory, and a truncated file is rejected before anything changes. A
//! later error aborts the whole transaction.

pub(super) mod bodies;
mod cell;
mod export_reader;
mod importer;
mod integrations;
mod json_stream;
mod keys;
mod memberships;
mod name_list;
mod offers;
mod pass_progress;
mod posts;
mod rows;
mod second_pass;
mod settings;
mod snippets;
mod surrogates;
mod tables;
mod tags;
mod theme_settings;
mod users;

use std::io::Read;

use url::Url;

pub use self::export_reader::ExportError;
use self::pass_progress::PassProgress;
use self::{
    export_reader::read_export,
    importer::Importer,
    second_pass::SecondPass,
    tables::{FirstPass, Tables},
};
use super::{Report, files::FileIndex};
use crate::{
    error::{Error, Kind, Result},
    progress::Progress,
    site::Transaction,
};

/// A document that can be read repeatedly from its start.
pub trait DocumentSource {
    /// Returns its length, in bytes.
    fn bytes(&self) -> u64;

    /// Passes the document to `read`.
    ///
    /// # Errors
    ///
    /// If it cannot be opened; the errors of `read`.
    fn with_content(&self, read: &mut dyn FnMut(&mut dyn Read) -> Result<()>) -> Result<()>;
}

/// An export after the first pass, before anything is changed.
pub struct Export<'s> {
    source: &'s dyn DocumentSource,
    tables: Tables,
}

impl<'s> Export<'s> {
    /// Runs the first pass, and checks that the whole file is an export.
    ///
    /// # Errors
    ///
    /// `BadRequest` with the position, if the file is not an export, truncated or malformed.
    pub fn open(source: &'s dyn DocumentSource, progress: &dyn Progress) -> Result<Self> {
        let total = source.bytes() * 2;
        let mut tables = Tables::default();
        source.with_content(&mut |reader| {
            let memory_max = progress.memory_max(source.bytes());
            let mut pass = FirstPass::new(PassProgress::new(progress, 0, total), memory_max);
            read_export(reader, &mut pass)?;
            pass.tables.check()?;
            tables = pass.tables;
            Ok(())
        })?;
        Ok(Self { source, tables })
    }

    /// Imports all records.
    ///
    /// # Errors
    ///
    /// `BadRequest` if a post cannot be read; the errors of the store.
    pub fn import(
        &self,
        transaction: &mut Transaction,
        site: &Url,
        files: &FileIndex,
        report: &mut Report,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut importer = Importer::new(transaction, report, site, files, &self.tables);
        // In the order of references: the posts of the second pass refer to tiers, newsletters,
        // tags and users, and use the default visibility of the settings.
        importer.settings()?;
        importer.tiers()?;
        // Imported separately from the other settings, since it refers to tiers of the file.
        importer.default_tiers()?;
        importer.newsletters()?;
        importer.offers()?;
        importer.recommendations()?;
        importer.tags()?;
        importer.users()?;
        importer.snippets()?;
        importer.integrations()?;
        importer.theme_settings()?;
        let first_pass_bytes = self.source.bytes();
        let total = first_pass_bytes * 2;
        let reading = PassProgress::new(progress, first_pass_bytes, total);
        let mut pass = SecondPass::new(importer, reading)?;
        self.source
            .with_content(&mut |reader| read_export(reader, &mut pass))?;
        pass.finish()?;
        Ok(())
    }
}

impl From<ExportError> for Error {
    fn from(error: ExportError) -> Self {
        let kind = match error {
            ExportError::Busy => Kind::Maintenance,
            _ => Kind::BadRequest,
        };
        Self::new(kind, "The file cannot be imported:").context(format!("{error}."))
    }
}
