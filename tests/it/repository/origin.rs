//! A repository for tests: a bare repository, as on a host, and a working copy for commits.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use galley_tests::{folder::Folder, scripts::write_script};
use tempfile::TempDir;

/// A temporary folder with the bare repository and the working copy.
pub struct Origin(TempDir);

impl Origin {
    /// Creates a repository without a commit.
    pub fn new() -> Self {
        let origin = Self(tempfile::tempdir().expect("a temporary folder"));
        let bare = origin.bare();
        let bare = bare.to_str().expect("UTF-8");
        git(
            origin.0.path(),
            &["init", "-q", "--bare", "-b", "main", bare],
        );
        git(origin.0.path(), &["clone", "-q", bare, "work"]);
        // In a clone of an empty repository, the name of the branch depends on the machine's configuration.
        origin.git(&["symbolic-ref", "HEAD", "refs/heads/main"]);
        origin
    }

    /// Creates a repository with one commit of these files.
    pub fn with(files: &[(&str, &str)]) -> Self {
        let origin = Self::new();
        origin.push(files, "First version");
        origin
    }

    /// Returns the path of the bare repository.
    pub fn bare(&self) -> PathBuf {
        self.0.path().join("site.git")
    }

    /// Returns the folder that contains the repository and the working copy.
    pub fn top(&self) -> &Path {
        self.0.path()
    }

    /// Returns the path of the file `path` in the working copy.
    pub fn at(&self, path: &str) -> PathBuf {
        self.0.path().join("work").join(path)
    }

    /// Returns the `file` URL of the repository.
    pub fn url(&self) -> String {
        format!("file://{}", self.bare().display())
    }

    /// Runs git in the working copy, and returns its output.
    pub fn git(&self, arguments: &[&str]) -> String {
        git(&self.at(""), arguments)
    }

    /// Writes a file into the working copy.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
        fs::write(path, text).expect("the file can be written");
    }

    /// Commits all changes in the working copy, and returns the commit.
    pub fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "-q", "--allow-empty", "-m", message]);
        self.head()
    }

    /// Returns the current commit of the working copy.
    pub fn head(&self) -> String {
        self.git(&["rev-parse", "HEAD"]).trim().to_owned()
    }

    /// Sets whether the repository refuses all pushes.
    pub fn refuse_pushes(&self, refuses: bool) {
        if refuses {
            self.hook("pre-receive", "#!/bin/sh\nexit 1\n");
        } else {
            fs::remove_file(self.bare().join("hooks/pre-receive")).expect("the hook is removed");
        }
    }

    /// Installs a script as a hook of the repository.
    pub fn hook(&self, name: &str, script: &str) {
        let hook = self.bare().join("hooks").join(name);
        write_script(&hook, script);
    }

    /// Makes the repository refuse pushes to a branch except from the working copy, until [`Self::refuse_pushes`] resets this.
    pub fn protect(&self, branch: &str) {
        let hook = format!(
            "#!/bin/sh\n[ -z \"$IS_MAINTAINER\" ] || exit 0\nwhile read old new name; do\n  [ $name != refs/heads/{branch} ] || {{ echo \"{branch} is protected\" >&2; exit 1; }}\ndone\n"
        );
        self.hook("pre-receive", &hook);
    }

    /// Writes files, commits and pushes them, and returns the commit.
    pub fn push(&self, files: &[(&str, &str)], message: &str) -> String {
        for (path, text) in files {
            self.write(path, text);
        }
        let commit = self.commit(message);
        self.git(&["push", "-q", "origin", "HEAD:main"]);
        commit
    }
}

/// Returns a site with a configuration that follows the repository at `url` and checks it every `interval` seconds.
pub fn site_of(url: &str, interval: u32, more: &str) -> Folder {
    let folder = Folder::new();
    fs::remove_dir(folder.content()).expect("the folder is empty");
    let top = folder.top().join("galley.toml");
    let text = format!("[source.git]\nurl = \"{url}\"\ninterval = {interval}\n{more}\n");
    fs::write(top, text).expect("the file can be written");
    folder
}

/// Runs git in a folder, with Ada as the author, and returns its output.
pub fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "protocol.file.allow=always",
            "-c",
            "commit.gpgSign=false",
        ])
        .args(arguments)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("IS_MAINTAINER", "yes")
        .envs([
            ("GIT_AUTHOR_NAME", "Ada Lovelace"),
            ("GIT_AUTHOR_EMAIL", "ada@example.com"),
        ])
        .envs([
            ("GIT_COMMITTER_NAME", "Ada Lovelace"),
            ("GIT_COMMITTER_EMAIL", "ada@example.com"),
        ])
        .output()
        .expect("git runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}
