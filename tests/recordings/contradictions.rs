//! Parses `CONTRADICTIONS.md`, which lists where Galley responds differently from a recording, and why.

use std::collections::BTreeMap;

/// A row of the table.
pub struct Contradiction {
    /// The name of the scenario.
    pub scenario: String,
    /// The step, numbered from 0.
    pub step: usize,
    /// The path in the response that differs: `json.posts.0.title`.
    pub path: String,
}

/// Prefix of a row that contains a contradiction.
const ROW: &str = "| `";

/// Returns all rows.
pub fn all() -> Vec<Contradiction> {
    let table = crate::read("CONTRADICTIONS.md");
    table
        .lines()
        .filter(|line| line.starts_with(ROW))
        .map(contradiction)
        .collect()
}

fn contradiction(row: &str) -> Contradiction {
    let cells: Vec<&str> = row
        .trim_matches('|')
        .split('|')
        .map(|cell| cell.trim().trim_matches('`'))
        .collect();
    let [scenario, step, path, recorded, reason] = cells[..] else {
        panic!("a row must have five cells: {row}");
    };
    assert!(
        !recorded.is_empty() && !reason.is_empty(),
        "a row must have a reason: {row}"
    );
    Contradiction {
        scenario: scenario.to_owned(),
        step: step
            .parse()
            .unwrap_or_else(|_| panic!("invalid step: {row}")),
        path: path.to_owned(),
    }
}

/// Returns the differing paths of a scenario, by step.
pub fn paths_of(scenario: &str) -> BTreeMap<usize, Vec<String>> {
    let mut paths = BTreeMap::<_, Vec<_>>::new();
    for row in all().into_iter().filter(|row| row.scenario == scenario) {
        paths.entry(row.step).or_default().push(row.path);
    }
    paths
}

#[test]
fn row_has_step_path_and_reason() {
    let row =
        contradiction("| `content-tiers` | 8 | `json.tiers.0.slug` | by age | by price (4.1) |");

    assert_eq!((row.scenario.as_str(), row.step), ("content-tiers", 8));
    assert_eq!(row.path, "json.tiers.0.slug");
}
