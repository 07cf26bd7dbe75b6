//! The project that a folder is or belongs to: its files, and what each of them is.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use super::generator::{Generator, Role};
use crate::{
    domain::post::PostKind,
    error::{Error, Kind, Result},
    import::Report,
    sources::tree::{self, TreeFile},
};

/// How many folders above the given one are looked at for the settings of a generator.
const LEVELS_UP_MAX: usize = 6;

/// A project.
pub struct Project {
    /// Its folder, without symbolic links.
    pub root: PathBuf,
    /// What it is for.
    pub generator: Generator,
    /// The folder that is imported, relative to `root` and with a slash at its end; empty for all of it.
    base: String,
    /// The paths of its files, relative to `root`.
    pub paths: BTreeSet<String>,
    files: Vec<TreeFile>,
}

/// A text that becomes a post or a page.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its path in the project.
    pub path: String,
    /// What it becomes.
    pub kind: PostKind,
    /// Its length, in bytes.
    pub size: u64,
    /// When it was last written, in seconds since 1970.
    pub modified: i64,
}

impl Project {
    /// Finds the project that `folder` is or belongs to, and lists its files. What cannot be listed is reported.
    ///
    /// # Errors
    ///
    /// `Validation` when it is no folder that can be read.
    pub fn open(folder: &Path, report: &mut Report) -> Result<Self> {
        let folder = folder
            .canonicalize()
            .and_then(|path| path.read_dir().map(|_| path))
            .map_err(|error| {
                let message = format!("The folder {} cannot be read: {error}.", folder.display());
                Error::new(Kind::Validation, message)
            })?;
        let (root, generator) = found(&folder);
        let below = folder.strip_prefix(&root).unwrap_or(Path::new(""));
        let mut base = below.to_string_lossy().into_owned();
        if !base.is_empty() {
            base.push('/');
        }
        let tree = tree::walk(&root);
        for problem in &tree.diagnostics {
            report.leave_out(problem.file.clone(), problem.message.clone());
        }
        Ok(Self {
            root,
            generator,
            base,
            paths: tree.files.iter().map(|file| file.path.clone()).collect(),
            files: tree.files,
        })
    }

    /// The texts, in the order of their paths. What looks like one and is none is reported.
    pub fn texts(&self, report: &mut Report) -> Vec<Text> {
        let mut texts = Vec::new();
        for file in self.files.iter().filter(|file| self.is_wanted(file)) {
            match self.role_of(&file.path) {
                Role::Text(kind) => texts.push(Text {
                    path: file.path.clone(),
                    kind,
                    size: file.size,
                    modified: seconds(file.identity.modified_ns),
                }),
                Role::LeftOut(reason) => report.leave_out(file.path.clone(), reason),
                Role::Described | Role::Other => {}
            }
        }
        texts
    }

    /// The files that describe tags, authors, tiers and newsletters.
    pub fn descriptions(&self) -> impl Iterator<Item = &str> {
        let wanted = self.files.iter().filter(|file| self.is_wanted(file));
        wanted
            .map(|file| file.path.as_str())
            .filter(|path| self.role_of(path) == Role::Described)
    }

    /// The folders whose files have their addresses from the top of the site.
    pub fn tops(&self) -> impl Iterator<Item = &str> {
        let own = Some(self.base.trim_end_matches('/')).filter(|base| !base.is_empty());
        self.generator.tops().iter().copied().chain(own)
    }

    fn is_wanted(&self, file: &TreeFile) -> bool {
        file.path.starts_with(&self.base)
    }

    fn role_of(&self, path: &str) -> Role {
        let role = self.generator.role_of(path);
        if self.generator == Generator::Hugo && self.is_of_bundle(path) {
            return match role {
                Role::Text(_) => Role::LeftOut("it belongs to the page whose folder it lies in"),
                other => other,
            };
        }
        // Who names a folder means what is in it, wherever the generator would look.
        match (role, path.strip_prefix(&self.base)) {
            (Role::Other, Some(below)) if !self.base.is_empty() => Generator::Plain.role_of(below),
            (role, _) => role,
        }
    }

    /// Whether a file lies in the folder of another text, as in Hugo's bundles.
    fn is_of_bundle(&self, path: &str) -> bool {
        let Some((folder, file)) = path.rsplit_once('/') else {
            return false;
        };
        let is_index = file.starts_with("index.");
        // The folder of an index file is its own; those above may be another text's.
        let first = if is_index { 1 } else { 0 };
        let folders: Vec<&str> = folder.split('/').collect();
        (2..=folders.len() - first.min(folders.len()))
            .any(|count| self.has_index(&folders[..count].join("/")))
    }

    fn has_index(&self, folder: &str) -> bool {
        ["md", "markdown", "html"]
            .iter()
            .any(|extension| self.paths.contains(&format!("{folder}/index.{extension}")))
    }
}

/// The folder of the project that `folder` is or belongs to, and what it is for.
fn found(folder: &Path) -> (PathBuf, Generator) {
    for root in folder.ancestors().take(LEVELS_UP_MAX) {
        if let Some(generator) = Generator::by_settings(root) {
            return (root.to_owned(), generator);
        }
    }
    (folder.to_owned(), Generator::by_folders(folder))
}

fn seconds(nanoseconds: i128) -> i64 {
    i64::try_from(nanoseconds.div_euclid(1_000_000_000)).unwrap_or(0)
}
