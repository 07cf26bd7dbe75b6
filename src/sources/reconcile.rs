//! Makes the site agree with a content folder: what changed is read, what depends on it is read again, and all of it
//! becomes visible in one commit.
//!
//! A run goes through four steps: *look* (which files changed), *read* (parse them), *agree* (two files that claim one
//! slug, names that lead nowhere), *apply* (one transaction with what they make, Markdown rendered). A file with an error
//! keeps what its last good version made; the others go on. Nothing is remembered unless the commit took hold.

mod accounts;
mod agree;
mod apply;
mod fileless;
mod look;
mod read;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use apply::Applied;
use look::Look;

use super::{
    Diagnostic,
    directory::Directory,
    records::Conditions,
    state::{FileState, LastRun, Made, Seen},
};
use crate::{
    error::{Kind, Result},
    site::Site,
    store::Table,
};

/// How often a run begins anew because a file was changed while it was being read.
const ATTEMPTS_MAX: usize = 5;

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
    /// What is remembered of each content file, by path.
    states: BTreeMap<String, FileState>,
    /// What the store remembers of the last run.
    last_run: Option<LastRun>,
    /// What could be referred to after the last run.
    directory: Arc<Directory>,
    has_run: bool,
    has_links: bool,
    walk_problems: Vec<Diagnostic>,
    /// What is wrong with the files, by path, as far as it was found since the start.
    problems: BTreeMap<String, Vec<Diagnostic>>,
}

impl Reconciler {
    /// Begins with what the store remembers of the folder `root`.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn new(site: Arc<Site>, root: PathBuf) -> Result<Self> {
        let last_run: Option<LastRun> = site.current().read(Table::Meta, apply::LAST_RUN_KEY)?;
        let is_own_run = last_run.as_ref().is_some_and(LastRun::is_own);
        let mut states = BTreeMap::new();
        site.current()
            .visit(Table::SourceFiles, |key, mut state: FileState| {
                state.seen = state.seen.filter(|_| is_own_run);
                // Lists that were read from JSON have room for up to twice as many.
                state.uses.shrink_to_fit();
                states.insert(String::from_utf8_lossy(key).into_owned(), state);
                Ok(())
            })?;
        Ok(Self {
            site,
            root,
            states,
            last_run,
            directory: Arc::default(),
            has_run: false,
            has_links: false,
            walk_problems: Vec::new(),
            problems: BTreeMap::new(),
        })
    }

    /// What is known of the folder.
    pub fn report(&self) -> ContentReport {
        let of_files = self.problems.values().flatten();
        let mut problems: Vec<Diagnostic> =
            self.walk_problems.iter().chain(of_files).cloned().collect();
        problems.sort_by(|one, other| one.file.cmp(&other.file));
        ContentReport {
            files: self.states.len(),
            problems,
        }
    }

    /// Makes the site agree with the folder, and tells what is newly wrong. `hints` are files that may have changed, when
    /// nothing else did; `None` looks at the whole folder.
    ///
    /// # Errors
    ///
    /// When the store cannot be read or written. Then nothing changed, and a run that looks at the whole folder catches up.
    pub fn run(
        &mut self,
        hints: Option<&BTreeSet<String>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Diagnostic>> {
        for _ in 1..ATTEMPTS_MAX {
            match self.run_once(hints, progress) {
                Err(error) if error.kind() == Kind::UpdateCollision => {}
                outcome => return outcome,
            }
        }
        self.run_once(hints, progress)
    }

    fn run_once(
        &mut self,
        hints: Option<&BTreeSet<String>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Diagnostic>> {
        let mut look = self.look(hints);
        let (conditions, readings) = self.read(&mut look);
        let agreement = self.agree(readings, &look, &conditions);
        let applied = self.apply(agreement, &look, &conditions, progress)?;
        Ok(self.remember(look, applied))
    }

    /// Takes over what was committed, and tells the problems that were not known before.
    fn remember(&mut self, look: Look, applied: Vec<Applied>) -> Vec<Diagnostic> {
        let mut news = Vec::new();
        if let Some(problems) = look.problems {
            news.extend(unknown(&problems, &self.walk_problems));
            self.walk_problems = problems;
            self.has_links = look.has_links;
        }
        for path in &look.removed {
            self.states.remove(path);
            self.problems.remove(path);
        }
        for file in applied {
            let known = self.problems.remove(&file.path).unwrap_or_default();
            news.extend(unknown(&file.diagnostics, &known));
            if !file.diagnostics.is_empty() {
                self.problems.insert(file.path.clone(), file.diagnostics);
            }
            self.states.insert(file.path, file.state);
        }
        news
    }
}

/// Problems that are not among the known ones.
fn unknown(problems: &[Diagnostic], known: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_new = |problem: &&Diagnostic| !known.contains(problem);
    problems.iter().filter(is_new).cloned().collect()
}
