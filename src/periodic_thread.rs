//! Threads that wait between runs of their work, and end when they are dropped.

use std::{
    io,
    sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, TryRecvError},
    thread::{self, JoinHandle},
    time::Duration,
};

/// A thread that works until this is dropped. Dropping it waits for work in progress.
pub struct PeriodicThread {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Signals a thread to stop.
pub struct StopSignal(Receiver<()>);

impl PeriodicThread {
    /// Starts a thread that runs `work`, which must return when the signal is given.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub fn start(name: &str, work: impl FnOnce(&StopSignal) + Send + 'static) -> io::Result<Self> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name(name.to_owned());
        let thread = thread.spawn(move || work(&StopSignal(stopped)))?;
        Ok(Self {
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Starts a thread that runs `work` repeatedly, after each `period`.
    ///
    /// # Errors
    ///
    /// If the system cannot create a thread.
    pub fn every(
        name: &str,
        period: Duration,
        mut work: impl FnMut() + Send + 'static,
    ) -> io::Result<Self> {
        Self::start(name, move |stop| {
            while stop.wait(period) {
                work();
            }
        })
    }
}

impl Drop for PeriodicThread {
    fn drop(&mut self) {
        // Before the thread is joined: dropping the sender is the signal, and it also ends a wait
        // in progress.
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already been logged.
            let _ = thread.join();
        }
    }
}

impl StopSignal {
    /// Waits for this time, or until the signal is given. Returns whether to continue.
    pub fn wait(&self, time: Duration) -> bool {
        self.0.recv_timeout(time) == Err(RecvTimeoutError::Timeout)
    }

    /// Returns whether the signal has been given.
    pub fn is_given(&self) -> bool {
        self.0.try_recv() == Err(TryRecvError::Disconnected)
    }
}
