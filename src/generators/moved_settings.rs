//! Merges the settings of several projects in one folder: the paths of each project are moved below its own folder.

use crate::{
    content_text::Diagnostic,
    generators::{link_path::join, profile::Profile, settings::ProjectSettings},
};

impl ProjectSettings {
    /// Returns the settings with paths relative to the parent that contains the project as `folder`. A path that begins with
    /// `../` becomes that of a sibling of `folder`; a path outside of the parent is unchanged.
    pub(crate) fn moved_into(mut self, folder: &str, profile: &Profile) -> Self {
        let moved = |path: &str| join(folder, path).unwrap_or_else(|| path.to_owned());
        let all = |paths: Vec<String>| paths.iter().map(|path| moved(path)).collect::<Vec<_>>();
        let served = profile
            .served_folders
            .iter()
            .map(|folder| (*folder).to_owned());
        let served = std::mem::take(&mut self.served_folders)
            .into_iter()
            .chain(served);
        Self {
            served_folders: all(served.collect()),
            // The roots of the profile are made explicit, because the lists
            // of several projects are joined.
            roots: all(self.roots_of(profile)),
            language_roots: pairs(self.language_roots, &moved),
            rules: pairs(self.rules, &moved),
            mounts: self
                .mounts
                .into_iter()
                .map(|(at, path)| (at, moved(&path)))
                .collect(),
            // Regular expressions for whole paths cannot be moved, so they are dropped.
            ignored_files: Vec::new(),
            problems: moved_problems(self.problems, &moved),
            refused_links: moved_problems(self.refused_links, &moved),
            ..self
        }
        .with_moved_values(&moved)
    }

    /// Moves the folders of default values and URL patterns.
    fn with_moved_values(mut self, moved: &impl Fn(&str) -> String) -> Self {
        for values in &mut self.defaults {
            values.folder = moved(&values.folder);
            for pattern in &mut values.patterns {
                *pattern = moved(pattern);
            }
            values.file = values.file.as_deref().map(moved);
        }
        for rule in &mut self.urls.patterns {
            rule.folder = moved(&rule.folder);
        }
        self
    }

    /// Adds the settings of another project of the same site that concern that project's own folders.
    pub(crate) fn add_project(&mut self, other: Self) {
        // The URL, the language and the Markdown of the site are those of its first project.
        self.roots.extend(other.roots);
        self.language_roots.extend(other.language_roots);
        self.served_folders.extend(other.served_folders);
        self.mounts.extend(other.mounts);
        self.rules.extend(other.rules);
        self.languages.extend(other.languages);
        self.defaults.extend(other.defaults);
        self.urls.patterns.extend(other.urls.patterns);
        self.urls.styles.extend(other.urls.styles);
        self.problems.extend(other.problems);
        self.refused_links.extend(other.refused_links);
    }
}

fn pairs<T>(list: Vec<(String, T)>, moved: &impl Fn(&str) -> String) -> Vec<(String, T)> {
    let list = list.into_iter();
    list.map(|(path, value)| (moved(&path), value)).collect()
}

fn moved_problems(list: Vec<Diagnostic>, moved: &impl Fn(&str) -> String) -> Vec<Diagnostic> {
    let list = list.into_iter();
    let list = list.map(|problem| Diagnostic {
        file: moved(&problem.file),
        ..problem
    });
    list.collect()
}
