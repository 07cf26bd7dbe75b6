//! The sequence of steps of a run.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    content_files::{
        conditions::Conditions,
        edits::WrittenEdits,
        file_state::SharedUses,
        folder_view::FolderView,
        reconcile::{
            conversions::AppliedFile,
            reconciler::Reconciler,
            run::{Mark, RunOutcome, RunParameters, Unit},
            scan::FolderScan,
        },
    },
    content_text::Diagnostic,
    error::{Kind, Result},
    progress::Progress,
};

/// Maximum number of restarts of a run because a file changed while it was being read.
pub(super) const ATTEMPTS_MAX: usize = 5;

impl Reconciler {
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
        let parameters = RunParameters {
            hints,
            unit: Unit::File,
            mark: None,
            edits: None,
            ends_edits: false,
            progress,
        };
        match self.carry_out(&parameters)? {
            RunOutcome::Applied(new_diagnostics) => Ok(new_diagnostics),
            RunOutcome::Refused(_) | RunOutcome::Overtaken => {
                unreachable!("invariant: a run by file and without edits is always applied")
            }
        }
    }

    /// Like [`run`](Self::run), after `edits` were written into the files. With `ends_edits`, the transaction that applies
    /// the files also reduces the edits to the parts that are not written yet, so that a crash after it does not repeat them.
    /// The caller removes the reduced edits once editors see the new files.
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

    /// Scans the whole folder and reconciles the site with it, file by file or as a whole according to `unit`. The
    /// transaction also stores `mark`, and rebases `edits`, which were written into the files.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or written. Then nothing changed.
    pub fn run_with_mark(
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

    fn carry_out(&mut self, parameters: &RunParameters) -> Result<RunOutcome> {
        // One less, because the last attempt returns its error.
        for _ in 1..ATTEMPTS_MAX {
            match self.run_once(parameters) {
                Err(error) if error.kind() == Kind::UpdateCollision => {}
                outcome => return outcome,
            }
        }
        self.run_once(parameters)
    }

    fn run_once(&mut self, parameters: &RunParameters) -> Result<RunOutcome> {
        let mut scan = self.scan(parameters.hints);
        if let Some(edits) = parameters.edits {
            scan.leave_as_they_are(&edits.blocked.paths);
        }
        let edited = parameters
            .edits
            .map(WrittenEdits::paths)
            .unwrap_or_default();
        let (conditions, readings) = self.read(&mut scan, &edited);
        let comparison = self.resolve_conflicts(readings, &scan, &conditions);
        // Before the conversion, which is expensive; errors of the conversion abort the
        // transaction.
        if parameters.unit == Unit::Folder {
            let of_walk = scan.problems.iter().flatten();
            let of_files = comparison.readings.changed.iter();
            let problems = of_walk.chain(of_files.flat_map(|reading| &reading.diagnostics));
            let errors: Vec<Diagnostic> =
                problems.filter(|found| found.is_error()).cloned().collect();
            if !errors.is_empty() {
                return Ok(RunOutcome::Refused(errors));
            }
        }
        Ok(
            match self.apply(comparison, &scan, &conditions, parameters)? {
                Ok(applied) => RunOutcome::Applied(self.remember(scan, conditions, applied)),
                Err(outcome) => outcome,
            },
        )
    }

    /// Updates the state after a commit, and returns new diagnostics.
    fn remember(
        &mut self,
        scan: FolderScan,
        conditions: Conditions,
        applied: Vec<AppliedFile>,
    ) -> Vec<Diagnostic> {
        let name = scan.layout.project_name();
        let is_new = name != self.layout.project_name();
        self.layout = Arc::clone(&scan.layout);
        self.view.store(Arc::new(FolderView {
            directory: Arc::clone(&self.directory),
            conditions,
        }));
        let mut new_diagnostics = Vec::new();
        // A hinted scan has read only its own files.
        if let Some(problems) = scan.problems {
            new_diagnostics.extend(unknown(&problems, &self.walk_problems));
            self.walk_problems = problems;
            self.has_links = scan.has_links;
        }
        if let Some(unread) = scan.unread {
            new_diagnostics.extend(unknown(&unread, &self.unread));
            self.unread = unread;
        }
        if !scan.removed.is_empty() && scan.removed.len() == self.states.len() && applied.is_empty()
        {
            tracing::warn!(
                files = scan.removed.len(),
                "all content files are gone, so their posts and pages were removed; if the file system of the folder is not mounted, mount it to restore them"
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
            new_diagnostics.extend(unknown(&file.diagnostics, &known));
            if !file.diagnostics.is_empty() {
                self.problems.insert(file.path.clone(), file.diagnostics);
            }
            self.states.insert(file.path, file.state);
        }
        if let Some(name) = name.filter(|_| is_new) {
            tracing::info!(project = %name, "the content folder is read as a project of another generator");
            if let Some(absence) = self.absence() {
                tracing::warn!("the content folder has no content: {absence}");
            }
        }
        new_diagnostics
    }
}

/// Returns the diagnostics that are not among the known ones.
pub(in crate::content_files) fn unknown(
    problems: &[Diagnostic],
    known: &[Diagnostic],
) -> Vec<Diagnostic> {
    let is_new = |problem: &&Diagnostic| !known.contains(problem);
    problems.iter().filter(is_new).cloned().collect()
}
