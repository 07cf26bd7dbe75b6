//! The text fields of a post: one table, a row for each.

use url::Url;

use crate::{
    admin::active_urls::passive,
    domain::{
        OptionalText,
        post::{Post, PostMeta},
    },
    render::{active_urls::Usage, urls},
};

/// The content of a text field, which determines how URLs of the site in it are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextContent {
    Plain,
    Markup,
    Address,
    Canonical,
}

/// The location of a text in the record.
#[derive(Clone, Copy, Debug)]
enum TextLocation {
    Post(fn(&mut Post) -> &mut OptionalText),
    Meta(fn(&mut PostMeta) -> &mut OptionalText),
}

/// A text field of a post.
#[derive(Debug)]
pub struct TextField {
    /// Its name on the wire.
    pub name: &'static str,
    content: TextContent,
    place: TextLocation,
}

/// All text fields.
pub static TEXT_FIELDS: &[TextField] = &[
    TextField::post("feature_image", TextContent::Address, |post| {
        &mut post.feature_image
    }),
    TextField::post("custom_excerpt", TextContent::Markup, |post| {
        &mut post.custom_excerpt
    }),
    TextField::post("codeinjection_head", TextContent::Markup, |post| {
        &mut post.codeinjection_head
    }),
    TextField::post("codeinjection_foot", TextContent::Markup, |post| {
        &mut post.codeinjection_foot
    }),
    TextField::post("custom_template", TextContent::Plain, |post| {
        &mut post.custom_template
    }),
    TextField::post("canonical_url", TextContent::Canonical, |post| {
        &mut post.canonical_url
    }),
    TextField::meta("meta_title", TextContent::Plain, |meta| {
        &mut meta.meta_title
    }),
    TextField::meta("meta_description", TextContent::Plain, |meta| {
        &mut meta.meta_description
    }),
    TextField::meta("og_image", TextContent::Address, |meta| &mut meta.og_image),
    TextField::meta("og_title", TextContent::Plain, |meta| &mut meta.og_title),
    TextField::meta("og_description", TextContent::Plain, |meta| {
        &mut meta.og_description
    }),
    TextField::meta("twitter_image", TextContent::Address, |meta| {
        &mut meta.twitter_image
    }),
    TextField::meta("twitter_title", TextContent::Plain, |meta| {
        &mut meta.twitter_title
    }),
    TextField::meta("twitter_description", TextContent::Plain, |meta| {
        &mut meta.twitter_description
    }),
    TextField::meta("email_subject", TextContent::Plain, |meta| {
        &mut meta.email_subject
    }),
    TextField::meta("feature_image_alt", TextContent::Plain, |meta| {
        &mut meta.feature_image_alt
    }),
    TextField::meta("feature_image_caption", TextContent::Markup, |meta| {
        &mut meta.feature_image_caption
    }),
];

impl TextField {
    const fn post(
        name: &'static str,
        content: TextContent,
        place: fn(&mut Post) -> &mut OptionalText,
    ) -> Self {
        Self {
            name,
            content,
            place: TextLocation::Post(place),
        }
    }

    const fn meta(
        name: &'static str,
        content: TextContent,
        place: fn(&mut PostMeta) -> &mut OptionalText,
    ) -> Self {
        Self {
            name,
            content,
            place: TextLocation::Meta(place),
        }
    }

    /// Sets the text of `post`, or null for a URL that runs code. The side record is created only
    /// for a value.
    pub(super) fn set(&self, post: &mut Post, text: Option<&str>, site: &Url) {
        let text = text.and_then(|text| match self.content {
            TextContent::Address => passive(self.name, text, Usage::Image),
            TextContent::Canonical => passive(self.name, text, Usage::Link),
            TextContent::Plain | TextContent::Markup => Some(text),
        });
        let stored = text.map(|text| self.stored(text, site));
        match self.place {
            TextLocation::Post(place) => *place(post) = stored,
            TextLocation::Meta(place) if stored.is_some() || post.meta.is_some() => {
                *place(post.meta.get_or_insert_default()) = stored;
            }
            TextLocation::Meta(_) => {}
        }
    }

    fn stored(&self, text: &str, site: &Url) -> Box<str> {
        match self.content {
            TextContent::Plain => text.into(),
            TextContent::Markup => urls::html_to_stored(text, site).as_ref().into(),
            TextContent::Address => urls::address_to_stored(text, site).as_ref().into(),
            TextContent::Canonical => urls::canonical_url_to_stored(text, site).as_ref().into(),
        }
    }
}
