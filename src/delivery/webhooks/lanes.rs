//! The scheduling of webhook queues: one queue for each webhook with waiting deliveries.
//!
//! Nothing here waits, writes or reads the store. Of a queue, memory holds only its head, when that
//! is due, and the numbers of deliveries that are finished but not recorded yet.

use std::collections::{HashMap, HashSet, VecDeque};

use jiff::Timestamp;

use crate::{
    domain::{
        webhook_delivery::{Outcome, Progress},
        webhook_retry,
    },
    id::Id,
    site::Head,
};

/// Most requests that are under way at once.
pub(super) const CARRIERS_MAX: usize = 32;

/// Most of them that go to suspect receivers, which failed or were slow the last time, so that
/// others are not delayed.
pub(super) const DOUBTFUL_MAX: usize = 16;

/// Most results that are not recorded yet, and the bytes of their bodies: beyond that, senders
/// wait.
const UNRECORDED_MAX: usize = 2000;
const UNRECORDED_BYTES_MAX: usize = 8 << 20;

/// The state of all queues.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: HashMap<Id, Lane>,
    quick: VecDeque<Id>,
    doubtful: VecDeque<Id>,
    doubtful_carried: usize,
    /// The results to be recorded.
    outcomes: Vec<Outcome>,
    outcome_bytes: usize,
    /// Tasks on queues that take several steps.
    chores: VecDeque<Chore>,
    /// The number of sender threads, and of the idle ones among them.
    pub carriers: usize,
    pub idle: usize,
    pub is_stopping: bool,
}

/// A task that takes several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chore {
    /// Delete the rows of a deleted webhook.
    Clear(Id),
    /// Fail the older deliveries permanently.
    GiveUpOlder(Id),
}

impl Chore {
    pub fn webhook(self) -> Id {
        match self {
            Self::Clear(webhook) | Self::GiveUpOlder(webhook) => webhook,
        }
    }
}

/// The queue of one webhook.
#[derive(Default)]
struct Lane {
    state: LaneState,
    /// Whether the last attempt failed or was slow.
    is_doubtful: bool,
    /// Deliveries that are finished and may still be in the store.
    over: HashSet<u64>,
    /// The last known head, and its progress.
    head: Option<(Head, Progress)>,
    /// Whether deliveries may have been added while it was processed.
    has_news: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LaneState {
    /// It is empty, or the head is not due.
    #[default]
    Resting,
    /// It waits for a sender.
    Ready,
    /// A sender processes it.
    Carried { as_doubtful: bool },
    /// It waits until a failure is recorded.
    Held,
    /// It waits until a task is done.
    Worked,
}

impl Lanes {
    /// Returns the finished deliveries that may still be in the store. To be called before the
    /// store is read.
    pub fn over(&self) -> HashMap<Id, HashSet<u64>> {
        let lanes = self.lanes.iter().filter(|(_, lane)| !lane.over.is_empty());
        lanes.map(|(id, lane)| (*id, lane.over.clone())).collect()
    }

    /// Records the head of a queue. Returns whether its progress must be read.
    pub fn note_head(&mut self, head: Head, is_doubtful: bool) -> bool {
        let lane = self.lanes.entry(head.webhook).or_insert_with(|| Lane {
            is_doubtful,
            ..Lane::default()
        });
        match lane.state {
            LaneState::Carried { .. } => {
                lane.has_news = true;
                false
            }
            LaneState::Ready | LaneState::Held | LaneState::Worked => false,
            LaneState::Resting => lane.head.as_ref().is_none_or(|(known, _)| *known != head),
        }
    }

    /// Records the progress of the head.
    pub fn note_progress(&mut self, head: Head, progress: Progress) {
        if let Some(lane) = self.lanes.get_mut(&head.webhook)
            && lane.state == LaneState::Resting
        {
            lane.head = Some((head, progress));
        }
    }

    /// Starts a task, unless it is under way.
    pub fn order(&mut self, chore: Chore) {
        let lane = self.lanes.entry(chore.webhook()).or_default();
        if lane.state == LaneState::Resting {
            lane.state = LaneState::Worked;
            self.chores.push_back(chore);
        }
    }

    /// Makes the due queues ready, ordered by due time, then by queueing time.
    pub fn wake_due(&mut self, now: Timestamp) {
        let lanes = self.lanes.iter_mut();
        let resting = lanes.filter(|(_, lane)| lane.state == LaneState::Resting);
        let mut due: Vec<_> = resting
            .filter_map(|(id, lane)| {
                let (head, progress) = lane.head.as_ref()?;
                let order = (progress.due_at, head.number);
                webhook_retry::is_due(progress, now).then_some((order, *id, lane))
            })
            .collect();
        due.sort_unstable_by_key(|(order, id, _)| (*order, *id));
        for (_, id, lane) in due {
            lane.state = LaneState::Ready;
            lane.head = None;
            if lane.is_doubtful {
                self.doubtful.push_back(id)
            } else {
                self.quick.push_back(id)
            }
        }
    }

    /// Removes the empty queues: those that are not in `waiting`.
    pub fn forget_empty(&mut self, waiting: &HashSet<Id>) {
        self.lanes.retain(|id, lane| {
            lane.state != LaneState::Resting || !lane.over.is_empty() || waiting.contains(id)
        });
    }

    /// Returns whether any head waits until it is due.
    pub fn waits_for_time(&self) -> bool {
        self.lanes.values().any(|lane| lane.head.is_some())
    }

    /// Returns how many more sender threads are needed.
    pub fn carriers_wanted(&self) -> usize {
        let doubtful = DOUBTFUL_MAX.saturating_sub(self.doubtful_carried);
        let ready = self.quick.len() + self.doubtful.len().min(doubtful);
        let more = CARRIERS_MAX.saturating_sub(self.carriers);
        ready.saturating_sub(self.idle).min(more)
    }

    /// Returns the next queue to process, if one is ready and allowed.
    pub fn take_ready(&mut self) -> Option<Id> {
        let may_be_doubtful = self.doubtful_carried < DOUBTFUL_MAX;
        let doubtful = may_be_doubtful.then(|| self.doubtful.pop_front());
        let (id, as_doubtful) = match doubtful.flatten() {
            Some(id) => (id, true),
            None => (self.quick.pop_front()?, false),
        };
        self.doubtful_carried += usize::from(as_doubtful);
        let lane = self.lanes.entry(id).or_default();
        lane.state = LaneState::Carried { as_doubtful };
        Some(id)
    }

    /// Returns the deliveries that a sender skips when it reads on, and clears the mark for added
    /// ones.
    pub fn begin_to_read(&mut self, id: Id) -> HashSet<u64> {
        let lane = self.lanes.entry(id).or_default();
        lane.has_news = false;
        lane.over.clone()
    }

    /// Returns whether senders have to wait until more results are recorded.
    pub fn is_full(&self) -> bool {
        self.outcomes.len() >= UNRECORDED_MAX || self.outcome_bytes >= UNRECORDED_BYTES_MAX
    }

    /// Returns whether another queue waits for a sender.
    pub fn others_wait(&self) -> bool {
        !self.quick.is_empty() || !self.doubtful.is_empty()
    }

    /// Records the result of an attempt. With `holds`, the queue waits until that is recorded.
    pub fn add_outcome(&mut self, outcome: Outcome, bytes: usize, is_doubtful: bool, holds: bool) {
        let lane = self.lanes.entry(outcome.webhook).or_default();
        lane.over.insert(outcome.number);
        lane.is_doubtful = is_doubtful;
        if holds {
            self.release(outcome.webhook, LaneState::Held);
        }
        self.outcome_bytes += bytes;
        self.outcomes.push(outcome);
    }

    /// Releases a queue that a sender found empty. Returns `false` if deliveries may have been
    /// added since it was read: then the sender keeps the queue.
    pub fn rest(&mut self, id: Id) -> bool {
        if self.lanes.get(&id).is_some_and(|lane| lane.has_news) {
            return false;
        }
        self.release(id, LaneState::Resting);
        true
    }

    /// Releases a queue with deliveries left.
    pub fn hand_on(&mut self, id: Id) {
        self.release(id, LaneState::Ready);
        if self.lanes.get(&id).is_some_and(|lane| lane.is_doubtful) {
            self.doubtful.push_back(id)
        } else {
            self.quick.push_back(id)
        }
    }

    /// Releases a queue whose head could not be read or is not due; it is examined again.
    pub fn leave(&mut self, id: Id) {
        self.release(id, LaneState::Resting);
    }

    fn release(&mut self, id: Id, state: LaneState) {
        let lane = self.lanes.entry(id).or_default();
        if let LaneState::Carried { as_doubtful: true } = lane.state {
            self.doubtful_carried -= 1;
        }
        lane.state = state;
        lane.head = None;
    }

    /// Returns whether there are results or tasks.
    pub fn has_work(&self) -> bool {
        !self.outcomes.is_empty() || !self.chores.is_empty()
    }

    /// Returns the number of results to be recorded.
    pub fn outcome_count(&self) -> usize {
        self.outcomes.len()
    }

    /// Takes the results to be recorded; [`recorded`](Self::recorded) confirms them.
    pub fn take_outcomes(&mut self) -> Vec<Outcome> {
        self.outcome_bytes = 0;
        std::mem::take(&mut self.outcomes)
    }

    /// Returns results that could not be recorded to the front. Queues wait until they are.
    pub fn put_back(&mut self, mut outcomes: Vec<Outcome>) {
        self.outcome_bytes = UNRECORDED_BYTES_MAX;
        outcomes.append(&mut self.outcomes);
        self.outcomes = outcomes;
    }

    /// Confirms that these results are recorded and visible in the store.
    pub fn recorded(&mut self, outcomes: &[Outcome], chores: Vec<Chore>) {
        for outcome in outcomes {
            if let Some(lane) = self.lanes.get_mut(&outcome.webhook) {
                lane.over.remove(&outcome.number);
                if lane.state == LaneState::Held {
                    lane.state = LaneState::Resting;
                }
            }
        }
        chores.into_iter().for_each(|chore| self.order(chore));
    }

    /// Returns the next task.
    pub fn next_chore(&mut self) -> Option<Chore> {
        self.chores.pop_front()
    }

    /// Records a step of a task: there is more to do, or it is done.
    pub fn did(&mut self, chore: Chore, has_more: bool) {
        if has_more {
            self.chores.push_back(chore)
        } else {
            if let Some(lane) = self.lanes.get_mut(&chore.webhook()) {
                lane.state = LaneState::Resting;
            }
        }
    }
}
