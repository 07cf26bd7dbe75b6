//! Newsletters: the files in `newsletters/`.

use serde::Serialize;

use super::keys::{
    Date, Email, Entries, Id, ImageUrl, Integer, Key, KeySet, Reader, Slug, Text, Uuid, choices,
    fields, keys_of,
};
use super::parts::Parts;
use crate::catalog::fields::NEWSLETTER_TEXTS;
use crate::domain::newsletter::Newsletter;

choices! {
    /// Whether a newsletter is in use.
    NewsletterStatus { Active = "active", Archived = "archived" }

    /// Who may subscribe.
    NewsletterVisibility { Members = "members", Paid = "paid" }

    /// The letters of a mail.
    FontCategory { SansSerif = "sans_serif", Serif = "serif" }

    /// Where the title of a mail stands.
    Alignment { Center = "center", Left = "left" }

    /// How bold the title of a mail is.
    FontWeight { Normal = "normal", Medium = "medium", Semibold = "semibold", Bold = "bold" }

    /// The shape of buttons.
    ButtonCorners { Square = "square", Rounded = "rounded", Pill = "pill" }

    /// The look of buttons.
    ButtonStyle { Fill = "fill", Outline = "outline" }

    /// The look of links.
    LinkStyle { Underline = "underline", Regular = "regular", Bold = "bold" }

    /// The shape of images.
    ImageCorners { Square = "square", Rounded = "rounded" }
}

fields! {
    /// What can be said of a newsletter.
    pub struct NewsletterFields with texts of NEWSLETTER_TEXTS {
        /// The name that readers see.
        name: Text<191>;
        /// The newsletter's slug; made from the file's name if absent.
        slug: Slug;
        /// Identifier of the record, 24 hexadecimal digits; made from the slug if absent.
        id: Id;
        /// Identifier that mail programs see; made from the slug if absent.
        uuid: Uuid;
        /// Whether it is in use.
        status: NewsletterStatus;
        /// Who may subscribe.
        visibility: NewsletterVisibility;
        /// Whether new members get it.
        subscribe_on_signup: bool;
        /// Its place among the newsletters, from 0.
        sort_order: Integer<2147483647>;
        /// The name in the sender of its mails.
        sender_name: Text<191>;
        /// The address in the sender of its mails.
        sender_email: Email;
        /// Where answers go: `newsletter`, `support` or an address.
        sender_reply_to: Text<191>;
        /// Whether readers are asked if they liked a post.
        feedback_enabled: bool;
        /// Image at the head of its mails.
        header_image: ImageUrl;
        /// Whether the site's icon is shown.
        show_header_icon: bool;
        /// Whether the site's title is shown.
        show_header_title: bool;
        /// Whether the newsletter's name is shown.
        show_header_name: bool;
        /// Whether the excerpt is shown under the title.
        show_excerpt: bool;
        /// Whether the post's title is shown.
        show_post_title_section: bool;
        /// Whether the post's image is shown.
        show_feature_image: bool;
        /// Whether readers are invited to comment.
        show_comment_cta: bool;
        /// Whether a reader's subscription is reported.
        show_subscription_details: bool;
        /// Whether the latest posts are listed.
        show_latest_posts: bool;
        /// Whether there is a button to share the post.
        show_share_button: bool;
        /// Whether the foot names the program that sent it.
        show_badge: bool;
        /// HTML at the foot of its mails.
        footer_content: Text<65535>;
        /// Letters of titles.
        title_font_category: FontCategory;
        /// How bold titles are.
        title_font_weight: FontWeight;
        /// Where titles stand.
        title_alignment: Alignment;
        /// Letters of the text.
        body_font_category: FontCategory;
        /// Background: `light`, `dark` or a colour such as `#ffffff`.
        background_color: Text<191>;
        /// Background of the head: `transparent` or a colour.
        header_background_color: Text<191>;
        /// Colour of the post's title.
        post_title_color: Text<191>;
        /// Colour of the titles of sections.
        section_title_color: Text<191>;
        /// Colour of rules.
        divider_color: Text<191>;
        /// Colour of buttons: `accent` or a colour.
        button_color: Text<191>;
        /// Colour of links: `accent` or a colour.
        link_color: Text<191>;
        /// Shape of buttons.
        button_corners: ButtonCorners;
        /// Look of buttons.
        button_style: ButtonStyle;
        /// Look of links.
        link_style: LinkStyle;
        /// Shape of images.
        image_corners: ImageCorners;
        /// When it was made.
        created_at: Date;
        /// When it was last changed.
        updated_at: Date;
    }
}

const TEXT_KEYS: &[Key] = &keys_of::<Newsletter, { NEWSLETTER_TEXTS.len() }>(NEWSLETTER_TEXTS);

impl NewsletterFields {
    pub(super) const SET: KeySet = KeySet::of(&[NewsletterFields::KEYS, TEXT_KEYS], &["name"]);
}

/// A file in `newsletters/`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NewsletterFile {
    /// The file name without its extension; the default of the slug.
    pub stem: String,
    /// The fields of the newsletter. The name is always present.
    pub fields: NewsletterFields,
}

pub(super) fn read(parts: &Parts<'_>, reader: &mut Reader<'_>) -> NewsletterFile {
    let entries = Entries::collect(&parts.table, &NewsletterFields::SET, parts.opening, reader);
    let fields = NewsletterFields::from_entries(&entries, reader);
    let reply_to = fields.sender_reply_to.as_deref().unwrap_or_default();
    if !matches!(reply_to, "" | "newsletter" | "support") && !Email::fits(reply_to) {
        let place = entries.key_span("sender_reply_to").unwrap_or(parts.opening);
        let message = format!("`sender_reply_to` may not be `{reply_to}`");
        reader.error(
            place,
            message,
            "write newsletter, support or an e-mail address",
        );
    }
    NewsletterFile {
        stem: parts.stem.to_owned(),
        fields,
    }
}
