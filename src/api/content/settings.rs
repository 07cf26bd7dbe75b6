//! The public settings, as one object (specification 2.7; further keys as recorded from Ghost
//! 6.65).

use serde_json::{Value, json};

use super::{EndpointBody, Request};
pub use crate::public_settings::{labs, served};
use crate::{
    api::{headers::API_VERSION_NUMBER, json::Object},
    domain::setting::{SETTINGS, Settings, UNSUPPORTED},
    public_settings,
    site_urls::SiteUrls,
};

/// `GET settings/`: parameters are ignored.
pub fn read(request: &Request) -> EndpointBody {
    let settings = &request.catalog.settings;
    let mut bytes = Vec::new();
    let mut envelope = Object::begin(&mut bytes);
    let mut object = Object::begin(envelope.name("settings"));
    for setting in SETTINGS.iter().filter(|setting| setting.public) {
        object.field(setting.key, served(setting, settings, request.site_urls));
    }
    for (key, value) in derived(settings, request.site_urls) {
        object.field(key, value);
    }
    for setting in UNSUPPORTED.iter().filter(|setting| setting.is_public()) {
        object.field(setting.key, setting.json());
    }
    object.end();
    envelope.end();
    Ok(bytes)
}

/// Returns the settings derived from others, with the URL of the site and the version of the API.
pub fn derived(settings: &Settings, site_urls: &SiteUrls) -> Vec<(&'static str, Value)> {
    let mut derived = public_settings::derived(settings, site_urls);
    derived.push(("url", json!(site_urls.site())));
    derived.push(("version", json!(API_VERSION_NUMBER)));
    derived
}
