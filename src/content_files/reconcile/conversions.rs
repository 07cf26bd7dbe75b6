//! Converts readings to records: before the transaction begins, as far as memory allows.

use std::{sync::Arc, vec};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    content_files::{
        file_state::FileState,
        parsed_file::ContentFile,
        reconcile::{Conditions, Reconciler, accounts, read::FileReading},
        records::{ConvertedRecord, convert},
        symbol_table::Directory,
    },
    content_text::Diagnostic,
    error::Result,
    progress::Progress,
    site::Transaction,
};

/// The result of a run for a file.
pub struct AppliedFile {
    /// Its path.
    pub path: String,
    /// Its stored state.
    pub state: FileState,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether it is a post or page whose file has the date of its last change.
    is_dated: bool,
}

/// Number of files that are converted at a time: enough to keep all processors busy, few enough that their texts take little
/// memory.
const CHUNK: usize = 256;

/// Maximum total length of converted texts that wait to be saved, in bytes. Other transactions can proceed until saving
/// begins.
const AHEAD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The result of a file, and its record, if it is usable.
type FileConversion = (AppliedFile, Option<ConvertedRecord>);

/// The conversions of changed files.
pub(super) struct Conversions<'a> {
    reconciler: &'a Reconciler,
    directory: &'a Directory,
    conditions: &'a Conditions,
    /// Readings that are not converted yet.
    readings: vec::IntoIter<FileReading>,
    /// Conversions that wait to be saved.
    converted: Vec<FileConversion>,
}

impl<'a> Conversions<'a> {
    /// Creates the conversions of `readings`.
    pub(super) fn of(
        readings: Vec<FileReading>,
        reconciler: &'a Reconciler,
        directory: &'a Directory,
        conditions: &'a Conditions,
    ) -> Self {
        Self {
            reconciler,
            directory,
            conditions,
            readings: readings.into_iter(),
            converted: Vec::new(),
        }
    }

    /// Converts readings until the converted texts reach [`AHEAD_BYTES_MAX`].
    pub(super) fn convert_ahead(&mut self) -> Result<()> {
        let mut bytes = 0;
        while bytes < AHEAD_BYTES_MAX {
            let known = self.converted.len();
            if !self.convert_some()? {
                break;
            }
            let new = self.converted[known..].iter();
            bytes += new.map(|(_, record)| text_bytes(record)).sum::<usize>();
        }
        Ok(())
    }

    /// Converts up to [`CHUNK`] further readings on all processors, and returns whether there were any.
    fn convert_some(&mut self) -> Result<bool> {
        let some: Vec<FileReading> = self.readings.by_ref().take(CHUNK).collect();
        let is_any = !some.is_empty();
        let (reconciler, directory, conditions) =
            (self.reconciler, self.directory, self.conditions);
        let converted: Result<Vec<FileConversion>> = some
            .into_par_iter()
            .map(|reading| reconciler.convert(reading, directory, conditions))
            .collect();
        self.converted.append(&mut converted?);
        Ok(is_any)
    }

    /// Saves all records.
    pub(super) fn save_all(
        &mut self,
        transaction: &mut Transaction,
        progress: &dyn Progress,
    ) -> Result<Vec<AppliedFile>> {
        let count = self.converted.len() + self.readings.len();
        let mut all = Vec::with_capacity(count);
        loop {
            for (applied, record) in self.converted.drain(..) {
                if let Some(record) = record {
                    let is_dated = applied.is_dated;
                    let record =
                        self.reconciler
                            .with_preserved_values(transaction, record, is_dated)?;
                    save(transaction, record)?;
                }
                all.push(applied);
                progress.advance(all.len() as u64, count as u64);
            }
            // The rest is converted inside the transaction, in chunks, so that memory stays
            // bounded.
            if !self.convert_some()? {
                return Ok(all);
            }
        }
    }
}

/// Returns the length of the texts of a record.
fn text_bytes(record: &Option<ConvertedRecord>) -> usize {
    let Some(ConvertedRecord::Post(_, body)) = record else {
        return 0;
    };
    let texts = [&body.html, &body.lexical];
    texts.into_iter().flatten().map(String::len).sum()
}

impl Reconciler {
    /// Converts a reading to its record. An unusable file counts as read, and the record of its last valid version remains.
    fn convert(
        &self,
        reading: FileReading,
        directory: &Directory,
        conditions: &Conditions,
    ) -> Result<FileConversion> {
        let old = self.states.get(&reading.path);
        // If the file is unusable, its record stays that of the last valid version, and so do its
        // references.
        let (output, uses) = old
            .map(|old| (old.output.clone(), old.uses.clone()))
            .unwrap_or_default();
        let mut state = FileState {
            seen: reading.seen,
            fingerprint: reading.fingerprint,
            output,
            uses,
            inclusions: reading.inclusions.clone(),
            has_problems: false,
        };
        let mut diagnostics = Vec::new();
        let mut record = None;
        let mut is_dated = false;
        if reading.is_left_out {
            state.output = None;
            state.uses = Box::default();
        }
        if let Some(output) = &reading.output {
            let (file, source) = self.content(&reading, conditions)?;
            is_dated = matches!(&file, ContentFile::Post(file) | ContentFile::Page(file) if file.fields.updated_at.is_some());
            let converted = convert(&file, output, &source, directory, conditions);
            record = Some(converted.record);
            state.uses = converted.uses.into_iter().map(Arc::new).collect();
            state.output = Some(Arc::clone(output));
            diagnostics = converted.diagnostics;
        }
        diagnostics.splice(..0, reading.diagnostics);
        state.has_problems = !diagnostics.is_empty();
        let applied = AppliedFile {
            path: reading.path,
            state,
            diagnostics,
            is_dated,
        };
        Ok((applied, record))
    }
}

fn save(transaction: &mut Transaction, record: ConvertedRecord) -> Result<()> {
    match record {
        ConvertedRecord::Settings(values) => transaction.replace_file_settings(values),
        ConvertedRecord::Post(post, body) => transaction.save_post_of_file(*post, body),
        ConvertedRecord::Tag(tag) => transaction.save(*tag),
        ConvertedRecord::User(user) => accounts::save(transaction, *user),
        ConvertedRecord::Tier(tier) => transaction.save(*tier),
        ConvertedRecord::Newsletter(newsletter) => transaction.save(*newsletter),
    }
}
