//! Settings: what is said about the whole site. One table says which there are.
//!
//! The table decides what may be set, with which type, what holds when nothing is set, and what the Content API shows.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

use jiff::tz::TimeZone;
use serde_json::{Value, json};

use super::post::Visibility;

/// What a setting's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingType {
    /// Text of at most so many characters.
    Text(usize),
    /// An address, stored with the site's own address replaced by a mark.
    Address,
    /// HTML that goes into every page.
    Markup,
    /// Yes or no.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// The IANA name of a time zone.
    TimeZone,
    /// A list of `{label, url}`.
    Navigation,
    /// A list of words.
    Words,
}

/// One row of the table.
pub struct Setting {
    /// Its name, on the wire and in `site.toml`.
    pub key: &'static str,
    /// What its value may be.
    pub kind: SettingType,
    /// What holds when it is not set, as JSON text.
    pub default: &'static str,
    /// Whether the Content API shows it (specification 2.7; further keys as recorded from Ghost 6.65).
    pub public: bool,
    /// Who sets it.
    pub reach: Reach,
    /// What it is for.
    pub about: &'static str,
}

/// Who sets a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Content files, imports and the Admin API.
    Everywhere,
    /// The Admin API alone: what is about staff and front ends rather than about the site.
    Staff,
    /// Galley itself.
    Nobody,
}

const fn text(key: &'static str, characters_max: usize, about: &'static str) -> Setting {
    Setting {
        key,
        kind: SettingType::Text(characters_max),
        default: "null",
        public: true,
        reach: Reach::Everywhere,
        about,
    }
}

const fn address(key: &'static str, about: &'static str) -> Setting {
    Setting {
        key,
        kind: SettingType::Address,
        default: "null",
        public: true,
        reach: Reach::Everywhere,
        about,
    }
}

const fn switch(key: &'static str, default: &'static str, about: &'static str) -> Setting {
    Setting {
        key,
        kind: SettingType::Switch,
        default,
        public: true,
        reach: Reach::Everywhere,
        about,
    }
}

const fn choice(
    key: &'static str,
    words: &'static [&'static str],
    default: &'static str,
    about: &'static str,
) -> Setting {
    Setting {
        key,
        kind: SettingType::Choice(words),
        default,
        public: true,
        reach: Reach::Everywhere,
        about,
    }
}

const fn other(
    key: &'static str,
    kind: SettingType,
    default: &'static str,
    about: &'static str,
) -> Setting {
    Setting {
        key,
        kind,
        default,
        public: true,
        reach: Reach::Everywhere,
        about,
    }
}

const fn staff(setting: Setting) -> Setting {
    Setting {
        public: false,
        reach: Reach::Staff,
        ..setting
    }
}

/// All settings, in the order in which they are served.
pub const SETTINGS: &[Setting] = &[
    Setting {
        default: "\"Galley\"",
        ..text("title", 150, "The name of the site.")
    },
    Setting {
        default: "\"A publication\"",
        ..text("description", 200, "What the site is about, in a line.")
    },
    Setting {
        public: false,
        ..text(
            "url",
            2000,
            "The site's public address, unless the operator sets another; it may have a path.",
        )
    },
    address("logo", "Picture with the site's name."),
    address("icon", "Small square picture for tabs and bookmarks."),
    Setting {
        default: "\"#15171a\"",
        ..text("accent_color", 50, "A colour for themes, such as #15171a.")
    },
    address("cover_image", "Wide picture for the top of the site."),
    text("facebook", 2000, "Page on Facebook."),
    text("twitter", 2000, "Handle on X."),
    text("threads", 2000, "Handle on Threads."),
    text("bluesky", 2000, "Handle on Bluesky."),
    text("mastodon", 2000, "Address on a Mastodon server."),
    text("tiktok", 2000, "Handle on TikTok."),
    text("youtube", 2000, "Channel on YouTube."),
    text("instagram", 2000, "Handle on Instagram."),
    text("linkedin", 2000, "Profile on LinkedIn."),
    Setting {
        default: "\"en\"",
        ..text("locale", 50, "Language of the site, such as en or pt-BR.")
    },
    other(
        "timezone",
        SettingType::TimeZone,
        "\"Etc/UTC\"",
        "Time zone of dates, such as Europe/Lisbon.",
    ),
    other(
        "codeinjection_head",
        SettingType::Markup,
        "null",
        "Markup for the head of each page.",
    ),
    other(
        "codeinjection_foot",
        SettingType::Markup,
        "null",
        "Markup for the foot of each page.",
    ),
    other(
        "navigation",
        SettingType::Navigation,
        "[]",
        "Links at the top: label and url each.",
    ),
    other(
        "secondary_navigation",
        SettingType::Navigation,
        "[]",
        "Links at the foot: label and url each.",
    ),
    text("meta_title", 300, "Title for search engines."),
    text("meta_description", 500, "Description for search engines."),
    address("og_image", "Picture for Open Graph."),
    text("og_title", 300, "Title for Open Graph."),
    text("og_description", 500, "Description for Open Graph."),
    address("twitter_image", "Picture for X cards."),
    text("twitter_title", 300, "Title for X cards."),
    text("twitter_description", 500, "Description for X cards."),
    choice(
        "members_signup_access",
        &["all", "invite", "paid", "none"],
        "\"all\"",
        "Who may become a member.",
    ),
    Setting {
        public: false,
        ..choice(
            "default_content_visibility",
            &["public", "members", "paid"],
            "\"public\"",
            "Who may read a post that does not say so itself.",
        )
    },
    text("members_support_address", 191, "Where members write to."),
    choice(
        "comments_enabled",
        &["all", "paid", "off"],
        "\"all\"",
        "Who may comment.",
    ),
    switch(
        "outbound_link_tagging",
        "false",
        "Whether links to other sites carry ref= with this site's name.",
    ),
    choice(
        "portal_button_style",
        &["icon-and-text", "icon-only", "text-only"],
        "\"icon-and-text\"",
        "How the sign-up button looks.",
    ),
    Setting {
        default: "\"Subscribe\"",
        ..text(
            "portal_button_signup_text",
            50,
            "What the sign-up button says.",
        )
    },
    text("portal_button_icon", 2000, "Picture on the sign-up button."),
    other(
        "portal_signup_terms_html",
        SettingType::Markup,
        "null",
        "What new members agree to.",
    ),
    switch(
        "portal_signup_checkbox_required",
        "false",
        "Whether new members must tick that they agree.",
    ),
    other(
        "portal_plans",
        SettingType::Words,
        "[\"free\"]",
        "Plans offered: free, monthly, yearly.",
    ),
    choice(
        "portal_default_plan",
        &["monthly", "yearly"],
        "\"yearly\"",
        "The plan that is shown first.",
    ),
    switch(
        "portal_name",
        "true",
        "Whether new members are asked for their name.",
    ),
    switch(
        "portal_button",
        "false",
        "Whether the sign-up button is shown.",
    ),
    staff(text(
        "heading_font",
        191,
        "Name of the font that front ends show headings in.",
    )),
    staff(text(
        "body_font",
        191,
        "Name of the font that front ends show text in.",
    )),
    staff(switch(
        "is_private",
        "false",
        "Whether front ends ask their readers for a password.",
    )),
    staff(text(
        "password",
        191,
        "The password that front ends of a private site ask for.",
    )),
    Setting {
        reach: Reach::Nobody,
        ..staff(text(
            "public_hash",
            191,
            "Part of the address at which a private site still has a feed.",
        ))
    },
    Setting {
        default: "\"source\"",
        reach: Reach::Nobody,
        ..staff(text(
            "active_theme",
            191,
            "Name of the theme whose assets are served.",
        ))
    },
    staff(switch(
        "require_email_mfa",
        "false",
        "Whether everybody who signs in is asked for a code.",
    )),
    Setting {
        default: "\"{}\"",
        ..staff(text(
            "labs",
            65_535,
            "What editors keep of experiments, as JSON.",
        ))
    },
];

/// The settings that content files, imports and exports know.
pub fn of_site() -> impl Iterator<Item = &'static Setting> {
    SETTINGS
        .iter()
        .filter(|setting| setting.reach == Reach::Everywhere)
}

impl Setting {
    /// The group that Ghost sorts it into (Ghost 6.65, recorded).
    pub fn group(&self) -> &'static str {
        match self.key {
            "members_signup_access" | "members_support_address" | "default_content_visibility" => {
                "members"
            }
            "comments_enabled" => "comments",
            "outbound_link_tagging" => "analytics",
            "is_private" | "password" | "public_hash" => "private",
            "require_email_mfa" => "security",
            "active_theme" => "theme",
            "labs" => "labs",
            key if key.starts_with("portal_") => "portal",
            _ => "site",
        }
    }
}

/// The settings of a site: what was set, and the table's defaults for the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    values: BTreeMap<String, Value>,
    of_file: BTreeSet<String>,
}

impl Settings {
    /// The settings with these values set, none of them by a content file.
    pub fn new(values: BTreeMap<String, Value>) -> Self {
        Self::with_file(values, BTreeSet::new())
    }

    /// The settings with these values set, those of the keys `of_file` by a content file.
    pub fn with_file(values: BTreeMap<String, Value>, of_file: BTreeSet<String>) -> Self {
        Self { values, of_file }
    }

    /// What was set, without the defaults.
    pub fn set_values(&self) -> &BTreeMap<String, Value> {
        &self.values
    }

    /// The keys that a content file sets: they change with that file only.
    pub fn keys_of_file(&self) -> &BTreeSet<String> {
        &self.of_file
    }

    /// The value that holds for `key`; null for a key that the table does not have.
    pub fn get(&self, key: &str) -> Cow<'_, Value> {
        match self.values.get(key) {
            Some(value) => Cow::Borrowed(value),
            None => Cow::Owned(default_of(key)),
        }
    }

    /// The text that holds for `key`; `None` when it is empty or no text.
    pub fn text(&self, key: &str) -> Option<String> {
        match self.get(key).as_ref() {
            Value::String(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }

    /// Whether the switch `key` is on.
    pub fn is_on(&self, key: &str) -> bool {
        *self.get(key) == json!(true)
    }

    /// The time zone of the site's dates; UTC when the one that is set is unknown here.
    pub fn time_zone(&self) -> TimeZone {
        self.text("timezone")
            .and_then(|name| TimeZone::get(&name).ok())
            .unwrap_or(TimeZone::UTC)
    }

    /// Who may read a post that does not say so itself.
    pub fn default_visibility(&self) -> Visibility {
        self.text("default_content_visibility")
            .and_then(|name| Visibility::from_name(&name))
            .unwrap_or(Visibility::Public)
    }
}

fn default_of(key: &str) -> Value {
    SETTINGS
        .iter()
        .find(|setting| setting.key == key)
        .and_then(|setting| serde_json::from_str(setting.default).ok())
        .unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_json_and_no_key_stands_twice() {
        for (place, setting) in SETTINGS.iter().enumerate() {
            assert!(
                serde_json::from_str::<Value>(setting.default).is_ok(),
                "{}",
                setting.key
            );
            assert!(
                SETTINGS[place + 1..]
                    .iter()
                    .all(|other| other.key != setting.key),
                "{}",
                setting.key
            );
        }
    }

    #[test]
    fn what_was_set_holds_and_defaults_hold_for_the_rest() {
        let unset = Settings::default();
        assert_eq!(unset.text("timezone").as_deref(), Some("Etc/UTC"));
        assert_eq!(unset.time_zone().iana_name(), Some("Etc/UTC"));

        let set = Settings::new([("timezone".to_owned(), json!("Asia/Kathmandu"))].into());
        assert_eq!(set.time_zone().iana_name(), Some("Asia/Kathmandu"));
        assert_eq!(set.text("locale").as_deref(), Some("en"));
    }
}
