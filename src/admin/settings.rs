//! The settings of the site.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use url::Url;

use super::content_files;
use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
        email,
        setting::{Reach, SETTINGS, Setting, SettingType},
        setting_value,
    },
    error::{Error, Kind, Result},
    id::Id,
    site::Site,
};

/// The content file that sets settings.
const FILE: &str = "site.toml";

/// Sets settings: all of them, or none when one has a value that it cannot have. Names that nobody has or may set are
/// passed over (Ghost 6.65, recorded). `address` is where the site is. Returns whether anything is another now.
///
/// # Errors
///
/// `Validation`, naming the setting, for a value that it cannot have, and for one that a content file sets otherwise.
pub fn edit(
    site: &Site,
    actor: &Actor,
    address: &Url,
    wanted: Vec<(String, Value)>,
) -> Result<bool> {
    site.write(|transaction| {
        let before = Arc::clone(&transaction.catalog().settings);
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        for (key, value) in wanted {
            let Some(setting) = editable(&key) else {
                continue;
            };
            let Some(value) = value_of(setting, &value, address)? else {
                continue;
            };
            if before.keys_of_file().contains(&key) {
                if *before.get(&key) != value {
                    content_files::refuse(&format!("setting \"{key}\""), &Some(FILE.into()))?;
                }
                continue;
            }
            values.insert(key, value);
        }
        transaction.edit_settings(values.clone())?;
        let after = Arc::clone(&transaction.catalog().settings);
        let changed: Vec<&String> = values
            .keys()
            .filter(|key| before.get(key) != after.get(key))
            .collect();
        for key in &changed {
            let subject = Subject {
                id: Id::derive("setting", key),
                resource_type: "setting",
                name: Some(key.as_str()),
                kind: None,
            };
            transaction.record_action(actor, ActionEvent::Edited, subject)?;
        }
        Ok(!changed.is_empty())
    })
}

fn editable(key: &str) -> Option<&'static Setting> {
    // Where the site is, is the operator's to say.
    SETTINGS
        .iter()
        .find(|setting| setting.key == key && setting.reach != Reach::Nobody && key != "url")
}

/// What a value means that a client sends: as it is, or as text. Null unsets. `None` for what is passed over.
fn value_of(setting: &Setting, value: &Value, address: &Url) -> Result<Option<Value>> {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let parsed = match text.is_empty() {
        true => Some(setting_value::emptied(setting).unwrap_or(Value::Null)),
        false => setting_value::parse(setting.kind, &text, address),
    };
    match parsed {
        Some(_) if setting.key == "members_support_address" && !is_support_address(&text) => {
            Err(unfit(
                setting,
                "an e-mail address, or what stands before the @ of one of this site",
            ))
        }
        Some(value) => Ok(Some(value)),
        // Ghost 6.65, recorded: it takes any word there. One that means nothing is not kept here.
        None if setting.key == "default_content_visibility" => Ok(None),
        None => Err(unfit(setting, &setting_value::wanted(setting.kind))),
    }
}

/// Whether members can write there. Nothing is fine too: then something stands in for it.
fn is_support_address(text: &str) -> bool {
    text.is_empty() || email::is_address(text) || email::is_address(&format!("{text}@example.com"))
}

fn unfit(setting: &Setting, wanted: &str) -> Error {
    let error = Error::new(
        Kind::Validation,
        format!("The setting \"{}\" cannot have this value.", setting.key),
    )
    .context(format!("It takes {wanted}."));
    match setting.kind {
        SettingType::Navigation | SettingType::Words => error.property("value"),
        _ => error,
    }
}
