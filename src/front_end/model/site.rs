//! The variables of every page: `@site`, `@config`, `@labs`, `@custom` and `@member`.

use std::{rc::Rc, sync::Arc};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{context::ModelContext, custom::custom, lists::ALL, member::member};
use crate::{
    domain::{
        routes::Limit,
        setting::{DEFAULT_SUPPORT_NAME, SETTINGS, UNSUPPORTED},
    },
    error::Result,
    front_end::{staff_view::PreviewSettings, state::PageState},
    public_settings,
    templates::{Object, PlainObject, Value},
};

/// The characters to escape in a component of a URL, as in JavaScript.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// Experiments that are always on in Ghost 6.65.
const ALWAYS_ON: [&str; 2] = ["automationAnalytics", "tagDetailsReact"];

/// The properties of `@site` in the order of Ghost 6.65.
const PROPERTIES: [&str; 66] = [
    "title",
    "description",
    "logo",
    "icon",
    "accent_color",
    "cover_image",
    "facebook",
    "twitter",
    "threads",
    "bluesky",
    "mastodon",
    "tiktok",
    "youtube",
    "instagram",
    "linkedin",
    "locale",
    "timezone",
    "codeinjection_head",
    "codeinjection_foot",
    "navigation",
    "secondary_navigation",
    "meta_title",
    "meta_description",
    "og_image",
    "og_title",
    "og_description",
    "twitter_image",
    "twitter_title",
    "twitter_description",
    "members_support_address",
    "members_enabled",
    "donations_enabled",
    "allow_self_signup",
    "members_invite_only",
    "members_signup_access",
    "paid_members_enabled",
    "firstpromoter_account",
    "portal_button_style",
    "portal_button_signup_text",
    "portal_button_icon",
    "portal_signup_terms_html",
    "portal_signup_checkbox_required",
    "portal_signup_gift_promotion",
    "portal_account_gift_promotion",
    "portal_plans",
    "portal_default_plan",
    "portal_name",
    "portal_button",
    "comments_enabled",
    "recommendations_enabled",
    "outbound_link_tagging",
    "default_email_address",
    "support_email_address",
    "editor_default_email_recipients",
    "labs",
    "transistor_portal_enabled",
    "transistor_portal_heading",
    "transistor_portal_description",
    "transistor_portal_button_text",
    "transistor_portal_url_template",
    "site_uuid",
    "lang",
    "signup_url",
    "comments_access",
    "url",
    "admin_url",
];

/// Returns the variables of a page, without `@`: `site`, `custom`, `config`, `labs` and `member`.
///
/// # Errors
///
/// If the store cannot be read.
pub fn site_data(state: &PageState) -> Result<Vec<(&'static str, Value)>> {
    Ok(vec![
        ("site", Value::object(Site(Rc::clone(&state.model)))),
        ("custom", custom(state)?),
        ("config", config(state)),
        ("labs", labs(&state.model)),
        ("member", member(&state.model)),
    ])
}

/// `@site`: the public settings of the site.
struct Site(Rc<ModelContext>);

impl Object for Site {
    fn get(&self, name: &str) -> Option<Value> {
        let settings = &self.0.catalog().settings;
        let site_urls = &self.0.site_urls;
        if let Some(preview) = &self.0.staff.preview
            && let Some(value) = preview.property(name)
        {
            return Some(Value::from(value));
        }
        // Only listed settings: a theme must not read the others, some of which are secrets.
        if !PROPERTIES.contains(&name) {
            return None;
        }
        Some(match name {
            "url" => site_urls.base().into(),
            "admin_url" => self.0.staff_url.as_str().into(),
            "signup_url" => self.signup_url().into(),
            "comments_enabled" => self.0.has_comments().into(),
            "comments_access" => Value::from(settings.get("comments_enabled").as_ref()),
            "members_support_address" => match settings.text(name) {
                Some(address) => address.into(),
                None => DEFAULT_SUPPORT_NAME.into(),
            },
            "labs" => {
                let labs = settings.text(name).unwrap_or_default();
                let labs: serde_json::Value = serde_json::from_str(&labs).unwrap_or_default();
                Value::from(&labs)
            }
            // The API serves a small square version of the icon instead.
            "icon" => settings
                .text(name)
                .map(|icon| site_urls.absolute(&icon).into_owned())
                .into(),
            _ => self.setting(name)?,
        })
    }

    fn names(&self) -> Vec<Arc<str>> {
        let preview = self.0.staff.preview.iter().flat_map(PreviewSettings::names);
        let added = preview.filter(|name| !PROPERTIES.contains(name));
        PROPERTIES
            .into_iter()
            .chain(added)
            .map(Into::into)
            .collect()
    }

    fn has(&self, name: &str) -> bool {
        let mut preview = self.0.staff.preview.iter().flat_map(PreviewSettings::names);
        PROPERTIES.contains(&name) || preview.any(|own| own == name)
    }
}

impl Site {
    /// Returns a setting as the Content API serves it.
    fn setting(&self, name: &str) -> Option<Value> {
        let settings = &self.0.catalog().settings;
        let stored = SETTINGS.iter().find(|setting| setting.key == name);
        if let Some(setting) = stored {
            let served = public_settings::served(setting, settings, &self.0.site_urls);
            return Some(Value::from(&served));
        }
        if let Some(value) = public_settings::derived_value(name, settings, &self.0.site_urls) {
            return Some(Value::from(&value));
        }
        let unsupported = UNSUPPORTED.iter().find(|setting| setting.key == name)?;
        Some(Value::from(&unsupported.json()))
    }

    /// Returns the URL for signing up: Portal or, if sign-up is off, a feed reader.
    fn signup_url(&self) -> String {
        let access = self.0.catalog().settings.text("members_signup_access");
        if access.as_deref() != Some("none") {
            return "#/portal".to_owned();
        }
        let feed = format!("{}rss/", self.0.site_urls.site());
        let encoded = utf8_percent_encode(&feed, COMPONENT);
        format!("https://feedly.com/i/subscription/feed/{encoded}")
    }
}

/// Returns `@config`: the configuration of pages in the theme's package.
fn config(state: &PageState) -> Value {
    let config = &state.theme.package["config"];
    let posts_per_page = match state.route_limit {
        Some(Limit::Number(number)) => number.into(),
        Some(Limit::All) => ALL.into(),
        None => state.theme.stated_posts_per_page(),
    };
    let mut record = PlainObject::new().with("posts_per_page", posts_per_page);
    if !config["image_sizes"].is_null() {
        record.set("image_sizes", Value::from(&config["image_sizes"]));
    }
    record.into()
}

/// Returns `@labs`: the experiments that are on.
fn labs(context: &ModelContext) -> Value {
    let mut record = PlainObject::new();
    for name in ALWAYS_ON {
        record.set(name, true);
    }
    for (name, is_on) in &public_settings::labs(&context.catalog().settings) {
        record.set(name, Value::from(is_on));
    }
    record.into()
}
