//! The time since a date, or until it, in the words of a language.

use jiff::{Timestamp, tz::TimeZone};

use super::{calendar, locale};
use crate::front_end::helpers::languages::{Language, form};

/// A rounded duration, with the index of its unit in the table of words.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Amount {
    /// One of a unit: seconds, minute, hour, day, month, year.
    One(usize),
    /// Several of a unit: minutes, hours, days, months, years.
    Many(usize, i64),
}

/// The keys of the plural forms of each unit in the table.
const MANY: [&str; 5] = ["mm", "hh", "dd", "MM", "yy"];

/// Returns the time from `date` to `now`, such as "3 days ago".
pub fn relative(date: Timestamp, now: Timestamp, language: &Language) -> String {
    let direction = if date > now { "future" } else { "past" };
    let text = match amount(date, now) {
        Amount::One(unit) => language.part(direction, unit).replacen('%', "1", 1),
        Amount::Many(unit, count) => many(language, direction, unit, count),
    };
    locale::localized(language, text)
}

fn many(language: &Language, direction: &str, unit: usize, count: i64) -> String {
    let forms = language.part(&format!("{direction}Many"), unit);
    let keys = [
        format!("{direction}Many{}At", MANY[unit]),
        format!("{direction}ManyAt"),
        "manyAt".to_owned(),
    ];
    let at = keys
        .iter()
        .find_map(|key| language.get(key))
        .filter(|_| forms.contains('|'));
    // The table has the forms for 2 to 101; they repeat for larger numbers.
    let index = if count <= 101 {
        count - 2
    } else {
        (count % 100 + 98) % 100
    };
    let form = form(forms, '|', at, index.max(0) as usize);
    form.replacen('%', &count.to_string(), 1)
}

/// Rounds the time between two dates to the largest unit that fits, by the thresholds of moment.
fn amount(date: Timestamp, now: Timestamp) -> Amount {
    let (earlier, later) = (date.min(now), date.max(now));
    let civil = |time: Timestamp| TimeZone::UTC.to_datetime(time);
    let (whole_months, rest) = calendar::months_between(civil(earlier), civil(later));
    let whole_months = whole_months as f64;
    let days = rest / 86_400_000.0;
    // 400 years have 146,097 days and 4,800 months; moment converts with the same ratio.
    let all_days = (whole_months * 146_097.0 / 4_800.0).round() + days;
    let months = whole_months + days * 4_800.0 / 146_097.0;
    let rounded = |number: f64| (number + 0.5).floor() as i64;
    let (seconds, minutes) = (rounded(all_days * 86_400.0), rounded(all_days * 1_440.0));
    let (hours, days) = (rounded(all_days * 24.0), rounded(all_days));
    let (months, years) = (rounded(months), rounded(months / 12.0));
    match () {
        // The thresholds are those of moment: 45 seconds, 45 minutes, 22 hours, 26 days, 11 months.
        () if seconds <= 44 => Amount::One(0),
        () if minutes <= 1 => Amount::One(1),
        () if minutes < 45 => Amount::Many(0, minutes),
        () if hours <= 1 => Amount::One(2),
        () if hours < 22 => Amount::Many(1, hours),
        () if days <= 1 => Amount::One(3),
        () if days < 26 => Amount::Many(2, days),
        () if months <= 1 => Amount::One(4),
        () if months < 11 => Amount::Many(3, months),
        () if years <= 1 => Amount::One(5),
        () => Amount::Many(4, years),
    }
}
