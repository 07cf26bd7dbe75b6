//! The fields of tags (specification 2.5), snippets and recommendations (Ghost 6.65, recorded).

use super::{
    ApiKind, Field,
    FieldType::{Boolean, Text, Time, Url},
    Schema, StoredText, TextContent, TextRules, UnknownField, ViewField,
};
use crate::{
    catalog::{
        fields::{
            social_fields::{HasSocialMeta, social_meta},
            text_fields::{text_count, texts},
        },
        value::Value,
    },
    domain::{
        OptionalText, recommendation::Recommendation, snippet::Snippet, social_meta::SocialMeta,
        tag::Tag,
    },
};

/// The fields of tags in the Content API.
pub static TAGS: Schema<Tag> = Schema {
    name: "tags",
    api: ApiKind::Content,
    fields: TAG_ROWS,
    private: &["parent_id", "parent"],
    unknown: UnknownField::Refuse,
};

/// The fields of tags in the Admin API.
pub static STAFF_TAGS: Schema<Tag> = Schema {
    name: "tags",
    api: ApiKind::Admin,
    fields: &[TAG_FIELDS, TAG_SOCIAL, TAG_MORE, TAG_COLUMNS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// The texts of tags that clients, content files and imports can set.
pub const TAG_TEXTS: &[&StoredText<Tag>] = &texts::<Tag, { text_count(TAG_ROWS) }>(TAG_ROWS);

const TAG_ROWS: &[&[Field<Tag>]] = &[TAG_FIELDS, TAG_SOCIAL, TAG_MORE];

/// Fields for filters and orders that are not in responses.
const TAG_COLUMNS: &[Field<Tag>] = &[Field::optional("parent_id", Text, |_: &Tag| Value::Null)
    .query_only()
    .staff_only()];

const TAG_FIELDS: &[Field<Tag>] = &[
    Field::required("id", Text, |tag| Value::Id(tag.id)),
    Field::required("name", Text, |tag| (&*tag.name).into()),
    Field::required("slug", Text, |tag| (&*tag.slug).into()),
    Field::text(StoredText {
        name: "description",
        content: TextContent::Plain(500),
        meaning: "Description of the tag. In a Markdown file it can also be the body.",
        rules: TextRules::USUAL,
        get: |tag| Value::optional_text(tag.description.as_deref()),
        set: |tag, text| tag.description = text,
    }),
    Field::text(StoredText {
        name: "feature_image",
        content: TextContent::Image,
        meaning: "The tag's image: a path relative to this file, a path on the site, or a full URL.",
        rules: TextRules {
            aliases: &["image", "cover"],
            former_columns: &["image"],
            ..TextRules::USUAL
        },
        get: |tag| Value::optional_text(tag.feature_image.as_deref()),
        set: |tag, text| tag.feature_image = text,
    }),
    Field::required("visibility", Text, |tag| tag.visibility().into()),
];

const TAG_SOCIAL: &[Field<Tag>] = &social_meta();

const TAG_MORE: &[Field<Tag>] = &[
    Field::text(StoredText {
        name: "codeinjection_head",
        content: TextContent::Markup(65_535),
        meaning: "HTML for the head of the tag's page.",
        rules: TextRules::USUAL,
        get: |tag| Value::optional_text(tag.codeinjection_head.as_deref()),
        set: |tag, text| tag.codeinjection_head = text,
    }),
    Field::text(StoredText {
        name: "codeinjection_foot",
        content: TextContent::Markup(65_535),
        meaning: "HTML for the foot of the tag's page.",
        rules: TextRules::USUAL,
        get: |tag| Value::optional_text(tag.codeinjection_foot.as_deref()),
        set: |tag, text| tag.codeinjection_foot = text,
    }),
    Field::text(StoredText {
        name: "canonical_url",
        content: TextContent::Page,
        meaning: "The URL that search engines take as the original.",
        rules: TextRules::USUAL,
        get: |tag| Value::optional_text(tag.canonical_url.as_deref()),
        set: |tag, text| tag.canonical_url = text,
    }),
    Field::text(StoredText {
        name: "accent_color",
        content: TextContent::Plain(50),
        meaning: "The tag's colour, for instance `#15171a`.",
        rules: TextRules {
            aliases: &["color", "colour"],
            ..TextRules::USUAL
        },
        get: |tag| Value::optional_text(tag.accent_color.as_deref()),
        set: |tag, text| tag.accent_color = text,
    }),
    Field::required("created_at", Time, |tag: &Tag| Value::Time(tag.created_at)).staff_only(),
    Field::required("updated_at", Time, |tag: &Tag| Value::Time(tag.updated_at)).staff_only(),
    Field::view("url", Text, ViewField::Url, false),
];

impl HasSocialMeta for Tag {
    const RULES: TextRules = TextRules::USUAL;

    fn social(&self) -> Option<&SocialMeta> {
        Some(&self.social)
    }

    fn set_social(&mut self, text: OptionalText, field: fn(&mut SocialMeta) -> &mut OptionalText) {
        *field(&mut self.social) = text;
    }
}

/// The fields of snippets, which only the Admin API serves.
pub static SNIPPETS: Schema<Snippet> = Schema {
    name: "snippets",
    api: ApiKind::Admin,
    fields: &[SNIPPET_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const SNIPPET_FIELDS: &[Field<Snippet>] = &[
    Field::required("id", Text, |snippet: &Snippet| Value::Id(snippet.id)).staff_only(),
    Field::required("name", Text, |snippet: &Snippet| (&*snippet.name).into()).staff_only(),
    Field::view("mobiledoc", Text, ViewField::Mobiledoc, false).staff_only(),
    Field::view("lexical", Text, ViewField::Lexical, true).staff_only(),
    Field::required("created_at", Time, |snippet: &Snippet| {
        Value::Time(snippet.created_at)
    })
    .staff_only(),
    Field::required("updated_at", Time, |snippet: &Snippet| {
        Value::Time(snippet.updated_at)
    })
    .staff_only(),
];

/// The fields of recommendations in the Content API.
pub static RECOMMENDATIONS: Schema<Recommendation> = Schema {
    name: "recommendations",
    api: ApiKind::Content,
    fields: &[RECOMMENDATION_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

/// The fields of recommendations in the Admin API.
pub static STAFF_RECOMMENDATIONS: Schema<Recommendation> = Schema {
    name: "recommendations",
    api: ApiKind::Admin,
    fields: &[RECOMMENDATION_FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const RECOMMENDATION_FIELDS: &[Field<Recommendation>] = &[
    Field::required("id", Text, |found| Value::Id(found.id)),
    Field::required("title", Text, |found| (&*found.title).into()),
    Field::optional("description", Text, |found| {
        Value::optional_text(found.description.as_deref())
    }),
    Field::optional("excerpt", Text, |found| {
        Value::optional_text(found.excerpt.as_deref())
    }),
    Field::optional("featured_image", Url, |found| {
        Value::optional_text(found.featured_image.as_deref())
    }),
    Field::optional("favicon", Url, |found| {
        Value::optional_text(found.favicon.as_deref())
    }),
    Field::required("url", Text, |found| (&*found.url).into()),
    Field::required("one_click_subscribe", Boolean, |found| {
        Value::Boolean(found.one_click_subscribe)
    }),
    Field::required("created_at", Time, |found| Value::Time(found.created_at)),
    Field::required("updated_at", Time, |found| Value::Time(found.updated_at)),
];
