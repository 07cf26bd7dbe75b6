//! Tests of dates in every common format.

use galley::clock;

use super::reading::{post, problem, read};

fn published_at(written: &str) -> String {
    let text = format!("---\ntitle: T\npublished_at: {written}\n---\n");
    post("posts/a.md", text)
        .fields
        .published_at
        .map(|date| date.to_string())
        .unwrap_or_default()
}

#[test]
fn common_date_formats_are_parsed() {
    for (written, instant) in [
        ("2025-01-05T10:00:00Z", "2025-01-05T10:00:00Z"),
        ("2025-01-05T10:00:00.987Z", "2025-01-05T10:00:00Z"),
        ("2025-01-05T10:00:00+05:30", "2025-01-05T04:30:00Z"),
        ("2025-01-05t10:00:00z", "2025-01-05T10:00:00Z"),
        ("2025-01-05 10:00:00 +0100", "2025-01-05T09:00:00Z"),
        ("2025-01-05 10:00 -0500", "2025-01-05T15:00:00Z"),
        ("2025-01-05 10:00:00 +01:00", "2025-01-05T09:00:00Z"),
        ("2025-01-05 10:00:00 UTC", "2025-01-05T10:00:00Z"),
        ("2025-01-05T10:00[America/New_York]", "2025-01-05T15:00:00Z"),
        ("2025-01-05 10:00:00", "2025-01-05T09:00:00Z"),
        ("2025-01-05T10:00", "2025-01-05T09:00:00Z"),
        ("2025-01-05 9:05", "2025-01-05T08:05:00Z"),
        ("2025-01-05", "2025-01-04T23:00:00Z"),
        ("2025-1-5", "2025-01-04T23:00:00Z"),
        ("2025/01/05", "2025-01-04T23:00:00Z"),
        ("2025/01/05 10:00:00", "2025-01-05T09:00:00Z"),
        ("Jul 08 2022", "2022-07-07T22:00:00Z"),
        ("Jul 8, 2022", "2022-07-07T22:00:00Z"),
        ("July 8, 2022", "2022-07-07T22:00:00Z"),
        ("8 July 2022", "2022-07-07T22:00:00Z"),
        ("Sun, 05 Jan 2025 10:00:00 +0100", "2025-01-05T09:00:00Z"),
        ("1969-12-31T23:59:58.5Z", "1969-12-31T23:59:58Z"),
    ] {
        assert_eq!(published_at(&format!("'{written}'")), instant, "{written}");
    }
}

#[test]
fn dates_of_toml_need_no_quotes() {
    for (written, instant) in [
        ("2025-01-05T10:00:00Z", "2025-01-05T10:00:00Z"),
        ("2025-01-05 10:00:00+01:00", "2025-01-05T09:00:00Z"),
        ("2025-01-05T10:00:00.5", "2025-01-05T09:00:00Z"),
        ("2025-01-05 10:00", "2025-01-05T09:00:00Z"),
        ("2025-01-05", "2025-01-04T23:00:00Z"),
    ] {
        let post = post(
            "posts/a.md",
            format!("+++\ntitle = 'T'\npublished_at = {written}\n+++\n"),
        );
        assert_eq!(
            post.fields.published_at.unwrap().to_string(),
            instant,
            "{written}"
        );
    }
}

#[test]
fn skipped_local_time_is_an_hour_later_and_repeated_one_is_the_first() {
    assert_eq!(published_at("2025-03-30 02:30"), "2025-03-30T01:30:00Z");
    assert_eq!(published_at("2025-10-26 02:30"), "2025-10-26T00:30:00Z");
}

#[test]
fn invalid_date_is_an_error_with_an_example() {
    for written in [
        "soon",
        "2025-13-01",
        "2025-02-30",
        "07:32:00",
        "2025",
        "0000-01-01",
        "-002025-01-01",
        "git Last Modified",
        "''x",
    ] {
        let problem = problem(
            "posts/a.md",
            format!("---\ntitle: T\ndate: \"{written}\"\n---\n"),
        );
        assert_eq!(problem.message, "`date` is not a valid date", "{written}");
        assert!(problem.is_error() && problem.advice.contains("2025-01-05"));
    }
}

#[test]
fn last_hours_of_9999_are_read() {
    for (written, instant) in [
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ("9999-12-31 23:59:59 +0100", "9999-12-31T22:59:59Z"),
        ("9999-12-31 23:59:59", "9999-12-31T22:59:59Z"),
        ("9999-12-31", "9999-12-30T23:00:00Z"),
    ] {
        let text = format!("---\ntitle: T\npublished_at: '{written}'\n---\n");
        let date = post("posts/a.md", text).fields.published_at;
        assert_eq!(
            date.map(clock::written).as_deref(),
            Some(instant),
            "{written}"
        );
    }
}

#[test]
fn last_valid_day_is_before_year_10000() {
    let parsed = read(
        "posts/a.md",
        "---\ntitle: T\ndate: 9999-12-31T23:59:59-10:00\n---\n",
    );
    assert!(parsed.value.is_none());
}

#[test]
fn date_in_the_file_name_is_the_fallback() {
    let undated = "+++\ntitle = 'T'\n+++\n";
    let dated = "+++\ntitle = 'T'\ndate = 2024-06-01T00:00:00Z\n+++\n";
    let date = |path: &str, text: &str| {
        post(path, text)
            .fields
            .published_at
            .map(|date| date.to_string())
    };
    assert_eq!(
        date("posts/2025-07-05-a.md", undated).unwrap(),
        "2025-07-04T22:00:00Z"
    );
    assert_eq!(
        date("posts/2025-07-05-a/index.md", undated).unwrap(),
        "2025-07-04T22:00:00Z"
    );
    assert_eq!(
        date("posts/2025-07-05-a.md", dated).unwrap(),
        "2024-06-01T00:00:00Z"
    );
    assert_eq!(date("posts/a.md", undated), None);
}
