//! Who is woken after a commit that has something for them.

use std::sync::{PoisonError, RwLock};

use super::Site;

/// What somebody may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// A mail was put into the outbox.
    Mail,
    /// A webhook is to be told something.
    Webhooks,
    /// A post is to be sent to the subscribers of a newsletter.
    Newsletters,
    /// Readers see something otherwise.
    Changes,
}

/// How many topics there are.
const TOPICS: usize = 4;

/// A set of topics.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Topics([bool; TOPICS]);

impl Topics {
    pub(super) fn add(&mut self, topic: Topic) {
        self.0[topic as usize] = true;
    }
}

/// Those who wait, at most one for each topic.
#[derive(Default)]
pub(super) struct Wakers(RwLock<[Option<Wake>; TOPICS]>);

type Wake = Box<dyn Fn() + Send + Sync>;

impl Wakers {
    /// Wakes those who wait for any of these topics.
    pub(super) fn wake(&self, topics: Topics) {
        if topics.0 == [false; TOPICS] {
            return;
        }
        let wakers = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for (wake, _) in wakers.iter().zip(topics.0).filter(|(_, is_in)| *is_in) {
            wake.iter().for_each(|wake| wake());
        }
    }
}

impl Site {
    /// Has `wake` called after each commit that has something for this topic, in the place of who was called before. It
    /// must not wait.
    pub fn on(&self, topic: Topic, wake: impl Fn() + Send + Sync + 'static) {
        let mut wakers = self
            .wakers
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        wakers[topic as usize] = Some(Box::new(wake));
    }
}
