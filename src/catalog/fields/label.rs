//! The fields of labels (Ghost 6.65, recorded).

use super::{
    Audience, Field,
    FieldType::{Text, Time},
    Schema, UnknownField,
};
use crate::{catalog::value::Value, domain::label::Label};

/// The fields of labels.
pub static LABELS: Schema<Label> = Schema {
    name: "labels",
    audience: Audience::Staff,
    fields: &[FIELDS],
    private: &[],
    unknown: UnknownField::Refuse,
};

const FIELDS: &[Field<Label>] = &[
    Field::required("id", Text, |label| Value::Id(label.id)),
    Field::required("name", Text, |label| (&*label.name).into()),
    Field::required("slug", Text, |label| (&*label.slug).into()),
    Field::required("created_at", Time, |label| Value::Time(label.created_at)),
    Field::required("updated_at", Time, |label| Value::Time(label.updated_at)),
];
