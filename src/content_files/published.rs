//! The path at which the generator of a folder publishes a document. The path redirects to the post, and links to it in
//! other documents are resolved.
//!
//! No code of the project is run: paths come from file names, front matter and patterns in the settings (`permalinks` of
//! Hugo, `permalink` of Jekyll and Hexo, `routeBasePath` of Docusaurus). A pattern with unknown placeholders yields no
//! path.

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::{
    content_files::layout::Layout, domain::former_path::normal_path, generators::document::Document,
};

/// The properties of a document that its path depends on.
pub struct DocumentFacts<'a> {
    /// The layout of the folder.
    pub layout: &'a Layout,
    /// The path of its file in the content folder.
    pub path: &'a str,
    /// Its language, if it differs from the site's.
    pub language: Option<&'a str>,
    /// Its front matter.
    pub page: &'a Map<String, Value>,
    /// Its title.
    pub title: &'a str,
    /// The date in the path of its file.
    pub date_of_path: Option<Date>,
    /// The date in its front matter, in the site's time zone.
    pub date: Option<Date>,
}

impl DocumentFacts<'_> {
    /// Returns the path at which the generator publishes the document, in the form of former URLs.
    pub fn published_path(&self) -> Option<String> {
        let path = self.written_path()?;
        let prefix = match self.language {
            Some(language) => language,
            None => &self.layout.settings().urls.prefix,
        };
        normal_path(&format!("/{prefix}/{path}"))
    }

    /// Returns whether the document is published at the root of the site.
    pub fn is_front_page(&self) -> bool {
        let path = self.written_path();
        path.is_some_and(|path| path.trim_matches('/').is_empty())
    }

    /// Returns the path at which the generator publishes the document, without the language.
    fn written_path(&self) -> Option<String> {
        let (in_project, below_root) = self.layout.path_in_project(self.path)?;
        self.layout.generator().published_path(&Document {
            in_project: &in_project,
            below_root: &below_root,
            settings: self.layout.settings(),
            role: self.layout.reason(self.path).role,
            page: self.page,
            title: self.title,
            date_of_path: self.date_of_path,
            date: self.date,
        })
    }
}
