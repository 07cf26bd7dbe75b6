//! The project that contains a single document.

use std::path::{Path, PathBuf};

use super::{
    layout::Layout,
    options::ContentFiles,
    project::{Project, has_any_sign, recognised, recognised_by_settings},
};
use crate::generators::{GALLEY, Role};

impl Project {
    /// Returns the content folder of a document, and the path of the document in it.
    ///
    /// The content folder is the nearest parent folder, up to the root of the repository, that is or contains a project with
    /// the document. Folders with settings of a generator take precedence over folders that only have its folder names.
    pub fn around_document(file: &Path) -> Option<(PathBuf, String)> {
        let knows = |folder: &Path, project: Option<Self>| {
            let path = file.strip_prefix(folder).ok()?.to_str()?;
            let layout = Layout::new(project?, ContentFiles::default(), std::iter::once(path));
            let is_document = layout.kind_of(path).is_some()
                || matches!(layout.reason(path).role, Role::LeftOut(_) | Role::Template);
            is_document.then(|| (folder.to_owned(), path.to_owned()))
        };
        let at =
            |folder: &Path, generator| Self::at(generator, folder, String::new(), String::new());
        let by_settings = |folder: &Path| {
            let own = has_any_sign(GALLEY, folder).then_some(GALLEY);
            own.or_else(|| recognised_by_settings(folder))
        };
        let mut all = Self::folders_above(file);
        let of_settings = all.find_map(|folder| {
            let project = by_settings(folder).map(|generator| at(folder, generator));
            knows(folder, project.or_else(|| Self::below(folder)))
        });
        let mut all = Self::folders_above(file);
        of_settings.or_else(|| {
            all.find_map(|folder| {
                let project = recognised(folder).map(|generator| at(folder, generator));
                knows(folder, project)
            })
        })
    }
}
