//! The nodes of a store in memory.

use std::{
    io,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{NewNode, Node, NodeId, Nodes, StoreError};

/// The name of the store in messages.
pub(super) const STORE_NAME: &str = "in memory";

/// The nodes of a store in memory, in the order in which they joined.
#[derive(Debug, Default)]
pub(super) struct MemoryNodes(Mutex<Vec<Joined>>);

#[derive(Debug)]
struct Joined {
    id: NodeId,
    node: NewNode,
    revision: u64,
    joined_at: Instant,
    seen_at: Instant,
}

impl MemoryNodes {
    /// Returns the nodes that are alive. Dead nodes are removed and never return.
    fn at(&self, now: Instant) -> MutexGuard<'_, Vec<Joined>> {
        let mut nodes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.retain(|joined| since(joined.seen_at, now) < joined.node.lease_time);
        nodes
    }
}

impl Nodes for MemoryNodes {
    fn join(&self, node: &NewNode) -> Result<NodeId, StoreError> {
        let id = NodeId::random().map_err(|error| StoreError::Io {
            store: STORE_NAME.into(),
            source: io::Error::other(error),
        })?;
        let now = Instant::now();
        self.at(now).push(Joined {
            id,
            node: node.clone(),
            revision: 0,
            joined_at: now,
            seen_at: now,
        });
        Ok(id)
    }

    fn renew(&self, id: NodeId, revision: u64) -> Result<bool, StoreError> {
        let now = Instant::now();
        let mut nodes = self.at(now);
        let Some(joined) = nodes.iter_mut().find(|joined| joined.id == id) else {
            return Ok(false);
        };
        joined.seen_at = now;
        joined.revision = revision;
        Ok(true)
    }

    fn alive(&self) -> Result<Vec<Node>, StoreError> {
        let now = Instant::now();
        let nodes = self.at(now);
        let alive = nodes.iter().map(|joined| Node {
            id: joined.id,
            name: joined.node.name.clone(),
            version: joined.node.version.clone(),
            revision: joined.revision,
            joined_ago: since(joined.joined_at, now),
            seen_ago: since(joined.seen_at, now),
        });
        Ok(alive.collect())
    }

    fn leave(&self, id: NodeId) -> Result<(), StoreError> {
        self.at(Instant::now()).retain(|joined| joined.id != id);
        Ok(())
    }
}

fn since(earlier: Instant, now: Instant) -> Duration {
    now.saturating_duration_since(earlier)
}
