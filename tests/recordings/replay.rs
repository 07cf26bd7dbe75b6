//! Replays a scenario from beginning to end, and reports its differences.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    compare::Difference,
    contradictions,
    recorded_site::{Outcome, RecordedSite},
    scenario::{Scenario, Step},
};

/// The maximum number of differences per step in the report of a failure.
const SHOWN_MAX: usize = 8;

/// Replays `scenarios/NAME.json`, and panics with a report of all differing steps.
pub fn replay(name: &str) {
    let scenario = Scenario::read(name);
    let steps = &scenario.steps;
    let mut report = Report {
        contradictions: contradictions::paths_of(name),
        ..Report::default()
    };
    for step in report.contradictions.keys() {
        assert!(
            *step < steps.len(),
            "{name} has no step {step}, and CONTRADICTIONS.md names it"
        );
    }
    let mut site = RecordedSite::of(&scenario);
    for (number, step) in steps.iter().enumerate() {
        let outcome = site.perform(step);
        report.add(number, step, &outcome);
    }
    let summary = report.summary(name, steps.len());
    println!("{summary}");
    assert!(report.failures.is_empty(), "{summary}\n{}", report.failures);
}

/// Collects the failed steps: those whose differences are not exactly the listed ones.
#[derive(Default)]
struct Report {
    contradictions: BTreeMap<usize, Vec<String>>,
    failures: String,
    failed: usize,
}

impl Report {
    fn add(&mut self, number: usize, step: &Step, outcome: &Outcome) {
        let verdict = self.on_replayed(number, &outcome.differences);
        if let Err(complaint) = verdict {
            self.failed += 1;
            self.failures
                .push_str(&report(number, step, outcome, &complaint));
        }
    }

    /// Checks that the differences of a step are exactly those in `CONTRADICTIONS.md`.
    fn on_replayed(&self, number: usize, differences: &[Difference]) -> Result<(), String> {
        let paths = self
            .contradictions
            .get(&number)
            .map_or(&[][..], Vec::as_slice);
        let differs = |path: &String| differences.iter().any(|one| one.path == *path);
        if let Some(path) = paths.iter().find(|path| !differs(path)) {
            return Err(format!(
                "remove the row from CONTRADICTIONS.md: {path} does not differ"
            ));
        }
        if differences.iter().all(|one| paths.contains(&one.path)) {
            Ok(())
        } else {
            Err("differs".to_owned())
        }
    }

    /// Returns the number of equal steps, and the outcomes of the others.
    fn summary(&self, name: &str, steps: usize) -> String {
        let others = [
            (self.failed, "go wrong"),
            (self.contradictions.len(), "get responses otherwise"),
        ];
        let agreed = (steps - self.contradictions.len()).saturating_sub(self.failed);
        let mut summary = format!("{name}: {agreed} of {steps} steps agree");
        for (count, what) in others.iter().filter(|(count, _)| *count > 0) {
            let _ = write!(summary, ", {count} {what}");
        }
        summary
    }
}

/// Returns the report of a step that failed.
fn report(number: usize, step: &Step, outcome: &Outcome, complaint: &str) -> String {
    let mut report = format!("step {number} ({}) {complaint}\n", step.name());
    let request = outcome.request.iter().map(String::clone);
    let differences = outcome.differences.iter().map(Difference::to_string);
    let mut lines = request.chain(differences);
    for line in lines.by_ref().take(1 + SHOWN_MAX) {
        let _ = writeln!(report, "    {line}");
    }
    match lines.count() {
        0 => {}
        more => {
            let _ = writeln!(report, "    and {more} more");
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differences(paths: &[&str]) -> Vec<Difference> {
        let difference = |path: &&str| Difference {
            path: (*path).to_owned(),
            text: "wanted 1, got 2".to_owned(),
        };
        paths.iter().map(difference).collect()
    }

    #[test]
    fn step_differs_only_at_its_contradictions() {
        let report = Report {
            contradictions: [(3, vec!["json.a".to_owned()])].into(),
            ..Report::default()
        };

        assert!(report.on_replayed(3, &differences(&["json.a"])).is_ok());
        assert!(
            report
                .on_replayed(3, &differences(&["json.a", "json.b"]))
                .is_err()
        );
        assert!(report.on_replayed(3, &differences(&[])).is_err());
        assert!(report.on_replayed(4, &differences(&[])).is_ok());
        assert!(report.on_replayed(4, &differences(&["json.a"])).is_err());
    }
}
