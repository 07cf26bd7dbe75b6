//! Failed attempts to pull, push or commit: their retries, and the notifications of staff about waiting edits.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::{
    content_files::{PullFailure, RefusedCommit},
    domain::notification::Notification,
    error::Result,
    site::LeasedSite,
};

/// Name of the notification about edits that wait for the repository.
const WAITING_EDITS: &str = "git-edits-wait";

/// Time after which the notification about waiting edits is repeated, if edits were saved since. A repeated notification is
/// shown again to those who have dismissed it.
const REPEATED_AFTER: SignedDuration = SignedDuration::from_hours(1);

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

    /// Returns the failure after `before`, with this message. From the limit of failures on, notifies the staff of waiting
    /// edits.
    pub fn failed(
        &self,
        before: Option<&PullFailure>,
        message: String,
        site: &LeasedSite,
    ) -> PullFailure {
        let attempts = before.map_or(0, |before| before.attempts).saturating_add(1);
        let failed_at = site.now();
        // After the limit, too: the first edit may be saved late in an outage.
        if attempts >= self.notified_after
            && let Err(error) = notify(site, &message)
        {
            tracing::warn!(%error, "cannot notify the staff of waiting edits");
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

/// Notifies the staff that their edits wait for the repository, unless they know.
fn notify(site: &LeasedSite, problem: &str) -> Result<()> {
    // Checked before the transaction: a write without effect would still be a commit.
    if !are_unreported(site)? {
        return Ok(());
    }
    site.write(|change| {
        let waiting = change.catalog().file_edits.count();
        let edits = if waiting == 1 {
            "edit waits"
        } else {
            "edits wait"
        };
        let text = format!("{waiting} {edits} for the repository: {problem}");
        let alert = Notification::alert(WAITING_EDITS, &text, change.now());
        change.notify(alert).map(drop)
    })
}

/// Returns whether edits wait without a notification, or were saved since a notification that may be repeated.
fn are_unreported(site: &LeasedSite) -> Result<bool> {
    let snapshot = site.current();
    if snapshot.catalog.file_edits.count() == 0 {
        return Ok(false);
    }
    let mut notifications = snapshot.notifications()?.into_iter();
    let Some(last) = notifications.find(|known| &*known.name == WAITING_EDITS) else {
        return Ok(true);
    };
    if site.now().duration_since(last.created_at) < REPEATED_AFTER {
        return Ok(false);
    }
    let edits = [snapshot.file_edits()?, snapshot.edits_to_commit()?].concat();
    // Equal times count, because times are in whole seconds.
    Ok(edits.iter().any(|edit| edit.edited_at >= last.created_at))
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::{
        clock::ManualClock,
        domain::file_edit::FileEdit,
        id::Id,
        site::Site,
        store::{Table, memory::MemoryStore},
    };

    const RETRIES: Retries = Retries {
        first: Duration::from_secs(2),
        longest: Duration::from_secs(600),
        notified_after: 3,
    };

    /// A site whose repository does not respond.
    struct Outage {
        site: LeasedSite,
        clock: Arc<ManualClock>,
        failure: Option<PullFailure>,
    }

    impl Outage {
        fn begin() -> Self {
            let clock = Arc::new(ManualClock::new(at(0)));
            let site = Site::open(Box::new(MemoryStore::new()), clock.clone()).unwrap();
            Self {
                site: LeasedSite::from(Arc::new(site)),
                clock,
                failure: None,
            }
        }

        /// Fails once, `minute` minutes after the beginning.
        fn fail(&mut self, minute: i64) {
            self.clock.set(at(minute));
            let failure = RETRIES.failed(self.failure.as_ref(), "no route".into(), &self.site);
            self.failure = Some(failure);
        }

        /// Saves a new post, `minute` minutes after the beginning.
        fn save(&self, number: u64, minute: i64) {
            let edit = json!({
                "number": number, "path": format!("posts/{number}.md"), "after": "text",
                "title": "A", "editor": { "name": "Ada" }, "saves": 1,
                "begun_at": at(minute), "edited_at": at(minute),
            });
            let edit: FileEdit = serde_json::from_value(edit).unwrap();
            self.site
                .write(|change| {
                    change.put(Table::FileEdits, &number.to_be_bytes(), &edit)?;
                    change.rebase_file_edits(std::slice::from_ref(&edit))
                })
                .unwrap();
        }

        fn notification(&self) -> Option<Notification> {
            self.site.current().notifications().unwrap().pop()
        }

        /// Returns the message to a user who has dismissed earlier ones, and dismisses it.
        fn new_message(&self) -> Option<String> {
            let reader = Id::derive("user", "ada");
            let mut shown = self.notification()?;
            if shown.dismissed_by.contains(&reader) {
                return None;
            }
            shown.dismissed_by.push(reader);
            self.site
                .write(|change| change.save_notification(&shown))
                .unwrap();
            Some(shown.message.into())
        }
    }

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + 60 * minute).unwrap()
    }

    #[test]
    fn edit_saved_late_in_an_outage_is_notified() {
        let mut outage = Outage::begin();
        (0..5).for_each(|minute| outage.fail(minute));
        assert_eq!(outage.notification(), None, "no edit waits");
        outage.save(1, 5);

        outage.fail(6);

        let message = outage.new_message().unwrap();
        assert_eq!(message, "1 edit waits for the repository: no route");
    }

    #[test]
    fn waiting_edits_are_notified_hourly_at_most_and_only_after_another_save() {
        let mut outage = Outage::begin();
        outage.save(1, 0);
        (1..4).for_each(|minute| outage.fail(minute));
        assert!(outage.new_message().is_some());
        outage.save(2, 10);
        (11..60).for_each(|minute| {
            outage.fail(minute);
            assert_eq!(outage.new_message(), None, "after {minute} minutes");
        });

        outage.fail(63);

        let message = outage.new_message().unwrap();
        assert_eq!(message, "2 edits wait for the repository: no route");
        for hour in 2..5 {
            outage.fail(63 + 60 * hour);
            assert_eq!(outage.new_message(), None, "no edit was saved since");
        }
    }
}
