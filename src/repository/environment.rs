//! The environment variables of git: the only means by which a repository, settings and secrets are passed to it.
//!
//! There are two kinds of repositories. [`Environment::of_clone`] is for the clone in the data folder, the only one that
//! connects to other machines. [`Environment::of_isolated`] is for any other repository: git uses it through a git directory
//! of Galley's, and never reads the configuration or the hooks of another person's repository.
//!
//! Secrets are passed in the environment, because other users can read arguments, but not the environment. They are removed
//! from git's output.

use std::{env, ffi::OsString, path::PathBuf, process::Command};

use crate::repository::{GitOptions, error_output};

/// The name of the remote in the clone.
pub const REMOTE: &str = "galley";

/// Environment variables of git that are passed on: those that configure connections to other machines.
const ALLOWED_VARIABLES: [&str; 9] = [
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

/// Variables for every repository: no prompt, no editor, no pager, and no fetching of missing objects.
const VARIABLES: [(&str, &str); 8] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_PAGER", "cat"),
    ("GIT_NO_LAZY_FETCH", "1"),
    // Commands that only read do not lock a person's index to refresh it.
    ("GIT_OPTIONAL_LOCKS", "0"),
    // Some errors are recognised by their English messages.
    ("LC_ALL", "C"),
];

/// Settings for every repository, which override all others.
const SETTINGS: &[(&str, &str)] = &[
    // There is nothing below `/dev/null`, so no hook runs. The monitor of the file system is a
    // program, too.
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("submodule.recurse", "false"),
    // Paths are printed in UTF-8 instead of octal escapes.
    ("core.quotePath", "false"),
    ("i18n.commitEncoding", "UTF-8"),
    ("i18n.logOutputEncoding", "UTF-8"),
    ("log.showSignature", "false"),
    // Garbage is collected only by `Repository::keep`, after the served commit has its ref.
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
];

/// Settings for the clone in the data folder.
const SETTINGS_OF_CLONE: &[(&str, &str)] = &[
    // An installed Git LFS would download the content of each pointer; pointers are reported
    // instead.
    ("filter.lfs.process", ""),
    ("filter.lfs.smudge", ""),
    ("filter.lfs.required", "false"),
    ("fetch.recurseSubmodules", "false"),
    // A server cannot direct git to another repository, except by a redirect of its first response to http or https.
    ("http.followRedirects", "initial"),
    ("transfer.bundleURI", "false"),
    ("fetch.uriProtocols", ""),
    // Files are exactly those of the commit.
    ("core.autocrlf", "false"),
    ("core.attributesFile", "/dev/null"),
    ("core.symlinks", "true"),
    // This program maintains the repository.
    ("core.logAllRefUpdates", "false"),
    ("fetch.writeCommitGraph", "false"),
    ("safe.directory", "*"),
    // A stalled connection is closed. A host that prepares a pack sends a message every few seconds.
    ("http.lowSpeedLimit", "1"),
    ("http.lowSpeedTime", "60"),
];

/// Settings for all other repositories.
const SETTINGS_OF_ISOLATED: &[(&str, &str)] = &[
    ("protocol.allow", "never"),
    ("core.splitIndex", "false"),
    // A commit graph, which only speeds up reading, can contain a history that differs from the commits.
    ("core.commitGraph", "false"),
];

/// The command that sends the commits of a repository on this machine. It permits no protocol, so that a partial clone cannot
/// fetch objects with programs that its configuration names.
const ISOLATED_SENDER: &str = "GIT_ALLOW_PROTOCOL= git-upload-pack";

/// The paths of a repository.
#[derive(Clone)]
pub struct RepositoryPaths {
    /// The git directory.
    pub repository: PathBuf,
    /// The work tree.
    pub tree: PathBuf,
    /// The index file; `None` for that of the git directory.
    pub index: Option<PathBuf>,
}

/// The configuration that git reads in addition to that of the git directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PersonalSettings {
    /// None.
    Ignored,
    /// The configuration of the user that this process runs as, and that of the machine.
    Read,
}

/// The environment variables of git for one repository.
#[derive(Clone)]
pub struct Environment {
    variables: Vec<(String, OsString)>,
    removed: Vec<OsString>,
    secrets: Vec<String>,
}

impl Environment {
    /// Returns the environment for the clone of the repository of `options` at `paths`.
    pub fn of_clone(options: &GitOptions, paths: &RepositoryPaths) -> Self {
        let mut environment = Self::at(paths);
        // The configuration of the user is read, since it has the credential helpers and proxies.
        environment.set("GIT_CONFIG_NOSYSTEM", "1");
        environment.set("GIT_ATTR_NOSYSTEM", "1");
        // All other transports are refused: `ext` runs any program.
        environment.set("GIT_ALLOW_PROTOCOL", "https:http:ssh:git:file");
        // `BatchMode` makes ssh fail instead of prompting, and the intervals end dead connections.
        // A command of the operator is used as it is.
        let has_ssh = ["GIT_SSH", "GIT_SSH_COMMAND"]
            .iter()
            .any(|name| env::var_os(name).is_some());
        if !has_ssh {
            let ssh = "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15";
            environment.set("GIT_SSH_COMMAND", ssh);
        }
        let token = options.token.as_deref();
        let authorization = options.url.authorization(token);
        let mut settings = owned(SETTINGS_OF_CLONE);
        let plain = options.url.plain();
        settings.push((format!("remote.{REMOTE}.url"), plain.to_owned()));
        if options.url.is_local() {
            let program = ISOLATED_SENDER.to_owned();
            settings.push((format!("remote.{REMOTE}.uploadpack"), program));
        }
        if let Some(authorization) = authorization.as_ref().filter(|_| options.url.takes_token()) {
            let header = format!("Authorization: Basic {authorization}");
            settings.push((format!("http.{plain}.extraHeader"), header));
        }
        environment.configure(settings);
        // The value of the header is a secret, too, because Base64 can be decoded.
        environment.secrets = token
            .into_iter()
            .chain(options.url.secrets())
            .chain(authorization.as_deref())
            .filter(|secret| !secret.is_empty())
            .map(str::to_owned)
            .collect();
        environment
    }

    /// Returns the environment for another person's repository with Galley's git directory at `paths`, and these `settings`.
    pub fn of_isolated(
        paths: &RepositoryPaths,
        personal: PersonalSettings,
        settings: &[(String, String)],
    ) -> Self {
        let mut environment = Self::at(paths);
        // File names may contain `*` or begin with `:`, which are patterns otherwise.
        environment.set("GIT_LITERAL_PATHSPECS", "1");
        if personal == PersonalSettings::Ignored {
            environment.set("GIT_CONFIG_GLOBAL", "/dev/null");
            environment.set("GIT_CONFIG_NOSYSTEM", "1");
            environment.set("GIT_ATTR_NOSYSTEM", "1");
        }
        // The fixed settings come last: the last value of a key wins.
        environment.configure([settings, &owned(SETTINGS_OF_ISOLATED)].concat());
        environment
    }

    /// Returns the environment for commands that need no repository and read no configuration unless they name a file.
    pub fn without_repository() -> Self {
        let mut environment = Self::of_user();
        environment.set("GIT_CONFIG_GLOBAL", "/dev/null");
        environment.set("GIT_CONFIG_NOSYSTEM", "1");
        environment
    }

    /// Returns the environment for commands that need no repository and read the configuration of the user.
    pub fn of_user() -> Self {
        let mut environment = Self {
            variables: Vec::new(),
            removed: removed_variables(),
            secrets: Vec::new(),
        };
        for (name, value) in VARIABLES {
            environment.set(name, value);
        }
        if let Some(path) = env::var_os("PATH") {
            environment.set("PATH", absolute_only(&path));
        }
        // Prevents git from searching for a repository.
        environment.set("GIT_DIR", "/dev/null");
        // An empty list permits no transport.
        environment.set("GIT_ALLOW_PROTOCOL", "");
        environment
    }

    fn at(paths: &RepositoryPaths) -> Self {
        let mut environment = Self::of_user();
        environment.set("GIT_DIR", &paths.repository);
        environment.set("GIT_WORK_TREE", &paths.tree);
        if let Some(index) = &paths.index {
            environment.set("GIT_INDEX_FILE", index);
        }
        environment
    }

    fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.variables.push((name.to_owned(), value.into()));
    }

    /// Passes `settings`, and after them those for every repository, because git uses the last value of a key.
    fn configure(&mut self, mut settings: Vec<(String, String)>) {
        settings.extend(owned(SETTINGS));
        self.set("GIT_CONFIG_COUNT", settings.len().to_string());
        for (number, (key, value)) in settings.into_iter().enumerate() {
            self.set(&format!("GIT_CONFIG_KEY_{number}"), key);
            self.set(&format!("GIT_CONFIG_VALUE_{number}"), value);
        }
    }

    /// Sets and removes the variables of a command.
    pub fn apply(&self, command: &mut Command) {
        for name in &self.removed {
            command.env_remove(name);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    /// Returns the last lines of git's error output, without secrets.
    pub fn error_message(&self, operation: &str, error_output: &[u8]) -> String {
        error_output::message(operation, error_output, &self.secrets)
    }
}

/// Returns whether a variable is removed: git's variables, except those that configure connections to other machines.
fn is_removed(name: &str) -> bool {
    // Inherited variables such as `GIT_DIR`, which hooks and other programs set, would change the
    // repository.
    let is_of_git = name.starts_with("GIT_") && !ALLOWED_VARIABLES.contains(&name);
    is_of_git || name == "SSH_ASKPASS"
}

/// Returns the variables of this process that are not passed to git.
fn removed_variables() -> Vec<OsString> {
    env::vars_os()
        .map(|(name, _)| name)
        .filter(|name| is_removed(&name.to_string_lossy()))
        .collect()
}

/// Returns the search path of programs without relative folders, because git runs in folders with files of other people.
fn absolute_only(path: &OsString) -> OsString {
    let folders = env::split_paths(path).filter(|folder| folder.is_absolute());
    // Parts of a search path can always be joined.
    env::join_paths(folders).unwrap_or_default()
}

fn owned(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    let settings = settings.iter();
    settings
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect()
}
