//! Checks the site: its server responds, or else its store can be read.

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

/// The advice for a server that does not respond as expected.
const RESTART: &str = "See its log (`journalctl -u galley`). If it hangs, restart it.";

/// Obtains the values of the site for the other checks.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let (values, outcomes) = match DataFolder::owner_of(&examined.config.data) {
        Ok(Some(owner)) => served(examined, owner),
        Ok(None) => on_disk(examined),
        Err(error) => {
            let outcome = UnnamedFinding::error(error.to_string(), "Run this again in a moment.");
            (SiteValues::default(), vec![outcome])
        }
    };
    // Only this check sets the values.
    let _ = examined.site.set(values);
    outcomes
}

/// Queries the process that has the data folder open.
fn served(examined: &ExaminedSite, owner: Owner) -> (SiteValues, Vec<UnnamedFinding>) {
    let command = Command::Examine {
        challenge: examined.challenge.clone(),
    };
    let reply = control::ask(&examined.config.data, &owner, &command, &mut |_| {});
    let failed = |message: String| (None, vec![UnnamedFinding::error(message, RESTART)]);
    let (examination, outcomes) = match reply {
        Ok(Reply::Examined(site)) => {
            let outcomes = states_of(&site, &format!("served by {owner}"));
            (Some(*site), outcomes)
        }
        Ok(Reply::Failed(reason)) => failed(format!("{owner}: {reason}")),
        Ok(_) => failed(format!("{owner} sent an unexpected reply")),
        Err(error) => failed(error.to_string()),
    };
    let values = SiteValues {
        server: Some(owner),
        examination,
    };
    (values, outcomes)
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
            let outcomes = states_of(&site, "not being served; the store is whole");
            let values = SiteValues {
                server: None,
                examination: Some(site),
            };
            (values, outcomes)
        }
        // The other process changes the file that was being read.
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

fn states_of(site: &Examination, how: &str) -> Vec<UnnamedFinding> {
    let status = &site.status;
    let message = format!("{}, revision {}, {how}", status.title, status.revision);
    let lost = status.store_lost_since.map(|time| {
        UnnamedFinding::error(
            format!(
                "{message}; the database is not available since {time:.0}: readers are served, changes are refused"
            ),
            "See the check of the database.",
        )
    });
    let refused = status.store_refusal.as_ref().map(|refusal| {
        UnnamedFinding::error(
            format!(
                "{message}; the store accepts no changes since {:.0}: {}",
                refusal.since, refusal.reason
            ),
            "See the checks of the data folder and the database.",
        )
    });
    let unread = status.content_failure.as_ref().map(|failure| {
        UnnamedFinding::error(
            format!(
                "{message}; the content files could not be read into the store since {:.0}: {}",
                failure.since, failure.reason
            ),
            "The previous content is served. Remove the cause; the server tries again each second.",
        )
    });
    let mut findings: Vec<_> = [lost, refused, unread].into_iter().flatten().collect();
    let errors = status.problems.iter().filter(|problem| problem.is_error());
    match errors.count() {
        0 if findings.is_empty() => findings.push(UnnamedFinding::ok(message)),
        0 => {}
        count => findings.push(UnnamedFinding::warning(
            format!("{message}; content files have {count} errors"),
            "`galley check` shows them.",
        )),
    }
    findings
}
