//! The fields of snippets (Ghost 6.65, recorded).

use super::{
    Audience, Field,
    FieldType::{Text, Time},
    Schema, UnknownField, ViewField,
};
use crate::{catalog::value::Value, domain::snippet::Snippet};

/// The fields of snippets, for staff. They are not public.
pub static SNIPPETS: Schema<Snippet> = Schema {
    name: "snippets",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Snippet>] = &[
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
