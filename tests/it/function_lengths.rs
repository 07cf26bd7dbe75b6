//! Tests that functions fit on a screen.

use std::sync::LazyLock;

use regex::Regex;

use crate::architecture::{Source, sources};

/// The maximum length of a function, in lines.
const FUNCTION_LINES_MAX: usize = 70;

/// Returns the functions of a file outside its unit tests, each with its line, name and number of lines. The code is
/// formatted, so a function ends with the closing brace that has the indentation of its first line.
fn functions(code: &str) -> Vec<(usize, String, usize)> {
    static BEGINNING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^( *)(?:pub(?:\([^)]*\))? )?(?:const |async |unsafe )*fn (\w+)").unwrap()
    });
    let code = code.split("#[cfg(test)]\nmod tests").next().unwrap();
    let lines: Vec<&str> = code.lines().collect();
    let mut functions = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        if !line.contains("fn ") {
            continue;
        }
        let Some(found) = BEGINNING.captures(line) else {
            continue;
        };
        let (end, end_of_declaration) = (format!("{}}}", &found[1]), format!("{})", &found[1]));
        let is_end = |line: &&str| {
            *line == end || (line.starts_with(&end_of_declaration) && line.ends_with(';'))
        };
        let length = lines[start..].iter().position(is_end);
        let length = length.filter(|_| !line.ends_with([';', '}']));
        if let Some(length) = length.filter(|length| lines[start + length] == end) {
            functions.push((start + 1, found[2].to_owned(), length + 1));
        }
    }
    functions
}

#[test]
fn functions_have_at_most_70_lines() {
    let mut long = Vec::new();
    // Unit tests, and the tables of the generators, may have functions of any length.
    let is_test = |source: &Source| {
        source.path.ends_with("/tests.rs") || source.path == "generators/tables.rs"
    };
    for source in sources().iter().filter(|source| !is_test(source)) {
        for (line, name, length) in functions(&source.text) {
            if length > FUNCTION_LINES_MAX {
                long.push(format!(
                    "src/{}:{line}: {name} has {length} lines",
                    source.path
                ));
            }
        }
    }
    assert!(
        long.is_empty(),
        "longer than {FUNCTION_LINES_MAX} lines:\n{}",
        long.join("\n")
    );
}

#[test]
fn lengths_of_functions_are_counted_to_their_closing_braces() {
    let code = "fn a() {}\nimpl A {\n    pub(super) const fn b(\n        c: C,\n    ) -> D {\n        if e {\n        }\n    }\n}\n\
                trait F {\n    fn g(\n        &self,\n    );\n    fn h(&self) {\n        i();\n    }\n}\n";
    assert_eq!(
        functions(code),
        [(3, "b".to_owned(), 6), (14, "h".to_owned(), 3)]
    );
}
