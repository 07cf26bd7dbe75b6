//! The settings of the active theme (Ghost 6.65, recorded).

use serde_json::{Value, json};

use super::{Reply, Request, themes::themes_of};
use crate::{
    admin::custom_theme_settings,
    domain::theme::ThemeSettings,
    error::{Error, Kind, Result},
};

/// The name of the envelope.
const RESOURCE: &str = "custom_theme_settings";

/// `GET admin/custom_theme_settings/`
pub fn browse(request: &Request) -> Result<Reply> {
    let settings = custom_theme_settings::browse(request.snapshot, &themes_of(request))?;
    Ok(envelope(request, settings))
}

/// `PUT admin/custom_theme_settings/`
pub fn edit(request: &Request) -> Result<Reply> {
    let records = records(request)?;
    let site_url = request.site_urls.url();
    let themes = themes_of(request);
    let site = request.site();
    let settings = custom_theme_settings::edit(site, request.actor()?, &themes, site_url, records)?;
    Ok(envelope(request, settings).invalidating("/*"))
}

/// Reads the keys and values of the body.
fn records(request: &Request) -> Result<Vec<(String, Value)>> {
    let records = match request.json()? {
        Some(Value::Object(mut envelope)) => envelope.remove(RESOURCE),
        _ => None,
    };
    let Some(Value::Array(records)) = records.filter(|records| *records != json!([])) else {
        return Err(Error::new(
            Kind::BadRequest,
            format!("The body has no list \"{RESOURCE}\" of keys and values."),
        ));
    };
    let record = |mut record: Value| {
        let key = record.get("key").and_then(Value::as_str).map(str::to_owned);
        let key = key.ok_or_else(|| Error::new(Kind::Validation, "A setting has no key."))?;
        let value = record.get_mut("value").map(Value::take);
        Ok((key, value.unwrap_or_default()))
    };
    records.into_iter().map(record).collect()
}

fn envelope(request: &Request, settings: ThemeSettings) -> Reply {
    let theme = settings.theme;
    let records = settings.settings.into_iter().map(|(setting, value)| {
        let value = match value {
            Value::String(text) => json!(request.site_urls.absolute(&text)),
            value => value,
        };
        let id = setting.id(&theme);
        let mut record = setting.description;
        record.insert("id".to_owned(), json!(id));
        record.insert("value".to_owned(), value);
        record.insert("key".to_owned(), json!(setting.key));
        Value::Object(record)
    });
    let records: Vec<Value> = records.collect();
    Reply::value(&json!({ RESOURCE: records }))
}
