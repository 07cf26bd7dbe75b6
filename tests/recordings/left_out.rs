//! `left_out.toml`: the steps that cannot agree before there is what they need.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::{scenario::Step, steps::Steps};

/// Where the Admin API is.
const ADMIN: &str = "/ghost/api/admin/";

/// Why a step is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It asks an endpoint that is not there yet.
    AsksWhatIsToCome,
    /// It shows what steps before it would have done there, or needs a value that those keep.
    ShowsWhatIsToCome,
}

/// The whole list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LeftOut {
    /// What is not there yet: the beginnings of paths of the Admin API, maybe with a method in front.
    #[serde(default)]
    to_come: Vec<String>,
    /// Steps that show something of it, for each scenario.
    #[serde(default)]
    show_what_is_to_come: BTreeMap<String, Steps>,
}

impl LeftOut {
    /// Reads the list.
    pub fn read() -> Self {
        toml::from_str(&crate::read("left_out.toml"))
            .unwrap_or_else(|error| panic!("left_out.toml: {error}"))
    }

    /// The names of scenarios of which it names steps.
    pub fn scenarios(&self) -> impl Iterator<Item = &str> {
        self.show_what_is_to_come.keys().map(String::as_str)
    }

    /// The steps of a scenario that are left out.
    pub fn steps_of(&self, scenario: &str, steps: &[Step]) -> BTreeMap<usize, Reason> {
        let asks = |(number, step): (usize, &Step)| self.is_to_come(step).then_some(number);
        let asking: BTreeSet<usize> = steps.iter().enumerate().filter_map(asks).collect();
        let showing = self.show_what_is_to_come.get(scenario);
        let showing: BTreeSet<usize> = showing.into_iter().flat_map(Steps::iter).collect();
        let twice = asking.intersection(&showing).next();
        assert!(
            twice.is_none(),
            "left_out.toml has {scenario} {twice:?} twice"
        );
        let asking = asking
            .into_iter()
            .map(|step| (step, Reason::AsksWhatIsToCome));
        let showing = showing
            .into_iter()
            .map(|step| (step, Reason::ShowsWhatIsToCome));
        asking.chain(showing).collect()
    }

    fn is_to_come(&self, step: &Step) -> bool {
        let Step::Request(exchange) = step else {
            return false;
        };
        let Some(path) = exchange.path.strip_prefix(ADMIN) else {
            return false;
        };
        self.to_come
            .iter()
            .any(|to_come| match to_come.split_once(' ') {
                Some((method, beginning)) => {
                    exchange.method == method && path.starts_with(beginning)
                }
                None => path.starts_with(to_come.as_str()),
            })
    }
}

#[test]
fn steps_are_left_out_by_what_they_ask_and_by_their_numbers() {
    let list: LeftOut = toml::from_str(
        "to_come = [\"members/\", \"POST db/backup/\"]\n[show_what_is_to_come]\nsome = [\"3\"]",
    )
    .unwrap();
    let step = |method: &str, path: &str| -> Step {
        let step =
            serde_json::json!({"method": method, "path": path, "auth": "none", "expect": {}});
        serde_json::from_value(step).unwrap()
    };
    let steps = [
        step("GET", "/ghost/api/admin/members/1/"),
        step("POST", "/ghost/api/admin/db/backup/"),
        step("GET", "/ghost/api/admin/db/"),
        step("GET", "/ghost/api/content/posts/"),
    ];

    let expected = [
        (0, Reason::AsksWhatIsToCome),
        (1, Reason::AsksWhatIsToCome),
        (3, Reason::ShowsWhatIsToCome),
    ];
    assert_eq!(list.steps_of("some", &steps), expected.into());
    assert_eq!(list.steps_of("other", &steps).len(), 2);
}
