//! The settings of the site, as a list of keys and values (Ghost 6.65, recorded).

use serde_json::{Value, json};

use super::{
    Reply, Request, envelope,
    input::{Input, InputField, InputType},
};
use crate::{
    admin::{ignored_fields, settings},
    api::content::settings::{derived, served},
    domain::{
        secret::Secret,
        setting::{
            DEFAULT_SUPPORT_NAME, SETTINGS, SETTINGS_EDIT, Setting, SettingType, Settings,
            UNSUPPORTED,
        },
    },
    error::{Error, Kind, Result},
    site::SiteSnapshot,
    site_urls::SiteUrls,
};

/// Length of a generated password for the private site. It is short, because readers type it.
const PASSWORD_CHARACTERS: usize = 12;

/// `GET admin/settings/`
pub fn browse(request: &Request) -> Result<Reply> {
    let groups = request.parameters.joined("group");
    let groups = groups.filter(|groups| !groups.is_empty());
    let meta = match &groups {
        Some(groups) => json!({"filters": {"group": groups}}),
        None => json!({}),
    };
    let requested: Option<Vec<&str>> = groups
        .as_deref()
        .map(|groups| groups.split(',').map(str::trim).collect());
    let is_wanted = |group: &str| {
        requested
            .as_ref()
            .is_none_or(|requested| requested.contains(&group))
    };
    Ok(list(request, request.snapshot, is_wanted, meta))
}

/// `PUT admin/settings/`
pub fn edit(request: &Request) -> Result<Reply> {
    let records = records(request)?;
    let site_url = request.site_urls.url();
    report_read_only(request, &records);
    let is_any_named = settings::edit(request.site(), request.actor()?, site_url, records)?;
    let reply = list(request, &request.site().current(), |_| true, json!({}));
    Ok(if is_any_named {
        reply.invalidating("/*")
    } else {
        reply
    })
}

/// Reports the settings in a request that cannot be changed, unless the value sent is the current one.
fn report_read_only(request: &Request, records: &[(String, Value)]) {
    let mut others = records
        .iter()
        .filter(|(key, _)| !settings::is_editable(key))
        .peekable();
    // Without such settings, the current ones need not be written for the comparison.
    if others.peek().is_none() {
        return;
    }
    // Clients send whole lists of settings back, so a value that is served is not reported.
    let served = records_of(request, request.snapshot, |_| true);
    for (key, value) in others {
        let is_served = |record: &Value| record["key"] == **key && record["value"] == *value;
        if !served.iter().any(is_served) {
            ignored_fields::report(key);
        }
    }
}

/// `DELETE admin/settings/stripe/connect/`: no payment provider can be connected, so this does
/// nothing.
pub fn disconnect_payments(_request: &Request) -> Result<Reply> {
    Ok(Reply::no_content())
}

/// The fields of a request to change the members' support address.
pub static MEMBERS_EMAIL_FIELDS: &[InputField] = &[
    InputField::required("email", InputType::Text(191)),
    InputField::set("type", InputType::Choice(&["supportAddressUpdate"])),
];

/// `POST admin/settings/members/email/`: sets the members' support address (specification 7). It
/// takes effect immediately, as in the settings.
pub fn edit_members_email(request: &Request) -> Result<Reply> {
    let Some(Value::Object(record)) = request.json()? else {
        return Err(Error::new(
            Kind::BadRequest,
            "The body must be an object with an \"email\".",
        ));
    };
    let input = Input::new_record(record, MEMBERS_EMAIL_FIELDS)?;
    let email = input.value("email").cloned().unwrap_or_default();
    let records = vec![("members_support_address".to_owned(), email)];
    let site_url = request.site_urls.url();
    settings::edit(request.site(), request.actor()?, site_url, records)?;
    Ok(Reply::no_content().invalidating("/*"))
}

/// `POST admin/settings/access_code/regenerate/`: sets a new random password for the private site.
pub fn regenerate_password(request: &Request) -> Result<Reply> {
    let secret = Secret::generate().map_err(Error::internal)?;
    // The text is ASCII, so it can be cut at any index.
    let password = &secret.text()[..PASSWORD_CHARACTERS];
    let records = vec![("password".to_owned(), json!(password))];
    let site_url = request.site_urls.url();
    settings::edit(request.site(), request.actor()?, site_url, records)?;
    let reply = list(request, &request.site().current(), |_| true, json!({}));
    Ok(reply.invalidating("/*"))
}

/// `PUT admin/settings/verifications/`: rejects every token. Addresses in the settings take effect
/// immediately and need no confirmation.
pub fn verify(_request: &Request) -> Result<Reply> {
    Err(Error::new(
        Kind::Validation,
        "The token is invalid: addresses in the settings need no confirmation.",
    )
    .code("INVALID_TOKEN"))
}

/// Reads the keys and values of the body. Entries without a key or a value are ignored, like unknown
/// keys. The whole list counts as missing if its first entry is empty (Ghost 6.65, observed).
fn records(request: &Request) -> Result<Vec<(String, Value)>> {
    let missing = || {
        Error::new(
            Kind::BadRequest,
            "The body has no list \"settings\" of keys and values.",
        )
    };
    let Some(Value::Object(mut envelope)) = request.json()? else {
        return Err(missing());
    };
    let Some(Value::Array(records)) = envelope.remove("settings") else {
        return Err(missing());
    };
    if !records.first().is_some_and(envelope::is_non_empty) {
        return Err(missing());
    }
    let pair = |(index, record): (usize, Value)| {
        let key = record.get("key").and_then(Value::as_str);
        match (key, record.get("value")) {
            (Some(key), Some(value)) => Some((key.to_owned(), value.clone())),
            _ => {
                ignored_fields::report(&format!("settings.{index}"));
                None
            }
        }
    };
    Ok(records.into_iter().enumerate().filter_map(pair).collect())
}

fn list(
    request: &Request,
    snapshot: &SiteSnapshot,
    is_wanted: impl Fn(&str) -> bool,
    meta: Value,
) -> Reply {
    let records = records_of(request, snapshot, is_wanted);
    Reply::value(&json!({"settings": records, "meta": meta}))
}

fn records_of(
    request: &Request,
    snapshot: &SiteSnapshot,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Value> {
    let actor = request.actor.as_ref();
    let may_edit = actor.is_some_and(|actor| SETTINGS_EDIT.admit(actor).is_ok());
    let settings = &snapshot.catalog.settings;
    let own = SETTINGS
        .iter()
        // In Ghost, the URL is part of the configuration, not a setting.
        .filter(|setting| setting.key != "url" && is_wanted(setting.group()))
        // The site's password is visible only to users who may change it.
        .filter(|setting| setting.key != "password" || may_edit)
        .map(|setting| (setting.key, value_of(setting, settings, request.site_urls)));
    let mut derived = derived(settings, request.site_urls);
    // In Ghost, this list also contains the domains that the operator blocks.
    let blocked = settings.get("blocked_email_domains").to_string();
    derived.push(("all_blocked_email_domains", json!(blocked)));
    let derived = derived.into_iter();
    let derived = derived.filter(|(key, _)| group_of_derived(key).is_some_and(&is_wanted));
    let absent = UNSUPPORTED
        .iter()
        .filter(|setting| is_wanted(setting.group));
    let absent = absent.map(|setting| (setting.key, setting.json()));
    let records = own.chain(derived).chain(absent);
    records
        .map(|(key, value)| json!({"key": key, "value": value}))
        .collect()
}

/// Returns the group of a derived setting; `None` for a setting that only the Content API has.
fn group_of_derived(key: &str) -> Option<&'static str> {
    match key {
        "members_enabled"
        | "members_invite_only"
        | "allow_self_signup"
        | "all_blocked_email_domains"
        | "paid_members_enabled" => Some("members"),
        "donations_enabled" => Some("donations"),
        "default_email_address" | "support_email_address" => Some("email"),
        _ => None,
    }
}

/// Returns the value of a setting for staff. It is that of the Content API, except that lists are JSON
/// text, and that a text that was never set is an empty string where Ghost's is (Ghost 6.65, recorded).
fn value_of(setting: &Setting, settings: &Settings, site_urls: &SiteUrls) -> Value {
    let stored = settings.get(setting.key);
    let is_unset = !settings.set_values().contains_key(setting.key);
    match (setting.kind, stored.as_ref()) {
        (_, set) if setting.key == "members_support_address" => {
            json!(set.as_str().unwrap_or(DEFAULT_SUPPORT_NAME))
        }
        (_, Value::String(text)) if text.is_empty() && is_unset => json!(""),
        (SettingType::Navigation | SettingType::Words, list) => json!(list.to_string()),
        _ => served(setting, settings, site_urls),
    }
}
