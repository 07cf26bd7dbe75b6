//! Tests of dates in the formats that themes use.

use jiff::tz::TimeZone;

use super::*;

fn written(time: &str, format: &str, locale: &str) -> String {
    let date = input::parsed(time).expect("it is a date");
    let zone = TimeZone::get("Europe/Amsterdam").expect("it is a zone");
    formatted(&date.with_time_zone(zone), format, &language(locale))
}

#[test]
fn tokens_are_those_of_moment() {
    let night = |format| written("2026-03-02T23:30:00Z", format, "en");
    assert_eq!(
        night("YYYY YY Mo DD DDDD ddd e W ww Q H hh k"),
        "2026 26 3rd 03 062 Tue 2 10 10 1 0 12 24"
    );
    assert_eq!(
        night("a A z ZZ Z x SSS X"),
        "am AM CET +0100 +01:00 1772494200000 000 1772494200"
    );
    assert_eq!(
        night("L LL ll LT [at] \\LT"),
        "03/03/2026 March 3, 2026 Mar 3, 2026 12:30 AM at LT"
    );
}

#[test]
fn languages_have_their_own_forms() {
    let day = |locale| {
        written(
            "2026-03-01T11:30:00+01:00",
            "dddd D MMMM YYYY, LT|ll|Do",
            locale,
        )
    };
    let expected = [
        ("fr", "dimanche 1 mars 2026, 11:30|1 mars 2026|1er"),
        ("nl", "zondag 1 maart 2026, 11:30|1 mrt. 2026|1ste"),
        ("ja", "日曜日 1 3月 2026, 11:30|2026年3月1日|1日"),
        ("pt-br", "domingo 1 março 2026, 11:30|1 de mar de 2026|1º"),
        ("ru", "воскресенье 1 марта 2026, 11:30|1 мар. 2026 г.|1-го"),
        ("en-au", "Sunday 1 March 2026, 11:30 AM|1 Mar 2026|1st"),
        ("fa", "یک‌شنبه ۱ مارس ۲۰۲۶، ۱۱:۳۰|۱ مارس ۲۰۲۶|۱م"),
        ("xx", "Sunday 1 March 2026, 11:30 AM|Mar 1, 2026|1st"),
    ];
    for (locale, text) in expected {
        assert_eq!(day(locale), text, "{locale}");
    }
}

#[test]
fn time_since_has_plural_forms() {
    let since = |from: &str, locale| {
        let now = input::parsed("2026-03-10T12:00:00Z")
            .expect("it is a date")
            .timestamp();
        let from = input::parsed(from).expect("it is a date").timestamp();
        relative::relative(from, now, &language(locale))
    };
    assert_eq!(since("2026-03-07T12:00:00Z", "en"), "3 days ago");
    assert_eq!(since("2026-03-10T11:59:30Z", "en"), "a few seconds ago");
    assert_eq!(since("2026-03-12T12:00:00Z", "de"), "in 2 Tagen");
    assert_eq!(since("2026-03-10T11:39:00Z", "ru"), "21 минуту назад");
    assert_eq!(since("2021-03-10T12:00:00Z", "pl"), "5 lat temu");
}
