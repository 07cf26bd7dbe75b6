//! The knowledge of a static site generator that differs from that of others.

use std::{fmt::Debug, path::Path};

use serde_json::{Map, Value as Json};

use super::{
    document::Document,
    profile::{Profile, Role},
    settings::{ProjectSettings, reference::SettingRow},
};
use crate::content_text::{Span, document::Table};

/// A static site generator. Its [`Profile`] has the data; the methods have the rules.
pub trait Generator: Debug + Sync {
    /// Returns its name, the signs of its projects, and the roles of their files.
    fn profile(&self) -> &'static Profile;

    /// Returns the names of its settings files in data languages, without extension.
    fn settings_files(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the names of further files with settings, without extensions.
    fn further_settings_files(&self) -> &'static [&'static str] {
        &[]
    }

    /// Returns the meaning of its settings in Galley, in the order of its page of the documentation.
    fn setting_rows(&self) -> &'static [SettingRow] {
        &[]
    }

    /// Reads the settings of the project `root`. Settings files that cannot be read are reported by the caller.
    fn read_settings(&self, _root: &Path) -> ProjectSettings {
        ProjectSettings::default()
    }

    /// Returns the path at which it publishes a document, relative to the site; `None` if that is not known.
    fn published_path(&self, _document: &Document<'_>) -> Option<String> {
        None
    }

    /// Returns whether it leaves a relative link to `path` as written, so that the link is relative to the page and not to
    /// the file.
    fn leaves_link(&self, _path: &str) -> bool {
        false
    }

    /// Returns whether a URL is a reference to a document in its own syntax; it fails to build pages with dangling ones.
    fn is_reference(&self, _url: &str) -> bool {
        false
    }

    /// Returns the form of a path or a pattern in which it compares paths.
    fn comparable(&self, path: &str) -> String {
        path.to_owned()
    }

    /// Returns the kind of the document `file` in `folders`, by which the project chooses default values.
    fn kind<'f>(&self, _file: &str, _folders: &[&'f str]) -> &'f str {
        "page"
    }

    /// Adds to the front matter `table` the values that the project gives to the document, with the position `opening`.
    fn complete(&self, table: &mut Table, values: &Map<String, Json>, opening: Span) {
        table.complete(values, opening);
    }

    /// Returns the keys of front matter that it gives no meaning in a document of a role, although Galley has keys of these names.
    fn ignored_keys(&self, _role: &dyn Fn() -> Role) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether folders and names of documents may say their languages. Otherwise all of them are published.
    fn has_languages(&self) -> bool {
        true
    }

    /// Returns whether the slugs of pages without a date are made of their paths.
    fn names_pages_by_path(&self) -> bool {
        false
    }

    /// Returns whether the slug of a document is the last part of its published path, rather than the name of its file.
    fn names_documents_by_url(&self) -> bool {
        false
    }

    /// Returns whether links to other documents may be by name, without the folders and the extension of their files.
    fn links_by_name(&self) -> bool {
        false
    }

    /// Returns whether it builds no post that has neither a date in its front matter nor in its path.
    fn skips_undated_posts(&self, _settings: &ProjectSettings) -> bool {
        false
    }

    /// Returns whether it builds no document whose title neither its front matter nor the project gives.
    fn skips_untitled_documents(&self) -> bool {
        false
    }

    /// Returns whether the title of a document without one is the name of its file, also if its text begins with a heading.
    fn titles_by_name(&self) -> bool {
        false
    }

    /// Returns whether it publishes no `README` file in a folder that has an `index` file.
    fn prefers_index(&self) -> bool {
        false
    }

    /// Returns the path that redirects to a document with this alias among its names; `None` if aliases are names only.
    fn path_of_alias(&self, _alias: &str, _settings: &ProjectSettings) -> Option<String> {
        None
    }

    /// Returns whether a document is a draft by the name of its file, without extension.
    fn is_draft_name(&self, _stem: &str) -> bool {
        false
    }

    /// Returns the name of a folder without what only orders it.
    fn name_of_folder<'f>(&self, folder: &'f str) -> &'f str {
        folder
    }

    /// Returns whether `README.md` at the top of the project is the front page.
    fn has_readme_front_page(&self) -> bool {
        false
    }

    /// Returns the folders of a document that are tags of it.
    fn folder_tags<'f>(&self, _folders: &'f [String]) -> &'f [String] {
        &[]
    }
}

/// Returns whether a link is to a Markdown file by its name.
pub(super) fn names_markdown(path: &str) -> bool {
    let mut extensions = [".md", ".mdx", ".markdown"].iter();
    extensions.any(|extension| path.ends_with(extension))
}
