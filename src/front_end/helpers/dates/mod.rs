//! The helper for dates and times: `date`.

mod calendar;
mod format;
mod input;
mod locale;
mod relative;
mod tokens;

use jiff::{Zoned, tz::TimeZone};

use super::{HelperRow, coercion::spelled, languages::Language};
use crate::{
    front_end::PageState,
    templates::{Call, HelperResult, RenderError, Value},
};

pub use self::{format::formatted, locale::find as language};

/// The helpers of this family.
pub const HELPERS: &[HelperRow] = &[HelperRow::inline("date", date)];

/// Writes a date, or the time since it. The date is the argument, or the publication time of the current record. A value that is
/// not a date is replaced by the current time.
fn date(call: &mut Call<PageState>) -> HelperResult {
    let given = match call.arguments() {
        [] => call.property("published_at"),
        [given, ..] => given.clone(),
    };
    let state = call.state();
    let zone = time_zone(call)?;
    let has_zone = zone.is_some();
    // An unknown zone leaves dates in their own offset, and the current time in UTC.
    let now_zone = zone.clone().unwrap_or(TimeZone::UTC);
    let date = match &given {
        Value::Text(text) if input::has_day_after_the_last(text) => {
            return Ok(Value::html(INVALID));
        }
        Value::Text(text) => input::parsed(text),
        Value::Number(number) => input::of_number(*number),
        Value::Time(time) => Some(time.to_zoned(TimeZone::UTC)),
        _ => None,
    };
    let date = date.map(|date| in_zone(date, zone));
    let date = date.unwrap_or_else(|| state.now().to_zoned(now_zone));
    let language = language_of(call)?;
    let text = if call.option("timeago").is_some_and(Value::is_true) {
        relative::relative(date.timestamp(), state.now(), &language)
    } else {
        let format = match call.option("format") {
            None | Some(Value::Undefined) => "ll".to_owned(),
            // An empty format means ISO 8601, with `Z` for an offset of zero (Ghost 6.65, recorded).
            Some(format) if !format.is_some() || spelled(format).is_empty() => {
                match date.offset().seconds() {
                    0 => "YYYY-MM-DDTHH:mm:ss[Z]".to_owned(),
                    _ => "YYYY-MM-DDTHH:mm:ssZ".to_owned(),
                }
            }
            Some(Value::Number(_) | Value::Bool(_)) => {
                return Err(call.error("{{date}} needs a string as format"));
            }
            Some(format) => spelled(format),
        };
        format::written(&date, &format, &language, has_zone)
    };
    Ok(Value::html(text))
}

/// The output for a day that does not exist in its month, such as `2020-02-30`.
const INVALID: &str = "Invalid date";

/// Returns the time zone of the option `timezone`, by default that of the site; `None` if it is unknown.
fn time_zone(call: &Call<PageState>) -> Result<Option<TimeZone>, RenderError> {
    match call.option("timezone") {
        None | Some(Value::Undefined) => Ok(Some(call.state().time_zone.clone())),
        Some(Value::Text(name)) if !name.is_empty() => Ok(TimeZone::get(name).ok()),
        Some(_) => {
            let error = call.error("{{date}} needs the name of a time zone as timezone");
            Err(error.help("Write a name such as timezone=\"Europe/Amsterdam\"."))
        }
    }
}

/// Converts a date to a time zone; without one, the date keeps its offset.
fn in_zone(date: Zoned, zone: Option<TimeZone>) -> Zoned {
    match zone {
        Some(zone) => date.with_time_zone(zone),
        None => date,
    }
}

/// Returns the language of the option `locale`, by default that of the site.
fn language_of(call: &Call<PageState>) -> Result<Language, RenderError> {
    let name = match call.option("locale") {
        None | Some(Value::Undefined) => call.state().locale.clone(),
        Some(Value::Number(_) | Value::Bool(true) | Value::Html(_)) => {
            return Err(call.error("{{date}} needs a string as locale"));
        }
        Some(name) => name.to_string(),
    };
    // moment loads a locale as a file, and refuses names with separators.
    Ok(language(if name.contains(['/', '\\']) {
        "en"
    } else {
        &name
    }))
}

#[cfg(test)]
mod tests;
