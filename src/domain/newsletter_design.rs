//! The table of the design and sender options of a newsletter (Ghost 6.65, recorded).

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
    /// HTML of at most this many characters.
    Markup(usize),
    /// The URL of an image, of at most this many characters.
    Image(usize),
    /// The reply-to address: `newsletter`, `support`, or an address.
    ReplyTo,
}

/// One row of the table.
#[derive(Debug)]
pub struct DesignChoice {
    /// Its name on the wire.
    pub name: &'static str,
    /// Its type.
    pub kind: DesignType,
    /// Its description in the schema of content files.
    pub meaning: &'static str,
}

const fn choice(name: &'static str, kind: DesignType, meaning: &'static str) -> DesignChoice {
    DesignChoice {
        name,
        kind,
        meaning,
    }
}

/// Longest name of a colour, in characters.
pub const COLOUR_CHARACTERS_MAX: usize = 191;

/// All options.
#[rustfmt::skip]
pub static DESIGN: &[DesignChoice] = &[
    choice("sender_name", DesignType::Text(191), "The name in the sender of its mails."),
    choice("sender_reply_to", DesignType::ReplyTo, "Address of replies: `newsletter`, `support` or an address."),
    choice("feedback_enabled", DesignType::Switch(false), "Adds buttons for feedback on a post."),
    choice("header_image", DesignType::Image(2000), "Image at the head of its mails."),
    choice("show_header_icon", DesignType::Switch(true), "Shows the site's icon."),
    choice("show_header_title", DesignType::Switch(true), "Shows the site's title."),
    choice("show_header_name", DesignType::Switch(true), "Shows the newsletter's name."),
    choice("show_excerpt", DesignType::Switch(false), "Shows the excerpt under the title."),
    choice("show_post_title_section", DesignType::Switch(true), "Shows the post's title."),
    choice("show_feature_image", DesignType::Switch(true), "Shows the post's image."),
    choice("show_comment_cta", DesignType::Switch(true), "Invites readers to comment."),
    choice("show_subscription_details", DesignType::Switch(false), "Shows the reader's subscription."),
    choice("show_latest_posts", DesignType::Switch(false), "Lists the latest posts."),
    choice("show_share_button", DesignType::Switch(false), "Adds a button to share the post."),
    choice("show_badge", DesignType::Switch(true), "Names the sending program in the footer."),
    choice("footer_content", DesignType::Markup(65_535), "HTML at the foot of its mails."),
    choice("title_font_category", DesignType::Choice(&["sans_serif", "serif"]), "Typeface of titles."),
    choice("title_font_weight", DesignType::Choice(&["bold", "normal", "medium", "semibold"]), "Weight of titles."),
    choice("title_alignment", DesignType::Choice(&["center", "left"]), "Alignment of titles."),
    choice("body_font_category", DesignType::Choice(&["sans_serif", "serif"]), "Typeface of the text."),
    choice("background_color", DesignType::Colour(Some("light")), "Background: `light`, `dark` or a colour such as `#ffffff`."),
    choice("header_background_color", DesignType::Colour(Some("transparent")), "Background of the head: `transparent` or a colour."),
    choice("post_title_color", DesignType::Colour(None), "Colour of the post's title."),
    choice("section_title_color", DesignType::Colour(None), "Colour of the titles of sections."),
    choice("divider_color", DesignType::Colour(None), "Colour of rules."),
    choice("button_color", DesignType::Colour(Some("accent")), "Colour of buttons: `accent` or a colour."),
    choice("link_color", DesignType::Colour(Some("accent")), "Colour of links: `accent` or a colour."),
    choice("button_corners", DesignType::Choice(&["rounded", "square", "pill"]), "Shape of buttons."),
    choice("button_style", DesignType::Choice(&["fill", "outline"]), "Style of buttons."),
    choice("link_style", DesignType::Choice(&["underline", "regular", "bold"]), "Style of links."),
    choice("image_corners", DesignType::Choice(&["square", "rounded"]), "Shape of images."),
];

impl DesignChoice {
    /// Returns the default value.
    pub fn default(&self) -> Value {
        match self.kind {
            DesignType::Switch(default) => json!(default),
            DesignType::Choice(words) => json!(words.first()),
            DesignType::Colour(default) => json!(default),
            DesignType::Text(_) | DesignType::Markup(_) | DesignType::Image(_) => Value::Null,
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
            (
                DesignType::Text(max) | DesignType::Markup(max) | DesignType::Image(max),
                Value::String(text),
            ) => is_short(text, max),
            (DesignType::ReplyTo, Value::String(text)) => {
                matches!(text.as_str(), "newsletter" | "support") || email::is_address(text)
            }
            _ => false,
        }
    }
}
