//! Tests of files of filters, one filter per line. A file `valid/NAME.nql` or `invalid/NAME.nql` is a test.
//!
//! Next to each is the expected result: `NAME.tree` with the canonical form and the tree, or `NAME.error` with marks under
//! the invalid characters. Set the variable `GALLEY_UPDATE_GOLDEN` to regenerate these, then read the diff.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use galley::nql::{Condition, Expression, Predicate, Span, Spanned, SyntaxError, Value, parse};

#[test]
fn valid_filters_parse_to_the_expected_trees() {
    check_folder("valid", "tree", |filter| {
        let tree = parse(filter).unwrap_or_else(|error| panic!("{filter}: {error}"));
        let printed = tree.to_string();
        assert_eq!(parse(&printed).as_ref(), Ok(&tree), "{filter} as {printed}");
        format!("{filter}\n  = {printed}\n{}", draw(&tree, filter, 1))
    });
}

#[test]
fn invalid_filters_are_rejected_with_their_position() {
    check_folder("invalid", "error", |filter| match parse(filter) {
        Ok(tree) => panic!("{filter} was read as {tree}"),
        Err(error) => format!("{filter}\n{}\n", mark(&error, filter)),
    });
}

/// Compares the output of `describe` for each filter of a folder with the golden files there, or rewrites these.
fn check_folder(folder: &str, extension: &str, describe: impl Fn(&str) -> String) {
    let update = std::env::var_os("GALLEY_UPDATE_GOLDEN").is_some();
    for path in filter_files(folder) {
        let filters = fs::read_to_string(&path).unwrap();
        let actual: Vec<String> = filters.lines().map(&describe).collect();
        let actual = actual.join("\n");
        let golden = path.with_extension(extension);
        if update {
            fs::write(&golden, &actual).unwrap();
        }
        let expected = fs::read_to_string(&golden)
            .unwrap_or_else(|error| panic!("{}: {error}", golden.display()));
        assert_eq!(actual, expected, "{}", golden.display());
    }
}

fn filter_files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/it/nql")
        .join(folder);
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "nql"))
        .collect();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.sort();
    files
}

/// Draws a tree, one node in a line, each part of a condition with the piece of text that its span covers.
fn draw(expression: &Expression, filter: &str, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let (name, members) = match expression {
        Expression::Condition(condition) => {
            let drawn = draw_condition(&condition.node, filter);
            return format!("{indent}{drawn}  {}\n", piece(condition.span, filter));
        }
        Expression::And(members) => ("And", members),
        Expression::Or(members) => ("Or", members),
    };
    let mut text = format!("{indent}{name}\n");
    for member in members {
        text += &draw(member, filter, depth + 1);
    }
    text
}

fn draw_condition(condition: &Condition, filter: &str) -> String {
    let field = &condition.field.node;
    assert_eq!(&filter[condition.field.span.start..][..field.len()], field);
    match &condition.predicate {
        Predicate::Compare { operator, value } => {
            format!("{field} {operator:?} {}", draw_value(value, filter))
        }
        Predicate::Match {
            negated,
            anchor,
            text,
        } => {
            let not = if *negated { "Not" } else { "" };
            let text_piece = piece(text.span, filter);
            format!("{field} {not}Match {anchor:?} {:?}{text_piece}", text.node)
        }
        Predicate::List { membership, items } => {
            let mut text = format!("{field} {membership:?}");
            for item in items {
                write!(text, " {}", draw_value(item, filter)).unwrap();
            }
            text
        }
    }
}

fn draw_value(value: &Spanned<Value>, filter: &str) -> String {
    format!("{:?}{}", value.node, piece(value.span, filter))
}

fn piece(span: Span, filter: &str) -> String {
    let text = &filter[span.start..span.end];
    format!("@{}..{}‹{text}›", span.start, span.end)
}

/// Draws the error under the filter, with a mark for every character that it is about.
fn mark(error: &SyntaxError, filter: &str) -> String {
    let before = " ".repeat(error.character - 1);
    let length = filter[error.span.start..error.span.end].chars().count();
    let marks = "^".repeat(length.max(1));
    format!("{before}{marks} {error}")
}
