//! What the operator or the site's own file says about the files of the content folder.

use std::{path::Path, sync::Arc};

use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::{
    ContentFile, Context, IncludedFiles, layout::matcher, parse, profile::PROFILES,
    reconcile::SITE_FILES, tree,
};
use crate::render::markdown::Dialect;

/// What is set about the content folder, in `galley.toml` or in `site.toml`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ContentFiles {
    /// The generator that the folder is for; recognised by its files if absent.
    pub generator: Option<String>,
    /// Patterns of files that are posts.
    pub posts: Vec<String>,
    /// Patterns of files that are pages.
    pub pages: Vec<String>,
    /// Patterns of files that are passed by.
    pub ignore: Vec<String>,
    /// The language that has addresses of its own; recognised if absent.
    pub language: Option<String>,
    /// Whether texts in other languages are taken, too.
    pub other_languages: bool,
    /// The dialect of Markdown; the generator's if absent.
    pub markdown: Option<String>,
    /// Where the titles of texts that say none come from: one of [`TITLES`], the first if absent.
    pub titles: Option<String>,
    /// Where their slugs come from: one of [`SLUGS`].
    pub slugs: Option<String>,
    /// What counts first for the date of a text: one of [`DATES`].
    pub dates: Option<String>,
}

/// Where the title of a text comes from that says none: its first heading, else its name; or its name alone.
pub const TITLES: [&str; 2] = ["heading", "file_name"];

/// Where the slug of a text comes from that says none: its name, or the folders that it lies in and its name.
pub const SLUGS: [&str; 2] = ["file_name", "path"];

/// What counts first for the date of a text: its front matter or its path.
pub const DATES: [&str; 2] = ["front_matter", "path"];

impl ContentFiles {
    /// Returns these settings, and those of `other` where these say nothing.
    pub fn or(self, other: Self) -> Self {
        let or = |one: Vec<String>, other: Vec<String>| match one.is_empty() {
            true => other,
            false => one,
        };
        Self {
            generator: self.generator.or(other.generator),
            posts: or(self.posts, other.posts),
            pages: or(self.pages, other.pages),
            ignore: or(self.ignore, other.ignore),
            language: self.language.or(other.language),
            other_languages: self.other_languages || other.other_languages,
            markdown: self.markdown.or(other.markdown),
            titles: self.titles.or(other.titles),
            slugs: self.slugs.or(other.slugs),
            dates: self.dates.or(other.dates),
        }
    }

    /// Returns these settings, and those of the site's own file in the folder `root` where these say nothing.
    pub fn or_of_site(self, root: &Path) -> Self {
        let of_site = SITE_FILES.iter().find_map(|path| {
            let bytes = tree::read(root, path).ok()?;
            let context = Context {
                time_zone: TimeZone::UTC,
                layout: Arc::default(),
                included_files: IncludedFiles::default(),
            };
            match parse(path, &bytes, &context).value {
                Some(ContentFile::Site(file)) => Some(file.content_files),
                _ => None,
            }
        });
        self.or(of_site.unwrap_or_default())
    }

    /// Checks that the generator and the dialect are known, and the patterns can be read.
    ///
    /// # Errors
    ///
    /// The key whose value is wrong, and what is wanted there.
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
                return Err((key, format!("a list of patterns of files: {reason}")));
            }
        }
        Ok(())
    }
}

/// The names of the generators that a content folder may be said to be for.
pub fn generator_names() -> impl Iterator<Item = &'static str> {
    PROFILES.iter().map(|profile| profile.name)
}
