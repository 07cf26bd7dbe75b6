//! Publishes due posts in steps: many posts with the same time are published in several commits, so
//! that other changes only wait for one step.
//!
//! A step that fails is halved, down to the post that causes the failure. That post is deferred,
//! and the others continue. If other posts fail as well, the cause is not a single post, and all
//! posts wait.
//!
//! A post for a newsletter that has been archived meanwhile stays scheduled until the newsletter is
//! active again, or the post is unscheduled (Ghost 6.65, recorded).

use std::collections::{BTreeMap, BTreeSet};

use super::backoff::Backoff;
use crate::{catalog::recipients, domain::post::Post, error::Error, id::Id, site::LeasedSite};

/// Maximum number of posts that are published in one commit.
const STEP_MAX: usize = 100;

/// Number of consecutive failures of single posts after which the cause is no longer assumed to be
/// one of the posts.
const IN_VAIN_MAX: usize = 3;

/// The reason why due posts are delayed.
#[derive(Default)]
pub(super) struct DuePosts {
    /// Posts that cannot be published although others can.
    aside: BTreeMap<Id, Backoff>,
    /// Posts whose newsletter is archived.
    held: BTreeSet<Id>,
    /// Failures that affect all posts.
    of_all: Backoff,
}

impl DuePosts {
    /// Publishes the due posts, earliest first, as long as `is_running` returns true.
    pub(super) fn publish(&mut self, site: &LeasedSite, is_running: &dyn Fn() -> bool) {
        if self.of_all.is_waiting() {
            return;
        }
        let due = self.due(site);
        let mut rest = due.as_slice();
        // After a failure, a single post tests whether publishing works again.
        let mut step = if self.of_all.has_failed() {
            1
        } else {
            STEP_MAX
        };
        let mut failed = Vec::new();
        while !rest.is_empty() && failed.len() < IN_VAIN_MAX && is_running() {
            let (posts, later) = rest.split_at(step.min(rest.len()));
            match (site.write(|change| change.publish_due_posts(posts)), posts) {
                (Ok(()), _) => {
                    self.is_over(posts);
                    // Others succeed, so these posts are the cause.
                    self.defer(&mut failed);
                    step = (2 * step).min(STEP_MAX);
                    rest = later;
                }
                (Err(error), [post]) => {
                    failed.push((*post, error));
                    rest = later;
                }
                // The same posts again, fewer at a time, until the one that fails is alone.
                (Err(_), posts) => step = posts.len() / 2,
            }
        }
        if failed.len() == IN_VAIN_MAX {
            self.wait_with_all(&failed);
        }
        self.defer(&mut failed);
    }

    /// Returns the due posts that are neither on hold nor deferred, earliest first.
    fn due(&mut self, site: &LeasedSite) -> Vec<Id> {
        let snapshot = site.current();
        let posts = &snapshot.catalog.posts;
        let now = site.now();
        self.aside
            // Posts that were deleted or rescheduled meanwhile begin without failures.
            .retain(|id, _| posts.get(*id).is_some_and(|post| post.is_due(now)));
        let is_aside = |id| self.aside.get(&id).is_some_and(Backoff::is_waiting);
        let is_held =
            |post: &Post| recipients::archived_newsletter(&snapshot.catalog, post).is_some();
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
        // By date, then by identifier, so that a step that is repeated contains the same posts.
        due.sort_unstable();
        due.into_iter().map(|(_, id)| id).collect()
    }

    /// Stores the posts on hold, and logs each once.
    fn hold(&mut self, held: BTreeSet<Id>) {
        for post in held.difference(&self.held) {
            tracing::warn!(
                %post,
                "a due post stays scheduled because its newsletter is archived"
            );
        }
        self.held = held;
    }

    /// Defers the posts that failed while others succeeded, and logs them.
    fn defer(&mut self, failed: &mut Vec<(Id, Error)>) {
        for (post, error) in failed.drain(..) {
            let backoff = self.aside.entry(post).or_default();
            if backoff.record_failure() && !self.of_all.has_failed() {
                tracing::error!(
                    cause = error.cause(),
                    %post,
                    again_in = ?backoff.wait(),
                    "a due post could not be published"
                );
            }
        }
    }

    fn wait_with_all(&mut self, failed: &[(Id, Error)]) {
        if self.of_all.record_failure()
            && let Some((_, error)) = failed.last()
        {
            tracing::error!(
                cause = error.cause(),
                again_in = ?self.of_all.wait(),
                "due posts could not be published"
            );
        }
    }

    fn is_over(&mut self, posts: &[Id]) {
        for post in posts {
            self.aside.remove(post);
        }
        if self.of_all.has_failed() {
            self.of_all = Backoff::default();
            tracing::info!("due posts can be published again");
        }
    }
}
