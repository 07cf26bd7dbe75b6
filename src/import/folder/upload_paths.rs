//! Chooses the paths under which files of a project are stored among the uploads.
//!
//! The path is derived from the path in the project: `static/img/quay.png` becomes `images/img/quay.png`, and
//! `content/posts/ferry/deck.jpg` becomes `images/posts/ferry/deck.jpg`. So an image has the same URL after every
//! import. An existing file with other content is never replaced; the new file gets a number.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    path::PathBuf,
    sync::{Mutex, OnceLock, PoisonError},
};

use super::project::Project;
use crate::{
    content_files::public_files::AssetKind,
    error::{Error, Result},
    import::{files::numbered, uploads::are_same_files},
    uploads::{Uploads, is_unavailable},
};

/// Generic folder names, which are dropped from the start of a path.
const GENERIC_FOLDERS: [&str; 7] = [
    "assets", "content", "files", "images", "img", "media", "uploads",
];

/// The folder of images that holds resized variants.
const VARIANTS: &str = "size";

/// The files of a project that may be uploaded.
pub struct UploadPaths {
    root: PathBuf,
    uploads: Uploads,
    /// The preferred path of each file, among the uploads.
    preferred: HashMap<String, String>,
    taken: BTreeSet<String>,
    /// The paths chosen so far. Converter threads resolve links in parallel, hence the lock.
    chosen: Mutex<HashMap<String, String>>,
    /// The error of a bucket that was unavailable while paths were chosen.
    unavailable: OnceLock<io::Error>,
}

impl UploadPaths {
    /// Returns the paths for the files of `project` among the uploads.
    pub fn of(project: &Project, uploads: &Uploads) -> Self {
        let mut preferred = HashMap::new();
        let mut taken = BTreeSet::new();
        for path in &project.paths {
            let Some(kind) = AssetKind::of(path) else {
                continue;
            };
            let served: Vec<String> = project.layout.served_folders(path).collect();
            let served: Vec<&str> = served.iter().map(String::as_str).collect();
            let target = format!("{}/{}", kind.folder(), normal_path(path, &served));
            let target = candidates(&target)
                .find(|target| !taken.contains(target))
                .expect("the numbers have no end");
            taken.insert(target.clone());
            preferred.insert(path.clone(), target);
        }
        Self {
            root: project.root.clone(),
            uploads: uploads.clone(),
            preferred,
            taken,
            chosen: Mutex::default(),
            unavailable: OnceLock::new(),
        }
    }

    /// Returns the path among the uploads for the file at `path` of the project; `None` if it cannot be uploaded.
    pub fn target_of(&self, path: &str) -> Option<String> {
        let preferred = self.preferred.get(path)?;
        // Held while files are compared, so that no two threads compare the same file.
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(target) = chosen.get(path) {
            return Some(target.clone());
        }
        let source = self.root.join(path);
        let is_free = |target: &String| {
            // A numbered path may be the preferred path of another file that has not been requested
            // yet.
            let is_others = target != preferred && self.taken.contains(target);
            let is_same = || match self.uploads.find(target) {
                // A folder is not an upload, but occupies the path.
                Ok(None) => !self.uploads.path(target).exists(),
                Ok(Some(path)) => are_same_files(&source, &path).unwrap_or(false),
                Err(error) if is_unavailable(&error) => {
                    self.unavailable.get_or_init(|| error);
                    // No numbered path can be checked either. `files_at` returns the error.
                    true
                }
                Err(_) => false,
            };
            !is_others && is_same()
        };
        let target = candidates(preferred).find(is_free)?;
        chosen.insert(path.to_owned(), target.clone());
        Some(target)
    }

    /// Returns the files at `paths` of the project, by their paths among the uploads.
    ///
    /// # Errors
    ///
    /// If the bucket of uploads was unavailable, so that some paths may be those of other files.
    pub fn files_at(&self, paths: &BTreeSet<String>) -> Result<BTreeMap<String, PathBuf>> {
        let files = paths
            .iter()
            .filter_map(|path| Some((self.target_of(path)?, self.root.join(path))))
            .collect();
        match self.unavailable.get() {
            Some(error) => Err(Error::internal(io::Error::new(
                error.kind(),
                error.to_string(),
            ))),
            None => Ok(files),
        }
    }
}

/// Returns the path of a file without the leading folders that only its generator needs.
fn normal_path(path: &str, served_folders: &[&str]) -> String {
    let below_folder = served_folders
        .iter()
        .filter(|folder| !folder.is_empty())
        .find_map(|folder| path.strip_prefix(folder)?.strip_prefix('/'));
    let mut plain = below_folder.unwrap_or(path);
    while let Some((folder, rest)) = plain.split_once('/')
        && GENERIC_FOLDERS.contains(&folder)
    {
        plain = rest;
    }
    match plain.split_once('/') {
        // Paths below `images/size/` are resized copies.
        Some((VARIANTS, _)) => format!("imported/{plain}"),
        _ => plain.to_owned(),
    }
}

/// Returns the preferred path, and numbered alternatives if it is in use.
fn candidates(preferred: &str) -> impl Iterator<Item = String> {
    let numbered_paths = (2_u64..).map(move |number| numbered(preferred, number));
    std::iter::once(preferred.to_owned()).chain(numbered_paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_and_generator_folders_are_dropped() {
        let served = ["static", "content", "assets", ""];
        for (path, expected) in [
            ("static/img/quay.png", "quay.png"),
            ("static/images/2024/quay.png", "2024/quay.png"),
            ("content/posts/ferry/deck.jpg", "posts/ferry/deck.jpg"),
            ("static/size/deck.jpg", "imported/size/deck.jpg"),
            ("deck.jpg", "deck.jpg"),
        ] {
            assert_eq!(normal_path(path, &served), expected);
        }
    }
}
