//! Closes a connection that stays in one phase for too long.
//!
//! Each connection has one timer, which is set when the connection opens and again when the timer
//! fires; requests do not touch it. So a phase that ends in time costs one reading of the clock.
//! The watchdog observes only the progress, never the data.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::{Activity, Phase};
use super::limits::LiveLimits;

/// Maximum time for a client that was refused while sending to notice the refusal.
const LINGER_TIMEOUT: Duration = Duration::from_secs(2);

/// The time limits of one connection.
pub(super) struct Watchdog {
    activity: Arc<Activity>,
    limits: LiveLimits,
    phase: Phase,
    since: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl Watchdog {
    pub(super) fn new(activity: Arc<Activity>, limits: LiveLimits) -> Self {
        let now = Instant::now();
        Watchdog {
            phase: activity.phase(),
            activity,
            limits,
            since: now,
            alarm: Box::pin(sleep_until(now + limits.idle_timeout)),
        }
    }

    /// Returns ready with the phase that has lasted too long: longer than its limit, or until
    /// another connection needs the slot.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Phase> {
        let now = Instant::now();
        self.observe(now);
        // After the phase was observed, which withdraws the request if there was activity.
        if self.activity.is_close_requested() {
            return Poll::Ready(self.phase);
        }
        loop {
            let Some(timeout) = self.timeout() else {
                return Poll::Pending;
            };
            let deadline = self.since + timeout;
            if deadline <= now {
                return Poll::Ready(self.phase);
            }
            // A timer that fires too early does no harm; moving it with every request would cost
            // time.
            if self.alarm.is_elapsed() || self.alarm.deadline() > deadline {
                self.alarm.as_mut().reset(deadline);
            }
            ready!(self.alarm.as_mut().poll(context));
        }
    }

    fn observe(&mut self, now: Instant) {
        let phase = self.activity.phase();
        if phase != self.phase {
            self.phase = phase;
            self.since = now;
            self.activity.entered(phase, now.into_std());
        }
    }

    fn timeout(&self) -> Option<Duration> {
        match self.phase {
            Phase::Idle { .. } => Some(self.limits.idle_timeout),
            Phase::Head { .. } => Some(self.limits.headers_timeout),
            // Reading a body has its own limit, and a live response is checked by heartbeats.
            Phase::Handling | Phase::Live => None,
            Phase::Sending { .. } => Some(self.limits.write_timeout),
            Phase::Lingering => Some(LINGER_TIMEOUT),
        }
    }
}
