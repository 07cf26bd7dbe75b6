//! Themes: what their packages say that a site without pages of its own goes by.
//!
//! A theme's package (`package.json`) names the widths in which pictures are served, and settings that staff choose values
//! for. What is chosen is kept for each theme, and survives that the theme is replaced.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::Id;

/// The theme of a site that has chosen none.
pub const DEFAULT_THEME: &str = "source";

/// The widths of pictures, in pixels, that the default theme names: those of Ghost's theme of the same name.
pub const DEFAULT_IMAGE_WIDTHS: [u32; 6] = [160, 320, 600, 960, 1200, 2000];

/// Longest text of a setting, in characters.
pub const TEXT_CHARACTERS_MAX: usize = 65_535;

/// Longest address of a picture, in characters.
const IMAGE_CHARACTERS_MAX: usize = 2000;

/// Largest width of a picture that a package may name, in pixels.
const WIDTH_MAX: u64 = 10_000;

/// Most widths that a package may name.
const WIDTHS_MAX: usize = 50;

/// What was chosen for the settings of one theme: the record that the store keeps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChosenValues {
    /// What was chosen, by the name of the setting.
    pub values: BTreeMap<String, Value>,
}

/// The settings of a theme with the values that hold.
#[derive(Debug)]
pub struct ThemeSettings {
    /// The name of the theme.
    pub theme: String,
    /// Its settings, in the order of its package, each with its value. URLs of the site are in stored form.
    pub settings: Vec<(CustomSetting, Value)>,
}

/// A setting that a theme has.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomSetting {
    /// Its name.
    pub key: String,
    /// What its value may be.
    pub kind: CustomKind,
    /// Its description in the package, as it stands there.
    pub description: Map<String, Value>,
}

/// What the value of a setting may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CustomKind {
    /// One of these words.
    Select(Vec<String>),
    /// Yes or no.
    Boolean,
    /// `#` and six hexadecimal digits.
    Color,
    /// The address of a picture, or none.
    Image,
    /// Text, or none.
    Text,
}

impl CustomSetting {
    /// The settings that a package describes, in its order; what makes no sense is passed over.
    pub fn all(package: &Value) -> Vec<Self> {
        let described = package.pointer("/config/custom").and_then(Value::as_object);
        let described = described.into_iter().flatten();
        described
            .filter_map(|(key, description)| Self::read(key, description))
            .collect()
    }

    fn read(key: &str, description: &Value) -> Option<Self> {
        let description = description.as_object()?;
        let kind = match description.get("type")?.as_str()? {
            "select" => {
                let options = description.get("options")?.as_array()?;
                let options = options
                    .iter()
                    .map(|option| Some(option.as_str()?.to_owned()));
                CustomKind::Select(options.collect::<Option<_>>()?)
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

    /// The identifier of the setting in the theme of this name.
    pub fn id(&self, theme: &str) -> Id {
        Id::derive("custom theme setting", &format!("{theme}/{}", self.key))
    }

    /// What holds when nothing is chosen.
    pub fn default_value(&self) -> Value {
        let default = self.description.get("default").cloned();
        default.unwrap_or_default()
    }

    /// The value that holds: what was chosen, unless the theme was replaced by one in which it makes no sense.
    pub fn value(&self, chosen: &ChosenValues) -> Value {
        let chosen = chosen.values.get(&self.key);
        let chosen = chosen.filter(|value| self.kind.takes(value));
        chosen.cloned().unwrap_or_else(|| self.default_value())
    }
}

impl CustomKind {
    /// Whether a setting may have this value.
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

    /// What is wanted, in words.
    pub fn wanted(&self) -> String {
        match self {
            Self::Select(options) => format!("one of: {}", options.join(", ")),
            Self::Boolean => "true or false".to_owned(),
            Self::Color => "# and six hexadecimal digits, such as #15171a".to_owned(),
            Self::Image => format!(
                "the address of a picture, of at most {IMAGE_CHARACTERS_MAX} characters, or null"
            ),
            Self::Text => format!("text of at most {TEXT_CHARACTERS_MAX} characters, or null"),
        }
    }
}

/// Whether a text is `#` and six hexadecimal digits.
pub fn is_color(text: &str) -> bool {
    text.strip_prefix('#').is_some_and(|digits| {
        digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// The widths in pixels that a package names for pictures, in ascending order.
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
    fn widths_are_what_the_package_names() {
        let package = json!({"config": {"image_sizes": {
            "m": {"width": 600}, "s": {"width": 300}, "again": {"width": 300}, "none": {}, "zero": {"width": 0},
            "huge": {"width": 1_000_000}, "text": {"width": "5"},
        }}});
        assert_eq!(image_widths(&package), [300, 600]);
        assert!(image_widths(&json!({})).is_empty());
    }

    #[test]
    fn what_was_chosen_holds_while_it_makes_sense() {
        let settings = |custom: Value| CustomSetting::all(&json!({"config": {"custom": custom}}));
        let select = json!({"a": {"type": "select", "options": ["x", "y"], "default": "x"}});
        let chosen = ChosenValues {
            values: [("a".to_owned(), json!("y"))].into(),
        };
        assert_eq!(settings(select)[0].value(&chosen), json!("y"));
        let other = json!({"a": {"type": "boolean", "default": true}});
        assert_eq!(settings(other)[0].value(&chosen), json!(true));
        let broken = json!({"a": {"type": "select"}, "b": 5, "c": {"type": "word"}});
        assert!(settings(broken).is_empty());
    }

    #[test]
    fn kinds_take_what_is_theirs() {
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
