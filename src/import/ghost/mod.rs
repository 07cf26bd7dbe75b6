//! Exports of Ghost 4, 5 and 6, and what other programs write in their form.
//!
//! A file is gone through twice. The first pass reads everything but the posts into memory and sees that the file is whole;
//! the second takes the posts a few at a time, converts them on all processors and saves them. So the order of the tables
//! does not matter, a file of any size takes little memory, and one that is cut off is distinguished from a whole one before
//! anything is touched. Whatever goes wrong later, the transaction is aborted as a whole.

pub(super) mod bodies;
mod columns;
mod importer;
mod integrations;
mod json_stream;
mod keys;
mod memberships;
mod offers;
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
mod walk;

use std::io::Read;

use url::Url;

pub use self::walk::ExportError;
use self::{
    importer::Importer,
    second_pass::SecondPass,
    tables::{FirstPass, Tables},
    walk::walk,
};
use super::{Progress, Report, files::Files};
use crate::{
    error::{Error, Kind, Result},
    site::Transaction,
};

/// Most names in one note.
const LISTED_MAX: usize = 20;

/// A document that can be read from its start again and again.
pub trait Source {
    /// Its length, in bytes.
    fn bytes(&self) -> u64;

    /// Gives the document to `read`.
    ///
    /// # Errors
    ///
    /// When it cannot be opened, or what `read` returns.
    fn with_content(&self, read: &mut dyn FnMut(&mut dyn Read) -> Result<()>) -> Result<()>;
}

/// What was found in an export, before anything is changed.
pub struct Export<'s> {
    source: &'s dyn Source,
    tables: Tables,
}

impl<'s> Export<'s> {
    /// Goes through the whole file once, and sees that it is an export.
    ///
    /// # Errors
    ///
    /// `BadRequest` when it is not, or is cut off or broken, with the place.
    pub fn open(source: &'s dyn Source, progress: &dyn Progress) -> Result<Self> {
        let total = source.bytes() * 2;
        let mut tables = Tables::default();
        source.with_content(&mut |reader| {
            let memory_max = progress.memory_max(source.bytes());
            let mut pass = FirstPass::new(Reading::new(progress, 0, total), memory_max);
            walk(reader, &mut pass)?;
            pass.tables.check()?;
            tables = pass.tables;
            Ok(())
        })?;
        Ok(Self { source, tables })
    }

    /// Brings everything in.
    ///
    /// # Errors
    ///
    /// `BadRequest` when a post cannot be read, or what the store says.
    pub fn import(
        &self,
        transaction: &mut Transaction,
        site: &Url,
        files: &Files,
        report: &mut Report,
        progress: &dyn Progress,
    ) -> Result<()> {
        let mut importer = Importer::new(transaction, report, site, files, &self.tables);
        importer.settings()?;
        importer.tiers()?;
        importer.default_tiers()?;
        importer.newsletters()?;
        importer.offers()?;
        importer.recommendations()?;
        importer.tags()?;
        importer.users()?;
        importer.snippets()?;
        importer.integrations()?;
        importer.theme_settings()?;
        let read_already = self.source.bytes();
        let total = read_already * 2;
        let reading = Reading::new(progress, read_already, total);
        let mut pass = SecondPass::new(importer, reading)?;
        self.source
            .with_content(&mut |reader| walk(reader, &mut pass))?;
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

/// The progress of reading.
struct Reading<'p> {
    progress: &'p dyn Progress,
    before: u64,
    total: u64,
}

impl<'p> Reading<'p> {
    fn new(progress: &'p dyn Progress, before: u64, total: u64) -> Self {
        Self {
            progress,
            before,
            total,
        }
    }

    /// Asks whether so many bytes of it may be kept in memory.
    fn keeps(&self, bytes: usize) -> Result<(), ExportError> {
        match self.progress.may_keep(bytes) {
            true => Ok(()),
            false => Err(ExportError::Busy),
        }
    }

    /// Tells that the document was read up to this byte.
    fn passed(&self, offset: u64) -> Result<(), ExportError> {
        self.progress.advance(self.before + offset, self.total);
        match self.progress.is_cancelled() {
            true => Err(ExportError::Cancelled),
            false => Ok(()),
        }
    }
}

/// Names in one line, as many as fit.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(LISTED_MAX);
    let shown: Vec<&str> = names.take(LISTED_MAX).collect();
    match more {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
