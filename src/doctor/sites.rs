//! The site: its server responds, or else its store can be read.

use std::sync::Arc;

use super::{
    examined_site::{ExaminedSite, SiteValues},
    finding::UnnamedFinding,
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
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let (values, outcomes) = match DataFolder::owner_of(&examined.config.data) {
        Ok(Some(owner)) => served(examined, owner),
        Ok(None) => on_disk(examined),
        Err(error) => {
            let outcome = UnnamedFinding::error(error.to_string(), "Run this again in a moment.");
            (SiteValues::default(), vec![outcome])
        }
    };
    // Only this check sets them.
    let _ = examined.site.set(values);
    outcomes
}

/// Asks the process that has the data folder.
fn served(examined: &ExaminedSite, owner: Owner) -> (SiteValues, Vec<UnnamedFinding>) {
    let command = Command::Examine {
        challenge: examined.challenge.clone(),
    };
    let reply = control::ask(&examined.config.data, &owner, &command, &mut |_| {});
    let (examination, outcome) = match reply {
        Ok(Reply::Examined(site)) => {
            let outcome = state_of(&site, &format!("served by {owner}"));
            (Some(*site), outcome)
        }
        Ok(Reply::Failed(reason)) => (
            None,
            UnnamedFinding::error(format!("{owner}: {reason}"), RESTART),
        ),
        Ok(_) => (
            None,
            UnnamedFinding::error(format!("{owner} sends another reply"), RESTART),
        ),
        Err(error) => (None, UnnamedFinding::error(error.to_string(), RESTART)),
    };
    let values = SiteValues {
        server: Some(owner),
        examination,
    };
    (values, vec![outcome])
}

fn on_disk(examined: &ExaminedSite) -> (SiteValues, Vec<UnnamedFinding>) {
    let config = &examined.config;
    let skipped = |reason: String| (SiteValues::default(), vec![UnnamedFinding::skipped(reason)]);
    if let Some(url) = &config.store_url {
        return skipped(format!(
            "it is in {url}, and no process serves it with this data folder"
        ));
    }
    if let Err(error) = DataFolder::refuse_replica(&config.data) {
        let advice = "Set store.url for this command as it is set for the server; `systemctl cat galley` and its EnvironmentFile show where.";
        let outcome = UnnamedFinding::error(error.to_string(), advice);
        return (SiteValues::default(), vec![outcome]);
    }
    if !config.data.join(STORE).exists() {
        return skipped("there is none yet".to_owned());
    }
    match read(examined) {
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
            let outcome = UnnamedFinding::error(error.to_string(), advice);
            (SiteValues::default(), vec![outcome])
        }
    }
}

fn read(examined: &ExaminedSite) -> Result<Examination, AppError> {
    let site = app::site_without_lock(&examined.config)?;
    let context = app::offline_context(&examined.config, Arc::clone(&site))?;
    let challenge = examined.challenge.clone();
    match control::execute(&context, &Command::Examine { challenge }, &NoProgress) {
        Reply::Examined(site) => Ok(*site),
        Reply::Failed(reason) => {
            Err(crate::error::Error::internal(std::io::Error::other(reason)).into())
        }
        _ => unreachable!("invariant: the reply to Examine is Examined or Failed"),
    }
}

fn state_of(site: &Examination, how: &str) -> UnnamedFinding {
    let status = &site.status;
    let message = format!("{}, revision {}, {how}", status.title, status.revision);
    if let Some(time) = status.store_lost_since {
        return UnnamedFinding::error(
            format!(
                "{message}; the database is not available since {time:.0}: readers are served, changes are refused"
            ),
            "See the check of the database.",
        );
    }
    if let Some(refusal) = &status.store_refusal {
        return UnnamedFinding::error(
            format!(
                "{message}; the store accepts no changes since {:.0}: {}",
                refusal.since, refusal.reason
            ),
            "See the checks of the data folder and the database.",
        );
    }
    if let Some(failure) = &status.content_failure {
        return UnnamedFinding::error(
            format!(
                "{message}; the content files could not be read into the store since {:.0}: {}",
                failure.since, failure.reason
            ),
            "The previous content is served. Remove the cause; the server tries again each second.",
        );
    }
    let errors = status.problems.iter().filter(|problem| problem.is_error());
    match errors.count() {
        0 => UnnamedFinding::ok(message),
        count => UnnamedFinding::warning(
            format!("{message}; content files have {count} errors"),
            "`galley check` shows them.",
        ),
    }
}
