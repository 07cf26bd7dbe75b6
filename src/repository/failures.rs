//! Failed attempts to pull, push or commit: their retries, and the notifications of staff about waiting edits.

use std::time::Duration;

use jiff::Timestamp;

use crate::{
    content_files::{PullFailure, RefusedCommit},
    domain::notification::Notification,
    site::LeasedSite,
};

/// Name of the notification about edits that wait for the repository.
const WAITING_EDITS: &str = "git-edits-wait";

/// Name of the notification about a refused commit.
const REFUSED_COMMIT: &str = "git-commit-refused";

/// The schedule by which failed attempts are retried.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    /// The delay before the first retry. It doubles with each retry.
    pub first: Duration,
    /// The maximum delay.
    pub longest: Duration,
    /// Number of consecutive failures after which the staff are notified, if edits wait.
    pub notified_after: u32,
}

impl Retries {
    /// Returns the delay after this number of consecutive failures.
    pub fn delay(&self, attempts: u32) -> Duration {
        // The exponent is limited, because a shift by 32 or more overflows.
        let doubled = self
            .first
            .saturating_mul(1 << attempts.saturating_sub(1).min(16));
        doubled.min(self.longest)
    }

    /// Returns the failure after `before`, with this message, and notifies the staff once the number of failures reaches
    /// the limit.
    pub fn failed(
        &self,
        before: Option<&PullFailure>,
        message: String,
        site: &LeasedSite,
    ) -> PullFailure {
        let attempts = before.map_or(0, |before| before.attempts).saturating_add(1);
        let failed_at = site.now();
        // Equal, not greater: the notification stays until it is ended.
        if attempts == self.notified_after {
            notify(site, &message);
        }
        PullFailure {
            message,
            failed_at,
            attempts,
            tried_again_at: failed_at
                .saturating_add(self.delay(attempts))
                .unwrap_or(failed_at),
        }
    }
}

impl PullFailure {
    /// Returns the time until the next attempt.
    pub(super) fn until_next(&self, now: Timestamp) -> Duration {
        Duration::try_from(self.tried_again_at.duration_since(now)).unwrap_or_default()
    }
}

/// Notifies the staff that their edits wait for the repository.
fn notify(site: &LeasedSite, problem: &str) {
    let notified = site.write(|change| match change.catalog().file_edits.count() {
        0 => Ok(()),
        waiting => {
            let edits = if waiting == 1 {
                "edit waits"
            } else {
                "edits wait"
            };
            let text = format!("{waiting} {edits} for the repository: {problem}");
            let alert = Notification::alert(WAITING_EDITS, &text, change.now());
            change.notify(alert).map(drop)
        }
    });
    if let Err(error) = notified {
        tracing::warn!(%error, "cannot notify the staff of waiting edits");
    }
}

/// Notifies the staff that a commit is refused, and that waiting edits are not pushed until another commit is served.
pub fn notify_of_refusal(site: &LeasedSite, refused: &RefusedCommit) {
    let commit = &refused.commit;
    let mut text = format!(
        "The commit \"{}\" by {} is refused, so the commit before it stays live",
        commit.subject(),
        commit.author
    );
    if let Some(problem) = refused.problems.first() {
        text.push_str(&format!(": {}: {}", problem.file, problem.message));
    }
    text.push_str(". Edits wait until the repository has a commit without errors.");
    let notified = site.write(|change| {
        let alert = Notification::alert(REFUSED_COMMIT, &text, change.now());
        change.notify(alert).map(drop)
    });
    if let Err(error) = notified {
        tracing::warn!(%error, "cannot notify the staff of a refused commit");
    }
}

/// Ends the notification about a refused commit.
pub fn end_refusal(site: &LeasedSite) {
    end(site, REFUSED_COMMIT);
}

/// Ends the notification that edits wait.
pub fn end_notification(site: &LeasedSite) {
    end(site, WAITING_EDITS);
}

fn end(site: &LeasedSite, notification: &str) {
    // A write without effect would still be a commit, which clears the cached responses.
    let is_shown = site.current().notifications().map(|all| {
        let mut names = all.iter().map(|known| &*known.name);
        names.any(|name| name == notification)
    });
    if let Ok(false) = is_shown {
        return;
    }
    let ended = site.write(|change| {
        change.end_notification(notification);
        Ok(())
    });
    if let Err(error) = ended {
        tracing::warn!(%error, "cannot remove a notification about the repository");
    }
}
