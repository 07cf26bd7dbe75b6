//! The table of settings: a row for each.

use super::{DEFAULT_TIERS, Reach, Setting, SettingType};

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

/// Like Ghost's: an empty text as long as nothing is set.
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

const fn json(key: &'static str, default: &'static str, about: &'static str) -> Setting {
    other(key, SettingType::Json(65_535), default, about)
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
    empty(address("logo", "Picture with the site's name.")),
    empty(address(
        "icon",
        "Small square picture for tabs and bookmarks.",
    )),
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
        "\"\"",
        "Markup for the head of each page.",
    ),
    other(
        "codeinjection_foot",
        SettingType::Markup,
        "\"\"",
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
            &["public", "members", "paid", "tiers"],
            "\"public\"",
            "Who may read a post that does not say so itself.",
        )
    },
    Setting {
        public: false,
        reach: Reach::Records,
        ..other(
            DEFAULT_TIERS,
            SettingType::Words,
            "[]",
            "Identifiers of the tiers that may read it where that is for tiers.",
        )
    },
    text("members_support_address", 191, "Where members write to."),
    switch(
        "recommendations_enabled",
        "false",
        "Whether front ends show the sites that this one recommends.",
    ),
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
        "is_private",
        "false",
        "Whether front ends ask their readers for a password.",
    )),
    staff(empty(text(
        "password",
        191,
        "The password that front ends of a private site ask for.",
    ))),
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
    staff(json("labs", "\"{}\"", "What editors keep of experiments.")),
    staff(json(
        "shared_views",
        "\"[]\"",
        "Filters of lists that editors keep for all of the staff.",
    )),
    Setting {
        reach: Reach::Staff,
        ..choice(
            "editor_default_email_recipients",
            &["disabled", "visibility", "filter"],
            "\"visibility\"",
            "To whom editors propose to send a post: nobody, whoever may read it, or whom a filter finds.",
        )
    },
    Setting {
        default: "\"all\"",
        ..staff(text(
            "editor_default_email_recipients_filter",
            2000,
            "That filter.",
        ))
    },
    staff(other(
        "announcement_content",
        SettingType::Markup,
        "null",
        "What front ends announce above each page.",
    )),
    staff(other(
        "announcement_visibility",
        SettingType::Words,
        "[]",
        "To whom: visitors, free_members, paid_members.",
    )),
    staff(choice(
        "announcement_background",
        &["accent", "dark", "light"],
        "\"dark\"",
        "How the announcement looks.",
    )),
    staff(switch(
        "unsplash",
        "true",
        "Whether editors offer pictures of Unsplash.",
    )),
    staff(switch(
        "pintura",
        "true",
        "Whether editors offer to change pictures with Pintura.",
    )),
    staff(address("pintura_js_url", "Where the script of Pintura is.")),
    staff(address(
        "pintura_css_url",
        "Where the style sheet of Pintura is.",
    )),
];
