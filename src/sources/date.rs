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
const FORMS: [&str; 25] = [
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
    "%Y.%m.%d",
    "%Y-%m-%d %I:%M %p",
    "%B %d, %Y %H:%M",
    "%b %d, %Y %H:%M",
    "%B %d, %Y %I:%M %p",
    "%b %d, %Y %I:%M %p",
    "%A, %B %d, %Y",
    "%a, %b %d, %Y",
    "%a %b %d %Y",
];

/// Words of Eleventy for dates that it looks up in the file system or in git.
const OF_FILE: [&str; 4] = [
    "last modified",
    "created",
    "git last modified",
    "git created",
];

/// The instant that `text` means, or none if it is no date.
///
/// Accepted are `2025-01-05`, `2025-01-05 10:00`, `2025-01-05 10:00:00 +0100`, `2025-01-05T10:00:00.000Z`, the same with
/// slashes, `2025.01.05`, `Jan 5 2025`, `January 5th, 2025 10:00 AM`, `5 Jan 2025`, `Sunday, January 5, 2025` and RFC 2822,
/// in the years 1 to 9999. Fractions of a second are dropped.
pub fn parse(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    let text = text
        .strip_suffix(" UTC")
        .or(text.strip_suffix(" GMT"))
        .map_or(text.into(), |time| format!("{time} +0000"));
    let instant = from_pieces(&text, site_zone)
        .or_else(|| from_forms(&text, site_zone))
        .or_else(|| from_forms(&without_ordinal(&text)?, site_zone))?;
    within_years(instant)
}

/// Whether `text` asks for a date of the file, in the words of Eleventy.
pub(super) fn is_of_file(text: &str) -> bool {
    let text = text.trim();
    OF_FILE.iter().any(|words| words.eq_ignore_ascii_case(text))
}

/// The text with `5` for `5th`; `None` when there is nothing of the kind in it.
fn without_ordinal(text: &str) -> Option<String> {
    let mut has_ordinal = false;
    let words = text.split(' ').map(|word| {
        let (bare, comma) = match word.strip_suffix(',') {
            Some(bare) => (bare, ","),
            None => (word, ""),
        };
        let day = ["st", "nd", "rd", "th"]
            .iter()
            .find_map(|ending| bare.strip_suffix(ending))
            .filter(|day| !day.is_empty() && day.bytes().all(|byte| byte.is_ascii_digit()));
        has_ordinal |= day.is_some();
        format!("{}{comma}", day.unwrap_or(bare))
    });
    let text = words.collect::<Vec<_>>().join(" ");
    has_ordinal.then_some(text)
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
