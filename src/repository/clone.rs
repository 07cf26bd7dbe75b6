//! The clone of a repository in the data folder: the git directory, and the files of one commit next to it.
//!
//! `git/repository` is the git directory, `git/tree` the work tree, `git/index` its index. Files are changed in place, and
//! only if a commit changed them, so that the reconciler's state of the others remains valid. No other program writes
//! there; the next commit reverts manual changes.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, ErrorKind},
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use crate::{
    content_files::{Commit, History},
    domain::secret::Digest,
    repository::{
        BranchName, GitError, GitOptions,
        edit_index::EditIndex,
        environment::{Environment, REMOTE, RepositoryPaths},
        history,
        listing::CommitListing,
        options::{CONFLICTS, FolderInRepository},
        program::{Program, TIME_TO_ASK, TIME_TO_FETCH, TIME_TO_WORK},
    },
    site::LeasedSite,
};

/// The ref that protects the newest commit from garbage collection.
const INCOMING: &str = "refs/galley/incoming";
/// The ref that protects the served commit from garbage collection.
const SERVED: &str = "refs/galley/served";
/// The prefix of the refs that protect the commits of branches for review from garbage collection.
const REVIEW: &str = "refs/galley/review-";

/// The attributes of all files in the clone.
const ATTRIBUTES: &str = "* !filter -text !eol !ident !working-tree-encoding\n";

/// The time to wait for a git process that a killed server left running.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum difference between the clocks of committers.
const CLOCKS_DIFFER: Duration = Duration::from_secs(24 * 3600);

const PAUSE: Duration = Duration::from_millis(10);

const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// The clone of a repository in the data folder.
pub struct Repository {
    /// The data folder.
    data: PathBuf,
    folder: PathBuf,
    paths: RepositoryPaths,
    /// Locked while files are changed. Git processes inherit the lock, so they still hold it if this process is killed.
    lock: File,
    program: Program,
    /// The index in which edits are committed.
    edits: EditIndex,
    url: String,
    branch: Option<BranchName>,
    path: Option<FolderInRepository>,
    has_history: bool,
    /// The site. Only its leader pushes.
    pub(super) site: LeasedSite,
}

/// The newest commit of a remote branch.
pub struct Tip {
    /// The branch.
    pub branch: String,
    /// The object id of the commit.
    pub commit: String,
    /// The branches with editors' versions of conflicting edits, in order.
    pub conflict_branches: Vec<String>,
}

impl Repository {
    /// Returns the path of the work tree in the data folder `data`.
    pub fn tree_in(data: &Path) -> PathBuf {
        data.join("git").join("tree")
    }

    /// Opens the clone in the data folder `data`, which may be empty.
    ///
    /// # Errors
    ///
    /// If git is missing, or an I/O error occurs.
    pub fn open(
        site: LeasedSite,
        options: &GitOptions,
        data: &Path,
        stopping: Arc<AtomicBool>,
    ) -> Result<Self, GitError> {
        let data = std::path::absolute(data).map_err(at(data))?;
        let folder = data.join("git");
        let paths = RepositoryPaths {
            repository: folder.join("repository"),
            tree: Self::tree_in(&data),
            index: Some(folder.join("index")),
        };
        // The second index has the same objects: edits are committed in it, and the work tree and
        // its index stay as they were checked out.
        let edits = RepositoryPaths {
            index: Some(folder.join("edits.index")),
            ..paths.clone()
        };
        let edits = EditIndex::new(
            Program::new(
                Environment::of_clone(options, &edits),
                Arc::clone(&stopping),
            ),
            folder.join("edited"),
            options.path.clone(),
            options.commits.message.clone(),
        );
        let program = Program::new(Environment::of_clone(options, &paths), stopping);
        program.check()?;
        make_folder(&folder).map_err(at(&folder))?;
        // Before any command that changes files: a git process of a killed server may still be
        // writing here.
        let lock = lock(&folder.join("lock")).map_err(at(&folder))?;
        Ok(Self {
            data,
            folder,
            paths,
            lock,
            program,
            edits,
            url: options.url.shown().to_owned(),
            branch: options.branch.clone(),
            path: options.path.clone(),
            has_history: options.history,
            site,
        })
    }

    /// Returns the path of the work tree.
    pub fn tree(&self) -> &Path {
        &self.paths.tree
    }

    /// Replaces the git directory with an empty one, so that commits are fetched again. The work tree is unchanged.
    pub fn renew(&self) -> Result<(), GitError> {
        remove_folder(&self.paths.repository)?;
        // The index names objects that the new repository does not contain.
        remove_file(&self.index_file())?;
        self.prepare()
    }

    /// Creates missing folders, and removes leftovers of a killed process.
    pub fn prepare(&self) -> Result<(), GitError> {
        make_folder(&self.paths.tree).map_err(at(&self.paths.tree))?;
        // Git refuses to work while a lock file exists, and a killed git process leaves its own.
        self.remove_locks();
        // An existing repository is not modified.
        self.work("making a repository", &["init", "--quiet", "--template="])?;
        self.write_attributes()
    }

    fn index_file(&self) -> PathBuf {
        self.folder.join("index")
    }

    /// Overrides the attributes that a commit sets for files, so that no conversion and no filter program changes their
    /// content.
    fn write_attributes(&self) -> Result<(), GitError> {
        let folder = self.paths.repository.join("info");
        make_folder(&folder).map_err(at(&folder))?;
        let file = folder.join("attributes");
        fs::write(&file, ATTRIBUTES).map_err(at(&file))
    }

    /// Removes stale lock files of git. No process uses them: this process has locked the data folder, and surviving git
    /// processes have ended.
    fn remove_locks(&self) {
        let folders = [
            self.folder.clone(),
            self.paths.repository.clone(),
            // Git locks a ref with a file next to it, such as `served.lock`.
            self.paths.repository.join("refs/galley"),
        ];
        for entry in folders
            .iter()
            .filter_map(|folder| folder.read_dir().ok())
            .flatten()
        {
            let Ok(entry) = entry else { continue };
            let is_lock = entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "lock");
            if is_lock && let Err(error) = fs::remove_file(entry.path()) {
                tracing::warn!(%error, path = %entry.path().display(), "a lock of git cannot be removed");
            }
        }
    }

    /// Fetches the newest commit's id and the names of the branches with conflicting edits from the repository.
    ///
    /// # Errors
    ///
    /// If the repository does not respond, is empty, or does not contain the branch.
    pub fn tip(&self) -> Result<Tip, GitError> {
        let wanted = self
            .branch
            .as_ref()
            .map(|branch| format!("refs/heads/{}", branch.as_str()));
        let pattern = wanted.as_deref().unwrap_or("HEAD");
        let conflicts = format!("refs/heads/{CONFLICTS}/*");
        let arguments = [
            "ls-remote",
            "--quiet",
            "--symref",
            "--",
            REMOTE,
            pattern,
            &conflicts,
        ];
        let output = self
            .program
            .run("querying the repository", &arguments, TIME_TO_ASK)?;
        let output = String::from_utf8_lossy(&output);
        let lines = || output.lines().filter_map(|line| line.split_once('\t'));
        // With `--symref`, `HEAD` has a second line that begins with `ref:`. Names are compared,
        // because a pattern of `ls-remote` also matches the end of a longer name.
        let commit = lines().find(|(id, name)| *name == pattern && !id.starts_with("ref:"));
        let shown_first = lines().find_map(|(target, name)| {
            let branch = target.strip_prefix("ref: refs/heads/")?;
            (name == "HEAD").then_some(branch)
        });
        let conflict_branches = lines().filter_map(|(_, name)| {
            let branch = name.strip_prefix("refs/heads/")?;
            let is_conflict = branch.strip_prefix(CONFLICTS)?.starts_with('/');
            is_conflict.then(|| branch.to_owned())
        });
        match (commit, &self.branch) {
            (Some((id, _)), branch) => Ok(Tip {
                conflict_branches: conflict_branches.collect(),
                branch: branch
                    .as_ref()
                    .map(BranchName::as_str)
                    .or(shown_first)
                    .unwrap_or("HEAD")
                    .to_owned(),
                commit: id.to_owned(),
            }),
            (None, None) => Err(GitError::Empty(self.url.clone())),
            (None, Some(branch)) => Err(GitError::NoBranch {
                url: self.url.clone(),
                branch: branch.as_str().to_owned(),
            }),
        }
    }

    /// Fetches the newest commit of the branch of `tip`, which may be newer than `tip` by now.
    ///
    /// # Errors
    ///
    /// If the fetch fails.
    pub fn fetch(&self, tip: &Tip) -> Result<Commit, GitError> {
        // Git rejects `--unshallow` in a complete clone.
        let depth: &[&str] = match (self.has_history, self.is_shallow()) {
            (true, true) => &["--unshallow"],
            (true, false) => &[],
            (false, _) => &["--depth=1"],
        };
        self.fetch_to(tip, depth)
    }

    /// Fetches the newest commit of the branch of `tip`, and its ancestors since `time`.
    ///
    /// # Errors
    ///
    /// If the fetch fails, for example because the server does not support this.
    pub fn fetch_since(&self, tip: &Tip, time: Timestamp) -> Result<Commit, GitError> {
        // `--shallow-since` compares the dates that the clocks of committers set.
        let time = time.saturating_sub(CLOCKS_DIFFER).unwrap_or(time);
        let since = format!("--shallow-since={time}");
        if self.has_history {
            self.fetch(tip)
        } else {
            self.fetch_to(tip, &[&since])
        }
    }

    /// Returns whether `commit` is `earlier` or one of its descendants, as far as the clone contains the commits.
    pub fn is_after(&self, earlier: &str, commit: &Commit) -> bool {
        let arguments = ["merge-base", "--is-ancestor", earlier, &commit.id];
        self.work("comparing commits", &arguments).is_ok()
    }

    fn fetch_to(&self, tip: &Tip, depth: &[&str]) -> Result<Commit, GitError> {
        let from = match tip.branch.as_str() {
            "HEAD" => "HEAD".to_owned(),
            branch => format!("refs/heads/{branch}"),
        };
        // `+` accepts a branch that a forced push has replaced. The ref protects the commit from
        // garbage collection until `keep`.
        let refspec = format!("+{from}:{INCOMING}");
        let fetch = |depth: &[&str]| {
            let start = [
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--force",
            ];
            let end = ["--", REMOTE, refspec.as_str()];
            let arguments = [&start, depth, &end].concat();
            self.program
                .run("fetching from the repository", &arguments, TIME_TO_FETCH)
        };
        match fetch(depth) {
            // Old servers, and static file servers, do not support shallow fetches.
            Err(GitError::Failed { message, .. }) if message.contains("shallow capabilities") => {
                fetch(&[])?
            }
            fetched => fetched?,
        };
        self.commit(INCOMING)
    }

    /// Returns a commit of the clone for display.
    ///
    /// # Errors
    ///
    /// If the clone does not contain it.
    pub fn commit(&self, name: &str) -> Result<Commit, GitError> {
        // Anything that is not a commit is an error, not the display of another object.
        let name = format!("{name}^{{commit}}");
        let arguments = [
            "log",
            "-1",
            "--no-show-signature",
            Commit::FORMAT,
            &name,
            "--",
        ];
        let output = self.work("reading the commit", &arguments)?;
        Commit::parse(&output).ok_or_else(|| GitError::Failed {
            operation: "reading the commit",
            message: "git prints nothing about it".to_owned(),
        })
    }

    /// Returns the entries of the commit to report: submodules, and files that may be LFS pointers.
    ///
    /// # Errors
    ///
    /// `NoFolder` if the configured folder does not exist; or if git fails.
    pub fn listing(&self, commit: &Commit) -> Result<CommitListing, GitError> {
        if let Some(path) = &self.path {
            let path = path.as_str();
            let arguments = ["ls-tree", "-z", "--full-tree", &commit.id, "--", path];
            let listing = self.work("finding the folder", &arguments)?;
            // Git prints `040000 tree ID<TAB>PATH`, and nothing if the path does not exist.
            let kind = listing.split(|byte| *byte == b' ').nth(1);
            if kind != Some(b"tree") {
                return Err(GitError::NoFolder {
                    commit: commit.short().to_owned(),
                    path: path.to_owned(),
                });
            }
        }
        let arguments = [
            "ls-tree",
            "-r",
            "-l",
            "-z",
            "--full-tree",
            &self.content(commit),
        ];
        Ok(CommitListing::parse(
            &self.work("listing the commit", &arguments)?,
        ))
    }

    /// Returns whether the clone has the required depth.
    pub fn goes_back(&self) -> bool {
        !self.has_history || !self.is_shallow()
    }

    fn is_shallow(&self) -> bool {
        self.paths.repository.join("shallow").is_file()
    }

    /// Returns the history of the files of `commit`. With the history `known` of an earlier commit, only later commits are
    /// read.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn history(
        &self,
        commit: &Commit,
        known: Option<(&Commit, &History)>,
    ) -> Result<History, GitError> {
        let (mut history, range) = match known {
            Some((earlier, known)) if self.is_after(&earlier.id, commit) => {
                (known.clone(), format!("{}..{}", earlier.id, commit.id))
            }
            // After a forced push, the known history may contain commits that the branch no longer
            // has.
            _ => (History::default(), commit.id.clone()),
        };
        let relative = self
            .path
            .as_ref()
            .map(|path| format!("--relative={}", path.as_str()));
        // `history::add` needs parents before their children, whatever their dates are.
        let mut arguments = vec!["log", "--topo-order", "--reverse", "--no-show-signature"];
        arguments.extend(["-M", "-z", "--name-status", history::FORMAT]);
        arguments.extend(relative.as_deref());
        arguments.extend([range.as_str(), "--"]);
        history::add(&mut history, &self.work("reading the history", &arguments)?);
        Ok(history)
    }

    /// Checks out the commit, writing only files that differ.
    ///
    /// # Errors
    ///
    /// If the commit is missing, or an I/O error occurs.
    pub fn check_out(&self, commit: &Commit) -> Result<(), GitError> {
        const DOING: &str = "writing the files of the commit";
        let content = self.content(commit);
        // `-u` writes only files that differ from the index, so the others retain the metadata by
        // which the reconciler detects unchanged files. Git inherits the lock, in case it outlives
        // this process.
        let read = || {
            let arguments = ["read-tree", "--reset", "-u", &content];
            self.program
                .run_holding(DOING, &arguments, TIME_TO_WORK, Some(&self.lock))
        };
        if read().is_err() {
            // The index may be damaged.
            remove_file(&self.index_file())?;
            read()?;
        }
        // The second `f` also removes folders that are repositories, such as former submodules, and
        // `x` also files that git ignores.
        let arguments = ["clean", "-ffdxq", "--", "."];
        self.program
            .run_holding(DOING, &arguments, TIME_TO_WORK, Some(&self.lock))?;
        Ok(())
    }

    /// Protects the served commit from garbage collection, and collects garbage if enough has accumulated.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn keep(&self, commit: &Commit) -> Result<(), GitError> {
        // Before the collection, which deletes all commits without a ref at once
        // (`gc.pruneExpire`).
        self.work("storing the commit", &["update-ref", SERVED, &commit.id])?;
        // `-c` overrides `gc.auto=0` of the environment. The collection runs in the foreground, so
        // that no git process is active when the next command begins.
        let settings = [
            "-c",
            "gc.auto=2000",
            "-c",
            "gc.autoPackLimit=20",
            "-c",
            "gc.autoDetach=false",
            "-c",
            "gc.pruneExpire=now",
        ];
        let tidy = [&settings[..], &["gc", "--auto", "--quiet"]].concat();
        self.work("collecting garbage in the repository", &tidy)?;
        Ok(())
    }

    /// Protects the last commit of a branch for review from garbage collection.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(super) fn protect(&self, branch: &str, tip: &Commit) -> Result<(), GitError> {
        let arguments = ["update-ref", &review_ref(branch), &tip.id];
        self.work("storing the commit", &arguments).map(drop)
    }

    /// Ends the protection of a branch for review.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub(super) fn unprotect(&self, branch: &str) -> Result<(), GitError> {
        let arguments = ["update-ref", "-d", &review_ref(branch)];
        self.work("deleting the reference to the commit", &arguments)
            .map(drop)
    }

    /// Returns the index in which edits are committed.
    pub(super) fn edits(&self) -> &EditIndex {
        &self.edits
    }

    /// Returns the path of an upload in the data folder.
    pub(super) fn upload(&self, path: &str) -> PathBuf {
        self.data.join(path)
    }

    /// Runs git, and returns its output.
    pub(super) fn run(
        &self,
        operation: &'static str,
        arguments: &[&str],
        time: Duration,
    ) -> Result<Vec<u8>, GitError> {
        self.program.run(operation, arguments, time)
    }

    /// Returns the content folder of a commit in git's syntax: `COMMIT:PATH`.
    fn content(&self, commit: &Commit) -> String {
        let path = self.path.as_ref().map_or("", FolderInRepository::as_str);
        format!("{}:{path}", commit.id)
    }

    fn work(&self, operation: &'static str, arguments: &[&str]) -> Result<Vec<u8>, GitError> {
        self.program.run(operation, arguments, TIME_TO_WORK)
    }
}

fn review_ref(branch: &str) -> String {
    // A hash has no `/`, so all refs are in one folder, in which `remove_locks` finds their locks.
    format!("{REVIEW}{}", Digest::of(branch).to_hexadecimal())
}

fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(FOLDER_MODE)
        .create(path)
}

fn remove_folder(path: &Path) -> Result<(), GitError> {
    unless_gone(fs::remove_dir_all(path)).map_err(at(path))
}

fn remove_file(path: &Path) -> Result<(), GitError> {
    unless_gone(fs::remove_file(path)).map_err(at(path))
}

pub(super) fn unless_gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Opens and locks the file whose lock git processes inherit. A git process that survived a killed server still holds the
/// lock, so this waits for up to [`PATIENCE`].
fn lock(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false);
    let file = options.mode(FILE_MODE).open(path)?;
    let end = Instant::now() + PATIENCE;
    loop {
        // Polled, because a blocking lock has no time limit.
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let message =
                    "a git process that a killed Galley process started is still running there";
                return Err(io::Error::new(ErrorKind::ResourceBusy, message));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> GitError + use<> {
    let path = path.to_owned();
    move |source| GitError::Disk { path, source }
}
