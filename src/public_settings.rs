//! The settings of a site that are visible to readers, in the Content API and in themes.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{
    domain::setting::{DEFAULT_SUPPORT_NAME, LABS, Setting, SettingType, Settings},
    site_urls::SiteUrls,
};

/// Returns the served value of a setting: an empty string becomes null, URLs become absolute, and the icon becomes a small
/// square one.
pub fn served(setting: &Setting, settings: &Settings, site_urls: &SiteUrls) -> Value {
    let value = settings.get(setting.key);
    match (setting.kind, value.as_ref()) {
        // The specification requires an e-mail address here, and typed clients reject null.
        _ if setting.key == "members_support_address" => {
            json!(settings.support_address(site_urls.host()))
        }
        (_, Value::String(text)) if text.is_empty() => Value::Null,
        (SettingType::Url, Value::String(text)) if setting.key == "icon" => {
            json!(square_icon(&site_urls.absolute(text)))
        }
        (SettingType::Url | SettingType::Markup, Value::String(text)) => {
            json!(site_urls.absolute(text))
        }
        (_, value) => value.clone(),
    }
}

/// The names of the settings derived from others.
const DERIVED: [&str; 10] = [
    "lang",
    "members_enabled",
    "members_invite_only",
    "allow_self_signup",
    "paid_members_enabled",
    "donations_enabled",
    "default_email_address",
    "support_email_address",
    "labs",
    "site_uuid",
];

/// Returns the settings derived from others.
pub fn derived(settings: &Settings, site_urls: &SiteUrls) -> Vec<(&'static str, Value)> {
    let value = |name| Some((name, derived_value(name, settings, site_urls)?));
    DERIVED.into_iter().filter_map(value).collect()
}

/// Returns a setting derived from others; `None` if there is none with this name. There is no payment provider, so paid
/// features are off.
pub fn derived_value(name: &str, settings: &Settings, site_urls: &SiteUrls) -> Option<Value> {
    let access = || settings.text("members_signup_access").unwrap_or_default();
    Some(match name {
        "lang" => json!(settings.text("locale")),
        "members_enabled" => json!(access() != "none"),
        "members_invite_only" => json!(access() == "invite"),
        "allow_self_signup" => json!(access() == "all"),
        "paid_members_enabled" | "donations_enabled" => json!(false),
        "default_email_address" => {
            json!(format!("{DEFAULT_SUPPORT_NAME}@{}", site_urls.host()))
        }
        "support_email_address" => json!(settings.support_address(site_urls.host())),
        "labs" => Value::Object(labs(settings)),
        "site_uuid" => json!(site_uuid(site_urls)),
        _ => return None,
    })
}

/// Returns the enabled experimental features, and whether the site has members.
pub fn labs(settings: &Settings) -> Map<String, Value> {
    let stored: Value =
        // Without a setting the text is empty, which is not JSON: no feature is on.
        serde_json::from_str(&settings.text("labs").unwrap_or_default()).unwrap_or_default();
    let is_on = |feature: &&&str| stored[**feature] == true;
    let features = LABS.iter().filter(is_on);
    let mut labs: Map<String, Value> = features
        .map(|feature| ((*feature).to_owned(), true.into()))
        .collect();
    let has_members = settings.text("members_signup_access").as_deref() != Some("none");
    labs.insert("members".to_owned(), has_members.into());
    labs
}

/// Returns the identifier of the site, which is derived from its URL: it is the same on every machine.
fn site_uuid(site_urls: &SiteUrls) -> Uuid {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, site_urls.site().as_bytes())
}

/// Returns the URL of the resized icon, `/content/images/size/w256h256/a.png` for
/// `/content/images/a.png` (Ghost 6.65, recorded); other URLs are unchanged.
fn square_icon(url: &str) -> String {
    const IMAGES: &str = "/content/images/";
    const SQUARE: &str = "/content/images/size/w256h256/";
    let is_resized = url.contains("/content/images/size/");
    if url.contains(IMAGES) && !is_resized {
        url.replacen(IMAGES, SQUARE, 1)
    } else {
        url.to_owned()
    }
}
