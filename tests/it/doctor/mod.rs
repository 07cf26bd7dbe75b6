//! Tests of `galley doctor`: each check with something that works, and something that does not.

mod addresses;
mod elsewhere;
mod mail;
mod this_machine;
mod unchanged;

use std::{fs, path::Path};

use galley_tests::{
    command_line::{CommandOutput, galley, run_on_data},
    folder::Folder,
};
use serde_json::Value;

/// The report of `galley doctor --json`.
struct Report {
    code: Option<i32>,
    json: Value,
}

impl Report {
    fn of(output: &CommandOutput) -> Self {
        Self {
            code: output.code,
            json: output.json(),
        }
    }

    /// Returns the verdict and message of each finding of a check.
    fn of_check(&self, check: &str) -> Vec<(&str, &str)> {
        let findings = self.json["findings"].as_array().expect("a list");
        let of_check = findings.iter().filter(|found| found["check"] == check);
        let text =
            |found: &'static str| move |finding: &'_ Value| finding[found].as_str().is_some();
        let complete = text("message");
        of_check
            .inspect(|finding| assert!(complete(finding), "{finding}"))
            .map(|finding| {
                let text = |key: &str| finding[key].as_str().expect("a text");
                let has_advice = finding["advice"].is_string();
                let needs_advice = ["error", "warning"].contains(&text("verdict"));
                assert_eq!(has_advice, needs_advice, "{finding}");
                (text("verdict"), text("message"))
            })
            .collect()
    }

    /// Asserts that a check has a finding with this verdict, whose message has all of `parts`.
    fn assert(&self, check: &str, verdict: &str, parts: &[&str]) {
        let found = self.of_check(check);
        let is_it = |(own, message): &(&str, &str)| {
            *own == verdict && parts.iter().all(|part| message.contains(part))
        };
        assert!(
            found.iter().any(is_it),
            "{check}: no {verdict} {parts:?} in {found:?}"
        );
        let has_errors = self.json["errors"].as_u64().expect("a number") > 0;
        assert_eq!(self.code, Some(i32::from(has_errors)));
    }
}

/// Runs the command on the data folder `data` in `folder`, with its `galley.toml`.
fn examine(folder: &(impl AsRef<Path> + ?Sized), more: &[&str]) -> Report {
    let arguments = [&["doctor", "--json"], more].concat();
    Report::of(&run_on_data(folder, &arguments))
}

/// Runs the command with these environment variables.
fn examine_with(folder: &Folder, variables: &[(&str, &str)], more: &[&str]) -> Report {
    let arguments = [&["--data", "data", "doctor", "--json"], more].concat();
    let mut command = galley(folder, &arguments);
    command.envs(variables.iter().copied());
    Report::of(&command.output().unwrap().into())
}

/// Returns a folder with a `galley.toml` of these options.
fn configured(options: &str) -> Folder {
    let folder = Folder::new();
    fs::write(folder.top().join("galley.toml"), options).unwrap();
    folder
}

/// Returns a folder with a `galley.toml` of these options, and a site.
fn with_site(options: &str) -> Folder {
    let folder = configured(options);
    let made = run_on_data(&folder, &["key", "create", "--name", "First"]);
    assert!(made.is_success(), "{}", made.err);
    folder
}
