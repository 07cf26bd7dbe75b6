//! Reads changed files: the site file first, because its time zone affects dates.

use std::{collections::BTreeSet, sync::Arc};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::{
    content_files::{
        file_state::{FileOutput, Fingerprint, Inclusion},
        folder_files,
        identity::identity,
        linker::{Requirement, needs},
        parsed_file::ContentFile,
        reconcile::{Conditions, FileStat, Reconciler, SITE_FILES, scan::FolderScan},
    },
    content_text::{Diagnostic, Source},
    domain::setting::{DEFAULT_TIERS, Settings},
    error::{Error, Kind, Result},
};

/// A file that was read in this run. It is parsed again for the conversion, so that not all documents are held in memory
/// while conflicts are resolved.
pub struct FileReading {
    /// Its path.
    pub path: String,
    /// Its metadata.
    pub seen: Option<FileStat>,
    /// The fingerprint of its content.
    pub fingerprint: Fingerprint,
    /// The identity of its record; `None` if it is unusable.
    pub output: Option<Arc<FileOutput>>,
    /// Whether it is valid but has no record.
    pub is_left_out: bool,
    /// The paths that were searched for included files.
    pub inclusions: Box<[Inclusion]>,
    /// References that must be resolved for it to be usable.
    pub needs: Vec<Requirement>,
    /// The settings, if it is the site file.
    pub settings: Option<Settings>,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// The readings of all files that may have changed.
#[derive(Default)]
pub struct FileReadings {
    /// Changed files.
    pub changed: Vec<FileReading>,
    /// Unchanged files, with their metadata for the next scan.
    pub same: Vec<(String, Option<FileStat>)>,
}

enum ReadOutcome {
    Changed(FileReading),
    Same(String, Option<FileStat>),
    /// Deleted since it was listed; the next scan reports it.
    Gone,
}

impl Reconciler {
    /// Reads the files of `scan`; all files if the site file changes how they are read. Files in `edited` always count as
    /// changed: the site has the edits, so their records must be replaced even if the files were reverted to their known
    /// versions since.
    pub(super) fn read(
        &self,
        scan: &mut FolderScan,
        edited: &BTreeSet<&str>,
    ) -> (Conditions, FileReadings) {
        let current = self.conditions().with_layout(Arc::clone(&scan.layout));
        let mut readings = FileReadings::default();
        for site_file in SITE_FILES {
            if let Some((path, seen)) = scan.changed.remove_entry(*site_file) {
                readings.add(self.read_file(path, seen, edited, &current));
            }
        }
        let conditions = self
            .conditions_after(&readings.changed, &scan.removed)
            .with_layout(Arc::clone(&scan.layout));
        if !conditions.read_alike(&current) {
            // A new time zone or default changes the records of unchanged files, too.
            *scan = self.rescan();
            scan.changed
                .retain(|path, _| !SITE_FILES.contains(&path.as_str()));
        }
        let files: Vec<(String, Option<FileStat>)> =
            std::mem::take(&mut scan.changed).into_iter().collect();
        let outcomes: Vec<ReadOutcome> = files
            .into_par_iter()
            .map(|(path, seen)| self.read_file(path, seen, edited, &conditions))
            .collect();
        outcomes
            .into_iter()
            .for_each(|outcome| readings.add(outcome));
        (conditions, readings)
    }

    fn read_file(
        &self,
        path: String,
        seen: Option<FileStat>,
        edited: &BTreeSet<&str>,
        conditions: &Conditions,
    ) -> ReadOutcome {
        let bytes = match folder_files::read(&self.root, &path) {
            Ok(bytes) => bytes,
            Err(_) if !self.root.join(&path).exists() => return ReadOutcome::Gone,
            Err(diagnostic) => return ReadOutcome::Changed(FileReading::failed(path, diagnostic)),
        };
        let fingerprint = conditions.fingerprint(&path, &bytes);
        let settled = self.settled(&path);
        let unedited = settled.filter(|_| !edited.contains(&*path));
        let is_same = unedited.is_some_and(|known| {
            known.fingerprint == fingerprint && conditions.include_the_same(&known.inclusions)
        });
        if is_same {
            ReadOutcome::Same(path, seen)
        } else {
            let reading = FileReading::parse(path, seen, fingerprint, &bytes, conditions);
            // Otherwise a slug that was assigned because of a conflict would look like a new
            // identity.
            ReadOutcome::Changed(self.with_known_slug(reading))
        }
    }

    /// Reads an unchanged file again for its conversion. `None` if it has changed, which the next scan reports.
    pub(super) fn read_again(&self, path: &str, conditions: &Conditions) -> Option<FileReading> {
        let known = self.states.get(path)?;
        let bytes = folder_files::read(&self.root, path).ok()?;
        let fingerprint = conditions.fingerprint(path, &bytes);
        let is_same = fingerprint == known.fingerprint;
        let parse =
            || FileReading::parse(path.to_owned(), known.seen, fingerprint, &bytes, conditions);
        is_same
            .then(parse)
            .map(|reading| self.with_known_slug(reading))
    }

    /// Returns the parsed file, with its text.
    ///
    /// # Errors
    ///
    /// `UpdateCollision` if it has changed since it was read.
    pub(super) fn content(
        &self,
        reading: &FileReading,
        conditions: &Conditions,
    ) -> Result<(ContentFile, Source)> {
        let read = || {
            let bytes = folder_files::read(&self.root, &reading.path).ok()?;
            let is_same = conditions.fingerprint(&reading.path, &bytes) == reading.fingerprint;
            let parsed = is_same.then(|| conditions.parse(&reading.path, &bytes))?;
            // An included file may have changed instead.
            (parsed.inclusions == reading.inclusions).then_some(())?;
            Some((parsed.value?, parsed.source?))
        };
        read().ok_or_else(|| {
            let message = format!("{} was changed while it was being read.", reading.path);
            Error::new(Kind::UpdateCollision, message)
        })
    }

    /// Returns the conditions of the site's current settings.
    fn conditions(&self) -> Conditions {
        let settings = &self.site.current().catalog.settings;
        self.conditions_of(settings)
    }

    /// Returns the conditions of `settings`, with the site's current default tiers, which files cannot set.
    fn conditions_of(&self, settings: &Settings) -> Conditions {
        let tiers = self
            .site
            .current()
            .catalog
            .settings
            .get(DEFAULT_TIERS)
            .into_owned();
        let settings = settings.clone().with(DEFAULT_TIERS, tiers);
        Conditions::of(&settings, self.site.now())
            .with_history(self.history.clone())
            .with_folder(&self.root)
            .for_editing(self.write_back.writes_files())
            .with_themes(self.site.theme_packages())
    }

    /// Returns the conditions after the site file, if it is among the readings, is applied.
    fn conditions_after(&self, readings: &[FileReading], removed: &BTreeSet<String>) -> Conditions {
        let in_force = |path: &str| {
            self.states
                .get(path)
                .is_some_and(|state| state.output.is_some())
        };
        // Only one site file counts: the one that is in force, else the first that is valid.
        let is_free = |path: &str| {
            let mut others = SITE_FILES.iter().filter(|other| **other != path);
            !others.any(|other| in_force(other) && !removed.contains(*other))
        };
        let new = readings
            .iter()
            .filter(|reading| is_free(&reading.path))
            .find_map(|reading| reading.settings.as_ref());
        let is_removed =
            |path: &&str| in_force(path) && removed.iter().any(|removed| removed == path);
        match new {
            Some(settings) => self.conditions_of(settings),
            None if SITE_FILES.iter().any(is_removed) => self.conditions_of(&Settings::default()),
            None => self.conditions(),
        }
    }
}

impl FileReadings {
    fn add(&mut self, outcome: ReadOutcome) {
        match outcome {
            ReadOutcome::Changed(reading) => self.changed.push(reading),
            ReadOutcome::Same(path, seen) => self.same.push((path, seen)),
            ReadOutcome::Gone => {}
        }
    }
}

impl FileReading {
    fn parse(
        path: String,
        seen: Option<FileStat>,
        fingerprint: Fingerprint,
        bytes: &[u8],
        conditions: &Conditions,
    ) -> Self {
        let parsed = conditions.parse(&path, bytes);
        let needs = match (&parsed.value, &parsed.source) {
            (Some(file), Some(source)) => needs(file, source),
            _ => Vec::new(),
        };
        let settings = match &parsed.value {
            Some(ContentFile::Site(file)) => {
                Some(Settings::new(file.settings.clone().into_iter().collect()))
            }
            _ => None,
        };
        Self {
            path,
            seen,
            fingerprint,
            output: parsed.value.as_ref().map(identity).map(Arc::new),
            is_left_out: parsed.left_out.is_some(),
            inclusions: parsed.inclusions,
            needs,
            settings,
            diagnostics: parsed.diagnostics,
        }
    }

    /// Creates the reading of an unreadable file, without metadata, so that it is read again at every scan.
    fn failed(path: String, diagnostic: Diagnostic) -> Self {
        Self {
            path,
            seen: None,
            fingerprint: Fingerprint::default(),
            output: None,
            is_left_out: false,
            inclusions: Box::default(),
            needs: Vec::new(),
            settings: None,
            diagnostics: vec![diagnostic],
        }
    }

    /// Marks the file as unusable.
    pub fn fail(&mut self, problems: impl IntoIterator<Item = Diagnostic>) {
        self.output = None;
        self.diagnostics.extend(problems);
    }
}
