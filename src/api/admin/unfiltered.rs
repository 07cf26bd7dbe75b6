//! Filters of lists without fields to filter by: a filter must be valid, but restricts nothing.

use super::Request;
use crate::{
    api::listing::{self, FilterRules},
    catalog::{
        fields::{ApiKind, Field, FieldType::Time, Schema, UnknownField},
        filter::Filterable,
        value::Value,
    },
    error::Result,
};

/// The type of the records in a list without fields to filter by.
struct UnfilteredRecord;

impl Filterable for UnfilteredRecord {}

static UNFILTERED: Schema<UnfilteredRecord> = Schema {
    name: "records",
    api: ApiKind::Admin,
    fields: &[TIMES],
    private: &[],
    unknown: UnknownField::Ignore,
};

const TIMES: &[Field<UnfilteredRecord>] = &[
    Field::optional("created_at", Time, |_| Value::Null).query_only(),
    Field::optional("updated_at", Time, |_| Value::Null).query_only(),
    Field::optional("failed_at", Time, |_| Value::Null).query_only(),
];

/// Checks a filter that restricts nothing.
///
/// # Errors
///
/// `BadRequest` if the filter does not parse, `Validation` if it compares a time with a value that is not a date.
pub fn check(request: &Request, filter: &str) -> Result<()> {
    let rules = FilterRules::of_fields(&UNFILTERED);
    listing::filter(&request.snapshot.catalog, request.now, filter, &rules).map(drop)
}
