//! Values of records for templates.

use jiff::tz::TimeZone;

use super::context::ModelContext;
use crate::{
    catalog::{
        fields::{Field, FieldType},
        value,
    },
    clock::local_time,
    templates::Value,
};

/// Returns a field of a record. A time is a string in `time_zone` or, without a time zone, an instant. URLs of the site,
/// including those in HTML, are absolute.
pub(super) fn field_value<R>(
    field: &Field<R>,
    record: &R,
    context: &ModelContext,
    time_zone: Option<&TimeZone>,
) -> Value {
    match field.value(record) {
        value::Value::Null => Value::Null,
        value::Value::Boolean(is_true) => is_true.into(),
        value::Value::Integer(number) => Value::Number(number as f64),
        value::Value::Time(time) => match time_zone {
            Some(time_zone) => local_time(time, time_zone).into(),
            None => time.into(),
        },
        value::Value::Id(id) => id.to_string().into(),
        value::Value::Uuid(uuid) => uuid.to_string().into(),
        value::Value::Text(text) => match field.kind {
            FieldType::Url | FieldType::Markup => context.site_urls.absolute(&text).into(),
            _ => text.into(),
        },
    }
}
