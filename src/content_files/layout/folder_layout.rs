//! The layout of a folder: its generator, the project's settings, and the compiled patterns of both.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::OnceLock,
};

use data_encoding::HEXLOWER;
use globset::GlobMatcher;
use sha2::{Digest, Sha256};

use crate::{
    content_files::{
        authors_file::AuthorRecord,
        layout::{default_values::Defaults, matcher::Matcher},
        options::ContentFiles,
        path_properties::is_markdown,
        pattern::matcher,
        project::Project,
    },
    generators::{
        DocumentKind, GALLEY, Generator, PLAIN, Profile, ProjectSettings, Role, are_same,
        language::Languages,
        settings::{Regex, literals::written_regex},
    },
    render::markdown::Dialect,
};

/// The roles of the files of a content folder.
#[derive(Clone, Debug)]
pub struct Layout {
    pub(super) generator: &'static dyn Generator,
    /// The path of the project in the content folder: empty, or with a trailing slash.
    pub(super) folder: String,
    /// The path of the content folder in the project: empty, or with a trailing slash.
    pub(super) base: String,
    pub(super) settings: ProjectSettings,
    pub(super) authors: Vec<AuthorRecord>,
    pub(super) options: ContentFiles,
    /// Matchers on paths relative to the content folder.
    pub(super) mapped: Vec<Matcher>,
    /// Matchers on paths relative to the project.
    pub(super) of_project: Vec<Matcher>,
    /// Matchers on paths below a folder of documents.
    pub(super) of_profile: Vec<Matcher>,
    /// Regular expressions for the paths of ignored files in the project, with a leading slash.
    pub(super) ignored_files: Vec<Regex>,
    /// Matchers of the documents in the project's collections, on paths relative to the project; empty if all documents are
    /// used.
    pub(super) collected: Vec<GlobMatcher>,
    /// Matchers of templates from which the generator builds pages, on paths below a folder of documents.
    pub(super) page_templates: Vec<GlobMatcher>,
    /// Default values of documents.
    pub(super) defaults: Vec<Defaults>,
    /// The folders of documents, relative to the project.
    pub(super) roots: Vec<String>,
    /// Folders with a subfolder for each translation, as detected; relative to the project.
    pub(super) language_parents: BTreeSet<String>,
    /// The languages of the documents below each of these folders.
    pub(super) languages: BTreeMap<String, Languages>,
    /// Folders with an `index` file that is published instead of a `README`; relative to the content folder.
    pub(super) index_folders: BTreeSet<String>,
    /// Folders whose `index` file is the document, and other Markdown is not; relative to the content folder.
    pub(super) bundles: BTreeSet<String>,
    /// The text that [`Layout::fingerprint_text`] returns.
    fingerprint_text: OnceLock<Box<str>>,
}

impl Default for Layout {
    /// Returns the layout of Galley's own folders.
    fn default() -> Self {
        let project = Project::named(GALLEY, Path::new(""));
        Self::new(project, ContentFiles::default(), std::iter::empty())
    }
}

impl Layout {
    /// Detects the layout of the content folder `root`, which contains the files `paths`. Serving and importing both use it.
    /// Plain Markdown may be a part of a project outside the folder, such as `blog/` of Docusaurus.
    pub fn of_content<'a>(
        root: &Path,
        paths: impl Iterator<Item = &'a str> + Clone,
        options: &ContentFiles,
    ) -> Self {
        let own = Self::new(
            Project::configured_or_detected(options, root, paths.clone()),
            options.clone(),
            paths.clone(),
        );
        let own = own.or_outweighing(root, paths.clone());
        let is_detected = options.generator.is_some() || !own.settings.problems.is_empty();
        if is_detected || !are_same(own.generator, PLAIN) {
            return own;
        }
        let of_project = || {
            let layout = Self::new(Project::containing(root)?, options.clone(), paths.clone());
            let mut documents = paths.clone().filter(|path| is_markdown(path));
            documents
                .any(|path| layout.kind_of(path).is_some())
                .then_some(layout)
        };
        of_project().unwrap_or(own)
    }

    /// Creates the layout of a detected project, whose content folder contains the files `paths`.
    pub fn new<'a>(
        project: Project,
        options: ContentFiles,
        paths: impl Iterator<Item = &'a str> + Clone,
    ) -> Self {
        let Project {
            generator,
            folder,
            base,
            settings,
            authors,
        } = project;
        let mapped = [
            (&options.ignore, Role::Other, "content_files.ignore"),
            (
                &options.posts,
                Role::Document(DocumentKind::Post),
                "content_files.posts",
            ),
            (
                &options.pages,
                Role::Document(DocumentKind::Page),
                "content_files.pages",
            ),
        ];
        let mapped = mapped
            .into_iter()
            .flat_map(|(patterns, role, origin)| {
                patterns
                    .iter()
                    .filter_map(move |pattern| Matcher::new(pattern, role, origin))
            })
            .collect();
        let of_project = settings.rules.iter();
        let of_project = of_project
            .filter_map(|(pattern, role)| Matcher::new(pattern, *role, "the project's settings"));
        let profile = generator.profile();
        let of_profile = profile.rules.iter();
        let of_profile =
            of_profile.filter_map(|rule| Matcher::new(rule.pattern, rule.role, profile.title));
        let page_templates = profile.page_templates.patterns.iter().copied();
        let mut layout = Self {
            collected: globs(settings.collected.iter().map(String::as_str)),
            roots: settings.roots_of(profile),
            of_project: of_project.collect(),
            of_profile: of_profile.collect(),
            page_templates: globs(page_templates),
            ignored_files: expressions(&settings.ignored_files),
            defaults: Vec::new(),
            generator,
            folder,
            base,
            settings,
            authors,
            options,
            mapped,
            language_parents: BTreeSet::new(),
            languages: BTreeMap::new(),
            index_folders: BTreeSet::new(),
            bundles: BTreeSet::new(),
            fingerprint_text: OnceLock::new(),
        };
        if !layout.is_own() {
            layout.find_languages(paths.clone());
            layout.find_index_folders(paths.clone());
            layout.find_bundles(paths);
            layout.compile_defaults();
        }
        layout
    }

    /// Returns whether the folder has Galley's own layout.
    pub fn is_own(&self) -> bool {
        are_same(self.generator, GALLEY)
    }

    /// Returns the path of the content folder in the project: empty, or with a trailing slash.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// Returns the folder's generator.
    pub fn generator(&self) -> &'static dyn Generator {
        self.generator
    }

    /// Returns the profile of the folder's generator.
    pub fn profile(&self) -> &'static Profile {
        self.generator.profile()
    }

    /// Returns the project's settings.
    pub fn settings(&self) -> &ProjectSettings {
        &self.settings
    }

    /// Returns the author with the key `key` in the project's author files.
    pub(in crate::content_files) fn author(&self, key: &str) -> Option<&AuthorRecord> {
        let key = key.trim();
        let mut authors = self.authors.iter();
        authors.find(|author| author.key.eq_ignore_ascii_case(key))
    }

    /// Returns the author with this slug in the project's author files.
    pub fn author_by_slug(&self, slug: &str) -> Option<&AuthorRecord> {
        self.authors.iter().find(|author| {
            let known = author.fields.slug.as_ref();
            known.is_some_and(|known| known.value == slug)
        })
    }

    /// Returns the settings of the folder.
    pub fn options(&self) -> &ContentFiles {
        &self.options
    }

    /// Returns the dialect of the folder's Markdown.
    pub fn dialect(&self) -> Dialect {
        let named = self.options.markdown.as_deref();
        named
            .and_then(Dialect::by_name)
            .or(self.settings.dialect)
            .unwrap_or(self.profile().dialect)
    }

    /// Returns the dialect of the Markdown of the file at `path`: plain Markdown in a project of MDX has indented code.
    pub fn dialect_of(&self, path: &str) -> Dialect {
        let dialect = self.dialect();
        let is_plain = self.settings.has_plain_markdown && !path.ends_with(".mdx");
        Dialect {
            indented_code: dialect.indented_code || is_plain,
            ..dialect
        }
    }

    /// Returns a text that differs between layouts that read some file differently. The text is part of the fingerprint of
    /// every file, so it contains a hash of the settings, which may be long.
    pub fn fingerprint_text(&self) -> &str {
        self.fingerprint_text.get_or_init(|| {
            if self.is_own() && self.options == ContentFiles::default() {
                return Box::default();
            }
            let languages = self
                .languages
                .iter()
                .filter(|(_, found)| !found.codes.is_empty());
            let languages: Vec<_> = languages.collect();
            // The `Debug` forms contain all fields, so a new setting is part of the hash without
            // further code.
            let settings = format!(
                "{} {} {:?} {:?} {:?} {languages:?}",
                self.folder, self.base, self.settings, self.options, self.authors
            );
            let hash = HEXLOWER.encode(&Sha256::digest(settings));
            format!("\n{} {hash}", self.profile().name).into()
        })
    }
}

/// Compiles patterns, and skips invalid ones.
fn globs<'p>(patterns: impl Iterator<Item = &'p str>) -> Vec<GlobMatcher> {
    patterns
        .filter_map(|pattern| matcher(pattern).ok())
        .collect()
}

/// Compiles regular expressions of settings, and skips invalid ones.
fn expressions(patterns: &[String]) -> Vec<Regex> {
    let patterns = patterns.iter();
    patterns
        .filter_map(|pattern| written_regex(pattern))
        .collect()
}
