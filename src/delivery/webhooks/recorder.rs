//! Records the results of deliveries, many in one commit. Also runs tasks that take several commits.

use std::{
    sync::{MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::queues::{QueueTask, Queues};
use crate::{
    delivery::webhooks::shared_state::{STOP_PATIENCE, SharedState},
    domain::webhook_delivery::{AttemptResult, End},
    error::{Error, Result},
    site::LeasedSite,
};

/// Minimum time between two commits of results. A result after a quiet time is recorded immediately,
/// so that it is visible when the receiver checks. The following results are collected for this long;
/// a crash can repeat their deliveries.
const COLLECTED_FOR: Duration = Duration::from_millis(50);

/// Number of results at which they are recorded without further waiting.
const ENOUGH: usize = 500;

/// Time between a failure and the next attempt to record.
const PAUSE: Duration = Duration::from_secs(1);

/// Records results until the program stops and the requests in flight have finished or timed out.
pub(super) fn run(shared: &SharedState, site: &LeasedSite) {
    let mut stops_at = None;
    let mut recorded_at = None;
    loop {
        let mut queues = wait_for_work(shared, recorded_at, &mut stops_at);
        let results = queues.take_results();
        let task = queues.next_task();
        // Decided under the same lock as the results are taken, so that no result of the last
        // sender is lost.
        let is_over = queues.is_stopping
            // The results that were taken above are still recorded before the thread ends.
            && (queues.senders == 0 || stops_at.is_some_and(|at| Instant::now() >= at));
        // Released because a commit waits for the disk, while senders need the lock.
        drop(queues);
        let is_recorded = results.is_empty() || {
            // The time before the commit, so that the duration of a slow commit is not added to the
            // pause.
            recorded_at = Some(Instant::now());
            record(shared, site, results)
        };
        if is_over {
            return;
        }
        if let Some(task) = task {
            do_step(shared, site, task);
        }
        if !is_recorded {
            pause(shared);
        }
    }
}

/// Waits until there is a task, or there is a result and the last commit, at `recorded_at`, is long
/// enough ago.
fn wait_for_work<'s>(
    shared: &'s SharedState,
    recorded_at: Option<Instant>,
    stops_at: &mut Option<Instant>,
) -> MutexGuard<'s, Queues> {
    let queues = shared.queues();
    let waited = shared
        .record
        .wait_while(queues, |queues| !queues.has_work() && !queues.is_stopping);
    let mut queues = waited.unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    if queues.is_stopping {
        // Waits for the requests in flight, whose results can still be recorded.
        let until = *stops_at.get_or_insert(now + STOP_PATIENCE);
        let waiting = |queues: &mut Queues| queues.senders > 0;
        let remaining = until.saturating_duration_since(now);
        let waited = shared.record.wait_timeout_while(queues, remaining, waiting);
        return waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    let collected_for = time_to_collect(recorded_at, now);
    if queues.result_count() > 0 && !collected_for.is_zero() {
        let waiting = |queues: &mut Queues| queues.result_count() < ENOUGH && !queues.is_stopping;
        let waited = shared
            .record
            .wait_timeout_while(queues, collected_for, waiting);
        queues = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    queues
}

/// Returns how much longer results are collected: zero if the last commit is long enough ago.
fn time_to_collect(recorded_at: Option<Instant>, now: Instant) -> Duration {
    recorded_at.map_or(Duration::ZERO, |at| {
        COLLECTED_FOR.saturating_sub(now.duration_since(at))
    })
}

/// Records these results. Returns `false` if that failed; the results are then retained.
fn record(shared: &SharedState, site: &LeasedSite, results: Vec<AttemptResult>) -> bool {
    let recorded = site.write(|change| change.record_webhook_results(&results));
    let mut queues = shared.queues();
    if let Err(error) = recorded {
        // Before the lock is released, so that senders see that recording fails.
        queues.put_back(results);
        drop(queues);
        log_error(
            "the results of webhook deliveries could not be recorded; trying again",
            &error,
        );
        return false;
    }
    let gives_up_older = |result: &AttemptResult| matches!(result.end, End::FailedWithOlder(..));
    let older = results.iter().filter(|result| gives_up_older(result));
    let tasks = older.map(|result| QueueTask::FailOlder(result.webhook));
    queues.recorded(&results, tasks.collect());
    drop(queues);
    // Wakes senders that waited because too many results were unrecorded.
    shared.queue_ready.notify_all();
    shared.wake_scheduler();
    true
}

/// Runs one step of a task.
fn do_step(shared: &SharedState, site: &LeasedSite, task: QueueTask) {
    let step: Result<bool> = site.write(|change| match task {
        QueueTask::DeleteRows(webhook) => change.clear_deliveries(webhook),
        QueueTask::FailOlder(webhook) => change.fail_older_deliveries(webhook),
    });
    // After an error, the number of remaining rows is unknown, so the step is repeated.
    let has_more = *step.as_ref().unwrap_or(&true);
    shared.queues().finish_step(task, has_more);
    if !has_more {
        shared.wake_scheduler();
    }
    if let Err(error) = step {
        log_error(
            "the queue of a webhook could not be cleared; trying again",
            &error,
        );
        pause(shared);
    }
}

/// Waits after a failure, unless the program stops.
fn pause(shared: &SharedState) {
    let queues = shared.queues();
    let waiting = |queues: &mut Queues| !queues.is_stopping;
    drop(shared.record.wait_timeout_while(queues, PAUSE, waiting));
}

fn log_error(what: &str, error: &Error) {
    tracing::error!(cause = error.cause(), "{what}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_after_an_idle_period_is_recorded_at_once() {
        let now = Instant::now();
        assert_eq!(time_to_collect(None, now), Duration::ZERO);
        assert_eq!(time_to_collect(Some(now), now), COLLECTED_FOR);
        assert_eq!(
            time_to_collect(Some(now), now + COLLECTED_FOR),
            Duration::ZERO
        );
    }
}
