//! The site: its server responds, or else its store can be read.

use std::sync::Arc;

use super::{
    finding::Outcome,
    subject::{SiteValues, Subject},
};
use crate::{
    app,
    app::AppError,
    control::{self, Command, Examination, Reply},
    data_folder::{DataFolder, Owner, STORE},
    progress::NoProgress,
};

/// Advice for a server that does not respond as it should.
const RESTART: &str = "See its log (`journalctl -u galley`). If it hangs, restart it.";

/// Finds the values of the site for the other checks.
pub(super) fn check(subject: &Subject) -> Vec<Outcome> {
    let (values, outcomes) = match DataFolder::owner_of(&subject.config.data) {
        Ok(Some(owner)) => served(subject, owner),
        Ok(None) => on_disk(subject),
        Err(error) => {
            let outcome = Outcome::error(error.to_string(), "Run this again in a moment.");
            (SiteValues::default(), vec![outcome])
        }
    };
    // Only this check sets them.
    let _ = subject.site.set(values);
    outcomes
}

/// Asks the process that has the data folder.
fn served(subject: &Subject, owner: Owner) -> (SiteValues, Vec<Outcome>) {
    let command = Command::Examine {
        challenge: subject.challenge.clone(),
    };
    let reply = control::ask(&subject.config.data, &owner, &command, &mut |_| {});
    let (examination, outcome) = match reply {
        Ok(Reply::Examined(site)) => {
            let outcome = state_of(&site, &format!("served by {owner}"));
            (Some(*site), outcome)
        }
        Ok(Reply::Failed(reason)) => (None, Outcome::error(format!("{owner}: {reason}"), RESTART)),
        Ok(_) => (
            None,
            Outcome::error(format!("{owner} sends another reply"), RESTART),
        ),
        Err(error) => (None, Outcome::error(error.to_string(), RESTART)),
    };
    let values = SiteValues {
        server: Some(owner),
        examination,
    };
    (values, vec![outcome])
}

fn on_disk(subject: &Subject) -> (SiteValues, Vec<Outcome>) {
    let config = &subject.config;
    let skipped = |reason: String| (SiteValues::default(), vec![Outcome::skipped(reason)]);
    if let Some(url) = &config.store_url {
        return skipped(format!(
            "it is in {url}, and no process serves it with this data folder"
        ));
    }
    if !config.data.join(STORE).exists() {
        return skipped("there is none yet".to_owned());
    }
    match read(subject) {
        Ok(site) => {
            let outcome = state_of(&site, "not being served; the store is whole");
            let values = SiteValues {
                server: None,
                examination: Some(site),
            };
            (values, vec![outcome])
        }
        // It changes the file that was being read.
        Err(_) if matches!(DataFolder::owner_of(&config.data), Ok(Some(_))) => {
            skipped("a process opened it meanwhile; run this again".to_owned())
        }
        Err(error) => {
            let advice = "Keep a copy of the folder, and restore the newest backup into another one: `galley restore FILE --data DIR`.";
            let outcome = Outcome::error(error.to_string(), advice);
            (SiteValues::default(), vec![outcome])
        }
    }
}

fn read(subject: &Subject) -> Result<Examination, AppError> {
    let site = app::site_without_lock(&subject.config)?;
    let context = app::offline_context(&subject.config, Arc::clone(&site))?;
    let challenge = subject.challenge.clone();
    match control::execute(&context, &Command::Examine { challenge }, &NoProgress) {
        Reply::Examined(site) => Ok(*site),
        Reply::Failed(reason) => {
            Err(crate::error::Error::internal(std::io::Error::other(reason)).into())
        }
        _ => unreachable!("invariant: the reply to Examine is Examined or Failed"),
    }
}

fn state_of(site: &Examination, how: &str) -> Outcome {
    let status = &site.status;
    let message = format!("{}, revision {}, {how}", status.title, status.revision);
    if let Some(time) = status.store_lost_since {
        return Outcome::error(
            format!(
                "{message}; the database is not available since {time}: readers are served, changes are refused"
            ),
            "See the check of the database.",
        );
    }
    let errors = status.problems.iter().filter(|problem| problem.is_error());
    match errors.count() {
        0 => Outcome::ok(message),
        count => Outcome::warning(
            format!("{message}; content files have {count} errors"),
            "`galley check` shows them.",
        ),
    }
}
