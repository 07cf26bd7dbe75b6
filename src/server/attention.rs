//! How long an event loop stays awake for a client that asks one thing after the other.
//!
//! Who builds a static site asks for the next page as soon as the last one is there. Between the two the loop has nothing to
//! do, and going to sleep and being woken takes longer than an answer from memory does. So while one connection asks again
//! and again within [`PROMPT`], and no other asks anything, the loop looks for its next request instead of sleeping, until
//! there is none in that time.
//!
//! A client that needs the same processor asks no sooner for that, but later. So where requests did not come faster while the
//! loop was awake, it tries again only after twice as many, until next to nothing is lost by trying.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use tokio::sync::Notify;
use tokio::task::yield_now;

/// How soon after a request the next one is prompt, and how long it is waited for awake.
const PROMPT: Duration = Duration::from_micros(200);

/// How many requests of one client must come promptly, one after the other, until the next is waited for awake; and how many
/// that is at most, where it was in vain again and again.
const IN_A_ROW_MIN: u32 = 12;
const IN_A_ROW_MAX: u32 = 12 << 10;

/// What an event loop knows of who asks, and how fast. Only its own thread writes, so load and store suffice.
#[derive(Debug)]
pub(super) struct Attention {
    opened: Instant,
    /// The connection on which something came last.
    client: AtomicUsize,
    /// When that was, in nanoseconds after `opened`.
    came_ns: AtomicU64,
    /// How many times in a row it was the same one, and prompt.
    prompt: AtomicU32,
    /// When the first of those times was, in nanoseconds after `opened`.
    began_ns: AtomicU64,
    /// How many times in a row it must be.
    in_a_row: AtomicU32,
    is_awake: AtomicBool,
    wake: Notify,
}

impl Attention {
    pub(super) fn new() -> Self {
        Attention {
            opened: Instant::now(),
            client: AtomicUsize::new(0),
            came_ns: AtomicU64::new(0),
            prompt: AtomicU32::new(0),
            began_ns: AtomicU64::new(0),
            in_a_row: AtomicU32::new(IN_A_ROW_MIN),
            is_awake: AtomicBool::new(false),
            wake: Notify::new(),
        }
    }

    /// Something came on a connection, which `client` tells from all others that are open.
    pub(super) fn came(&self, client: usize) {
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
        if prompt <= 1 {
            self.began_ns.store(now_ns, Relaxed);
        }
        self.came_ns.store(now_ns, Relaxed);
        self.prompt.store(prompt, Relaxed);
        if prompt >= self.in_a_row.load(Relaxed) && !self.is_awake.swap(true, Relaxed) {
            self.wake.notify_one();
        }
    }

    /// Keeps the event loop that this runs on from sleeping while one client asks promptly. Never ends.
    pub(super) async fn keep(&self) {
        loop {
            self.wake.notified().await;
            let in_a_row = if self.wait_awake().await {
                IN_A_ROW_MIN
            } else {
                IN_A_ROW_MAX.min(2 * self.in_a_row.load(Relaxed))
            };
            self.in_a_row.store(in_a_row, Relaxed);
            self.prompt.store(0, Relaxed);
            self.is_awake.store(false, Relaxed);
        }
    }

    /// Waits awake while one client asks promptly, and tells whether its requests came faster than before.
    async fn wait_awake(&self) -> bool {
        let woken_ns = self.now_ns();
        let asleep_ns = woken_ns - self.began_ns.load(Relaxed);
        let came_asleep = self.prompt.load(Relaxed);
        let mut came_awake: u32 = 0;
        let mut last_ns = self.came_ns.load(Relaxed);
        while self.prompt.load(Relaxed) > 0 && self.is_prompt_at(self.now_ns()) {
            // The loop looks at its sockets, and comes back here.
            yield_now().await;
            let now_last_ns = self.came_ns.load(Relaxed);
            if now_last_ns != last_ns {
                last_ns = now_last_ns;
                came_awake = came_awake.saturating_add(1);
            }
        }
        let awake_ns = self.now_ns() - woken_ns;
        u128::from(awake_ns) * u128::from(came_asleep)
            < u128::from(asleep_ns) * u128::from(came_awake)
    }

    /// Whether what comes at `now_ns` follows promptly on what came last.
    fn is_prompt_at(&self, now_ns: u64) -> bool {
        now_ns - self.came_ns.load(Relaxed) < PROMPT.as_nanos() as u64
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

    /// An event loop with what keeps it awake.
    fn event_loop(attention: &Arc<Attention>) -> Runtime {
        let event_loop = Builder::new_current_thread().enable_time().build().unwrap();
        let kept = Arc::clone(attention);
        event_loop.spawn(async move { kept.keep().await });
        event_loop
    }

    fn come_until_awake(attention: &Attention) {
        let patience = Instant::now() + Duration::from_secs(60);
        // The test itself may have to wait for a processor in between.
        while !attention.is_awake.load(Relaxed) {
            assert!(Instant::now() < patience, "it never stays awake");
            attention.came(1);
        }
    }

    #[test]
    fn a_client_that_asks_promptly_is_waited_for_awake_until_it_stops() {
        let attention = Arc::new(Attention::new());
        event_loop(&attention).block_on(async {
            come_until_awake(&attention);
            sleep(PROMPT * 50).await;
            assert!(!attention.is_awake.load(Relaxed));
            come_until_awake(&attention);
        });
    }

    #[test]
    fn waiting_in_vain_becomes_rare() {
        let attention = Arc::new(Attention::new());
        event_loop(&attention).block_on(async {
            for expected in [1, 2, 4, 8, 16].map(|times| times * IN_A_ROW_MIN) {
                assert_eq!(attention.in_a_row.load(Relaxed), expected);
                come_until_awake(&attention);
                sleep(PROMPT * 50).await;
            }
        });
    }

    #[test]
    fn a_client_that_asks_faster_for_it_is_waited_for_soon_again() {
        let attention = Arc::new(Attention::new());
        event_loop(&attention).block_on(async {
            come_until_awake(&attention);
            sleep(PROMPT * 50).await;
            assert!(attention.in_a_row.load(Relaxed) > IN_A_ROW_MIN);
            let patience = Instant::now() + Duration::from_secs(60);
            // What keeps the test from its processor looks like a client that stopped.
            while attention.in_a_row.load(Relaxed) > IN_A_ROW_MIN {
                assert!(Instant::now() < patience, "it is never worth it");
                while !attention.is_awake.load(Relaxed) {
                    attention.came(1);
                    wait(PROMPT / 2);
                }
                for _ in 0..1000 {
                    attention.came(1);
                    yield_now().await;
                }
                sleep(PROMPT * 50).await;
            }
        });
    }

    /// Lets time pass in which the event loop does nothing else.
    fn wait(time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end {}
    }

    #[test]
    fn nobody_is_waited_for_awake_while_several_ask() {
        let attention = Arc::new(Attention::new());
        event_loop(&attention).block_on(async {
            for _ in 0..100 {
                attention.came(1);
                attention.came(2);
                assert!(!attention.is_awake.load(Relaxed));
            }
            come_until_awake(&attention);
            attention.came(2);
            for _ in 0..3 {
                yield_now().await;
            }
            assert!(!attention.is_awake.load(Relaxed));
        });
    }
}
