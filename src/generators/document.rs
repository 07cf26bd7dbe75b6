//! The properties of a document from which its generator derives the published path.

use jiff::civil::Date;
use serde_json::{Map, Value};

use super::{profile::Role, settings::ProjectSettings};

/// The properties of a document that determine its published path.
pub struct Document<'a> {
    /// The path of its file in the project.
    pub in_project: &'a str,
    /// The path of its file below its folder of documents.
    pub below_root: &'a str,
    /// The settings of the project.
    pub settings: &'a ProjectSettings,
    /// The role of its file.
    pub role: Role,
    /// Its front matter.
    pub page: &'a Map<String, Value>,
    /// Its title.
    pub title: &'a str,
    /// The date in the path of its file.
    pub date_of_path: Option<Date>,
    /// The date in its front matter, in the site's time zone.
    pub date: Option<Date>,
}

/// The folders and the name of a file.
pub(crate) struct PathParts<'p> {
    /// The folders, from the outermost one.
    pub folders: Vec<&'p str>,
    /// The name without the extension.
    pub stem: &'p str,
}

impl<'p> PathParts<'p> {
    pub fn of(path: &'p str) -> Self {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        Self {
            folders: folders
                .split('/')
                .filter(|folder| !folder.is_empty())
                .collect(),
            stem,
        }
    }

    /// Removes the folders up to and including the first one called `name`, if any.
    pub fn below(mut self, name: &str) -> Self {
        if let Some(index) = self.folders.iter().position(|folder| *folder == name) {
            self.folders.drain(..=index);
        }
        self
    }

    pub fn joined(&self, name: &str) -> String {
        let folders = self.folders.iter().copied();
        let parts: Vec<&str> = folders.chain([name]).collect();
        parts.join("/")
    }

    /// Returns the path of a page as a folder: an `index` file is the folder itself.
    pub fn page(&self, index: &[&str]) -> String {
        if index.contains(&self.stem) {
            self.folders.join("/")
        } else {
            self.joined(self.stem)
        }
    }
}

impl Document<'_> {
    pub fn text(&self, key: &str) -> Option<&str> {
        let text = self.page.get(key)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }
    pub fn date(&self) -> Option<Date> {
        let written = ["date", "publishDate", "pubDate", "published"];
        let written = written.iter().find_map(|key| self.text(key));
        // The date comes first as it is written: in the time zone of the site it may be another
        // day.
        let as_written = written.and_then(|date| date.get(..10)?.parse().ok());
        as_written.or(self.date).or(self.date_of_path)
    }
    pub fn without_date<'s>(&self, stem: &'s str) -> &'s str {
        let Some(rest) = stem.get("2026-01-02".len()..) else {
            return stem;
        };
        let is_date = stem[..10].parse::<Date>().is_ok();
        let rest = rest.strip_prefix(['-', '_']);
        rest.filter(|rest| is_date && !rest.is_empty())
            .unwrap_or(stem)
    }
    pub fn pattern(&self, kind: &str) -> Option<&str> {
        self.settings.urls.pattern(self.in_project, kind)
    }
    pub fn categories(&self) -> Vec<String> {
        let of = |key: &str| self.page.get(key);
        match of("categories").or_else(|| of("category")) {
            // In Jekyll, a string of `categories` is split into words, and `category` is one name.
            Some(Value::String(name)) if of("categories").is_none() => vec![name.clone()],
            Some(Value::String(words)) => words.split_whitespace().map(str::to_owned).collect(),
            Some(Value::Array(list)) => {
                let names = list.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }
}
