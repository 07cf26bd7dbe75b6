//! Makes the site agree with a content folder: what changed is read, what depends on it is read again, and all of it
//! becomes visible in one commit.
//!
//! A run goes through five steps: *look* (which files changed), *read* (parse them), *agree* (two files that claim one slug,
//! names that lead nowhere), *convert* (records, with Markdown rendered), *apply* (one transaction). A file with an error
//! keeps what its last good version made; the others go on. Nothing is remembered unless the commit took hold.

mod agree;
mod apply;
mod look;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::{
    ContentFile, Context, Diagnostic, Source,
    directory::Directory,
    parse,
    records::{self, Conditions, Record},
    state::{FileState, Fingerprint, Made, Seen, Use},
    tree,
};
use crate::{error::Result, site::Site, store::Table};

/// Changes when content files are read differently than before, so that all are read again.
const READER: &str = concat!("galley ", env!("CARGO_PKG_VERSION"), " reader 1");

/// The path of the site's own file, by which the others are read.
const SITE_FILES: &[&str] = &["site.toml", "site.yaml", "site.yml"];

/// Is told how far a long run is.
pub trait Progress: Sync {
    /// So many files are to be read.
    fn begin(&self, files: usize);
    /// One of them was read.
    fn advance(&self);
    /// All were read.
    fn finish(&self);
}

/// Tells nobody.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _files: usize) {}
    fn advance(&self) {}
    fn finish(&self) {}
}

/// What is known of a content folder after a run.
#[derive(Clone, Debug, Default)]
pub struct ContentReport {
    /// Content files in the folder.
    pub files: usize,
    /// What is wrong with them, by path.
    pub problems: Vec<Diagnostic>,
}

impl ContentReport {
    /// Whether something keeps a file from being used.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Diagnostic::is_error)
    }
}

/// Keeps a site in agreement with a content folder.
pub struct Reconciler {
    site: Arc<Site>,
    root: PathBuf,
    states: BTreeMap<String, FileState>,
    paths: BTreeSet<String>,
    directory: Directory,
    walk_problems: Vec<Diagnostic>,
    problems: BTreeMap<String, Vec<Diagnostic>>,
}

/// A file that is being read in this run.
struct Reading {
    path: String,
    seen: Option<Seen>,
    fingerprint: Fingerprint,
    source: Option<Source>,
    /// What it says, and what that will make; `None` when there is an error.
    content: Option<(ContentFile, Made)>,
    diagnostics: Vec<Diagnostic>,
}

/// A file that was read, and what it makes.
struct Ready {
    path: String,
    state: FileState,
    record: Option<Record>,
    diagnostics: Vec<Diagnostic>,
}

impl Reconciler {
    /// Begins with what the store remembers of the folder `root`.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn new(site: Arc<Site>, root: PathBuf) -> Result<Self> {
        let mut states = BTreeMap::new();
        site.current().visit(Table::SourceFiles, |key, state| {
            states.insert(String::from_utf8_lossy(key).into_owned(), state);
            Ok(())
        })?;
        Ok(Self {
            site,
            root,
            states,
            paths: BTreeSet::new(),
            directory: Directory::default(),
            walk_problems: Vec::new(),
            problems: BTreeMap::new(),
        })
    }

    /// What is known of the folder.
    pub fn report(&self) -> ContentReport {
        let of_files = self.problems.values().flatten().cloned();
        ContentReport {
            files: self.states.len(),
            problems: self.walk_problems.iter().cloned().chain(of_files).collect(),
        }
    }

    /// Makes the site agree with the folder, and tells what is newly wrong. `hints` are files that may have changed, when
    /// nothing else did; `None` looks at the whole folder.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written. Then nothing changed, and the next run tries again.
    pub fn run(
        &mut self,
        hints: Option<&BTreeSet<String>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Diagnostic>> {
        let look = self.look(hints);
        let (conditions, readings) = self.read(&look, progress);
        let has_walked = look.paths.is_some();
        let paths = look.paths.unwrap_or_else(|| self.paths.clone());
        let is_first = self.paths.is_empty();
        let mut agreement = self.agree(readings, &look.removed, paths, &conditions);
        let applied = self.apply(&mut agreement, &look.removed, is_first)?;

        let news = self.remember(agreement, applied, &look.removed);
        if has_walked {
            self.walk_problems = look.problems;
        }
        Ok(news)
    }

    /// Reads and parses, the site's own file first: the time zone that it names decides what dates mean.
    fn read(&self, look: &look::Look, progress: &dyn Progress) -> (Conditions, Vec<Reading>) {
        let (site_files, files): (Vec<_>, Vec<_>) = look
            .changed
            .iter()
            .partition(|(path, _)| SITE_FILES.contains(&path.as_str()));
        let current = self.conditions();
        let mut readings: Vec<Reading> = site_files
            .iter()
            .filter_map(|(path, seen)| self.read_file(path, **seen, &current))
            .collect();
        let conditions = self.conditions_after(&readings, &look.removed);
        let all;
        let files: Vec<(&String, Option<Seen>)> = if same_reading(&current, &conditions) {
            files
                .into_iter()
                .map(|(path, seen)| (path, *seen))
                .collect()
        } else {
            all = self.paths_to_read(look);
            all.iter().map(|path| (path, None)).collect()
        };
        progress.begin(files.len());
        let others: Vec<Option<Reading>> = files
            .into_par_iter()
            .map(|(path, seen)| {
                let reading = self.read_file(path, seen, &conditions);
                progress.advance();
                reading
            })
            .collect();
        progress.finish();
        readings.extend(others.into_iter().flatten());
        (conditions, readings)
    }

    /// Reads one file; `None` when it is as it was.
    fn read_file(
        &self,
        path: &str,
        seen: Option<Seen>,
        conditions: &Conditions,
    ) -> Option<Reading> {
        let mut reading = Reading {
            path: path.to_owned(),
            seen,
            fingerprint: Fingerprint::default(),
            source: None,
            content: None,
            diagnostics: Vec::new(),
        };
        let bytes = match tree::read(&self.root, path) {
            Ok(bytes) => bytes,
            Err(diagnostic) => {
                reading.diagnostics.push(diagnostic);
                return Some(reading);
            }
        };
        reading.fingerprint = Fingerprint::of(&bytes, &reading_conditions(conditions));
        let known = self.states.get(path);
        if known
            .is_some_and(|known| known.fingerprint == reading.fingerprint && !known.has_problems)
        {
            return None;
        }
        Some(reading.parsed(&bytes, conditions))
    }

    /// How files are read as the site is.
    fn conditions(&self) -> Conditions {
        let settings = &self.site.current().catalog.settings;
        Conditions {
            time_zone: settings.time_zone(),
            default_visibility: settings.default_visibility(),
            now: self.site.now(),
        }
    }

    /// How files are read once the site's own file, if it is among those read, holds.
    fn conditions_after(&self, readings: &[Reading], removed: &BTreeSet<String>) -> Conditions {
        let mut settings = crate::domain::setting::Settings::default();
        let file = readings.iter().find_map(|reading| match &reading.content {
            Some((ContentFile::Site(file), _)) => Some(file),
            _ => None,
        });
        match file {
            Some(file) => file
                .settings
                .iter()
                .for_each(|(key, value)| settings.set(key, value.clone())),
            None if SITE_FILES.iter().any(|path| removed.contains(*path)) => {}
            None => return self.conditions(),
        }
        Conditions {
            time_zone: settings.time_zone(),
            default_visibility: settings.default_visibility(),
            now: self.site.now(),
        }
    }

    /// All content files but the site's own, when each must be read anew.
    fn paths_to_read(&self, look: &look::Look) -> Vec<String> {
        look.paths
            .as_ref()
            .unwrap_or(&self.paths)
            .iter()
            .filter(|path| super::kind_of(path).is_some() && !SITE_FILES.contains(&path.as_str()))
            .cloned()
            .collect()
    }

    /// Takes over what was committed, and tells the problems that were not known before.
    fn remember(
        &mut self,
        agreement: agree::Agreement,
        applied: Vec<(String, FileState)>,
        removed: &BTreeSet<String>,
    ) -> Vec<Diagnostic> {
        for path in removed {
            self.states.remove(path);
            self.problems.remove(path);
        }
        self.states.extend(applied);
        self.paths = agreement.paths;
        self.directory = agreement.directory;
        let mut news = Vec::new();
        for ready in agreement.ready {
            let known = self.problems.remove(&ready.path).unwrap_or_default();
            news.extend(
                ready
                    .diagnostics
                    .iter()
                    .filter(|problem| !known.contains(problem))
                    .cloned(),
            );
            if !ready.diagnostics.is_empty() {
                self.problems.insert(ready.path, ready.diagnostics);
            }
        }
        news
    }
}

impl Reading {
    fn parsed(mut self, bytes: &[u8], conditions: &Conditions) -> Self {
        let context = Context {
            time_zone: conditions.time_zone.clone(),
        };
        let parsed = parse(&self.path, bytes, &context);
        self.source = parsed.source;
        self.diagnostics = parsed.diagnostics;
        self.content = parsed.value.map(|file| {
            let made = records::identity(&file);
            (file, made)
        });
        self
    }
}

/// Whether two sets of conditions read files alike; the time does not count, it is looked at when it matters.
fn same_reading(one: &Conditions, other: &Conditions) -> bool {
    reading_conditions(one) == reading_conditions(other)
}

fn reading_conditions(conditions: &Conditions) -> String {
    let zone = conditions.time_zone.iana_name().unwrap_or("UTC");
    format!("{READER}\n{zone}\n{}", conditions.default_visibility.name())
}

/// References that lead elsewhere than they did.
fn are_stale(path: &str, uses: &[Use], directory: &Directory) -> bool {
    uses.iter()
        .any(|used| directory.lead(path, &used.target) != *used.led_to)
}
