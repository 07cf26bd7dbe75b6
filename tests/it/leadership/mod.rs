//! Tests of work that one of several processes with a shared store does. Work is handed over when its process stops or does not
//! respond, and a process that was paused does no work late.

mod leases;
mod workers;

use std::{
    io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use galley::{
    clock::{Clock, SystemClock},
    leadership::{Leadership, Workers},
    site::{LeasedSite, Site, Work},
    store::{
        Batch, ChangedKeys, NewNode, Node, NodeId, Nodes, Snapshot, Store, StoreError, Writer,
        memory::MemoryStore,
    },
};

/// Short enough for tests to wait for, and long enough for renewals on a busy machine.
const LEASE_TIME: Duration = Duration::from_millis(1500);

/// The store of a process that can be paused. A pause blocks its heartbeats, as if the process were suspended; its other
/// threads run, like those of a process that has just been resumed.
struct ProcessStore {
    store: Arc<MemoryStore>,
    pause: Arc<AtomicBool>,
    /// Whether the store is unreachable for the process.
    is_lost: Arc<AtomicBool>,
}

impl ProcessStore {
    fn nodes_of_store(&self) -> &dyn Nodes {
        while self.pause.load(SeqCst) {
            thread::sleep(Duration::from_millis(5));
        }
        self.store.nodes().unwrap()
    }
}

impl Store for ProcessStore {
    fn snapshot(&self) -> Result<Box<dyn Snapshot>, StoreError> {
        if self.is_lost.load(SeqCst) {
            return Err(StoreError::Io {
                store: "of this test".into(),
                source: io::ErrorKind::ConnectionReset.into(),
            });
        }
        self.store.snapshot()
    }

    fn batch(&self) -> Batch {
        self.store.batch()
    }

    fn writer(&self) -> Result<Box<dyn Writer + '_>, StoreError> {
        self.store.writer()
    }

    fn changes_since(&self, revision: u64) -> Result<Option<Vec<ChangedKeys>>, StoreError> {
        self.store.changes_since(revision)
    }

    fn size_bytes(&self) -> Result<u64, StoreError> {
        self.store.size_bytes()
    }

    fn nodes(&self) -> Option<&dyn Nodes> {
        Some(self)
    }
}

impl Nodes for ProcessStore {
    fn join(&self, node: &NewNode) -> Result<NodeId, StoreError> {
        self.nodes_of_store().join(node)
    }

    fn renew(&self, id: NodeId, revision: u64) -> Result<bool, StoreError> {
        self.nodes_of_store().renew(id, revision)
    }

    fn alive(&self) -> Result<Vec<Node>, StoreError> {
        self.nodes_of_store().alive()
    }

    fn leave(&self, id: NodeId) -> Result<(), StoreError> {
        self.nodes_of_store().leave(id)
    }
}

/// A process that shares a store.
struct Process {
    site: Arc<Site>,
    leadership: Option<Leadership>,
    pause: Arc<AtomicBool>,
    is_lost: Arc<AtomicBool>,
    stops_following: Arc<AtomicBool>,
    following: Option<JoinHandle<()>>,
}

impl Process {
    fn start(store: &Arc<MemoryStore>, name: &str) -> Self {
        Self::start_with(store, name, LEASE_TIME, Arc::new(SystemClock))
    }

    fn start_with(
        store: &Arc<MemoryStore>,
        name: &str,
        lease_time: Duration,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let [pause, is_lost] = [(); 2].map(|()| Arc::<AtomicBool>::default());
        let of_process = ProcessStore {
            store: Arc::clone(store),
            pause: Arc::clone(&pause),
            is_lost: Arc::clone(&is_lost),
        };
        let site = Arc::new(Site::open(Box::new(of_process), clock).unwrap());
        let node = NewNode {
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            lease_time,
        };
        let leadership = Leadership::join(Arc::clone(&site), node).unwrap();
        let stops_following = Arc::<AtomicBool>::default();
        let (followed, stops) = (Arc::clone(&site), Arc::clone(&stops_following));
        let is_away = Arc::clone(&is_lost);
        let following = thread::spawn(move || {
            while !stops.load(SeqCst) {
                let outcome = followed.follow();
                assert!(outcome.is_ok() || is_away.load(SeqCst), "{outcome:?}");
                thread::sleep(Duration::from_millis(5));
            }
        });
        Self {
            site,
            leadership: Some(leadership),
            pause,
            is_lost,
            stops_following,
            following: Some(following),
        }
    }

    /// Leads `work` with the workers that `start` starts.
    fn lead(&mut self, work: Work, mut start: impl FnMut(LeasedSite) -> Workers + Send + 'static) {
        let leadership = self.leadership.as_mut().unwrap();
        let start = move |site| -> io::Result<Workers> { Ok(start(site)) };
        leadership.lead(work, start).unwrap();
    }

    /// Leads `work` without workers, and returns the rights to it.
    fn leads(&mut self, work: Work) -> Rights {
        let rights = Rights::default();
        let leased = rights.clone();
        self.lead(work, move |site| {
            leased.0.lock().unwrap().push(site);
            Box::new(())
        });
        rights
    }

    fn pause(&self) {
        self.pause.store(true, SeqCst);
    }

    fn resume(&self) {
        self.pause.store(false, SeqCst);
    }

    /// Makes the store unreachable for a moment. A request notices the outage before the thread that follows the store.
    fn lose_store(&self) {
        self.is_lost.store(true, SeqCst);
        self.site.follow_at_once();
        assert!(self.site.store_lost_since().is_some());
        // The thread that follows the store checks the flag after a failure.
        thread::sleep(Duration::from_millis(50));
        self.is_lost.store(false, SeqCst);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.resume();
        drop(self.leadership.take());
        self.stops_following.store(true, SeqCst);
        let followed = self.following.take().unwrap().join();
        assert!(followed.is_ok() || thread::panicking());
    }
}

/// The leased sites that a process has received for some work, oldest first.
#[derive(Clone, Default)]
struct Rights(Arc<Mutex<Vec<LeasedSite>>>);

impl Rights {
    fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    fn last(&self) -> LeasedSite {
        self.0.lock().unwrap().last().unwrap().clone()
    }

    fn is_valid(&self) -> bool {
        self.0.lock().unwrap().last().is_some_and(LeasedSite::leads)
    }
}
