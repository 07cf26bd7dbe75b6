//! Interruptible waits: work that waits for other machines ends at a given time, regardless of
//! their behaviour.
//!
//! A server that accepts a connection and never responds, or sends one byte per second, must not
//! delay the end of the process. System calls that wait for it, for example in a DNS resolution or
//! a TLS handshake, cannot be cancelled in general. So such work runs on a separate thread, which
//! is abandoned at the time of the interruption.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Interval at which a wait checks for the interruption.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The time at which all work that was given a clone of this ends.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Arc<Mutex<Option<Instant>>>);

/// The reason why a wait ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// The time of the interruption has come.
    #[error("the process is stopping")]
    Interrupted,
    /// The wait took too long.
    #[error("there was no response in time")]
    Late,
    /// The work ended without a result.
    #[error("the work ended early")]
    Broken,
}

impl From<Ended> for io::Error {
    fn from(ended: Ended) -> Self {
        let kind = match ended {
            // Not `Interrupted`, because reads are retried after that.
            Ended::Interrupted | Ended::Broken => io::ErrorKind::ConnectionAborted,
            Ended::Late => io::ErrorKind::TimedOut,
        };
        Self::new(kind, ended)
    }
}

impl Interruption {
    /// Ends the work now.
    pub fn interrupt(&self) {
        self.interrupt_at(Instant::now());
    }

    /// Ends the work at this time, or at an earlier time that was set before.
    pub fn interrupt_at(&self, moment: Instant) {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *set = Some(set.map_or(moment, |earlier| earlier.min(moment)));
    }

    /// Returns the time of the interruption, if one is set.
    pub fn moment(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the time of the interruption has come.
    pub fn is_due(&self) -> bool {
        self.moment().is_some_and(|moment| moment <= Instant::now())
    }

    /// Waits for this time, or until the interruption is due. Returns whether the work continues.
    pub fn pause(&self, time: Duration) -> bool {
        let until = Instant::now() + time;
        while !self.is_due() {
            let remaining = until.saturating_duration_since(Instant::now());
            if remaining.is_zero() {
                return true;
            }
            thread::sleep(remaining.min(POLL_INTERVAL));
        }
        false
    }

    /// Starts `work` on a separate thread that sends results, at most `waiting` of which are
    /// buffered. The work should end when a result can no longer be sent.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub fn start<T: Send + 'static>(
        &self,
        name: &str,
        waiting: usize,
        work: impl FnOnce(&SyncSender<T>) + Send + 'static,
    ) -> io::Result<Results<T>> {
        let (sender, results) = sync_channel(waiting);
        let thread = thread::Builder::new().name(name.to_owned());
        // The handle is dropped: joining the thread would wait for the other machine.
        thread.spawn(move || work(&sender))?;
        Ok(Results {
            results,
            interruption: self.clone(),
        })
    }
}

/// The results of work on another thread.
pub struct Results<T> {
    results: Receiver<T>,
    interruption: Interruption,
}

impl<T> Results<T> {
    /// Returns the next result, waiting for at most `time`. Calls `check` several times a second
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// If there is no result in this time, the interruption is due, the work has ended, or `check`
    /// returns an error.
    pub fn next<E: From<Ended>>(
        &self,
        time: Duration,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<T, E> {
        let until = Instant::now() + time;
        loop {
            // Checked before each result: a server that always sends something must not delay the
            // end.
            if self.interruption.is_due() {
                return Err(Ended::Interrupted.into());
            }
            let remaining = until.saturating_duration_since(Instant::now());
            match self.results.recv_timeout(remaining.min(POLL_INTERVAL)) {
                Ok(result) => return Ok(result),
                Err(RecvTimeoutError::Disconnected) => return Err(Ended::Broken.into()),
                Err(RecvTimeoutError::Timeout) if remaining.is_zero() => {
                    return Err(Ended::Late.into());
                }
                Err(RecvTimeoutError::Timeout) => check()?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_for_work_that_never_ends_is_interrupted() {
        let interruption = Interruption::default();
        let endless = interruption.start("endless", 1, |results: &SyncSender<u8>| {
            results.send(1).unwrap();
            thread::park();
        });
        let endless = endless.unwrap();
        let next = || endless.next::<Ended>(Duration::from_secs(60), || Ok(()));
        assert_eq!(next(), Ok(1));
        let late = endless.next::<Ended>(Duration::ZERO, || Ok(()));
        assert_eq!(late, Err(Ended::Late));
        interruption.interrupt_at(Instant::now() + Duration::from_millis(20));
        interruption.interrupt_at(Instant::now() + Duration::from_secs(60));
        assert_eq!(next(), Err(Ended::Interrupted));
        assert!(!interruption.pause(Duration::from_secs(60)));
    }
}
