//! The settings of the site.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};
use url::Url;

use super::{active_urls::report_dropped, content_files, ignored_fields};
use crate::{
    domain::{
        action::ActionEvent,
        actor::Actor,
        email,
        origin::RecordOrigin,
        record::Subject,
        setting::{SETTINGS, Setting, SettingSources, SettingType, UNSUPPORTED, UNSUPPORTED_LABS},
        setting_value,
    },
    error::{Error, Kind, Result},
    id::Id,
    render::urls::PLACEHOLDER,
    site::{Site, Transaction},
};

/// The content file that sets settings.
const FILE: &str = "site.toml";

/// Settings that reject an empty value, in addition to switches, choices and time zones (Ghost
/// 6.65, observed).
const NEVER_EMPTY: &[&str] = &["locale", "accent_color"];

/// Switches and choices that accept an empty value, which resets them to the default (Ghost 6.65,
/// observed).
const RESET_IF_EMPTY: &[&str] = &["default_content_visibility", "require_email_mfa"];

/// Audiences of the announcement bar (Ghost 6.65, observed).
const AUDIENCES: &[&str] = &["visitors", "free_members", "paid_members"];

/// Audiences of a menu entry (Ghost 6.65, observed).
const LINK_READERS: &[&str] = &[
    "public",
    "members",
    "paid",
    "public_free",
    "public_paid",
    "public_only",
    "free_members",
    "none",
];

/// Edits settings: all of them, or none if one has an invalid value. Unknown and read-only settings
/// are ignored (Ghost 6.65, recorded), and so are unsupported settings with their current value.
/// `site_url` is the site's URL. Returns whether the request names an editable setting: then the
/// site counts as changed, even if all values are the same (Ghost 6.65, observed).
///
/// # Errors
///
/// `Validation`, naming the setting, for an invalid value, for a setting that comes from a content
/// file, and, with the reason, for an unsupported setting.
pub fn edit(
    site: &Site,
    actor: &Actor,
    site_url: &Url,
    expected: Vec<(String, Value)>,
) -> Result<bool> {
    content_files::edit(site, actor, |transaction| {
        let before = Arc::clone(&transaction.catalog().settings);
        let mut values: BTreeMap<String, Value> = BTreeMap::new();
        let mut is_any_named = false;
        for (key, value) in &expected {
            let Some(setting) = editable(key) else {
                check_unsupported(key, value)?;
                continue;
            };
            is_any_named = true;
            let Some(value) = value_of(setting, value, site_url)? else {
                continue;
            };
            if key == "labs" {
                check_labs(&value)?;
            }
            // Clients send all settings, so a value of a file that does not change is not refused.
            if !is_in_file(transaction, key, &value)? {
                values.insert(key.clone(), value);
            }
        }
        transaction.edit_settings(values.clone())?;
        let after = Arc::clone(&transaction.catalog().settings);
        let changed = values
            .keys()
            .filter(|key| before.get(key) != after.get(key))
            .filter_map(|key| editable(key));
        for setting in changed {
            let subject = Subject {
                id: Id::derive("setting", setting.key),
                resource_type: "setting",
                name: Some(setting.key),
                kind: None,
            };
            transaction.record_action(actor, ActionEvent::Edited, subject)?;
        }
        if is_any_named {
            transaction.announce_site_in_any_case();
        }
        Ok(is_any_named)
    })
}

/// Returns whether a content file sets the setting `key` to this value.
///
/// # Errors
///
/// `Validation`, naming the file, if it sets another value and this site does not write files.
pub(super) fn is_in_file(transaction: &Transaction, key: &str, value: &Value) -> Result<bool> {
    let settings = &transaction.catalog().settings;
    if !settings.keys_of_file().contains(key) {
        return Ok(false);
    }
    if *settings.get(key) == *value {
        return Ok(true);
    }
    transaction.check_origin(&format!("setting \"{key}\""), &RecordOrigin::from(FILE))?;
    Ok(false)
}

/// Returns whether requests can edit a setting.
pub fn is_editable(key: &str) -> bool {
    editable(key).is_some()
}

fn editable(key: &str) -> Option<&'static Setting> {
    // The operator configures the site's URL.
    SETTINGS.iter().find(|setting| {
        setting.key == key && setting.sources != SettingSources::Internal && key != "url"
    })
}

/// Rejects a new value for an unsupported setting, with the reason.
fn check_unsupported(key: &str, value: &Value) -> Result<()> {
    let unsupported = UNSUPPORTED.iter().find(|setting| setting.key == key);
    let changed =
        unsupported.filter(|setting| text_of(value) != setting.text().unwrap_or_default());
    match changed.and_then(|setting| setting.reason) {
        Some(reason) => Err(Error::new(Kind::Validation, reason).property(key)),
        None => Ok(()),
    }
}

/// Rejects enabling an unsupported experimental feature, with the reason.
fn check_labs(labs: &Value) -> Result<()> {
    // An emptied value has no flags; other text was checked to be JSON by `value_of`.
    let flags: Value = serde_json::from_str(&text_of(labs)).unwrap_or_default();
    let is_on = |feature: &str| flags[feature] == Value::Bool(true);
    match UNSUPPORTED_LABS.iter().find(|(feature, _)| is_on(feature)) {
        Some((_, reason)) => Err(Error::new(Kind::Validation, *reason).property("labs")),
        None => Ok(()),
    }
}

/// Returns a value that a client sent as text; null is empty.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Parses a value that a client sent, as JSON or as text. Null empties the setting. Returns `None`
/// for an ignored value.
fn value_of(setting: &Setting, value: &Value, site_url: &Url) -> Result<Option<Value>> {
    let text = text_of(value);
    check_entries(setting, &text)?;
    if text.is_empty() {
        return emptied(setting).map(Some);
    }
    if setting.key == "members_support_address" && !is_support_address(&text) {
        let expected = "an e-mail address, or the part before the @ of an address of this site";
        return Err(unfit(setting, expected));
    }
    match setting_value::parse(setting.kind, &text, site_url) {
        Some(value) => {
            let mut removed = Vec::new();
            let value = setting_value::without_active_urls(setting, value, &mut removed);
            report_dropped(setting.key, &removed);
            Ok(Some(value))
        }
        // Ghost 6.65 accepts any word here (recorded). Galley ignores words without a meaning.
        None if setting.key == "default_content_visibility" => {
            ignored_fields::report(setting.key);
            Ok(None)
        }
        None => Err(unfit(setting, &setting_value::expected(setting.kind))),
    }
}

/// Returns the value of an emptied setting. An empty text differs from null (Ghost 6.65, observed).
fn emptied(setting: &Setting) -> Result<Value> {
    let is_chosen = matches!(
        setting.kind,
        SettingType::Switch | SettingType::Choice(_) | SettingType::TimeZone
    );
    if NEVER_EMPTY.contains(&setting.key) || is_chosen && !RESET_IF_EMPTY.contains(&setting.key) {
        return Err(unfit(setting, &setting_value::expected(setting.kind)));
    }
    Ok(match setting.kind {
        SettingType::Text(_) | SettingType::Url | SettingType::Markup
            if setting.default != "null" =>
        {
            json!("")
        }
        _ => setting_value::emptied(setting).unwrap_or_default(),
    })
}

/// Checks the list and the entries of a setting that Ghost checks, in this order (Ghost 6.65,
/// observed).
fn check_entries(setting: &Setting, text: &str) -> Result<()> {
    let (is_fit, expected): (fn(&Value) -> bool, String) = match setting.key {
        "navigation" | "secondary_navigation" => (is_link, setting_value::expected(setting.kind)),
        "announcement_visibility" => {
            let is_audience =
                |word: &Value| word.as_str().is_some_and(|word| AUDIENCES.contains(&word));
            (is_audience, format!("a list of {}", AUDIENCES.join(", ")))
        }
        _ => return Ok(()),
    };
    match serde_json::from_str(text) {
        Ok(Value::Array(entries)) if entries.iter().all(is_fit) => Ok(()),
        Ok(Value::Array(_)) => Err(unfit(setting, &expected).property(setting.key)),
        _ => Err(unfit(setting, &expected)),
    }
}

/// Returns whether a menu entry has a target, a label or an icon, and known values (Ghost 6.65,
/// observed). Other keys may have any value.
fn is_link(entry: &Value) -> bool {
    let text = |key: &str| entry.get(key).and_then(Value::as_str).unwrap_or_default();
    let is_text = |key: &str| entry.get(key).is_none_or(Value::is_string);
    let is_named = |key: &str| !text(key).trim().is_empty();
    let icon = entry.get("icon").filter(|icon| !icon.is_null());
    let visibility = entry.get("visibility");
    is_link_target(text("url"))
        && is_text("label")
        && (is_named("label") || is_named("icon"))
        && icon.is_none_or(|icon| {
            icon.as_str()
                .is_some_and(|icon| icon.is_empty() || is_icon(icon))
        })
        && visibility.is_none_or(|word| {
            word.as_str()
                .is_some_and(|word| LINK_READERS.contains(&word))
        })
}

/// Returns whether `url` is a path, or an `http` or `https` URL (Ghost 6.65, observed).
fn is_icon(url: &str) -> bool {
    let is_web = || {
        Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
    };
    !url.contains(char::is_whitespace)
        && (url.starts_with(['/']) || url.starts_with(PLACEHOLDER) || is_web())
}

/// Returns whether `url` is a path, a fragment, or a URL with a scheme (Ghost 6.65, observed).
fn is_link_target(url: &str) -> bool {
    let is_scheme = |text: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        !text.is_empty() && text.bytes().all(is_part)
    };
    let has_scheme = || {
        url.split_once(':')
            .is_some_and(|(scheme, _)| is_scheme(scheme))
    };
    !url.contains(char::is_whitespace) && (url.starts_with(['/', '#']) || has_scheme())
}

/// Returns whether `text` is valid as the support address for members.
fn is_support_address(text: &str) -> bool {
    // Ghost completes a bare local part, such as its default `noreply`, with the host of the site.
    email::is_address(text) || email::is_address(&format!("{text}@example.com"))
}

fn unfit(setting: &Setting, expected: &str) -> Error {
    let error = Error::new(
        Kind::Validation,
        format!(
            "The setting \"{}\" does not accept this value.",
            setting.key
        ),
    )
    .context(format!("It accepts {expected}."));
    match setting.key {
        "announcement_background" | "members_support_address" => error.property(setting.key),
        _ if matches!(setting.kind, SettingType::Navigation | SettingType::Words) => {
            error.property("value")
        }
        _ => error,
    }
}
