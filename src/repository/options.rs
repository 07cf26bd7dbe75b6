//! Options of the followed repository.

use std::{fmt, str::FromStr, time::Duration};

use jiff::Timestamp;

use crate::{
    content_files::{ContentFiles, GitReport, WriteBack},
    domain::{file_edit::FileEdit, secret::Digest},
    repository::repository_url::RepositoryUrl,
    write_back::NewFiles,
};

/// Maximum length of the name of a branch or a folder, in bytes.
const NAME_BYTES_MAX: usize = 1024;

/// The options of the followed repository.
#[derive(Clone)]
pub struct GitOptions {
    /// Its URL.
    pub url: RepositoryUrl,
    /// The branch; `None` for the default branch.
    pub branch: Option<BranchName>,
    /// The folder with the content files in the repository; `None` for its root.
    pub path: Option<FolderInRepository>,
    /// The polling interval.
    pub interval: Duration,
    /// The access token for HTTPS.
    pub token: Option<String>,
    /// The secret of push webhooks.
    pub secret: Option<String>,
    /// Whether the history supplies missing dates and authors of posts and pages.
    pub history: bool,
    /// Settings of the content folder.
    pub content_files: ContentFiles,
    /// Whether edits become commits, which are pushed to the branch.
    pub pushes: bool,
    /// The paths of new files.
    pub new_files: NewFiles,
    /// The options for committing edits.
    pub commits: CommitOptions,
    /// The branch for review of edits that the followed branch refuses for some time.
    pub review: Option<ReviewOptions>,
}

impl fmt::Debug for GitOptions {
    /// Omits the token and the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GitOptions")
            .field("url", &self.url)
            .field("branch", &self.branch)
            .field("path", &self.path)
            .field("interval", &self.interval)
            .field("history", &self.history)
            .finish_non_exhaustive()
    }
}

impl GitOptions {
    /// Returns the status before the first pull.
    pub(super) fn report(&self) -> GitReport {
        GitReport {
            url: self.url.shown().to_owned(),
            branch: self.branch.as_ref().map(|name| name.as_str().to_owned()),
            path: self
                .path
                .as_ref()
                .map(FolderInRepository::as_str)
                .map(str::to_owned),
            served: None,
            refused: None,
            fetched_at: None,
            failure: None,
            waiting_edits: 0,
            conflict_branches: Vec::new(),
            reviews: Vec::new(),
        }
    }

    /// Returns the target of edits.
    pub(super) fn write_back(&self) -> WriteBack {
        if self.pushes {
            WriteBack::Push
        } else {
            WriteBack::Off
        }
    }

    /// Returns a text that identifies the repository, since the stored state of another repository does not
    /// apply.
    pub(super) fn identity(&self) -> String {
        let branch = self.branch.as_ref().map_or("", BranchName::as_str);
        let path = self.path.as_ref().map_or("", FolderInRepository::as_str);
        format!("{}\n{branch}\n{path}", self.url.shown())
    }
}

/// The options for committing edits.
#[derive(Clone, Debug)]
pub struct CommitOptions {
    /// Time without another save of a post before it is committed.
    pub settle: Duration,
    /// The messages.
    pub message: CommitMessage,
}

impl CommitOptions {
    /// Returns the time at which an edit has settled, if it is not continued.
    pub(super) fn settled_at(&self, edit: &FileEdit) -> Timestamp {
        let settled_at = edit.edited_at.saturating_add(self.settle);
        settled_at.unwrap_or(Timestamp::MAX)
    }

    /// Returns the time from `now` until the next of these edits settles; [`Duration::MAX`] if all have settled.
    pub(super) fn until_settled(&self, waiting: &[FileEdit], now: Timestamp) -> Duration {
        let times = waiting
            .iter()
            .filter_map(|edit| Duration::try_from(self.settled_at(edit).duration_since(now)).ok());
        // Settled edits may have to wait for other reasons, such as a refused commit; counting them
        // would make the caller run without a pause.
        let ahead = times.filter(|time| !time.is_zero());
        ahead.min().unwrap_or(Duration::MAX)
    }
}

/// A template for the messages of commits of edits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitMessage(String);

/// The template is empty or has an unknown placeholder.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("a text, in which {{action}}, {{title}}, {{path}} and {{author}} are replaced")]
pub struct CommitMessageError;

impl CommitMessage {
    /// Returns the message of an edit's commit. Control characters in values are omitted.
    pub(super) fn of(&self, edit: &FileEdit) -> String {
        let values = [
            edit.kind().verb(),
            &*edit.title,
            &*edit.path,
            &*edit.editor.name,
        ];
        let mut message = String::new();
        let mut rest = self.0.as_str();
        while let Some((before, behind)) = rest.split_once('{') {
            message.push_str(before);
            // `from_str` accepts no template with an open brace.
            let Some((name, behind)) = behind.split_once('}') else {
                break;
            };
            let known = PLACEHOLDERS.iter().position(|known| *known == name);
            let value = known.map_or("", |index| values[index]);
            message.extend(value.chars().filter(|character| !character.is_control()));
            rest = behind;
        }
        message + rest
    }
}

/// The placeholders of a commit message.
const PLACEHOLDERS: [&str; 4] = ["action", "title", "path", "author"];

impl FromStr for CommitMessage {
    type Err = CommitMessageError;

    fn from_str(text: &str) -> Result<Self, CommitMessageError> {
        let mut opened = text.split('{');
        let is_plain = |text: &str| !text.contains('}');
        let are_known = opened.next().is_none_or(is_plain)
            && opened.all(|part| {
                part.split_once('}')
                    .is_some_and(|(name, rest)| PLACEHOLDERS.contains(&name) && is_plain(rest))
            });
        let is_text = !text.trim().is_empty() && !text.contains('\0');
        (are_known && is_text)
            .then(|| Self(text.to_owned()))
            .ok_or(CommitMessageError)
    }
}

/// The prefix of branches with the editor's version of conflicting edits.
pub const CONFLICTS: &str = "galley/conflict";

/// A valid name of a branch, by the rules of git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchName(String);

/// The name of a branch is invalid.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the name of a branch, such as main")]
pub struct BranchNameError;

impl BranchName {
    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BranchName {
    type Err = BranchNameError;

    fn from_str(text: &str) -> Result<Self, BranchNameError> {
        let is_plain =
            |part: &str| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock");
        let is_odd = |character: char| {
            character.is_control()
                || matches!(character, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\')
        };
        // The rules of `git check-ref-format`. A leading dash would be an option on the command
        // line.
        let is_name = text.len() <= NAME_BYTES_MAX
            && !text.starts_with('-')
            && !text.ends_with('.')
            && !text.contains("..")
            && !text.contains("@{")
            && !text.contains(is_odd)
            && text.split('/').all(is_plain);
        is_name
            .then(|| Self(text.to_owned()))
            .ok_or(BranchNameError)
    }
}

/// The branch for edits that the followed branch refuses.
#[derive(Clone, Debug)]
pub struct ReviewOptions {
    /// The name of the branch.
    pub branch: ReviewBranchName,
    /// The time for which the followed branch must have refused edits.
    pub after: Duration,
}

/// A template for the names of branches for review.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewBranchName(String);

/// The template is not a name of a branch, or has an unknown placeholder.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the name of a branch, such as galley/review or galley/{{path}}")]
pub struct ReviewBranchNameError;

impl ReviewBranchName {
    /// The placeholder for the path of the edited file.
    const PATH: &str = "{path}";

    /// Returns the name of the branch for edits of the file at `path`.
    pub(super) fn of(&self, path: &str) -> String {
        let plain = |character: char| match character {
            '-' | '_' | '.' | '/' => character,
            _ if character.is_alphanumeric() => character,
            _ => '-',
        };
        let path: String = path.chars().map(plain).collect();
        // Git permits neither a part that begins with a dot nor `..`.
        let parts = path.split('/').map(|part| part.trim_matches('.'));
        let path = parts.collect::<Vec<_>>().join("/").replace("..", "-");
        let name = self.0.replace(Self::PATH, &path);
        match name.parse::<BranchName>() {
            Ok(name) => name.0,
            // The path is too long, or nothing valid is left of a part of it.
            Err(_) => self
                .0
                .replace(Self::PATH, Digest::of(&path).to_hexadecimal().as_str()),
        }
    }
}

impl FromStr for ReviewBranchName {
    type Err = ReviewBranchNameError;

    fn from_str(text: &str) -> Result<Self, ReviewBranchNameError> {
        let example = text.replace(Self::PATH, "posts/ferry.md");
        let is_name = !example.contains(['{', '}']) && example.parse::<BranchName>().is_ok();
        is_name
            .then(|| Self(text.to_owned()))
            .ok_or(ReviewBranchNameError)
    }
}

/// A folder in a repository, relative to its root, with the separator `/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderInRepository(String);

/// The path of a folder in a repository is invalid.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the path of a folder in the repository, such as site/content")]
pub struct FolderError;

impl FolderInRepository {
    /// Returns the path.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for FolderInRepository {
    type Err = FolderError;

    fn from_str(text: &str) -> Result<Self, FolderError> {
        let is_plain = |part: &str| !matches!(part, "" | "." | ".." | ".git");
        let path = text.trim_start_matches("./").trim_end_matches('/');
        let is_path = path.len() <= NAME_BYTES_MAX
            && !path.contains(char::is_control)
            && path.split('/').all(is_plain);
        is_path.then(|| Self(path.to_owned())).ok_or(FolderError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commit_messages_have_known_placeholders_only() {
        for template in ["Edit", "{action}: {title}\n\nIn {path}, by {author}"] {
            assert!(template.parse::<CommitMessage>().is_ok(), "{template}");
        }
        for template in ["", " ", "{titel}", "{title", "title}", "{}", "{{title}}"] {
            assert!(template.parse::<CommitMessage>().is_err(), "{template}");
        }
    }

    #[test]
    fn branches_for_review_are_named_by_paths_as_git_allows() {
        let name =
            |template: &str, path: &str| template.parse::<ReviewBranchName>().unwrap().of(path);
        assert_eq!(
            name("galley/{path}", "posts/ferry.md"),
            "galley/posts/ferry.md"
        );
        assert_eq!(name("review", "posts/ferry.md"), "review");
        assert_eq!(
            name("x/{path}", "posts/.a b..c/~d.md"),
            "x/posts/a-b-c/-d.md"
        );
        assert_eq!(name("x/{path}", "a/.../b").len(), "x/".len() + 64);
        for template in ["", "a b", "{slug}", "x/{path", "{path}..", "-{path}"] {
            assert!(template.parse::<ReviewBranchName>().is_err(), "{template}");
        }
    }

    #[test]
    fn branches_and_folders_cannot_be_options_or_traverse_paths() {
        for name in ["main", "feature/a-b", "v1.2"] {
            assert_eq!(name.parse::<BranchName>().unwrap().as_str(), name);
        }
        for name in [
            "", "-x", "a..b", "a b", "/a", "a/", "a.lock", "a:b", "HEAD^", "a\nb",
        ] {
            assert!(name.parse::<BranchName>().is_err(), "{name}");
        }
        assert_eq!(
            "./site/".parse::<FolderInRepository>().unwrap().as_str(),
            "site"
        );
        for path in ["", "/", "..", "a/../b", "/etc", "a//b", ".git"] {
            assert!(path.parse::<FolderInRepository>().is_err(), "{path}");
        }
    }
}
