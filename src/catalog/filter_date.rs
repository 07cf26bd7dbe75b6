//! Dates in filters, in the notations that Ghost 6.65 accepts on MySQL (recorded).
//!
//! A text is a date only if all of it can be parsed. Trailing text, missing parts and dates that
//! are not in the calendar are errors, so that a mistake is reported instead of matching nothing.

use std::str::FromStr;

use jiff::{
    Timestamp,
    civil::{Date, DateTime, Time},
    tz::Offset,
};

use crate::clock::{self, whole_milliseconds};

/// Parses `2024-01-31`, `2024/1/31` or `20240131`, optionally with a time of day: `T` or blanks;
/// hours, minutes and seconds, of which the last ones may be missing; and `Z` or an offset. The
/// default is UTC. Two-digit years are from 1970 to 2069. Milliseconds are significant, because
/// dates of change have them; finer fractions are truncated. Times outside the range of
/// [`Timestamp`] are clamped.
pub fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let begins_time = |c: char| matches!(c, 'T' | 't') || c.is_whitespace();
    let (day, time, offset) = match text.split_once(begins_time) {
        // Only the time is searched for a zone: the `-` in a date is not an offset.
        Some((day, time)) => {
            let (time, zone) = time.split_at(time.find(begins_zone).unwrap_or(time.len()));
            (day, time_of_day(time.trim())?, offset(zone)?)
        }
        // The text must be ASCII, so that the split is on a character boundary.
        None if text.len() == "20240131235959".len() && text.is_ascii() => {
            let (day, time) = text.split_at("20240131".len());
            (day, time_of_day(time)?, Offset::UTC)
        }
        None => (text, Time::midnight(), Offset::UTC),
    };
    let local = date(day)?.to_datetime(time);
    Some(whole_milliseconds(instant(local, offset)))
}

fn instant(local: DateTime, offset: Offset) -> Timestamp {
    // The only local times without an instant are at the ends of the calendar, so the sign of the
    // year decides which end is meant.
    let nearest = if local.year() > 0 {
        Timestamp::MAX
    } else {
        Timestamp::MIN
    };
    clock::instant(local, offset).unwrap_or(nearest)
}

fn date(text: &str) -> Option<Date> {
    let separator = text.find(|c: char| !c.is_ascii_digit());
    let (year, month, day) = match separator.and_then(|offset| text[offset..].chars().next()) {
        Some(separator @ ('-' | '/' | '.')) => {
            let (year, rest) = text.split_once(separator)?;
            let (month, day) = rest.split_once(separator)?;
            (year, month, day)
        }
        None if text.len() == "20240131".len() => (&text[..4], &text[4..6], &text[6..]),
        _ => return None,
    };
    let number: i16 = digits(year, 4)?;
    let year = match (year.len(), number) {
        (4, _) => number,
        // MySQL's rule for two-digit years.
        (2, 70..) => 1900 + number,
        (2, _) => 2000 + number,
        _ => return None,
    };
    Date::new(year, digits(month, 2)?, digits(day, 2)?).ok()
}

/// Parses `9`, `9:30`, `09:30:15`, `09:30:15.25` or `093015`.
fn time_of_day(text: &str) -> Option<Time> {
    if text.len() == "093015".len() && digits::<u32>(text, 6).is_some() {
        return time(&text[..2], &text[2..4], &text[4..], 0);
    }
    let mut parts = text.splitn(3, ':');
    let hours = parts.next()?;
    let minutes = parts.next().unwrap_or("0");
    let (seconds, fraction) = match parts.next() {
        Some(seconds) => seconds.split_once('.').unwrap_or((seconds, "")),
        None => ("0", ""),
    };
    time(hours, minutes, seconds, nanoseconds(fraction)?)
}

/// Parses the digits of a fraction of a second; any number of digits is accepted.
fn nanoseconds(fraction: &str) -> Option<i32> {
    let is_fraction = fraction.bytes().all(|byte| byte.is_ascii_digit());
    // Padded or truncated to nine digits, which are nanoseconds.
    is_fraction.then(|| format!("{fraction:0<9.9}").parse().ok())?
}

fn time(hours: &str, minutes: &str, seconds: &str, nanoseconds: i32) -> Option<Time> {
    Time::new(
        digits(hours, 2)?,
        digits(minutes, 2)?,
        digits(seconds, 2)?,
        nanoseconds,
    )
    .ok()
}

fn begins_zone(character: char) -> bool {
    matches!(character, 'Z' | 'z' | '+' | '-')
}

/// Parses an empty text, `Z`, `+02:00`, `+0200` or `+02`. Offsets are limited to 14 hours, as in
/// time zones.
fn offset(text: &str) -> Option<Offset> {
    let (sign, size) = match text.as_bytes().first() {
        None => return Some(Offset::UTC),
        Some(b'+') => (1, &text[1..]),
        Some(b'-') => (-1, &text[1..]),
        Some(_) => return (text.len() == 1).then_some(Offset::UTC),
    };
    let (hours, minutes) = match size.len() {
        5 => size.split_once(':')?,
        4 => size.split_at_checked(2)?,
        _ => (size, "00"),
    };
    let is_padded = hours.len() == 2 && minutes.len() == 2;
    let (hours, minutes): (i32, i32) = (digits(hours, 2)?, digits(minutes, 2)?);
    let in_minutes = hours * 60 + minutes;
    if !is_padded || minutes >= 60 || in_minutes > 14 * 60 {
        return None;
    }
    Offset::from_seconds(sign * in_minutes * 60).ok()
}

/// Parses a number of one to `length_max` digits.
fn digits<N: FromStr>(text: &str, length_max: usize) -> Option<N> {
    let is_number = text.len() <= length_max && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_date_is_read_as_its_time() {
        for (text, time) in [
            ("2024-01-02", "2024-01-02T00:00:00Z"),
            ("2024-1-2", "2024-01-02T00:00:00Z"),
            ("2024/01/02", "2024-01-02T00:00:00Z"),
            ("20240102", "2024-01-02T00:00:00Z"),
            ("24-01-02", "2024-01-02T00:00:00Z"),
            ("70-01-02", "1970-01-02T00:00:00Z"),
            (" 2024-01-02  ", "2024-01-02T00:00:00Z"),
            ("2024-01-02 9:05", "2024-01-02T09:05:00Z"),
            ("2024-01-02T10:30:15", "2024-01-02T10:30:15Z"),
            ("2024-01-02T10:30:15.9999Z", "2024-01-02T10:30:15.999Z"),
            ("2024-01-02T10:30:15.02Z", "2024-01-02T10:30:15.02Z"),
            ("2024-01-02T10:30:15.Z", "2024-01-02T10:30:15Z"),
            ("2024-01-02T10:30Z", "2024-01-02T10:30:00Z"),
            ("2024-01-02T12:30:15+02:00", "2024-01-02T10:30:15Z"),
            ("2024-01-02t00:30:15-0130", "2024-01-02T02:00:15Z"),
            ("20240102T103015Z", "2024-01-02T10:30:15Z"),
            ("20240102103015", "2024-01-02T10:30:15Z"),
            ("2024-02-29", "2024-02-29T00:00:00Z"),
            ("0001-01-01", "0001-01-01T00:00:00Z"),
        ] {
            assert_eq!(parse(text), Some(time.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn a_time_beyond_all_timestamps_becomes_the_last_one() {
        let last = whole_milliseconds(Timestamp::MAX);

        let read = parse("9999-12-31T23:59:59.999Z").unwrap();
        assert_eq!(clock::written(read), "9999-12-31T23:59:59Z");
        assert!(read < last);
        assert_eq!(parse("9999-12-31T23:59:59-01:00"), Some(last));
    }

    #[test]
    fn text_that_is_not_a_date_is_not_read() {
        for text in [
            "",
            " ",
            "undefined",
            "null",
            "garbage",
            "now",
            "now-7d",
            "Today",
            "2024",
            "2024-03",
            "202403",
            "2024-02-31",
            "2023-02-29",
            "2024-13-01",
            "2024-00-01",
            "2024-01/01",
            "224-01-01",
            "2024-001-01",
            "2024--1-1",
            "2024-01-01-01",
            "2024-01-01x",
            "2024-01-01T",
            "2024-01-01 24:00:00",
            "2024-01-01 10:60",
            "2024-01-01 10:30:60",
            "2024-01-01 10:30:15:00",
            "2024-01-01 10:30:15.x",
            "2024-01-01 10:30:15 02:00",
            "2024-01-01 10:30:15+2",
            "2024-01-01 10:30:15+14:01",
            "2024-01-01 10:30:15+02:60",
            "2024-01-01 10:30:15Zulu",
            "2024-01-01 +02:00",
            "Mon, 01 Jan 2024 00:00:00 GMT",
            "1704067200",
            "1704067200000",
            "٢٠٢٤-٠١-٠١",
            "２０２４０１０１",
            "ééééééé",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
