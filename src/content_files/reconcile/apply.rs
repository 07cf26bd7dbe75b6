//! Applies a run in one transaction: records, implied tags and authors, and the state of each file.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{self, PathBuf},
    sync::Arc,
};

use crate::{
    content_files::{
        edits::WrittenEdits,
        file_state::{FileOutput, FileStat, FileState, LastRun},
        path_properties::FileKind,
        reconcile::{
            Conditions, Mark, Reconciler, RunOutcome, Unit, accounts,
            compare::Comparison,
            conversions::{AppliedFile, Conversions},
            last_run::LAST_RUN_KEY,
            read::{FileReading, FileReadings},
            records_without_file::{self, ImpliedRecords},
            run::RunParameters,
            scan::FolderScan,
        },
        symbol_table::Directory,
    },
    content_text::Diagnostic,
    domain::{newsletter::Newsletter, tag::Tag, tier::Tier},
    error::{Error, Kind, Result},
    site::{SiteSnapshot, Transaction},
    store::Table,
};

/// The store's key of the folder of the last run.
const FOLDER_KEY: &[u8] = b"content_folder";

/// Returns the folder of the content files at the last run, if any.
///
/// # Errors
///
/// If the store cannot be read.
pub fn remembered_folder(snapshot: &SiteSnapshot) -> Result<Option<PathBuf>> {
    snapshot.read(Table::Meta, FOLDER_KEY)
}

/// Rebases the edits that were written into the files, and reduces them to the parts that are not written yet.
///
/// # Errors
///
/// If another edit was saved since (`UpdateCollision`), or the store cannot be read.
fn update_edits(
    edits: &WrittenEdits,
    is_overtaken: bool,
    parameters: &RunParameters,
    transaction: &mut Transaction,
) -> Result<()> {
    if is_overtaken {
        return Err(Error::new(Kind::UpdateCollision, "An edit came later."));
    }
    // Before the records change, while the posts are still the editors' versions.
    if parameters.mark.is_some() {
        edits.rebase(transaction)?;
    }
    if parameters.ends_edits {
        transaction.reduce_file_edits(&edits.written, &edits.to_commit)?;
    }
    Ok(())
}

impl Reconciler {
    /// Commits a comparison, and returns the applied files; or returns the outcome if nothing was applied, because of errors
    /// of the conversion in a folder that is one unit, or because of a later edit.
    pub(super) fn apply(
        &mut self,
        comparison: Comparison,
        scan: &FolderScan,
        conditions: &Conditions,
        parameters: &RunParameters,
    ) -> Result<Result<Vec<AppliedFile>, RunOutcome>> {
        let is_as_it_was =
            self.has_run && comparison.readings.changed.is_empty() && scan.removed.is_empty();
        let directory = Arc::clone(&comparison.directory);
        let same = comparison.readings.same.clone();
        let mut applied = Vec::new();
        // Every commit clears the cached responses, so a run without a change makes none. A mark is
        // stored in any case.
        if !is_as_it_was || parameters.mark.is_some() {
            applied = match self.commit(comparison, scan, conditions, parameters)? {
                Ok(applied) => applied,
                Err(outcome) => return Ok(Err(outcome)),
            };
        }
        // In memory only: this saves the next scan from reading the files.
        for (path, seen) in same {
            if let Some(known) = self.states.get_mut(&path) {
                known.seen = seen;
            }
        }
        self.directory = directory;
        self.has_run = true;
        Ok(Ok(applied))
    }

    /// Saves the records of changed files, and the state of the folder, in one transaction.
    fn commit(
        &mut self,
        comparison: Comparison,
        scan: &FolderScan,
        conditions: &Conditions,
        parameters: &RunParameters,
    ) -> Result<Result<Vec<AppliedFile>, RunOutcome>> {
        let FileReadings { changed, same } = comparison.readings;
        let directory = comparison.directory;
        let progress = parameters.progress;
        let this_run = self.this_run(scan);
        let mut errors = Vec::new();
        let mut is_overtaken = false;
        let paths: BTreeSet<String> = changed.iter().map(|reading| reading.path.clone()).collect();
        // Before the conversions, which consume the readings.
        let claims = claims(&changed);
        let left_out = changed.iter().filter(|reading| reading.is_left_out);
        let left_out: Vec<String> = left_out.map(|reading| reading.path.clone()).collect();
        progress.advance(0, changed.len() as u64);
        let mut conversions = Conversions::of(changed, self, &directory, conditions);
        // Before the first run no client waits for a transaction.
        let ahead = if self.has_run {
            conversions.convert_ahead()
        } else {
            Ok(())
        };
        let written = ahead.and_then(|()| {
            self.site.write_once(|transaction| {
                if let Some(edits) = parameters.edits {
                    // Inside the transaction: no save can come between this check and the commit.
                    is_overtaken = edits.are_overtaken(transaction, &paths)?;
                    update_edits(edits, is_overtaken, parameters, transaction)?;
                }
                // First, so that files can swap their slugs in one commit.
                self.remove_old(transaction, &claims, &left_out, scan)?;
                let applied = conversions.save_all(transaction, progress)?;
                if parameters.unit == Unit::Folder {
                    errors = errors_of(&applied);
                    refuse_for(&errors)?;
                }
                if comparison.is_new_directory || self.name_others(&applied) {
                    self.implied(&applied, scan, &directory).save(transaction)?;
                }
                // After the records, which replace defaults, and the title of the site, which names
                // them.
                records_without_file::adjust_defaults(transaction)?;
                self.write_states(transaction, &applied, scan)?;
                self.write_facts(transaction, &same, &this_run)?;
                if let Some(Mark { key, value }) = parameters.mark {
                    transaction.put(Table::Meta, key, value)?;
                }
                Ok(applied)
            })
        });
        progress.finish();
        let applied = match written {
            // The error only aborted the transaction; `errors` has the reasons.
            Err(_) if !errors.is_empty() => return Ok(Err(RunOutcome::Refused(errors))),
            Err(_) if is_overtaken => return Ok(Err(RunOutcome::Overtaken)),
            written => written?,
        };
        self.last_run = Some(this_run.clone());
        self.last_paths = Some((Arc::clone(&scan.paths), this_run));
        Ok(Ok(applied))
    }

    /// Returns the state to store for this run. The paths of a large folder are hashed only if they changed.
    pub(super) fn this_run(&self, scan: &FolderScan) -> LastRun {
        let has_history = self.history.is_some();
        let layout = scan.layout.fingerprint_text().to_owned();
        match &self.last_paths {
            // Hinted scans share the paths of the last run.
            Some((paths, run))
                if Arc::ptr_eq(paths, &scan.paths)
                    && run.has_history == has_history
                    && run.layout == layout =>
            {
                run.clone()
            }
            _ => LastRun::now(&scan.paths, has_history, layout),
        }
    }

    /// Deletes records of removed files, records of changed files with another slug or identifier, and implied records whose
    /// slug a file has now. Every slug is then free for its record after this run.
    fn remove_old(
        &self,
        transaction: &mut Transaction,
        claims: &[ChangedIdentity],
        left_out: &[String],
        scan: &FolderScan,
    ) -> Result<()> {
        let gone = scan.removed.iter().chain(left_out);
        for output in gone.filter_map(|path| self.output(path)) {
            remove(transaction, output)?;
        }
        for ChangedIdentity { path, output: new } in claims {
            match self.output(path) {
                Some(old) if (old.id, &old.slug) != (new.id, &new.slug) => {
                    remove(transaction, old)?
                }
                _ => {}
            }
            records_without_file::give_way(transaction, new)?;
        }
        Ok(())
    }

    /// Returns whether files that were read name other tags and authors than before.
    fn name_others(&self, applied: &[AppliedFile]) -> bool {
        applied.iter().any(|applied| {
            let old = self.states.get(&applied.path);
            let old = old.map(|old| &*old.uses).unwrap_or_default();
            !records_without_file::named(old).eq(records_without_file::named(&applied.state.uses))
        })
    }

    fn implied(
        &self,
        applied: &[AppliedFile],
        scan: &FolderScan,
        directory: &Directory,
    ) -> ImpliedRecords {
        let mut states: BTreeMap<&String, &FileState> = self
            .states
            .iter()
            .filter(|(path, _)| !scan.removed.contains(*path))
            .collect();
        states.extend(
            applied
                .iter()
                .map(|applied| (&applied.path, &applied.state)),
        );
        ImpliedRecords::by(states.into_values(), directory)
    }

    fn write_states(
        &self,
        transaction: &mut Transaction,
        applied: &[AppliedFile],
        scan: &FolderScan,
    ) -> Result<()> {
        for path in &scan.removed {
            transaction.delete(Table::SourceFiles, path.as_bytes());
        }
        for AppliedFile { path, state, .. } in applied {
            // A change of metadata alone causes no write (`write_facts`).
            let known = self.states.get(path);
            if !known.is_some_and(|known| known.is_same_but_for_facts(state)) {
                transaction.put(Table::SourceFiles, path.as_bytes(), state)?;
            }
        }
        Ok(())
    }

    /// Stores the metadata by which the next start detects unchanged files. Metadata of unchanged files is stored only by
    /// the first run, since every commit invalidates cached responses.
    fn write_facts(
        &self,
        transaction: &mut Transaction,
        same: &[(String, Option<FileStat>)],
        this_run: &LastRun,
    ) -> Result<()> {
        if self.last_run.as_ref() != Some(this_run) {
            transaction.put(Table::Meta, LAST_RUN_KEY, this_run)?;
        }
        if !self.has_run {
            self.write_folder(transaction)?;
        }
        for (path, seen) in same.iter().filter(|_| !self.has_run) {
            match self.states.get(path) {
                Some(known) if known.seen != *seen => {
                    let state = FileState {
                        seen: *seen,
                        ..known.clone()
                    };
                    transaction.put(Table::SourceFiles, path.as_bytes(), &state)?;
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Reconciler {
    /// Stores the path of the folder. A path that is not UTF-8 is not stored.
    fn write_folder(&self, transaction: &mut Transaction) -> Result<()> {
        let Some(folder) = path::absolute(&self.root)
            .ok()
            .filter(|folder| folder.to_str().is_some())
        else {
            return Ok(());
        };
        if transaction
            .read::<PathBuf>(Table::Meta, FOLDER_KEY)?
            .as_ref()
            != Some(&folder)
        {
            transaction.put(Table::Meta, FOLDER_KEY, &folder)?;
        }
        Ok(())
    }
}

/// The identity of a changed file's record, which determines the records to delete.
struct ChangedIdentity {
    path: String,
    output: Arc<FileOutput>,
}

fn claims(readings: &[FileReading]) -> Vec<ChangedIdentity> {
    let claim = |reading: &FileReading| {
        Some(ChangedIdentity {
            path: reading.path.clone(),
            output: Arc::clone(reading.output.as_ref()?),
        })
    };
    readings.iter().filter_map(claim).collect()
}

fn errors_of(applied: &[AppliedFile]) -> Vec<Diagnostic> {
    let diagnostics = applied.iter().flat_map(|applied| &applied.diagnostics);
    diagnostics
        .filter(|found| found.is_error())
        .cloned()
        .collect()
}

/// Aborts the transaction if there is an error. The message of the error is never shown.
fn refuse_for(errors: &[Diagnostic]) -> Result<()> {
    match errors {
        [] => Ok(()),
        _ => Err(Error::new(Kind::Validation, "A file cannot be used.")),
    }
}

fn remove(transaction: &mut Transaction, output: &FileOutput) -> Result<()> {
    match output.kind {
        FileKind::Site => transaction.replace_file_settings(BTreeMap::new()),
        FileKind::Post | FileKind::Page => transaction.delete_post_of_file(output.id),
        FileKind::Tag => transaction.remove::<Tag>(output.id),
        FileKind::Author => accounts::remove(transaction, output.id),
        FileKind::Tier => transaction.remove::<Tier>(output.id),
        FileKind::Newsletter => transaction.remove::<Newsletter>(output.id),
    }
}
