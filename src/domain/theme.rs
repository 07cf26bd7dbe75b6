//! Themes: the parts of a theme's package that are used outside its pages.
//!
//! A theme's package (`package.json`) defines the widths of responsive images, and settings that
//! staff can change. The chosen values are stored for each theme, and remain when the theme is
//! replaced.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{permission::permissions, setting::Settings};
use crate::id::Id;

permissions! {
    THEMES_UPLOAD: "themes", "upload" => Yes, Yes, No, No, No, No, Yes;
    THEMES_ACTIVATE: "themes", "activate" => Yes, Yes, No, No, No, No, Yes;
    THEMES_BROWSE: "themes", "browse" => Yes, Yes, Yes, Yes, Yes, Yes, No;
    THEMES_READ_ACTIVE: "themes", "read active" => Yes, Yes, Yes, Yes, Yes, No, No;
    THEMES_DOWNLOAD: "themes", "download" => Yes, Yes, No, No, No, No, No;
    THEMES_DELETE: "themes", "delete" => Yes, Yes, No, No, No, No, No;
}

/// The theme of a new site.
pub const DEFAULT_THEME: &str = "source";

/// The image widths of the default theme, in pixels, as in Ghost's theme of the same name.
pub const DEFAULT_IMAGE_WIDTHS: [u32; 6] = [160, 320, 600, 960, 1200, 2000];

/// Longest text value, in characters.
pub const TEXT_CHARACTERS_MAX: usize = 65_535;

/// Longest image URL, in characters.
const IMAGE_CHARACTERS_MAX: usize = 2000;

/// Largest image width that a package may define, in pixels.
const WIDTH_MAX: u64 = 10_000;

/// Maximum number of widths that a package may define.
const WIDTHS_MAX: usize = 50;

/// Maximum number of characters that are read if a package describes its settings as a text: one
/// more than the number of settings that a theme may have.
const CHARACTERS_MAX: usize = 21;

/// The types of settings.
const KINDS: [&str; 5] = ["select", "boolean", "color", "image", "text"];

/// The setting that holds the values that the site's content file sets for themes: an object with
/// an object for each theme.
pub const FILE_SETTINGS: &str = "theme_settings";

/// The themes of a site, used to check values of theme settings.
pub trait ThemePackages: fmt::Debug + Send + Sync {
    /// Returns the settings of the theme called `theme`, in the order of its package; `None` if the
    /// theme is not installed.
    fn settings_of(&self, theme: &str) -> Option<Vec<CustomSetting>>;

    /// Returns the names of the themes, sorted.
    fn names(&self) -> Vec<String>;
}

/// The chosen values of the settings of one theme, as stored.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChosenValues {
    /// The chosen values, by the name of the setting.
    pub values: BTreeMap<String, Value>,
    /// True if a setting was edited since the theme was uploaded or activated. Until then,
    /// templates see all settings; afterwards, values of settings may hide other settings (Ghost
    /// 6.65).
    #[serde(default)]
    pub is_edited: bool,
}

impl ChosenValues {
    /// Returns the values that the site's content file sets for the theme called `theme`; empty if
    /// it sets none.
    pub fn of_file(settings: &Settings, theme: &str) -> Self {
        let themes = settings.get(FILE_SETTINGS);
        let values = themes.get(theme).and_then(Value::as_object);
        let values = values.into_iter().flatten();
        Self {
            values: values
                .map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
            is_edited: false,
        }
    }

    /// Returns the values for the theme called `theme`, with those that the site's content file
    /// sets taking precedence.
    pub fn with_file(mut self, settings: &Settings, theme: &str) -> Self {
        self.values.extend(Self::of_file(settings, theme).values);
        self
    }
}

/// The settings of a theme with their current values.
#[derive(Debug)]
pub struct ThemeSettings {
    /// The name of the theme.
    pub theme: String,
    /// The settings of the theme with their values, in the order of its package. URLs of the site
    /// are in stored form.
    pub settings: Vec<(CustomSetting, Value)>,
}

/// A custom setting of a theme.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomSetting {
    /// Its name.
    pub key: String,
    /// Its type.
    pub kind: CustomKind,
    /// Its description in the package, unchanged.
    pub description: Map<String, Value>,
}

/// The type of a custom setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CustomKind {
    /// One of these words.
    Select(Vec<String>),
    /// A boolean.
    Boolean,
    /// `#` and six hexadecimal digits.
    Color,
    /// The URL of an image, or null.
    Image,
    /// Text, or null.
    Text,
}

/// Returns the settings that a package describes, by name. A list is accepted as well, with the
/// indexes as names, and a text as a list of characters (Ghost 6.65, recorded).
pub fn described_settings(package: &Value) -> Map<String, Value> {
    let named = |items: Vec<Value>| {
        let named = items.into_iter().enumerate();
        named
            .map(|(index, item)| (index.to_string(), item))
            .collect()
    };
    match package.pointer("/config/custom") {
        Some(Value::Object(settings)) => settings.clone(),
        Some(Value::Array(items)) => named(items.clone()),
        Some(Value::String(text)) => {
            let characters = text.chars().take(CHARACTERS_MAX);
            named(characters.map(|c| c.to_string().into()).collect())
        }
        _ => Map::new(),
    }
}

fn as_text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

impl CustomSetting {
    /// Returns the settings that a package defines, in its order; invalid settings are skipped.
    pub fn all(package: &Value) -> Vec<Self> {
        let described = described_settings(package);
        described
            .iter()
            .filter_map(|(key, description)| Self::read(key, description))
            .collect()
    }

    /// Returns the name of the first setting that cannot be stored, because it has no name or no
    /// known type. A theme with such a setting cannot be activated (Ghost 6.65, recorded).
    pub fn first_unusable(package: &Value) -> Option<String> {
        let is_unusable = |key: &str, description: &Value| {
            let kind = description.get("type").and_then(Value::as_str);
            let is_known = kind.is_some_and(|kind| KINDS.contains(&kind));
            // A `select` with an object of options cannot be stored (Ghost 6.65, recorded).
            let has_named_options = description.get("options").is_some_and(Value::is_object);
            key.is_empty() || !is_known || kind == Some("select") && has_named_options
        };
        let described = described_settings(package).into_iter();
        let mut unusable = described.filter(|(key, description)| is_unusable(key, description));
        unusable.next().map(|(key, _)| key)
    }

    fn read(key: &str, description: &Value) -> Option<Self> {
        let description = description.as_object()?;
        let kind = match description.get("type")?.as_str()? {
            "select" => {
                let options = description.get("options").and_then(Value::as_array);
                CustomKind::Select(options.into_iter().flatten().map(as_text).collect())
            }
            "boolean" => CustomKind::Boolean,
            "color" => CustomKind::Color,
            "image" => CustomKind::Image,
            "text" => CustomKind::Text,
            _ => return None,
        };
        Some(Self {
            key: key.to_owned(),
            kind,
            description: description.clone(),
        })
    }

    /// Returns whether values of other settings may hide this setting.
    pub fn is_hidden_at_times(&self) -> bool {
        let filter = self.description.get("visibility").and_then(Value::as_str);
        filter.is_some_and(|filter| !filter.is_empty())
    }

    /// Returns the identifier of the setting in the theme called `theme`.
    pub fn id(&self, theme: &str) -> Id {
        Id::derive("custom theme setting", &format!("{theme}/{}", self.key))
    }

    /// Returns the default, converted to the type of the setting. The package may give the default
    /// of a switch as a text or a number, and other defaults as a number (Ghost 6.65).
    pub fn default_value(&self) -> Value {
        let default = self.description.get("default").cloned();
        match (&self.kind, default.unwrap_or_default()) {
            (CustomKind::Boolean, Value::String(text)) if text == "true" => Value::Bool(true),
            (CustomKind::Boolean, Value::String(text)) if text == "false" => Value::Bool(false),
            (CustomKind::Boolean, Value::Number(number)) => {
                Value::Bool(number.as_f64() != Some(0.0))
            }
            (_, number @ Value::Number(_)) => Value::String(as_text(&number)),
            (_, default) => default,
        }
    }

    /// Returns the current value: the chosen value, or the default if the chosen value is invalid
    /// in the installed version of the theme.
    pub fn value(&self, chosen: &ChosenValues) -> Value {
        let chosen = chosen.values.get(&self.key);
        let chosen = chosen.filter(|value| self.kind.takes(value));
        chosen.cloned().unwrap_or_else(|| self.default_value())
    }
}

impl CustomKind {
    /// Returns whether `value` is valid.
    pub fn takes(&self, value: &Value) -> bool {
        let is_text = |characters_max: usize| match value {
            Value::Null => true,
            Value::String(text) => text.chars().count() <= characters_max,
            _ => false,
        };
        match self {
            Self::Select(options) => value
                .as_str()
                .is_some_and(|text| options.iter().any(|option| option == text)),
            Self::Boolean => value.is_boolean(),
            Self::Color => value.as_str().is_some_and(is_color),
            Self::Image => is_text(IMAGE_CHARACTERS_MAX),
            Self::Text => is_text(TEXT_CHARACTERS_MAX),
        }
    }

    /// Describes the valid values.
    pub fn expected(&self) -> String {
        match self {
            Self::Select(options) => format!("one of: {}", options.join(", ")),
            Self::Boolean => "true or false".to_owned(),
            Self::Color => "# and six hexadecimal digits, such as #15171a".to_owned(),
            Self::Image => format!(
                "the URL of an image, of at most {IMAGE_CHARACTERS_MAX} characters, or null"
            ),
            Self::Text => format!("text of at most {TEXT_CHARACTERS_MAX} characters, or null"),
        }
    }
}

/// Returns whether a text is `#` and six hexadecimal digits.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// Returns the image widths that a package defines, in pixels, in ascending order.
pub fn image_widths(package: &Value) -> Vec<u32> {
    let sizes = package
        .pointer("/config/image_sizes")
        .and_then(Value::as_object);
    let sizes = sizes.into_iter().flatten().take(WIDTHS_MAX);
    let width = |size: &Value| {
        size.get("width")?
            .as_u64()
            .filter(|width| (1..=WIDTH_MAX).contains(width))
    };
    let mut widths: Vec<u32> = sizes
        .filter_map(|(_, size)| u32::try_from(width(size)?).ok())
        .collect();
    widths.sort_unstable();
    widths.dedup();
    widths
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn image_widths_come_from_the_package() {
        let package = json!({"config": {"image_sizes": {
            "m": {"width": 600}, "s": {"width": 300}, "again": {"width": 300}, "none": {}, "zero": {"width": 0},
            "huge": {"width": 1_000_000}, "text": {"width": "5"},
        }}});
        assert_eq!(image_widths(&package), [300, 600]);
        assert!(image_widths(&json!({})).is_empty());
    }

    #[test]
    fn chosen_value_is_used_while_it_is_valid() {
        let settings = |custom: Value| CustomSetting::all(&json!({"config": {"custom": custom}}));
        let select = json!({"a": {"type": "select", "options": ["x", "y"], "default": "x"}});
        let chosen = ChosenValues {
            values: [("a".to_owned(), json!("y"))].into(),
            ..ChosenValues::default()
        };
        assert_eq!(settings(select)[0].value(&chosen), json!("y"));
        let other = json!({"a": {"type": "boolean", "default": true}});
        assert_eq!(settings(other)[0].value(&chosen), json!(true));
        let broken = json!({"b": 5, "c": {"type": "word"}});
        assert!(settings(broken).is_empty());
    }

    #[test]
    fn default_has_the_type_of_its_setting() {
        for (kind, described, expected) in [
            ("boolean", json!("true"), json!(true)),
            ("boolean", json!("false"), json!(false)),
            ("boolean", json!(1), json!(true)),
            ("boolean", json!(null), json!(null)),
            ("text", json!(5), json!("5")),
            ("text", json!("true"), json!("true")),
        ] {
            let custom = json!({"a": {"type": kind, "default": described}});
            let settings = CustomSetting::all(&json!({"config": {"custom": custom}}));
            assert_eq!(settings[0].default_value(), expected, "{kind} {described}");
        }
    }

    #[test]
    fn each_type_accepts_its_values() {
        for (kind, good, bad) in [
            (CustomKind::Color, json!("#12ABef"), json!("#abc")),
            (CustomKind::Boolean, json!(false), json!("true")),
            (CustomKind::Image, json!(null), json!(5)),
            (
                CustomKind::Text,
                json!("any"),
                json!("x".repeat(TEXT_CHARACTERS_MAX + 1)),
            ),
            (
                CustomKind::Select(vec!["a".into()]),
                json!("a"),
                json!(null),
            ),
        ] {
            assert!(kind.takes(&good), "{kind:?}");
            assert!(!kind.takes(&bad), "{kind:?}");
        }
    }
}
