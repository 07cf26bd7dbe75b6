//! Dates as themes give them: texts in the form of ISO 8601, and as people write them in English.

use jiff::{
    Zoned,
    civil::{Date, DateTime, Time},
    tz::{Offset, TimeZone},
};

/// Returns the time that a text names, in its own offset, or in UTC if it has none; `None` if it is not a date.
pub fn parsed(text: &str) -> Option<Zoned> {
    let text = text.trim();
    iso(text).or_else(|| written(text))
}

/// Reads `2026-03-01`, with or without month, day, time and offset.
fn iso(text: &str) -> Option<Zoned> {
    let (date, rest) = match text.find(['T', ' ']) {
        Some(end) => (&text[..end], Some(&text[end + 1..])),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |month| digits(month, 2))?;
    let day = parts.next().map_or(Some(1), |day| digits(day, 2))?;
    if parts.next().is_some() {
        return None;
    }
    let date = Date::new(year, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    let (time, offset) = rest.map_or(Some((Time::midnight(), Offset::UTC)), time_and_offset)?;
    zoned(date.to_datetime(time), offset)
}

/// Returns a text of so many digits as a number.
fn digits(text: &str, count: usize) -> Option<i16> {
    let is_number = text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

fn zoned(time: DateTime, offset: Offset) -> Option<Zoned> {
    time.to_zoned(TimeZone::fixed(offset)).ok()
}

/// Reads `10:30`, `10:30:15.123Z` or `10:30 +01:00`.
fn time_and_offset(text: &str) -> Option<(Time, Offset)> {
    let end = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (clock, offset) = (text[..end].trim_end(), &text[end..]);
    let offset = match offset {
        "" | "Z" => Offset::UTC,
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
    let nanoseconds = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    Time::new(hour, minute, second, nanoseconds).ok()
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

/// Reads `Mar 1, 2026`, `1 March 2026 10:30`, `Sun, 01 Mar 2026 10:30:00 +0000`, `2026/3/1` and `3/1/2026`.
fn written(text: &str) -> Option<Zoned> {
    let mut date = Written::default();
    for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
        date.add(word)?;
    }
    let (year, month, day) = (date.year?, date.month?, date.day.unwrap_or(1));
    let date_part = Date::new(year, month, day).ok()?;
    let time = date.time.unwrap_or(Time::midnight());
    zoned(
        date_part.to_datetime(time),
        date.offset.unwrap_or(Offset::UTC),
    )
}

/// The parts of a date that have been read.
#[derive(Default)]
struct Written {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Option<Time>,
    offset: Option<Offset>,
}

impl Written {
    /// Reads a word; `None` if it is not a part of a date.
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

/// Returns the month that an English word names, by its first three characters or more.
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
        for text in ["", "nope", "a draft of 3 words", "{}"] {
            assert_eq!(time(text), None, "{text}");
        }
    }
}
