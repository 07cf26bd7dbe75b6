//! Commits edits of content files and pushes them to the branch. Nothing is ever forced.

use crate::{
    content_files::{Commit, public_files::public_path},
    domain::{file_edit::FileEdit, secret::Digest},
    repository::{
        GitError, clone::Repository, environment::REMOTE, error_output::PUSHING,
        options::CONFLICTS, program::TIME_TO_FETCH,
    },
};

/// Number of hexadecimal digits that distinguish versions of the same second.
const VERSION_DIGITS: usize = 8;

/// The outcome of a push.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PushOutcome {
    /// The branch contains the commit.
    Pushed,
    /// Another client has pushed meanwhile.
    Behind,
}

impl Repository {
    /// Commits edits on top of `parent`, one commit each, and returns the last commit.
    ///
    /// # Errors
    ///
    /// If git fails or an I/O error occurs.
    pub fn commit_edits(&self, parent: &Commit, edits: &[FileEdit]) -> Result<Commit, GitError> {
        let mut tip = parent.id.clone();
        self.edits().read(Some(&tip))?;
        for edit in edits.iter().filter(|edit| !edit.is_empty()) {
            self.stage(edit)?;
            tip = self.edits().commit(edit, &[&tip])?;
        }
        self.commit(&tip)
    }

    /// Commits edits of the files of `served` as one merge commit. Its parents are `tip`, the last commit of another branch
    /// with earlier versions of the edits, and `served`.
    ///
    /// # Errors
    ///
    /// If git fails or an I/O error occurs.
    pub fn commit_merge(
        &self,
        tip: &Commit,
        served: &Commit,
        edits: &[FileEdit],
    ) -> Result<Commit, GitError> {
        self.edits().read(Some(&served.id))?;
        for edit in edits.iter().filter(|edit| !edit.is_empty()) {
            self.stage(edit)?;
        }
        match edits.iter().max_by_key(|edit| edit.edited_at) {
            Some(last) => self.commit(&self.edits().commit(last, &[&tip.id, &served.id])?),
            None => Ok(tip.clone()),
        }
    }

    /// Stages an edit in the index of edits.
    fn stage(&self, edit: &FileEdit) -> Result<(), GitError> {
        let index = self.edits();
        for image in &edit.images {
            index.remove(&index.path_in_repository(image))?;
        }
        let path = index.path_in_repository(&edit.path);
        if let Some(old) = &edit.moved_from {
            index.remove(&index.path_in_repository(old))?;
        }
        let Some(text) = &edit.after else {
            return index.remove(&path);
        };
        for upload in &edit.uploads {
            // A file that no longer exists, or that is committed already, is not added.
            let file = self.upload(&public_path(upload));
            let upload = index.path_in_repository(upload);
            if index.entry(&upload)?.is_none() && file.is_file() {
                index.put_file(&upload, &file)?;
            }
        }
        index.put_text(&path, text)
    }

    /// Pushes a commit to a branch.
    ///
    /// # Errors
    ///
    /// If the repository does not respond, or refuses the commit; or if another process is the leader.
    pub fn push(&self, commit: &Commit, branch: &str) -> Result<PushOutcome, GitError> {
        self.push_if(commit, branch, None)
    }

    /// Pushes a commit to a new branch of the repository.
    ///
    /// # Errors
    ///
    /// If the repository does not respond, or refuses the branch.
    pub fn push_new(&self, commit: &Commit, branch: &str) -> Result<PushOutcome, GitError> {
        // The repository itself verifies that the branch does not exist, so no other commits are extended or replaced.
        let expected = format!("--force-with-lease=refs/heads/{branch}:");
        self.push_if(commit, branch, Some(&expected))
    }

    fn push_if(
        &self,
        commit: &Commit,
        branch: &str,
        expected: Option<&str>,
    ) -> Result<PushOutcome, GitError> {
        // Git's messages if the branch has other commits, or moved during the push. They are in
        // English because of `LC_ALL`.
        const BEHIND: [&str; 4] = [
            "[rejected]",
            "fetch first",
            "non-fast-forward",
            "cannot lock ref",
        ];
        // Without `+`, the server accepts only descendants of the branch.
        let refspec = format!("{}:refs/heads/{branch}", commit.id);
        let mut arguments = vec!["push", "--quiet", "--no-verify"];
        arguments.extend(expected);
        arguments.extend(["--", REMOTE, &refspec]);
        // Directly before the push: the new leader pushes the same edits.
        self.site.check_lead()?;
        match self.run(PUSHING, &arguments, TIME_TO_FETCH) {
            Ok(_) => Ok(PushOutcome::Pushed),
            Err(GitError::Failed { message, .. })
                if BEHIND.iter().any(|part| message.contains(part)) =>
            {
                Ok(PushOutcome::Behind)
            }
            Err(error) => Err(error),
        }
    }

    /// Pushes the editor's version of a conflicting edit to a separate branch, and returns the name of the branch. The name
    /// depends on the version, so an existing branch of that name contains it already.
    ///
    /// # Errors
    ///
    /// If git fails, or the repository does not respond or refuses the branch.
    pub fn push_conflict(&self, tip: &Commit, edit: &FileEdit) -> Result<String, GitError> {
        let commit = self.commit_edits(tip, std::slice::from_ref(edit))?;
        let name = edit.path.rsplit('/').next().unwrap_or_default();
        let name = name.split('.').next().unwrap_or_default();
        // The file name is only for people: what is not plain ASCII could be invalid in the name of
        // a branch.
        let is_plain = |character: char| {
            character.is_ascii_alphanumeric() || character == '-' || character == '_'
        };
        let name: String = name
            .chars()
            .filter(|character| is_plain(*character))
            .collect();
        let time = edit.edited_at.strftime("%Y%m%d-%H%M%S");
        // The time has whole seconds. Two conflicts of one post within a second once shared a
        // branch, and the second push was refused.
        let version = Digest::of(edit.after.as_deref().unwrap_or_default()).to_hexadecimal();
        let branch = format!("{CONFLICTS}/{name}-{time}-{}", &version[..VERSION_DIGITS]);
        self.push(&commit, &branch)?;
        Ok(branch)
    }
}
