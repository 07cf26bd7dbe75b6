//! Instants up to the end of the year 9999: their fractions and their text form.

use jiff::{
    SignedDuration, Timestamp,
    civil::DateTime,
    fmt::temporal::Pieces,
    tz::{Offset, TimeZone},
};

/// Returns `time` truncated to the second.
pub fn whole_seconds(time: Timestamp) -> Timestamp {
    cut(time, SignedDuration::from_secs(1))
}

/// Returns `time` truncated to the millisecond.
pub fn whole_milliseconds(time: Timestamp) -> Timestamp {
    cut(time, SignedDuration::from_millis(1))
}

fn cut(time: Timestamp, unit: SignedDuration) -> Timestamp {
    // The fraction of such an instant is a number of seconds.
    if seconds_beyond(time) > 0 {
        return time;
    }
    let rest = time.as_nanosecond().rem_euclid(unit.as_nanos());
    Timestamp::from_nanosecond(time.as_nanosecond() - rest).unwrap_or(time)
}

/// The last second of the year 9999 in UTC, which is the latest time of a record.
const LAST_SECOND: DateTime = DateTime::constant(9999, 12, 31, 23, 59, 59, 0);

/// Seconds from the last second of a [`Timestamp`], `9999-12-30T22:00:00Z`, to [`LAST_SECOND`].
const SECONDS_BEYOND_MAX: i32 = 26 * 60 * 60 - 1;

/// Returns the instant of a local time, within the range of a [`Timestamp`] and up to the end of 9999 in UTC; `None` for
/// other times.
///
/// A [`Timestamp`] ends 26 hours before the end of 9999, and people use the last second of that year for "never". So an
/// instant in those hours is represented by the last second of a timestamp plus one nanosecond for each second beyond it.
/// It can be stored, compared and sorted like other instants, which have no fraction in that second, and [`utc`] returns
/// its date.
pub fn instant(local: DateTime, offset: Offset) -> Option<Timestamp> {
    let last = Timestamp::MAX.as_second();
    match offset.to_timestamp(local) {
        // Without its fraction, which would be read as seconds beyond this one.
        Ok(time) if time.as_second() == last => Timestamp::from_second(last).ok(),
        Ok(time) => Some(time),
        Err(_) => {
            let in_utc = local.checked_sub(SignedDuration::from(offset)).ok()?;
            let left = LAST_SECOND.duration_since(in_utc.with().subsec_nanosecond(0).build().ok()?);
            let beyond = SECONDS_BEYOND_MAX - i32::try_from(left.as_secs()).ok()?;
            Timestamp::new(last, (beyond > 0).then_some(beyond)?).ok()
        }
    }
}

/// Returns the date and time of an [`instant`] in UTC.
pub fn utc(time: Timestamp) -> DateTime {
    let civil = Offset::UTC.to_datetime(time);
    match seconds_beyond(time) {
        0 => civil,
        seconds => LAST_SECOND - SignedDuration::from_secs((SECONDS_BEYOND_MAX - seconds).into()),
    }
}

/// Returns the number of seconds by which an [`instant`] exceeds the last second of a [`Timestamp`].
fn seconds_beyond(time: Timestamp) -> i32 {
    match time.subsec_nanosecond() {
        seconds @ 0..=SECONDS_BEYOND_MAX if time.as_second() == Timestamp::MAX.as_second() => {
            seconds
        }
        _ => 0,
    }
}

/// Formats an instant to the second, as in RFC 3339: `2025-01-05T10:00:00Z`.
pub fn written(time: Timestamp) -> String {
    format!("{}Z", utc(whole_seconds(time)))
}

/// Formats an instant with the milliseconds that clients expect (Ghost 6.65, recorded).
pub fn written_time(time: Timestamp) -> String {
    let mut text = to_milliseconds(utc(time));
    text.push('Z');
    text
}

/// Formats an instant in a time zone, with its offset, as in the dates of posts and pages (Ghost 6.65, recorded).
pub fn local_time(time: Timestamp, time_zone: &TimeZone) -> String {
    let offset = time_zone.to_offset(time);
    let utc = utc(time);
    match utc.checked_add(SignedDuration::from(offset)) {
        Ok(local) => {
            let sign = if offset.is_negative() { '-' } else { '+' };
            let minutes = offset.seconds().unsigned_abs() / 60;
            let mut text = to_milliseconds(local);
            text.push(sign);
            push_digits(&mut text, minutes / 60, 2);
            text.push(':');
            push_digits(&mut text, minutes % 60, 2);
            text
        }
        // The local time is in the year 10000.
        Err(_) => to_milliseconds(utc) + "+00:00",
    }
}

/// The length of a time with its offset: `2025-01-05T10:00:00.000+01:00`.
const LOCAL_TIME_BYTES: usize = 29;

/// Formats a date and a time without an offset. `jiff`'s formatter is not used because it would take a tenth of the time
/// of a list of posts.
fn to_milliseconds(time: DateTime) -> String {
    let Ok(year) = u32::try_from(time.year()) else {
        return format!("{time:.3}");
    };
    let mut text = String::with_capacity(LOCAL_TIME_BYTES);
    push_digits(&mut text, year, 4);
    let parts = [
        ('-', time.month()),
        ('-', time.day()),
        ('T', time.hour()),
        (':', time.minute()),
        (':', time.second()),
    ];
    for (separator, part) in parts {
        text.push(separator);
        push_digits(&mut text, part.unsigned_abs().into(), 2);
    }
    text.push('.');
    push_digits(&mut text, time.millisecond().unsigned_abs().into(), 3);
    text
}

/// Appends the last `count` digits of a number.
fn push_digits(text: &mut String, number: u32, count: u32) {
    for power in (0..count).rev() {
        let digit = number / 10_u32.pow(power) % 10;
        text.extend(char::from_digit(digit, 10));
    }
}

/// Parses a date and a time with an offset, as in RFC 3339; `None` for other text and for times that [`instant`] cannot
/// represent.
pub fn parse(text: &str) -> Option<Timestamp> {
    let pieces = Pieces::parse(text).ok()?;
    let local = pieces.date().to_datetime(pieces.time()?);
    instant(local, pieces.to_numeric_offset()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_to_the_end_of_9999_are_stored_and_ordered() {
        let texts = [
            "0001-01-01T00:00:00Z",
            "1969-12-31T23:59:58Z",
            "9999-12-30T21:59:59Z",
            "9999-12-30T22:00:00Z",
            "9999-12-30T22:00:01Z",
            "9999-12-31T00:00:00Z",
            "9999-12-31T23:59:58Z",
            "9999-12-31T23:59:59Z",
        ];
        let times = texts.map(|text| parse(text).unwrap());

        assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
        assert_eq!(times.map(written), texts);
        assert_eq!(times.map(whole_seconds), times);
        assert_eq!(times.map(whole_milliseconds), times);
    }

    #[test]
    fn times_are_written_to_the_millisecond() {
        let time: Timestamp = "2025-01-05T10:09:08.007999Z".parse().unwrap();
        assert_eq!(written_time(time), "2025-01-05T10:09:08.007Z");
        for (zone, expected) in [
            ("UTC", "2025-01-05T10:09:08.007+00:00"),
            ("Asia/Kolkata", "2025-01-05T15:39:08.007+05:30"),
            ("America/Caracas", "2025-01-05T06:09:08.007-04:00"),
        ] {
            let zone = TimeZone::get(zone).unwrap();
            assert_eq!(local_time(time, &zone), expected);
        }
        let first = parse("0001-01-01T00:00:00Z").unwrap();
        assert_eq!(written_time(first), "0001-01-01T00:00:00.000Z");
        let last = parse("9999-12-31T23:59:59Z").unwrap();
        let tokyo = TimeZone::get("Asia/Tokyo").unwrap();
        assert_eq!(local_time(last, &tokyo), "9999-12-31T23:59:59.000+00:00");
    }

    #[test]
    fn offsets_and_fractions_count_to_the_end_of_9999() {
        for (text, expected) in [
            ("9999-12-31T23:59:59.999Z", Some("9999-12-31T23:59:59Z")),
            ("9999-12-30T22:00:00.000001Z", Some("9999-12-30T22:00:00Z")),
            ("9999-12-31T13:59:59-10:00", Some("9999-12-31T23:59:59Z")),
            ("9999-12-31T23:59:59+10:00", Some("9999-12-31T13:59:59Z")),
            ("9999-12-31T14:00:00-10:00", None),
            ("9999-12-31T23:59:59", None),
            ("9999-12-31", None),
        ] {
            let written = parse(text).map(written);
            assert_eq!(written.as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn fractions_are_cut_off_before_1970_too() {
        let time = parse("1969-12-31T23:59:58.0015Z").unwrap();

        assert_eq!(whole_seconds(time), parse("1969-12-31T23:59:58Z").unwrap());
        let milliseconds = parse("1969-12-31T23:59:58.001Z").unwrap();
        assert_eq!(whole_milliseconds(time), milliseconds);
    }
}
