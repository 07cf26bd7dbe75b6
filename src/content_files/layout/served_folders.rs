//! The folders that are served at the root of the site, and at other paths.

use crate::content_files::layout::Layout;

impl Layout {
    /// Returns the folders, relative to the content folder, that are served at the root of the site. Of folders of documents
    /// in a single language, only those in the site's language and the folder of the document at `file` are included; the
    /// latter comes first.
    pub fn served_folders(&self, file: &str) -> impl Iterator<Item = String> {
        let of_profile = self.profile().served_folders.iter();
        let of_profile = of_profile.map(|folder| (*folder).to_owned());
        let in_project = self.in_project(file);
        let own = in_project.as_deref().and_then(|path| self.root_of(path));
        let is_of_site = |root: &&str| {
            let language = self.settings.language_of_root(root);
            language.is_none_or(|language| !self.is_other_language(root, language))
        };
        let roots = self.roots.iter().map(String::as_str);
        let others = roots.filter(|root| Some(*root) != own).filter(is_of_site);
        let roots = own.into_iter().chain(others);
        let roots = roots.filter(|root| !root.is_empty()).map(str::to_owned);
        let served = of_profile.chain(self.settings.served_folders.iter().cloned());
        let served = served.chain(roots);
        let mut served: Vec<String> = served
            .filter_map(|folder| self.in_content(&folder))
            .collect();
        // Documents may also name a file by its path from the top of the folder.
        served.push(String::new());
        served.into_iter()
    }

    /// Returns the paths in the content folder that the project's mounts map to `path`, which is relative to the root of the
    /// site.
    pub fn mounted(&self, path: &str) -> impl Iterator<Item = String> {
        let mounts = self.settings.mounts.iter();
        mounts.filter_map(move |(at, folder)| {
            let below = path.strip_prefix(at.as_str())?;
            let is_below = at.is_empty() || below.is_empty() || below.starts_with('/');
            is_below
                .then(|| self.in_content(&format!("{folder}/{}", below.trim_start_matches('/'))))?
        })
    }

    /// Returns whether `language`, the language of all documents below `root`, is not the site's.
    fn is_other_language(&self, root: &str, language: &str) -> bool {
        let languages = self.languages.get(root);
        languages.is_some_and(|languages| languages.is_other(Some(language)))
    }
}
