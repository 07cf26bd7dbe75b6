//! Commits edits of content files and pushes them to the branch. Nothing is ever forced.

use std::{fs, path::Path};

use super::{
    GitError,
    commit::Commit,
    program::{PUSHING, REMOTE, TIME_TO_FETCH, TIME_TO_WORK},
    repository::Repository,
};
use crate::{
    domain::{
        file_edit::{Editor, FileEdit},
        secret::Digest,
    },
    sources::public_files::public_path,
};

/// The name and the address of the committer, and the address of authors without one.
const COMMITTER: (&str, &str) = ("Galley", "galley@localhost");

/// The mode of a new file in a tree of git.
const PLAIN_FILE: &str = "100644";

/// The operation in errors.
const DOING: &str = "committing edits";

/// Names of branches with the editor's version of what conflicted begin with this.
const CONFLICTS: &str = "galley/conflict";

/// Number of hexadecimal digits that tell versions of one second apart.
const VERSION_DIGITS: usize = 8;

/// The outcome of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The branch has the commit.
    Pushed,
    /// Somebody else has pushed meanwhile.
    Behind,
}

impl Repository {
    /// Commits edits, one commit each, and returns the last one. The first one's parent is `parent`.
    ///
    /// # Errors
    ///
    /// If git fails or the disk refuses.
    pub fn commit_edits(&self, parent: &Commit, edits: &[FileEdit]) -> Result<Commit, GitError> {
        let mut tip = parent.id.clone();
        self.write_edits(&["read-tree", &tip])?;
        for edit in edits.iter().filter(|edit| !edit.is_empty()) {
            self.stage(edit)?;
            tip = self.commit_index(edit, &[&tip])?;
        }
        self.commit(&tip)
    }

    /// Commits edits of the files of `served` as one commit after both `tip`, the last commit of another branch with earlier
    /// versions of them, and `served`.
    ///
    /// # Errors
    ///
    /// If git fails or the disk refuses.
    pub fn commit_merge(
        &self,
        tip: &Commit,
        served: &Commit,
        edits: &[FileEdit],
    ) -> Result<Commit, GitError> {
        self.write_edits(&["read-tree", &served.id])?;
        for edit in edits.iter().filter(|edit| !edit.is_empty()) {
            self.stage(edit)?;
        }
        match edits.iter().max_by_key(|edit| edit.edited_at) {
            Some(last) => self.commit(&self.commit_index(last, &[&tip.id, &served.id])?),
            None => Ok(tip.clone()),
        }
    }

    /// Commits the index of edits in the name of the editor of `edit`, and returns the commit.
    fn commit_index(&self, edit: &FileEdit, parents: &[&str]) -> Result<String, GitError> {
        let tree = self.write_edits(&["write-tree"])?;
        let (author, email) = author_of(&edit.editor);
        let settings = [
            format!("author.name={author}"),
            format!("author.email={email}"),
            format!("committer.name={}", COMMITTER.0),
            format!("committer.email={}", COMMITTER.1),
        ];
        let mut arguments: Vec<&str> = Vec::new();
        for setting in &settings {
            arguments.extend(["-c", setting]);
        }
        let message = self.message_of(edit);
        arguments.extend(["commit-tree", &tree, "-m", &message]);
        for parent in parents {
            arguments.extend(["-p", parent]);
        }
        self.write_edits(&arguments)
    }

    /// Puts an edit into the index of edits.
    fn stage(&self, edit: &FileEdit) -> Result<(), GitError> {
        for picture in &edit.pictures {
            let picture = self.path_in_repository(picture);
            self.write_edits(&["update-index", "--force-remove", "--", &picture])?;
        }
        let path = self.path_in_repository(&edit.path);
        if let Some(old) = &edit.moved_from {
            let old = self.path_in_repository(old);
            self.write_edits(&["update-index", "--force-remove", "--", &old])?;
        }
        let Some(text) = &edit.after else {
            self.write_edits(&["update-index", "--force-remove", "--", &path])?;
            return Ok(());
        };
        for upload in &edit.uploads {
            // A file that is gone, or that somebody else has committed, is not written.
            let file = self.upload(&public_path(upload));
            let upload = self.path_in_repository(upload);
            let known = self.write_edits(&["ls-files", "--", &upload])?;
            if known.is_empty() && file.is_file() {
                self.stage_file(&file, &upload)?;
            }
        }
        let file = self.edited_file();
        fs::write(&file, text).map_err(|source| GitError::Disk {
            path: file.clone(),
            source,
        })?;
        self.stage_file(&file, &path)
    }

    /// Puts the content of `file` at `path` into the index of edits.
    fn stage_file(&self, file: &Path, path: &str) -> Result<(), GitError> {
        let name = file.to_string_lossy();
        let hash = ["hash-object", "-w", "--no-filters", "--", &name];
        let blob = self.write_edits(&hash)?;
        let known = self.write_edits(&["ls-files", "--stage", "--", path])?;
        let mode = known
            .split(' ')
            .next()
            .filter(|mode| mode.len() == PLAIN_FILE.len());
        let entry = format!("{},{blob},{path}", mode.unwrap_or(PLAIN_FILE));
        self.write_edits(&["update-index", "--add", "--cacheinfo", &entry])?;
        Ok(())
    }

    /// Pushes a commit to a branch.
    ///
    /// # Errors
    ///
    /// If the repository does not respond, or refuses the commit.
    pub fn push(&self, commit: &Commit, branch: &str) -> Result<PushOutcome, GitError> {
        self.push_if(commit, branch, None)
    }

    /// Pushes a commit to a branch that the repository does not have yet.
    ///
    /// # Errors
    ///
    /// If the repository does not respond, or refuses the branch.
    pub fn push_new(&self, commit: &Commit, branch: &str) -> Result<PushOutcome, GitError> {
        // The repository itself makes sure that there is no such branch, so no one's commits are extended or replaced.
        let expected = format!("--force-with-lease=refs/heads/{branch}:");
        self.push_if(commit, branch, Some(&expected))
    }

    fn push_if(
        &self,
        commit: &Commit,
        branch: &str,
        expected: Option<&str>,
    ) -> Result<PushOutcome, GitError> {
        const BEHIND: [&str; 4] = [
            "[rejected]",
            "fetch first",
            "non-fast-forward",
            "cannot lock ref",
        ];
        let what = format!("{}:refs/heads/{branch}", commit.id);
        let mut arguments = vec!["push", "--quiet", "--no-verify"];
        arguments.extend(expected);
        arguments.extend(["--", REMOTE, &what]);
        match self.run(PUSHING, &arguments, TIME_TO_FETCH) {
            Ok(_) => Ok(PushOutcome::Pushed),
            Err(GitError::Failed { said, .. }) if BEHIND.iter().any(|part| said.contains(part)) => {
                Ok(PushOutcome::Behind)
            }
            Err(error) => Err(error),
        }
    }

    /// Pushes the editor's version of an edit in conflict to a branch of its own, whose name it returns. Each version has
    /// another name, so that a branch that exists already has it.
    ///
    /// # Errors
    ///
    /// If git fails, or the repository does not respond or refuses the branch.
    pub fn push_conflict(&self, tip: &Commit, edit: &FileEdit) -> Result<String, GitError> {
        let commit = self.commit_edits(tip, std::slice::from_ref(edit))?;
        let name = edit.path.rsplit('/').next().unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default();
        let is_plain =
            |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        let name: String = name.chars().filter(|letter| is_plain(*letter)).collect();
        let time = edit.edited_at.strftime("%Y%m%d-%H%M%S");
        let version = Digest::of(edit.after.as_deref().unwrap_or_default()).to_hexadecimal();
        let branch = format!("{CONFLICTS}/{name}-{time}-{}", &version[..VERSION_DIGITS]);
        self.push(&commit, &branch)?;
        Ok(branch)
    }

    /// Runs git with the index of edits, and returns what it prints.
    fn write_edits(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.run_with_edits(DOING, arguments, TIME_TO_WORK)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }
}

/// Returns the name and the address of an author, in a form that git accepts.
fn author_of(editor: &Editor) -> (String, String) {
    let clean = |text: &str| -> String {
        let kept = |letter: &char| !letter.is_control() && !matches!(letter, '<' | '>');
        text.chars()
            .filter(kept)
            .collect::<String>()
            .trim()
            .to_owned()
    };
    let name = Some(clean(&editor.name)).filter(|name| !name.is_empty());
    let email = editor.email.as_deref().map(clean);
    (
        name.unwrap_or_else(|| COMMITTER.0.to_owned()),
        email
            .filter(|email| !email.is_empty())
            .unwrap_or_else(|| COMMITTER.1.to_owned()),
    )
}
