//! A streaming response, which sends the next chunk when there is one and the client can receive
//! it.
//!
//! Nothing is buffered for a slow client. While there are no chunks, a heartbeat is sent at
//! intervals, so that a broken connection is noticed. The response ends when the server stops.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep};
use tracing::error;

use crate::{
    api::response::{Live, StreamStep},
    server::panic_guard::guarded,
};

use super::activity::{SendingGuard, StreamingMark};
use super::change_waiters::{Listener, WaitPermit};

/// The chunks of one streaming response.
pub(super) struct StreamChunks {
    source: Box<dyn Live>,
    listener: Listener,
    change_wait: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
    heartbeat: Pin<Box<Sleep>>,
    /// Maximum time in which nothing is sent.
    quiet_max: Duration,
    _permit: WaitPermit,
    lasting: StreamingMark,
}

impl StreamChunks {
    pub(super) fn new(
        source: Box<dyn Live>,
        listener: Listener,
        permit: WaitPermit,
        lasting: StreamingMark,
        quiet_max: Duration,
    ) -> Self {
        StreamChunks {
            source,
            listener,
            change_wait: None,
            heartbeat: Box::pin(sleep(quiet_max)),
            quiet_max,
            _permit: permit,
            lasting,
        }
    }

    /// Returns the mark of a chunk that is being sent.
    pub(super) fn sending(&self) -> SendingGuard {
        self.lasting.sending()
    }

    /// Returns the next chunk, or `None` at the end.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            // Checked first: a source that always has data would otherwise prevent the server from
            // stopping.
            if self.listener.is_stopping() {
                return Poll::Ready(None);
            }
            if let Some(change_wait) = &mut self.change_wait {
                if change_wait.as_mut().poll(context).is_ready() {
                    self.change_wait = None;
                    continue;
                }
                ready!(self.heartbeat.as_mut().poll(context));
                self.postpone_heartbeat();
                return Poll::Ready(Some(self.source.heartbeat()));
            }
            // A change from here on wakes the wait below.
            self.listener.catch_up();
            match guarded(|| self.source.next()) {
                Ok(StreamStep::Bytes(bytes)) => {
                    self.postpone_heartbeat();
                    return Poll::Ready(Some(bytes));
                }
                Ok(StreamStep::Wait) => {
                    // Cloned, so that the stored future borrows nothing from `self`.
                    let mut listener = self.listener.clone();
                    self.change_wait =
                        Some(Box::pin(async move { listener.wait_for_change().await }));
                }
                Ok(StreamStep::End) => return Poll::Ready(None),
                Err(_) => {
                    error!("panic in a streaming response");
                    return Poll::Ready(None);
                }
            }
        }
    }

    /// Postpones the next heartbeat because something is sent.
    fn postpone_heartbeat(&mut self) {
        self.heartbeat
            .as_mut()
            .reset(Instant::now() + self.quiet_max);
    }
}
