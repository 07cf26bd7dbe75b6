//! Parses dates in the formats of people and generators, to the second in UTC.
//!
//! A time without an offset is in the site's time zone, a date alone is midnight there. A local time that daylight saving
//! skips is shifted forward (02:30 becomes 03:30); a repeated local time means its first occurrence. This is RFC 5545's
//! rule. The current time is never used.

use jiff::{
    SignedDuration, Timestamp,
    civil::{Date, DateTime, Time},
    fmt::{rfc2822, strtime, temporal::Pieces},
    tz::{AmbiguousOffset, TimeZone},
};

use crate::clock::{instant, utc, whole_seconds};

/// Formats other than RFC 2822, RFC 3339, and shorter variants of the latter, which [`Pieces`] parses.
const FORMS: [&str; 30] = [
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
    "%a %b %d %Y %H:%M:%S %z",
    "%Y-%m-%d %H:%M:%S%.f %z",
    "%Y-%m-%d %H:%M:%S%.f %:z",
    "%Y-%m-%dT%H:%M:%S %z",
    "%Y-%m-%dT%H:%M:%S %:z",
];

/// Values of Eleventy for dates from the file system or git.
const OF_FILE: [&str; 4] = [
    "last modified",
    "created",
    "git last modified",
    "git created",
];

/// Parses a date; `None` if `text` is invalid.
///
/// Accepted are `2025-01-05`, `2025-01-05 10:00`, `2025-01-05 10:00:00 +0100`, `2025-01-05T10:00:00.000Z`, the same with
/// slashes, `2025.01.05`, `Jan 5 2025`, `January 5th, 2025 10:00 AM`, `5 Jan 2025`, `Sunday, January 5, 2025` and RFC 2822,
/// in the years 1 to 9999. Fractions of a second are dropped.
pub fn parse(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    let text = text.trim();
    // The forms have offsets, but no names of zones.
    let text = ["UTC", "GMT", "Z"]
        .iter()
        .find_map(|zone| text.strip_suffix(zone)?.strip_suffix(' '))
        .map_or(text.into(), |time| format!("{time} +0000"));
    let text = padded(&text).unwrap_or(text);
    // From the strictest syntax to the most lenient: the first one that matches wins.
    let instant = from_pieces(&text, site_zone)
        .or_else(|| from_forms(&text, site_zone))
        .or_else(|| from_forms(&tidy(&text), site_zone))
        .or_else(|| from_named_zone(&text))?;
    within_years(instant)
}

/// Parses a date like JavaScript's YAML parsers, which carry excess seconds, minutes and hours over to the next unit:
/// `2021-04-10 15:05:98` is 15:06:38. `None` if `text` has a different format.
pub fn parse_excess(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    let (date, time) = text.trim().split_once(['T', 't', ' '])?;
    // Ruby's parser also accepts `2020-07-18-T14:01:27-05:00`.
    let date = date.trim_end_matches('-');
    let end = time
        .find(|character: char| !character.is_ascii_digit() && character != ':')
        .unwrap_or(time.len());
    let (time, zone) = time.split_at(end);
    let numbers: Vec<i64> = time
        .split(':')
        .map(|number| number.parse().ok().filter(|_| number.len() <= 2))
        .collect::<Option<_>>()?;
    let &[hours, minutes, seconds] = numbers.as_slice() else {
        return None;
    };
    let midnight = parse(&format!("{date}T00:00:00{zone}"), site_zone)?;
    let passed = SignedDuration::from_secs((hours * 60 + minutes) * 60 + seconds);
    within_years(midnight.checked_add(passed).ok()?)
}

/// Parses `2025-01-05 10:00:00 Europe/Amsterdam`.
fn from_named_zone(text: &str) -> Option<Timestamp> {
    let (time, name) = text.rsplit_once(' ')?;
    let zone = name.contains('/').then(|| TimeZone::get(name).ok())??;
    from_pieces(time, &zone)
}

/// Pads month and day to two digits, since YAML permits one digit: `2025-1-5T10:00:00Z`.
fn padded(text: &str) -> Option<String> {
    let end = text.find(['T', 't', ' ']).unwrap_or(text.len());
    let mut numbers = text[..end].split('-');
    let [year, month, day] = [numbers.next()?, numbers.next()?, numbers.next()?];
    let is_short = |number: &str, max| {
        (1..=max).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_date = is_short(year, 4) && is_short(month, 2) && is_short(day, 2);
    (is_date && numbers.next().is_none())
        .then(|| format!("{year}-{month:0>2}-{day:0>2}{}", &text[end..]))
}

/// Returns whether `text` is one of Eleventy's values for the date of the file.
pub(super) fn is_of_file(text: &str) -> bool {
    let text = text.trim();
    OF_FILE.iter().any(|words| words.eq_ignore_ascii_case(text))
}

/// Normalises a date to the formats of [`FORMS`]: `5` for `5th`, `5.` and `5th of`, `Sep` for `Sept`, and an offset without
/// the zone names that some programs write next to it.
fn tidy(text: &str) -> String {
    // JavaScript's `Date` appends a name: `GMT+0100 (Central European Standard Time)`.
    let text = text.split(" (").next().unwrap_or_default();
    let is_offset = |word: &str| {
        word.starts_with(['+', '-']) && word[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    let text = match text.rsplit_once(' ') {
        Some((time, name)) if name.bytes().all(|byte| byte.is_ascii_uppercase()) => {
            // In `+0100 CET`, the offset counts.
            let has_offset = time.rsplit(' ').next().is_some_and(is_offset);
            if has_offset { time } else { text }
        }
        _ => text,
    };
    let words = text.split(' ').filter(|word| *word != "of").map(|word| {
        if let Some(offset) = word.strip_prefix("GMT").filter(|offset| is_offset(offset)) {
            return offset.to_owned();
        }
        let (bare, comma) = match word.strip_suffix(',') {
            Some(bare) => (bare, ","),
            None => (word, ""),
        };
        let day = ["st", "nd", "rd", "th", "."]
            .iter()
            .find_map(|ending| bare.strip_suffix(ending))
            .filter(|day| !day.is_empty() && day.bytes().all(|byte| byte.is_ascii_digit()));
        let bare = match bare.trim_end_matches('.') {
            "Sept" => "Sep",
            _ => day.unwrap_or(bare),
        };
        format!("{bare}{comma}")
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Returns midnight of `date` in the site's time zone.
pub(super) fn midnight(date: Date, site_zone: &TimeZone) -> Option<Timestamp> {
    within_years(local(date.to_datetime(Time::midnight()), site_zone)?)
}

fn within_years(instant: Timestamp) -> Option<Timestamp> {
    let whole = whole_seconds(instant);
    (1..=9999).contains(&utc(whole).year()).then_some(whole)
}

fn local(time: DateTime, zone: &TimeZone) -> Option<Timestamp> {
    let found = zone.to_ambiguous_timestamp(time);
    match found.offset() {
        AmbiguousOffset::Unambiguous { offset } => instant(time, offset),
        _ => found.compatible().ok(),
    }
}

fn from_pieces(text: &str, site_zone: &TimeZone) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok()?;
    let time = pieces
        .date()
        .to_datetime(pieces.time().unwrap_or(Time::midnight()));
    if let Some(offset) = pieces.to_numeric_offset() {
        return instant(time, offset);
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
        if let Some(offset) = parsed.offset() {
            return instant(parsed.to_datetime().ok()?, offset);
        }
        let date = parsed.to_date().ok()?;
        local(
            date.to_datetime(parsed.to_time().unwrap_or(Time::midnight())),
            site_zone,
        )
    })
}
