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
enum Content {
    Plain,
    Markup,
    Address,
    Canonical,
}

/// The location of a text in the record.
#[derive(Clone, Copy, Debug)]
enum Place {
    Post(fn(&mut Post) -> &mut OptionalText),
    Meta(fn(&mut PostMeta) -> &mut OptionalText),
}

/// A text field of a post.
#[derive(Debug)]
pub struct TextField {
    /// Its name on the wire.
    pub name: &'static str,
    content: Content,
    place: Place,
}

/// All text fields.
pub static TEXT_FIELDS: &[TextField] = &[
    TextField::post("feature_image", Content::Address, |post| {
        &mut post.feature_image
    }),
    TextField::post("custom_excerpt", Content::Markup, |post| {
        &mut post.custom_excerpt
    }),
    TextField::post("codeinjection_head", Content::Markup, |post| {
        &mut post.codeinjection_head
    }),
    TextField::post("codeinjection_foot", Content::Markup, |post| {
        &mut post.codeinjection_foot
    }),
    TextField::post("custom_template", Content::Plain, |post| {
        &mut post.custom_template
    }),
    TextField::post("canonical_url", Content::Canonical, |post| {
        &mut post.canonical_url
    }),
    TextField::meta("meta_title", Content::Plain, |meta| &mut meta.meta_title),
    TextField::meta("meta_description", Content::Plain, |meta| {
        &mut meta.meta_description
    }),
    TextField::meta("og_image", Content::Address, |meta| &mut meta.og_image),
    TextField::meta("og_title", Content::Plain, |meta| &mut meta.og_title),
    TextField::meta("og_description", Content::Plain, |meta| {
        &mut meta.og_description
    }),
    TextField::meta("twitter_image", Content::Address, |meta| {
        &mut meta.twitter_image
    }),
    TextField::meta("twitter_title", Content::Plain, |meta| {
        &mut meta.twitter_title
    }),
    TextField::meta("twitter_description", Content::Plain, |meta| {
        &mut meta.twitter_description
    }),
    TextField::meta("email_subject", Content::Plain, |meta| {
        &mut meta.email_subject
    }),
    TextField::meta("feature_image_alt", Content::Plain, |meta| {
        &mut meta.feature_image_alt
    }),
    TextField::meta("feature_image_caption", Content::Markup, |meta| {
        &mut meta.feature_image_caption
    }),
];

impl TextField {
    const fn post(
        name: &'static str,
        content: Content,
        place: fn(&mut Post) -> &mut OptionalText,
    ) -> Self {
        Self {
            name,
            content,
            place: Place::Post(place),
        }
    }

    const fn meta(
        name: &'static str,
        content: Content,
        place: fn(&mut PostMeta) -> &mut OptionalText,
    ) -> Self {
        Self {
            name,
            content,
            place: Place::Meta(place),
        }
    }

    /// Sets the text of `post`, or null for a URL that runs code. The side record is created only
    /// for a value.
    pub(super) fn set(&self, post: &mut Post, text: Option<&str>, site: &Url) {
        let text = text.and_then(|text| match self.content {
            Content::Address => passive(self.name, text, Usage::Image),
            Content::Canonical => passive(self.name, text, Usage::Link),
            Content::Plain | Content::Markup => Some(text),
        });
        let stored = text.map(|text| self.stored(text, site));
        match self.place {
            Place::Post(place) => *place(post) = stored,
            Place::Meta(place) if stored.is_some() || post.meta.is_some() => {
                *place(post.meta.get_or_insert_default()) = stored;
            }
            Place::Meta(_) => {}
        }
    }

    fn stored(&self, text: &str, site: &Url) -> Box<str> {
        match self.content {
            Content::Plain => text.into(),
            Content::Markup => urls::html_to_stored(text, site).as_ref().into(),
            Content::Address => urls::address_to_stored(text, site).as_ref().into(),
            Content::Canonical => urls::canonical_url_to_stored(text, site).as_ref().into(),
        }
    }
}
