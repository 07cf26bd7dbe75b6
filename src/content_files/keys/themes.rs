//! Values of the settings of themes, which the packages of the themes define.
//!
//! A site file may set values for several themes, each in a table with the name of the theme, so that switching themes
//! invalidates none of them. Values of a theme that is not installed are stored unchecked, with a warning.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::{
    FieldType, Reader,
    choices::choice_of,
    name_characters,
    types::{read_text, text_schema},
    words::report_active_url,
};
use crate::{
    content_text::{
        Span, Spanned,
        document::{Kind, Table, Value},
    },
    domain::theme::{CustomKind, CustomSetting, TEXT_CHARACTERS_MAX},
    render::active_urls::{Usage, is_active},
};

/// A table with a table for each theme.
pub struct ThemeSettings;

/// The values of settings, by theme and name.
pub type ThemeValues = BTreeMap<String, BTreeMap<String, ThemeValue>>;

/// A value of a setting of a theme.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ThemeValue {
    /// The value: a text or a boolean.
    pub value: Json,
    /// Whether it is the URL of an image.
    pub is_image: bool,
}

impl FieldType for ThemeSettings {
    type Value = ThemeValues;
    const WANTED: &'static str = "a table with a table for each theme";
    const EXAMPLE: &'static str = "{ source = { layout = \"Magazine\" } }";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<ThemeValues> {
        let Kind::Table(table) = &value.value else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        let mut themes = ThemeValues::new();
        for (theme, value) in &table.entries {
            match &value.value {
                Kind::Table(table) => {
                    let values = ThemeTable::of(theme, name, reader).read(table, reader);
                    themes.insert(theme.value.clone(), values);
                }
                Kind::Nothing => {}
                other => {
                    let message = format!(
                        "`{name}.{}` must be a table with settings of that theme, not {}",
                        theme.value,
                        other.name()
                    );
                    let advice = "put settings below the name of their theme, as in `[theme_settings.source]`";
                    reader.error(theme.span, message, advice);
                }
            }
        }
        Some(themes)
    }

    fn schema() -> Json {
        let built_in: Json = serde_json::from_str(BUILT_IN_PACKAGE).unwrap_or_default();
        let settings = CustomSetting::all(&built_in).into_iter();
        let properties: Map<String, Json> = settings
            .map(|setting| (setting.key.clone(), schema_of(&setting)))
            .collect();
        let built_in = json!({
            "type": "object",
            "description": "The theme that comes with Galley.",
            "properties": properties,
            "additionalProperties": false,
        });
        json!({
            "type": "object",
            "properties": { "source": built_in.clone(), "casper": built_in },
            "additionalProperties": {
                "type": "object",
                "additionalProperties": { "type": ["string", "boolean"] },
            },
        })
    }
}

/// The package of the themes that come with Galley. With the JSON Schema, text editors complete its settings.
const BUILT_IN_PACKAGE: &str = include_str!("../../themes/built_in/theme/package.json");

/// The table of one theme.
struct ThemeTable {
    /// Its name in messages: `theme_settings.source`.
    path: String,
    theme: String,
    /// The settings of the theme; `None` if they are not known.
    settings: Option<Vec<CustomSetting>>,
}

impl ThemeTable {
    /// Finds the settings of a theme, and reports a theme that is not installed.
    fn of(theme: &Spanned<String>, name: &str, reader: &mut Reader<'_>) -> Self {
        let path = format!("{name}.{}", theme.value);
        let settings = reader.themes.clone().and_then(|themes| {
            let settings = themes.settings_of(&theme.value);
            if settings.is_none() {
                reader.warning(
                    theme.span,
                    format!("no theme `{}` is installed", theme.value),
                    format!(
                        "install it, or write the name of one that is: {}",
                        themes.names().join(", ")
                    ),
                );
            }
            settings
        });
        Self {
            path,
            theme: theme.value.clone(),
            settings,
        }
    }

    fn read(&self, table: &Table, reader: &mut Reader<'_>) -> BTreeMap<String, ThemeValue> {
        let mut values = BTreeMap::new();
        for (key, value) in &table.entries {
            if value.value == Kind::Nothing {
                continue;
            }
            let kind = match &self.settings {
                Some(settings) => match settings.iter().find(|own| own.key == key.value) {
                    Some(setting) => &setting.kind,
                    None => {
                        self.report_unknown(key, settings, reader);
                        continue;
                    }
                },
                // Without the package of the theme, only the value shows the type.
                None if matches!(value.value, Kind::Boolean(_)) => &CustomKind::Boolean,
                None if is_image_file(value) => &CustomKind::Image,
                None => &CustomKind::Text,
            };
            let name = format!("{}.{}", self.path, key.value);
            if let Some(read) = read(kind, value, &name, reader) {
                let is_image = *kind == CustomKind::Image;
                let value = ThemeValue {
                    value: read,
                    is_image,
                };
                values.insert(key.value.clone(), value);
            }
        }
        values
    }

    fn report_unknown(
        &self,
        key: &Spanned<String>,
        settings: &[CustomSetting],
        reader: &mut Reader<'_>,
    ) {
        let name_of = |text: &str| name_characters(text).collect::<String>();
        let written = name_of(&key.value);
        let distance =
            |own: &CustomSetting| strsim::damerau_levenshtein(&name_of(&own.key), &written);
        let nearest = settings.iter().min_by_key(|own| distance(own));
        let nearest = nearest.filter(|own| distance(own) <= (written.len() / 3).clamp(1, 3));
        let names = || settings.iter().map(|own| &*own.key).collect::<Vec<_>>();
        let advice = match nearest {
            Some(nearest) => format!("did you mean `{}`?", nearest.key),
            None if settings.is_empty() => "remove it: this theme has no settings".to_owned(),
            None => format!("write one of: {}", names().join(", ")),
        };
        let message = format!("theme `{}` has no setting `{}`", self.theme, key.value);
        reader.error(key.span, message, advice);
    }
}

/// Returns whether the value of a setting, whose theme is unknown, ends like the name of an image file.
fn is_image_file(value: &Value) -> bool {
    const ENDINGS: [&str; 7] = ["png", "jpg", "jpeg", "gif", "webp", "avif", "svg"];
    let Kind::Text(text) = &value.value else {
        return false;
    };
    let ending = text.rsplit_once('.').map(|(_, ending)| ending);
    !text.contains(char::is_whitespace)
        && ending.is_some_and(|ending| ENDINGS.iter().any(|own| ending.eq_ignore_ascii_case(own)))
}

/// Reads the value of a setting of this type; `None` if it is invalid, which is reported.
fn read(kind: &CustomKind, value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Json> {
    let read = match kind {
        CustomKind::Boolean => return bool::read(value, name, reader).map(Json::from),
        CustomKind::Select(options) => {
            let text = read_text(TEXT_CHARACTERS_MAX, value, name, reader)?;
            // `choice_of` ignores an empty text instead of reporting it.
            if text.trim().is_empty() && !options.contains(&text) {
                refuse(kind, &text, value.span, name, reader);
                return None;
            }
            let options = options.iter().map(|option| (&**option, option));
            let option = choice_of(&text, value.span, name, options, reader)?;
            return Some(Json::from(option.as_str()));
        }
        CustomKind::Color | CustomKind::Image | CustomKind::Text => {
            read_text(TEXT_CHARACTERS_MAX, value, name, reader)?
        }
    };
    if *kind == CustomKind::Image && is_active(&read, Usage::Image) {
        report_active_url(name, value.span, reader);
        return None;
    }
    let read = Json::String(read);
    if !kind.takes(&read) {
        refuse(kind, read.as_str()?, value.span, name, reader);
        return None;
    }
    Some(read)
}

fn refuse(kind: &CustomKind, text: &str, span: Span, name: &str, reader: &mut Reader<'_>) {
    let expected = kind.expected();
    let expected = expected.strip_suffix(", or null").unwrap_or(&expected);
    reader.error(
        span,
        format!("`{name}` may not be `{text}`"),
        format!("write {expected}"),
    );
}

/// Returns the JSON Schema of the values of a setting.
fn schema_of(setting: &CustomSetting) -> Json {
    let mut schema = match &setting.kind {
        CustomKind::Select(options) => json!({ "enum": options }),
        CustomKind::Boolean => bool::schema(),
        CustomKind::Color => json!({ "type": "string", "pattern": "^#[0-9a-fA-F]{6}$" }),
        CustomKind::Image | CustomKind::Text => text_schema(TEXT_CHARACTERS_MAX),
    };
    if let Some(description) = setting.description.get("description") {
        schema["description"] = description.clone();
    }
    schema
}
