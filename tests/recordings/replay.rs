//! A scenario from beginning to end, and what is said of it.

use std::{collections::BTreeMap, fmt::Write, thread, time::Duration};

use crate::{
    compare::Difference,
    contradictions,
    left_out::{self, Reason},
    scenario::{Exchange, Scenario, Step},
    world::{Outcome, World},
};

/// Most differences of a step that a failure shows.
const SHOWN_MAX: usize = 8;

/// What the recorded site was called when it was set up, before the sample site was imported. What a new site has was named
/// after it.
const NAME_AT_SETUP: &str = "Reference";

/// The status of an endpoint that is not there.
const NOT_FOUND: u16 = 404;

/// Replays `scenarios/NAME.json`; fails, with all there is to say, when a step does not go as the lists have it.
pub fn replay(name: &str) {
    let steps = Scenario::read(name).steps;
    let mut judge = Judge {
        left_out: left_out::steps_of(name),
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
    let mut world = World::with_sample_site();
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Sleep(pause) => thread::sleep(Duration::from_secs_f64(pause.seconds)),
            Step::Request(exchange) => {
                let outcome = world.perform(exchange);
                judge.hear(number, exchange, &outcome);
            }
        }
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
    /// Whether a step so far asked the Admin API in vain.
    missed_the_admin_api: bool,
    failures: String,
    failed: usize,
}

impl Judge {
    fn hear(&mut self, number: usize, exchange: &Exchange, outcome: &Outcome) {
        let verdict = match self.left_out.get(&number) {
            Some(reason) => self.on_left_out(*reason, exchange, outcome),
            None => self.on_replayed(number, &outcome.differences),
        };
        if let Err(complaint) = verdict {
            self.failed += 1;
            self.failures
                .push_str(&report(number, exchange, outcome, &complaint));
        }
    }

    /// A step that is left out really cannot agree, for the reason that is given.
    fn on_left_out(
        &mut self,
        reason: Reason,
        exchange: &Exchange,
        outcome: &Outcome,
    ) -> Result<(), String> {
        let refuse = |text: &str| Err(format!("stands in left_out.toml, but {text}"));
        if outcome.differences.is_empty() {
            return refuse("agrees: take it off");
        }
        match reason {
            Reason::AsksTheAdminApi => {
                if !exchange.asks_the_admin_api() {
                    return refuse("does not ask the Admin API");
                }
                if outcome.status.is_some_and(|status| status != NOT_FOUND) {
                    return refuse("the Admin API answers it");
                }
                self.missed_the_admin_api = true;
            }
            Reason::ShowsWhatWasWritten if !self.missed_the_admin_api => {
                return refuse("no step before it asks the Admin API");
            }
            Reason::ShowsTheSetup => {
                let wanted = format!("wanted \"{NAME_AT_SETUP}\"");
                let shows_it = |one: &Difference| one.text.starts_with(&wanted);
                if !outcome.differences.iter().all(shows_it) {
                    return refuse("shows more than the name at the setup");
                }
            }
            Reason::ShowsWhatWasWritten => {}
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
            (self.contradictions.len(), "contradict the specification"),
            (left_out(Reason::AsksTheAdminApi), "ask the Admin API"),
            (
                left_out(Reason::ShowsWhatWasWritten),
                "show what was written through it",
            ),
            (
                left_out(Reason::ShowsTheSetup),
                "show the name at the setup",
            ),
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
fn report(number: usize, exchange: &Exchange, outcome: &Outcome, complaint: &str) -> String {
    let about = exchange.about.as_deref().unwrap_or(&exchange.path);
    let mut report = format!("step {number} ({about}) {complaint}\n");
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

    fn exchange(path: &str) -> Exchange {
        serde_json::from_value(serde_json::json!({"path": path, "auth": "none", "expect": {}}))
            .unwrap()
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
        let mut hear = |reason, path, status, places: &[&str]| {
            let outcome = Outcome {
                request: None,
                status: Some(status),
                differences: differences(places),
            };
            judge.on_left_out(reason, &exchange(path), &outcome).is_ok()
        };
        let admin = "/ghost/api/admin/posts/";

        assert!(!hear(Reason::ShowsWhatWasWritten, "/", 200, &["json.a"]));
        assert!(!hear(Reason::AsksTheAdminApi, "/", 404, &["json.a"]));
        assert!(!hear(Reason::AsksTheAdminApi, admin, 401, &["status"]));
        assert!(!hear(Reason::AsksTheAdminApi, admin, 404, &[]));
        assert!(hear(Reason::AsksTheAdminApi, admin, 404, &["status"]));
        assert!(hear(Reason::ShowsWhatWasWritten, "/", 200, &["json.a"]));
        assert!(!hear(Reason::ShowsTheSetup, "/", 200, &["json.a"]));
    }
}
