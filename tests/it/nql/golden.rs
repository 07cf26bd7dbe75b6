//! Golden file tests of the parser. Each file `valid/NAME.nql` or `invalid/NAME.nql` has one filter per line.
//!
//! The expected results are next to it: `NAME.tree` with the canonical form and the tree, or `NAME.error` with marks under the
//! invalid characters. Set `GALLEY_UPDATE_GOLDEN` to regenerate these files, then read the diff.

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
        format!("{filter}\n  = {printed}\n{}", format_tree(&tree, filter, 1))
    });
}

#[test]
fn invalid_filters_are_rejected_with_their_position() {
    check_folder("invalid", "error", |filter| match parse(filter) {
        Ok(tree) => panic!("{filter} was parsed as {tree}"),
        Err(error) => format!("{filter}\n{}\n", mark(&error, filter)),
    });
}

/// Compares the output of `describe` for each filter in a folder with the golden files, or regenerates the golden files.
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

/// Formats a tree with one node per line. Each part of a condition is followed by the text that its span covers.
fn format_tree(expression: &Expression, filter: &str, depth: usize) -> String {
    let indent = "  ".repeat(depth);
    let (name, members) = match expression {
        Expression::Condition(condition) => {
            let drawn = format_condition(&condition.node, filter);
            return format!("{indent}{drawn}  {}\n", piece(condition.span, filter));
        }
        Expression::And(members) => ("And", members),
        Expression::Or(members) => ("Or", members),
    };
    let mut text = format!("{indent}{name}\n");
    for member in members {
        text += &format_tree(member, filter, depth + 1);
    }
    text
}

fn format_condition(condition: &Condition, filter: &str) -> String {
    let field = &condition.field.node;
    assert_eq!(&filter[condition.field.span.start..][..field.len()], field);
    match &condition.predicate {
        Predicate::Compare { operator, value } => {
            format!("{field} {operator:?} {}", format_value(value, filter))
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
                write!(text, " {}", format_value(item, filter)).unwrap();
            }
            text
        }
    }
}

fn format_value(value: &Spanned<Value>, filter: &str) -> String {
    format!("{:?}{}", value.node, piece(value.span, filter))
}

fn piece(span: Span, filter: &str) -> String {
    let text = &filter[span.start..span.end];
    format!("@{}..{}‹{text}›", span.start, span.end)
}

/// Formats an error: the filter, a line that marks the characters of its span, and the message.
fn mark(error: &SyntaxError, filter: &str) -> String {
    let before = " ".repeat(error.character - 1);
    let length = filter[error.span.start..error.span.end].chars().count();
    let marks = "^".repeat(length.max(1));
    format!("{before}{marks} {error}")
}
