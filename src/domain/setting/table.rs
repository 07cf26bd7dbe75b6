//! The table of all settings.

use super::{DEFAULT_TIERS, Setting, SettingSources, SettingType};

const fn text(key: &'static str, characters_max: usize, about: &'static str) -> Setting {
    Setting {
        key,
        kind: SettingType::Text(characters_max),
        default: "null",
        public: true,
        sources: SettingSources::Everywhere,
        about,
    }
}

const fn url(key: &'static str, about: &'static str) -> Setting {
    Setting {
        key,
        kind: SettingType::Url,
        default: "null",
        public: true,
        sources: SettingSources::Everywhere,
        about,
    }
}

/// Returns the setting with an empty text as its default, as in Ghost.
const fn empty(setting: Setting) -> Setting {
    Setting {
        default: "\"\"",
        ..setting
    }
}

const fn switch(key: &'static str, default: &'static str, about: &'static str) -> Setting {
    Setting {
        key,
        kind: SettingType::Switch,
        default,
        public: true,
        sources: SettingSources::Everywhere,
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
        sources: SettingSources::Everywhere,
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
        sources: SettingSources::Everywhere,
        about,
    }
}

const fn json(key: &'static str, default: &'static str, about: &'static str) -> Setting {
    other(key, SettingType::Json(65_535), default, about)
}

const fn staff(setting: Setting) -> Setting {
    Setting {
        public: false,
        sources: SettingSources::Staff,
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
        ..text("description", 200, "Tagline of the site.")
    },
    Setting {
        public: false,
        ..text(
            "url",
            2000,
            "The site's public URL, unless the operator sets another; it may have a path.",
        )
    },
    empty(url("logo", "Image with the site's name.")),
    empty(url("icon", "Small square image for tabs and bookmarks.")),
    Setting {
        default: "\"#15171a\"",
        ..text(
            "accent_color",
            50,
            "Accent colour for themes, such as #15171a.",
        )
    },
    url("cover_image", "Wide image for the top of the site."),
    text("facebook", 2000, "Page on Facebook."),
    text("twitter", 2000, "Handle on X."),
    text("threads", 2000, "Handle on Threads."),
    text("bluesky", 2000, "Handle on Bluesky."),
    text("mastodon", 2000, "Handle on a Mastodon server."),
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
        "\"\"",
        "HTML for the head of each page.",
    ),
    other(
        "codeinjection_foot",
        SettingType::Markup,
        "\"\"",
        "HTML for the foot of each page.",
    ),
    other(
        "navigation",
        SettingType::Navigation,
        "[]",
        "Links at the top, each with label and url.",
    ),
    other(
        "secondary_navigation",
        SettingType::Navigation,
        "[]",
        "Links at the foot, each with label and url.",
    ),
    text("meta_title", 300, "Title for search engines."),
    text("meta_description", 500, "Description for search engines."),
    url("og_image", "Image for Open Graph."),
    text("og_title", 300, "Title for Open Graph."),
    text("og_description", 500, "Description for Open Graph."),
    url("twitter_image", "Image for X cards."),
    text("twitter_title", 300, "Title for X cards."),
    text("twitter_description", 500, "Description for X cards."),
    choice(
        "members_signup_access",
        &["all", "invite", "paid", "none"],
        "\"all\"",
        "The people who may become members.",
    ),
    Setting {
        public: false,
        ..choice(
            "default_content_visibility",
            &["public", "members", "paid", "tiers"],
            "\"public\"",
            "Default visibility of posts.",
        )
    },
    Setting {
        public: false,
        sources: SettingSources::Records,
        ..other(
            DEFAULT_TIERS,
            SettingType::Words,
            "[]",
            "Identifiers of the tiers whose members may read posts with the default visibility \"tiers\".",
        )
    },
    text(
        "members_support_address",
        191,
        "Support address for members.",
    ),
    staff(switch(
        "members_track_sources",
        "true",
        "Pages have a script that remembers in the browser where a new member comes from.",
    )),
    staff(other(
        "blocked_email_domains",
        SettingType::Words,
        "[]",
        "Domains whose e-mail addresses front ends refuse at sign-up.",
    )),
    switch(
        "recommendations_enabled",
        "false",
        "Front ends show the sites that this one recommends.",
    ),
    choice(
        "comments_enabled",
        &["all", "paid", "off"],
        "\"all\"",
        "The readers who may comment.",
    ),
    switch(
        "outbound_link_tagging",
        "false",
        "Links to other sites have ref= with this site's name.",
    ),
    choice(
        "portal_button_style",
        &["icon-and-text", "icon-only", "text-only"],
        "\"icon-and-text\"",
        "Style of the sign-up button.",
    ),
    Setting {
        default: "\"Subscribe\"",
        ..text(
            "portal_button_signup_text",
            50,
            "Text on the sign-up button.",
        )
    },
    text("portal_button_icon", 2000, "Image on the sign-up button."),
    other(
        "portal_signup_terms_html",
        SettingType::Markup,
        "null",
        "Terms that new members agree to, as HTML.",
    ),
    switch(
        "portal_signup_checkbox_required",
        "false",
        "New members must tick a box to agree to the terms.",
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
    switch("portal_name", "true", "Adds the name to the sign-up form."),
    switch("portal_button", "false", "Shows the sign-up button."),
    staff(other(
        "portal_products",
        SettingType::Words,
        "[]",
        "Identifiers of the tiers that the sign-up window offers.",
    )),
    staff(empty(text(
        "heading_font",
        191,
        "Name of the font that front ends show headings in.",
    ))),
    staff(empty(text(
        "body_font",
        191,
        "Name of the font that front ends show text in.",
    ))),
    staff(switch(
        "llms_enabled",
        "true",
        "Pages are served as Markdown, too, and llms.txt lists them.",
    )),
    staff(switch(
        "is_private",
        "false",
        "Front ends require a password from readers.",
    )),
    staff(empty(text(
        "password",
        191,
        "The password that front ends of a private site ask for.",
    ))),
    Setting {
        sources: SettingSources::Internal,
        ..staff(text(
            "public_hash",
            191,
            "Part of the URL at which a private site still has a feed.",
        ))
    },
    Setting {
        default: "\"source\"",
        sources: SettingSources::Internal,
        ..staff(text(
            "active_theme",
            191,
            "Name of the theme whose assets are served.",
        ))
    },
    staff(switch(
        "require_email_mfa",
        "false",
        "Every sign-in requires a code that is sent by mail.",
    )),
    staff(json(
        "labs",
        "\"{}\"",
        "State of experimental editor features.",
    )),
    staff(json(
        "shared_views",
        "\"[]\"",
        "Saved list filters that editors share among the staff.",
    )),
    Setting {
        sources: SettingSources::Staff,
        ..choice(
            "editor_default_email_recipients",
            &["disabled", "visibility", "filter"],
            "\"visibility\"",
            "The recipients that editors propose for a post: no members, those who may read it, or those of a filter.",
        )
    },
    Setting {
        default: "\"all\"",
        ..staff(text(
            "editor_default_email_recipients_filter",
            2000,
            "The filter of the proposed recipients.",
        ))
    },
    staff(other(
        "announcement_content",
        SettingType::Markup,
        "null",
        "Announcement that front ends show above each page, as HTML.",
    )),
    staff(other(
        "announcement_visibility",
        SettingType::Words,
        "[]",
        "Readers of the announcement: visitors, free_members, paid_members.",
    )),
    staff(choice(
        "announcement_background",
        &["accent", "dark", "light"],
        "\"dark\"",
        "Background of the announcement.",
    )),
    staff(switch(
        "unsplash",
        "true",
        "Editors offer images from Unsplash.",
    )),
    staff(switch(
        "pintura",
        "true",
        "Editors offer to edit images with Pintura.",
    )),
    staff(url("pintura_js_url", "URL of the script of Pintura.")),
    staff(url("pintura_css_url", "URL of the style sheet of Pintura.")),
];
