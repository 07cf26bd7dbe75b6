//! What addresses in the texts of a project mean: another text, a picture to bring along, or neither.

use std::{collections::HashMap, sync::Arc};

use super::{places::Places, project::Project};
use crate::{
    render::urls::PLACEHOLDER,
    sources::{
        assets::Resolution,
        generator_files::{Address, AddressLookup, TextNames, stored},
    },
};

/// Looks addresses up in a project.
#[derive(Clone)]
pub struct Addresses(Arc<Lookup>);

struct Lookup {
    project: Arc<Project>,
    places: Arc<Places>,
    /// The slugs of the texts, by path.
    slugs: HashMap<String, String>,
    names: TextNames,
}

impl Addresses {
    /// The addresses of a project whose texts have these slugs.
    pub fn new(project: Arc<Project>, places: Arc<Places>, slugs: HashMap<String, String>) -> Self {
        Self(Arc::new(Lookup {
            names: TextNames::of(
                slugs
                    .iter()
                    .map(|(path, slug)| (path.as_str(), slug.as_str())),
            )
            .with_files(project.paths.iter().map(String::as_str)),
            project,
            places,
            slugs,
        }))
    }

    /// The path of the file to upload that `written` leads to in the text at `file`, if that is what it leads to.
    pub fn upload(&self, file: &str, written: &str) -> Option<String> {
        match self.0.find(file, written) {
            Resolution::Asset { path, .. } => self.0.places.place_of(&path).map(|_| path),
            _ => None,
        }
    }
}

impl AddressLookup for Addresses {
    fn address(&self, file: &str, written: &str) -> Address {
        match self.0.find(file, written) {
            Resolution::Content { path, suffix } => match self.0.slugs.get(&path) {
                Some(slug) => Address::Found(stored(&format!("/{slug}/"), &suffix)),
                None => match self.0.project.layout.section_of(&path) {
                    Some(section) => Address::Found(stored(&section, &suffix)),
                    None => Address::Unusable(path),
                },
            },
            Resolution::Asset { path, suffix } => match self.0.places.place_of(&path) {
                Some(place) => Address::Found(stored(&format!("/content/{place}"), &suffix)),
                None => Address::Unusable(path),
            },
            Resolution::Missing { path } => Address::Broken(path),
            Resolution::Outside => Address::Outside,
            Resolution::Unchanged if written.starts_with('/') && !written.starts_with("//") => {
                Address::Found(format!("{PLACEHOLDER}{written}"))
            }
            Resolution::Unchanged => Address::Elsewhere,
        }
    }
}

impl Lookup {
    /// What an address in the text at `file` means.
    fn find(&self, file: &str, written: &str) -> Resolution {
        let exists = |path: &str| self.project.paths.contains(path);
        self.names
            .resolve(&self.project.layout, file, written, exists)
    }
}
