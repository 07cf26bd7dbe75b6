//! Reads the settings of Hugo: folders and languages, mounts, permalinks, parameters.

use std::path::Path;

use crate::{
    content_text::document::{Kind, Table, Value},
    generators::{
        hugo::configuration,
        permalink::PatternRule,
        settings::{
            ProjectSettings,
            literals::{clean, inner, keys, text, texts, value},
            reference::unsupported_in_data,
        },
    },
};

/// The style of URLs that end with `.html`: `/posts/ferry.html`.
pub(super) const UGLY: &str = "ugly";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let mut settings = ProjectSettings::default();
    let files = configuration::files(root);
    for file in &files {
        let keys: Vec<&str> = file.keys.iter().map(String::as_str).collect();
        settings.problems.extend(unsupported_in_data(
            root,
            &file.stem,
            &keys,
            super::reference::ROWS,
            &file.table,
        ));
        settings.problems.extend(super::dates::problems(root, file));
    }
    let table = configuration::merged(root, files);
    settings.add_hugo(&table);
    settings.dialect = Some(super::markdown::dialect(&table));
    settings.dates = super::dates::rules(&table);
    // This order matters: the language selects the parameters, and the
    // roots select the sections with cascades.
    settings.settle_language_roots();
    settings.add_language_settings(&table);
    let roots = settings.roots_of(&super::PROFILE);
    settings.defaults = super::cascade::of_project(
        root,
        &roots,
        std::iter::once(&table),
        &mut settings.problems,
    );
    settings
}

impl ProjectSettings {
    /// Adds the URL patterns of Hugo's sections.
    fn add_permalinks(&mut self, table: &Table) {
        // Newer configurations have a table for each kind of page, older
        // ones the sections of pages only.
        let of_pages = inner(table, "page").unwrap_or(table);
        for (section, pattern) in &of_pages.entries {
            if let Kind::Text(pattern) = &pattern.value {
                self.urls.patterns.push(PatternRule {
                    kind: section.value.clone(),
                    pattern: pattern.clone(),
                    ..PatternRule::default()
                });
            }
        }
    }

    fn add_hugo(&mut self, table: &Table) {
        if let Some(folder) = text(table, "contentDir") {
            self.roots.push(clean(&folder));
        }
        self.language = text(table, "defaultContentLanguage").or(self.language.take());
        self.time_zone = text(table, "timeZone");
        self.add_ugly_urls(table);
        self.ignored_files.extend(texts(table, "ignoreFiles"));
        self.ignored_files.extend(text(table, "ignoreFiles"));
        let mut folders = texts(table, "staticDir");
        folders.extend(text(table, "staticDir"));
        self.served_folders
            .extend(folders.iter().map(|folder| clean(folder)));
        if let Some(languages) = inner(table, "languages") {
            self.add_languages(languages);
        }
        if let Some(module) = inner(table, "module") {
            self.add_mounts(module);
        }
        self.site.extend(
            inner(table, "params")
                .map(crate::content_text::document::json_of)
                .unwrap_or_default(),
        );
        self.site
            .extend(text(table, "title").map(|title| ("title".to_owned(), title.into())));
        if let Some(permalinks) = inner(table, "permalinks") {
            self.add_permalinks(permalinks);
        }
        let is_below_language = value(table, "defaultContentLanguageInSubdir")
            .is_some_and(|value| value.value == Kind::Boolean(true));
        if is_below_language {
            let language = self.language.clone();
            self.urls.prefix = language.unwrap_or_else(|| "en".to_owned());
        }
        if let Some(url) = text(table, "baseURL") {
            self.set_url(&url);
        }
    }

    /// Adds the style of URLs with extensions, for all documents or for those of some sections.
    fn add_ugly_urls(&mut self, table: &Table) {
        match value(table, "uglyURLs").map(|value| &value.value) {
            Some(Kind::Boolean(true)) => UGLY.clone_into(&mut self.urls.style),
            Some(Kind::Table(sections)) => {
                let is_ugly = |value: &Value| value.value == Kind::Boolean(true);
                let sections = sections.entries.iter().filter(|(_, value)| is_ugly(value));
                self.urls
                    .styles
                    .extend(sections.map(|(section, _)| (section.value.clone(), UGLY.to_owned())));
            }
            _ => {}
        }
    }

    /// Adds the title and the parameters of the site's language, which replace those of the site.
    fn add_language_settings(&mut self, table: &Table) {
        // English is the default language of Hugo.
        let language = self.language.as_deref().unwrap_or("en");
        let Some(own) = inner(table, "languages").and_then(|languages| inner(languages, language))
        else {
            return;
        };
        if let Some(params) = inner(own, "params") {
            self.site
                .extend(crate::content_text::document::json_of(params));
        }
        self.site
            .extend(text(own, "title").map(|title| ("title".to_owned(), title.into())));
    }

    /// Adds the folders that the project mounts as documents or as static files.
    fn add_mounts(&mut self, module: &Table) {
        let Some(Kind::List(mounts)) = value(module, "mounts").map(|value| &value.value) else {
            return;
        };
        for mount in mounts {
            if let Kind::Table(mount) = &mount.value
                && let (Some(source), Some(target)) = (text(mount, "source"), text(mount, "target"))
            {
                if target == "content" || target.starts_with("content/") {
                    self.roots.push(clean(&source));
                    if let Some(language) = text(mount, "lang") {
                        self.language_roots.push((clean(&source), language));
                    }
                } else if let Some(path) = target.strip_prefix("static") {
                    self.mounts.push((clean(path), clean(&source)));
                }
            }
        }
    }

    /// Adds the languages of a site, and their folders.
    fn add_languages(&mut self, table: &Table) {
        self.languages.extend(keys(table));
        for (language, settings) in &table.entries {
            if let Kind::Table(settings) = &settings.value
                && let Some(folder) = text(settings, "contentDir")
            {
                self.language_roots
                    .push((clean(&folder), language.value.clone()));
            }
        }
    }

    /// Adds language folders to the folders of documents, the most specific first. If a language has no folder, `content`
    /// remains a folder of documents.
    fn settle_language_roots(&mut self) {
        if self.language_roots.is_empty() {
            return;
        }
        let has_folder = |language: &String| {
            let mut roots = self.language_roots.iter();
            roots.any(|(_, known)| known.eq_ignore_ascii_case(language))
        };
        if self.roots.is_empty() && !self.languages.iter().all(has_folder) {
            self.roots.push("content".to_owned());
        }
        let folders = self.language_roots.iter().map(|(folder, _)| folder.clone());
        self.roots.extend(folders);
        // Folders of languages may be below `content`, so the longest path comes first.
        self.roots.sort_by_key(|root| std::cmp::Reverse(root.len()));
        self.roots.dedup();
        if self.language.is_none() {
            let is_english = |language: &&String| language.eq_ignore_ascii_case("en");
            let english = self.languages.iter().find(is_english);
            self.language = english.or(self.languages.first()).cloned();
        }
    }
}
