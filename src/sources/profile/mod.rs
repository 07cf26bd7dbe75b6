//! Generators of sites, as data: how a project of each is recognised, where its texts lie, and how they are read.
//!
//! A [`Profile`] is what holds for every project of a generator. What a project says in its own settings (another folder of
//! texts, its languages, its collections) is read by [`project`]. Serving and importing go by the same profiles, by way of
//! [`Layout`](super::layout::Layout).

mod directory_data;
pub mod language;
mod literals;
pub mod project;
mod settings;
mod table;

pub use settings::Settings;
pub use table::{GALLEY, PLAIN, PROFILES};

pub use super::published::PathRule;
use super::{keys::ReadingRules, templates::Family};
use crate::render::markdown::Dialect;

/// A generator.
#[derive(Debug)]
pub struct Profile {
    /// Its name in settings: `hugo`.
    pub name: &'static str,
    /// Its name for people: `Hugo`.
    pub title: &'static str,
    /// What makes a folder a project of it: each sign by itself is enough.
    pub signs: &'static [Sign],
    /// The folders of texts, relative to the project, the most precise first. The patterns of `rules` are relative to these.
    pub roots: &'static [&'static str],
    /// Folders below which the folders of languages lie, where those are not the roots; relative to the project.
    pub language_folders: &'static [&'static str],
    /// What files are, by their paths below a root: the first pattern that matches decides.
    pub rules: &'static [Rule],
    /// In which folders HTML is a text and not a template.
    pub html: HtmlTexts,
    /// The folders whose files have their addresses from the top of the site, the likeliest first.
    pub tops: &'static [&'static str],
    /// Whether files beside `index.md` belong to that page, so that Markdown among them is no text.
    pub has_bundles: bool,
    /// Whether a `README` below the top of the project is a page.
    pub has_readme_pages: bool,
    /// The dialect of its Markdown.
    pub dialect: Dialect,
    /// What its texts may hold beside Markdown.
    pub family: Family,
    /// What its texts mean by the values of keys.
    pub reading: ReadingRules,
    /// How a title is made of the name of a file.
    pub title_of_name: NameTitle,
    /// How it makes the paths of its pages.
    pub paths: PathRule,
    /// Where the descriptions of authors lie that posts refer to by a key.
    pub author_files: &'static [&'static str],
}

/// What a project of a generator has.
#[derive(Debug)]
pub enum Sign {
    /// A file or folder of this name.
    Entry(&'static str),
    /// A file or folder of this name, which projects of other generators may have as well: it counts where nothing else shows
    /// what the folder is.
    Habit(&'static str),
    /// A file of this name with one of the extensions of scripts, such as `astro.config.mjs`.
    Script(&'static str),
    /// A file of settings of this name, in any language for data.
    Settings(&'static str),
    /// A file of settings of this name that has one of these words at the beginning of a line.
    SettingsWith(&'static str, &'static [&'static str]),
    /// All of these.
    All(&'static [Sign]),
}

/// What the files are whose paths match.
#[derive(Debug)]
pub struct Rule {
    /// A glob pattern: `*` stays within a folder, `**` does not.
    pub pattern: &'static str,
    /// What such files are.
    pub role: Role,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It becomes a post or a page.
    Text(TextKind),
    /// The text of a list or of a front page: a page if it has any text.
    Section,
    /// It is left out, for this reason.
    LeftOut(&'static str),
    /// It is no text of the site: part of the generator's own works.
    Other,
}

/// What a text becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextKind {
    /// A post.
    Post,
    /// A page.
    Page,
    /// A post if it has a date, else a page.
    ByDate,
}

/// Where HTML is a text and not a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HtmlTexts {
    /// Wherever texts lie.
    Everywhere,
    /// Among posts alone.
    Posts,
    /// Nowhere.
    Nowhere,
}

/// How a title is made of the name of a file that says none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NameTitle {
    /// `night-ferry` becomes `Night ferry`.
    Sentence,
    /// `night-ferry` becomes `Night Ferry`.
    Capitals,
    /// The name stays as it is.
    AsIs,
}
