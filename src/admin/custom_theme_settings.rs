//! The settings of the active theme and their values.

use serde_json::Value;
use url::Url;

use super::active_urls::passive;
use crate::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        record::Subject,
        theme::{ChosenValues, CustomKind, CustomSetting, ThemeSettings},
    },
    error::{Error, Kind, Result},
    render::{active_urls::Usage, urls},
    site::{Site, SiteSnapshot},
    store::Table,
    themes::{Theme, Themes},
};

/// Returns the settings of the active theme.
///
/// # Errors
///
/// If the store cannot be read.
pub fn browse(snapshot: &SiteSnapshot, themes: &Themes) -> Result<ThemeSettings> {
    let theme = themes.active(&snapshot.catalog.settings);
    let chosen = snapshot.read(Table::ThemeSettings, theme.name.as_bytes())?;
    Ok(with_values(theme, &chosen.unwrap_or_default()))
}

/// Sets values for settings of the active theme: all of them, or none if one is rejected. `address`
/// is the site's URL.
///
/// # Errors
///
/// `Validation`, naming the setting, for an unknown setting and for an invalid value.
pub fn edit(
    site: &Site,
    actor: &Actor,
    themes: &Themes,
    address: &Url,
    changes: Vec<(String, Value)>,
) -> Result<ThemeSettings> {
    site.write(|transaction| {
        let theme = themes.active(&transaction.catalog().settings);
        let settings = settings_of(&theme);
        let key_of_theme = theme.name.clone().into_bytes();
        let found = transaction.read(Table::ThemeSettings, &key_of_theme)?;
        let before: ChosenValues = found.unwrap_or_default();
        let mut chosen = before.clone();
        for (key, value) in &changes {
            let setting = settings.iter().find(|setting| setting.key == *key);
            let setting = setting.ok_or_else(|| {
                refuse(format!(
                    "The active theme, \"{}\", has no setting \"{key}\".",
                    theme.name
                ))
            })?;
            if !setting.kind.takes(value) {
                return Err(
                    refuse(format!("The setting \"{key}\" does not accept this value."))
                        .context(format!("It accepts {}.", setting.kind.expected())),
                );
            }
            chosen
                .values
                .insert(key.clone(), stored(&setting.kind, value.clone(), address));
        }
        if chosen != before {
            transaction.put(Table::ThemeSettings, &key_of_theme, &chosen)?;
            for setting in settings
                .iter()
                .filter(|setting| setting.value(&before) != setting.value(&chosen))
            {
                let subject = Subject {
                    id: setting.id(&theme.name),
                    resource_type: "custom_theme_setting",
                    name: Some(&setting.key),
                    kind: None,
                };
                transaction.record_action(actor, ActionEvent::Edited, subject)?;
            }
        }
        Ok(with_values(theme, &chosen))
    })
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
fn stored(kind: &CustomKind, value: Value, address: &Url) -> Value {
    match (kind, &value) {
        (CustomKind::Image, Value::String(image)) => {
            match passive("custom_theme_settings", image, Usage::Image) {
                Some(url) => Value::String(urls::address_to_stored(url, address).into_owned()),
                None => Value::Null,
            }
        }
        _ => value,
    }
}

fn refuse(message: String) -> Error {
    Error::new(Kind::Validation, message)
}
