//! Week numbers, and months between two times, as moment counts them.

use jiff::{ToSpan, civil::Date, civil::DateTime};

/// Returns the number of the week that contains a date, and the year that the week belongs to. `first` is the first day of a
/// week, from 0 for Sunday. `deciding` is moment's `doy`, which selects the first week of a year: the week with January `7 +
/// first - deciding`.
pub fn week(date: Date, (first, deciding): (i64, i64)) -> (i64, i64) {
    let year = i64::from(date.year());
    let offset = first_week_offset(year, first, deciding);
    let week = (i64::from(date.day_of_year()) - offset - 1).div_euclid(7) + 1;
    if week < 1 {
        return (week + weeks(year - 1, first, deciding), year - 1);
    }
    match weeks(year, first, deciding) {
        count if week > count => (week - count, year + 1),
        _ => (week, year),
    }
}

fn first_week_offset(year: i64, first: i64, deciding: i64) -> i64 {
    let day = 7 + first - deciding;
    let weekday = Date::new(year as i16, 1, 1)
        .and_then(|date| date.checked_add((day - 1).days()))
        .map_or(0, |date| i64::from(date.weekday().to_sunday_zero_offset()));
    day - (7 + weekday - first).rem_euclid(7) - 1
}

fn weeks(year: i64, first: i64, deciding: i64) -> i64 {
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let offset = |year| first_week_offset(year, first, deciding);
    (365 + i64::from(is_leap) - offset(year) + offset(year + 1)) / 7
}

/// Returns the number of whole months from one time to a later one, and the remaining milliseconds.
pub fn months_between(earlier: DateTime, later: DateTime) -> (i64, f64) {
    let years = i64::from(later.year()) - i64::from(earlier.year());
    let mut months = years * 12 + i64::from(later.month()) - i64::from(earlier.month());
    let after = |months: i64| earlier.checked_add(months.months()).unwrap_or(earlier);
    // The day or the time of the last month has not been reached.
    if after(months) > later {
        months -= 1;
    }
    let rest = later.duration_since(after(months));
    (months, rest.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn weeks_depend_on_the_language() {
        let (iso, english) = ((1, 4), (0, 6));
        assert_eq!(week(date(2026, 3, 1), iso), (9, 2026));
        assert_eq!(week(date(2026, 3, 1), english), (10, 2026));
        assert_eq!(week(date(2027, 1, 1), iso), (53, 2026));
        assert_eq!(week(date(2025, 12, 30), iso), (1, 2026));
        assert_eq!(week(date(2026, 12, 31), english), (1, 2027));
    }
}
