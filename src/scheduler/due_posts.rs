//! Publishing what is due, in steps: many posts of one time are published in several commits, so that whoever else changes
//! something waits for one step and not for all.
//!
//! A step that fails is halved, down to the post that is to blame. That one is put aside, and the others go on; if others
//! fail as well, it is not they who are to blame, and everything waits.
//!
//! What is to be mailed to a newsletter that was archived meanwhile stays scheduled until that is active again, or the post
//! is taken back (Ghost 6.65, recorded).

use std::collections::{BTreeMap, BTreeSet};

use super::trouble::Trouble;
use crate::{catalog::recipients, domain::post::Post, error::Error, id::Id, site::Site};

/// Posts that are published in one commit at most.
const STEP_MAX: usize = 100;

/// Posts that fail one after the other, each alone, until it is clear that no single one is to blame.
const IN_VAIN_MAX: usize = 3;

/// What stands in the way of publishing what is due.
#[derive(Default)]
pub(super) struct DuePosts {
    /// Posts that cannot be published, while others can.
    aside: BTreeMap<Id, Trouble>,
    /// Posts whose newsletter is archived.
    held: BTreeSet<Id>,
    /// What keeps all of them.
    of_all: Trouble,
}

impl DuePosts {
    /// Publishes what is due by now, the earliest first, as long as this `goes_on`.
    pub(super) fn publish(&mut self, site: &Site, goes_on: &dyn Fn() -> bool) {
        if self.of_all.lasts() {
            return;
        }
        let due = self.due(site);
        let mut rest = due.as_slice();
        // Where there was trouble, one post finds out whether it is over.
        let mut step = if self.of_all.is_there() { 1 } else { STEP_MAX };
        let mut failed = Vec::new();
        while !rest.is_empty() && failed.len() < IN_VAIN_MAX && goes_on() {
            let (posts, later) = rest.split_at(step.min(rest.len()));
            match (site.write(|change| change.publish_those_due(posts)), posts) {
                (Ok(()), _) => {
                    self.is_over(posts);
                    self.put_aside(&mut failed);
                    step = (2 * step).min(STEP_MAX);
                    rest = later;
                }
                (Err(error), [post]) => {
                    failed.push((*post, error));
                    rest = later;
                }
                (Err(_), posts) => step = posts.len() / 2,
            }
        }
        if failed.len() == IN_VAIN_MAX {
            self.wait_with_all(&failed);
        }
        self.put_aside(&mut failed);
    }

    /// What is due, not held and not put aside, the earliest first.
    fn due(&mut self, site: &Site) -> Vec<Id> {
        let edition = site.current();
        let posts = &edition.catalog.posts;
        let now = site.now();
        self.aside
            .retain(|id, _| posts.get(*id).is_some_and(|post| post.is_due(now)));
        let is_aside = |id| self.aside.get(&id).is_some_and(Trouble::lasts);
        let is_held =
            |post: &Post| recipients::archived_newsletter(&edition.catalog, post).is_some();
        let mut held = BTreeSet::new();
        let mut due = Vec::new();
        for post in posts.scheduled().filter(|post| post.is_due(now)) {
            if is_held(post) {
                held.insert(post.id);
            } else if !is_aside(post.id) {
                due.push((post.published_at, post.id));
            }
        }
        self.hold(held);
        due.sort_unstable();
        due.into_iter().map(|(_, id)| id).collect()
    }

    /// Remembers what is held, and logs each post once.
    fn hold(&mut self, held: BTreeSet<Id>) {
        for post in held.difference(&self.held) {
            tracing::warn!(
                %post,
                "a post is due and stays scheduled, because its newsletter is archived"
            );
        }
        self.held = held;
    }

    /// Leaves those for later that failed while others did not, and says so.
    fn put_aside(&mut self, failed: &mut Vec<(Id, Error)>) {
        for (post, error) in failed.drain(..) {
            let trouble = self.aside.entry(post).or_default();
            if trouble.meet() && !self.of_all.is_there() {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    %post,
                    again_in = ?trouble.wait(),
                    "a post could not be published although its time has come"
                );
            }
        }
    }

    fn wait_with_all(&mut self, failed: &[(Id, Error)]) {
        if self.of_all.meet()
            && let Some((_, error)) = failed.last()
        {
            tracing::error!(
                error = error as &dyn std::error::Error,
                again_in = ?self.of_all.wait(),
                "what is due could not be published"
            );
        }
    }

    fn is_over(&mut self, posts: &[Id]) {
        for post in posts {
            self.aside.remove(post);
        }
        if self.of_all.is_there() {
            self.of_all = Trouble::default();
            tracing::info!("what is due can be published again");
        }
    }
}
