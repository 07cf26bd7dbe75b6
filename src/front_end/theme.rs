//! A theme that is ready to render: its compiled templates, its package and its translations.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value as Json;
use twox_hash::XxHash3_64;

use super::helpers::coercion::whole_number;
use crate::{
    domain::theme::CustomSetting,
    nql::{self, Expression},
    templates::{SyntaxError, Template, Templates, Value},
    themes::{self, parse_translations},
};

/// The number of posts on a page of a list, unless the theme says otherwise (Ghost 6.65, recorded).
const POSTS_PER_PAGE: f64 = 5.0;

/// The number of posts on a page of a theme that asks for no number above 0 (Ghost 6.65, recorded).
const POSTS_PER_PAGE_OF_NONE: usize = 15;

/// A theme, compiled once when it is first used.
pub struct Theme {
    /// Its name, which is that of its folder.
    pub name: String,
    /// Its package; an empty object if it has none.
    pub package: Json,
    /// Its templates.
    pub templates: Templates,
    /// The settings that its package defines.
    pub custom_settings: Vec<ThemeSetting>,
    /// The reasons why templates are left out. A theme that was uploaded has none.
    pub errors: Vec<SyntaxError>,
    /// True if it comes with Galley.
    pub is_built_in: bool,
    /// True if Galley gives the tokens of code classes: `config.code_highlighting` of its package.
    pub highlights_code: bool,
    locales: BTreeMap<String, BTreeMap<String, String>>,
    files: themes::Theme,
    /// The sums of the assets that pages named so far, by their path.
    asset_sums: papaya::HashMap<String, Arc<str>>,
}

/// A setting that the package of a theme defines.
pub struct ThemeSetting {
    /// The setting.
    pub setting: CustomSetting,
    /// The filter of the values of other settings that hides it where it fails; `None` if it has none, or one that is invalid.
    pub visibility: Option<Expression>,
}

impl ThemeSetting {
    fn new(setting: CustomSetting) -> Self {
        let filter = setting.description.get("visibility").and_then(Json::as_str);
        Self {
            visibility: filter.and_then(|filter| nql::parse(filter).ok()),
            setting,
        }
    }
}

impl Theme {
    /// Returns the theme with these files.
    pub fn new(files: themes::Theme) -> Self {
        let mut templates = Templates::default();
        let mut errors = Vec::new();
        let mut locales = BTreeMap::new();
        for (path, text) in files.texts() {
            if path.ends_with(".hbs") {
                match Template::parse(&path, &text) {
                    Ok(template) => templates.insert(template),
                    Err(error) => {
                        templates.insert_broken(error.clone());
                        errors.push(error);
                    }
                }
            } else if let Some(locale) = locale_of(&path)
                && let Ok(texts) = parse_translations(&text)
            {
                locales.insert(locale.to_owned(), texts);
            }
        }
        let package = files.package();
        let package = package.unwrap_or_else(|| Json::Object(serde_json::Map::new()));
        let settings = CustomSetting::all(&package).into_iter();
        Self {
            name: files.name.clone(),
            custom_settings: settings.map(ThemeSetting::new).collect(),
            is_built_in: files.is_built_in(),
            highlights_code: package.pointer("/config/code_highlighting")
                == Some(&Json::Bool(true)),
            package,
            templates,
            errors,
            locales,
            files,
            asset_sums: papaya::HashMap::new(),
        }
    }

    /// Returns the value of `config.posts_per_page`, as templates see it: also one that is not a number.
    pub fn stated_posts_per_page(&self) -> Value {
        match self.package.pointer("/config/posts_per_page") {
            None => POSTS_PER_PAGE.into(),
            Some(stated) => stated.into(),
        }
    }

    /// Returns the most posts of a page of a list: the whole number at the beginning of what the package says.
    pub fn posts_per_page(&self) -> usize {
        let stated = whole_number(&self.stated_posts_per_page());
        stated
            .and_then(|number| usize::try_from(number).ok())
            .filter(|number| *number > 0)
            .unwrap_or(POSTS_PER_PAGE_OF_NONE)
    }

    /// Returns the translation of a text, from the file of a language, else of English, else the text itself.
    pub fn translated<'t>(&'t self, locale: &str, key: &'t str) -> &'t str {
        let file = self.locales.get(locale).or_else(|| self.locales.get("en"));
        let found = file.and_then(|texts| texts.get(key));
        found
            .filter(|text| !text.is_empty())
            .map_or(key, |text| text)
    }

    /// Returns the sum of an asset, of 16 hexadecimal digits, by its path below `assets/`. An asset that does not exist has the
    /// sum of its path.
    pub fn asset_sum(&self, path: &str) -> Arc<str> {
        let sums = self.asset_sums.pin();
        if let Some(sum) = sums.get(path) {
            return Arc::clone(sum);
        }
        let content = self.files.asset_content(path);
        let bytes = content.as_deref().unwrap_or(path.as_bytes());
        let sum: Arc<str> = format!("{:016x}", XxHash3_64::oneshot(bytes)).into();
        // Missing files are not cached: a theme may name as many paths as it likes.
        if content.is_some() {
            sums.insert(path.to_owned(), Arc::clone(&sum));
        }
        sum
    }
}

/// Returns the language of a file of translations.
fn locale_of(path: &str) -> Option<&str> {
    path.strip_prefix("locales/")?.strip_suffix(".json")
}
