//! Matches texts with placeholders: `{{objectid}}`, `{{string}}`, `{{base}}`, or the name of a stored value.

use std::{collections::BTreeMap, sync::LazyLock};

use fancy_regex::{Captures, Regex, escape};
use jiff::{SignedDuration, Timestamp};

/// Values by name, which replace `{{name}}`.
pub type Variables = BTreeMap<String, String>;

/// Placeholders for any text that matches a pattern, and the pattern.
const FORMS: [(&str, &str); 6] = [
    (
        "uuid",
        "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
    ),
    (
        "timestamp",
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?",
    ),
    ("objectid", "(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])"),
    ("hex", "(?<![0-9a-f])[0-9a-f]{26,128}(?![0-9a-f])"),
    ("string", ".*"),
    ("digits", r"\d+"),
];

static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\{\{(\w+)\}\}").unwrap());

/// Returns `text` with placeholders replaced by values; names without a value are unchanged.
pub fn filled(text: &str, variables: &Variables) -> String {
    let value = |found: &Captures<str>| match variables.get(&found[1]) {
        Some(value) => value.clone(),
        None => found[0].to_owned(),
    };
    NAME.replace_all(text, value).into_owned()
}

/// Returns `text` of a request with placeholders replaced by values. `{{in_N}}` is the time N seconds from now.
///
/// # Errors
///
/// Returns the first name that has no value.
pub fn request_text(text: &str, variables: &Variables) -> Result<String, String> {
    let mut filled = String::new();
    let mut end = 0;
    for found in NAME.captures_iter(text).map(Result::unwrap) {
        let (matched, name) = (found.get(0).unwrap(), &found[1]);
        filled.push_str(&text[end..matched.start()]);
        match (variables.get(name), time(name)) {
            (Some(value), _) => filled.push_str(value),
            (None, Some(time)) => filled.push_str(&time),
            (None, None) => return Err(name.to_owned()),
        }
        end = matched.end();
    }
    filled.push_str(&text[end..]);
    Ok(filled)
}

/// Returns the time for a name like `in_5`.
fn time(name: &str) -> Option<String> {
    let seconds: i64 = name.strip_prefix("in_")?.parse().ok()?;
    let time = Timestamp::now() + SignedDuration::from_secs(seconds);
    Some(time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string())
}

/// Returns whether `got` matches `wanted`.
pub fn fits(wanted: &str, got: &str, variables: &Variables) -> bool {
    if !wanted.contains("{{") {
        return wanted == got;
    }
    let mut pattern = String::from("(?s)^");
    let mut end = 0;
    for found in NAME.captures_iter(wanted).map(Result::unwrap) {
        let matched = found.get(0).unwrap();
        pattern.push_str(&escape(&wanted[end..matched.start()]));
        let form = FORMS.iter().find(|(name, _)| *name == &found[1]);
        match (form, variables.get(&found[1])) {
            (Some((_, form)), _) => pattern.push_str(form),
            (None, Some(value)) => pattern.push_str(&escape(value)),
            (None, None) => pattern.push_str(&escape(matched.as_str())),
        }
        end = matched.end();
    }
    pattern.push_str(&escape(&wanted[end..]));
    pattern.push_str(r"\z");
    Regex::new(&pattern).unwrap().is_match(got).unwrap()
}

#[test]
fn text_matches_by_literals_forms_and_values() {
    let variables = Variables::from([("base".to_owned(), "http://a.b".to_owned())]);
    let fits = |wanted, got| fits(wanted, got, &variables);

    assert!(fits("plain", "plain"));
    assert!(!fits("plain", "plainer"));
    assert!(fits("{{base}}/x/", "http://a.b/x/"));
    assert!(!fits("{{base}}/x/", "http://axb/x/"));
    assert!(fits("{{string}}", "two\nlines"));
    assert!(fits("{{objectid}}", "0123456789abcdef01234567"));
    assert!(!fits("{{objectid}}", "0123456789abcdef012345678"));
    assert!(!fits("a{{objectid}}", "a0123456789abcdef01234567"));
    assert!(fits("{{timestamp}}", "2024-01-02T03:04:05.000+00:00"));
    assert!(!fits("{{timestamp}}", "2024-01-02"));
    assert!(!fits("{{unknown}}", "anything"));
}

#[test]
fn placeholders_without_a_value_stay() {
    let variables = Variables::from([("id".to_owned(), "7".to_owned())]);

    assert_eq!(filled("/{{id}}/{{other}}/", &variables), "/7/{{other}}/");
    assert_eq!(
        request_text("/{{id}}/{{other}}/", &variables),
        Err("other".to_owned())
    );
    assert_eq!(request_text("/{{id}}/", &variables).unwrap(), "/7/");
}

#[test]
fn relative_times_of_a_request_are_counted_from_now() {
    let shown = request_text("at {{in_3600}}", &Variables::new()).unwrap();

    let in_an_hour = Timestamp::now() + SignedDuration::from_hours(1);
    let time: Timestamp = shown["at ".len()..].parse().unwrap();
    assert!(
        time.duration_until(in_an_hour).abs() < SignedDuration::from_secs(2),
        "{shown}"
    );
}
