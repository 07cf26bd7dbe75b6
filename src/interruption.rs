//! The moment at which work that waits for other machines ends, whatever they do.
//!
//! A server that accepts a connection and never responds, or sends a byte a second, must not delay
//! the end of the process. A system call that waits for it cannot be cancelled in general: a DNS
//! resolution, a TLS handshake. So such work runs on a separate thread, which is left
//! behind when the moment has come.

use std::{
    io,
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread,
    time::{Duration, Instant},
};

/// Interval at which a wait checks whether it must end.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The moment at which work ends that this was handed to. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Interruption(Arc<Mutex<Option<Instant>>>);

/// Why a wait has ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ended {
    /// The moment has come.
    #[error("the process is stopping")]
    Interrupted,
    /// It took too long.
    #[error("there was no response in time")]
    Late,
    /// The work has ended without a result.
    #[error("the work ended early")]
    Broken,
}

impl From<Ended> for io::Error {
    fn from(ended: Ended) -> Self {
        let kind = match ended {
            // Not `Interrupted`, after which a read is repeated.
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

    /// Ends the work at this moment, or at an earlier one that was set before.
    pub fn interrupt_at(&self, moment: Instant) {
        let mut set = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *set = Some(set.map_or(moment, |earlier| earlier.min(moment)));
    }

    /// Returns the moment, if one is set.
    pub fn moment(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether the moment has come.
    pub fn is_due(&self) -> bool {
        self.moment().is_some_and(|moment| moment <= Instant::now())
    }

    /// Waits for this time, or until the moment has come. Returns whether the work continues.
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

    /// Starts `work` on a separate thread, which sends results of which `waiting` are not received
    /// yet. It should end when it cannot send any more.
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
    /// Returns the next result, which may take `time`. While it waits, `check` is called several
    /// times a second.
    ///
    /// # Errors
    ///
    /// If there is none in this time, the moment of the interruption has come, the work has ended,
    /// or `check` returns an error.
    pub fn next<E: From<Ended>>(
        &self,
        time: Duration,
        mut check: impl FnMut() -> Result<(), E>,
    ) -> Result<T, E> {
        let until = Instant::now() + time;
        loop {
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
