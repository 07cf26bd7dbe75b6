//! The properties and rules in which static site generators differ.

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

    /// Returns how Galley treats each of its settings, in the order of the generator's documentation page.
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

    /// Returns whether the generator leaves a relative link to `path` unchanged, so that the link is relative to the URL of
    /// the page and not to the file.
    fn leaves_link(&self, _path: &str) -> bool {
        false
    }

    /// Returns whether a URL is a reference to a document in the generator's own syntax. The generator fails to build pages
    /// with dangling references.
    fn is_reference(&self, _url: &str) -> bool {
        false
    }

    /// Returns a path or pattern in the form that the generator compares, such as lower case.
    fn comparable(&self, path: &str) -> String {
        path.to_owned()
    }

    /// Returns the kind of the document `file` in `folders`, which selects the project's default values for it.
    fn kind<'f>(&self, _file: &str, _folders: &[&'f str]) -> &'f str {
        "page"
    }

    /// Adds the project's default `values` for a document to its front matter `table`, at the position `opening`.
    fn complete(&self, table: &mut Table, values: &Map<String, Json>, opening: Span) {
        table.complete(values, opening);
    }

    /// Returns the keys of front matter that Galley knows but that have no meaning for this generator in documents of a
    /// role.
    fn ignored_keys(&self, _role: &dyn Fn() -> Role) -> &'static [&'static str] {
        &[]
    }

    /// Returns whether folder and file names may contain the languages of documents. Otherwise all documents are published.
    fn has_languages(&self) -> bool {
        true
    }

    /// Returns whether the slugs of pages without a date are derived from their paths.
    fn names_pages_by_path(&self) -> bool {
        false
    }

    /// Returns whether the slug of a document is the last part of its published path, rather than the name of its file.
    fn names_documents_by_url(&self) -> bool {
        false
    }

    /// Returns whether documents may link to each other by file name alone, without folders and extension.
    fn links_by_name(&self) -> bool {
        false
    }

    /// Returns whether the generator skips posts without a date in their front matter or path.
    fn skips_undated_posts(&self, _settings: &ProjectSettings) -> bool {
        false
    }

    /// Returns whether the generator skips documents that have no title in their front matter or from the project.
    fn skips_untitled_documents(&self) -> bool {
        false
    }

    /// Returns whether a document without a title is titled by its file name, even if its text begins with a heading.
    fn titles_by_name(&self) -> bool {
        false
    }

    /// Returns whether a `README` file is not published if its folder has an `index` file.
    fn prefers_index(&self) -> bool {
        false
    }

    /// Returns the path that redirects to a document with this alias; `None` if aliases are only other names of the
    /// document.
    fn path_of_alias(&self, _alias: &str, _settings: &ProjectSettings) -> Option<String> {
        None
    }

    /// Returns whether a file name, without extension, marks its document as a draft.
    fn is_draft_name(&self, _stem: &str) -> bool {
        false
    }

    /// Returns the name of a folder without a prefix that only orders it, such as a number.
    fn name_of_folder<'f>(&self, folder: &'f str) -> &'f str {
        folder
    }

    /// Returns whether `README.md` at the top of the project is the front page.
    fn has_readme_front_page(&self) -> bool {
        false
    }

    /// Returns the folders of a document that become its tags.
    fn folder_tags<'f>(&self, _folders: &'f [String]) -> &'f [String] {
        &[]
    }
}

/// Returns whether a path ends with the extension of a Markdown file.
pub(super) fn names_markdown(path: &str) -> bool {
    let mut extensions = [".md", ".mdx", ".markdown"].iter();
    extensions.any(|extension| path.ends_with(extension))
}
