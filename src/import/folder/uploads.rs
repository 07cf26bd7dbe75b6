//! The files that texts refer to: where they go in the data folder, and their way there.
//!
//! A picture keeps its path: `static/img/quay.png` goes to `images/img/quay.png`, `content/posts/ferry/deck.jpg` to
//! `images/posts/ferry/deck.jpg`. So it has the same address at every import. A file of another content that is there
//! already is never replaced; the new one gets a number.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs::{self, File},
    io::{self, BufRead, BufReader},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::project::Project;
use crate::{
    error::{Error, Result},
    sources::public_files::AssetKind,
};

/// Folders that say no more than that files lie in them.
const NAMELESS: [&str; 7] = [
    "assets", "content", "files", "images", "img", "media", "uploads",
];

/// Below this folder of images lie the variants of others.
const VARIANTS: &str = "size";

/// The files of a project that may be uploaded.
pub struct Uploads {
    root: PathBuf,
    data: PathBuf,
    /// Where each file would go if nothing were in its way, relative to the data folder.
    wanted: HashMap<String, String>,
    taken: BTreeSet<String>,
    /// Where those go that were asked for.
    chosen: Mutex<HashMap<String, String>>,
}

impl Uploads {
    /// The files of `project`, to go to the data folder `data`.
    pub fn of(project: &Project, data: &Path) -> Self {
        let mut wanted = HashMap::new();
        let mut taken = BTreeSet::new();
        let tops: Vec<&str> = project.tops().collect();
        for path in &project.paths {
            let Some(kind) = AssetKind::of(path) else {
                continue;
            };
            let place = format!("{}/{}", kind.folder(), plain_path(path, &tops));
            let place = numbered(&place)
                .find(|place| !taken.contains(place))
                .expect("the numbers have no end");
            taken.insert(place.clone());
            wanted.insert(path.clone(), place);
        }
        Self {
            root: project.root.clone(),
            data: data.to_owned(),
            wanted,
            taken,
            chosen: Mutex::default(),
        }
    }

    /// Where the file at `path` of the project goes, relative to the data folder; `None` when it is nothing to upload.
    pub fn place_of(&self, path: &str) -> Option<String> {
        let wanted = self.wanted.get(path)?;
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = chosen.get(path) {
            return Some(place.clone());
        }
        let source = self.root.join(path);
        let is_free = |place: &String| {
            let target = self.data.join(place);
            let is_others = place != wanted && self.taken.contains(place);
            !is_others && (!target.exists() || have_same_content(&source, &target).unwrap_or(false))
        };
        let place = numbered(wanted).find(is_free)?;
        chosen.insert(path.to_owned(), place.clone());
        Some(place)
    }

    /// Copies the files at these paths of the project to their places, and returns how many were not there. When one cannot
    /// be copied, those that were are taken away again.
    ///
    /// # Errors
    ///
    /// When a file cannot be read or written.
    pub fn copy(&self, paths: &BTreeSet<String>) -> Result<usize> {
        let places: BTreeMap<String, String> = paths
            .iter()
            .filter_map(|path| Some((path.clone(), self.place_of(path)?)))
            .collect();
        let mut copied: Vec<PathBuf> = Vec::new();
        for (path, place) in places {
            let target = self.data.join(&place);
            if target.exists() {
                continue;
            }
            if let Err(error) = copy(&self.root.join(&path), &target) {
                for target in copied {
                    // The error to report is the first one.
                    let _ = fs::remove_file(target);
                }
                return Err(Error::internal(error).context(format!(
                    "The file {path} cannot be copied to {}.",
                    target.display()
                )));
            }
            copied.push(target);
        }
        Ok(copied.len())
    }
}

/// The path of a file without the folders that only its generator needs.
fn plain_path(path: &str, tops: &[&str]) -> String {
    let below = tops
        .iter()
        .filter(|top| !top.is_empty())
        .find_map(|top| path.strip_prefix(top)?.strip_prefix('/'));
    let mut plain = below.unwrap_or(path);
    while let Some((folder, rest)) = plain.split_once('/')
        && NAMELESS.contains(&folder)
    {
        plain = rest;
    }
    match plain.split_once('/') {
        Some((VARIANTS, _)) => format!("imported/{plain}"),
        _ => plain.to_owned(),
    }
}

/// A place, and the same with numbers for when it is taken: `a.png`, `a-1.png`, `a-2.png` (Ghost 6.65, recorded).
fn numbered(place: &str) -> impl Iterator<Item = String> {
    let name_start = place.rfind('/').map_or(0, |slash| slash + 1);
    let dot = place[name_start..].rfind('.').map(|dot| name_start + dot);
    let (stem, extension) = place.split_at(dot.unwrap_or(place.len()));
    let others = (1_u64..).map(move |number| format!("{stem}-{number}{extension}"));
    std::iter::once(place.to_owned()).chain(others)
}

/// Copies a file such that it is whole as soon as it is there.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    if let Some(folder) = target.parent() {
        fs::create_dir_all(folder)?;
    }
    let unfinished = target.with_added_extension("part");
    let copied = fs::copy(source, &unfinished)
        .and_then(|_| File::open(&unfinished)?.sync_all())
        .and_then(|()| fs::rename(&unfinished, target));
    if copied.is_err() {
        // The error to report is the first one.
        let _ = fs::remove_file(&unfinished);
    }
    copied
}

fn have_same_content(one: &Path, other: &Path) -> io::Result<bool> {
    if fs::metadata(one)?.len() != fs::metadata(other)?.len() {
        return Ok(false);
    }
    let mut one = BufReader::new(File::open(one)?);
    let mut other = BufReader::new(File::open(other)?);
    loop {
        let (some, others) = (one.fill_buf()?, other.fill_buf()?);
        let length = some.len().min(others.len());
        if some[..length] != others[..length] {
            return Ok(false);
        }
        if length == 0 {
            return Ok(some.len() == others.len());
        }
        one.consume(length);
        other.consume(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_the_folders_that_only_the_generator_needs() {
        let tops = ["static", "content", "assets", ""];
        for (path, expected) in [
            ("static/img/quay.png", "quay.png"),
            ("static/images/2024/quay.png", "2024/quay.png"),
            ("content/posts/ferry/deck.jpg", "posts/ferry/deck.jpg"),
            ("static/size/deck.jpg", "imported/size/deck.jpg"),
            ("deck.jpg", "deck.jpg"),
        ] {
            assert_eq!(plain_path(path, &tops), expected);
        }
    }

    #[test]
    fn numbers_stand_before_the_extension() {
        let names: Vec<String> = numbered("images/v1.2/deck.png").take(3).collect();
        assert_eq!(
            names,
            [
                "images/v1.2/deck.png",
                "images/v1.2/deck-1.png",
                "images/v1.2/deck-2.png"
            ]
        );
        assert_eq!(
            numbered("images/v1.2/deck").nth(1).unwrap(),
            "images/v1.2/deck-1"
        );
    }
}
