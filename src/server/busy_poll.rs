//! Busy polling: keeps an event loop awake for a client that sends one request after the other.
//!
//! A static site build requests the next page as soon as it has the previous one. In between, the
//! loop has nothing to do, and going to sleep and waking up takes longer than a response from
//! memory. So while one connection sends requests within [`PROMPT`] of each other, and no other
//! connection sends any, the loop polls for the next request instead of sleeping. It stops polling
//! when no request arrives in that time.
//!
//! Polling slows down a client that needs the same processor. So if requests did not arrive faster
//! while the loop was awake, it waits for twice as many prompt requests before it tries again, until
//! trying costs next to nothing.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::yield_now;

/// Maximum time between two prompt requests, and the time for which the loop stays awake for the
/// next one.
const PROMPT: Duration = Duration::from_micros(200);

/// Number of consecutive prompt requests from one client before the loop stays awake for the next.
const IN_A_ROW_MIN: u32 = 12;

/// Maximum of that number, after repeated unsuccessful polling.
const IN_A_ROW_MAX: u32 = 12 << 10;

/// The client that sends requests to an event loop, and its rate. Only the loop's thread writes, so
/// a load and a store suffice.
#[derive(Debug)]
pub(super) struct BusyPoll {
    opened: Instant,
    /// The connection that last sent data.
    client: AtomicUsize,
    /// Time at which that data arrived, in nanoseconds after `opened`.
    last_arrival_ns: AtomicU64,
    /// Number of consecutive prompt requests from that connection.
    prompt: AtomicU32,
    /// Time at which the first of these requests arrived, in nanoseconds after `opened`.
    first_arrival_ns: AtomicU64,
    /// Number of consecutive prompt requests that is needed to stay awake.
    in_a_row: AtomicU32,
    is_awake: AtomicBool,
    wake: Notify,
}

impl BusyPoll {
    pub(super) fn new() -> Self {
        BusyPoll {
            opened: Instant::now(),
            client: AtomicUsize::new(0),
            last_arrival_ns: AtomicU64::new(0),
            prompt: AtomicU32::new(0),
            first_arrival_ns: AtomicU64::new(0),
            in_a_row: AtomicU32::new(IN_A_ROW_MIN),
            is_awake: AtomicBool::new(false),
            wake: Notify::new(),
        }
    }

    /// Records that data arrived on a connection. `client` identifies the connection among all open
    /// ones.
    pub(super) fn record_arrival(&self, client: usize) {
        if self.client.load(Relaxed) != client {
            self.client.store(client, Relaxed);
            self.prompt.store(0, Relaxed);
            return;
        }
        let now_ns = self.now_ns();
        let prompt = if self.is_prompt_at(now_ns) {
            self.prompt.load(Relaxed).saturating_add(1)
        } else {
            0
        };
        // The measurement begins with the first request of a sequence.
        if prompt <= 1 {
            self.first_arrival_ns.store(now_ns, Relaxed);
        }
        self.last_arrival_ns.store(now_ns, Relaxed);
        self.prompt.store(prompt, Relaxed);
        if prompt >= self.in_a_row.load(Relaxed) && !self.is_awake.swap(true, Relaxed) {
            self.wake.notify_one();
        }
    }

    /// Prevents the event loop that this runs on from sleeping while one client sends requests
    /// promptly. Never returns.
    pub(super) async fn run(&self) {
        loop {
            self.wake.notified().await;
            let in_a_row = if self.wait_awake().await {
                IN_A_ROW_MIN
            } else {
                IN_A_ROW_MAX.min(2 * self.in_a_row.load(Relaxed))
            };
            self.in_a_row.store(in_a_row, Relaxed);
            // After a pause, the client has to be prompt for some time again before the loop stays
            // awake.
            self.prompt.store(0, Relaxed);
            self.is_awake.store(false, Relaxed);
        }
    }

    /// Stays awake while one client sends requests promptly, and returns whether they arrived faster
    /// than before.
    async fn wait_awake(&self) -> bool {
        let woken_ns = self.now_ns();
        let asleep_ns = woken_ns - self.first_arrival_ns.load(Relaxed);
        let requests_asleep = self.prompt.load(Relaxed);
        let mut requests_awake: u32 = 0;
        let mut last_ns = self.last_arrival_ns.load(Relaxed);
        while self.prompt.load(Relaxed) > 0 && self.is_prompt_at(self.now_ns()) {
            // Yielding lets the loop poll its sockets before it runs this task again.
            yield_now().await;
            let now_last_ns = self.last_arrival_ns.load(Relaxed);
            if now_last_ns != last_ns {
                last_ns = now_last_ns;
                requests_awake = requests_awake.saturating_add(1);
            }
        }
        let awake_ns = self.now_ns() - woken_ns;
        // Compares the times for each request without a division, because there may have been no
        // request while awake.
        u128::from(awake_ns) * u128::from(requests_asleep)
            < u128::from(asleep_ns) * u128::from(requests_awake)
    }

    /// Returns whether data that arrives at `now_ns` promptly follows the previous data.
    fn is_prompt_at(&self, now_ns: u64) -> bool {
        now_ns - self.last_arrival_ns.load(Relaxed) < PROMPT.as_nanos() as u64
    }

    fn now_ns(&self) -> u64 {
        self.opened.elapsed().as_nanos() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::runtime::{Builder, Runtime};
    use tokio::time::sleep;

    use super::*;

    /// Returns an event loop with its busy polling.
    fn event_loop(busy_poll: &Arc<BusyPoll>) -> Runtime {
        let event_loop = Builder::new_current_thread().enable_time().build().unwrap();
        let task = Arc::clone(busy_poll);
        event_loop.spawn(async move { task.run().await });
        event_loop
    }

    fn come_until_awake(busy_poll: &BusyPoll) {
        let patience = Instant::now() + Duration::from_secs(60);
        // The test may have to wait for a processor in between.
        while !busy_poll.is_awake.load(Relaxed) {
            assert!(Instant::now() < patience, "it never stays awake");
            busy_poll.record_arrival(1);
        }
    }

    #[test]
    fn busy_polling_continues_while_a_client_is_prompt() {
        let busy_poll = Arc::new(BusyPoll::new());
        event_loop(&busy_poll).block_on(async {
            come_until_awake(&busy_poll);
            sleep(PROMPT * 50).await;
            assert!(!busy_poll.is_awake.load(Relaxed));
            come_until_awake(&busy_poll);
        });
    }

    #[test]
    fn unsuccessful_polling_is_throttled() {
        let busy_poll = Arc::new(BusyPoll::new());
        event_loop(&busy_poll).block_on(async {
            for expected in [1, 2, 4, 8, 16].map(|times| times * IN_A_ROW_MIN) {
                assert_eq!(busy_poll.in_a_row.load(Relaxed), expected);
                come_until_awake(&busy_poll);
                sleep(PROMPT * 50).await;
            }
        });
    }

    #[test]
    fn client_that_becomes_faster_is_polled_again_soon() {
        let busy_poll = Arc::new(BusyPoll::new());
        event_loop(&busy_poll).block_on(async {
            come_until_awake(&busy_poll);
            sleep(PROMPT * 50).await;
            assert!(busy_poll.in_a_row.load(Relaxed) > IN_A_ROW_MIN);
            let patience = Instant::now() + Duration::from_secs(60);
            // If the test does not get its processor, that looks like a client that stopped.
            while busy_poll.in_a_row.load(Relaxed) > IN_A_ROW_MIN {
                assert!(Instant::now() < patience, "polling never pays off");
                while !busy_poll.is_awake.load(Relaxed) {
                    busy_poll.record_arrival(1);
                    wait(PROMPT / 2);
                }
                for _ in 0..1000 {
                    busy_poll.record_arrival(1);
                    yield_now().await;
                }
                sleep(PROMPT * 50).await;
            }
        });
    }

    /// Blocks the event loop for this time.
    fn wait(time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {}
    }

    #[test]
    fn several_active_clients_disable_busy_polling() {
        let busy_poll = Arc::new(BusyPoll::new());
        event_loop(&busy_poll).block_on(async {
            for _ in 0..100 {
                busy_poll.record_arrival(1);
                busy_poll.record_arrival(2);
                assert!(!busy_poll.is_awake.load(Relaxed));
            }
            come_until_awake(&busy_poll);
            busy_poll.record_arrival(2);
            for _ in 0..3 {
                yield_now().await;
            }
            assert!(!busy_poll.is_awake.load(Relaxed));
        });
    }
}
