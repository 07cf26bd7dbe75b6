//! The public description of a site, available without a key (Ghost 6.65, recorded).

use serde_json::{Value, json};

use crate::{
    api::{
        content::{EndpointBody, Request, settings::served},
        headers::API_VERSION_NUMBER,
    },
    domain::setting::{SETTINGS, Settings},
    site_urls::SiteUrls,
};

/// Settings with the same values as in the Content API.
pub const SHARED: &[&str] = &[
    "title",
    "description",
    "logo",
    "icon",
    "cover_image",
    "accent_color",
    "locale",
    "timezone",
];

/// `GET admin/site/`
pub fn read(request: &Request) -> EndpointBody {
    let description = description(&request.catalog.settings, request.site_urls);
    Ok(description.to_string().into_bytes())
}

/// Returns the description of a site with these settings.
pub fn description(settings: &Settings, site_urls: &SiteUrls) -> Value {
    let mut site = serde_json::Map::new();
    for setting in SETTINGS
        .iter()
        .filter(|setting| SHARED.contains(&setting.key))
    {
        site.insert(setting.key.to_owned(), served(setting, settings, site_urls));
    }
    // The original icon; other endpoints return a small square version (Ghost 6.65, recorded).
    let icon = settings.text("icon");
    let icon = icon.map(|icon| site_urls.absolute(&icon).into_owned());
    site.insert("icon".to_owned(), json!(icon));
    site.insert("url".to_owned(), json!(site_urls.site()));
    site.insert("version".to_owned(), json!(API_VERSION_NUMBER));
    site.insert(
        "allow_external_signup".to_owned(),
        json!(settings.text("members_signup_access").as_deref() == Some("all")),
    );
    json!({ "site": site })
}
