//! The files that texts refer to, and where they go in the data folder.
//!
//! A picture keeps its path: `static/img/quay.png` goes to `images/img/quay.png`, `content/posts/ferry/deck.jpg` to
//! `images/posts/ferry/deck.jpg`. So it has the same address at every import. A file of another content that is there
//! already is never replaced; the new one gets a number.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::project::Project;
use crate::{
    import::{files::numbered, uploads::are_same_files},
    sources::public_files::AssetKind,
};

/// Folders that say no more than that files lie in them.
const NAMELESS: [&str; 7] = [
    "assets", "content", "files", "images", "img", "media", "uploads",
];

/// Below this folder of images lie the variants of others.
const VARIANTS: &str = "size";

/// The files of a project that may be uploaded.
pub struct Places {
    root: PathBuf,
    data: PathBuf,
    /// Where each file would go if nothing were in its way, relative to the data folder.
    wanted: HashMap<String, String>,
    taken: BTreeSet<String>,
    /// Where those go that were asked for.
    chosen: Mutex<HashMap<String, String>>,
}

impl Places {
    /// The files of `project`, to go to the data folder `data`.
    pub fn of(project: &Project, data: &Path) -> Self {
        let mut wanted = HashMap::new();
        let mut taken = BTreeSet::new();
        let tops: Vec<String> = project.layout.tops().collect();
        let tops: Vec<&str> = tops.iter().map(String::as_str).collect();
        for path in &project.paths {
            let Some(kind) = AssetKind::of(path) else {
                continue;
            };
            let place = format!("{}/{}", kind.folder(), normal_path(path, &tops));
            let place = places(&place)
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
            !is_others && (!target.exists() || are_same_files(&source, &target).unwrap_or(false))
        };
        let place = places(wanted).find(is_free)?;
        chosen.insert(path.to_owned(), place.clone());
        Some(place)
    }

    /// The files at these paths of the project, by their places.
    pub fn files_at(&self, paths: &BTreeSet<String>) -> BTreeMap<String, PathBuf> {
        paths
            .iter()
            .filter_map(|path| Some((self.place_of(path)?, self.root.join(path))))
            .collect()
    }
}

/// The path of a file without the folders that only its generator needs.
fn normal_path(path: &str, tops: &[&str]) -> String {
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

/// A place, and the same with numbers for when it is taken.
fn places(wanted: &str) -> impl Iterator<Item = String> {
    let others = (2_u64..).map(move |number| numbered(wanted, number));
    std::iter::once(wanted.to_owned()).chain(others)
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
            assert_eq!(normal_path(path, &tops), expected);
        }
    }
}
