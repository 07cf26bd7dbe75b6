//! A theme that is ready to render: its compiled templates, its package and its translations.

use std::collections::BTreeMap;

use serde_json::Value as Json;

use super::state::PageState;
use crate::templates::Helper;

/// Finds a helper by its name.
pub type Helpers = fn(&str) -> Option<Helper<PageState>>;

/// A theme, compiled once when it is activated.
#[derive(Debug)]
pub struct Theme {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Its package.
    pub package: Json,
    /// The translations of each language, from `locales/*.json`: key and text.
    pub locales: BTreeMap<String, BTreeMap<String, String>>,
    /// The sums of its assets by their path below `assets/`, for `?v=`.
    pub asset_sums: BTreeMap<String, String>,
}

impl Theme {
    /// Returns the most posts of a page of a list: `config.posts_per_page`, 5 by default, and 15 in place of 0 and less
    /// (Ghost 6.65, recorded).
    pub fn posts_per_page(&self) -> usize {
        let number = self.package.pointer("/config/posts_per_page");
        match number.and_then(Json::as_i64) {
            None => 5,
            Some(number) if number <= 0 => 15,
            Some(number) => usize::try_from(number).unwrap_or(usize::MAX),
        }
    }

    /// Returns the translation of a text, from the file of a language, else of English, else the text itself.
    pub fn translated<'t>(&'t self, locale: &str, key: &'t str) -> &'t str {
        let file = self.locales.get(locale).or_else(|| self.locales.get("en"));
        let found = file.and_then(|texts| texts.get(key));
        found.map_or(key, |text| if text.is_empty() { key } else { text })
    }
}
