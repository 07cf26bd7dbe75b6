//! The scheduling of webhook queues: one queue for each webhook with waiting deliveries.
//!
//! This module never waits and does not access the store. Of a queue, only the head is in memory,
//! with its due time, and the numbers of deliveries that are finished but not recorded yet.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;

use crate::{
    domain::{
        webhook_delivery::{AttemptResult, Progress},
        webhook_retry,
    },
    id::Id,
    site::QueueHead,
};

/// Maximum number of concurrent requests.
pub(super) const SENDERS_MAX: usize = 32;

/// Maximum number of concurrent requests to suspect receivers, which failed or were slow the last
/// time, so that they do not delay others.
pub(super) const SUSPECT_MAX: usize = 16;

/// Maximum number of results that are not recorded yet, and of the bytes of their bodies. Beyond
/// that, senders wait.
const UNRECORDED_MAX: usize = 2000;
const UNRECORDED_BYTES_MAX: usize = 8 << 20;

/// The state of all queues.
#[derive(Default)]
pub(super) struct Queues {
    queues: HashMap<Id, Queue>,
    quick: VecDeque<Id>,
    suspect: VecDeque<Id>,
    suspect_in_progress: usize,
    /// The results to be recorded.
    results: Vec<AttemptResult>,
    result_bytes: usize,
    /// Tasks on queues that take several steps.
    tasks: VecDeque<QueueTask>,
    /// The number of sender threads, and how many of them are idle.
    pub senders: usize,
    pub idle: usize,
    pub is_stopping: bool,
}

/// A task that takes several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum QueueTask {
    /// Deletes the rows of a deleted webhook.
    DeleteRows(Id),
    /// Marks the older deliveries as failed permanently.
    FailOlder(Id),
}

impl QueueTask {
    pub fn webhook(self) -> Id {
        match self {
            Self::DeleteRows(webhook) | Self::FailOlder(webhook) => webhook,
        }
    }
}

/// The queue of one webhook.
#[derive(Default)]
struct Queue {
    state: QueueState,
    /// True if the last attempt failed or was slow.
    is_suspect: bool,
    /// Deliveries that are finished and may still be in the store.
    over: HashSet<u64>,
    /// The last known head with its progress.
    head: Option<(QueueHead, Progress)>,
    /// True if deliveries may have been added while the queue was processed.
    has_additions: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum QueueState {
    /// The queue is empty, or its head is not due.
    #[default]
    Resting,
    /// The queue waits for a sender.
    Ready,
    /// A sender processes the queue.
    InProgress { as_suspect: bool },
    /// The queue waits until a failure is recorded.
    Held,
    /// The queue waits until a task is done.
    RunningTask,
}

impl Queues {
    /// Returns the finished deliveries that may still be in the store. Must be called before the
    /// store is read.
    pub fn over(&self) -> HashMap<Id, HashSet<u64>> {
        let queues = self
            .queues
            .iter()
            .filter(|(_, queue)| !queue.over.is_empty());
        queues
            .map(|(id, queue)| (*id, queue.over.clone()))
            .collect()
    }

    /// Records the head of a queue. Returns whether its progress must be read.
    pub fn update_head(&mut self, head: QueueHead, is_suspect: bool) -> bool {
        let queue = self.queues.entry(head.webhook).or_insert_with(|| Queue {
            is_suspect,
            ..Queue::default()
        });
        match queue.state {
            QueueState::InProgress { .. } => {
                // The sender has already read the queue; it reads once more before it releases the
                // queue.
                queue.has_additions = true;
                false
            }
            QueueState::Ready | QueueState::Held | QueueState::RunningTask => false,
            QueueState::Resting => queue.head.as_ref().is_none_or(|(known, _)| *known != head),
        }
    }

    /// Records the progress of the head.
    pub fn update_progress(&mut self, head: QueueHead, progress: Progress) {
        if let Some(queue) = self.queues.get_mut(&head.webhook)
            && queue.state == QueueState::Resting
        {
            queue.head = Some((head, progress));
        }
    }

    /// Starts a task, unless it is already in progress.
    pub fn start_task(&mut self, task: QueueTask) {
        let queue = self.queues.entry(task.webhook()).or_default();
        // A queue in progress is not interrupted; the scheduler starts the task when it examines
        // the queue again.
        if queue.state == QueueState::Resting {
            queue.state = QueueState::RunningTask;
            self.tasks.push_back(task);
        }
    }

    /// Makes the due queues ready, ordered by due time, then by queueing time.
    pub fn wake_due(&mut self, now: Timestamp) {
        let queues = self.queues.iter_mut();
        let resting = queues.filter(|(_, queue)| queue.state == QueueState::Resting);
        let mut due: Vec<_> = resting
            .filter_map(|(id, queue)| {
                let (head, progress) = queue.head.as_ref()?;
                let order = (progress.due_at, head.number);
                webhook_retry::is_due(progress, now).then_some((order, *id, queue))
            })
            .collect();
        // The identifier only makes the order deterministic for deliveries that are due at the same
        // time.
        due.sort_unstable_by_key(|(order, id, _)| (*order, *id));
        for (_, id, queue) in due {
            queue.state = QueueState::Ready;
            // The queue is read again when the sender releases it.
            queue.head = None;
            if queue.is_suspect {
                self.suspect.push_back(id)
            } else {
                self.quick.push_back(id)
            }
        }
    }

    /// Removes the empty queues: those that are not in `waiting`.
    pub fn forget_empty(&mut self, waiting: &HashSet<Id>) {
        self.queues.retain(|id, queue| {
            // A queue whose finished deliveries may still be in the store must be retained, or they
            // would be sent again.
            queue.state != QueueState::Resting || !queue.over.is_empty() || waiting.contains(id)
        });
    }

    /// Returns whether any head is waiting until it is due.
    pub fn waits_for_time(&self) -> bool {
        self.queues.values().any(|queue| queue.head.is_some())
    }

    /// Returns how many more sender threads are needed.
    pub fn senders_needed(&self) -> usize {
        let suspect = SUSPECT_MAX.saturating_sub(self.suspect_in_progress);
        let ready = self.quick.len() + self.suspect.len().min(suspect);
        let more = SENDERS_MAX.saturating_sub(self.senders);
        // Idle senders take a queue each before new threads are needed.
        ready.saturating_sub(self.idle).min(more)
    }

    /// Returns the next queue to process, if one is ready and allowed.
    pub fn take_ready(&mut self) -> Option<Id> {
        // Suspect queues first: they have at most half of the senders, so other queues never wait
        // for all of them.
        let may_be_suspect = self.suspect_in_progress < SUSPECT_MAX;
        let suspect = may_be_suspect.then(|| self.suspect.pop_front());
        let (id, as_suspect) = match suspect.flatten() {
            Some(id) => (id, true),
            None => (self.quick.pop_front()?, false),
        };
        // Counted by the state at this moment, which `release` reads again: `is_suspect` can change
        // during the request.
        self.suspect_in_progress += usize::from(as_suspect);
        let queue = self.queues.entry(id).or_default();
        queue.state = QueueState::InProgress { as_suspect };
        Some(id)
    }

    /// Returns the deliveries that a sender skips when it continues to read, and clears the mark
    /// for added deliveries.
    pub fn begin_to_read(&mut self, id: Id) -> HashSet<u64> {
        let queue = self.queues.entry(id).or_default();
        queue.has_additions = false;
        queue.over.clone()
    }

    /// Returns whether senders have to wait until more results are recorded.
    pub fn is_full(&self) -> bool {
        self.results.len() >= UNRECORDED_MAX || self.result_bytes >= UNRECORDED_BYTES_MAX
    }

    /// Returns whether another queue waits for a sender.
    pub fn has_ready_queues(&self) -> bool {
        !self.quick.is_empty() || !self.suspect.is_empty()
    }

    /// Records the result of an attempt. If `holds`, the queue waits until the result is recorded.
    pub fn add_result(
        &mut self,
        result: AttemptResult,
        bytes: usize,
        is_suspect: bool,
        holds: bool,
    ) {
        let queue = self.queues.entry(result.webhook).or_default();
        // Until the result is recorded, the delivery is still in the store and must not be sent
        // again.
        queue.over.insert(result.number);
        queue.is_suspect = is_suspect;
        if holds {
            self.release(result.webhook, QueueState::Held);
        }
        self.result_bytes += bytes;
        self.results.push(result);
    }

    /// Releases a queue that a sender found empty. Returns `false` if deliveries may have been
    /// added since it was read; the sender then continues with the queue.
    pub fn release_if_empty(&mut self, id: Id) -> bool {
        if self
            .queues
            .get(&id)
            .is_some_and(|queue| queue.has_additions)
        {
            return false;
        }
        self.release(id, QueueState::Resting);
        true
    }

    /// Releases a queue with remaining deliveries.
    pub fn release_ready(&mut self, id: Id) {
        self.release(id, QueueState::Ready);
        if self.queues.get(&id).is_some_and(|queue| queue.is_suspect) {
            self.suspect.push_back(id)
        } else {
            self.quick.push_back(id)
        }
    }

    /// Releases a queue whose head could not be read or is not due. The queue is examined again.
    pub fn release_to_recheck(&mut self, id: Id) {
        self.release(id, QueueState::Resting);
    }

    fn release(&mut self, id: Id, state: QueueState) {
        let queue = self.queues.entry(id).or_default();
        if let QueueState::InProgress { as_suspect: true } = queue.state {
            self.suspect_in_progress -= 1;
        }
        queue.state = state;
        // The stored head may have a different progress now, so it is read again.
        queue.head = None;
    }

    /// Returns whether there are results or tasks.
    pub fn has_work(&self) -> bool {
        !self.results.is_empty() || !self.tasks.is_empty()
    }

    /// Returns the number of results to be recorded.
    pub fn result_count(&self) -> usize {
        self.results.len()
    }

    /// Takes the results to be recorded; [`recorded`](Self::recorded) confirms them.
    pub fn take_results(&mut self) -> Vec<AttemptResult> {
        // The results being recorded no longer count, so senders continue during the commit.
        self.result_bytes = 0;
        std::mem::take(&mut self.results)
    }

    /// Returns results that could not be recorded to the front. The queues wait until they are
    /// recorded.
    pub fn put_back(&mut self, mut results: Vec<AttemptResult>) {
        // Counts as full, so that senders wait: while nothing can be recorded, a crash would repeat
        // each request.
        self.result_bytes = UNRECORDED_BYTES_MAX;
        // In front, because the order matters: a webhook stores the result of its last attempt.
        results.append(&mut self.results);
        self.results = results;
    }

    /// Confirms that these results are recorded and visible in the store.
    pub fn recorded(&mut self, results: &[AttemptResult], tasks: Vec<QueueTask>) {
        for result in results {
            if let Some(queue) = self.queues.get_mut(&result.webhook) {
                queue.over.remove(&result.number);
                // Only now, because the store then shows the progress with the time of the next
                // attempt.
                if queue.state == QueueState::Held {
                    queue.state = QueueState::Resting;
                }
            }
        }
        tasks.into_iter().for_each(|task| self.start_task(task));
    }

    /// Returns the next task.
    pub fn next_task(&mut self) -> Option<QueueTask> {
        self.tasks.pop_front()
    }

    /// Records a step of a task. `has_more` is true if the task is not finished.
    pub fn finish_step(&mut self, task: QueueTask, has_more: bool) {
        if has_more {
            self.tasks.push_back(task)
        } else {
            if let Some(queue) = self.queues.get_mut(&task.webhook()) {
                queue.state = QueueState::Resting;
            }
        }
    }
}
