//! The settings of the active theme, and what is chosen for them.

use serde_json::Value;
use url::Url;

use super::active_urls::passive;
use crate::{
    domain::{
        action::{ActionEvent, Subject},
        actor::Actor,
        theme::{ChosenValues, CustomKind, CustomSetting, ThemeSettings},
    },
    error::{Error, Kind, Result},
    render::{active_urls::Usage, urls},
    site::{Edition, Site},
    store::Table,
    themes::{Theme, Themes},
};

/// The settings of the theme that the site goes by.
///
/// # Errors
///
/// When the store cannot be read.
pub fn browse(edition: &Edition, themes: &Themes) -> Result<ThemeSettings> {
    let theme = themes.active(&edition.catalog.settings);
    let chosen = edition.read(Table::ThemeSettings, theme.name.as_bytes())?;
    Ok(with_values(theme, &chosen.unwrap_or_default()))
}

/// Chooses values for settings of that theme: all of them, or none when one is refused. `address` is where the site is.
///
/// # Errors
///
/// `Validation`, naming the setting, for one that the theme does not have and for a value that it cannot have.
pub fn edit(
    site: &Site,
    actor: &Actor,
    themes: &Themes,
    address: &Url,
    wanted: Vec<(String, Value)>,
) -> Result<ThemeSettings> {
    site.write(|transaction| {
        let theme = themes.active(&transaction.catalog().settings);
        let settings = settings_of(&theme);
        let key_of_theme = theme.name.clone().into_bytes();
        let found = transaction.read(Table::ThemeSettings, &key_of_theme)?;
        let before: ChosenValues = found.unwrap_or_default();
        let mut chosen = before.clone();
        for (key, value) in wanted {
            let setting = settings.iter().find(|setting| setting.key == key);
            let setting = setting.ok_or_else(|| {
                refuse(format!(
                    "The active theme, \"{}\", has no setting \"{key}\".",
                    theme.name
                ))
            })?;
            if !setting.kind.takes(&value) {
                return Err(
                    refuse(format!("The setting \"{key}\" cannot have this value."))
                        .context(format!("It takes {}.", setting.kind.wanted())),
                );
            }
            chosen
                .values
                .insert(key, stored(&setting.kind, value, address));
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

/// A value as it is kept: the address of a picture without the site's own.
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
