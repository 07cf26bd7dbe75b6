//! What addresses in the texts of a project mean: another text, a picture to bring along, or neither.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use percent_encoding::percent_decode_str;

use super::{places::Places, project::Project};
use crate::{
    render::urls::PLACEHOLDER,
    sources::{
        assets::{join, looks_like_file, path_of},
        foreign::{Address, AddressLookup, stored},
    },
};

/// Endings with which a path may name a text: as a folder, and without extension.
const TEXT_ENDINGS: [&str; 9] = [
    "",
    "/index.md",
    "/index.markdown",
    "/index.mdx",
    "/index.html",
    ".md",
    ".markdown",
    ".mdx",
    ".html",
];

/// Aliases that stand for a folder of sources in projects of JavaScript.
const SOURCE_ALIASES: [&str; 2] = ["@/", "~/"];

/// Looks addresses up in a project.
#[derive(Clone)]
pub struct Addresses(Arc<Lookup>);

struct Lookup {
    project: Arc<Project>,
    places: Arc<Places>,
    /// The slugs of the texts, by path.
    slugs: HashMap<String, String>,
    /// All of these slugs.
    known: HashSet<String>,
}

/// What lies where an address leads.
enum Found {
    Text(String),
    File(String),
}

impl Addresses {
    /// The addresses of a project whose texts have these slugs.
    pub fn new(project: Arc<Project>, places: Arc<Places>, slugs: HashMap<String, String>) -> Self {
        Self(Arc::new(Lookup {
            known: slugs.values().cloned().collect(),
            project,
            places,
            slugs,
        }))
    }

    /// The path of the file to upload that `written` leads to in the text at `file`, if that is what it leads to.
    pub fn upload(&self, file: &str, written: &str) -> Option<String> {
        let (path, _) = path_of(written)?;
        match self.0.find(file, path).ok()?? {
            Found::File(path) => self.0.places.place_of(&path).map(|_| path),
            Found::Text(_) => None,
        }
    }
}

impl AddressLookup for Addresses {
    fn address(&self, file: &str, written: &str) -> Address {
        let Some((path, suffix)) = path_of(written) else {
            return Address::Elsewhere;
        };
        match self.0.find(file, path) {
            Err(OutOfProject) => Address::Outside,
            Ok(Some(Found::Text(slug))) => Address::Found(stored(&format!("/{slug}/"), suffix)),
            Ok(Some(Found::File(path))) => match self.0.places.place_of(&path) {
                Some(place) => Address::Found(stored(&format!("/content/{place}"), suffix)),
                None => Address::Unusable(path),
            },
            Ok(None) if looks_like_file(path) => Address::Broken(path.to_owned()),
            Ok(None) if path.starts_with('/') => Address::Found(format!("{PLACEHOLDER}{written}")),
            Ok(None) => Address::Elsewhere,
        }
    }
}

/// A path leads out of the project.
struct OutOfProject;

impl Lookup {
    /// What lies at a path that is written in the text at `file`.
    fn find(&self, file: &str, path: &str) -> Result<Option<Found>, OutOfProject> {
        let decoded = percent_decode_str(path).decode_utf8_lossy();
        for written in [path, &decoded] {
            let candidates = self.candidates(file, written)?;
            if let Some(found) = candidates.iter().find_map(|path| self.at(path)) {
                return Ok(Some(found));
            }
        }
        Ok(self.by_old_address(path))
    }

    /// Where a path may lead in the project, the likeliest first.
    fn candidates(&self, file: &str, path: &str) -> Result<Vec<String>, OutOfProject> {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let from_tops = |path: &str| -> Vec<String> {
            let tops = self.project.tops();
            tops.filter_map(|top| join(top, path)).collect()
        };
        let alias = SOURCE_ALIASES
            .iter()
            .find_map(|alias| path.strip_prefix(alias));
        match (alias, path.strip_prefix('/')) {
            (Some(below), _) => Ok(join("src", below).into_iter().collect()),
            (None, Some(below)) => Ok(from_tops(below)),
            (None, None) => {
                let mut all = from_tops(path);
                match join(folder, path) {
                    Some(beside) => all.insert(0, beside),
                    None if all.is_empty() => return Err(OutOfProject),
                    None => {}
                }
                Ok(all)
            }
        }
    }

    fn at(&self, path: &str) -> Option<Found> {
        let path = path.trim_end_matches('/');
        let names = TEXT_ENDINGS.iter().map(|ending| format!("{path}{ending}"));
        let text = names
            .filter_map(|name| self.slugs.get(&name))
            .map(|slug| Found::Text(slug.clone()))
            .next();
        text.or_else(|| {
            let is_file = self.project.paths.contains(path);
            is_file.then(|| Found::File(path.to_owned()))
        })
    }

    /// The text that had an address such as `/2015/03/05/night-ferry.html` or `/posts/night-ferry/`.
    fn by_old_address(&self, path: &str) -> Option<Found> {
        let path = path.strip_suffix("/index.html").unwrap_or(path);
        let (folder, name) = path.trim_end_matches('/').rsplit_once('/')?;
        let slug = name.strip_suffix(".html").unwrap_or(name);
        let had_a_longer_address = !folder.is_empty() || slug != name;
        (had_a_longer_address && self.known.contains(slug)).then(|| Found::Text(slug.to_owned()))
    }
}
