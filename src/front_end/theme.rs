//! A theme that is ready to render: compiled templates, package and translations.

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

/// The number of posts on a page of a list, if the theme does not define it (Ghost 6.65, recorded).
const POSTS_PER_PAGE: f64 = 5.0;

/// The number of posts on a page of a list, if the theme's value is not a number above 0 (Ghost 6.65, recorded).
const POSTS_PER_PAGE_FALLBACK: usize = 15;

/// A theme, compiled when it is first used.
pub struct Theme {
    /// The name of the theme, which is also the name of its folder.
    pub name: String,
    /// The `package.json`; an empty object if there is none.
    pub package: Json,
    /// The compiled templates.
    pub templates: Templates,
    /// The settings that the package defines.
    pub custom_settings: Vec<ThemeSetting>,
    /// The errors of templates that did not compile and are left out. An uploaded theme has none.
    pub errors: Vec<SyntaxError>,
    /// Whether the theme comes with Galley.
    pub is_built_in: bool,
    /// Whether code in posts is highlighted: `config.code_highlighting` of the package.
    pub highlights_code: bool,
    locales: BTreeMap<String, BTreeMap<String, String>>,
    files: themes::Theme,
    /// The checksums of the assets that pages referred to so far, by path.
    asset_sums: papaya::HashMap<String, Arc<str>>,
}

/// A setting that the package of a theme defines.
pub struct ThemeSetting {
    /// The setting.
    pub setting: CustomSetting,
    /// The filter over the values of other settings; the setting is hidden if the filter does not match. `None` if there is no
    /// filter or it is invalid.
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
    /// Compiles a theme from its files.
    pub fn new(files: themes::Theme) -> Self {
        let mut templates = Templates::default();
        let mut errors = Vec::new();
        let mut locales = BTreeMap::new();
        for (path, text) in files.texts() {
            if path.ends_with(".hbs") {
                match Template::parse(&path, &text) {
                    Ok(template) => templates.insert(template),
                    Err(error) => {
                        // A template with an error still exists: pages that need it fail with this
                        // error, and do not use another template instead.
                        templates.insert_broken(error.clone());
                        errors.push(error);
                    }
                }
            } else if let Some(locale) = locale_of(&path)
                // An uploaded theme has no invalid translations. One that is being edited is shown
                // in part.
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

    /// Returns the value of `config.posts_per_page` for templates, which may not be a number.
    pub fn stated_posts_per_page(&self) -> Value {
        match self.package.pointer("/config/posts_per_page") {
            None => POSTS_PER_PAGE.into(),
            Some(stated) => stated.into(),
        }
    }

    /// Returns the maximum number of posts on a page of a list: the integer at the start of the package's value.
    pub fn posts_per_page(&self) -> usize {
        let stated = whole_number(&self.stated_posts_per_page());
        stated
            .and_then(|number| usize::try_from(number).ok())
            .filter(|number| *number > 0)
            .unwrap_or(POSTS_PER_PAGE_FALLBACK)
    }

    /// Returns the translation of a text from the file of a language, or of English if there is no such file. If the file does
    /// not have the text, returns the text itself.
    pub fn translated<'t>(&'t self, locale: &str, key: &'t str) -> &'t str {
        let file = self.locales.get(locale).or_else(|| self.locales.get("en"));
        let found = file.and_then(|texts| texts.get(key));
        found
            .filter(|text| !text.is_empty())
            .map_or(key, |text| text)
    }

    /// Returns the checksum of an asset as 16 hexadecimal digits, by its path below `assets/`. For an asset that does not exist,
    /// returns the checksum of its path.
    pub fn asset_sum(&self, path: &str) -> Arc<str> {
        // A concurrent map, because a theme is shared by all threads. Two threads may compute the
        // same checksum.
        let sums = self.asset_sums.pin();
        if let Some(sum) = sums.get(path) {
            return Arc::clone(sum);
        }
        let content = self.files.asset_content(path);
        let bytes = content.as_deref().unwrap_or(path.as_bytes());
        let sum: Arc<str> = format!("{:016x}", XxHash3_64::oneshot(bytes)).into();
        // Missing files are not cached, because a theme may refer to any number of paths.
        if content.is_some() {
            sums.insert(path.to_owned(), Arc::clone(&sum));
        }
        sum
    }
}

/// Returns the language of a translation file.
fn locale_of(path: &str) -> Option<&str> {
    path.strip_prefix("locales/")?.strip_suffix(".json")
}
