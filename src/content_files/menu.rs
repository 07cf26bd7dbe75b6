//! The menus of `site.toml`: lists of links, with keys for the front end next to those that Galley knows.
//!
//! Values that TOML cannot express, such as null, are written as a string of JSON, which is also accepted. A menu that was
//! set over the API is therefore written as it was sent.

use serde_json::{Map, Value as Json, json};

use crate::{
    content_files::keys::{
        Entries, FieldType, KeySet, List, PageUrl, Reader, Text, fields, json_schema,
    },
    content_text::document::{Kind, Table, Value},
    domain::setting_value::{ENTRIES_MAX, remove_active_links},
};

/// Maximum length of labels and icons, in characters.
const LABEL_CHARACTERS_MAX: usize = 2000;

/// Maximum length of `visibility`, in characters.
const VISIBILITY_CHARACTERS_MAX: usize = 50;

fields! {
    /// The keys of an entry that Galley knows.
    pub struct NavigationItem {
        /// Text of the item.
        label: Text<LABEL_CHARACTERS_MAX>, or "name" | "title";
        /// Target: a path on the site, unchanged, or a full URL.
        url: PageUrl, or "path" | "href";
        /// Its icon, which a theme or front end draws.
        icon: Text<LABEL_CHARACTERS_MAX>;
        /// Readers that a front end shows it to: `public`, `members`, `paid`, `public_only` and alike.
        visibility: Text<VISIBILITY_CHARACTERS_MAX>;
    }
}

const NAVIGATION_ITEM: KeySet = KeySet {
    keeps_other_keys: true,
    ..KeySet::of(&[NavigationItem::KEYS], &["url"])
};

/// A menu, as a list of tables or a string of JSON.
pub struct Menu;

impl FieldType for Menu {
    type Value = Vec<Json>;
    const WANTED: &'static str = "a list of tables with label and url";
    const EXAMPLE: &'static str = "[{ label = \"Home\", url = \"/\" }]";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Vec<Json>> {
        let mut menu = match &value.value {
            Kind::Text(text) => match parsed(text) {
                Some(menu) => menu,
                None => {
                    reader.wrong_type::<Self>(value, name);
                    return None;
                }
            },
            _ => List::<MenuEntry, ENTRIES_MAX>::read(value, name, reader)?,
        }
        .into();
        let mut removed = Vec::new();
        remove_active_links(&mut menu, &mut removed);
        for url in removed {
            let message =
                format!("`{name}` has the URL {url:?}, which runs code; the entry is ignored");
            reader.warning(value.span, message, "remove it");
        }
        match menu {
            Json::Array(menu) => Some(menu),
            _ => None,
        }
    }

    fn schema() -> Json {
        let mut schema = List::<MenuEntry, ENTRIES_MAX>::schema();
        if let Some(forms) = schema["anyOf"].as_array_mut() {
            forms.push(json!({
                "type": "string",
                "contentMediaType": "application/json",
                "description": "The list as JSON, for values that TOML cannot express.",
            }));
        }
        schema
    }
}

/// Returns the entries of a menu in JSON; `None` if it is not a list of entries with a URL.
fn parsed(text: &str) -> Option<Vec<Json>> {
    let menu: Vec<Json> = serde_json::from_str(text).ok()?;
    let is_link = |entry: &Json| entry.get("url").is_some_and(Json::is_string);
    (menu.len() <= ENTRIES_MAX && menu.iter().all(is_link)).then_some(menu)
}

/// One entry of a menu.
struct MenuEntry;

impl FieldType for MenuEntry {
    type Value = Json;
    const WANTED: &'static str = Menu::WANTED;
    const EXAMPLE: &'static str = Menu::EXAMPLE;

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Json> {
        let Kind::Table(table) = &value.value else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        let entries = Entries::collect(table, &NAVIGATION_ITEM, value.span, reader);
        let item = NavigationItem::from_entries(&entries, reader);
        if item.label.is_none() && item.icon.is_none() {
            let advice = format!("write `{}`", reader.language.assignment("label", "\"…\""));
            reader.error(value.span, "`label` is missing", advice);
        }
        // An entry whose URL was dropped is dropped.
        item.url.as_ref()?;
        let mut entry = Map::new();
        if let Ok(Json::Object(known)) = serde_json::to_value(&item) {
            entry.extend(known.into_iter().filter(|(_, value)| !value.is_null()));
        }
        for (key, value) in &table.entries {
            if !NAVIGATION_ITEM.has(&key.value) && value.value != Kind::Nothing {
                entry.insert(key.value.clone(), as_json(value, reader));
            }
        }
        Some(Json::Object(entry))
    }

    fn schema() -> Json {
        let mut schema = json_schema::of_table(&NAVIGATION_ITEM);
        schema["additionalProperties"] = Json::Bool(true);
        let names = ["label", "name", "title", "icon"];
        let names = names.map(|name| json!({ "required": [name] }));
        if let Some(rules) = schema["allOf"].as_array_mut() {
            rules.push(json!({ "anyOf": names }));
        }
        schema
    }
}

/// Converts the value of an unknown key to JSON.
fn as_json(value: &Value, reader: &Reader<'_>) -> Json {
    match &value.value {
        Kind::Nothing => Json::Null,
        Kind::Boolean(is_true) => Json::from(*is_true),
        Kind::Integer(number) => Json::from(*number),
        Kind::Number => {
            // TOML permits underscores between digits.
            let written = reader.source.slice(value.span).replace('_', "");
            written.parse::<f64>().map_or(Json::Null, Json::from)
        }
        Kind::Text(text) | Kind::Date(text) => Json::from(text.as_str()),
        Kind::List(items) => items.iter().map(|item| as_json(item, reader)).collect(),
        Kind::Table(Table { entries }) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| (key.value.clone(), as_json(value, reader)))
                .collect()
        }
    }
}

/// Returns whether a menu can be written as tables that are read back as the same menu.
pub(super) fn is_tables(menu: &Json) -> bool {
    let entries = menu.as_array().map(Vec::as_slice).unwrap_or_default();
    entries.iter().all(|entry| {
        let Json::Object(keys) = entry else {
            return false;
        };
        keys.iter().all(|(key, value)| match key.as_str() {
            "label" | "icon" | "url" => is_text(value, LABEL_CHARACTERS_MAX),
            "visibility" => is_text(value, VISIBILITY_CHARACTERS_MAX),
            other => !NAVIGATION_ITEM.has(other) && is_toml(value),
        })
    })
}

fn is_text(value: &Json, characters_max: usize) -> bool {
    let text = value.as_str().unwrap_or_default();
    !text.trim().is_empty() && text.chars().count() <= characters_max
}

fn is_toml(value: &Json) -> bool {
    match value {
        Json::Null => false,
        Json::Bool(_) | Json::String(_) => true,
        // Edits write no fractions (`KeyValue`).
        Json::Number(number) => number.is_i64(),
        Json::Array(items) => items.iter().all(is_toml),
        Json::Object(keys) => keys.values().all(is_toml),
    }
}
