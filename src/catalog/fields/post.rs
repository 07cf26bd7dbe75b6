//! The fields of posts and pages (specification 2.4; further ones as recorded from Ghost 6.65).

use super::{
    Audience, Field,
    FieldType::{Address, Boolean, Integer, Markup, Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{
    catalog::value::Value,
    domain::post::{Post, PostMeta},
};

/// The fields of posts, to readers.
pub static POSTS: Schema<Post> = Schema {
    name: "posts",
    audience: Audience::Readers,
    fields: &[COMMON, WORKED_OUT, SIDE, POST_ONLY, COLUMNS],
    private: &["show_title_and_feature_image"],
    unknown: UnknownField::Refuse,
};

/// The fields of pages, to readers.
pub static PAGES: Schema<Post> = Schema {
    name: "pages",
    audience: Audience::Readers,
    fields: &[COMMON, WORKED_OUT, SIDE, PAGE_ONLY, COLUMNS],
    private: &["email_subject"],
    unknown: UnknownField::Refuse,
};

/// The fields of posts, to staff.
pub static STAFF_POSTS: Schema<Post> = Schema {
    name: "posts",
    audience: Audience::Staff,
    fields: &[
        COMMON,
        MAIL,
        WORKED_OUT,
        SIDE,
        POST_ONLY,
        MAIL_ONLY,
        COLUMNS,
        POST_COLUMNS,
    ],
    private: HISTORY,
    unknown: UnknownField::Refuse,
};

/// The fields of pages, to staff.
pub static STAFF_PAGES: Schema<Post> = Schema {
    name: "pages",
    audience: Audience::Staff,
    fields: &[COMMON, PAGE_ONLY, WORKED_OUT, SIDE, COLUMNS, PAGE_COLUMNS],
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
    Field::optional("feature_image", Address, |post| {
        Value::optional_text(post.feature_image.as_deref())
    }),
    Field::required("featured", Boolean, |post| Value::Boolean(post.featured)),
    Field::required("status", Text, |post: &Post| post.status.name().into()).staff_only(),
    Field::required("visibility", Text, |post| post.visibility.name().into()),
    Field::required("created_at", Time, |post| Value::Time(post.created_at)),
    Field::required("updated_at", Time, |post| Value::Time(post.updated_at)),
    Field::required("published_at", Time, |post| {
        Value::optional_time(post.published_at)
    }),
    Field::optional("custom_excerpt", Markup, |post| {
        Value::optional_text(post.custom_excerpt.as_deref())
    }),
    Field::optional("codeinjection_head", Markup, |post| {
        Value::optional_text(post.codeinjection_head.as_deref())
    }),
    Field::optional("codeinjection_foot", Markup, |post| {
        Value::optional_text(post.codeinjection_foot.as_deref())
    }),
    Field::optional("custom_template", Text, |post| {
        Value::optional_text(post.custom_template.as_deref())
    }),
    Field::optional("canonical_url", Address, |post| {
        Value::optional_text(post.canonical_url.as_deref())
    }),
    Field::required("type", Text, |post: &Post| post.kind.name().into()).query_only(),
];

const WORKED_OUT: &[Field<Post>] = &[
    Field::view("url", Text, ViewField::Url, false),
    Field::view("excerpt", Markup, ViewField::Excerpt, true),
    Field::view("reading_time", Integer, ViewField::ReadingTime, false),
    Field::view("access", Boolean, ViewField::Access, false).readers_only(),
    Field::view("comments", Boolean, ViewField::Comments, false).readers_only(),
];

const SIDE: &[Field<Post>] = &[
    Field::side("og_image", Address, |post| {
        meta(post, |meta| &meta.og_image)
    }),
    Field::side("og_title", Text, |post| meta(post, |meta| &meta.og_title)),
    Field::side("og_description", Text, |post| {
        meta(post, |meta| &meta.og_description)
    }),
    Field::side("twitter_image", Address, |post| {
        meta(post, |meta| &meta.twitter_image)
    }),
    Field::side("twitter_title", Text, |post| {
        meta(post, |meta| &meta.twitter_title)
    }),
    Field::side("twitter_description", Text, |post| {
        meta(post, |meta| &meta.twitter_description)
    }),
    Field::side("meta_title", Text, |post| {
        meta(post, |meta| &meta.meta_title)
    }),
    Field::side("meta_description", Text, |post| {
        meta(post, |meta| &meta.meta_description)
    }),
    Field::side("frontmatter", Text, |post| {
        meta(post, |meta| &meta.frontmatter)
    }),
    Field::side("feature_image_alt", Text, |post| {
        meta(post, |meta| &meta.feature_image_alt)
    }),
    Field::side("feature_image_caption", Markup, |post| {
        meta(post, |meta| &meta.feature_image_caption)
    }),
];

const POST_ONLY: &[Field<Post>] = &[email_subject()];

const PAGE_ONLY: &[Field<Post>] = &[show_title()];

/// The recipients of a post's email.
const MAIL: &[Field<Post>] = &[Field::required("email_segment", Text, email_segment).staff_only()];

const MAIL_ONLY: &[Field<Post>] = &[Field::required("email_only", Boolean, |post: &Post| {
    Value::Boolean(post.meta.as_ref().is_some_and(|meta| meta.email_only))
})
.staff_only()];

/// Fields for filters and orders that are not in responses: Ghost's columns (Ghost 6.65, recorded).
/// Some are never filled and always null.
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
    // The user who published a post is not stored: its first author is used instead.
    Field::optional("published_by", Text, |post: &Post| {
        let author = post.authors.first().filter(|_| post.is_out());
        author.map_or(Value::Null, |author| Value::Id(*author))
    })
    .query_only()
    .staff_only(),
    Field::optional("auto_excerpt", Text, |_: &Post| Value::Null).query_only(),
];

/// Columns of all posts that are in responses for pages only.
const POST_COLUMNS: &[Field<Post>] = &[show_title().query_only().staff_only(), email_only()];

/// Columns of all posts that are in responses for posts only.
const PAGE_COLUMNS: &[Field<Post>] = &[email_subject().query_only().staff_only(), email_only()];

const fn show_title() -> Field<Post> {
    Field::required("show_title_and_feature_image", Boolean, |post: &Post| {
        Value::Boolean(post.show_title_and_feature_image)
    })
}

const fn email_subject() -> Field<Post> {
    Field::side("email_subject", Text, |post| {
        meta(post, |meta| &meta.email_subject)
    })
}

/// Always in responses; null to queries if the side record is missing (Ghost 6.65, recorded).
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
