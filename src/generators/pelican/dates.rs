//! Parses dates like Pelican: `05/21/17` begins with the month, unless that number is above 12.

/// Converts a numeric date to the form with the year first, and retains the time after it. Other dates are unchanged.
/// Two-digit years are in this century.
pub(super) fn iso(written: &str) -> String {
    numbers(written).unwrap_or_else(|| written.to_owned())
}

fn numbers(written: &str) -> Option<String> {
    let written = written.trim();
    let end = written.find([' ', 'T']).unwrap_or(written.len());
    let (date, time) = written.split_at(end);
    let separator = ['/', '.', '-']
        .into_iter()
        .find(|mark| date.contains(*mark))?;
    let parts: Vec<&str> = date.split(separator).collect();
    let [first, second, third] = parts.as_slice() else {
        return None;
    };
    let number = |part: &str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= 4;
        is_number.then(|| part.parse::<u16>().ok())?
    };
    let (first, second, last) = (number(first)?, number(second)?, number(third)?);
    let (year, month, day) = if parts[0].len() == 4 {
        (first, second, last)
    } else if first > 12 {
        (last, second, first)
    } else {
        (last, first, second)
    };
    let year = if year < 100 { 2000 + year } else { year };
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    is_date.then(|| format!("{year}-{month:02}-{day:02}{time}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_is_first_unless_its_number_is_above_12() {
        for (written, expected) in [
            ("05/21/17", "2017-05-21"),
            ("5/6/2017 10:00", "2017-05-06 10:00"),
            ("21.05.2017", "2017-05-21"),
            ("2012-8-8 18:50", "2012-08-08 18:50"),
            ("2012/08/08", "2012-08-08"),
            ("2012-08-08T10:00:00Z", "2012-08-08T10:00:00Z"),
            ("May 21, 2017", "May 21, 2017"),
            ("13/14/2017", "13/14/2017"),
        ] {
            assert_eq!(iso(written), expected);
        }
    }
}
