//! The settings of the active theme and their values.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;
use url::Url;

use super::{active_urls::passive, content_files};
use crate::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        origin::RecordOrigin,
        record::Subject,
        theme::{ChosenValues, CustomKind, CustomSetting, ThemeSettings},
    },
    error::{Error, Kind, Result},
    render::{active_urls::Usage, urls},
    site::{Site, SiteSnapshot, Transaction},
    store::Table,
    themes::{Theme, Themes},
};

/// The content file that sets theme settings.
const SITE_FILE: &str = "site.toml";

/// Returns the settings of the active theme.
///
/// # Errors
///
/// If the store cannot be read.
pub fn browse(snapshot: &SiteSnapshot, themes: &Themes) -> Result<ThemeSettings> {
    let theme = themes.active(&snapshot.catalog.settings);
    let chosen: Option<ChosenValues> =
        snapshot.read(Table::ThemeSettings, theme.name.as_bytes())?;
    let settings = &snapshot.catalog.settings;
    let chosen = chosen.unwrap_or_default().with_file(settings, &theme.name);
    Ok(with_values(theme, &chosen))
}

/// Sets settings of the active theme: all of them, or none if one is rejected. `site_url` is the
/// site's URL.
///
/// # Errors
///
/// `Validation`, naming the setting, for an unknown setting, for an invalid value, and for a
/// setting from a content file that this site does not write.
pub fn edit(
    site: &Site,
    actor: &Actor,
    themes: &Themes,
    site_url: &Url,
    changes: Vec<(String, Value)>,
) -> Result<ThemeSettings> {
    content_files::edit(site, actor, |transaction| {
        let catalog = Arc::clone(&transaction.catalog().settings);
        let theme = themes.active(&catalog);
        let settings = settings_of(&theme);
        let key_of_theme = theme.name.clone().into_bytes();
        let stored: Option<ChosenValues> = transaction.read(Table::ThemeSettings, &key_of_theme)?;
        let stored = stored.unwrap_or_default();
        let of_file = ChosenValues::of_file(&catalog, &theme.name);
        let before = stored.clone().with_file(&catalog, &theme.name);
        let mut changed = BTreeMap::new();
        for (key, value) in &changes {
            let setting = checked(&theme, &settings, key, value)?;
            let value = stored_value(&setting.kind, value.clone(), site_url);
            // Clients send all settings of the theme, so one that does not change must not be
            // refused because it comes from a file.
            if is_same(&setting.value(&before), &value) {
                continue;
            }
            if of_file.values.contains_key(key) {
                let noun = format!("theme setting \"{key}\"");
                transaction.check_origin(&noun, &RecordOrigin::from(SITE_FILE))?;
            }
            changed.insert(key.clone(), value);
        }
        // From the first edit on, values may hide settings from templates, so the flag is stored
        // even if no value changes.
        let hides_first =
            !stored.is_edited && settings.iter().any(CustomSetting::is_hidden_at_times);
        let mut chosen = ChosenValues {
            is_edited: stored.is_edited || hides_first,
            ..stored
        };
        let is_in_file =
            !changed.is_empty() && transaction.edit_theme_settings(&theme.name, &changed)?;
        if !is_in_file {
            chosen.values.extend(changed.clone());
        }
        if hides_first || !(changed.is_empty() || is_in_file) {
            transaction.put(Table::ThemeSettings, &key_of_theme, &chosen)?;
        }
        // Read back, because the values may be in the file now, and not in `chosen`.
        let after = values_of(transaction, &theme)?;
        for setting in settings
            .iter()
            .filter(|setting| setting.value(&before) != setting.value(&after))
        {
            let subject = Subject {
                id: setting.id(&theme.name),
                resource_type: "custom_theme_setting",
                name: Some(&setting.key),
                kind: None,
            };
            transaction.record_action(actor, ActionEvent::Edited, subject)?;
        }
        Ok(with_values(theme, &after))
    })
}

/// Returns the values of a theme in a transaction.
fn values_of(transaction: &Transaction, theme: &Theme) -> Result<ChosenValues> {
    let stored: Option<ChosenValues> =
        transaction.read(Table::ThemeSettings, theme.name.as_bytes())?;
    let settings = &transaction.catalog().settings;
    Ok(stored.unwrap_or_default().with_file(settings, &theme.name))
}

/// Returns whether themes see two values as the same: null and an empty text are equal.
fn is_same(one: &Value, other: &Value) -> bool {
    let is_empty = |value: &Value| value.is_null() || value.as_str() == Some("");
    one == other || is_empty(one) && is_empty(other)
}

/// Returns the setting of a theme that accepts this value.
fn checked<'s>(
    theme: &Theme,
    settings: &'s [CustomSetting],
    key: &str,
    value: &Value,
) -> Result<&'s CustomSetting> {
    let setting = settings.iter().find(|setting| setting.key == *key);
    let setting = setting.ok_or_else(|| {
        refuse(format!(
            "The active theme, \"{}\", has no setting \"{key}\".",
            theme.name
        ))
    })?;
    if setting.kind.takes(value) {
        Ok(setting)
    } else {
        Err(
            refuse(format!("The setting \"{key}\" does not accept this value."))
                .context(format!("It accepts {}.", setting.kind.expected())),
        )
    }
}

fn settings_of(theme: &Theme) -> Vec<CustomSetting> {
    CustomSetting::all(&theme.package().unwrap_or_default())
}

fn with_values(theme: Theme, chosen: &ChosenValues) -> ThemeSettings {
    let settings = settings_of(&theme).into_iter().map(|setting| {
        let value = setting.value(chosen);
        (setting, value)
    });
    ThemeSettings {
        settings: settings.collect(),
        theme: theme.name,
    }
}

/// Returns a value as it is stored: the URL of an image relative to the site.
fn stored_value(kind: &CustomKind, value: Value, site_url: &Url) -> Value {
    match (kind, &value) {
        (CustomKind::Image, Value::String(image)) => {
            match passive("custom_theme_settings", image, Usage::Image) {
                Some(url) => Value::String(urls::url_to_stored(url, site_url).into_owned()),
                None => Value::Null,
            }
        }
        _ => value,
    }
}

fn refuse(message: String) -> Error {
    Error::new(Kind::Validation, message)
}
