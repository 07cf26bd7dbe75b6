//! Runs the git program: without a shell, prompts, or settings of the machine, and with time limits.
//!
//! Secrets are passed in the environment, which other users cannot read, unlike arguments, and are removed from git's
//! output. Git has a process group of its own, so that its child processes end with it.

use std::{
    env,
    ffi::OsString,
    fs::File,
    io::{self, ErrorKind, Read},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{GitError, GitOptions};

/// The name of the remote in the clone.
pub const REMOTE: &str = "galley";

/// The description of pushes in errors.
pub const PUSHING: &str = "pushing to the repository";

/// Time limit of listing remote branches.
pub const TIME_TO_ASK: Duration = Duration::from_secs(120);

/// Time limit of a fetch. A stalled one ends sooner.
pub const TIME_TO_FETCH: Duration = Duration::from_secs(3600);

/// Time limit of local operations.
pub const TIME_TO_WORK: Duration = Duration::from_secs(1800);

/// Maximum output that is read, in bytes: the listing of the largest tree fits.
const OUTPUT_BYTES_MAX: u64 = 256 << 20;

/// Maximum error output that is read and shown, in bytes.
const COMPLAINT_BYTES_MAX: u64 = 64 << 10;
const COMPLAINT_CHARACTERS_MAX: usize = 600;

/// Interval of checks whether git has ended: the first and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_micros(500), Duration::from_millis(20));

/// The oldest git that reads settings from the environment.
const OLDEST: (u32, u32) = (2, 31);

/// Environment variables of git that are passed on: how to reach other machines.
const KEPT_VARIABLES: [&str; 9] = [
    "GIT_EXEC_PATH",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
];

/// Settings that override those of the machine and the user.
const SETTINGS: &[(&str, &str)] = &[
    // No program of the repository or the machine runs.
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("filter.lfs.process", ""),
    ("filter.lfs.smudge", ""),
    ("filter.lfs.required", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
    // Files are exactly those of the commit.
    ("core.autocrlf", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.symlinks", "true"),
    ("core.quotePath", "false"),
    // The repository belongs to this program, which does the maintenance.
    ("core.logAllRefUpdates", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("safe.directory", "*"),
    // A stalled connection is closed. A host that prepares a pack sends a message every few seconds.
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "60"),
];

/// Settings for the repository of a person, whose own ones say how contents are converted.
const SETTINGS_OF_WORK_TREES: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("submodule.recurse", "false"),
    ("core.quotePath", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// The git program, configured for one repository.
pub struct Program {
    /// The folder that it runs in, if not this process's.
    folder: Option<PathBuf>,
    environment: Vec<(String, OsString)>,
    removed: Vec<OsString>,
    secrets: Vec<String>,
    stopping: Arc<AtomicBool>,
}

/// The paths of a repository.
#[derive(Clone)]
pub struct Places {
    /// The git directory.
    pub repository: PathBuf,
    /// The work tree.
    pub tree: PathBuf,
    /// The index file.
    pub index: PathBuf,
}

impl Program {
    /// Returns git for the repository of `options` at `places`; it is aborted when `stopping` is set.
    pub fn new(options: &GitOptions, places: &Places, stopping: Arc<AtomicBool>) -> Self {
        let mut environment: Vec<(String, OsString)> = [
            ("GIT_DIR", places.repository.clone().into()),
            ("GIT_WORK_TREE", places.tree.clone().into()),
            ("GIT_INDEX_FILE", places.index.clone().into()),
            ("GIT_CONFIG_NOSYSTEM", "1".into()),
            ("GIT_ATTR_NOSYSTEM", "1".into()),
            ("GIT_TERMINAL_PROMPT", "0".into()),
            ("GIT_ASKPASS", "".into()),
            ("GIT_ALLOW_PROTOCOL", "https:http:ssh:git:file".into()),
            ("GIT_OPTIONAL_LOCKS", "0".into()),
            ("LC_ALL", "C".into()),
        ]
        .map(|(name, value): (&str, OsString)| (name.to_owned(), value))
        .into();
        let has_ssh = ["GIT_SSH", "GIT_SSH_COMMAND"]
            .iter()
            .any(|name| env::var_os(name).is_some());
        if !has_ssh {
            let ssh = "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15";
            environment.push(("GIT_SSH_COMMAND".to_owned(), ssh.into()));
        }
        let token = options.token.as_deref();
        let authorization = options.address.authorization(token);
        let mut settings: Vec<(String, String)> = SETTINGS
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect();
        let plain = options.address.plain();
        settings.push((format!("remote.{REMOTE}.url"), plain.to_owned()));
        if let Some(authorization) = authorization
            .as_ref()
            .filter(|_| options.address.takes_token())
        {
            let header = format!("Authorization: Basic {authorization}");
            settings.push((format!("http.{plain}.extraHeader"), header));
        }
        environment.push((
            "GIT_CONFIG_COUNT".to_owned(),
            settings.len().to_string().into(),
        ));
        environment.extend(numbered(settings));
        Self {
            folder: None,
            environment,
            removed: removed_variables(),
            secrets: token
                .into_iter()
                .chain(options.address.secrets())
                .chain(authorization.as_deref())
                .filter(|secret| !secret.is_empty())
                .map(str::to_owned)
                .collect(),
            stopping,
        }
    }

    /// Returns git for reading the repository that contains the folder of another program.
    pub fn in_others_folder() -> Self {
        let mut environment: Vec<(String, OsString)> = [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("LC_ALL", "C"),
            ("GIT_CONFIG_COUNT", &SETTINGS.len().to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value.into()))
        .into();
        environment.extend(numbered(owned(SETTINGS)));
        Self {
            folder: None,
            environment,
            removed: removed_variables(),
            secrets: Vec::new(),
            stopping: Arc::default(),
        }
    }

    /// Returns git for the work tree of a person, or for looking for it from `folder`. It is not aborted: its commands are
    /// short, and one that is killed leaves its locks.
    pub fn in_work_tree(folder: PathBuf, git_folder: Option<&Path>, index: Option<&Path>) -> Self {
        let mut environment: Vec<(String, OsString)> = [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_LITERAL_PATHSPECS", "1"),
            ("LC_ALL", "C"),
            (
                "GIT_CONFIG_COUNT",
                &SETTINGS_OF_WORK_TREES.len().to_string(),
            ),
        ]
        .map(|(name, value)| (name.to_owned(), value.into()))
        .into();
        environment.extend(numbered(owned(SETTINGS_OF_WORK_TREES)));
        if let Some(git_folder) = git_folder {
            environment.push(("GIT_DIR".to_owned(), git_folder.into()));
            environment.push(("GIT_WORK_TREE".to_owned(), folder.clone().into()));
        }
        environment.extend(index.map(|index| ("GIT_INDEX_FILE".to_owned(), index.into())));
        Self {
            folder: Some(folder),
            environment,
            removed: removed_variables(),
            secrets: Vec::new(),
            stopping: Arc::default(),
        }
    }

    /// Checks the installed git.
    ///
    /// # Errors
    ///
    /// `Missing` or `TooOld`.
    pub fn check(&self) -> Result<(), GitError> {
        let output = self.run("git --version", &["--version"], TIME_TO_WORK)?;
        let output = String::from_utf8_lossy(&output);
        let version = output.trim().trim_start_matches("git version ");
        let mut numbers = version.split('.').map(|part| part.parse().unwrap_or(0));
        let numbers = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        if numbers >= OLDEST {
            Ok(())
        } else {
            Err(GitError::TooOld(version.to_owned()))
        }
    }

    /// Runs git with these arguments and returns its output. `doing` describes the operation in errors.
    ///
    /// # Errors
    ///
    /// If git cannot be started, fails, takes longer than `time`, or the server stops meanwhile.
    pub fn run(
        &self,
        doing: &'static str,
        arguments: &[&str],
        time: Duration,
    ) -> Result<Vec<u8>, GitError> {
        self.run_holding(doing, arguments, time, None)
    }

    /// Runs git like [`run`](Self::run), while git or a surviving child of it holds the lock on `lock`.
    pub fn run_holding(
        &self,
        doing: &'static str,
        arguments: &[&str],
        time: Duration,
        lock: Option<&File>,
    ) -> Result<Vec<u8>, GitError> {
        // Reads of an empty file end at once, as those of /dev/null do.
        let input = match lock.map(File::try_clone) {
            Some(Ok(lock)) => Stdio::from(lock),
            Some(Err(error)) => return Err(failed(doing, &error.to_string())),
            None => Stdio::null(),
        };
        let child = self
            .command(arguments)
            .stdin(input)
            .spawn()
            .map_err(|error| match error.kind() {
                ErrorKind::NotFound => GitError::Missing,
                _ => failed(doing, &error.to_string()),
            })?;
        self.attend(doing, child, time)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        for name in &self.removed {
            command.env_remove(name);
        }
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command
            .args(arguments)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }

    fn attend(
        &self,
        doing: &'static str,
        mut child: Child,
        time: Duration,
    ) -> Result<Vec<u8>, GitError> {
        let (Some(output), Some(complaint)) = (child.stdout.take(), child.stderr.take()) else {
            unreachable!("invariant: both pipes were asked for");
        };
        thread::scope(|scope| {
            let output = scope.spawn(move || read(output, OUTPUT_BYTES_MAX));
            let complaint = scope.spawn(move || read(complaint, COMPLAINT_BYTES_MAX));
            let ended = self.wait(doing, &mut child, time);
            let output = output.join().unwrap_or_default();
            let complaint = complaint.join().unwrap_or_default();
            match ended? {
                true if output.len() as u64 >= OUTPUT_BYTES_MAX => {
                    Err(failed(doing, "git tells more than can be read"))
                }
                true => Ok(output),
                false => Err(failed(doing, &self.shown(doing, &complaint))),
            }
        })
    }

    /// Waits for git, and returns its result.
    fn wait(
        &self,
        doing: &'static str,
        child: &mut Child,
        time: Duration,
    ) -> Result<bool, GitError> {
        let end = Instant::now() + time;
        let mut pause = PAUSES.0;
        loop {
            let ended = child.try_wait();
            if let Some(status) = ended.map_err(|error| failed(doing, &error.to_string()))? {
                return Ok(status.success());
            }
            let failure = if self.stopping.load(Ordering::SeqCst) {
                GitError::Stopping
            } else if Instant::now() >= end {
                let seconds = time.as_secs();
                GitError::TooSlow { doing, seconds }
            } else {
                thread::sleep(pause);
                pause = (pause * 2).min(PAUSES.1);
                continue;
            };
            // It may have ended at this moment.
            let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
            let _ = child.wait();
            return Err(failure);
        }
    }

    /// Returns the last lines of git's error output, without secrets.
    fn shown(&self, doing: &str, complaint: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(complaint).into_owned();
        for secret in &self.secrets {
            text = text.replace(secret.as_str(), "…");
        }
        let lines: Vec<&str> = text
            .lines()
            .map(str::trim)
            .filter(|line| says_something(line))
            .collect();
        let mut said = lines.join(" ");
        said.retain(|character| !character.is_control());
        let start = said
            .chars()
            .count()
            .saturating_sub(COMPLAINT_CHARACTERS_MAX);
        let mut said: String = said.chars().skip(start).collect();
        if said.is_empty() {
            said = "git failed without a word".to_owned();
        }
        match advice(doing, &said, !self.secrets.is_empty()) {
            Some(advice) => format!("{}. {advice}", said.trim_end_matches('.')),
            None => said,
        }
    }
}

/// Variables of git's own are removed, except for those that say how to reach other machines.
fn is_removed(name: &str) -> bool {
    let of_git = name.starts_with("GIT_") && !KEPT_VARIABLES.contains(&name);
    of_git || name == "SSH_ASKPASS"
}

/// Returns the variables of this process that git does not get.
fn removed_variables() -> Vec<OsString> {
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| is_removed(&name.to_string_lossy()))
        .collect()
}

fn owned(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    let settings = settings.iter();
    settings
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}

/// Returns settings as environment variables of git.
fn numbered(settings: Vec<(String, String)>) -> impl Iterator<Item = (String, OsString)> {
    let numbered = settings.into_iter().enumerate();
    numbered.flat_map(|(number, (key, value))| {
        [
            (format!("GIT_CONFIG_KEY_{number}"), key.into()),
            (format!("GIT_CONFIG_VALUE_{number}"), value.into()),
        ]
    })
}

fn says_something(line: &str) -> bool {
    const GENERAL: [&str; 3] = [
        "Please make sure you have the correct access rights",
        "and the repository exists.",
        "fatal: Could not read from remote repository.",
    ];
    !line.is_empty() && !line.starts_with("warning:") && !GENERAL.contains(&line)
}

/// Returns advice for common errors of git, which has a token or password or none.
fn advice(doing: &str, said: &str, has_secret: bool) -> Option<&'static str> {
    const RIGHT_TO_WRITE: &str = "The repository does not take the token for writing: set a source.git.token with the right \"Contents: read and write\" (GitHub), \"write_repository\" (GitLab) or \"repository: read and write\" (Gitea, Forgejo)";
    const KEY_TO_WRITE: &str =
        "The ssh key may only read: allow it write access where it is a deploy key";
    const OF_PUSHES: &[(&str, &str)] = &[
        ("could not read Username", RIGHT_TO_WRITE),
        ("Authentication failed", RIGHT_TO_WRITE),
        ("returned error: 403", RIGHT_TO_WRITE),
        ("marked as read only", KEY_TO_WRITE),
        ("not have write access", KEY_TO_WRITE),
        (
            "rotected branch",
            "Let the branch take pushes of this token or key, or set source.push_branch to a branch for review",
        ),
    ];
    const OTHER_TOKEN: &str = "The token or password is not taken: set another source.git.token, one that may read the repository";
    const WITH_SECRET: &[(&str, &str)] = &[
        ("could not read Username", OTHER_TOKEN),
        ("returned error: 403", OTHER_TOKEN),
    ];
    const KNOWN: &[(&str, &str)] = &[
        (
            "could not read Username",
            "The repository is not open to everybody: set source.git.token",
        ),
        ("Authentication failed", OTHER_TOKEN),
        (
            "Host key verification failed",
            "The user that Galley runs as does not know this host: add it with ssh-keyscan to ~/.ssh/known_hosts",
        ),
        (
            "Permission denied (publickey",
            "The host does not take the ssh key of the user that Galley runs as: add it there as a deploy key",
        ),
    ];
    let of_pushes = OF_PUSHES.iter().filter(|_| doing == PUSHING);
    let with_secret = WITH_SECRET.iter().filter(|_| has_secret);
    let mut errors = of_pushes.chain(with_secret).chain(KNOWN);
    let known_error = errors.find(|(part, _)| said.contains(part));
    known_error.map(|(_, advice)| *advice)
}

/// Reads at most `bytes_max` bytes, and discards the rest, so that the writer is not blocked.
fn read(mut pipe: impl Read, bytes_max: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Output up to a broken pipe is used.
    let _ = pipe.by_ref().take(bytes_max).read_to_end(&mut bytes);
    let _ = io::copy(&mut pipe, &mut io::sink());
    bytes
}

fn failed(doing: &'static str, said: &str) -> GitError {
    GitError::Failed {
        doing,
        said: said.to_owned(),
    }
}
