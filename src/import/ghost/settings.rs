//! Imports the settings that Galley supports.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{bodies::removal, cell::Cell, importer::Importer, keys::RowKey, rows::RowReader};
use crate::{
    domain::{
        post::Visibility,
        setting::{self, DEFAULT_TIERS, Setting, SettingType, UNSUPPORTED},
        setting_value::{self, emptied},
    },
    error::Result,
    import::Outcome,
};

/// The name of settings in the report.
const PLURAL: &str = "settings";

/// The columns of settings that are not reported as unknown. `value` is read separately for each setting.
const SKIPPED: &[&str] = &[
    "id",
    "uuid",
    "group",
    "type",
    "flags",
    "value",
    "created_at",
    "updated_at",
];

/// Names of settings in older versions, and their current names.
const FORMER_NAMES: &[(&str, &str)] = &[
    ("lang", "locale"),
    ("default_locale", "locale"),
    ("active_timezone", "timezone"),
    ("ghost_head", "codeinjection_head"),
    ("ghost_foot", "codeinjection_foot"),
    ("cover", "cover_image"),
];

/// Settings that hold internal state of Ghost and do not describe the site.
const GHOST_INTERNAL: &[&str] = &[
    "db_hash",
    "routes_hash",
    "next_update_check",
    "notifications",
    "version_notifications",
    "installed_apps",
    "active_apps",
    "public_hash",
    "active_theme",
];

/// The setting for a site that readers open with a password.
const IS_PRIVATE: &str = "is_private";

/// Words in the names of settings that hold secrets. Such settings are reported without name or value.
const SECRET_MARKERS: &[&str] = &["secret", "key", "token", "password"];

impl Importer<'_> {
    /// Imports the settings.
    pub fn settings(&mut self) -> Result<()> {
        let tables = self.tables;
        let mut values = BTreeMap::new();
        let mut unknown = Vec::new();
        let mut rows: Vec<_> = tables.settings.iter().map(|row| row.read()).collect();
        // If a setting occurs under both names, the current name takes precedence.
        rows.sort_by_key(|row| !row.text("key").is_some_and(|name| is_former(&name)));
        for row in rows {
            let Some(name) = row.text("key") else {
                continue;
            };
            self.unknown_columns.add(PLURAL, row.unread(SKIPPED));
            match setting_of(&name) {
                // The default tiers are imported later, since they need the imported tiers.
                Some(setting) if setting.key == DEFAULT_TIERS => {}
                Some(setting) => self.setting(setting, &row, &mut values),
                None if GHOST_INTERNAL.contains(&name.as_ref()) => {}
                None if name == IS_PRIVATE => self.report_private_site(&row),
                None if is_as_here(&name, &row) => {}
                None if has_value(&row) => unknown.push(name.into_owned()),
                None => {}
            }
        }
        self.report_unknown(unknown);
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
        // Not counted, since the file does not name this value.
        self.tag_links(&mut values);
        self.transaction.edit_settings(values)
    }

    /// Reports that the old site was private and this one is not. An import does not make a site private.
    fn report_private_site(&mut self, row: &RowReader<'_>) {
        let settings = &self.transaction.catalog().settings;
        let is_private_here = *settings.get(IS_PRIVATE) == json!(true);
        if row.switch("value") == Some(true) && !is_private_here {
            self.report.leave_out(
                format!("setting {IS_PRIVATE}"),
                "readers of the old site needed a password; readers of this one do not, until it is made private",
            );
        }
    }

    /// Imports the default tiers of posts, with the identifiers that the tiers have here.
    pub fn default_tiers(&mut self) -> Result<()> {
        let tables = self.tables;
        let mut rows = tables.settings.iter().map(|row| row.read());
        let Some(row) = rows.find(|row| row.text("key").as_deref() == Some(DEFAULT_TIERS)) else {
            return Ok(());
        };
        let listed: Vec<String> = row
            .json_text("value")
            .and_then(|text| serde_json::from_str(&text).ok())
            .unwrap_or_default();
        let tiers: Vec<String> = listed
            .iter()
            .filter_map(|tier| self.records.tiers.get(&RowKey::of(tier)))
            .map(ToString::to_string)
            .collect();
        if tiers.len() < listed.len() {
            self.report.leave_out(
                format!("setting {DEFAULT_TIERS}"),
                "names tiers that are not in the file",
            );
        }
        let tiers = json!(tiers);
        let settings = &self.transaction.catalog().settings;
        let outcome = match settings.set_values().get(DEFAULT_TIERS) {
            _ if *settings.get(DEFAULT_TIERS) == tiers => Outcome::Unchanged,
            None => Outcome::Added,
            Some(_) => Outcome::Updated,
        };
        self.report.count(PLURAL, outcome);
        self.transaction
            .edit_settings([(DEFAULT_TIERS.to_owned(), tiers)].into())
    }

    fn setting(
        &mut self,
        setting: &'static Setting,
        row: &RowReader<'_>,
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
            None if matches!(row.cell("value"), Some(Cell::Text(_))) => emptied(setting),
            // A null value was never set.
            None if setting.is_empty_by_default() => Some(Value::Null),
            None => return,
            Some(text) => self.value(setting, text),
        };
        match value {
            Some(value) => {
                let mut removed = Vec::new();
                let value = setting_value::without_active_urls(setting, value, &mut removed);
                for url in removed {
                    self.report.leave_out(&*subject, removal(&url));
                }
                if let Value::String(text) = &value {
                    self.report_missing(&subject, self.files.missing(text));
                }
                values.insert(setting.key.to_owned(), value);
            }
            None if setting.key == "default_content_visibility" => {
                // Posts that were hidden from some readers must not become public.
                values.insert(setting.key.to_owned(), json!(Visibility::Paid.name()));
                self.report.change(
                    subject,
                    "its value in the file is unknown; here it is \"paid\"",
                );
            }
            None => self.report.leave_out(
                subject,
                format!("its value is not {}", setting_value::expected(setting.kind)),
            ),
        }
    }

    /// Parses the value of a setting; `None` if it is invalid. References to renamed files are rewritten.
    fn value(&self, setting: &Setting, text: &str) -> Option<Value> {
        match (
            setting.kind,
            setting_value::parse(setting.kind, text, self.site)?,
        ) {
            (SettingType::Url, Value::String(stored)) => Some(json!(self.files.renamed(&stored))),
            (_, value) => Some(value),
        }
    }

    /// Enables tagging of outbound links by default, as in Ghost, except on a site that content files describe.
    fn tag_links(&self, values: &mut BTreeMap<String, Value>) {
        const KEY: &str = "outbound_link_tagging";
        let catalog = self.transaction.catalog();
        let is_of_files = !catalog.settings.keys_of_file().is_empty()
            || catalog.posts.iter().any(|post| post.origin.is_file());
        if !is_of_files && !catalog.settings.set_values().contains_key(KEY) {
            values.entry(KEY.to_owned()).or_insert(json!(true));
        }
    }

    fn report_unknown(&mut self, mut names: Vec<String>) {
        let is_secret = |name: &String| SECRET_MARKERS.iter().any(|mark| name.contains(mark));
        if names.iter().any(is_secret) {
            self.report.leave_out(
                "settings that hold secrets",
                "keys and passwords of the old site are not imported; Galley generates its own",
            );
        }
        names.retain(|name| !is_secret(name));
        names.sort();
        names.dedup();
        if !names.is_empty() {
            self.report.leave_out(
                "settings that Galley does not have",
                super::name_list::listed(names.iter().map(String::as_str)),
            );
        }
    }
}

fn is_former(name: &str) -> bool {
    FORMER_NAMES.iter().any(|(former, _)| *former == name)
}

fn setting_of(name: &str) -> Option<&'static Setting> {
    let former = FORMER_NAMES.iter().find(|(former, _)| *former == name);
    let key = former.map_or(name, |(_, key)| *key);
    setting::of_imports().find(|setting| setting.key == key)
}

/// Returns whether an unsupported setting has the value that Galley returns for it, as in Galley's own exports.
fn is_as_here(name: &str, row: &RowReader<'_>) -> bool {
    let unsupported = UNSUPPORTED.iter().find(|setting| setting.key == name);
    unsupported.is_some_and(|setting| {
        setting.text().unwrap_or_default() == row.json_text("value").unwrap_or_default()
    })
}

fn has_value(row: &RowReader<'_>) -> bool {
    match row.json_text("value") {
        Some(text) => !matches!(text.as_ref(), "[]" | "{}" | "null" | "false"),
        None => false,
    }
}
