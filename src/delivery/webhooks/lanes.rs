//! Who waits for what: one lane for each webhook that something waits for.
//!
//! Nothing here waits, writes or reads the store. Of a lane there is in memory only where its head is, when that is due, and
//! the numbers of what was delivered and is not recorded yet.

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

/// Most of them that are made to receivers that failed or were slow the last time, so that the others are not delayed.
pub(super) const DOUBTFUL_MAX: usize = 16;

/// Most outcomes that are not recorded yet, and the bytes of what was told with them: then carriers wait.
const UNRECORDED_MAX: usize = 2000;
const UNRECORDED_BYTES_MAX: usize = 8 << 20;

/// What is under way and what is next.
#[derive(Default)]
pub(super) struct Lanes {
    lanes: HashMap<Id, Lane>,
    quick: VecDeque<Id>,
    doubtful: VecDeque<Id>,
    doubtful_carried: usize,
    /// What is to be recorded.
    outcomes: Vec<Outcome>,
    outcome_bytes: usize,
    /// What is to be done about queues, in steps.
    chores: VecDeque<Chore>,
    /// Threads that carry, and those of them that have nothing to do.
    pub carriers: usize,
    pub idle: usize,
    pub is_stopping: bool,
}

/// Something that takes several steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chore {
    /// Take away what is left of a webhook that was deleted.
    Clear(Id),
    /// Give up what is older than what was given up.
    GiveUpOlder(Id),
}

impl Chore {
    pub fn webhook(self) -> Id {
        match self {
            Self::Clear(webhook) | Self::GiveUpOlder(webhook) => webhook,
        }
    }
}

/// The deliveries of one webhook.
#[derive(Default)]
struct Lane {
    state: LaneState,
    /// Whether the last attempt failed or was slow.
    is_doubtful: bool,
    /// What was delivered and may still be in the store.
    over: HashSet<u64>,
    /// What was found at the head the last time, and how it stood.
    head: Option<(Head, Progress)>,
    /// Whether something may have come while it was carried.
    has_news: bool,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum LaneState {
    /// Nothing waits, or the head waits for its time.
    #[default]
    Resting,
    /// It waits for a carrier.
    Ready,
    /// A carrier has it.
    Carried { as_doubtful: bool },
    /// It waits until a failure is recorded.
    Held,
    /// It waits until a chore is done.
    Worked,
}

impl Lanes {
    /// What was delivered and may still be in the store. Ask this before the store is looked at.
    pub fn over(&self) -> HashMap<Id, HashSet<u64>> {
        let lanes = self.lanes.iter().filter(|(_, lane)| !lane.over.is_empty());
        lanes.map(|(id, lane)| (*id, lane.over.clone())).collect()
    }

    /// Takes note that this stands at the head of a queue; says whether it must be known how it stands.
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

    /// Takes note how the head stands.
    pub fn note_progress(&mut self, head: Head, progress: Progress) {
        if let Some(lane) = self.lanes.get_mut(&head.webhook)
            && lane.state == LaneState::Resting
        {
            lane.head = Some((head, progress));
        }
    }

    /// Has a chore done, unless that is under way.
    pub fn order(&mut self, chore: Chore) {
        let lane = self.lanes.entry(chore.webhook()).or_default();
        if lane.state == LaneState::Resting {
            lane.state = LaneState::Worked;
            self.chores.push_back(chore);
        }
    }

    /// Makes ready what is due: what was due first, and then what was queued first, goes first.
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

    /// Forgets lanes that nothing waits in: those that are not in `waiting`.
    pub fn forget_empty(&mut self, waiting: &HashSet<Id>) {
        self.lanes.retain(|id, lane| {
            lane.state != LaneState::Resting || !lane.over.is_empty() || waiting.contains(id)
        });
    }

    /// Whether some head waits for its time.
    pub fn waits_for_time(&self) -> bool {
        self.lanes.values().any(|lane| lane.head.is_some())
    }

    /// How many more threads are needed.
    pub fn carriers_wanted(&self) -> usize {
        let doubtful = DOUBTFUL_MAX.saturating_sub(self.doubtful_carried);
        let ready = self.quick.len() + self.doubtful.len().min(doubtful);
        let more = CARRIERS_MAX.saturating_sub(self.carriers);
        ready.saturating_sub(self.idle).min(more)
    }

    /// The next lane to carry, if there is one that may be.
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

    /// What a carrier passes over when it reads on. What comes from now on is news.
    pub fn begin_to_read(&mut self, id: Id) -> HashSet<u64> {
        let lane = self.lanes.entry(id).or_default();
        lane.has_news = false;
        lane.over.clone()
    }

    /// Whether carriers are to wait until more is recorded.
    pub fn is_full(&self) -> bool {
        self.outcomes.len() >= UNRECORDED_MAX || self.outcome_bytes >= UNRECORDED_BYTES_MAX
    }

    /// Whether another lane waits for a carrier.
    pub fn others_wait(&self) -> bool {
        !self.quick.is_empty() || !self.doubtful.is_empty()
    }

    /// Takes note of what came of an attempt. `holds`: nothing more is carried in this lane until that is recorded.
    pub fn add_outcome(&mut self, outcome: Outcome, bytes: usize, is_doubtful: bool, holds: bool) {
        let lane = self.lanes.entry(outcome.webhook).or_default();
        lane.over.insert(outcome.number);
        lane.is_doubtful = is_doubtful;
        if holds {
            self.put_down(outcome.webhook, LaneState::Held);
        }
        self.outcome_bytes += bytes;
        self.outcomes.push(outcome);
    }

    /// A carrier gives a lane back in which it found nothing; `false` when something may have come since it looked, and it
    /// keeps the lane.
    pub fn rest(&mut self, id: Id) -> bool {
        if self.lanes.get(&id).is_some_and(|lane| lane.has_news) {
            return false;
        }
        self.put_down(id, LaneState::Resting);
        true
    }

    /// A carrier gives a lane back in which it left something.
    pub fn hand_on(&mut self, id: Id) {
        self.put_down(id, LaneState::Ready);
        if self.lanes.get(&id).is_some_and(|lane| lane.is_doubtful) {
            self.doubtful.push_back(id)
        } else {
            self.quick.push_back(id)
        }
    }

    /// A carrier gives a lane back whose head it could not look at, or that waits for its time; it is looked at again.
    pub fn leave(&mut self, id: Id) {
        self.put_down(id, LaneState::Resting);
    }

    fn put_down(&mut self, id: Id, state: LaneState) {
        let lane = self.lanes.entry(id).or_default();
        if let LaneState::Carried { as_doubtful: true } = lane.state {
            self.doubtful_carried -= 1;
        }
        lane.state = state;
        lane.head = None;
    }

    /// Whether there is something to record or to do.
    pub fn has_work(&self) -> bool {
        !self.outcomes.is_empty() || !self.chores.is_empty()
    }

    /// How many outcomes are to be recorded.
    pub fn outcome_count(&self) -> usize {
        self.outcomes.len()
    }

    /// What is to be recorded, to be told of with [`recorded`](Self::recorded).
    pub fn take_outcomes(&mut self) -> Vec<Outcome> {
        self.outcome_bytes = 0;
        std::mem::take(&mut self.outcomes)
    }

    /// Takes back what could not be recorded. Nothing more is carried until it is.
    pub fn put_back(&mut self, mut outcomes: Vec<Outcome>) {
        self.outcome_bytes = UNRECORDED_BYTES_MAX;
        outcomes.append(&mut self.outcomes);
        self.outcomes = outcomes;
    }

    /// Takes note that these are recorded, and that the store shows that.
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

    /// The next chore to do a step of.
    pub fn next_chore(&mut self) -> Option<Chore> {
        self.chores.pop_front()
    }

    /// Takes note of a step: there is more to do, or it is done.
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
