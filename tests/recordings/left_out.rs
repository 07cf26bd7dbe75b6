//! `left_out.toml`: the steps that cannot agree before there is what they need.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::steps::Steps;

/// Why a step is left out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It asks an endpoint that is not there yet.
    AsksWhatIsToCome,
    /// It shows what steps before it would have done there, or needs a value that those keep.
    ShowsWhatIsToCome,
}

/// The entry of a scenario.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    #[serde(default)]
    ask_what_is_to_come: Steps,
    #[serde(default)]
    show_what_is_to_come: Steps,
}

fn all() -> BTreeMap<String, Entry> {
    toml::from_str(&crate::read("left_out.toml"))
        .unwrap_or_else(|error| panic!("left_out.toml: {error}"))
}

/// The names of scenarios of which steps are left out.
pub fn scenarios() -> Vec<String> {
    all().into_keys().collect()
}

/// The steps of a scenario that are left out.
pub fn steps_of(scenario: &str) -> BTreeMap<usize, Reason> {
    let Some(entry) = all().remove(scenario) else {
        return BTreeMap::new();
    };
    let lists = [
        (entry.ask_what_is_to_come, Reason::AsksWhatIsToCome),
        (entry.show_what_is_to_come, Reason::ShowsWhatIsToCome),
    ];
    let mut steps = BTreeMap::new();
    for (list, reason) in lists {
        for step in list.iter() {
            let former = steps.insert(step, reason);
            assert!(
                former.is_none(),
                "left_out.toml has {scenario} {step} twice"
            );
        }
    }
    steps
}
