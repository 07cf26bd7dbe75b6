//! Tests of the limits of filters, at and beyond the maximum.

use galley::nql::{LENGTH_BYTES_MAX, NESTING_MAX, SyntaxError, SyntaxErrorKind, VALUES_MAX, parse};

fn error_of(filter: &str) -> SyntaxError {
    parse(filter).expect_err("the filter is invalid")
}

fn nested(depth: usize) -> String {
    format!("{}a:b{}", "(".repeat(depth), ")".repeat(depth))
}

fn word_of_total_length(bytes: usize) -> String {
    format!("a:{}", "b".repeat(bytes - 2))
}

#[test]
fn filter_of_maximum_length_is_parsed() {
    assert!(parse(&word_of_total_length(LENGTH_BYTES_MAX)).is_ok());
}

#[test]
fn longer_filter_is_rejected_at_its_first_excess_character() {
    let error = error_of(&word_of_total_length(LENGTH_BYTES_MAX + 1));

    assert_eq!(error.kind, SyntaxErrorKind::TooLong);
    assert_eq!(error.character, LENGTH_BYTES_MAX + 1);
}

#[test]
fn length_limit_may_fall_within_a_character() {
    let filter = format!("a:b{}", "é".repeat(LENGTH_BYTES_MAX));

    let error = error_of(&filter);

    assert_eq!(error.kind, SyntaxErrorKind::TooLong);
    assert!(filter.is_char_boundary(error.span.start));
}

#[test]
fn parentheses_nest_up_to_the_maximum_depth() {
    assert!(parse(&nested(NESTING_MAX)).is_ok());
}

#[test]
fn first_parenthesis_beyond_the_maximum_depth_is_rejected() {
    let error = error_of(&nested(NESTING_MAX + 1));

    assert_eq!(error.kind, SyntaxErrorKind::TooDeep);
    assert_eq!(error.character, NESTING_MAX + 1);
}

#[test]
fn filter_of_parentheses_does_not_exhaust_the_stack() {
    let error = error_of(&"(".repeat(LENGTH_BYTES_MAX));

    assert_eq!(error.kind, SyntaxErrorKind::TooDeep);
}

#[test]
fn sibling_groups_do_not_count_as_depth() {
    let filter = vec!["((a:b))"; NESTING_MAX * 2].join("+");

    assert!(parse(&filter).is_ok());
}

#[test]
fn conditions_count_as_values() {
    let greatest = vec!["a:1"; VALUES_MAX].join(",");

    assert!(parse(&greatest).is_ok());
    let error = error_of(&format!("{greatest},a:1"));
    assert_eq!(error.kind, SyntaxErrorKind::TooManyValues);
    assert_eq!(error.span.start, greatest.len() + ",a:".len());
}

#[test]
fn list_items_of_all_conditions_count_together() {
    let half = vec!["1"; VALUES_MAX / 2].join(",");
    let greatest = format!("a:[{half}]+b:[{half}]");

    assert!(parse(&greatest).is_ok());
    let error = error_of(&format!("{greatest}+c:~'x'"));
    assert_eq!(error.kind, SyntaxErrorKind::TooManyValues);
}

#[test]
fn searches_are_counted_and_bounded_like_values() {
    let greatest = vec!["a:~'x'"; VALUES_MAX].join(",");

    assert_eq!(parse(&greatest).unwrap().text_searches(), VALUES_MAX);
    let error = error_of(&format!("{greatest},a:-~^'x'"));
    assert_eq!(error.kind, SyntaxErrorKind::TooManyValues);
}

#[test]
fn blank_text_is_not_a_filter() {
    for blank in ["", " ", "\t\n"] {
        let error = error_of(blank);

        assert_eq!(
            error.to_string(),
            format!(
                "expected a field or `(`, but the filter ends (character {})",
                blank.len() + 1
            )
        );
    }
}

#[test]
fn line_breaks_are_white_space() {
    let across_lines = parse("a:b\n+\r\n(c:d\n,\ne:f)").unwrap();

    assert_eq!(across_lines, parse("a:b+(c:d,e:f)").unwrap());
}

#[test]
fn control_characters_are_escaped_in_messages() {
    let error = error_of("a:b \u{0}");

    assert_eq!(
        error.to_string(),
        r"expected `+`, `,` or the end, found `\0` (character 5)"
    );
}
