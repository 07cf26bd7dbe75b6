//! Determines the role of each file of a folder.

use std::{borrow::Cow, path::Path};

use crate::{
    content_files::{
        folder_files,
        layout::{
            Layout,
            located::DocumentLocation,
            matcher::{Matcher, Reason},
        },
        path_properties,
        path_properties::{FileKind, GeneratorProperties, GeneratorRole, PathProperties},
        site_file::SITE_FILES,
    },
    content_text::front_matter::FencedFrontMatter,
    generators::{DocumentKind, HtmlDocuments, PLAIN, Readme, Role, are_same},
};

/// Usual names of folders, at the top of a project, that contain output or source code of a generator.
const TOP_FOLDERS: [&str; 9] = [
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

/// Usual names of such folders at any depth.
const NESTED_FOLDERS: [&str; 8] = [
    "_components",
    "_data",
    "_includes",
    "_layouts",
    "_plugins",
    "_sass",
    "node_modules",
    "partials",
];

/// The reason that a file about the folder is left out.
const ABOUT_THE_FOLDER: &str = "it is about the folder, not content of the site";

/// The reason that Markdown in a folder of output or source code is left out.
const OUTSIDE: &str = "it is outside of the folders of documents";

/// The extensions of unsupported markup languages, each with the reason that such documents are left out.
const OTHER_MARKUP: [(&str, &str); 9] = [
    ("adoc", "it is AsciiDoc, which is not supported"),
    ("asciidoc", "it is AsciiDoc, which is not supported"),
    ("ipynb", "it is a Jupyter notebook, which is not supported"),
    ("org", "it is an Org mode file, which is not supported"),
    ("pandoc", "it is Pandoc Markdown, which is not supported"),
    ("qmd", "it is Quarto Markdown, which is not supported"),
    ("rmd", "it is R Markdown, which is not supported"),
    ("rst", "it is reStructuredText, which is not supported"),
    ("textile", "it is Textile, which is not supported"),
];

/// The form of a file's text, by its extension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Markdown,
    Html,
    /// An unsupported markup language, with the reason that the file is left out.
    OtherMarkup(&'static str),
    /// Not a document.
    Unknown,
}

impl Form {
    fn of(path: &str) -> Self {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        match extension.to_ascii_lowercase().as_str() {
            _ if path_properties::is_markdown(path) => Self::Markdown,
            "html" | "htm" => Self::Html,
            other => {
                let mut others = OTHER_MARKUP.iter();
                others
                    .find(|(extension, _)| *extension == other)
                    .map_or(Self::Unknown, |(_, reason)| Self::OtherMarkup(reason))
            }
        }
    }

    /// Returns whether `rule` applies to such a file. A file that is not a document can only be ignored.
    fn obeys(self, rule: &Matcher) -> bool {
        self != Self::Unknown || rule.role == Role::Other
    }
}

/// The reason that a document is not used, and its category.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Omission {
    /// The reason.
    pub reason: Cow<'static, str>,
    /// Whether no rule applies to the document, as outside of the folders of documents.
    pub is_unassigned: bool,
    /// Whether the generator itself does not publish the file, so nothing is missing from the site.
    pub is_expected: bool,
    /// Whether the document is left out only because of its markup language.
    pub is_other_markup: bool,
}

impl Omission {
    /// Returns the outcome for the file, which messages show before the reason.
    pub fn outcome(&self) -> &'static str {
        if self.is_unassigned {
            "not served"
        } else {
            "left out"
        }
    }

    fn unexpected(reason: &'static str) -> Self {
        Self {
            reason: Cow::Borrowed(reason),
            is_unassigned: false,
            is_expected: false,
            is_other_markup: OTHER_MARKUP.iter().any(|(_, own)| *own == reason),
        }
    }
}

/// Returns whether a file outside of the folders of documents is output or source code of a generator, by the names of its
/// folders.
fn is_output_or_source(in_project: &str) -> bool {
    let (folders, _) = in_project.rsplit_once('/').unwrap_or(("", in_project));
    let top = folders.split('/').next().unwrap_or_default();
    TOP_FOLDERS.contains(&top)
        || folders
            .split('/')
            .any(|folder| NESTED_FOLDERS.contains(&folder))
}

impl Layout {
    /// Returns the kind of record that the file at `path` describes; `None` if it is not a content file.
    pub fn kind_of(&self, path: &str) -> Option<FileKind> {
        self.properties_of(path).map(|properties| properties.kind)
    }

    /// Returns the properties that the path of a content file implies; `None` if it is not a content file.
    pub(crate) fn properties_of<'path>(&self, path: &'path str) -> Option<PathProperties<'path>> {
        if self.mapped.is_empty() && self.is_own() || SITE_FILES.contains(&path) {
            return path_properties::properties_of(path);
        }
        let reason = self.reason(path);
        let role = match reason.role {
            Role::Document(kind) => GeneratorRole::Document(kind),
            Role::Section => GeneratorRole::Section,
            Role::LeftOut(_) | Role::Other | Role::Template => {
                let is_own = self.is_own() && reason.pattern.is_empty();
                return is_own
                    .then(|| path_properties::properties_of(path))
                    .flatten();
            }
        };
        let located = self.located(path)?;
        let sections = located
            .plain
            .rsplit_once('/')
            .map_or("", |(folders, _)| folders);
        let generator = GeneratorProperties {
            role,
            language: located.language.filter(|_| located.is_other_language),
            sections: sections
                .split('/')
                .filter(|section| !section.is_empty())
                .map(str::to_owned)
                .collect(),
        };
        path_properties::properties_in_project(path, &located.plain, generator, self.generator)
    }

    /// Returns the role of the file at `path`, and the pattern that determines it. The operator's patterns take precedence over
    /// the project's settings, and these over the rules of the generator.
    pub fn reason(&self, path: &str) -> Reason {
        let form = Form::of(path);
        // Most files of a folder are not documents, and are not matched with any pattern.
        if form == Form::Unknown && !self.profile().page_templates.may_be(path) {
            return self.without_pattern(Role::Other);
        }
        if let Some(rule) = self.operator_rule(path, form) {
            return rule.reason();
        }
        if self.is_own() {
            return self.without_pattern(Role::Other);
        }
        let Some(located) = self.located(path) else {
            return self.without_pattern(Role::Other);
        };
        if self.is_about_the_folder(&located.in_project) {
            return self.without_pattern(match form {
                Form::Markdown => Role::LeftOut(ABOUT_THE_FOLDER),
                _ => Role::Other,
            });
        }
        let rule = self.project_rule(&located);
        let Some(rule) = rule.filter(|rule| form.obeys(rule)) else {
            return self.template_or_other(path, &located);
        };
        let kind = match rule.role {
            Role::Document(kind) => Some(kind),
            Role::Section => None,
            Role::LeftOut(_) | Role::Other | Role::Template => return rule.reason(),
        };
        let mut collected = self.collected.iter();
        if !self.collected.is_empty()
            && !collected.any(|pattern| pattern.is_match(&located.in_project))
        {
            return Reason {
                role: Role::Other,
                pattern: "collections".to_owned(),
                origin: "the project's settings",
            };
        }
        let is_other_markup = matches!(form, Form::OtherMarkup(_)) && kind.is_some();
        // Documents in unsupported markup continue, so that `exclusion` reports them.
        if !is_other_markup && form != Form::Markdown && !self.publishes_html(kind) {
            return self.template_or_other(path, &located);
        }
        match self.exclusion(path, form, kind, &located) {
            Some(why) => Reason {
                role: Role::LeftOut(why),
                ..rule.reason()
            },
            None => rule.reason(),
        }
    }

    fn without_pattern(&self, role: Role) -> Reason {
        Reason {
            role,
            pattern: String::new(),
            origin: self.profile().title,
        }
    }

    /// Returns the first pattern of the operator or `site.toml` that matches a file.
    fn operator_rule(&self, path: &str, form: Form) -> Option<&Matcher> {
        let mut rules = self.mapped.iter();
        // The first match decides, even if it does not apply to this form of file.
        let rule = rules.find(|rule| rule.glob.is_match(path));
        rule.filter(|rule| form.obeys(rule))
    }

    /// Returns the rule of the project's settings or of the generator that matches a file. Rules for the generator's own source
    /// code come first, because it may be in configured folders of documents.
    fn project_rule(&self, located: &DocumentLocation) -> Option<&Matcher> {
        let matches = |rule: &&Matcher| rule.glob.is_match(&located.plain_below_root);
        let source_code = self.of_profile.iter().find(matches);
        let source_code = source_code.filter(|rule| rule.role == Role::Other);
        let mut of_project = self.of_project.iter();
        let mut of_profile = self.of_profile.iter();
        source_code
            .or_else(|| of_project.find(|rule| rule.glob.is_match(&located.in_project)))
            .or_else(|| of_profile.find(|rule| located.is_below_root && matches(rule)))
    }

    /// Returns the role of a file that is not a document: a template of a page, or another file.
    fn template_or_other(&self, path: &str, located: &DocumentLocation) -> Reason {
        let mut templates = self.page_templates.iter();
        let is_template = located.is_below_root
            && self.profile().page_templates.may_be(path)
            && templates.any(|glob| glob.is_match(&located.plain_below_root));
        self.without_pattern(if is_template {
            Role::Template
        } else {
            Role::Other
        })
    }

    /// Returns whether the generator publishes HTML files as documents of this kind; `None` is a section.
    fn publishes_html(&self, kind: Option<DocumentKind>) -> bool {
        match self.profile().html {
            HtmlDocuments::Everywhere => true,
            HtmlDocuments::Titled => kind.is_some(),
            HtmlDocuments::Nowhere => false,
        }
    }

    /// Returns the reason that a document is left out; `None` if it is used.
    fn exclusion(
        &self,
        path: &str,
        form: Form,
        kind: Option<DocumentKind>,
        located: &DocumentLocation,
    ) -> Option<&'static str> {
        let in_project = format!("/{}", located.in_project);
        let mut ignored = self.ignored_files.iter();
        if ignored.any(|pattern| pattern.is_match(&in_project)) {
            Some("`ignoreFiles` of the settings matches its path")
        } else if let Form::OtherMarkup(reason) = form
            && kind.is_some()
        {
            Some(reason)
        } else if kind.is_some() && self.is_readme_beside_index(path) {
            Some("the `index` file beside it is the page of the folder")
        } else if kind.is_some() && self.is_of_bundle(path) {
            Some("it belongs to the page of its folder")
        } else if located.is_other_language && !self.options.other_languages {
            Some("its language is not the site's")
        } else {
            None
        }
    }

    /// Returns whether the generator builds a page from the template at `path` in the folder `root`, by its front matter.
    pub fn builds_page(&self, root: &Path, path: &str) -> bool {
        let Ok(bytes) = folder_files::read(root, path) else {
            return false;
        };
        let text = String::from_utf8_lossy(&bytes);
        let front_matter = FencedFrontMatter::of_other_generator(&text);
        let Some(front_matter) = front_matter else {
            return !self.profile().page_templates.have_front_matter;
        };
        let head = &text[..front_matter.body_start];
        let mut keys = head.lines().filter_map(|line| line.split_once(':'));
        // Eleventy writes no page for such a template.
        !keys.any(|(key, value)| key.trim() == "permalink" && value.trim() == "false")
    }

    /// Returns why the document at `path` is not used; `None` for content files, files that are not documents, and files that
    /// the operator ignores.
    pub fn omission_of(&self, path: &str) -> Option<Omission> {
        let reason = self.reason(path);
        let expected = |reason: Cow<'static, str>| Omission {
            reason,
            is_unassigned: false,
            is_expected: true,
            is_other_markup: false,
        };
        let unassigned = || Omission {
            is_unassigned: true,
            is_expected: false,
            ..expected(self.outside_reason(path).into())
        };
        match reason.role {
            Role::LeftOut(ABOUT_THE_FOLDER) => return Some(expected(ABOUT_THE_FOLDER.into())),
            Role::LeftOut(reason) => return Some(Omission::unexpected(reason)),
            _ if !path_properties::is_markdown(path) || self.kind_of(path).is_some() => {
                return None;
            }
            _ => {}
        }
        let is_of_operator = self.mapped.iter().any(|rule| rule.reason() == reason);
        let file = path.rsplit('/').next().unwrap_or(path);
        match reason.pattern.as_str() {
            _ if is_of_operator => None,
            "" if self.is_own() => {
                let is_about = path_properties::is_about_the_folder(path);
                (!is_about && !file.starts_with("_index.")).then(unassigned)
            }
            "" if self
                .in_project(path)
                .is_some_and(|path| is_output_or_source(&path)) =>
            {
                Some(expected(OUTSIDE.into()))
            }
            "" => Some(unassigned()),
            pattern => {
                let reason = format!("`{pattern}` of {} ignores it", reason.origin);
                Some(expected(reason.into()))
            }
        }
    }

    /// Returns whether a file is about the folder and not content. In another generator's project, `security.md` is a page like
    /// any other; `SECURITY.md` is not.
    pub(super) fn is_about_the_folder(&self, in_project: &str) -> bool {
        let in_project = in_project.trim_start_matches("../");
        let file = in_project.rsplit('/').next().unwrap_or(in_project);
        let stem = file.split('.').next().unwrap_or_default();
        let is_of_generator = !are_same(self.generator, PLAIN) && !self.is_own();
        let is_page = if stem.eq_ignore_ascii_case("readme") {
            let is_front_page = self.generator.has_readme_front_page();
            self.profile().readme != Readme::None && (is_front_page || in_project.contains('/'))
        } else {
            is_of_generator && stem.contains(char::is_lowercase)
        };
        !is_page && path_properties::is_about_the_folder(in_project)
    }

    /// Returns whether the file at `path` is a `README`, from which the generator builds a page only if it has front matter.
    pub(crate) fn is_readme_by_front_matter(&self, path: &str) -> bool {
        let file = path.rsplit('/').next().unwrap_or(path);
        let stem = file.split('.').next().unwrap_or_default();
        self.profile().readme == Readme::WithFrontMatter && stem.eq_ignore_ascii_case("readme")
    }

    /// Returns whether the generator ignores a file, by its path below the folder of documents.
    pub(super) fn is_of_generator(&self, below_root: &str) -> bool {
        let mut rules = self.of_profile.iter();
        let rule = rules.find(|rule| rule.glob.is_match(below_root));
        rule.is_some_and(|rule| rule.role == Role::Other)
    }
}
