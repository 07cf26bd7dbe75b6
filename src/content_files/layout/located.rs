//! Locates files in a project: the folder of documents, and the language.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    content_files::{layout::Layout, path_properties},
    content_text::Diagnostic,
    generators::{language, language::Languages, link_path::join},
};

/// The location of a file among the documents of a project.
pub(super) struct DocumentLocation {
    pub in_project: String,
    pub is_below_root: bool,
    /// The path below the folder of documents, without the language.
    pub plain_below_root: String,
    /// The path below the folder of languages, without the language.
    pub plain: String,
    pub language: Option<String>,
    pub is_other_language: bool,
}

/// Returns `path` relative to `folder`, which contains it.
fn below<'path>(path: &'path str, folder: &str) -> &'path str {
    path.strip_prefix(folder)
        .unwrap_or(path)
        .trim_start_matches('/')
}

impl Layout {
    /// Returns the path in the content folder of a path in the project; `None` if it is outside.
    pub(crate) fn in_content(&self, in_project: &str) -> Option<String> {
        if self.base.is_empty() {
            return if in_project.starts_with("../") {
                join(&self.folder, in_project)
            } else {
                Some(format!("{}{in_project}", self.folder))
            };
        }
        if in_project == self.base.trim_end_matches('/') {
            Some(String::new())
        } else {
            in_project.strip_prefix(&self.base).map(str::to_owned)
        }
    }

    /// Returns the folders of documents in the project's settings that are outside the content folder.
    pub(crate) fn folders_outside(&self) -> impl Iterator<Item = &String> {
        let folders = self.settings.served_folders.iter();
        folders.filter(|folder| folder.starts_with("../") && self.in_content(folder).is_none())
    }

    /// Returns the diagnostics of settings of the project that are not used. A file outside the content folder has its path in
    /// the project.
    pub(crate) fn settings_problems(&self) -> impl Iterator<Item = Diagnostic> {
        let refused_links = self.settings.refused_links.iter();
        let links_outside = refused_links.filter(|link| self.in_content(&link.file).is_none());
        let problems = self.settings.problems.iter().chain(links_outside);
        problems.cloned().map(|problem| {
            let file = self.in_content(&problem.file);
            Diagnostic {
                file: file.unwrap_or(problem.file),
                ..problem
            }
        })
    }

    /// Returns the path in the project of a path in the content folder. Files next to the project begin with `../`.
    pub(super) fn in_project<'path>(&self, path: &'path str) -> Option<Cow<'path, str>> {
        if !self.base.is_empty() {
            return Some(Cow::Owned(format!("{}{path}", self.base)));
        }
        match path.strip_prefix(&self.folder) {
            Some(below) => Some(Cow::Borrowed(below)),
            None => {
                let folders = self.folder.split_terminator('/');
                let shared = folders
                    .zip(path.split('/'))
                    .take_while(|(one, other)| one == other);
                let shared = shared.count();
                let levels = self.folder.matches('/').count() - shared;
                let below: Vec<&str> = path.split('/').skip(shared).collect();
                Some(Cow::Owned(format!(
                    "{}{}",
                    "../".repeat(levels),
                    below.join("/")
                )))
            }
        }
    }

    /// Returns the path in the project of a path in the content folder, and its path below the folder of documents, without
    /// the language.
    pub(crate) fn path_in_project(&self, path: &str) -> Option<(String, String)> {
        let located = self.located(path)?;
        Some((located.in_project, located.plain_below_root))
    }

    /// Returns the folder of documents that contains a path in the project.
    pub(super) fn root_of<'a>(&'a self, in_project: &str) -> Option<&'a str> {
        let is_in = |root: &&String| {
            root.is_empty()
                || in_project
                    .strip_prefix(root.as_str())
                    .is_some_and(|rest| rest.starts_with('/'))
        };
        let is_beside = in_project.starts_with("../");
        let mut roots = self.roots.iter().filter(|_| !is_beside);
        roots.find(is_in).map(String::as_str)
    }

    /// Returns the location of a file among the documents, and its language.
    pub(super) fn located(&self, path: &str) -> Option<DocumentLocation> {
        let in_project = self.in_project(path)?;
        let root = self.root_of(&in_project);
        let below_root = below(&in_project, root.unwrap_or_default()).to_owned();
        let folder = self.language_folder(&in_project);
        let text = below(&in_project, &folder).to_owned();
        let languages = self.languages.get(&folder);
        let of_root = root.and_then(|root| self.settings.language_of_root(root));
        let (language, plain) = match (of_root, languages) {
            (Some(language), _) => (Some(language), Cow::Borrowed(text.as_str())),
            (None, Some(languages)) => languages.split(&text),
            (None, None) => (None, Cow::Borrowed(text.as_str())),
        };
        // The folders between the folder of documents and that of the languages.
        let between = &below_root[..below_root.len().saturating_sub(text.len())];
        Some(DocumentLocation {
            is_below_root: root.is_some(),
            plain_below_root: format!("{between}{plain}"),
            is_other_language: languages.is_some_and(|languages| languages.is_other(language)),
            // Folders are called `pt_BR` or `pt-BR`; the site's languages are tags, with a dash.
            language: language.map(|language| language.to_ascii_lowercase().replace('_', "-")),
            plain: plain.into_owned(),
            in_project: in_project.into_owned(),
        })
    }

    /// Returns the folder with the language folders, for a path in the project.
    fn language_folder(&self, in_project: &str) -> String {
        let of_profile = self.profile().language_folders.iter().copied();
        // In order, so that an outer folder precedes the folders in it.
        let found = self.language_parents.iter().map(String::as_str);
        let mut folders = of_profile.chain(found);
        let is_in = |folder: &&str| {
            let rest = in_project.strip_prefix(*folder);
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        match folders.find(is_in) {
            Some(folder) => folder.to_owned(),
            None => self.root_of(in_project).unwrap_or_default().to_owned(),
        }
    }

    pub(super) fn find_languages<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        if !self.generator.has_languages() && self.options.language.is_none() {
            return;
        }
        let documents =
            paths.filter(|path| path_properties::is_markdown(path) || path.ends_with(".html"));
        let documents = documents.filter_map(|path| {
            let in_project = self.in_project(path)?;
            let root = self.root_of(&in_project)?;
            let is_left_out = self.is_of_generator(below(&in_project, root))
                || self.is_about_the_folder(&in_project);
            (!is_left_out).then(|| in_project.into_owned())
        });
        let documents: Vec<String> = documents.collect();
        // Names below the folder of a single language are not languages.
        let is_of_one = |path: &str| {
            let root = self.root_of(path);
            root.is_some_and(|root| self.settings.language_of_root(root).is_some())
        };
        let of_any = documents.iter().map(String::as_str);
        self.language_parents = language::parents(of_any.filter(|path| !is_of_one(path)));
        let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for in_project in &documents {
            let folder = self.language_folder(in_project);
            let text = below(in_project, &folder).to_owned();
            texts.entry(folder).or_default().push(text);
        }
        let chosen = self
            .options
            .language
            .as_deref()
            .or(self.settings.language.as_deref());
        let languages = texts.into_iter().map(|(folder, texts)| {
            let texts = texts.iter().map(String::as_str);
            let texts = texts.filter(|_| self.settings.language_of_root(&folder).is_none());
            let languages = Languages::of(texts, &self.settings.languages, chosen);
            (folder, languages)
        });
        self.languages = languages.collect();
    }
}
