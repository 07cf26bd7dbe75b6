//! A person's work tree that contains the content folder: its branch, its index, and commits of edits in it.
//!
//! Staged and unstaged changes of the person are preserved: edits are committed in a separate index, and the person's index
//! gets the committed files only where it contained those of the previous commit. The person's index is replaced under git's
//! own lock, as by `git commit`.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
};

use crate::{
    confined_folder::{ConfinedFolder, RefusedLink},
    content_files::{Commit, folder_files},
    domain::file_edit::FileEdit,
    repository::{
        GitError,
        clone::{at, unless_gone},
        edit_index::Entry,
        index_lock::IndexLock,
        location::RepositoryLocation,
        options::{CommitMessage, CommitOptions},
        program::TIME_TO_WORK,
        repository_config::RepositoryConfig,
        work_tree_git::{NEXT_INDEX, WorkTreeGit},
        work_tree_location::{located, no_work_tree},
    },
    write_back::FolderWriter,
};

/// Unfinished operations of git, by the files that indicate them in the git directory.
const UNFINISHED: [(&str, &str); 6] = [
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick or revert"),
];

/// The prefix of the refs of branches.
const BRANCHES: &str = "refs/heads/";

const READING: &str = "reading the work tree";

/// A work tree with the content folder.
pub struct WorkTree {
    location: RepositoryLocation,
    /// The content folder, without symbolic links.
    folder: PathBuf,
    /// The folder in the data folder for git's files.
    work: PathBuf,
    message: CommitMessage,
    git: WorkTreeGit,
    /// The content of this program's locks.
    lock_text: String,
}

/// The state of a work tree.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckedOut {
    /// The checked-out branch.
    pub branch: String,
    /// Its last commit; `None` before the first one.
    pub head: Option<String>,
    /// The index of the person; `None` if there is no file yet.
    index: Option<Vec<u8>>,
}

/// Commits of edits that no branch contains yet.
#[derive(Default)]
pub struct NewCommits {
    /// The last commit; the previous commit of the branch, if no edit changes anything.
    pub tip: Option<String>,
    /// The paths in the repository that the commits change.
    paths: BTreeSet<String>,
    /// The files of the edits that git ignores, as paths in the content folder.
    pub ignored: Vec<String>,
}

impl WorkTree {
    /// Opens the work tree that contains the content folder `folder`; `data` is the data folder.
    ///
    /// # Errors
    ///
    /// `NoWorkTree` if there is none, or it belongs to a user that this one does not trust; `Missing` or `TooOld`; if a part
    /// of the repository points out of it; or if an I/O error occurs.
    pub fn open(folder: &Path, data: &Path, options: &CommitOptions) -> Result<Self, GitError> {
        let folder = folder.canonicalize().map_err(at(folder))?;
        let (location, user) = located(&folder)?;
        let data = std::path::absolute(data).map_err(at(data))?;
        let work = data.join("git");
        fs::create_dir_all(&work).map_err(at(&work))?;
        let git = WorkTreeGit::open(&location, &user, &work, &options.message)?;
        if git.repository.config().is_true("core.bare") {
            return Err(no_work_tree(&folder, "the repository is bare".to_owned()));
        }
        let tree = Self {
            lock_text: IndexLock::text(&data),
            message: options.message.clone(),
            git,
            folder,
            work,
            location,
        };
        tree.remove_leftovers()?;
        Ok(tree)
    }

    /// Reads the current settings of the person and of the repository.
    ///
    /// # Errors
    ///
    /// If a part of the repository points out of it, or an I/O error occurs.
    pub fn reopen(&mut self) -> Result<(), GitError> {
        let user = RepositoryConfig::of_user()?;
        self.git = WorkTreeGit::open(&self.location, &user, &self.work, &self.message)?;
        Ok(())
    }

    /// Returns the folder of the work tree.
    pub fn top(&self) -> &Path {
        &self.location.top
    }

    /// Returns the path of the content folder in the work tree, if it is not the work tree itself.
    pub fn path(&self) -> Option<String> {
        let path = self.folder.strip_prefix(&self.location.top).ok()?;
        Some(path.to_str()?.to_owned()).filter(|path| !path.is_empty())
    }

    /// Removes the lock of a killed process of this program: this process has locked the data folder, so no other uses it.
    fn remove_leftovers(&self) -> Result<(), GitError> {
        IndexLock::remove_leftover(&self.lock_file(), &self.lock_text)?;
        for name in [NEXT_INDEX, "index.galley.lock"] {
            let path = self.location.git_folder.join(name);
            unless_gone(fs::remove_file(&path)).map_err(at(&path))?;
        }
        Ok(())
    }

    fn index_file(&self) -> PathBuf {
        self.location.git_folder.join("index")
    }

    fn lock_file(&self) -> PathBuf {
        self.location.git_folder.join("index.lock")
    }

    /// Returns the checked-out branch, with its last commit.
    ///
    /// # Errors
    ///
    /// `Busy` if no branch is checked out, or if a merge or the like is not finished.
    pub fn checked_out(&self) -> Result<CheckedOut, GitError> {
        let unfinished = UNFINISHED
            .iter()
            .find(|(file, _)| self.location.git_folder.join(file).exists());
        if let Some((_, operation)) = unfinished {
            return Err(GitError::Busy(format!(
                "a {operation} is in progress in {}. Finish or abort it",
                self.location.top.display()
            )));
        }
        // Git reads a copy of `HEAD`, which may have changed since.
        self.git.repository.update()?;
        // This fails if no branch is checked out.
        let branch = self.line(&["symbolic-ref", "--quiet", "HEAD"]);
        let branch = branch.ok().filter(|name| name.starts_with(BRANCHES));
        let Some(name) = branch else {
            return Err(GitError::Busy(format!(
                "no branch is checked out in {} (the HEAD is detached). Check one out with `git switch`",
                self.location.top.display()
            )));
        };
        self.git.repository.check(&name)?;
        // The bytes show later whether the person has staged something meanwhile.
        let index = match fs::read(self.index_file()) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(at(&self.index_file())(error)),
        };
        // It prints nothing for a branch without commits.
        let listed = self.line(&["for-each-ref", "--format=%(objectname) %(refname)", &name])?;
        let mut branches = listed.lines().filter_map(|line| line.split_once(' '));
        let head = branches.find(|(_, branch)| *branch == name);
        Ok(CheckedOut {
            branch: name[BRANCHES.len()..].to_owned(),
            head: head.map(|(commit, _)| commit.to_owned()),
            index,
        })
    }

    /// Creates a commit for each of these edits, which are written in the folder, on top of `head`. Edits that are committed
    /// already get no commit.
    ///
    /// # Errors
    ///
    /// `Busy` if a file has conflicts that are not resolved; or if git fails or an I/O error occurs.
    pub fn commit(
        &self,
        head: Option<&str>,
        edits: &[FileEdit],
        writer: &FolderWriter,
    ) -> Result<NewCommits, GitError> {
        self.git.edits.read(head)?;
        let mut made = NewCommits {
            tip: head.map(str::to_owned),
            ..NewCommits::default()
        };
        for edit in edits {
            let before = self.git.edits.run(&["write-tree"])?;
            self.stage(edit, writer, &mut made)?;
            if self.git.edits.run(&["write-tree"])? != before {
                let parents: Vec<&str> = made.tip.iter().map(String::as_str).collect();
                made.tip = Some(self.git.edits.commit(edit, &parents)?);
            }
        }
        if made.paths.is_empty() {
            return Ok(made);
        }
        let paths = made.paths.iter().map(String::as_str);
        let unmerged = ["ls-files", "--unmerged", "--"].into_iter().chain(paths);
        match self.listed(unmerged)?.as_slice() {
            [] => Ok(made),
            [first, ..] => Err(GitError::Busy(format!(
                "{} has conflicts that are not resolved. Resolve them and `git add` it",
                first.rsplit('\t').next().unwrap_or_default()
            ))),
        }
    }

    /// Stages an edit in the index of edits.
    fn stage(
        &self,
        edit: &FileEdit,
        writer: &FolderWriter,
        made: &mut NewCommits,
    ) -> Result<(), GitError> {
        let Some(path) = self.tree_path_or_ignored(&edit.path, made) else {
            return Ok(());
        };
        self.check_filters(edit, &path)?;
        // Read before `stage_removed` removes the old path of a renamed file from the index.
        let known = match self.known_text(&path)? {
            Some(text) => Some(text),
            None => match edit.moved_from.as_deref() {
                Some(old) => self.known_text(&self.tree_path(old).unwrap_or_default())?,
                None => None,
            },
        };
        for gone in edit.images.iter().chain(&edit.moved_from) {
            self.stage_removed(gone, made)?;
        }
        if edit.after.is_none() {
            return self.stage_removed(&edit.path, made);
        }
        let Some(text) = writer.text_to_commit(edit, known.as_deref())? else {
            return Ok(());
        };
        if self.is_ignored(&path)? {
            made.ignored.push(edit.path.to_string());
            return Ok(());
        }
        for upload in &edit.uploads {
            self.stage_upload(upload, made)?;
        }
        if self
            .git
            .edits
            .entry(&path)?
            .is_none_or(|entry| entry.is_file())
        {
            self.git.edits.put_text(&path, &text)?;
            made.paths.insert(path);
        }
        Ok(())
    }

    /// Checks that the files of an edit, whose path in the repository is `path`, need no filter that is not run.
    fn check_filters(&self, edit: &FileEdit, path: &str) -> Result<(), GitError> {
        let others = edit.uploads.iter().chain(&edit.moved_from);
        let others: Vec<String> = others.filter_map(|path| self.tree_path(path)).collect();
        let mut paths = vec![path];
        paths.extend(others.iter().map(String::as_str));
        self.git.filters.check(&self.git.program, &paths)
    }

    /// Stages an upload in the folder in the index of edits.
    fn stage_upload(&self, upload: &str, made: &mut NewCommits) -> Result<(), GitError> {
        let Some(path) = self.tree_path_or_ignored(upload, made) else {
            return Ok(());
        };
        // Git gets the content instead of the path, since it would follow a link that was created meanwhile.
        let content = match self.opened()?.read(upload) {
            Ok(Some(content)) => content,
            Ok(None) => return Ok(()),
            Err(error) if RefusedLink::of(&error).is_some() => {
                made.ignored.push(upload.to_owned());
                return Ok(());
            }
            Err(error) => return Err(at(&self.folder.join(upload))(error)),
        };
        if self.is_ignored(&path)? {
            made.ignored.push(upload.to_owned());
        } else if self.git.edits.entry(&path)?.is_none() {
            self.git.edits.put_content(&path, &content)?;
            made.paths.insert(path);
        }
        Ok(())
    }

    /// Removes a file from the index of edits, if the folder no longer has it.
    fn stage_removed(&self, path: &str, made: &mut NewCommits) -> Result<(), GitError> {
        let exists = self.opened()?.has(path);
        let Some(path) = self.tree_path(path).filter(|_| matches!(exists, Ok(false))) else {
            return Ok(());
        };
        if self.git.edits.entry(&path)?.is_some() {
            self.git.edits.remove(&path)?;
            made.paths.insert(path);
        }
        Ok(())
    }

    /// Returns the text of a file of the index of edits.
    fn known_text(&self, path: &str) -> Result<Option<String>, GitError> {
        match self.git.edits.entry(path)? {
            Some(entry) if entry.is_file() => self.git.edits.text(path),
            _ => Ok(None),
        }
    }

    /// Opens the content folder.
    fn opened(&self) -> Result<ConfinedFolder, GitError> {
        folder_files::open(&self.folder).map_err(at(&self.folder))
    }

    /// Returns the path in the repository of a file of the content folder; `None` if it is below a link that is not followed.
    fn tree_path(&self, path: &str) -> Option<String> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = self.opened().ok()?.real_path(Path::new(above)).ok()?;
        let whole = self.folder.join(above).join(name);
        let inside = whole.strip_prefix(&self.location.top).ok()?;
        Some(inside.to_str()?.to_owned())
    }

    /// Like [`tree_path`](Self::tree_path), but records a file without such a path as ignored.
    fn tree_path_or_ignored(&self, path: &str, made: &mut NewCommits) -> Option<String> {
        let in_repository = self.tree_path(path);
        if in_repository.is_none() {
            made.ignored.push(path.to_owned());
        }
        in_repository
    }

    /// Returns whether git ignores a file in the repository.
    fn is_ignored(&self, path: &str) -> Result<bool, GitError> {
        let arguments = ["ls-files", "--others", "--ignored", "--exclude-standard"];
        let arguments = arguments.into_iter().chain(["--", path]);
        Ok(!self.listed(arguments)?.is_empty())
    }

    /// Returns the files of the content folder at `paths` that git still ignores.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn still_ignored(&self, paths: &[String]) -> Result<Vec<String>, GitError> {
        let mut ignored = Vec::new();
        for path in paths {
            let is_ignored = match self.tree_path(path) {
                Some(path) => self.is_ignored(&path)?,
                None => self.opened()?.is_file(path),
            };
            ignored.extend(is_ignored.then(|| path.clone()));
        }
        Ok(ignored)
    }

    /// Moves the checked-out branch from `known` to new commits, and updates the person's index with their files. Returns
    /// `false` if the person has changed the branch or the index since.
    ///
    /// # Errors
    ///
    /// `Busy` if another process has locked the index; or if git fails or an I/O error occurs. In that case nothing has
    /// changed, except that the branch may be moved without the index, which [`catch_up`](Self::catch_up) completes.
    pub fn publish(
        &self,
        known: &CheckedOut,
        made: &NewCommits,
        writer: &FolderWriter,
    ) -> Result<bool, GitError> {
        let Some(tip) = &made.tip else {
            return Ok(true);
        };
        let (head, paths) = (known.head.as_deref(), &made.paths);
        // Before the lock, so that the person's own git commands are blocked only briefly.
        self.prepare_index(known, [head, Some(tip)], paths, writer)?;
        let _lock = IndexLock::take(self.lock_file(), &self.lock_text)?;
        if self.checked_out()? != *known {
            return Ok(false);
        }
        let branch = format!("{BRANCHES}{}", known.branch);
        let settings = [
            "-c",
            "user.name=Galley",
            "-c",
            "user.email=galley@localhost",
        ];
        // The old value makes git refuse if the branch has moved: the lock protects only the index.
        let update = ["update-ref", "-m", "galley: commit edits", &branch, tip];
        let arguments = [&settings[..], &update, &[head.unwrap_or_default()]].concat();
        // The branch comes first: `catch_up` completes an index that a crash has left behind.
        self.line(&arguments)?;
        self.replace_index()?;
        Ok(true)
    }

    /// Updates the person's index with the files that changed between the two `commits`, which the branch contains. Returns
    /// `false` if the person has changed the branch or the index since.
    ///
    /// # Errors
    ///
    /// As [`publish`](Self::publish).
    pub fn catch_up(
        &self,
        known: &CheckedOut,
        commits: [Option<&str>; 2],
        writer: &FolderWriter,
    ) -> Result<bool, GitError> {
        let [old, Some(new)] = commits else {
            return Ok(true);
        };
        let changed = match old {
            Some(old) => self.listed(["diff-tree", "-r", "--name-only", old, new])?,
            None => self.listed(["ls-tree", "-r", "--name-only", new])?,
        };
        let paths = changed.into_iter().collect();
        self.prepare_index(known, commits, &paths, writer)?;
        let _lock = IndexLock::take(self.lock_file(), &self.lock_text)?;
        if self.checked_out()? != *known {
            return Ok(false);
        }
        self.replace_index()?;
        Ok(true)
    }

    /// Returns whether the branch contains a commit.
    pub fn has(&self, known: &CheckedOut, commit: &str) -> bool {
        let Some(head) = &known.head else {
            return false;
        };
        let arguments = ["merge-base", "--is-ancestor", commit, head];
        self.line(&arguments).is_ok()
    }

    /// Returns a commit for display.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn described(&self, commit: &str) -> Result<Option<Commit>, GitError> {
        let arguments = [
            "log",
            "-1",
            "--no-show-signature",
            Commit::FORMAT,
            commit,
            "--",
        ];
        let output = self.git.program.run(READING, &arguments, TIME_TO_WORK)?;
        Ok(Commit::parse(&output))
    }

    /// Writes the next index: the person's index, with the files at `paths` from the second of two commits where it has those
    /// of the first. Staged changes of these files remain staged, with the change of the commits applied.
    fn prepare_index(
        &self,
        known: &CheckedOut,
        [old, new]: [Option<&str>; 2],
        paths: &BTreeSet<String>,
        writer: &FolderWriter,
    ) -> Result<(), GitError> {
        let path = self.location.git_folder.join(NEXT_INDEX);
        unless_gone(fs::remove_file(&path)).map_err(at(&path))?;
        if let Some(bytes) = &known.index {
            // The file must not exist, so that a link is not followed.
            let file = File::create_new(&path);
            let written = file.and_then(|mut file| file.write_all(bytes));
            written.map_err(at(&path))?;
        }
        for path in paths {
            let staged = self.git.next.entry(path)?;
            let before = self.entry_in(old, path)?;
            let after = self.entry_in(new, path)?;
            match (&staged, &before, &after) {
                _ if staged == after => {}
                (_, _, Some(entry)) if staged == before || before.is_none() => {
                    self.git.next.put_entry(path, entry)?;
                }
                (Some(_), _, None) if staged == before => self.git.next.remove(path)?,
                (Some(_), Some(_), Some(_)) => self.stage_change(path, old, new, writer)?,
                // The person has staged the deletion of the file, or a change of a file that the commits delete.
                _ => {}
            }
        }
        // Without this refresh, git compares the files again. It fails if the person has changed other files.
        let _ = self.git.next.run(&["update-index", "-q", "--refresh"]);
        Ok(())
    }

    /// Applies the change of a file from `old` to `new` to its staged version.
    fn stage_change(
        &self,
        path: &str,
        old: Option<&str>,
        new: Option<&str>,
        writer: &FolderWriter,
    ) -> Result<(), GitError> {
        self.git.filters.check(&self.git.program, &[path])?;
        let text_in = |commit: Option<&str>| {
            let name = format!("{}:{path}", commit.unwrap_or_default());
            let arguments = ["cat-file", "--filters", &name];
            let content = self.git.program.run(READING, &arguments, TIME_TO_WORK)?;
            Ok::<_, GitError>(String::from_utf8(content).ok())
        };
        let texts = (text_in(old)?, self.git.next.text(path)?, text_in(new)?);
        let (Some(before), Some(staged), Some(after)) = texts else {
            return Ok(());
        };
        let content = self
            .folder
            .strip_prefix(&self.location.top)
            .unwrap_or(&self.folder);
        let of_content = Path::new(path).strip_prefix(content).ok();
        let name = of_content.and_then(Path::to_str).unwrap_or(path);
        let text = writer.text_to_stage(name, &before, &staged, &after);
        self.git.next.put_text(path, &text)
    }

    /// Returns the entry of a path in a commit.
    fn entry_in(&self, commit: Option<&str>, path: &str) -> Result<Option<Entry>, GitError> {
        let Some(commit) = commit else {
            return Ok(None);
        };
        let listed = self.line(&["ls-tree", commit, "--", path])?;
        let mut words = listed.split([' ', '\t']);
        let mode = words.next().unwrap_or_default();
        Ok(Entry::parse(&format!(
            "{mode} {}",
            words.nth(1).unwrap_or_default()
        )))
    }

    /// Replaces the index of the person, which is locked.
    fn replace_index(&self) -> Result<(), GitError> {
        let (next, index) = (self.location.git_folder.join(NEXT_INDEX), self.index_file());
        // Durable before the rename, so that a crash of the machine leaves no empty index.
        let replaced = File::open(&next)
            .and_then(|file| file.sync_all())
            .and_then(|()| fs::rename(&next, &index));
        replaced.map_err(at(&index))
    }

    fn line(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.git.program.run(READING, arguments, TIME_TO_WORK)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Runs a command that lists names, and returns the names.
    fn listed<'a>(
        &self,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Vec<String>, GitError> {
        let mut arguments: Vec<&str> = arguments.into_iter().collect();
        // Behind the name of the subcommand. Without `-z`, git quotes special characters in names.
        arguments.insert(1, "-z");
        let output = self.git.program.run(READING, &arguments, TIME_TO_WORK)?;
        let names = output
            .split(|byte| *byte == 0)
            .filter(|name| !name.is_empty());
        Ok(names
            .map(|name| String::from_utf8_lossy(name).into_owned())
            .collect())
    }
}
