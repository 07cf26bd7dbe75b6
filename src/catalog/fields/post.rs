//! The fields of posts and pages (specification 2.4; further fields as recorded from Ghost 6.65).

use super::{
    ApiKind, Field,
    FieldType::{Boolean, Integer, Markup, Text, Time},
    Requests, Schema, StoredText, TextContent, TextRules, UnknownField, ViewField,
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
        OptionalText,
        post::{Post, PostMeta},
        social_meta::SocialMeta,
    },
};

/// The fields of posts in the Content API.
pub static POSTS: Schema<Post> = Schema {
    name: "posts",
    api: ApiKind::Content,
    fields: &[COMMON, DERIVED, SOCIAL, SIDE, POST_ONLY, COLUMNS],
    private: &["show_title_and_feature_image"],
    unknown: UnknownField::Refuse,
};

/// The fields of pages in the Content API.
pub static PAGES: Schema<Post> = Schema {
    name: "pages",
    api: ApiKind::Content,
    fields: &[COMMON, DERIVED, SOCIAL, SIDE, PAGE_ONLY, COLUMNS],
    private: &["email_subject"],
    unknown: UnknownField::Refuse,
};

/// The fields of posts in the Admin API.
pub static STAFF_POSTS: Schema<Post> = Schema {
    name: "posts",
    api: ApiKind::Admin,
    fields: &[
        COMMON,
        MAIL,
        DERIVED,
        SOCIAL,
        SIDE,
        POST_ONLY,
        MAIL_ONLY,
        COLUMNS,
        POST_COLUMNS,
    ],
    private: HISTORY,
    unknown: UnknownField::Refuse,
};

/// The fields of pages in the Admin API.
pub static STAFF_PAGES: Schema<Post> = Schema {
    name: "pages",
    api: ApiKind::Admin,
    fields: &[
        COMMON,
        PAGE_ONLY,
        DERIVED,
        SOCIAL,
        SIDE,
        COLUMNS,
        PAGE_COLUMNS,
    ],
    private: HISTORY,
    unknown: UnknownField::Refuse,
};

/// Tables of Ghost's revisions, which filters cannot use (Ghost 6.65, recorded).
const HISTORY: &[&str] = &["post_revisions", "mobiledoc_revisions"];

const COMMON: &[Field<Post>] = &[
    Field::required("id", Text, |post| Value::Id(post.id)),
    Field::required("uuid", Text, |post| Value::Uuid(post.uuid)),
    Field::required("title", Text, |post| (&*post.title).into()),
    Field::required("slug", Text, |post| (&*post.slug).into()),
    Field::view("mobiledoc", Text, ViewField::Mobiledoc, true)
        .of_body()
        .staff_only(),
    Field::view("lexical", Text, ViewField::Lexical, true)
        .of_body()
        .staff_only(),
    Field::view("html", Markup, ViewField::Html, true).of_body(),
    Field::required("comment_id", Text, |post| (&*post.comment_id).into()),
    Field::view("plaintext", Text, ViewField::Plaintext, true)
        .of_body()
        .on_request(),
    Field::text(StoredText {
        name: "feature_image",
        content: TextContent::Image,
        meaning: "The image above the text: a path relative to this file, a path on the site, or a full URL.",
        rules: TextRules {
            aliases: &[
                "featured_image",
                "cover",
                "cover.image",
                "cover.src",
                "cover.url",
                "coverImage",
                "heroImage",
                "hero.image",
                "image",
                "image.src",
                "image.url",
                "image.path",
                "header.image",
                "banner",
                "thumbnail",
            ],
            former_columns: &["image"],
            ..TextRules::USUAL
        },
        get: |post| Value::optional_text(post.feature_image.as_deref()),
        set: |post, text| post.feature_image = text,
    }),
    Field::required("featured", Boolean, |post| Value::Boolean(post.featured)),
    Field::required("status", Text, |post: &Post| post.status.name().into()).staff_only(),
    Field::required("visibility", Text, |post| post.visibility.name().into()),
    Field::required("created_at", Time, |post| Value::Time(post.created_at)),
    Field::required("updated_at", Time, |post| Value::Time(post.updated_at)),
    Field::required("published_at", Time, |post| {
        Value::optional_time(post.published_at)
    }),
    Field::text(StoredText {
        name: "custom_excerpt",
        content: TextContent::Markup(300),
        meaning: "Summary for lists. Default: the beginning of the text.",
        rules: TextRules {
            aliases: &["excerpt", "summary", "description"],
            ..TextRules::USUAL
        },
        get: |post| Value::optional_text(post.custom_excerpt.as_deref()),
        set: |post, text| post.custom_excerpt = text,
    }),
    Field::text(StoredText {
        name: "codeinjection_head",
        content: TextContent::Markup(65_535),
        meaning: "HTML for the head of this page only.",
        rules: TextRules::USUAL,
        get: |post| Value::optional_text(post.codeinjection_head.as_deref()),
        set: |post, text| post.codeinjection_head = text,
    }),
    Field::text(StoredText {
        name: "codeinjection_foot",
        content: TextContent::Markup(65_535),
        meaning: "HTML for the foot of this page only.",
        rules: TextRules::USUAL,
        get: |post| Value::optional_text(post.codeinjection_foot.as_deref()),
        set: |post, text| post.codeinjection_foot = text,
    }),
    Field::text(StoredText {
        name: "custom_template",
        content: TextContent::Plain(100),
        meaning: "Name of the theme's template.",
        rules: TextRules::USUAL,
        get: |post| Value::optional_text(post.custom_template.as_deref()),
        set: |post, text| post.custom_template = text,
    }),
    Field::text(StoredText {
        name: "canonical_url",
        content: TextContent::Page,
        meaning: "The URL that search engines take as the original.",
        rules: TextRules {
            aliases: &["canonical"],
            ..TextRules::USUAL
        },
        get: |post| Value::optional_text(post.canonical_url.as_deref()),
        set: |post, text| post.canonical_url = text,
    }),
    Field::required("type", Text, |post: &Post| post.kind.name().into()).query_only(),
];

const DERIVED: &[Field<Post>] = &[
    Field::view("url", Text, ViewField::Url, false),
    Field::view("excerpt", Markup, ViewField::Excerpt, true),
    Field::view("reading_time", Integer, ViewField::ReadingTime, false),
    // Staff can read everything, so the Admin API does not serve these fields (Ghost 6.65,
    // recorded).
    Field::view("access", Boolean, ViewField::Access, false).readers_only(),
    Field::view("comments", Boolean, ViewField::Comments, false).readers_only(),
];

const SOCIAL: &[Field<Post>] = &social_meta();

const SIDE: &[Field<Post>] = &[
    Field::text(StoredText {
        name: "frontmatter",
        content: TextContent::Plain(65_535),
        meaning: "Text for the site's theme, served unchanged.",
        rules: TextRules {
            requests: Requests::Ignored,
            ..TextRules::SIDE
        },
        get: |post| meta(post, |meta| &meta.frontmatter),
        set: |post, text| set_meta(post, text, |meta| &mut meta.frontmatter),
    }),
    Field::text(StoredText {
        name: "feature_image_alt",
        content: TextContent::Plain(191),
        meaning: "Alternative text of the feature image.",
        rules: TextRules {
            requests: Requests::CheckedTwice(2000),
            aliases: &[
                "featured_image_alt",
                "cover.alt",
                "coverAlt",
                "coverImageAlt",
                "heroImageAlt",
                "hero.alt",
                "image.alt",
                "image_alt",
            ],
            ..TextRules::SIDE
        },
        get: |post| meta(post, |meta| &meta.feature_image_alt),
        set: |post, text| set_meta(post, text, |meta| &mut meta.feature_image_alt),
    }),
    Field::text(StoredText {
        name: "feature_image_caption",
        content: TextContent::Markup(65_535),
        meaning: "Caption of the feature image, HTML.",
        rules: TextRules {
            aliases: &[
                "featured_image_caption",
                "cover.caption",
                "coverCaption",
                "image.caption",
                "image_caption",
                "header.caption",
            ],
            ..TextRules::SIDE
        },
        get: |post| meta(post, |meta| &meta.feature_image_caption),
        set: |post, text| set_meta(post, text, |meta| &mut meta.feature_image_caption),
    }),
];

/// The texts of posts and pages that clients, content files and imports can set.
pub const POST_TEXTS: &[&StoredText<Post>] = &texts::<Post, { text_count(WITH_TEXTS) }>(WITH_TEXTS);

/// The rows that contain these texts.
const WITH_TEXTS: &[&[Field<Post>]] = &[COMMON, SOCIAL, SIDE, POST_ONLY];

const POST_ONLY: &[Field<Post>] = &[email_subject()];

const PAGE_ONLY: &[Field<Post>] = &[show_title()];

/// The recipients of a post's email.
const MAIL: &[Field<Post>] = &[Field::required("email_segment", Text, email_segment).staff_only()];

const MAIL_ONLY: &[Field<Post>] = &[Field::required("email_only", Boolean, |post: &Post| {
    Value::Boolean(post.meta.as_ref().is_some_and(|meta| meta.email_only))
})
.staff_only()];

/// Fields for filters and orders that are not in responses: Ghost's columns (Ghost 6.65, recorded).
/// Some of them are always null.
const COLUMNS: &[Field<Post>] = &[
    Field::required("email_recipient_filter", Text, email_segment)
        .query_only()
        .staff_only(),
    Field::optional("newsletter_id", Text, |post: &Post| {
        post.newsletter.map_or(Value::Null, Value::Id)
    })
    .query_only()
    .staff_only(),
    Field::optional("locale", Text, |_: &Post| Value::Null)
        .query_only()
        .staff_only(),
    // The user who published a post is not stored; the first author is used instead.
    Field::optional("published_by", Text, |post: &Post| {
        let author = post.authors.first().filter(|_| post.is_out());
        author.map_or(Value::Null, |author| Value::Id(*author))
    })
    .query_only()
    .staff_only(),
    Field::optional("auto_excerpt", Text, |_: &Post| Value::Null).query_only(),
];

/// Columns of posts that appear in responses for pages only.
const POST_COLUMNS: &[Field<Post>] = &[show_title().query_only().staff_only(), email_only()];

/// Columns of pages that appear in responses for posts only.
const PAGE_COLUMNS: &[Field<Post>] = &[email_subject().query_only().staff_only(), email_only()];

const fn show_title() -> Field<Post> {
    Field::required("show_title_and_feature_image", Boolean, |post: &Post| {
        Value::Boolean(post.show_title_and_feature_image)
    })
}

const fn email_subject() -> Field<Post> {
    Field::text(StoredText {
        name: "email_subject",
        content: TextContent::Plain(300),
        meaning: "Subject of the mail that contains the post; not for pages.",
        rules: TextRules::SIDE,
        get: |post| meta(post, |meta| &meta.email_subject),
        set: |post, text| set_meta(post, text, |meta| &mut meta.email_subject),
    })
}

/// Always in responses, but null in queries if the metadata is missing (Ghost 6.65, recorded).
const fn email_only() -> Field<Post> {
    Field::side("email_only", Boolean, |post: &Post| {
        let meta = post.meta.as_deref();
        meta.map_or(Value::Null, |meta| Value::Boolean(meta.email_only))
    })
    .query_only()
    .staff_only()
}

fn email_segment(post: &Post) -> Value<'_> {
    post.email_segment.as_deref().unwrap_or("all").into()
}

fn meta(post: &Post, get: fn(&PostMeta) -> &Option<Box<str>>) -> Value<'_> {
    Value::optional_text(post.meta.as_deref().and_then(|meta| get(meta).as_deref()))
}

fn set_meta(post: &mut Post, text: OptionalText, field: fn(&mut PostMeta) -> &mut OptionalText) {
    // Removing a text must not create the metadata: "is not x" holds for posts without metadata, so
    // filters would find other posts.
    if text.is_some() || post.meta.is_some() {
        *field(post.meta.get_or_insert_default()) = text;
    }
}

impl HasSocialMeta for Post {
    const RULES: TextRules = TextRules::SIDE;

    fn social(&self) -> Option<&SocialMeta> {
        self.meta.as_ref().map(|meta| &meta.social)
    }

    fn set_social(&mut self, text: OptionalText, field: fn(&mut SocialMeta) -> &mut OptionalText) {
        // As in `set_meta`, removing a text does not create the metadata.
        if text.is_some() || self.meta.is_some() {
            *field(&mut self.meta.get_or_insert_default().social) = text;
        }
    }
}
