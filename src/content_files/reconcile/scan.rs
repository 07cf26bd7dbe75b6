//! Determines which files changed: by their metadata if that is reliable, else by reading them.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io::ErrorKind,
    sync::Arc,
};

use jiff::Timestamp;

use crate::{
    content_files::{
        file_state::{FileState, Fingerprint, Inclusion},
        folder_files::{self, TreeFile},
        inclusions::IncludedFiles,
        layout::Layout,
        project::Project,
        reconcile::{
            FileStat, Reconciler, SITE_FILES,
            folder_walk::FolderWalk,
            unread::{project_problems, unread_files},
        },
    },
    content_text::Diagnostic,
};

/// The result of a scan.
pub struct FolderScan {
    /// Content files that may have changed, with their metadata for the next scan.
    pub changed: BTreeMap<String, Option<FileStat>>,
    /// Removed files.
    pub removed: BTreeSet<String>,
    /// All files of the folder.
    pub paths: Arc<BTreeSet<String>>,
    /// Diagnostics of unreadable paths, after a full scan.
    pub problems: Option<Vec<Diagnostic>>,
    /// Markdown files that are not served, after a full scan.
    pub unread: Option<Vec<Diagnostic>>,
    /// Whether some files are reached by symbolic links.
    pub has_links: bool,
    /// The layout of the folder.
    pub layout: Arc<Layout>,
}

impl FolderScan {
    /// Drops changes of the files at these paths: their records remain, whatever the folder contains there.
    pub fn leave_as_they_are(&mut self, paths: &BTreeSet<String>) {
        for path in paths {
            self.changed.remove(path);
            if self.removed.remove(path) {
                Arc::make_mut(&mut self.paths).insert(path.clone());
            }
        }
    }
}

/// The files that are read again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RereadScope {
    Changed,
    All,
}

impl Reconciler {
    /// Scans the hinted files, or the whole folder without sufficient hints.
    pub(super) fn scan(&mut self, hints: Option<&BTreeSet<String>>) -> FolderScan {
        // The first walk is valid for the first scan only; later it is outdated.
        let first = self.first_walk.take();
        let hinted = hints.and_then(|hints| self.scan_hinted(hints));
        hinted.unwrap_or_else(|| {
            let walk = first.unwrap_or_else(|| FolderWalk::through(&self.root));
            self.scan_all(walk, RereadScope::Changed)
        })
    }

    /// Scans the whole folder, with every file to be read.
    pub(super) fn rescan(&self) -> FolderScan {
        self.scan_all(FolderWalk::through(&self.root), RereadScope::All)
    }

    /// Scans a few paths. `None` if a full scan is necessary: for files that may affect the layout, for added and removed
    /// files, and if a link may point to one of the paths.
    fn scan_hinted(&self, hints: &BTreeSet<String>) -> Option<FolderScan> {
        if self.has_links || !self.has_run {
            return None;
        }
        // Before the metadata is read, so that a file that is written meanwhile counts as
        // unsettled.
        let now_ns = Timestamp::now().as_nanosecond();
        let paths = self.directory.paths();
        let mut changed = BTreeMap::new();
        for path in hints {
            if Project::depends_on(path) || SITE_FILES.contains(&path.as_str()) {
                return None;
            }
            match folder_files::file_at(&self.root, path) {
                Some(file) if paths.contains(path) => {
                    if self.layout.kind_of(path).is_some() {
                        changed.insert(path.clone(), FileStat::of(&file, now_ns));
                    }
                    for document in self.including(path) {
                        let file = folder_files::file_at(&self.root, document)?;
                        changed.insert(document.clone(), FileStat::of(&file, now_ns));
                    }
                }
                None if self.is_nothing(path) => {}
                // A file was added or removed, or a link is on the way to it: only a full scan
                // handles that.
                _ => return None,
            }
        }
        Some(FolderScan {
            changed,
            removed: BTreeSet::new(),
            paths: Arc::clone(paths),
            problems: None,
            unread: None,
            has_links: false,
            layout: Arc::clone(&self.layout),
        })
    }

    /// Returns the documents that searched for an included file at `path`.
    fn including(&self, path: &str) -> impl Iterator<Item = &String> {
        let includes = move |state: &FileState| {
            let mut inclusions = state.inclusions.iter();
            inclusions.any(|inclusion| *inclusion.path == *path)
        };
        let documents = self.states.iter();
        documents.filter_map(move |(document, state)| includes(state).then_some(document))
    }

    /// Returns whether a path is and was absent, such as a temporary file that has replaced its target.
    fn is_nothing(&self, path: &str) -> bool {
        let paths = self.directory.paths();
        let folder = format!("{path}/");
        let mut from_folder = paths.range(folder.clone()..);
        let was_folder = from_folder
            .next()
            .is_some_and(|next| next.starts_with(&folder));
        let metadata = self.root.join(path).symlink_metadata();
        let is_gone = metadata.is_err_and(|error| error.kind() == ErrorKind::NotFound);
        // If some paths were unreadable, this path may be one of them.
        let all_were_listed = self.walk_problems.is_empty();
        is_gone && all_were_listed && !paths.contains(path) && !was_folder
    }

    fn scan_all(&self, walk: FolderWalk, reread: RereadScope) -> FolderScan {
        let FolderWalk { began_at_ns, tree } = walk;
        let listed = || tree.files.iter().map(|file| file.path.as_str());
        let layout = Layout::of_content(
            &self.root,
            listed(),
            &self.options.clone().or_of_site(&self.root),
        );
        let is_same_layout = self
            .known_layout()
            .is_some_and(|known| known == layout.fingerprint_text());
        let included_files = IncludedFiles::of(&self.root);
        // A file that many documents include is read once.
        let mut included: HashMap<&str, Fingerprint> = HashMap::new();
        let mut include_the_same = |path: &str| {
            let known = self.states.get(path);
            let mut inclusions = known.iter().flat_map(|known| &known.inclusions);
            inclusions.all(|Inclusion { path, content }| {
                let state = included.entry(path);
                state.or_insert_with(|| included_files.state(path)) == content
            })
        };
        let mut is_unchanged = |file: &TreeFile, seen| {
            reread == RereadScope::Changed
                && is_same_layout
                && self.is_unchanged(file, seen)
                && include_the_same(&file.path)
        };
        let changed = tree
            .files
            .iter()
            .filter(|file| layout.kind_of(&file.path).is_some())
            .map(|file| (file, FileStat::of(file, began_at_ns)))
            .filter(|(file, seen)| !is_unchanged(file, *seen))
            .map(|(file, seen)| (file.path.clone(), seen))
            .collect();
        let mut unread = unread_files(&self.root, &layout, listed());
        unread.extend(project_problems(&layout));
        let mut paths: BTreeSet<String> = tree.files.into_iter().map(|file| file.path).collect();
        if tree.is_partial {
            // Records of unreadable files are not deleted.
            paths.extend(self.directory.paths().iter().cloned());
            paths.extend(self.states.keys().cloned());
        }
        let is_gone = |path: &&String| !paths.contains(*path) || layout.kind_of(path).is_none();
        FolderScan {
            changed,
            removed: self.states.keys().filter(is_gone).cloned().collect(),
            paths: Arc::new(paths),
            problems: Some(tree.diagnostics),
            unread: Some(unread),
            has_links: tree.has_links,
            layout: Arc::new(layout),
        }
    }

    /// Returns the fingerprint text of the layout with which the known files were read; `None` before the first run of any
    /// process.
    fn known_layout(&self) -> Option<&str> {
        if self.has_run {
            Some(self.layout.fingerprint_text())
        } else {
            self.last_run.as_ref().map(|run| run.layout.as_str())
        }
    }

    fn is_unchanged(&self, file: &TreeFile, seen: Option<FileStat>) -> bool {
        let known = self.settled(&file.path);
        // The history of a file changes without the file.
        self.history.is_none() && seen.is_some() && known.is_some_and(|known| known.seen == seen)
    }

    /// Returns the state of a file that need not be read if it is unchanged. An unusable file is read again at each scan,
    /// since its requirements may exist now. A file with warnings is read once after a start, so that the warnings are
    /// reported.
    pub(super) fn settled(&self, path: &str) -> Option<&FileState> {
        let problems = self.problems.get(path);
        let is_usable = !problems.is_some_and(|problems| problems.iter().any(Diagnostic::is_error));
        self.states
            .get(path)
            .filter(|known| is_usable && (!known.has_problems || problems.is_some()))
    }
}
