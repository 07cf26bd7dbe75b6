//! Tests that docs/security.md names tests for its promises, and that these tests exist.

use std::{fs, path::Path};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The attackers that the page must name.
const ATTACKERS: [&str; 12] = [
    "Anonymous client",
    "Reader",
    "Member",
    "Contributor",
    "Editor",
    "Integration",
    "Author of a folder",
    "Neighbour on the machine",
    "Bad bucket",
    "Bad mail or webhook server",
    "Bad git remote",
    "Bad certificate authority",
];

fn page() -> String {
    fs::read_to_string(Path::new(ROOT).join("docs/security.md")).unwrap()
}

/// Returns the cells of each row of the tables whose last column has this title.
fn rows(page: &str, last_column: &str) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut is_of_table = false;
    for line in page.lines() {
        let cells = line.trim().trim_matches('|').split(" | ");
        let cells: Vec<String> = cells.map(|cell| cell.trim().to_owned()).collect();
        if !line.starts_with('|') {
            is_of_table = false;
        } else if cells.last().is_some_and(|cell| cell == last_column) {
            is_of_table = true;
        } else if is_of_table && !line.starts_with("| ---") {
            rows.push(cells);
        }
    }
    rows
}

/// Returns the code spans in a text.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn every_promise_names_tests_that_exist() {
    let page = page();
    let promises = rows(&page, "Tested by");
    let attackers = rows(&page, "Tests");
    assert!(promises.len() > 40, "{} promises", promises.len());
    for row in promises.iter().chain(&attackers) {
        let tests: Vec<&str> = code(row.last().unwrap()).collect();
        assert!(!tests.is_empty(), "no test: {}", row[0]);
        for test in tests {
            // The words after the path are arguments of the script.
            let path = test.split(' ').next().unwrap();
            let is_known = path.starts_with("tests/") || path.starts_with("src/");
            assert!(
                is_known && Path::new(ROOT).join(path).exists(),
                "{test}: {}",
                row[0]
            );
        }
    }
}

#[test]
fn every_attacker_has_a_row() {
    let page = page();
    let named: Vec<String> = rows(&page, "Tests")
        .into_iter()
        .map(|row| row[0].clone())
        .collect();
    for attacker in ATTACKERS {
        let mut rows = named.iter();
        assert!(
            rows.any(|row| row.starts_with(attacker)),
            "{attacker}: {named:?}"
        );
    }
}
