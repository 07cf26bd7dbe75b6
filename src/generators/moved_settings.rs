//! The settings of several projects of a folder as those of one: paths of each are moved below its folder.

use crate::{
    content_text::Diagnostic,
    generators::{link_path::join, profile::Profile, settings::ProjectSettings},
};

impl ProjectSettings {
    /// Returns the settings with the paths of the folder that contains the project in `folder`; folders outside of that stay as
    /// they are. A path of the project that begins with `../` is of a folder beside it.
    pub(crate) fn moved_into(mut self, folder: &str, profile: &Profile) -> Self {
        let moved = |path: &str| join(folder, path).unwrap_or_else(|| path.to_owned());
        let all = |paths: Vec<String>| paths.iter().map(|path| moved(path)).collect::<Vec<_>>();
        let tops = profile.tops.iter().map(|top| (*top).to_owned());
        let tops = std::mem::take(&mut self.tops).into_iter().chain(tops);
        Self {
            tops: all(tops.collect()),
            roots: all(self.roots_of(profile)),
            language_roots: pairs(self.language_roots, &moved),
            rules: pairs(self.rules, &moved),
            mounts: self
                .mounts
                .into_iter()
                .map(|(at, path)| (at, moved(&path)))
                .collect(),
            // These are regular expressions for whole paths.
            ignored_files: Vec::new(),
            problems: moved_problems(self.problems, &moved),
            refused_links: moved_problems(self.refused_links, &moved),
            ..self
        }
        .with_moved_values(&moved)
    }

    /// Moves the folders of default values and of patterns of URLs.
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

    /// Adds those settings of another project of the same site that are about its own folders.
    pub(crate) fn add_project(&mut self, other: Self) {
        self.roots.extend(other.roots);
        self.language_roots.extend(other.language_roots);
        self.tops.extend(other.tops);
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
