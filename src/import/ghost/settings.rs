//! The settings of an export: those that Galley has, as it has them.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::{
    importer::Importer,
    rows::{Cell, Reading},
};
use crate::{
    domain::{
        post::Visibility,
        setting::{SETTINGS, Setting, SettingType},
    },
    error::Result,
    import::Outcome,
    render::urls,
};

/// What settings are called in the report.
const PLURAL: &str = "settings";

/// Longest markup, in characters (Ghost 6.65, recorded).
const MARKUP_CHARACTERS_MAX: usize = 65_535;

/// Most entries of a menu, or of another list.
const ENTRIES_MAX: usize = 1000;

/// What older versions called settings that go by another name now.
const FORMER_NAMES: &[(&str, &str)] = &[
    ("lang", "locale"),
    ("default_locale", "locale"),
    ("active_timezone", "timezone"),
    ("ghost_head", "codeinjection_head"),
    ("ghost_foot", "codeinjection_foot"),
    ("cover", "cover_image"),
];

/// Settings that say nothing about a site: what Ghost remembers of its own running.
const OF_GHOST_ITSELF: &[&str] = &[
    "db_hash",
    "routes_hash",
    "next_update_check",
    "notifications",
    "version_notifications",
    "installed_apps",
    "active_apps",
    "is_private",
    "public_hash",
    "members_track_sources",
];

/// Words in the names of settings that nobody but Ghost may know; such a setting is not named with its value anywhere.
const MARKS_OF_SECRETS: &[&str] = &["secret", "key", "token", "password"];

impl Importer<'_> {
    /// Brings in the settings.
    pub fn settings(&mut self) -> Result<()> {
        let tables = self.tables;
        let mut values = BTreeMap::new();
        let mut unknown = Vec::new();
        let mut rows: Vec<_> = tables.settings.iter().map(|row| row.read()).collect();
        // Where a setting stands under both names, the one of today counts.
        rows.sort_by_key(|row| !row.text("key").is_some_and(|name| is_former(&name)));
        for row in rows {
            let Some(name) = row.text("key") else {
                continue;
            };
            match setting_of(&name) {
                Some(setting) => self.setting(setting, &row, &mut values),
                None if OF_GHOST_ITSELF.contains(&name.as_ref()) => {}
                None if has_value(&row) => unknown.push(name.into_owned()),
                None => {}
            }
        }
        self.tell_unknown(unknown);
        let before = self.transaction.catalog().settings.clone();
        for (key, value) in &values {
            let outcome = match before.set_values().get(key) {
                Some(known) if known == value => Outcome::Unchanged,
                None if value.is_null() => Outcome::Unchanged,
                None => Outcome::Added,
                Some(_) => Outcome::Updated,
            };
            self.report.count(PLURAL, outcome);
        }
        self.tag_links(&mut values);
        self.transaction.edit_settings(values)
    }

    fn setting(
        &mut self,
        setting: &'static Setting,
        row: &Reading<'_>,
        values: &mut BTreeMap<String, Value>,
    ) {
        let subject = format!("setting {}", setting.key);
        if self
            .transaction
            .catalog()
            .settings
            .keys_of_file()
            .contains(setting.key)
        {
            self.report.count(PLURAL, Outcome::Unchanged);
            self.report
                .leave_out(subject, "stays as it is: a content file sets it");
            return;
        }
        let text = row.json_text("value");
        let value = match text.as_deref() {
            None if matches!(row.cell("value"), Some(Cell::Text(_))) => cleared(setting),
            // What is null was never set.
            None if setting.default == "null" => Some(Value::Null),
            None => return,
            Some(text) => self.value(setting, text),
        };
        match value {
            Some(value) => {
                if let Value::String(text) = &value {
                    self.tell_missing(&subject, self.files.missing(text));
                }
                values.insert(setting.key.to_owned(), value);
            }
            None if setting.key == "default_content_visibility" => {
                // Nobody may read what somebody could not read before.
                values.insert(setting.key.to_owned(), json!(Visibility::Paid.name()));
                self.report.change(
                    subject,
                    "is for certain tiers in the file; here it is for all paid ones",
                );
            }
            None => self.report.leave_out(
                subject,
                format!("its value is not {}", wanted(setting.kind)),
            ),
        }
    }

    /// What `text` means as the value of the setting; `None` when it means nothing.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        let is_short = |max: usize| text.chars().count() <= max;
        match setting.kind {
            SettingType::Text(max) => is_short(max).then(|| json!(text)),
            SettingType::Address => {
                let stored = urls::address_to_stored(text, self.site);
                Some(json!(self.files.renamed(&stored)))
            }
            SettingType::Markup => is_short(MARKUP_CHARACTERS_MAX)
                .then(|| json!(urls::html_to_stored(text, self.site))),
            SettingType::Switch => match text {
                "true" | "1" => Some(json!(true)),
                "false" | "0" => Some(json!(false)),
                _ => None,
            },
            SettingType::Choice(words) => words.contains(&text).then(|| json!(text)),
            SettingType::TimeZone => TimeZone::get(text).is_ok().then(|| json!(text)),
            SettingType::Navigation => entries(text, |entry| {
                let label = entry.get("label")?.as_str()?;
                let url = entry.get("url")?.as_str()?;
                Some(json!({ "label": label, "url": url }))
            }),
            SettingType::Words => entries(text, |entry| Some(json!(entry.as_str()?))),
        }
    }

    /// Links to other sites name this one unless somebody says otherwise, as in Ghost; but not on a site that content files
    /// describe.
    fn tag_links(&self, values: &mut BTreeMap<String, Value>) {
        const KEY: &str = "outbound_link_tagging";
        let catalog = self.transaction.catalog();
        let is_of_files = !catalog.settings.keys_of_file().is_empty()
            || catalog.posts.iter().any(|post| post.source.is_some());
        if !is_of_files && !catalog.settings.set_values().contains_key(KEY) {
            values.entry(KEY.to_owned()).or_insert(json!(true));
        }
    }

    fn tell_unknown(&mut self, mut names: Vec<String>) {
        let is_secret = |name: &String| MARKS_OF_SECRETS.iter().any(|mark| name.contains(mark));
        if names.iter().any(is_secret) {
            self.report.leave_out(
                "settings that hold secrets",
                "keys and passwords of the old site are not taken over; Galley makes its own",
            );
        }
        names.retain(|name| !is_secret(name));
        names.sort();
        names.dedup();
        if !names.is_empty() {
            self.report.leave_out(
                "settings that Galley does not have",
                super::listed(names.iter().map(String::as_str)),
            );
        }
    }
}

fn is_former(name: &str) -> bool {
    FORMER_NAMES.iter().any(|(former, _)| *former == name)
}

fn setting_of(name: &str) -> Option<&'static Setting> {
    let renamed = FORMER_NAMES.iter().find(|(former, _)| *former == name);
    let key = renamed.map_or(name, |(_, key)| *key);
    // Where a site is, is not told by where it was.
    SETTINGS
        .iter()
        .find(|setting| setting.key == key && key != "url")
}

/// The value of a setting that was emptied: its default, if that is nothing.
fn cleared(setting: &Setting) -> Option<Value> {
    match (setting.kind, setting.default) {
        (_, "null") => Some(Value::Null),
        (SettingType::Text(_), _) => Some(json!("")),
        (SettingType::Navigation | SettingType::Words, _) => Some(json!([])),
        _ => None,
    }
}

fn has_value(row: &Reading<'_>) -> bool {
    match row.json_text("value") {
        Some(text) => !matches!(text.as_ref(), "[]" | "{}" | "null" | "false"),
        None => false,
    }
}

/// The list in this JSON text, each of its entries read; `None` when one cannot be.
fn entries(text: &str, read: impl Fn(&Value) -> Option<Value>) -> Option<Value> {
    let list: Vec<Value> = serde_json::from_str(text).ok()?;
    if list.len() > ENTRIES_MAX {
        return None;
    }
    list.iter()
        .map(read)
        .collect::<Option<Vec<_>>>()
        .map(Value::Array)
}

fn wanted(kind: SettingType) -> String {
    match kind {
        SettingType::Text(max) => format!("a text of at most {max} characters"),
        SettingType::Markup => format!("markup of at most {MARKUP_CHARACTERS_MAX} characters"),
        SettingType::Address => "an address".to_owned(),
        SettingType::Switch => "true or false".to_owned(),
        SettingType::Choice(words) => format!("one of {}", words.join(", ")),
        SettingType::TimeZone => "the name of a time zone".to_owned(),
        SettingType::Navigation => "a list of links with label and url".to_owned(),
        SettingType::Words => "a list of words".to_owned(),
    }
}
