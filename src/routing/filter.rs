//! Filters of collections.

use jiff::Timestamp;

use crate::{
    catalog::{
        Catalog,
        fields::{
            ApiKind, Field,
            FieldType::{Boolean, Text, Time},
            Schema, UnknownField,
        },
        filter::{Filter, FilterScope},
        relation::Relations,
        value::Value,
    },
    domain::post::Post,
    nql::{self, GroupUse},
};

/// The fields of a post that a collection's filter may use. Any other field is null in these filters (Ghost 6.65, observed).
static FIELDS: Schema<Post> = Schema {
    name: "posts",
    api: ApiKind::Admin,
    fields: &[&[
        Field::required("id", Text, |post| Value::Id(post.id)),
        Field::required("uuid", Text, |post| Value::Uuid(post.uuid)),
        Field::required("slug", Text, |post| (&*post.slug).into()),
        Field::required("type", Text, |_| "post".into()),
        Field::required("page", Boolean, |_| Value::Boolean(false)),
        Field::required("featured", Boolean, |post| Value::Boolean(post.featured)),
        Field::required("visibility", Text, |post| post.visibility.name().into()),
        Field::required("created_at", Time, |post| Value::Time(post.created_at)),
        Field::required("updated_at", Time, |post| Value::Time(post.updated_at)),
        Field::required("published_at", Time, |post| {
            Value::optional_time(post.published_at)
        }),
        Field::optional("feature_image", Text, |post| {
            Value::optional_text(post.feature_image.as_deref())
        }),
        Field::optional("canonical_url", Text, |post| {
            Value::optional_text(post.canonical_url.as_deref())
        }),
    ]],
    private: &[],
    unknown: UnknownField::Null,
};

/// Compiles the filter of a collection. A filter that cannot be used matches nothing (Ghost 6.65, observed).
pub(super) fn compile(text: &str, catalog: &Catalog, now: Timestamp) -> Filter<Post> {
    // Ghost tests posts against these filters in memory (6.65, recorded).
    let read = nql::without_doubled_groups(text, GroupUse::Test);
    let text = read.as_deref().unwrap_or(text);
    let Ok(expression) = nql::parse(text) else {
        return Filter::Nothing;
    };
    let scope = FilterScope {
        schema: &FIELDS,
        relations: Relations::OfPosts,
        catalog,
        now,
        text,
    };
    match Filter::compile(&expression, &scope) {
        Ok(Some(filter)) => filter,
        // Only conditions on private fields were removed, so every post matches.
        Ok(None) => Filter::All(Vec::new()),
        Err(_) => Filter::Nothing,
    }
}
