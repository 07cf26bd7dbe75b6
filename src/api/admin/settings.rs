//! The settings of the site, as a list of keys and values (Ghost 6.65, recorded).

use serde_json::{Map, Value, json};

use super::{Reply, Request};
use crate::{
    admin::settings,
    api::{addresses::Addresses, content::settings::served},
    domain::{
        permission::SETTINGS_EDIT,
        setting::{SETTINGS, Setting, SettingType, Settings},
    },
    error::{Error, Kind, Result},
    site::Edition,
};

/// What stands for the address that members write to as long as none is set (Ghost 6.65, recorded).
const DEFAULT_SUPPORT_ADDRESS: &str = "noreply";

/// Settings that are an empty text as long as nothing is set; others are null (Ghost 6.65, recorded).
const EMPTY_WHEN_UNSET: &[&str] = &[
    "logo",
    "icon",
    "codeinjection_head",
    "codeinjection_foot",
    "heading_font",
    "body_font",
    "password",
];

/// `GET admin/settings/`
pub fn browse(request: &Request) -> Result<Reply> {
    let groups = request.parameters.joined("group");
    let meta = match &groups {
        Some(groups) => json!({"filters": {"group": groups}}),
        None => json!({}),
    };
    let wanted: Option<Vec<&str>> = groups
        .as_deref()
        .map(|groups| groups.split(',').map(str::trim).collect());
    let is_wanted = |setting: &Setting| {
        wanted
            .as_ref()
            .is_none_or(|wanted| wanted.contains(&setting.group()))
    };
    Ok(list(request, request.edition, is_wanted, meta))
}

/// `PUT admin/settings/`
pub fn edit(request: &Request) -> Result<Reply> {
    let wanted = records(request)?;
    let address = request.addresses.url();
    let is_changed = settings::edit(request.site(), request.actor()?, address, wanted)?;
    let reply = list(request, &request.site().current(), |_| true, json!({}));
    Ok(match is_changed {
        true => reply.invalidating("/*"),
        false => reply,
    })
}

/// `DELETE admin/settings/stripe/connect/`: nothing can be paid for here, so nothing is connected.
pub fn disconnect_payments(_request: &Request) -> Result<Reply> {
    Ok(Reply::no_content())
}

/// The keys and values of the body.
fn records(request: &Request) -> Result<Vec<(String, Value)>> {
    let none = || {
        Error::new(
            Kind::BadRequest,
            "The body has no list \"settings\" of keys and values.",
        )
    };
    let Some(Value::Object(mut envelope)) = request.json()? else {
        return Err(none());
    };
    let Some(Value::Array(records)) = envelope.remove("settings") else {
        return Err(none());
    };
    let record = |record: Value| -> Option<(String, Value)> {
        let mut record: Map<String, Value> = match record {
            Value::Object(record) => record,
            _ => return None,
        };
        let key = record.get("key")?.as_str()?.to_owned();
        Some((key, record.remove("value").unwrap_or_default()))
    };
    let records: Vec<(String, Value)> = records
        .into_iter()
        .map(record)
        .collect::<Option<_>>()
        .ok_or_else(none)?;
    match records.is_empty() {
        true => Err(none()),
        false => Ok(records),
    }
}

fn list(
    request: &Request,
    edition: &Edition,
    is_wanted: impl Fn(&Setting) -> bool,
    meta: Value,
) -> Reply {
    let scope = request.options().integration_scope;
    let actor = request.actor.as_ref();
    let may_edit = actor.is_some_and(|actor| SETTINGS_EDIT.admit(actor, scope).is_ok());
    let records: Vec<Value> = SETTINGS
        .iter()
        .filter(|setting| setting.key != "url" && is_wanted(setting))
        // Who may not change what readers are asked for, need not know it.
        .filter(|setting| setting.key != "password" || may_edit)
        .map(|setting| {
            let value = value_of(setting, &edition.catalog.settings, request.addresses);
            json!({"key": setting.key, "value": value})
        })
        .collect();
    Reply::value(&json!({"settings": records, "meta": meta}))
}

/// The value of a setting as staff see it: as in the Content API, but lists are JSON text.
fn value_of(setting: &Setting, settings: &Settings, addresses: &Addresses) -> Value {
    let stored = settings.get(setting.key);
    match (setting.kind, stored.as_ref()) {
        (_, Value::Null) if setting.key == "members_support_address" => {
            json!(DEFAULT_SUPPORT_ADDRESS)
        }
        (_, Value::Null) if EMPTY_WHEN_UNSET.contains(&setting.key) => json!(""),
        (_, Value::String(text)) if text.is_empty() => json!(""),
        (SettingType::Navigation | SettingType::Words, list) => json!(list.to_string()),
        _ => served(setting, settings, addresses),
    }
}
