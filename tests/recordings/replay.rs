//! A scenario from beginning to end, and what is said of it.

use std::{collections::BTreeMap, fmt::Write};

use crate::{
    compare::Difference,
    contradictions,
    left_out::{LeftOut, Reason},
    scenario::{Scenario, Step},
    world::{Outcome, World},
};

/// Most differences of a step that a failure shows.
const SHOWN_MAX: usize = 8;

/// The status of an endpoint that is not there.
const NOT_FOUND: u16 = 404;

/// Replays `scenarios/NAME.json`; fails, with all there is to say, when a step does not go as the lists have it.
pub fn replay(name: &str) {
    let scenario = Scenario::read(name);
    let steps = &scenario.steps;
    let mut judge = Judge {
        left_out: LeftOut::read().steps_of(name, steps),
        contradictions: contradictions::places_of(name),
        ..Judge::default()
    };
    let listed = judge.left_out.keys().chain(judge.contradictions.keys());
    for step in listed {
        assert!(
            *step < steps.len(),
            "{name} has no step {step}, and a list names it"
        );
    }
    let mut world = World::of(&scenario);
    for (number, step) in steps.iter().enumerate() {
        let outcome = world.perform(step, judge.left_out.contains_key(&number));
        judge.hear(number, step, &outcome);
    }
    let summary = judge.summary(name, steps.len());
    println!("{summary}");
    assert!(judge.failures.is_empty(), "{summary}\n{}", judge.failures);
}

/// Holds what came of the steps to the lists.
#[derive(Default)]
struct Judge {
    left_out: BTreeMap<usize, Reason>,
    contradictions: BTreeMap<usize, Vec<String>>,
    /// Whether a step so far asked for what is to come.
    missed_something: bool,
    failures: String,
    failed: usize,
}

impl Judge {
    fn hear(&mut self, number: usize, step: &Step, outcome: &Outcome) {
        let verdict = match self.left_out.get(&number) {
            Some(reason) => self.on_left_out(*reason, step.is_delivery(), outcome),
            None => self.on_replayed(number, &outcome.differences),
        };
        if let Err(complaint) = verdict {
            self.failed += 1;
            self.failures
                .push_str(&report(number, step, outcome, &complaint));
        }
    }

    /// A step that is left out really cannot agree, for the reason that is given.
    fn on_left_out(
        &mut self,
        reason: Reason,
        is_delivery: bool,
        outcome: &Outcome,
    ) -> Result<(), String> {
        let refuse = |text: &str| Err(format!("is left out by left_out.toml, but {text}"));
        match reason {
            // That there is nothing may even be what was recorded.
            Reason::AsksWhatIsToCome => {
                if outcome.status.is_some_and(|status| status != NOT_FOUND) {
                    return refuse("its endpoint is there");
                }
                self.missed_something = true;
            }
            Reason::ShowsWhatIsToCome if outcome.differences.is_empty() => {
                return refuse("agrees: take it off");
            }
            // Webhooks are kept, and their deliveries are to come.
            Reason::ShowsWhatIsToCome if is_delivery => {}
            Reason::ShowsWhatIsToCome if !self.missed_something => {
                return refuse("no step before it asks for what is to come");
            }
            Reason::ShowsWhatIsToCome => {}
        }
        Ok(())
    }

    /// Any other step agrees but for what contradicts, and that does.
    fn on_replayed(&self, number: usize, differences: &[Difference]) -> Result<(), String> {
        let places = self
            .contradictions
            .get(&number)
            .map_or(&[][..], Vec::as_slice);
        let differs = |place: &String| differences.iter().any(|one| one.place == *place);
        if let Some(place) = places.iter().find(|place| !differs(place)) {
            return Err(format!(
                "stands in CONTRADICTIONS.md, but {place} agrees: take it off"
            ));
        }
        match differences.iter().all(|one| places.contains(&one.place)) {
            true => Ok(()),
            false => Err("differs".to_owned()),
        }
    }

    /// How many steps agree, and what is with the others.
    fn summary(&self, name: &str, steps: usize) -> String {
        let left_out = |wanted| {
            (self.left_out.values())
                .filter(|reason| **reason == wanted)
                .count()
        };
        let others = [
            (self.failed, "go wrong"),
            (self.contradictions.len(), "are answered otherwise"),
            (
                left_out(Reason::AsksWhatIsToCome),
                "ask for what is to come",
            ),
            (left_out(Reason::ShowsWhatIsToCome), "show what is to come"),
        ];
        let listed = self.left_out.len() + self.contradictions.len();
        let agreed = (steps - listed).saturating_sub(self.failed);
        let mut summary = format!("{name}: {agreed} of {steps} steps agree");
        for (count, what) in others.iter().filter(|(count, _)| *count > 0) {
            let _ = write!(summary, ", {count} {what}");
        }
        summary
    }
}

/// What is to be said of a step that went wrong.
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

    fn differences(places: &[&str]) -> Vec<Difference> {
        let difference = |place: &&str| Difference {
            place: (*place).to_owned(),
            text: "wanted 1, got 2".to_owned(),
        };
        places.iter().map(difference).collect()
    }

    #[test]
    fn a_step_differs_where_it_contradicts_and_nowhere_else() {
        let judge = Judge {
            contradictions: [(3, vec!["json.a".to_owned()])].into(),
            ..Judge::default()
        };

        assert!(judge.on_replayed(3, &differences(&["json.a"])).is_ok());
        assert!(
            judge
                .on_replayed(3, &differences(&["json.a", "json.b"]))
                .is_err()
        );
        assert!(judge.on_replayed(3, &differences(&[])).is_err());
        assert!(judge.on_replayed(4, &differences(&[])).is_ok());
        assert!(judge.on_replayed(4, &differences(&["json.a"])).is_err());
    }

    #[test]
    fn a_step_is_left_out_only_for_the_reason_that_is_given() {
        let mut judge = Judge::default();
        let mut hear = |reason, status, places: &[&str]| {
            let outcome = Outcome {
                request: None,
                status: Some(status),
                differences: differences(places),
            };
            judge.on_left_out(reason, false, &outcome).is_ok()
        };

        assert!(!hear(Reason::ShowsWhatIsToCome, 200, &["json.a"]));
        assert!(!hear(Reason::AsksWhatIsToCome, 403, &["status"]));
        assert!(hear(Reason::AsksWhatIsToCome, 404, &[]));
        assert!(hear(Reason::AsksWhatIsToCome, 404, &["status"]));
        assert!(hear(Reason::ShowsWhatIsToCome, 200, &["json.a"]));
        assert!(!hear(Reason::ShowsWhatIsToCome, 200, &[]));
    }

    #[test]
    fn a_delivery_that_is_waited_for_is_to_come_itself() {
        let mut judge = Judge::default();
        let outcome = |places: &[&str]| Outcome {
            request: None,
            status: None,
            differences: differences(places),
        };
        let absent = outcome(&["webhook"]);
        let showing = Reason::ShowsWhatIsToCome;
        assert!(judge.on_left_out(showing, true, &absent).is_ok());
        assert!(judge.on_left_out(showing, true, &outcome(&[])).is_err());
    }
}
