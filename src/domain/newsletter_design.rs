//! The design options of a newsletter's mails and the sender options: one table (Ghost 6.65,
//! recorded).

use serde_json::{Value, json};

use super::email;

/// The type of an option.
#[derive(Clone, Copy, Debug)]
pub enum DesignType {
    /// A boolean, with its default.
    Switch(bool),
    /// One of these words; the first is the default.
    Choice(&'static [&'static str]),
    /// A named or hexadecimal colour, or any text of at most 191 characters, with its default.
    Colour(Option<&'static str>),
    /// Text of at most this many characters.
    Text(usize),
    /// Where replies go: `newsletter`, `support`, or an address.
    ReplyTo,
}

/// One row of the table.
#[derive(Debug)]
pub struct DesignChoice {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its type.
    pub kind: DesignType,
}

const fn choice(name: &'static str, kind: DesignType) -> DesignChoice {
    DesignChoice { name, kind }
}

/// Longest name of a colour, in characters.
const COLOUR_CHARACTERS_MAX: usize = 191;

/// All options.
pub static DESIGN: &[DesignChoice] = &[
    choice("feedback_enabled", DesignType::Switch(false)),
    choice("sender_name", DesignType::Text(191)),
    choice("sender_reply_to", DesignType::ReplyTo),
    choice("header_image", DesignType::Text(2000)),
    choice("show_header_icon", DesignType::Switch(true)),
    choice("show_header_title", DesignType::Switch(true)),
    choice("show_excerpt", DesignType::Switch(false)),
    choice(
        "title_font_category",
        DesignType::Choice(&["sans_serif", "serif"]),
    ),
    choice("title_alignment", DesignType::Choice(&["center", "left"])),
    choice("show_feature_image", DesignType::Switch(true)),
    choice(
        "body_font_category",
        DesignType::Choice(&["sans_serif", "serif"]),
    ),
    choice("footer_content", DesignType::Text(65_535)),
    choice("show_badge", DesignType::Switch(true)),
    choice("show_header_name", DesignType::Switch(true)),
    choice("show_post_title_section", DesignType::Switch(true)),
    choice("show_comment_cta", DesignType::Switch(true)),
    choice("show_subscription_details", DesignType::Switch(false)),
    choice("show_latest_posts", DesignType::Switch(false)),
    choice("show_share_button", DesignType::Switch(false)),
    choice("background_color", DesignType::Colour(Some("light"))),
    choice("post_title_color", DesignType::Colour(None)),
    choice(
        "button_corners",
        DesignType::Choice(&["rounded", "square", "pill"]),
    ),
    choice("button_style", DesignType::Choice(&["fill", "outline"])),
    choice(
        "title_font_weight",
        DesignType::Choice(&["bold", "normal", "medium", "semibold"]),
    ),
    choice(
        "link_style",
        DesignType::Choice(&["underline", "regular", "bold"]),
    ),
    choice("image_corners", DesignType::Choice(&["square", "rounded"])),
    choice(
        "header_background_color",
        DesignType::Colour(Some("transparent")),
    ),
    choice("section_title_color", DesignType::Colour(None)),
    choice("divider_color", DesignType::Colour(None)),
    choice("button_color", DesignType::Colour(Some("accent"))),
    choice("link_color", DesignType::Colour(Some("accent"))),
];

impl DesignChoice {
    /// Returns the default.
    pub fn default(&self) -> Value {
        match self.kind {
            DesignType::Switch(default) => json!(default),
            DesignType::Choice(words) => json!(words.first()),
            DesignType::Colour(default) => json!(default),
            DesignType::Text(_) => Value::Null,
            DesignType::ReplyTo => json!("newsletter"),
        }
    }

    /// Returns whether the option accepts `value`. Null means the default.
    pub fn takes(&self, value: &Value) -> bool {
        let is_short = |text: &str, max: usize| text.chars().count() <= max;
        match (self.kind, value) {
            (_, Value::Null) | (DesignType::Switch(_), Value::Bool(_)) => true,
            (DesignType::Choice(words), Value::String(word)) => words.contains(&word.as_str()),
            (DesignType::Colour(_), Value::String(text)) => is_short(text, COLOUR_CHARACTERS_MAX),
            (DesignType::Text(max), Value::String(text)) => is_short(text, max),
            (DesignType::ReplyTo, Value::String(text)) => {
                matches!(text.as_str(), "newsletter" | "support") || email::is_address(text)
            }
            _ => false,
        }
    }
}
