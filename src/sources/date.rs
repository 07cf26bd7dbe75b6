//! Dates as people and generators write them, to the second in UTC.
//!
//! A time without an offset is a time of the site's zone, a date alone is midnight there. Where the clocks are set
//! forward and that time does not exist, it is taken as if they had not been (02:30 becomes 03:30); where a time comes
//! twice, the first is meant. This is RFC 5545's rule. The present time is never asked for.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::fmt::temporal::Pieces;
use jiff::fmt::{rfc2822, strtime};
use jiff::tz::TimeZone;

/// Forms beside RFC 3339 and its shorter relatives, which [`Pieces`] reads, and RFC 2822.
const FORMS: [&str; 16] = [
    "%Y-%m-%d %H:%M:%S %z",
    "%Y-%m-%d %H:%M %z",
    "%Y-%m-%d %H:%M:%S %:z",
    "%Y-%m-%d %H:%M %:z",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d",
    "%Y/%m/%d %H:%M:%S",
    "%Y/%m/%d %H:%M",
    "%Y/%m/%d",
    "%b %d, %Y",
    "%b %d %Y",
    "%d %b %Y",
    "%B %d, %Y",
    "%B %d %Y",
    "%d %B %Y",
];

/// The instant that `text` means, or none if it is no date.
///
/// Accepted are `2025-01-05`, `2025-01-05 10:00`, `2025-01-05 10:00:00 +0100`, `2025-01-05T10:00:00.000Z`, the same with
/// slashes, `Jan 5 2025`, `January 5, 2025`, `5 Jan 2025` and RFC 2822, in the years 1 to 9999. Fractions of a second are
/// dropped.
pub fn parse(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    let text = text
        .strip_suffix(" UTC")
        .or(text.strip_suffix(" GMT"))
        .map_or(text.into(), |time| format!("{time} +0000"));
    let instant = from_pieces(&text, site_zone).or_else(|| from_forms(&text, site_zone))?;
    within_years(instant)
}

/// Midnight of `date` in the site's time zone.
pub(super) fn midnight(date: Date, site_zone: &TimeZone) -> Option<Timestamp> {
    within_years(local(date.to_datetime(Time::midnight()), site_zone)?)
}

fn within_years(instant: Timestamp) -> Option<Timestamp> {
    let whole =
        Timestamp::from_second(instant.as_second() - i64::from(instant.subsec_nanosecond() < 0))
            .ok()?;
    (1..=9999)
        .contains(&whole.to_zoned(TimeZone::UTC).year())
        .then_some(whole)
}

fn local(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    zone.to_ambiguous_timestamp(time).compatible().ok()
}

fn from_pieces(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok()?;
    let time = pieces
        .date()
        .to_datetime(pieces.time().unwrap_or(Time::midnight()));
    if let Some(offset) = pieces.to_numeric_offset() {
        return offset.to_timestamp(time).ok();
    }
    let named_zone = pieces.to_time_zone().ok()?;
    local(time, named_zone.as_ref().unwrap_or(site_zone))
}

fn from_forms(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    if let Ok(zoned) = rfc2822::parse(text) {
        return Some(zoned.timestamp());
    }
    FORMS.iter().find_map(|form| {
        let parsed = strtime::parse(form, text).ok()?;
        if parsed.offset().is_some() {
            return parsed.to_timestamp().ok();
        }
        let date = parsed.to_date().ok()?;
        local(
            date.to_datetime(parsed.to_time().unwrap_or(Time::midnight())),
            site_zone,
        )
    })
}
