//! Formatting of dates with the tokens of moment.

use std::borrow::Cow;

use jiff::Zoned;

use super::{
    calendar, locale,
    tokens::{Piece, expanded, pieces, shortened},
};
use crate::front_end::helpers::languages::{Language, form};

/// ISO weeks: they begin on Monday, and the first week of a year contains 4 January.
const ISO_WEEK: (i64, i64) = (1, 4);

/// Formats a date.
pub fn formatted(date: &Zoned, format: &str, language: &Language) -> String {
    written(date, format, language, true)
}

/// Formats a date. If `has_zone` is false, the date has only an offset and no named time zone.
pub fn written(date: &Zoned, format: &str, language: &Language, has_zone: bool) -> String {
    let mut format = Cow::Borrowed(format);
    // Long formats of a language contain tokens, so they are expanded before the format is split.
    if format.contains(['l', 'L']) {
        format = expanded(&format, |name| long_format(language, name)).into();
    }
    let writer = DateWriter {
        date,
        language,
        format: &format,
        has_zone,
    };
    let mut text = String::new();
    for piece in pieces(&format) {
        match piece {
            Piece::Text(plain) => text.push_str(plain),
            Piece::Token(token) => text.push_str(&writer.token(token)),
        }
    }
    locale::localized(language, text)
}

fn long_format(language: &Language, name: &str) -> Option<String> {
    match language.get(name) {
        Some(own) => Some(own.to_owned()),
        None => language.get(&name.to_uppercase()).map(shortened),
    }
}

/// An era, and the year in it.
#[derive(Default)]
struct Era {
    year: i64,
    name: &'static str,
    narrow: &'static str,
    abbreviation: &'static str,
}

struct DateWriter<'w> {
    date: &'w Zoned,
    language: &'w Language,
    format: &'w str,
    has_zone: bool,
}

impl DateWriter<'_> {
    fn token(&self, token: &str) -> String {
        let date = self.date;
        let padded = |number: i64| format!("{number:0width$}", width = token.len());
        let two = |number: i8| format!("{number:02}");
        let hour = i64::from(date.hour());
        // 12 and not 0 at midnight and at noon.
        let twelve = (hour + 11) % 12 + 1;
        match token {
            "h" | "hh" => padded(twelve),
            "H" | "HH" => padded(hour),
            "k" | "kk" => padded((hour + 23) % 24 + 1),
            "m" | "mm" => padded(date.minute().into()),
            "s" | "ss" => padded(date.second().into()),
            "hmm" => format!("{twelve}{}", two(date.minute())),
            "Hmm" => format!("{hour}{}", two(date.minute())),
            "hmmss" => format!("{twelve}{}{}", two(date.minute()), two(date.second())),
            "Hmmss" => format!("{hour}{}{}", two(date.minute()), two(date.second())),
            "a" | "A" => self.meridiem(token == "a"),
            "x" => date.timestamp().as_millisecond().to_string(),
            "X" => date.timestamp().as_second().to_string(),
            // For a date with only an offset, moment writes UTC as the name, whatever the offset
            // is.
            "z" if !self.has_zone => "UTC".to_owned(),
            "zz" if !self.has_zone => "Coordinated Universal Time".to_owned(),
            "z" | "zz" => date
                .time_zone()
                .to_offset_info(date.timestamp())
                .abbreviation()
                .to_owned(),
            "Z" => self.offset(":"),
            "ZZ" => self.offset(""),
            token if token.starts_with('S') => self.fraction(token.len()),
            _ => self.day(token),
        }
    }

    /// Writes a part of the date, as opposed to the time.
    fn day(&self, token: &str) -> String {
        let date = self.date;
        let (year, month, day) = (
            i64::from(date.year()),
            i64::from(date.month()),
            i64::from(date.day()),
        );
        let weekday = i64::from(date.weekday().to_sunday_zero_offset());
        let of_year = i64::from(date.day_of_year());
        let week = || calendar::week(date.date(), self.language.week());
        let iso_week = || calendar::week(date.date(), ISO_WEEK);
        let padded = |number: i64| format!("{number:0width$}", width = token.len());
        match token {
            "M" | "MM" => padded(month),
            "Mo" => self.ordinal(month, "M"),
            "MMM" | "MMMM" => self.month(token == "MMMM"),
            "D" | "DD" => padded(day),
            "Do" => self.ordinal(day, "D"),
            "DDD" => of_year.to_string(),
            "DDDD" => format!("{of_year:03}"),
            "DDDo" => self.ordinal(of_year, ""),
            "d" => weekday.to_string(),
            "do" => self.ordinal(weekday, "d"),
            "dd" => self.language.part("daysMin", weekday as usize).to_owned(),
            "ddd" => self.language.part("daysShort", weekday as usize).to_owned(),
            "dddd" => self.language.part("days", weekday as usize).to_owned(),
            "e" => ((weekday + 7 - self.language.week().0) % 7).to_string(),
            "E" => ((weekday + 6) % 7 + 1).to_string(),
            "w" | "ww" => padded(week().0),
            "wo" => self.ordinal(week().0, "w"),
            "W" | "WW" => padded(iso_week().0),
            "Wo" => self.ordinal(iso_week().0, "W"),
            "Q" => ((month + 2) / 3).to_string(),
            "Qo" => self.ordinal((month + 2) / 3, "Q"),
            "NNNN" => self.era().name.to_owned(),
            "NNNNN" => self.era().narrow.to_owned(),
            "N" | "NN" | "NNN" => self.era().abbreviation.to_owned(),
            "y" | "yy" | "yyy" | "yyyy" => padded(self.era().year),
            "YY" => format!("{:02}", year % 100),
            "YYYYYY" => format!("{year:+07}"),
            "Y" => format!("{year:04}"),
            "yo" => self.ordinal(self.era().year, "y"),
            "gg" => format!("{:02}", week().1 % 100),
            "GG" => format!("{:02}", iso_week().1 % 100),
            "gggg" | "ggggg" => padded(week().1),
            "GGGG" | "GGGGG" => padded(iso_week().1),
            // `YYYY` and `YYYYY`.
            _ => padded(year),
        }
    }

    fn month(&self, is_long: bool) -> String {
        let index = self.date.month() as usize - 1;
        let is_in_date = locale::has_month_in_date(self.language, self.format, is_long);
        let key = match is_long {
            true if is_in_date => "months",
            true => "monthsAlone",
            false
                if self.format.contains("-MMM-") && self.language.get("shortDashed").is_some() =>
            {
                "shortDashed"
            }
            false if is_in_date => "short",
            false => "shortAlone",
        };
        let usual = if is_long { "months" } else { "short" };
        let key = if self.language.get(key).is_some() {
            key
        } else {
            usual
        };
        self.language.part(key, index).to_owned()
    }

    /// Returns the era of the date: the first era in the language's list that has begun.
    fn era(&self) -> Era {
        let date = self.date.date().to_string();
        let eras = self.language.get("eras").unwrap_or_default().split('_');
        let mut begun = eras.filter_map(|era| {
            let parts: Vec<&'static str> = era.split('|').collect();
            let [since, first, name, narrow, abbreviation] = *parts.as_slice() else {
                return None;
            };
            let first_year: i64 = since.get(..4)?.parse().ok()?;
            let year = i64::from(self.date.year()) - first_year + first.parse::<i64>().ok()?;
            let era = Era {
                year,
                name,
                narrow,
                abbreviation,
            };
            (since <= date.as_str()).then_some(era)
        });
        let year = self.date.year().into();
        begun.next().unwrap_or(Era {
            year,
            ..Era::default()
        })
    }

    fn ordinal(&self, number: i64, period: &str) -> String {
        let own = format!("ordinal{period}");
        let key = if period.is_empty() || self.language.get(&own).is_none() {
            "ordinal"
        } else {
            &own
        };
        let Some(forms) = self.language.get(key) else {
            return number.to_string();
        };
        let at = self.language.get(&format!("{key}At"));
        let form = form(forms, '_', at, (number % 100) as usize);
        form.replacen('#', &number.to_string(), 1)
    }

    fn meridiem(&self, is_lower: bool) -> String {
        // The tables are in steps of half an hour, since the parts of a day do not begin at full
        // hours in all languages.
        let half_hour = self.date.hour() as usize * 2 + usize::from(self.date.minute() >= 30);
        let upper =
            Some("meridiemUpper").filter(|key| !is_lower && self.language.get(key).is_some());
        let key = upper.unwrap_or("meridiem");
        if let Some(names) = self.language.get(key) {
            let at = self.language.get(&format!("{key}At"));
            return form(names, '_', at, half_hour).to_owned();
        }
        let name = if half_hour < 24 { "am" } else { "pm" };
        if is_lower {
            name.to_owned()
        } else {
            name.to_uppercase()
        }
    }

    fn offset(&self, separator: &str) -> String {
        let minutes = self.date.offset().seconds() / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        let minutes = minutes.abs();
        format!("{sign}{:02}{separator}{:02}", minutes / 60, minutes % 60)
    }

    fn fraction(&self, digits: usize) -> String {
        let fraction = format!("{:03}000000", self.date.millisecond());
        fraction[..digits].to_owned()
    }
}
