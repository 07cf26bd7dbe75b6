//! A separate git index, in which edits of content files are committed. No index of another program is modified.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    domain::file_edit::{Editor, FileEdit},
    repository::{
        GitError,
        options::{CommitMessage, FolderInRepository},
        program::{Program, TIME_TO_WORK},
    },
};

/// The name and the e-mail address of the committer, which are also the defaults for authors.
const COMMITTER: (&str, &str) = ("Galley", "galley@localhost");

/// The mode of a new file in a tree of git.
const PLAIN_FILE: &str = "100644";

/// The operation in errors.
const DOING: &str = "committing edits";

/// A file in a tree or an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its mode.
    pub mode: String,
    /// The object id of its content.
    pub blob: String,
}

impl Entry {
    /// Parses the output of git for one file: mode, object id and more, separated by spaces or tabs.
    pub fn parse(listed: &str) -> Option<Self> {
        let mut words = listed.split([' ', '\t']);
        let (mode, blob) = (words.next()?, words.next()?);
        (!blob.is_empty()).then(|| Self {
            mode: mode.to_owned(),
            blob: blob.to_owned(),
        })
    }

    /// Returns whether it is a regular file, not a symbolic link or a submodule.
    pub fn is_file(&self) -> bool {
        self.mode.len() == PLAIN_FILE.len() && self.mode.starts_with("100")
    }
}

/// Git with a separate index.
pub struct EditIndex {
    program: Program,
    /// The file from which git reads a text.
    text_file: PathBuf,
    /// The folder with the content files in the repository.
    path: Option<FolderInRepository>,
    message: CommitMessage,
    /// Whether contents are converted according to the attributes of the files.
    converts: bool,
}

impl EditIndex {
    /// Creates the index of `program`, which reads texts from the file `text_file`. The content folder is at `path` in
    /// the repository.
    pub fn new(
        program: Program,
        text_file: PathBuf,
        path: Option<FolderInRepository>,
        message: CommitMessage,
    ) -> Self {
        Self {
            program,
            text_file,
            path,
            message,
            converts: false,
        }
    }

    /// Converts contents according to the attributes of the files, as in a person's own work tree.
    pub fn converting(self) -> Self {
        Self {
            converts: true,
            ..self
        }
    }

    /// Returns the path in the repository of a path in the content folder.
    pub fn path_in_repository(&self, path: &str) -> String {
        match &self.path {
            Some(folder) => format!("{}/{path}", folder.as_str()),
            None => path.to_owned(),
        }
    }

    /// Replaces the index with the tree of a commit; `None` empties it.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn read(&self, commit: Option<&str>) -> Result<(), GitError> {
        self.run(&["read-tree", commit.unwrap_or("--empty")])
            .map(drop)
    }

    /// Returns the entry of the index at a path in the repository.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn entry(&self, path: &str) -> Result<Option<Entry>, GitError> {
        // A path may contain the special characters of patterns: `notes/[draft].md`.
        let known = self.run(&["--literal-pathspecs", "ls-files", "--stage", "--", path])?;
        Ok(Entry::parse(&known))
    }

    /// Removes a path in the repository from the index.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn remove(&self, path: &str) -> Result<(), GitError> {
        self.run(&["update-index", "--force-remove", "--", path])
            .map(drop)
    }

    /// Stages a text at a path in the repository.
    ///
    /// # Errors
    ///
    /// If git fails or an I/O error occurs.
    pub fn put_text(&self, path: &str, text: &str) -> Result<(), GitError> {
        self.put_content(path, text.as_bytes())
    }

    /// Stages content at a path in the repository.
    ///
    /// # Errors
    ///
    /// If git fails or an I/O error occurs.
    pub fn put_content(&self, path: &str, content: &[u8]) -> Result<(), GitError> {
        fs::write(&self.text_file, content).map_err(|source| GitError::Disk {
            path: self.text_file.clone(),
            source,
        })?;
        self.put_file(path, &self.text_file)
    }

    /// Stages the content of `file` at a path in the repository.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn put_file(&self, path: &str, file: &Path) -> Result<(), GitError> {
        let name = file.to_string_lossy();
        // In the clone, content is stored as it is: a filter of the user must not run because a
        // commit's attributes name it.
        let filters = if self.converts {
            format!("--path={path}")
        } else {
            "--no-filters".to_owned()
        };
        let blob = self.run(&["hash-object", "-w", &filters, "--", &name])?;
        // An existing file retains its mode, such as the executable bit.
        let known = self.entry(path)?.map(|known| known.mode);
        let mode = known.unwrap_or_else(|| PLAIN_FILE.to_owned());
        self.put_entry(path, &Entry { mode, blob })
    }

    /// Stages an entry at a path in the repository.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn put_entry(&self, path: &str, entry: &Entry) -> Result<(), GitError> {
        // The path comes last, so it may contain commas.
        let entry = format!("{},{},{path}", entry.mode, entry.blob);
        self.run(&["update-index", "--add", "--cacheinfo", &entry])
            .map(drop)
    }

    /// Commits the index with the editor of `edit` as the author, and returns the id of the commit.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn commit(&self, edit: &FileEdit, parents: &[&str]) -> Result<String, GitError> {
        let tree = self.run(&["write-tree"])?;
        let (author, email) = author_of(&edit.editor);
        // As settings, because the environment of git has no `GIT_AUTHOR_NAME` and the like.
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
        let message = self.message.of(edit);
        arguments.extend(["commit-tree", &tree, "-m", &message]);
        for parent in parents {
            arguments.extend(["-p", parent]);
        }
        self.run(&arguments)
    }

    /// Runs git with the index, and returns its output.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn run(&self, arguments: &[&str]) -> Result<String, GitError> {
        let output = self.program.run(DOING, arguments, TIME_TO_WORK)?;
        Ok(String::from_utf8_lossy(&output).trim().to_owned())
    }

    /// Returns the content of a file of the index, converted as for the work tree; `None` if it is not UTF-8.
    ///
    /// # Errors
    ///
    /// If git fails.
    pub fn text(&self, path: &str) -> Result<Option<String>, GitError> {
        let name = format!(":{path}");
        let arguments = ["cat-file", "--filters", &name];
        let content = self.program.run(DOING, &arguments, TIME_TO_WORK)?;
        Ok(String::from_utf8(content).ok())
    }
}

/// Returns the name and the e-mail address of an author, in a form that git accepts.
fn author_of(editor: &Editor) -> (String, String) {
    let clean = |text: &str| -> String {
        // In a commit, `<` and `>` delimit the e-mail address, and a line break would begin another
        // header.
        let allowed = |character: &char| !character.is_control() && !matches!(character, '<' | '>');
        text.chars()
            .filter(allowed)
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
