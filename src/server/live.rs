//! An answer that goes on: its next piece when the client can take one and there is something to tell.
//!
//! Nothing is kept for a client that is slow. In a quiet time a heartbeat goes out now and then, so that a connection that
//! broke is noticed. Ends when the server stops.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep};
use tracing::error;

use crate::api::response::{Live, Next};

use super::activity::{Lasting, Sending};
use super::exchange::guarded;
use super::news::Listener;

/// The pieces of one such answer.
pub(super) struct Pieces {
    source: Box<dyn Live>,
    listener: Listener,
    hearing: Option<Pin<Box<dyn Future<Output = bool> + Send>>>,
    heartbeat: Pin<Box<Sleep>>,
    /// The longest time in which nothing is sent.
    quiet_max: Duration,
    _place: OwnedSemaphorePermit,
    lasting: Lasting,
}

impl Pieces {
    pub(super) fn new(
        source: Box<dyn Live>,
        listener: Listener,
        place: OwnedSemaphorePermit,
        lasting: Lasting,
        quiet_max: Duration,
    ) -> Self {
        Pieces {
            source,
            listener,
            hearing: None,
            heartbeat: Box::pin(sleep(quiet_max)),
            quiet_max,
            _place: place,
            lasting,
        }
    }

    /// The mark of a piece that is on its way.
    pub(super) fn sending(&self) -> Sending {
        self.lasting.sending()
    }

    /// The next piece, or `None` at the end.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            if self.listener.is_stopping() {
                return Poll::Ready(None);
            }
            if let Some(hearing) = &mut self.hearing {
                if hearing.as_mut().poll(context).is_ready() {
                    self.hearing = None;
                    continue;
                }
                ready!(self.heartbeat.as_mut().poll(context));
                self.rest();
                return Poll::Ready(Some(self.source.heartbeat()));
            }
            // What is told from here on is heard by the wait below.
            self.listener.catch_up();
            match guarded(|| self.source.next()) {
                Ok(Next::Bytes(bytes)) => {
                    self.rest();
                    return Poll::Ready(Some(bytes));
                }
                Ok(Next::Wait) => {
                    let mut listener = self.listener.clone();
                    self.hearing = Some(Box::pin(async move { listener.hear().await }));
                }
                Ok(Next::End) => return Poll::Ready(None),
                Err(_) => {
                    error!("panic in an answer that goes on");
                    return Poll::Ready(None);
                }
            }
        }
    }

    /// Puts the next heartbeat off: something goes out.
    fn rest(&mut self) {
        self.heartbeat
            .as_mut()
            .reset(Instant::now() + self.quiet_max);
    }
}
