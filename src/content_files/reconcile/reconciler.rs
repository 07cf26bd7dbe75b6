//! The reconciler, which holds the state of a folder between runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

use arc_swap::ArcSwap;

use crate::{
    content_files::{
        edit_target::WriteBack,
        file_state::{FileState, LastRun, WrittenUses},
        folder_view::FolderView,
        history::History,
        layout::Layout,
        options::ContentFiles,
        reconcile::{folder_walk::FolderWalk, last_run::LAST_RUN_KEY, unread},
        report::ContentReport,
        symbol_table::Directory,
    },
    content_text::Diagnostic,
    error::Result,
    site::{LeasedSite, StoredRecord},
    store::Table,
};

/// Reconciles a site with a content folder.
pub struct Reconciler {
    pub(super) site: LeasedSite,
    pub(super) root: PathBuf,
    /// A walk through the folder before the first run.
    pub(super) first_walk: Option<FolderWalk>,
    /// The stored state of each content file, by path.
    pub(super) states: BTreeMap<String, FileState>,
    /// The stored state of the last run.
    pub(super) last_run: Option<LastRun>,
    /// The paths of all files at the last run of this process that changed something, and its stored state.
    pub(super) last_paths: Option<(Arc<BTreeSet<String>>, LastRun)>,
    /// The records that could be referred to after the last run.
    pub(super) directory: Arc<Directory>,
    pub(super) has_run: bool,
    pub(super) has_links: bool,
    pub(super) walk_problems: Vec<Diagnostic>,
    /// Markdown files that are not served.
    pub(super) unread: Vec<Diagnostic>,
    /// The diagnostics of files, by path, since the start.
    pub(super) problems: BTreeMap<String, Vec<Diagnostic>>,
    /// The history of the files, if enabled.
    pub(super) history: Option<Arc<History>>,
    /// The operator's settings of the folder.
    pub(super) options: ContentFiles,
    /// The layout of the folder at the last run.
    pub(super) layout: Arc<Layout>,
    /// The target of edits of posts.
    pub(super) write_back: WriteBack,
    /// The view of the last run, for the code that writes files.
    pub(super) view: Arc<ArcSwap<FolderView>>,
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
        let last_run: Option<LastRun> = site.current().read(Table::Meta, LAST_RUN_KEY)?;
        let has_history = history.is_some();
        let is_own_run = last_run.as_ref().is_some_and(|run| run.is_own(has_history));
        let mut states = Vec::new();
        let written = WrittenUses::default();
        let remembered = |stored: StoredRecord| {
            let state = stored.decode::<FileState<_>>()?.with_uses(&written);
            let mut state = state.map_err(|error| stored.unreadable(&error))?;
            // Another version may convert the same file differently, so all files are read again.
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
            options: ContentFiles::default(),
            layout: Arc::default(),
            write_back: WriteBack::Off,
            view: Arc::default(),
        })
    }

    /// Sets the operator's settings of the folder.
    pub fn with_content_files(self, options: ContentFiles) -> Self {
        Self { options, ..self }
    }

    /// Reads posts for editors, whose edits are written back.
    pub fn for_editing(self, write_back: WriteBack) -> Self {
        Self { write_back, ..self }
    }

    /// Publishes the view of each run in `view`.
    pub fn with_view(self, view: Arc<ArcSwap<FolderView>>) -> Self {
        Self { view, ..self }
    }

    /// Returns the view of the last run.
    pub fn view(&self) -> Arc<ArcSwap<FolderView>> {
        Arc::clone(&self.view)
    }

    /// Uses `walk` for the first run. All changes since must be reported as hints of later runs.
    pub(in crate::content_files) fn after(self, walk: FolderWalk) -> Self {
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

    /// Returns a line for each folder and reason with documents from which the generator itself builds no pages.
    pub fn ignored_files(&self) -> Vec<String> {
        let paths = self.directory.paths().iter().map(String::as_str);
        unread::ignored_files(&self.layout, paths)
    }

    /// Returns why the folder has no content, if it is read as a project without documents.
    pub fn absence(&self) -> Option<String> {
        let paths = self.directory.paths().iter().map(String::as_str);
        let is_empty = self.states.is_empty();
        is_empty.then(|| self.layout.absence(paths)).flatten()
    }

    /// Returns the state of the folder.
    pub fn report(&self) -> ContentReport {
        let of_files = self.problems.values().flatten();
        let of_folder = self.walk_problems.iter().chain(&self.unread);
        let mut problems: Vec<Diagnostic> = of_folder.chain(of_files).cloned().collect();
        // The sort is stable, so the diagnostics of a file stay in their order.
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
}
