//! Reconciles the site with a content folder: changed files are read, and their dependents read again, and all of it becomes
//! visible in one commit.
//!
//! A run has four steps: *scan* (which files changed), *read* (parse them), *agree* (conflicts of slugs, dangling references),
//! *apply* (one transaction with the records, Markdown rendered). The records of the last valid version of a file with an
//! error stay and the other files are applied, unless the folder is one [`Unit`], in which case nothing is applied. The state
//! is stored only if the commit succeeds.

mod accounts;
mod apply;
mod beside_edits;
mod compare;
mod conversions;
mod read;
mod records_without_file;
mod scan;
mod slugs;
mod unread;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

pub use apply::remembered_folder;
pub(super) use scan::FolderWalk;
pub use slugs::{SLUG_IS_TAKEN, candidates as slug_candidates, renamed};
pub use unread::{project_problems, unread_files};

use arc_swap::ArcSwap;
use conversions::AppliedFile;
use scan::FolderScan;

use crate::{
    content_files::{
        conditions::Conditions,
        edit_target::WriteBack,
        edits::WrittenEdits,
        folder_view::FolderView,
        history::History,
        layout::Layout,
        options::ContentFiles,
        report::ContentReport,
        site_file::SITE_FILES,
        state::{FileOutput, FileStat, FileState, LastRun, SharedUses, WrittenUses},
        symbol_table::Directory,
    },
    content_text::Diagnostic,
    error::{Kind, Result},
    progress::Progress,
    site::{LeasedSite, StoredRecord},
    store::Table,
};

/// Maximum number of restarts of a run because a file changed while it was being read.
const ATTEMPTS_MAX: usize = 5;

/// The unit that is applied or rejected as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Each file: the records of the last valid version of a file with an error stay, and the other files are applied. This is
    /// for folders that people write in, where some files are always unfinished.
    File,
    /// The whole folder: with an error in any file, or an unreadable one, nothing is applied. This is for commits.
    Folder,
}

/// A record that is stored in the same transaction.
#[derive(Clone, Debug)]
pub struct Mark {
    /// The key in the table of single records.
    pub key: &'static [u8],
    /// The value.
    pub value: serde_json::Value,
}

/// The outcome of a run.
#[derive(Debug)]
pub enum RunOutcome {
    /// The site agrees with the folder; these diagnostics are new.
    Applied(Vec<Diagnostic>),
    /// Nothing was applied because of these errors.
    Refused(Vec<Diagnostic>),
    /// Nothing was applied because an edit was saved after the waiting edits were put into the files: the files that were read
    /// do not have it, and the record would lose it.
    Overtaken,
}

/// The parameters of a run.
#[derive(Clone, Copy)]
struct RunParameters<'a> {
    hints: Option<&'a BTreeSet<String>>,
    unit: Unit,
    mark: Option<&'a Mark>,
    edits: Option<&'a WrittenEdits>,
    /// Whether the edits are done when the files are applied.
    ends_edits: bool,
    progress: &'a dyn Progress,
}

/// Reconciles a site with a content folder.
pub struct Reconciler {
    site: LeasedSite,
    root: PathBuf,
    /// A walk through the folder before the first run.
    first_walk: Option<FolderWalk>,
    /// The stored state of each content file, by path.
    states: BTreeMap<String, FileState>,
    /// The stored state of the last run.
    last_run: Option<LastRun>,
    /// The paths of all files at the last run of this process that changed something, and its stored state.
    last_paths: Option<(Arc<BTreeSet<String>>, LastRun)>,
    /// The records that could be referred to after the last run.
    directory: Arc<Directory>,
    has_run: bool,
    has_links: bool,
    walk_problems: Vec<Diagnostic>,
    /// Markdown files that are not served.
    unread: Vec<Diagnostic>,
    /// The diagnostics of files, by path, since the start.
    problems: BTreeMap<String, Vec<Diagnostic>>,
    /// The history of the files, if enabled.
    history: Option<Arc<History>>,
    /// The operator's settings of the folder.
    set: ContentFiles,
    /// The layout of the folder at the last run.
    layout: Arc<Layout>,
    /// The target of edits of posts.
    write_back: WriteBack,
    /// The view of the last run, for those who write files.
    view: Arc<ArcSwap<FolderView>>,
}

impl Reconciler {
    /// Loads the stored state of the folder `root`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn new(site: impl Into<LeasedSite>, root: PathBuf) -> Result<Self> {
        Self::with_history(site, root, None)
    }

    /// Loads the stored state of a folder with a history that supplies missing dates and authors.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn with_history(
        site: impl Into<LeasedSite>,
        root: PathBuf,
        history: Option<Arc<History>>,
    ) -> Result<Self> {
        let site = site.into();
        let last_run: Option<LastRun> = site.current().read(Table::Meta, apply::LAST_RUN_KEY)?;
        let has_history = history.is_some();
        let is_own_run = last_run.as_ref().is_some_and(|run| run.is_own(has_history));
        let mut states = Vec::new();
        let written = WrittenUses::default();
        let remembered = |stored: StoredRecord| {
            let state = stored.decode::<FileState<_>>()?.with_uses(&written);
            let mut state = state.map_err(|error| stored.unreadable(&error))?;
            state.seen = state.seen.filter(|_| is_own_run);
            Ok((String::from_utf8_lossy(stored.key).into_owned(), state))
        };
        site.current()
            .read_all(Table::SourceFiles, remembered, |state| states.push(state))?;
        Ok(Self {
            site,
            root,
            first_walk: None,
            states: states.into_iter().collect(),
            last_run,
            last_paths: None,
            directory: Arc::default(),
            has_run: false,
            has_links: false,
            walk_problems: Vec::new(),
            unread: Vec::new(),
            problems: BTreeMap::new(),
            history,
            set: ContentFiles::default(),
            layout: Arc::default(),
            write_back: WriteBack::Off,
            view: Arc::default(),
        })
    }

    /// Sets the operator's settings of the folder.
    pub fn with_content_files(self, set: ContentFiles) -> Self {
        Self { set, ..self }
    }

    /// Reads posts for editors, whose edits are written back.
    pub fn for_editing(self, write_back: WriteBack) -> Self {
        Self { write_back, ..self }
    }

    /// Publishes the view of each run there.
    pub fn with_view(self, view: Arc<ArcSwap<FolderView>>) -> Self {
        Self { view, ..self }
    }

    /// Returns the view of the last run.
    pub fn view(&self) -> Arc<ArcSwap<FolderView>> {
        Arc::clone(&self.view)
    }

    /// Uses a walk that was just made for the first run; every later change is reported.
    pub(super) fn after(self, walk: FolderWalk) -> Self {
        Self {
            first_walk: Some(walk),
            ..self
        }
    }

    /// Replaces the history for the next run.
    pub fn replace_history(&mut self, history: Option<Arc<History>>) {
        self.history = history;
    }

    /// Returns the layout of the folder at the last run.
    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns a line for each folder and reason with documents of which the generator itself builds no pages.
    pub fn ignored_files(&self) -> Vec<String> {
        let paths = self.directory.paths().iter().map(String::as_str);
        unread::ignored_files(&self.layout, paths)
    }

    /// Returns the state of the folder.
    pub fn report(&self) -> ContentReport {
        let of_files = self.problems.values().flatten();
        let of_folder = self.walk_problems.iter().chain(&self.unread);
        let mut problems: Vec<Diagnostic> = of_folder.chain(of_files).cloned().collect();
        problems.sort_by(|one, other| one.file.cmp(&other.file));
        ContentReport {
            files: self.states.len(),
            problems,
            failure: None,
            git: None,
            write_back: self.write_back,
            commits: None,
        }
    }

    /// Reconciles the site with the folder, and returns new diagnostics. `hints` are the paths of changed files, if no
    /// others changed; `None` scans the whole folder.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written. Then nothing changed, and a run with a full scan catches up.
    pub fn run(
        &mut self,
        hints: Option<&BTreeSet<String>>,
        progress: &dyn Progress,
    ) -> Result<Vec<Diagnostic>> {
        let order = RunParameters {
            hints,
            unit: Unit::File,
            mark: None,
            edits: None,
            ends_edits: false,
            progress,
        };
        match self.carry_out(&order)? {
            RunOutcome::Applied(news) => Ok(news),
            RunOutcome::Refused(_) | RunOutcome::Overtaken => {
                unreachable!("invariant: what is applied file by file, without edits, is applied")
            }
        }
    }

    /// Does the same with files that `edits` were put into. With `ends_edits`, the commit that has the files leaves the rests of
    /// them, so that a crash after it does not repeat them; the caller removes these, once editors see the new files.
    ///
    /// # Errors
    ///
    /// Those of [`run`](Self::run).
    pub fn run_with_edits(
        &mut self,
        hints: Option<&BTreeSet<String>>,
        edits: &WrittenEdits,
        ends_edits: bool,
        progress: &dyn Progress,
    ) -> Result<RunOutcome> {
        self.carry_out(&RunParameters {
            hints,
            unit: Unit::File,
            mark: None,
            edits: Some(edits),
            ends_edits,
            progress,
        })
    }

    /// Scans the whole folder and reconciles the site with it, file by file or as a whole according to `unit`, and stores
    /// `mark` in the same transaction, which also rebases `edits`, those that were put into the files.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written. Then nothing changed.
    pub fn take_over(
        &mut self,
        unit: Unit,
        mark: &Mark,
        edits: &WrittenEdits,
        progress: &dyn Progress,
    ) -> Result<RunOutcome> {
        self.carry_out(&RunParameters {
            hints: None,
            unit,
            mark: Some(mark),
            edits: Some(edits),
            ends_edits: false,
            progress,
        })
    }

    fn carry_out(&mut self, order: &RunParameters) -> Result<RunOutcome> {
        for _ in 1..ATTEMPTS_MAX {
            match self.run_once(order) {
                Err(error) if error.kind() == Kind::UpdateCollision => {}
                outcome => return outcome,
            }
        }
        self.run_once(order)
    }

    fn run_once(&mut self, order: &RunParameters) -> Result<RunOutcome> {
        let mut scan = self.scan(order.hints);
        if let Some(edits) = order.edits {
            scan.leave_as_they_are(&edits.held.paths);
        }
        let edited = order.edits.map(WrittenEdits::paths).unwrap_or_default();
        let (conditions, readings) = self.read(&mut scan, &edited);
        let agreement = self.agree(readings, &scan, &conditions);
        if order.unit == Unit::Folder {
            let of_walk = scan.problems.iter().flatten();
            let of_files = agreement.readings.changed.iter();
            let problems = of_walk.chain(of_files.flat_map(|reading| &reading.diagnostics));
            let errors: Vec<Diagnostic> =
                problems.filter(|found| found.is_error()).cloned().collect();
            if !errors.is_empty() {
                return Ok(RunOutcome::Refused(errors));
            }
        }
        Ok(match self.apply(agreement, &scan, &conditions, order)? {
            Ok(applied) => RunOutcome::Applied(self.remember(scan, conditions, applied)),
            Err(outcome) => outcome,
        })
    }

    /// Updates the state after a commit, and returns new diagnostics.
    fn remember(
        &mut self,
        scan: FolderScan,
        conditions: Conditions,
        applied: Vec<AppliedFile>,
    ) -> Vec<Diagnostic> {
        self.layout = Arc::clone(&scan.layout);
        self.view.store(Arc::new(FolderView {
            directory: Arc::clone(&self.directory),
            conditions,
        }));
        let mut news = Vec::new();
        if let Some(problems) = scan.problems {
            news.extend(unknown(&problems, &self.walk_problems));
            self.walk_problems = problems;
            self.has_links = scan.has_links;
        }
        if let Some(unread) = scan.unread {
            news.extend(unknown(&unread, &self.unread));
            self.unread = unread;
        }
        if !scan.removed.is_empty() && scan.removed.len() == self.states.len() && applied.is_empty()
        {
            tracing::warn!(
                files = scan.removed.len(),
                "all content files are gone, and their posts and pages with them; if the disk of the folder is not mounted, mount it, and they are back"
            );
        }
        for path in &scan.removed {
            self.states.remove(path);
            self.problems.remove(path);
        }
        let mut shared = SharedUses::default();
        for mut file in applied {
            shared.share(&mut file.state.uses);
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

/// Returns the diagnostics that are not among the known ones.
pub(super) fn unknown(problems: &[Diagnostic], known: &[Diagnostic]) -> Vec<Diagnostic> {
    let is_new = |problem: &&Diagnostic| !known.contains(problem);
    problems.iter().filter(is_new).cloned().collect()
}
