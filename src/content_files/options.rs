//! Settings of the content folder, from the operator or the site file.

use serde::{Deserialize, Serialize};

use crate::{content_files::pattern::matcher, generators::GENERATORS, render::markdown::Dialect};

/// Settings of the content folder in `galley.toml` or in `site.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentFiles {
    /// The generator of the folder; detected by its files if absent.
    pub generator: Option<String>,
    /// Patterns of files that are posts.
    pub posts: Vec<String>,
    /// Patterns of files that are pages.
    pub pages: Vec<String>,
    /// Patterns of ignored files.
    pub ignore: Vec<String>,
    /// The language without a URL prefix; detected if absent.
    pub language: Option<String>,
    /// Whether documents in other languages are included.
    pub other_languages: bool,
    /// The dialect of Markdown; the generator's if absent.
    pub markdown: Option<String>,
    /// The source of titles of documents without the key: one of [`TITLES`], the first if absent.
    pub titles: Option<String>,
    /// The source of their slugs: one of [`SLUGS`].
    pub slugs: Option<String>,
    /// The preferred source of dates: one of [`DATES`].
    pub dates: Option<String>,
}

/// Sources of missing titles: the first heading, else the file name; or only the file name.
pub const TITLES: [&str; 2] = ["heading", "file_name"];

/// Sources of missing slugs: the file name, or the folders and the file name.
pub const SLUGS: [&str; 2] = ["file_name", "path"];

/// Preferred sources of dates: the front matter or the path.
pub const DATES: [&str; 2] = ["front_matter", "path"];

impl ContentFiles {
    /// Returns these settings, completed with those of `other`.
    pub fn or(self, other: Self) -> Self {
        let or = |one: Vec<String>, other: Vec<String>| if one.is_empty() { other } else { one };
        Self {
            generator: self.generator.or(other.generator),
            posts: or(self.posts, other.posts),
            pages: or(self.pages, other.pages),
            ignore: or(self.ignore, other.ignore),
            language: self.language.or(other.language),
            // `false` is also the value of a missing key, so either file can enable it, and none
            // can disable it.
            other_languages: self.other_languages || other.other_languages,
            markdown: self.markdown.or(other.markdown),
            titles: self.titles.or(other.titles),
            slugs: self.slugs.or(other.slugs),
            dates: self.dates.or(other.dates),
        }
    }

    /// Returns these settings for a folder that contains this one at `base`, which ends with a slash.
    pub fn below(self, base: &str) -> Self {
        let below = |patterns: Vec<String>| {
            let patterns = patterns.into_iter();
            patterns.map(|pattern| format!("{base}{pattern}")).collect()
        };
        Self {
            posts: below(self.posts),
            pages: below(self.pages),
            ignore: below(self.ignore),
            ..self
        }
    }

    /// Checks that the generator and the dialect are known, and that the patterns are valid.
    ///
    /// # Errors
    ///
    /// The key whose value is invalid, and the expected values.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        if let Some(name) = &self.generator
            && !generator_names().any(|known| known == name)
        {
            let known: Vec<&str> = generator_names().collect();
            let wanted = format!("one of: {}", known.join(", "));
            return Err(("content_files.generator", wanted));
        }
        if let Some(name) = &self.markdown
            && Dialect::by_name(name).is_none()
        {
            let wanted = format!("one of: {}", Dialect::NAMES.join(", "));
            return Err(("content_files.markdown", wanted));
        }
        for (key, value, words) in [
            ("content_files.titles", &self.titles, TITLES),
            ("content_files.slugs", &self.slugs, SLUGS),
            ("content_files.dates", &self.dates, DATES),
        ] {
            if value
                .as_deref()
                .is_some_and(|value| !words.contains(&value))
            {
                return Err((key, format!("one of: {}", words.join(", "))));
            }
        }
        let patterns = [
            ("content_files.posts", &self.posts),
            ("content_files.pages", &self.pages),
            ("content_files.ignore", &self.ignore),
        ];
        for (key, patterns) in patterns {
            let reasons = patterns.iter().filter_map(|pattern| matcher(pattern).err());
            if let Some(reason) = reasons.into_iter().next() {
                return Err((key, format!("a list of file patterns: {reason}")));
            }
        }
        Ok(())
    }
}

/// Returns the names of the supported generators.
pub fn generator_names() -> impl Iterator<Item = &'static str> {
    GENERATORS.iter().map(|generator| generator.profile().name)
}
