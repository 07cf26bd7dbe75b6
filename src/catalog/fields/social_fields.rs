//! Fields of metadata for search engines and social networks.

use crate::{
    catalog::{
        fields::{
            Field,
            stored::{StoredText, TextContent, TextRules},
        },
        value::Value,
    },
    domain::{OptionalText, social_meta::SocialMeta},
};

/// A record with metadata for search engines and social networks.
pub(super) trait HasSocialMeta: Sized {
    /// The rules of its texts.
    const RULES: TextRules;

    /// Returns the metadata, if the record has any.
    fn social(&self) -> Option<&SocialMeta>;

    /// Sets a text of the metadata.
    fn set_social(&mut self, text: OptionalText, field: fn(&mut SocialMeta) -> &mut OptionalText);
}

/// Returns the fields of metadata for search engines and social networks.
pub(super) const fn social_meta<R: HasSocialMeta>() -> [Field<R>; 8] {
    let [og_image, og_title, og_description] = open_graph();
    let [x_image, x_title, x_description] = x_card();
    let [title, description] = search_result();
    [
        og_image,
        og_title,
        og_description,
        x_image,
        x_title,
        x_description,
        title,
        description,
    ]
}

/// Returns the fields for Open Graph, which Facebook and other services read.
pub(super) const fn open_graph<R: HasSocialMeta>() -> [Field<R>; 3] {
    [
        Field::text(StoredText {
            name: "og_image",
            content: TextContent::Image,
            meaning: "Image for Facebook and others that read Open Graph.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.og_image),
            set: |record, text| record.set_social(text, |meta| &mut meta.og_image),
        }),
        Field::text(StoredText {
            name: "og_title",
            content: TextContent::Plain(300),
            meaning: "Title for Open Graph.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.og_title),
            set: |record, text| record.set_social(text, |meta| &mut meta.og_title),
        }),
        Field::text(StoredText {
            name: "og_description",
            content: TextContent::Plain(500),
            meaning: "Description for Open Graph.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.og_description),
            set: |record, text| record.set_social(text, |meta| &mut meta.og_description),
        }),
    ]
}

/// Returns the fields for X.
pub(super) const fn x_card<R: HasSocialMeta>() -> [Field<R>; 3] {
    [
        Field::text(StoredText {
            name: "twitter_image",
            content: TextContent::Image,
            meaning: "Image for X.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.twitter_image),
            set: |record, text| record.set_social(text, |meta| &mut meta.twitter_image),
        }),
        Field::text(StoredText {
            name: "twitter_title",
            content: TextContent::Plain(300),
            meaning: "Title for X.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.twitter_title),
            set: |record, text| record.set_social(text, |meta| &mut meta.twitter_title),
        }),
        Field::text(StoredText {
            name: "twitter_description",
            content: TextContent::Plain(500),
            meaning: "Description for X.",
            rules: R::RULES,
            get: |record| social(record, |meta| &meta.twitter_description),
            set: |record, text| record.set_social(text, |meta| &mut meta.twitter_description),
        }),
    ]
}

/// Returns the fields for search engines.
pub(super) const fn search_result<R: HasSocialMeta>() -> [Field<R>; 2] {
    [
        Field::text(StoredText {
            name: "meta_title",
            content: TextContent::Plain(300),
            meaning: "Title for search engines.",
            rules: TextRules {
                aliases: &["seo_title"],
                ..R::RULES
            },
            get: |record| social(record, |meta| &meta.meta_title),
            set: |record, text| record.set_social(text, |meta| &mut meta.meta_title),
        }),
        Field::text(StoredText {
            name: "meta_description",
            content: TextContent::Plain(500),
            meaning: "Description for search engines.",
            rules: TextRules {
                aliases: &["seo_description"],
                ..R::RULES
            },
            get: |record| social(record, |meta| &meta.meta_description),
            set: |record, text| record.set_social(text, |meta| &mut meta.meta_description),
        }),
    ]
}

pub(super) fn social<R: HasSocialMeta>(
    record: &R,
    get: fn(&SocialMeta) -> &OptionalText,
) -> Value<'_> {
    Value::optional_text(record.social().and_then(|meta| get(meta).as_deref()))
}
