//! Tells webhooks by HTTP what waits for them in the store, in order, and again after growing waits when that fails.
//!
//! A thread that is woken after each commit that queued something looks which queues have something at their heads, by one
//! look into the store for each. Carriers, threads that are there while there is something to do, take a queue each and tell
//! its webhook one thing after the other over one connection, until it is empty or something fails; then the head waits for
//! its time, and nobody else waits for it. What came of many deliveries is recorded together in one commit, by a thread of its
//! own (`recorder.rs`): a crash repeats what was told since the last one, under the same names, and loses nothing.
//!
//! Carriers hold on to the site only while they read from it, so that a receiver that does not answer keeps no site from
//! closing.

mod attempt;
mod carrier;
mod lanes;
mod recorder;

use std::{
    collections::HashSet,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use lanes::{Chore, Lanes};

use super::figures::DeliveryFigures;
use crate::{
    body_memory::BodyMemory,
    error::{Error, Result},
    outbound::{Courier, Reach},
    site::{Edition, Head, Site, Topic},
};

/// How often the clock is asked while something waits for its time: clocks are set, and machines sleep.
const LOOK: Duration = Duration::from_millis(250);

/// How often the queues are looked at, whatever was told about them.
const FULL_LOOK: Duration = Duration::from_secs(60);

/// How long what is under way may take when the program stops, before it is left to the next start.
const STOP_PATIENCE: Duration = Duration::from_secs(5);

/// How webhooks are told.
#[derive(Clone, Debug)]
pub struct WebhookOptions {
    /// Which machines may be receivers.
    pub reach: Reach,
    /// The version of the API whose records are told, such as `v6.65`.
    pub content_version: String,
    /// Memory in which what they are sent counts.
    pub memory: Arc<BodyMemory>,
}

/// Tells webhooks until it is dropped.
pub struct WebhookDeliverer {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

/// What all threads work with.
struct Shared {
    site: Weak<Site>,
    courier: Courier,
    content_version: String,
    memory: Arc<BodyMemory>,
    figures: Arc<DeliveryFigures>,
    lanes: Mutex<Lanes>,
    /// Told when a lane is ready, when something is recorded, and when the program stops.
    carry: Condvar,
    /// Told when there is something to record or to do, and when a carrier ends.
    record: Condvar,
    news: Sender<News>,
}

/// What the thread that looks is told.
enum News {
    /// Something was queued, recorded or given back.
    Queues,
    /// It is to stop.
    Stop,
}

impl WebhookDeliverer {
    /// Tells what waits, and goes on doing so.
    ///
    /// # Errors
    ///
    /// When the system has no thread to give, or the store cannot be read.
    pub fn start(
        site: Arc<Site>,
        options: WebhookOptions,
        figures: Arc<DeliveryFigures>,
    ) -> Result<Self> {
        let (news, told) = mpsc::channel();
        let waker = news.clone();
        site.on(Topic::Webhooks, move || {
            // Nobody listens any more once this is dropped.
            let _ = waker.send(News::Queues);
        });
        let shared = Arc::new(Shared {
            site: Arc::downgrade(&site),
            courier: Courier::new(options.reach),
            content_version: options.content_version,
            memory: options.memory,
            figures,
            lanes: Mutex::default(),
            carry: Condvar::new(),
            record: Condvar::new(),
            news,
        });
        shared.go_on_with_chores(&site)?;
        let mut deliverer = Self {
            shared: Arc::clone(&shared),
            threads: Vec::new(),
        };
        let recording = (Arc::clone(&shared), Arc::clone(&site));
        deliverer.spawn("webhook records", move || {
            recorder::run(&recording.0, &recording.1);
        })?;
        deliverer.spawn("webhooks", move || run(&shared, &site, &told))?;
        Ok(deliverer)
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work);
        self.threads.push(thread.map_err(Error::internal)?);
        Ok(())
    }
}

impl Drop for WebhookDeliverer {
    /// Waits for what is under way, but not for long.
    fn drop(&mut self) {
        self.shared.lanes().is_stopping = true;
        self.shared.carry.notify_all();
        self.shared.record.notify_all();
        let _ = self.shared.news.send(News::Stop);
        for thread in self.threads.drain(..) {
            // A panic in a thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        // Nothing under this lock panics halfway.
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has the queues looked at.
    fn look_again(&self) {
        // Nobody looks any more when the program has stopped.
        let _ = self.news.send(News::Queues);
    }

    /// Goes on with what another process was giving up when it ended.
    fn go_on_with_chores(&self, site: &Site) -> Result<()> {
        let edition = site.current();
        let mut last = None;
        while let Some(head) = edition.next_waiting(last, |_, _| false)? {
            if edition.webhook_gives_up_before(head.webhook)?.is_some() {
                self.lanes().order(Chore::GiveUpOlder(head.webhook));
            }
            last = Some(head.webhook);
        }
        Ok(())
    }

    /// Looks what stands at the head of each queue.
    fn look(&self, site: &Site) -> Result<()> {
        // In this order: what is recorded in between is in both, and passed over.
        let over = self.lanes().over();
        let edition = site.current();
        let is_over = |webhook, number| {
            let over = over.get(&webhook);
            over.is_some_and(|over| over.contains(&number))
        };
        let mut waiting = HashSet::new();
        let mut last = None;
        while let Some(head) = edition.next_waiting(last, is_over)? {
            last = Some(head.webhook);
            waiting.insert(head.webhook);
            self.note(&edition, head)?;
        }
        self.lanes().forget_empty(&waiting);
        Ok(())
    }

    fn note(&self, edition: &Edition, head: Head) -> Result<()> {
        let Some(webhook) = edition.catalog.webhooks.get(head.webhook) else {
            self.lanes().order(Chore::Clear(head.webhook));
            self.record.notify_all();
            return Ok(());
        };
        // Whom nobody has reached yet is not known to be quick.
        let is_doubtful =
            webhook.last_triggered_error.is_some() || webhook.last_triggered_at.is_none();
        let is_unknown = self.lanes().note_head(head, is_doubtful);
        if is_unknown {
            let delivery = edition.waiting_delivery(head.webhook, head.number)?;
            let progress = delivery.map(|delivery| delivery.progress);
            self.lanes()
                .note_progress(head, progress.unwrap_or_default());
        }
        Ok(())
    }

    /// Has carried what is due.
    fn carry_due(self: &Arc<Self>, site: &Site) {
        let now = site.now();
        let mut lanes = self.lanes();
        lanes.wake_due(now);
        for _ in 0..lanes.carriers_wanted() {
            lanes.carriers += 1;
            let shared = Arc::clone(self);
            let carrier = thread::Builder::new().name("webhook carrier".to_owned());
            if let Err(error) = carrier.spawn(move || carrier::run(&shared)) {
                lanes.carriers -= 1;
                tracing::error!(%error, "there is no thread to tell webhooks with");
                break;
            }
        }
        drop(lanes);
        self.carry.notify_all();
    }
}

/// Looks until the program stops.
fn run(shared: &Arc<Shared>, site: &Site, told: &Receiver<News>) {
    let mut looked_at = None;
    let mut has_news = true;
    loop {
        if has_news || looked_at.is_none_or(|at: Instant| at.elapsed() >= FULL_LOOK) {
            looked_at = Some(Instant::now());
            if let Err(error) = shared.look(site) {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "what webhooks wait for cannot be read; trying again"
                );
            }
        }
        shared.carry_due(site);
        let patience = if shared.lanes().waits_for_time() {
            LOOK
        } else {
            FULL_LOOK
        };
        has_news = match told.recv_timeout(patience) {
            Ok(News::Queues) => true,
            Ok(News::Stop) | Err(RecvTimeoutError::Disconnected) => return,
            Err(RecvTimeoutError::Timeout) => false,
        };
        // Many at once are one.
        loop {
            match told.try_recv() {
                Ok(News::Queues) => {}
                Ok(News::Stop) => return,
                Err(_) => break,
            }
        }
    }
}
