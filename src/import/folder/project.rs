//! The project that contains the imported folder: its files and their roles.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    content_files,
    content_files::{
        ContentFiles, FileKind, Layout, folder_files,
        folder_files::{Tree, TreeFile},
    },
    error::{Error, Kind, Result},
    generators::Role,
    import::Report,
};

/// A project of a generator, or a plain folder.
pub struct Project {
    /// Its folder, without symbolic links.
    pub root: PathBuf,
    /// The roles of its files.
    pub layout: Arc<Layout>,
    /// The folder that is imported, relative to `root`, with a trailing slash; empty for the whole project.
    base: String,
    /// The paths of its files, relative to `root`.
    pub paths: BTreeSet<String>,
    files: Vec<TreeFile>,
}

/// A document that becomes a post or a page.
#[derive(Clone, Debug)]
pub struct ProjectDocument {
    /// Its path in the project.
    pub path: String,
    /// Its length, in bytes.
    pub size: u64,
    /// Time at which it was last written, in seconds since 1970.
    pub modified: i64,
}

impl Project {
    /// Finds the project that contains `folder`, and lists its files. Reports files that cannot be listed.
    ///
    /// # Errors
    ///
    /// `Validation` if the folder cannot be read.
    pub fn open(folder: &Path, options: &ContentFiles, report: &mut Report) -> Result<Self> {
        let folder = folder
            .canonicalize()
            .and_then(|path| path.read_dir().map(|_| path))
            .map_err(|error| {
                let message = format!("The folder {} cannot be read: {error}.", folder.display());
                Error::new(Kind::Validation, message)
            })?;
        let (root, layout, tree) = detected(&folder, options);
        let below = folder.strip_prefix(&root).unwrap_or(Path::new(""));
        let mut base = below.to_string_lossy().into_owned();
        if !base.is_empty() {
            base.push('/');
        }
        for problem in &tree.diagnostics {
            report.leave_out(problem.file.clone(), problem.message.clone());
        }
        let listed = tree.files.iter().map(|file| file.path.as_str());
        for problem in content_files::project_problems(&layout) {
            let message = match problem.detail {
                Some(detail) => format!("{}: {detail}", problem.message),
                None => problem.message,
            };
            report.leave_out(problem.file, message);
        }
        Ok(Self {
            root,
            layout: Arc::new(layout),
            base,
            paths: listed.map(str::to_owned).collect(),
            files: tree.files,
        })
    }

    /// Returns the documents, sorted by path. Reports the files that are left out.
    pub fn documents(&self, report: &mut Report) -> Vec<ProjectDocument> {
        let mut documents = Vec::new();
        for file in self.files.iter().filter(|file| self.is_in_base(file)) {
            let is_template = self.layout.reason(&file.path).role == Role::Template;
            if is_template && self.layout.builds_page(&self.root, &file.path) {
                let title = self.layout.profile().title;
                report.leave_out(file.path.clone(), format!("it is a template of {title}"));
                continue;
            }
            if let Some(omission) = self.layout.omission_of(&file.path) {
                if !omission.is_expected {
                    let reason = match omission.reason.as_ref() {
                        "" => "it is outside of the folders of documents",
                        reason => reason,
                    };
                    report.leave_out(file.path.clone(), reason);
                }
                continue;
            }
            match self.layout.kind_of(&file.path) {
                Some(FileKind::Post | FileKind::Page) => documents.push(ProjectDocument {
                    path: file.path.clone(),
                    size: file.size,
                    modified: seconds(file.identity.modified_ns),
                }),
                Some(FileKind::Site) => {
                    report.leave_out(file.path.clone(), "settings of the site are not imported");
                }
                _ => {}
            }
        }
        documents
    }

    /// Returns the files that describe tags, authors, tiers and newsletters.
    pub fn descriptions(&self) -> impl Iterator<Item = &str> {
        let is_described = |path: &&str| {
            matches!(
                self.layout.kind_of(path),
                Some(FileKind::Author | FileKind::Tag | FileKind::Tier | FileKind::Newsletter)
            )
        };
        let files = self.files.iter().filter(|file| self.is_in_base(file));
        files.map(|file| file.path.as_str()).filter(is_described)
    }

    fn is_in_base(&self, file: &TreeFile) -> bool {
        file.path.starts_with(&self.base)
    }
}

/// Returns the root of the project that contains `folder`, its layout and its files. The layout is the one with which
/// `folder` is served. If the project starts above `folder`, the files are those of the whole project, since documents
/// may refer to them.
fn detected(folder: &Path, options: &ContentFiles) -> (PathBuf, Layout, Tree) {
    let options = options.clone().or_of_site(folder);
    let tree = folder_files::walk(folder);
    let layout = Layout::of_content(folder, paths_of(&tree), &options);
    // The base ends with a slash, so this is the number of its folders.
    let levels = layout.base().matches('/').count();
    match folder.ancestors().nth(levels) {
        Some(root) if levels > 0 => {
            let tree = folder_files::walk(root);
            let project = content_files::Project::named(layout.generator(), root);
            let options = options.below(layout.base());
            let layout = Layout::new(project, options, paths_of(&tree));
            (root.to_owned(), layout, tree)
        }
        _ => (folder.to_owned(), layout, tree),
    }
}

fn paths_of(tree: &Tree) -> impl Iterator<Item = &str> + Clone {
    tree.files.iter().map(|file| file.path.as_str())
}

fn seconds(nanoseconds: i128) -> i64 {
    i64::try_from(nanoseconds.div_euclid(1_000_000_000)).unwrap_or(0)
}
