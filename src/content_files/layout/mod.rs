//! Maps each file of a content folder to its role: by the profile of the folder's generator, the project's own settings, and
//! first of all the patterns of the operator or `site.toml`.

use crate::{
    content_files::pattern::matcher,
    generators::{Generator, are_same},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use globset::GlobMatcher;

mod defaults;
mod located;
mod uploads;

use crate::{
    content_files::{
        authors_file::AuthorRecord,
        options::ContentFiles,
        place,
        place::{FileKind, Foreign, GeneratorRole, PathProperties},
        project::Project,
        tree,
    },
    content_text::front_matter::FencedFrontMatter,
    generators::{
        GALLEY, HtmlTexts, PLAIN, Profile, Role, Settings, TextKind, language::Languages,
        link_path::join,
    },
    render::markdown::Dialect,
};

/// Folders at the top of a project with output or source code of a generator.
const WORKS: [&str; 9] = [
    "_site",
    "archetypes",
    "bower_components",
    "build",
    "dist",
    "layouts",
    "public",
    "themes",
    "vendor",
];

/// Folders at any depth with source code of a generator.
const PARTS: [&str; 8] = [
    "_components",
    "_data",
    "_includes",
    "_layouts",
    "_plugins",
    "_sass",
    "node_modules",
    "partials",
];

/// Extensions of documents in unsupported languages.
const OTHER_MARKUP: [&str; 7] = [
    "adoc", "asciidoc", "ipynb", "org", "pandoc", "rst", "textile",
];

/// The roles of the files of a content folder.
#[derive(Clone, Debug)]
pub struct Layout {
    generator: &'static dyn Generator,
    /// The path of the project in the content folder: empty, or with a trailing slash.
    folder: String,
    /// The path of the content folder in the project: empty, or with a trailing slash.
    base: String,
    settings: Settings,
    authors: Vec<AuthorRecord>,
    set: ContentFiles,
    /// Matchers on paths relative to the content folder.
    mapped: Vec<Matcher>,
    /// Matchers on paths relative to the project.
    of_project: Vec<Matcher>,
    /// Matchers on paths below a folder of documents.
    of_profile: Vec<Matcher>,
    /// Matchers of templates of which the generator builds pages, on paths below a folder of documents.
    page_templates: Vec<GlobMatcher>,
    /// Values of documents that do not say them.
    defaults: Vec<defaults::Defaults>,
    /// The folders of documents, relative to the project.
    roots: Vec<String>,
    /// Folders with translations in folders of their own, as found; relative to the project.
    language_parents: BTreeSet<String>,
    /// The languages of the documents below each of these folders.
    languages: BTreeMap<String, Languages>,
    /// Folders whose `index` file is the document, and other Markdown is not; relative to the content folder.
    bundles: BTreeSet<String>,
}

/// A pattern, and the role of the files that match it.
#[derive(Clone, Debug)]
struct Matcher {
    glob: GlobMatcher,
    role: Role,
    /// The source of the pattern.
    origin: &'static str,
}

/// The role of a file, and its source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The role.
    pub role: Role,
    /// The pattern that matches; empty without one.
    pub pattern: String,
    /// The source of the pattern: the name of a generator, `content_files.posts` and the like.
    pub origin: &'static str,
}

impl Default for Layout {
    /// Returns the layout of Galley's own folders.
    fn default() -> Self {
        let project = Project::named(GALLEY, Path::new(""));
        Self::new(project, ContentFiles::default(), std::iter::empty())
    }
}

impl Layout {
    /// Detects the layout of the content folder `root`, which contains the files `paths`. A folder with texts outside of
    /// Galley's own folders may be a part of a project that knows them, such as `blog/` of Docusaurus.
    pub fn of_content<'a>(
        root: &Path,
        paths: impl Iterator<Item = &'a str> + Clone,
        set: &ContentFiles,
    ) -> Self {
        let own = Self::new(Project::set(set, root), set.clone(), paths.clone());
        let of_project = || {
            let mut unread = paths.clone().filter(|path| own.is_unread_markdown(path));
            unread.next()?;
            let project = Project::containing(root)?;
            let layout = Self::new(project, set.clone(), paths.clone());
            let mut unread = paths.clone().filter(|path| own.is_unread_markdown(path));
            unread
                .any(|path| layout.kind_of(path).is_some())
                .then_some(layout)
        };
        match &set.generator {
            None if own.is_own() => of_project().unwrap_or(own),
            _ => own,
        }
    }

    /// Creates the layout of a detected project, whose content folder contains the files `paths`.
    pub fn new<'a>(
        project: Project,
        set: ContentFiles,
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
            (&set.ignore, Role::Other, "content_files.ignore"),
            (
                &set.posts,
                Role::Text(TextKind::Post),
                "content_files.posts",
            ),
            (
                &set.pages,
                Role::Text(TextKind::Page),
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
        let page_templates = profile.page_templates.patterns.iter();
        let page_templates = page_templates.filter_map(|pattern| matcher(pattern).ok());
        let mut layout = Self {
            roots: settings.roots_of(profile),
            of_project: of_project.collect(),
            of_profile: of_profile.collect(),
            page_templates: page_templates.collect(),
            defaults: Vec::new(),
            generator,
            folder,
            base,
            settings,
            authors,
            set,
            mapped,
            language_parents: BTreeSet::new(),
            languages: BTreeMap::new(),
            bundles: BTreeSet::new(),
        };
        if !layout.is_own() {
            layout.find_languages(paths.clone());
            layout.find_bundles(paths);
            layout.compile_defaults();
        }
        layout
    }

    /// Returns whether the folder is one of Galley's own.
    pub fn is_own(&self) -> bool {
        are_same(self.generator, GALLEY)
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
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the author with the key `key` in the project's author files.
    pub(super) fn author(&self, key: &str) -> Option<&AuthorRecord> {
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
    pub fn set(&self) -> &ContentFiles {
        &self.set
    }

    /// Returns the dialect of its Markdown.
    pub fn dialect(&self) -> Dialect {
        let named = self.set.markdown.as_deref();
        named
            .and_then(Dialect::by_name)
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

    /// Returns a text that differs between layouts that read some file differently.
    pub fn words(&self) -> String {
        if self.is_own() && self.set == ContentFiles::default() {
            return String::new();
        }
        let languages = self
            .languages
            .iter()
            .filter(|(_, found)| !found.codes.is_empty());
        let languages: Vec<_> = languages.collect();
        format!(
            "\n{} {} {} {:?} {:?} {:?} {languages:?}",
            self.profile().name,
            self.folder,
            self.base,
            self.settings,
            self.set,
            self.authors
        )
    }

    /// Returns what the file at `path` describes; `None` if it is no content file.
    pub fn kind_of(&self, path: &str) -> Option<FileKind> {
        self.place_of(path).map(|place| place.kind)
    }

    /// Returns the properties that the path of a content file implies; `None` if it is no content file.
    pub(crate) fn place_of<'path>(&self, path: &'path str) -> Option<PathProperties<'path>> {
        if self.mapped.is_empty() && self.is_own() {
            return place::place_of(path);
        }
        let reason = self.reason(path);
        let role = match reason.role {
            Role::Text(kind) => GeneratorRole::Text(kind),
            Role::Section => GeneratorRole::Section,
            Role::LeftOut(_) | Role::Other | Role::Template => {
                let is_own = self.is_own() && reason.pattern.is_empty();
                return is_own.then(|| place::place_of(path)).flatten();
            }
        };
        let located = self.located(path)?;
        let sections = located
            .plain
            .rsplit_once('/')
            .map_or("", |(folders, _)| folders);
        let foreign = Foreign {
            role,
            language: located.language.filter(|_| located.is_other_language),
            sections: sections
                .split('/')
                .filter(|section| !section.is_empty())
                .map(str::to_owned)
                .collect(),
        };
        place::foreign_place(path, &located.plain, foreign)
    }

    /// Returns the role of the file at `path`, and the pattern that determines it.
    pub fn reason(&self, path: &str) -> Reason {
        let other = |role| Reason {
            role,
            pattern: String::new(),
            origin: self.profile().title,
        };
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        let extension = extension.to_ascii_lowercase();
        let is_text = place::is_markdown(path) || matches!(extension.as_str(), "html" | "htm");
        let is_other_markup = OTHER_MARKUP.contains(&extension.as_str());
        let is_document = is_text || is_other_markup;
        let may_be_template = self.profile().page_templates.may_be(path);
        if !is_document && !may_be_template {
            return other(Role::Other);
        }
        let mut mapped = self.mapped.iter();
        let mapped = mapped.find(|rule| rule.glob.is_match(path));
        // A template may be ignored, but is no document.
        if let Some(found) = mapped.filter(|rule| is_document || rule.role == Role::Other) {
            return found.reason();
        }
        if self.is_own() {
            return other(Role::Other);
        }
        let Some(located) = self.located(path) else {
            return other(Role::Other);
        };
        let in_project = &located.in_project;
        if self.is_of_works(in_project) || self.is_about_the_folder(in_project) {
            return other(Role::Other);
        }
        let matches = |rule: &&Matcher| rule.glob.is_match(&located.plain_below_root);
        let is_works = self.of_profile.iter().find(matches);
        let is_works = is_works.filter(|rule| rule.role == Role::Other);
        let mut of_profile = self.of_profile.iter();
        // Source code of the generator may lie in configured folders, too.
        let mut of_project = self.of_project.iter();
        let matcher = is_works
            .or_else(|| of_project.find(|rule| rule.glob.is_match(in_project)))
            .or_else(|| of_profile.find(|rule| located.is_below_root && matches(rule)));
        let is_page_template = || {
            let mut patterns = self.page_templates.iter();
            located.is_below_root
                && may_be_template
                && patterns.any(|glob| glob.is_match(&located.plain_below_root))
        };
        let as_template = || {
            if is_page_template() {
                other(Role::Template)
            } else {
                other(Role::Other)
            }
        };
        let reason = match matcher {
            Some(matcher) if is_document || matcher.role == Role::Other => matcher.reason(),
            _ => return as_template(),
        };
        let kind = match reason.role {
            Role::Text(kind) => Some(kind),
            Role::Section => None,
            Role::LeftOut(_) | Role::Other | Role::Template => return reason,
        };
        let leave_out = |why| Reason {
            role: Role::LeftOut(why),
            ..reason.clone()
        };
        let takes_html = match self.profile().html {
            HtmlTexts::Everywhere => true,
            HtmlTexts::Titled => kind.is_some(),
            HtmlTexts::Nowhere => false,
        };
        if is_other_markup && kind.is_some() {
            leave_out("it is neither Markdown nor HTML")
        } else if !place::is_markdown(path) && !takes_html {
            as_template()
        } else if kind.is_some() && self.is_of_bundle(path) {
            leave_out("it belongs to the page of its folder")
        } else if located.is_other_language && !self.set.other_languages {
            leave_out("it is in another language than the site's")
        } else {
            reason
        }
    }

    /// Returns whether the generator builds a page of the template at `path` in the folder `root`, by its front matter.
    pub fn builds_page(&self, root: &Path, path: &str) -> bool {
        let Ok(bytes) = tree::read(root, path) else {
            return false;
        };
        let text = String::from_utf8_lossy(&bytes);
        let front_matter = FencedFrontMatter::of_other_generator(&text);
        let Some(front_matter) = front_matter else {
            return !self.profile().page_templates.have_front_matter;
        };
        let head = &text[..front_matter.body_start];
        let mut keys = head.lines().filter_map(|line| line.split_once(':'));
        !keys.any(|(key, value)| key.trim() == "permalink" && value.trim() == "false")
    }

    /// Returns whether the file at `path` is Markdown that may be missing from the site: no content file, not about the
    /// folder, and not excluded by a rule.
    pub fn is_unread_markdown(&self, path: &str) -> bool {
        let file = path.rsplit('/').next().unwrap_or(path);
        let is_of_list = self.is_own() && file.starts_with("_index.");
        let is_of_works = || {
            let in_project = self.in_project(path);
            !self.is_own() && in_project.is_some_and(|path| self.is_of_works(&path))
        };
        place::is_markdown(path)
            && !place::is_about_the_folder(path)
            && !is_of_list
            && !is_of_works()
            && self.kind_of(path).is_none()
            && self.reason(path).pattern.is_empty()
    }

    /// Returns the folders of a document below the folder of documents, the outermost first.
    pub fn sections_of(&self, path: &str) -> Vec<String> {
        let place = self.place_of(path);
        let foreign = place.and_then(|place| place.foreign);
        let sections = foreign.map(|foreign| foreign.sections).unwrap_or_default();
        let file = path.rsplit('/').next().unwrap_or(path);
        let is_index = ["index.", "_index.", "page.", "README."]
            .iter()
            .any(|name| file.starts_with(name));
        // The folder of an index file is the name.
        let own = usize::from(is_index).min(sections.len());
        let sections = sections[..sections.len() - own].iter();
        let sections =
            sections.filter(|section| !["_posts", "_drafts", ".."].contains(&section.as_str()));
        let sections = sections.map(|section| section.trim_start_matches('_').to_owned());
        sections.collect()
    }

    /// Returns words that distinguish a document from others with its slug: its folders, else those of its published path,
    /// without dates.
    pub fn distinction_of(&self, path: &str, published: Option<&str>) -> Vec<String> {
        let sections = self.sections_of(path);
        if !sections.is_empty() {
            return sections;
        }
        let folders = published.and_then(|published| published.rsplit_once('/'));
        let folders = folders.map_or("", |(folders, _)| folders).split('/');
        let is_number = |folder: &str| folder.bytes().all(|byte| byte.is_ascii_digit());
        folders
            .filter(|folder| !is_number(folder))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the URL path of the list page whose document is the file at `path`: `/docs/` of `content/docs/_index.md`.
    pub fn section_of(&self, path: &str) -> Option<String> {
        let foreign = self.place_of(path)?.foreign?;
        let is_section = foreign.role == GeneratorRole::Section;
        let folders = foreign.sections.iter().map(|section| format!("/{section}"));
        is_section.then(|| format!("{}/", folders.collect::<String>()))
    }

    /// Returns the folders, relative to the content folder, that are served at the root of the site. Of the folders of
    /// single languages, these are that of the site's language and that of the document at `file`, which comes first.
    pub fn tops(&self, file: &str) -> impl Iterator<Item = String> {
        let of_profile = self.profile().tops.iter();
        let of_profile = of_profile.map(|top| (*top).to_owned());
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
        let tops = of_profile.chain(self.settings.tops.iter().cloned());
        let tops = tops.chain(roots);
        let mut tops: Vec<String> = tops.filter_map(|top| self.in_content(&top)).collect();
        tops.push(String::new());
        tops.into_iter()
    }

    /// Returns the paths in the content folder of what the project serves at `path`, which is relative to the site, from folders
    /// of other names.
    pub fn mounted(&self, path: &str) -> impl Iterator<Item = String> {
        let mounts = self.settings.mounts.iter();
        mounts.filter_map(move |(at, folder)| {
            let below = path.strip_prefix(at.as_str())?;
            let is_below = at.is_empty() || below.is_empty() || below.starts_with('/');
            is_below
                .then(|| self.in_content(&format!("{folder}/{}", below.trim_start_matches('/'))))?
        })
    }

    /// Returns whether the documents below `root`, all of them in `language`, are not in the site's own one.
    fn is_other_language(&self, root: &str, language: &str) -> bool {
        let languages = self.languages.get(root);
        languages.is_some_and(|languages| languages.is_other(Some(language)))
    }

    /// Returns whether a file is about the folder and not content. `security.md` is a page of a generator like any other;
    /// `SECURITY.md` is not.
    fn is_about_the_folder(&self, in_project: &str) -> bool {
        let file = in_project.rsplit('/').next().unwrap_or(in_project);
        let stem = file.split('.').next().unwrap_or_default();
        let is_of_generator = !are_same(self.generator, PLAIN) && !self.is_own();
        let is_page = if stem.eq_ignore_ascii_case("readme") {
            self.profile().has_readme_pages && in_project.contains('/')
        } else {
            is_of_generator && stem.contains(char::is_lowercase)
        };
        !is_page && place::is_about_the_folder(in_project)
    }

    fn is_of_works(&self, in_project: &str) -> bool {
        let (folders, _) = in_project.rsplit_once('/').unwrap_or(("", in_project));
        let mut names = folders.split('/');
        let top = names.next().unwrap_or_default();
        let is_root = self.roots.iter().any(|root| root == top);
        (WORKS.contains(&top) && !is_root)
            || folders.split('/').any(|folder| PARTS.contains(&folder))
    }

    fn find_bundles<'a>(&mut self, paths: impl Iterator<Item = &'a str>) {
        if !self.profile().has_bundles {
            return;
        }
        for path in paths.filter(|path| place::is_markdown(path) || path.ends_with(".html")) {
            let Some((folder, file)) = path.rsplit_once('/') else {
                continue;
            };
            let in_project = self.in_project(path);
            let is_root = in_project
                .as_deref()
                .and_then(|path| path.rsplit_once('/'))
                .is_none_or(|(folder, _)| self.roots.iter().any(|root| root == folder));
            if file.starts_with("index.") && !is_root {
                self.bundles.insert(folder.to_owned());
            }
        }
    }

    /// Returns whether a file lies in the folder of another document.
    fn is_of_bundle(&self, path: &str) -> bool {
        let Some((folder, file)) = path.rsplit_once('/') else {
            return false;
        };
        let own = file.starts_with("index.");
        let folders = std::iter::successors(Some(folder), |folder| {
            folder.rsplit_once('/').map(|(above, _)| above)
        });
        folders
            .skip(usize::from(own))
            .any(|folder| self.bundles.contains(folder))
    }
}

impl Matcher {
    fn new(pattern: &str, role: Role, origin: &'static str) -> Option<Self> {
        let glob = matcher(pattern).ok()?;
        Some(Self { glob, role, origin })
    }

    fn reason(&self) -> Reason {
        Reason {
            role: self.role,
            pattern: self.glob.glob().glob().to_owned(),
            origin: self.origin,
        }
    }
}
