//! Writes the values of records, for both APIs.

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use super::{json, listing::written_time};
use crate::{
    catalog::{fields::FieldType, value::Value},
    clock,
    site_urls::SiteUrls,
};

/// Writes one value: an instant in `time_zone`, or in plain UTC; URLs of the site, also in HTML,
/// absolute.
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
            FieldType::Address | FieldType::Markup => {
                json::text(bytes, &site_urls.absolute(&text));
            }
            _ => json::text(bytes, &text),
        },
    }
}

/// Formats an instant as the Content API does for posts and pages: in the site's time zone, with
/// its offset (Ghost 6.65, recorded).
pub fn local_time(time: Timestamp, time_zone: &TimeZone) -> String {
    let zoned = time.to_zoned(time_zone.clone());
    let utc = clock::utc(time);
    match utc.checked_add(SignedDuration::from(zoned.offset())) {
        Ok(local) => format!(
            "{}{}",
            local.strftime("%Y-%m-%dT%H:%M:%S%.3f"),
            zoned.strftime("%:z")
        ),
        // It is the year 10000 there.
        Err(_) => utc.strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string(),
    }
}
