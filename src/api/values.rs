//! Writes the values of records, for both APIs.

use jiff::tz::TimeZone;

use super::json;
use crate::{
    catalog::{fields::FieldType, value::Value},
    clock::{local_time, written_time},
    site_urls::SiteUrls,
};

/// Writes a value. Instants are written in `time_zone`, by default in UTC. URLs of the site are made
/// absolute, also in HTML.
pub fn write(
    bytes: &mut Vec<u8>,
    kind: FieldType,
    value: Value,
    site_urls: &SiteUrls,
    time_zone: Option<&TimeZone>,
) {
    match value {
        Value::Null => bytes.extend_from_slice(b"null"),
        Value::Boolean(value) => json::value(bytes, value),
        Value::Integer(value) => json::value(bytes, value),
        Value::Time(time) => {
            let raw = match time_zone {
                Some(time_zone) => local_time(time, time_zone),
                None => written_time(time),
            };
            json::text(bytes, &raw);
        }
        Value::Id(id) => json::value(bytes, id),
        Value::Uuid(uuid) => json::value(bytes, uuid),
        Value::Text(text) => match kind {
            FieldType::Url | FieldType::Markup => {
                json::text(bytes, &site_urls.absolute(&text));
            }
            _ => json::text(bytes, &text),
        },
    }
}
