//! What the files of a folder make together: who has which slug, and what each reference leads to.

use std::{
    collections::{BTreeMap, BTreeSet},
    mem,
};

use rayon::iter::{IntoParallelIterator, IntoParallelRefMutIterator, ParallelIterator};

use super::{Conditions, Made, Reading, Ready, Reconciler, are_stale};
use crate::sources::{
    ContentFile, Diagnostic, FileKind,
    directory::Directory,
    records::{author_name, convert},
    state::FileState,
};

/// What a run will apply.
pub struct Agreement {
    /// All files of the folder.
    pub paths: BTreeSet<String>,
    /// What can be referred to.
    pub directory: Directory,
    /// Files that were read, with what they make.
    pub ready: Vec<Ready>,
    /// Whether other files may see something else than before.
    pub is_new_directory: bool,
}

/// Which slug, or which identifier, among which kinds of things.
type Claim = (FileKind, String);

impl Reconciler {
    /// Settles what was read. A file that cannot be used as it is counts as what its last good version made, which may
    /// change what others lead to; so this goes on until no further file fails.
    pub(super) fn agree(
        &mut self,
        mut readings: Vec<Reading>,
        removed: &BTreeSet<String>,
        paths: BTreeSet<String>,
        conditions: &Conditions,
    ) -> Agreement {
        let mut failed: BTreeSet<String> = BTreeSet::new();
        let is_same_folder = paths == self.paths && removed.is_empty();
        loop {
            let identities = self.identities(&mut readings, removed, &mut failed);
            let is_same =
                is_same_folder && failed.is_empty() && self.are_same_identities(&readings);
            let directory = match is_same {
                true => mem::take(&mut self.directory),
                false => self.directory_of(identities, paths.clone(), &readings),
            };
            if !is_same {
                self.read_dependents(&mut readings, removed, &directory, conditions);
            }
            let ready = self.convert_all(&mut readings, &failed, &directory, conditions);
            let newly_failed: Vec<String> = ready
                .iter()
                .filter(|ready| ready.record.is_none() && !failed.contains(&ready.path))
                .map(|ready| ready.path.clone())
                .collect();
            if newly_failed.is_empty() {
                return Agreement {
                    paths,
                    directory,
                    ready,
                    is_new_directory: !is_same,
                };
            }
            failed.extend(newly_failed);
        }
    }

    /// What each file makes after this run. Of two that claim one slug or identifier, the one that had it keeps it, else
    /// the first by path has it; the other fails.
    fn identities(
        &self,
        readings: &mut [Reading],
        removed: &BTreeSet<String>,
        failed: &mut BTreeSet<String>,
    ) -> BTreeMap<String, Made> {
        let mut identities: BTreeMap<String, Made> = self
            .states
            .iter()
            .filter(|(path, _)| !removed.contains(*path))
            .filter_map(|(path, state)| Some((path.clone(), state.made.clone()?)))
            .collect();
        for reading in readings
            .iter()
            .filter(|reading| !failed.contains(&reading.path))
        {
            if let Some((_, made)) = &reading.content {
                identities.insert(reading.path.clone(), made.clone());
            }
        }
        for (loser, winner, what) in self.conflicts(&identities) {
            match self.states.get(&loser).and_then(|state| state.made.clone()) {
                Some(old) if identities.get(&loser) != Some(&old) => {
                    identities.insert(loser.clone(), old)
                }
                _ => identities.remove(&loser),
            };
            failed.insert(loser.clone());
            if let Some(reading) = readings.iter_mut().find(|reading| reading.path == loser) {
                reading.diagnostics.push(reading.conflict(&winner, &what));
            }
        }
        identities
    }

    /// Files that claim what another one has: loser, winner, and what is claimed.
    fn conflicts(&self, identities: &BTreeMap<String, Made>) -> Vec<(String, String, String)> {
        let mut claims: BTreeMap<Claim, Vec<&String>> = BTreeMap::new();
        for (path, made) in identities {
            for claim in claims_of(made) {
                claims.entry(claim).or_default().push(path);
            }
        }
        let mut conflicts = Vec::new();
        for (claim, claimants) in claims.iter().filter(|(_, claimants)| claimants.len() > 1) {
            let had_it = |path: &&&String| {
                let old = self
                    .states
                    .get(**path)
                    .and_then(|state| state.made.as_ref());
                old.is_some_and(|old| claims_of(old).contains(claim))
            };
            let Some(winner) = claimants.iter().find(had_it).or(claimants.first()) else {
                continue;
            };
            for loser in claimants.iter().filter(|path| path != &winner) {
                conflicts.push(((*loser).clone(), (*winner).clone(), claim.1.clone()));
            }
        }
        conflicts.dedup_by(|one, other| one.0 == other.0);
        conflicts
    }

    fn are_same_identities(&self, readings: &[Reading]) -> bool {
        readings.iter().all(|reading| {
            let old = self
                .states
                .get(&reading.path)
                .and_then(|state| state.made.as_ref());
            let is_site = matches!(&reading.content, Some((ContentFile::Site(_), _)));
            !is_site && reading.content.as_ref().map(|(_, made)| made) == old
        })
    }

    fn directory_of(
        &self,
        identities: BTreeMap<String, Made>,
        paths: BTreeSet<String>,
        readings: &[Reading],
    ) -> Directory {
        let default_author = readings.iter().find_map(|reading| match &reading.content {
            Some((ContentFile::Site(file), _)) => Some(
                file.default_author
                    .as_ref()
                    .map(|author| author_name(author).0),
            ),
            _ => None,
        });
        let default_author = default_author
            .unwrap_or_else(|| self.directory.default_author_name().map(str::to_owned));
        Directory::new(paths, identities, default_author)
    }

    /// Reads files that did not change, but whose references now lead elsewhere.
    fn read_dependents(
        &self,
        readings: &mut Vec<Reading>,
        removed: &BTreeSet<String>,
        directory: &Directory,
        conditions: &Conditions,
    ) {
        let known: BTreeSet<&String> = readings.iter().map(|reading| &reading.path).collect();
        let dependents: Vec<(&String, &FileState)> = self
            .states
            .iter()
            .filter(|(path, _)| !known.contains(path) && !removed.contains(*path))
            .filter(|(path, state)| are_stale(path, &state.uses, directory))
            .collect();
        let read: Vec<Option<Reading>> = dependents
            .into_par_iter()
            .map(|(path, state)| self.read_again(path, state, conditions))
            .collect();
        readings.extend(read.into_iter().flatten());
    }

    fn read_again(
        &self,
        path: &str,
        state: &FileState,
        conditions: &Conditions,
    ) -> Option<Reading> {
        let bytes = crate::sources::tree::read(&self.root, path).ok()?;
        let reading = Reading {
            path: path.to_owned(),
            seen: state.seen,
            fingerprint: super::Fingerprint::of(&bytes, &super::reading_conditions(conditions)),
            source: None,
            content: None,
            diagnostics: Vec::new(),
        };
        Some(reading.parsed(&bytes, conditions))
    }

    fn convert_all(
        &self,
        readings: &mut [Reading],
        failed: &BTreeSet<String>,
        directory: &Directory,
        conditions: &Conditions,
    ) -> Vec<Ready> {
        readings
            .par_iter_mut()
            .map(|reading| {
                let old = self.states.get(&reading.path).cloned().unwrap_or_default();
                reading.convert(old, failed.contains(&reading.path), directory, conditions)
            })
            .collect()
    }
}

impl Reading {
    /// What the file makes. When it cannot be used, it counts as read, and what its last good version made stays.
    fn convert(
        &self,
        old: FileState,
        has_failed: bool,
        directory: &Directory,
        conditions: &Conditions,
    ) -> Ready {
        let mut diagnostics = self.diagnostics.clone();
        let converted = match (&self.content, &self.source) {
            (Some((file, made)), Some(source)) => {
                let (record, uses, problems) = convert(file, made, source, directory, conditions);
                diagnostics.extend(problems);
                record
                    .filter(|_| !has_failed)
                    .map(|record| (record, uses, made.clone()))
            }
            _ => None,
        };
        let state = FileState {
            seen: self.seen,
            fingerprint: self.fingerprint,
            has_problems: !diagnostics.is_empty(),
            ..old
        };
        match converted {
            Some((record, uses, made)) => Ready {
                path: self.path.clone(),
                state: FileState {
                    made: Some(made),
                    uses,
                    ..state
                },
                record: Some(record),
                diagnostics,
            },
            None => Ready {
                path: self.path.clone(),
                state,
                record: None,
                diagnostics,
            },
        }
    }

    fn conflict(&self, winner: &str, what: &str) -> Diagnostic {
        let message = format!("\"{what}\" is claimed by {winner} too");
        let advice = "give one of the two files another slug";
        match &self.source {
            Some(source) => {
                let start = source.text().find(what).unwrap_or(0);
                let end = if source.text()[start..].starts_with(what) {
                    start + what.len()
                } else {
                    start
                };
                source.error((start..end).into(), message, advice)
            }
            None => Diagnostic::about_file(&self.path, message, advice),
        }
    }
}

fn claims_of(made: &Made) -> [Claim; 2] {
    let namespace = made.namespace();
    [
        (namespace, made.slug.to_string()),
        (namespace, made.id.to_string()),
    ]
}
