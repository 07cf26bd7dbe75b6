//! The data about a static site generator: the signs of its projects, the roles of their files, and the rules for reading
//! them.
//!
//! A [`Profile`] applies to every project of a generator, and [`ProjectSettings`](super::ProjectSettings) to one project.

use super::{reading_rules::ReadingRules, syntax::DocumentSyntax};
use crate::render::markdown::Dialect;

/// The profile of a generator.
#[derive(Debug)]
pub struct Profile {
    /// Its name in settings: `hugo`.
    pub name: &'static str,
    /// Its display name: `Hugo`.
    pub title: &'static str,
    /// Signs of its projects: any one is sufficient.
    pub signs: &'static [Sign],
    /// The folders of documents, relative to the project, the most specific first. The patterns of `rules` are relative to
    /// these.
    pub roots: &'static [&'static str],
    /// Parents of language folders other than the roots, relative to the project.
    pub language_folders: &'static [&'static str],
    /// Roles of files, by their paths below a root: the first matching pattern applies.
    pub rules: &'static [Rule],
    /// Folders in which HTML files are documents rather than templates.
    pub html: HtmlDocuments,
    /// Files that are not documents but from which the generator builds pages.
    pub page_templates: PageTemplates,
    /// Folders that are served at the root of the site, the likeliest first.
    pub served_folders: &'static [&'static str],
    /// The folders for uploads, relative to the project: the first one that it has is used, else the first.
    pub upload_folders: &'static [&'static str],
    /// How its documents link to uploads.
    pub upload_links: UploadLinks,
    /// Whether files next to `index.md` belong to that page, so that Markdown among them is not a document.
    pub has_bundles: bool,
    /// The role of a `README` below the top of the project.
    pub readme: Readme,
    /// The dialect of its Markdown.
    pub dialect: Dialect,
    /// The syntax of its documents beyond Markdown.
    pub syntax: DocumentSyntax,
    /// The rules for values of keys.
    pub reading: ReadingRules,
    /// Keys of posts that its projects usually write as an alias, with that alias. New keys are written as the alias.
    pub usual_names: &'static [(&'static str, &'static str)],
    /// The rule for titles from file names.
    pub title_of_name: NameTitle,
    /// The rule for dates in paths.
    pub dates_of_path: PathDates,
    /// Paths of files with authors, which posts reference by key.
    pub author_files: &'static [&'static str],
}

impl Profile {
    /// Returns the usual name of a key of posts, if it is an alias.
    pub fn usual_name(&self, key: &str) -> Option<&'static str> {
        let names = self.usual_names.iter();
        names
            .filter(|(name, _)| *name == key)
            .map(|(_, alias)| *alias)
            .next()
    }
}

/// How documents link to uploads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UploadLinks {
    /// Relative to the document.
    Relative,
    /// By the path on the site, including its base path. The folder is served at this path.
    Site(&'static str),
    /// By the path without the base path of the site, which the generator prepends. The folder is served at this path.
    BelowSite(&'static str),
}

/// A sign of a generator's project.
#[derive(Debug)]
pub enum Sign {
    /// A file or folder of this name.
    Entry(&'static str),
    /// A file or folder of this name, which projects of other generators may have, too: it counts only without other signs.
    Habit(&'static str),
    /// Notes that link one another by name in double brackets: it counts only in folders without another sign.
    LinkedNotes,
    /// A file of this name with one of the extensions of scripts, such as `astro.config.mjs`.
    Script(&'static str),
    /// A settings file of this name, in any data language.
    Settings(&'static str),
    /// A settings file of this name with one of these words at the beginning of a line.
    SettingsWith(&'static str, &'static [&'static str]),
    /// A file with this name that contains this text.
    Mentions(&'static str, &'static str),
    /// All of these.
    All(&'static [Sign]),
}

/// The role of files whose paths match.
#[derive(Debug)]
pub struct Rule {
    /// A glob pattern: `*` stays within a folder, `**` does not.
    pub pattern: &'static str,
    /// The role.
    pub role: Role,
}

/// The role of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It becomes a post or a page.
    Document(DocumentKind),
    /// The document of a list or of a front page: a page if it has a body.
    Section,
    /// It is left out, for this reason.
    LeftOut(&'static str),
    /// It is a template or a script from which the generator builds a page.
    Template,
    /// It is part of the generator's source code.
    Other,
}

/// The kind of record of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DocumentKind {
    /// A post.
    Post,
    /// A page.
    Page,
    /// A post if it has a date, else a page.
    ByDate,
}

/// The HTML files that are documents rather than templates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtmlDocuments {
    /// In all folders of documents.
    Everywhere,
    /// In folders of posts. Elsewhere, only files that have a title and do not depend on the rest of the site.
    Titled,
    /// Nowhere.
    Nowhere,
}

/// The templates or scripts from which a generator builds pages. Rules with [`Role::Other`] come first.
#[derive(Debug)]
pub struct PageTemplates {
    /// Their extensions, without the leading dot.
    pub extensions: &'static [&'static str],
    /// Patterns for their paths below a root.
    pub patterns: &'static [&'static str],
    /// Whether only files with front matter are templates. Others are copied.
    pub have_front_matter: bool,
}

impl PageTemplates {
    /// No files.
    pub const NONE: Self = Self {
        extensions: &[],
        patterns: &[],
        have_front_matter: false,
    };

    /// Returns whether a file may be a template, by its extension.
    pub fn may_be(&self, path: &str) -> bool {
        self.extensions.iter().any(|extension| {
            let stem = path.strip_suffix(extension);
            stem.is_some_and(|stem| stem.ends_with('.'))
        })
    }
}

/// The role of a `README` below the top of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Readme {
    /// It describes its folder and is not published.
    None,
    /// A page like any other, with the name `readme`.
    Page,
    /// Like `Page` if it has front matter; otherwise the generator copies the file.
    WithFrontMatter,
    /// The page of its folder, like `index`.
    Index,
}

/// The rule for dates in paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PathDates {
    /// At the start of a name, before `-` or `_`; or folders that are year, month and day.
    Names,
    /// Like `Names`, but also before a space, and the day at the start of a name may complete folders that are year and
    /// month.
    Notes,
    /// The first `YYYY-MM-DD` anywhere in the path. The name is the text after the first date in the file's name.
    First,
}

/// The rule for titles from file names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameTitle {
    /// `night-ferry` becomes `Night ferry`.
    Sentence,
    /// `night-ferry` becomes `Night Ferry`.
    Capitals,
    /// The name is unchanged.
    AsIs,
}

/// The role of files that become posts.
pub(super) const POST: Role = Role::Document(DocumentKind::Post);

/// The role of files that become pages.
pub(super) const PAGE: Role = Role::Document(DocumentKind::Page);

/// The role of files that become posts if they have a date.
pub(super) const BY_DATE: Role = Role::Document(DocumentKind::ByDate);

/// The role of files that describe tags, authors or categories.
pub(super) const TERMS: Role =
    Role::LeftOut("it describes tags or authors; their names are read from the posts");

/// Extensions of React components.
pub(super) const COMPONENTS: &[&str] = &["js", "jsx", "ts", "tsx"];

/// Returns the rule for files whose paths match `pattern`.
pub(super) const fn rule(pattern: &'static str, role: Role) -> Rule {
    Rule { pattern, role }
}
