//! Compares the files of a folder: conflicts of slugs, and targets of references.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{
    content_files::{
        file_state::StoredReference,
        identity::claim_spans,
        linker::Requirement,
        path_properties::FileKind,
        reconcile::{
            Conditions, FileOutput, Reconciler,
            read::{FileReading, FileReadings},
            records_without_file,
            scan::FolderScan,
        },
        symbol_table::Directory,
    },
    content_text::Diagnostic,
    id::Id,
};

/// The changes that a run will apply.
pub struct Comparison {
    /// The records that can be referred to.
    pub directory: Arc<Directory>,
    /// Whether targets of references may have changed.
    pub is_new_directory: bool,
    /// Files to be converted, and unusable ones.
    pub readings: FileReadings,
}

/// A slug or an identifier in its namespace.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum UniqueKey<'a> {
    Slug(FileKind, &'a str),
    Id(FileKind, Id),
}

impl Reconciler {
    /// Resolves conflicts of slugs, and checks references. A file that fails counts as its last valid version, which may
    /// change the targets of other files, so the checks are repeated until no further file fails.
    pub(super) fn resolve_conflicts(
        &self,
        mut readings: FileReadings,
        scan: &FolderScan,
        conditions: &Conditions,
    ) -> Comparison {
        let keeps_all = self.is_same_folder(scan) && self.keep_identities(&readings);
        if !keeps_all {
            self.settle_slugs(&mut readings.changed, scan, conditions);
        }
        if keeps_all {
            let directory = if self.has_run {
                Arc::clone(&self.directory)
            } else {
                self.directory_of(&[], scan).into()
            };
            fail_needy(&mut readings.changed, &directory);
            return Comparison {
                directory,
                is_new_directory: false,
                readings,
            };
        }
        // Each round fails at least one more file, so this ends.
        loop {
            let directory = self.directory_of(&readings.changed, scan);
            self.add_dependents(&mut readings.changed, scan, &directory, conditions);
            // One kind of failure in each round: a file that fails may release the slug that
            // another one requests.
            if !fail_needy(&mut readings.changed, &directory)
                && !self.fail_conflicting(&mut readings.changed, &directory, conditions)
            {
                return Comparison {
                    directory: directory.into(),
                    is_new_directory: true,
                    readings,
                };
            }
        }
    }

    /// Returns whether the files are the same as at the last run, in this process or before.
    fn is_same_folder(&self, scan: &FolderScan) -> bool {
        if self.has_run {
            scan.paths == *self.directory.paths()
                && scan.layout.fingerprint_text() == self.layout.fingerprint_text()
                // Staff may have added or renamed a record that files refer to.
                && self.directory.others()
                    == records_without_file::others(&self.site.current().catalog)
        } else {
            self.last_run == Some(self.this_run(scan))
        }
    }

    /// Returns whether the identities of all records that were read are unchanged.
    fn keep_identities(&self, readings: &FileReadings) -> bool {
        readings.changed.iter().all(|reading| {
            let identity = reading.output.as_ref();
            let known = self.output(&reading.path);
            if reading.is_left_out {
                known.is_none()
            } else {
                identity.is_none() || identity == known
            }
        })
    }

    /// Returns the identity of the record of a file's last valid version.
    pub(super) fn output(&self, path: &str) -> Option<&Arc<FileOutput>> {
        self.states.get(path)?.output.as_ref()
    }

    /// Returns the directory of the records after this run.
    fn directory_of(&self, readings: &[FileReading], scan: &FolderScan) -> Directory {
        let left_out = readings.iter().filter(|reading| reading.is_left_out);
        let left_out: BTreeSet<&String> = left_out.map(|reading| &reading.path).collect();
        let known = self
            .states
            .iter()
            .filter(|(path, _)| !scan.removed.contains(*path) && !left_out.contains(path))
            .filter_map(|(path, state)| Some((path.clone(), state.output.clone()?)));
        let read = readings
            .iter()
            .filter_map(|reading| Some((reading.path.clone(), reading.output.clone()?)));
        Directory::beside(
            records_without_file::others(&self.site.current().catalog),
            Arc::clone(&scan.paths),
            known.chain(read).collect(),
        )
        .with_layout(Arc::clone(&scan.layout))
    }

    /// Reads unchanged files again whose references have other targets now, or which are not settled.
    fn add_dependents(
        &self,
        readings: &mut Vec<FileReading>,
        scan: &FolderScan,
        directory: &Directory,
        conditions: &Conditions,
    ) {
        let known: BTreeSet<&String> = readings.iter().map(|reading| &reading.path).collect();
        let dependents: Vec<Option<FileReading>> = self
            .states
            // Every reference of every file is resolved again, so all processors share the work.
            .par_iter()
            .filter(|(path, _)| !known.contains(path) && !scan.removed.contains(*path))
            .filter(|(path, state)| {
                self.settled(path).is_none() || are_stale(path, &state.uses, directory)
            })
            .map(|(path, _)| self.read_again(path, conditions))
            .collect();
        readings.extend(dependents.into_iter().flatten());
    }

    /// Fails the files with a conflict, and returns whether there were any.
    fn fail_conflicting(
        &self,
        readings: &mut [FileReading],
        directory: &Directory,
        conditions: &Conditions,
    ) -> bool {
        let lost = self.lost(directory.outputs());
        let snapshot = self.site.current();
        let mut has_failed = false;
        for reading in readings {
            let Some(output) = &reading.output else {
                continue;
            };
            let (claim, holder) = match lost.get(&reading.path) {
                Some((claim, holder)) => (*claim, holder.as_str()),
                None if records_without_file::is_in_the_way(&snapshot.catalog, output) => {
                    let claim = UniqueKey::Slug(output.kind, &output.slug);
                    (claim, "a record that did not come from a file")
                }
                None => continue,
            };
            let conflict = self.conflict(reading, claim, holder, conditions);
            reading.fail([conflict]);
            has_failed = true;
        }
        has_failed
    }

    fn conflict(
        &self,
        reading: &FileReading,
        claim: UniqueKey<'_>,
        holder: &str,
        conditions: &Conditions,
    ) -> Diagnostic {
        let (message, advice) = match claim {
            UniqueKey::Slug(FileKind::Site, _) | UniqueKey::Id(FileKind::Site, _) => (
                format!("the site is already described by {holder}"),
                "remove one of the two files",
            ),
            UniqueKey::Slug(_, slug) => (
                format!("the slug \"{slug}\" is already used by {holder}"),
                "give one of the two another `slug`",
            ),
            UniqueKey::Id(_, id) => (
                format!("the identifier {id} is already used by {holder}"),
                "change or remove the `id` of one of the two",
            ),
        };
        let Ok((file, source)) = self.content(reading, conditions) else {
            return Diagnostic::about_file(&reading.path, message, advice);
        };
        let (slug, id) = claim_spans(&file);
        let span = match claim {
            UniqueKey::Slug(..) => slug,
            UniqueKey::Id(..) => id,
        };
        source.error(span, message, advice)
    }

    /// Returns the files with a conflict, each with the slug or identifier and the file that holds it. The previous holder
    /// retains a slug or identifier; among new claimants the first by path gets it.
    fn lost<'a>(
        &self,
        identities: &'a BTreeMap<String, Arc<FileOutput>>,
    ) -> BTreeMap<&'a String, (UniqueKey<'a>, &'a String)> {
        let mut claimants: BTreeMap<UniqueKey<'_>, Vec<&String>> = BTreeMap::new();
        for (path, output) in identities {
            for claim in claims_of(output) {
                claimants.entry(claim).or_default().push(path);
            }
        }
        let mut lost = BTreeMap::new();
        for (claim, paths) in claimants {
            let had_it = |path: &&&String| {
                self.output(path)
                    .is_some_and(|output| claims_of(output).contains(&claim))
            };
            let Some(holder) = paths.iter().find(had_it).or(paths.first()) else {
                continue;
            };
            for path in paths.iter().filter(|path| path != &holder) {
                // The first conflict is reported: in the order of the map, slugs precede
                // identifiers.
                lost.entry(*path).or_insert((claim, *holder));
            }
        }
        lost
    }
}

/// Fails the files with missing requirements, and returns whether there were any.
fn fail_needy(readings: &mut [FileReading], directory: &Directory) -> bool {
    let mut has_failed = false;
    for reading in readings
        .iter_mut()
        .filter(|reading| reading.output.is_some())
    {
        let is_missing = |need: &&Requirement| !directory.describes(&need.target);
        let missing: Vec<Diagnostic> = reading
            .needs
            .iter()
            .filter(is_missing)
            .map(|need| need.problem.clone())
            .collect();
        if !missing.is_empty() {
            reading.fail(missing);
            has_failed = true;
        }
    }
    has_failed
}

/// Returns whether the target of a reference has changed.
fn are_stale(path: &str, uses: &[Arc<StoredReference>], directory: &Directory) -> bool {
    uses.iter()
        .any(|used| directory.resolved_target(path, &used.target) != used.resolved_to)
}

/// Returns the slug and the identifier of a record. The slug comes first: two files with the same slug also have the same
/// derived identifier, and the conflict of slugs is the one to report.
fn claims_of(output: &FileOutput) -> [UniqueKey<'_>; 2] {
    let namespace = output.namespace();
    [
        UniqueKey::Slug(namespace, &output.slug),
        UniqueKey::Id(namespace, output.id),
    ]
}
