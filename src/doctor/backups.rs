//! Checks the scheduled backups.

use std::{env, time::Duration};

use jiff::Timestamp;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::{
    backup::{AHEAD_MAX, Moment, ScheduleOptions, StoredBackup, restore_points},
    clock::{Clock, SystemClock},
};

/// Tolerated delay of a backup: its own duration, and one repeated attempt.
const LATE: Duration = Duration::from_secs(2 * 3600);

/// Lists the whole backups and the moments at the destination.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(options) = &examined.config.backups else {
        return vec![UnnamedFinding::warning(
            "none are made: backup.to is not set",
            "Set backup.to to a folder on another disk, or to a bucket: docs/backup.md.",
        )];
    };
    let to = &options.destination;
    if let Err(error) = to.check_key() {
        return vec![UnnamedFinding::skipped(error.to_string())];
    }
    let mut outcomes = Vec::new();
    let status = examined
        .examination()
        .and_then(|site| site.status.backups.as_ref());
    let last = status.and_then(|status| status.last.as_ref());
    match restore_points(to, &env::temp_dir()) {
        Ok(points) => outcomes.push(newest(examined, options, (&points, last))),
        Err(error) => outcomes.push(UnnamedFinding::error(
            error.to_string(),
            "Check backup.to, its rights, and for a bucket the endpoint and the keys.",
        )),
    }
    if let Some(failure) = status.and_then(|status| status.failure.as_ref()) {
        outcomes.push(UnnamedFinding::error(
            format!(
                "the last attempt failed at {:.0} (attempt {}): {}",
                failure.failed_at, failure.attempts, failure.message
            ),
            "The server repeats the attempt. Fix the cause.",
        ));
    }
    outcomes
}

/// Reports the newest of the listed backups. `last` is the last one that the server recorded.
fn newest(
    examined: &ExaminedSite,
    options: &ScheduleOptions,
    (points, last): (&[Moment], Option<&StoredBackup>),
) -> UnnamedFinding {
    let to = &options.destination;
    let advice = if examined.server().is_some() {
        "See the log of the server for the reason. `galley backup` makes one now."
    } else {
        "Backups are made while the site is served. `galley backup` makes one now."
    };
    let is_listed = |last: &StoredBackup| points.iter().any(|point| point.name == last.name);
    if let Some(last) = last.filter(|last| !is_listed(last)) {
        return UnnamedFinding::error(
            format!("the last one, {}, is no longer in {to}", last.name),
            "Find out what deleted it. The server notices it and writes a whole state; `galley backup` makes a backup now.",
        );
    }
    let now = SystemClock.now();
    // A backup with a time in the future was written by a clock that was ahead, so its age is
    // meaningless.
    let is_past = |point: &&Moment| point.created_at <= now + AHEAD_MAX;
    let Some(newest) = points.iter().rev().find(is_past).or(points.last()) else {
        return UnnamedFinding::warning(format!("there is none in {to}"), advice);
    };
    let age = age(newest.created_at, now);
    let count = points.len();
    let message = format!("{count} in {to}, the newest is {} old", in_words(age));
    if age > 2 * options.every + LATE {
        UnnamedFinding::error(message, advice)
    } else {
        UnnamedFinding::ok(message)
    }
}

fn age(created_at: Timestamp, now: Timestamp) -> Duration {
    Duration::try_from(now.duration_since(created_at)).unwrap_or_default()
}

fn in_words(time: Duration) -> String {
    let minutes = time.as_secs() / 60;
    match (minutes / (24 * 60), minutes / 60) {
        (0, 0) => format!("{minutes} minutes"),
        (0 | 1, hours) => format!("{hours} hours"),
        (days, _) => format!("{days} days"),
    }
}
