//! Parsing of the dates that themes pass: ISO 8601, and the usual English forms.

use std::ops::RangeInclusive;

use jiff::{
    Timestamp, Zoned,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};

/// The year of a date that has only a month and a day, as in browsers.
const YEAR_DEFAULT: i16 = 2001;

/// The latest year that browsers accept.
const YEAR_MAX: f64 = 275_760.0;

/// Parses a time in its own offset, or in UTC if it has none; `None` if `text` is not a date.
pub fn parsed(text: &str) -> Option<Zoned> {
    let text = text.trim();
    iso(text).or_else(|| written(text))
}

/// Returns the time `number` milliseconds after the start of 1970. As in Ghost 6.65, a number is accepted only if its digits
/// would parse as a date too: as a month or a year.
pub fn of_number(number: f64) -> Option<Zoned> {
    let written = number.trunc().abs();
    // The digits are parsed as a month (up to 12) or a year; 13 to 31 are neither.
    let is_date = written <= 12.0 || (32.0..=YEAR_MAX).contains(&written);
    let time = Timestamp::from_millisecond(number as i64).ok()?;
    is_date.then(|| time.to_zoned(TimeZone::UTC))
}

/// Returns whether the day of a date such as `2026-02-30` does not exist in its month, but does in another month.
pub fn has_day_after_the_last(text: &str) -> bool {
    let date = text.split(['T', 't', ' ']).next().unwrap_or_default();
    let mut parts = date.split('-');
    let part = |part: Option<&str>, count| part.and_then(|part| digits(part, count..=count));
    let (year, month, day) = (
        part(parts.next(), 4),
        part(parts.next(), 2),
        part(parts.next(), 2),
    );
    match (year, month, day) {
        (Some(year), Some(month @ 1..=12), Some(day @ 29..=31)) => {
            Date::new(year, month as i8, day as i8).is_err()
        }
        _ => false,
    }
}

/// Parses `2026-03-01`, with or without month, day, time and offset, and the forms `2026-3-1` and `2026.03.01`.
fn iso(text: &str) -> Option<Zoned> {
    let (date, rest) = match text.find(['T', 't', ' ']) {
        Some(end) => (&text[..end], Some(&text[end + 1..])),
        None => (text, None),
    };
    let mut parts = date.split(['-', '.']);
    let year = digits(parts.next()?, 4..=4)?;
    let month = parts.next().map_or(Some(1), |month| digits(month, 1..=2))?;
    let day = parts.next().map_or(Some(1), |day| digits(day, 1..=2))?;
    if parts.next().is_some() {
        return None;
    }
    let date = Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let Some(rest) = rest else {
        return zoned(date.to_datetime(Time::midnight()), Offset::UTC);
    };
    // ISO 8601 allows 24:00 for the end of a day; `Time` does not.
    if let Some(offset) = rest.strip_prefix("24:00") {
        let offset = offset.strip_prefix(":00").unwrap_or(offset);
        let (_, offset) = time_and_offset(&format!("00:00{offset}"))?;
        return zoned(date.tomorrow().ok()?.to_datetime(Time::midnight()), offset);
    }
    let (time, offset) = time_and_offset(rest)?;
    zoned(date.to_datetime(time), offset)
}

/// Parses a number if the count of its digits is within `count`.
fn digits(text: &str, count: RangeInclusive<usize>) -> Option<i16> {
    let is_number = count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn zoned(time: DateTime, offset: Offset) -> Option<Zoned> {
    time.to_zoned(TimeZone::fixed(offset)).ok()
}

/// Parses `10:30`, `10:30:15.123Z` or `10:30 +01:00`.
fn time_and_offset(text: &str) -> Option<(Time, Offset)> {
    let end = text.find(['Z', 'z', '+', '-']).unwrap_or(text.len());
    let (clock, offset) = (text[..end].trim_end(), &text[end..]);
    let offset = match offset {
        "" | "Z" | "z" => Offset::UTC,
        other => numbered_offset(other)?,
    };
    Some((clock_time(clock)?, offset))
}

fn clock_time(text: &str) -> Option<Time> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let mut parts = clock.split(':').map(|part| part.parse::<i8>().ok());
    let hour = parts.next()??;
    let minute = parts.next()??;
    let second = parts.next().unwrap_or(Some(0))?;
    Time::new(hour, minute, second, nanoseconds(fraction)?).ok()
}

/// Converts the decimals of a second to nanoseconds, ignoring those after the ninth.
fn nanoseconds(fraction: &str) -> Option<i32> {
    let digits = fraction.get(..fraction.len().min(9))?;
    let number: i32 = match digits {
        "" => 0,
        digits => digits.parse().ok()?,
    };
    Some(number * 10_i32.pow(9 - digits.len() as u32))
}

fn numbered_offset(text: &str) -> Option<Offset> {
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text[1..].replace(':', "");
    let (hours, minutes) = (
        digits.get(..2)?.parse::<i32>().ok()?,
        digits.get(2..4)?.parse::<i32>().ok()?,
    );
    Offset::from_seconds(sign * (hours * 3_600 + minutes * 60)).ok()
}

/// Parses `Mar 1, 2026`, `1 March 2026 10:30`, `Sun, 01 Mar 2026 10:30:00 +0000`, `2026/3/1` and `3/1/2026`.
fn written(text: &str) -> Option<Zoned> {
    let mut date = Written::default();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        date.add(word)?;
    }
    let year = date.year.or(date.day.map(|_| YEAR_DEFAULT))?;
    let (month, day) = (date.month?, date.day.unwrap_or(1));
    let date_part = Date::new(year, month, day).ok()?;
    let time = date.time.unwrap_or(Time::midnight());
    zoned(
        date_part.to_datetime(time),
        date.offset.unwrap_or(Offset::UTC),
    )
}

/// The parts of a date that have been parsed.
#[derive(Default)]
struct Written {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Option<Time>,
    offset: Option<Offset>,
}

impl Written {
    /// Adds a word; `None` if it is not a part of a date.
    fn add(&mut self, word: &str) -> Option<()> {
        let lower = word.to_ascii_lowercase();
        let characters = lower.trim_end_matches('.');
        let number = || word.parse::<i16>().ok();
        if let Some(month) = month_named(characters) {
            self.month = Some(month);
        } else if is_weekday(characters) {
        } else if matches!(characters, "am" | "pm") {
            self.time = Some(in_half(self.time?, characters == "pm")?);
        } else if matches!(characters, "z" | "gmt" | "utc") {
            self.offset = Some(Offset::UTC);
        } else if word.starts_with(['+', '-']) {
            self.offset = Some(numbered_offset(word)?);
        } else if word.contains(':') {
            self.time = Some(clock_time(word)?);
        } else if word.contains('/') {
            self.slashed(word)?;
        } else if let Some(day) =
            number().filter(|day| (1..=31).contains(day) && self.day.is_none())
        {
            // The first number up to 31 is the day; a later one could only be a year, which is
            // above 31.
            self.day = i8::try_from(day).ok();
        } else {
            self.year = Some(number().filter(|year| *year > 31)?);
        }
        Some(())
    }

    fn slashed(&mut self, word: &str) -> Option<()> {
        let parts: Vec<i16> = word
            .split('/')
            .map_while(|part| part.parse().ok())
            .collect();
        let [one, two, three] = *parts.as_slice() else {
            return None;
        };
        // A year comes first or last; otherwise, the month comes first, as in American dates.
        let (year, month, day) = if one > 31 {
            (one, two, three)
        } else {
            (three, one, two)
        };
        self.year = Some(year);
        self.month = Some(month.try_into().ok()?);
        self.day = Some(day.try_into().ok()?);
        Some(())
    }
}

/// Returns the month with an English name that begins with `word`, which has at least three characters.
fn month_named(word: &str) -> Option<i8> {
    let months = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let index = months
        .iter()
        .position(|month| word.len() >= 3 && month.starts_with(word))?;
    i8::try_from(index + 1).ok()
}

fn is_weekday(word: &str) -> bool {
    let days = [
        "sunday",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
    ];
    word.len() >= 3 && days.iter().any(|day| day.starts_with(word))
}

fn in_half(time: Time, is_afternoon: bool) -> Option<Time> {
    let hour = time.hour() % 12 + if is_afternoon { 12 } else { 0 };
    Time::new(hour, time.minute(), time.second(), 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_have_several_forms() {
        let time = |text: &str| parsed(text).map(|date| date.timestamp().to_string());
        let midnight = Some("2019-02-03T00:00:00Z".to_owned());
        for text in [
            "2019-02-03",
            "Feb 3, 2019",
            "3 February 2019",
            "2019/02/03",
            "2/3/2019",
            "Sun, 03 Feb 2019 00:00:00 +0000",
        ] {
            assert_eq!(time(text), midnight, "{text}");
        }
        assert_eq!(
            time("2020-02-29T12:00:00+09:00").as_deref(),
            Some("2020-02-29T03:00:00Z")
        );
        assert_eq!(
            time("2026-03-03T00:30:00.000+01:00").as_deref(),
            Some("2026-03-02T23:30:00Z")
        );
        assert_eq!(time("2019").as_deref(), Some("2019-01-01T00:00:00Z"));
        let twelfth = Some("2020-02-12T00:00:00Z");
        for text in ["2020-2-12", "2020.02.12", "2020-02-11T24:00:00Z"] {
            assert_eq!(time(text).as_deref(), twelfth, "{text}");
        }
        assert_eq!(time("Jan 2").as_deref(), Some("2001-01-02T00:00:00Z"));
        let texts = [
            "",
            "nope",
            "a draft of 3 words",
            "{}",
            "29.02.2020",
            "2020-13-01",
        ];
        for text in texts {
            assert_eq!(time(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_times_if_they_are_written_like_months_or_years() {
        let time = |number| of_number(number).map(|date| date.timestamp().to_string());
        assert_eq!(time(0.0).as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(time(-5.0).as_deref(), Some("1969-12-31T23:59:59.995Z"));
        assert_eq!(time(2020.0).as_deref(), Some("1970-01-01T00:00:02.02Z"));
        assert_eq!(time(13.0), None);
        assert_eq!(time(1_582_934_400_000.0), None);
    }

    #[test]
    fn days_after_the_last_of_their_month_are_known() {
        for (text, is_after) in [
            ("2020-02-30", true),
            ("2019-02-29T10:00:00Z", true),
            ("2020-02-29", false),
            ("2020-02-32", false),
            ("2020-13-30", false),
            ("nope", false),
        ] {
            assert_eq!(has_day_after_the_last(text), is_after, "{text}");
        }
    }
}
