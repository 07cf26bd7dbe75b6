//! The processes that share a store, called nodes, and which of them are alive.
//!
//! A node is alive as long as it renews itself within its lease time, by the clock of the store, which
//! all nodes share. Nodes are not records: a renewal is not a commit and does not appear in any
//! snapshot.
//!
//! A dead node never becomes alive again: its process joins as another node. So a process that finds
//! another node dead may rely on that later.

use std::{fmt, time::Duration};

use super::StoreError;

/// The identity of a node. It is never reused, neither after a restart nor in a copy of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(u64);

impl NodeId {
    /// Returns an identity chosen randomly, below 2^63.
    ///
    /// # Errors
    ///
    /// If the system provides no random numbers.
    pub fn random() -> Result<Self, getrandom::Error> {
        // PostgreSQL has only signed 64-bit numbers.
        Ok(Self(getrandom::u64()? >> 1))
    }

    /// Returns the identity with this number.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns its number.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}", self.0)
    }
}

/// A process that joins the nodes of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewNode {
    /// Its display name, such as `web-1:4711`. Several nodes may have the same name.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// Time for which the node is alive after it joined and after each renewal.
    pub lease_time: Duration,
}

/// A node that is alive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its identity.
    pub id: NodeId,
    /// Its display name.
    pub name: String,
    /// The version of the program.
    pub version: String,
    /// The revision that it followed at its last renewal; 0 before the first renewal.
    pub revision: u64,
    /// Time since the node joined, by the clock of the store.
    pub joined_ago: Duration,
    /// Time since the node joined or last renewed itself, by the clock of the store.
    pub seen_ago: Duration,
}

/// The nodes of a store.
pub trait Nodes: Send + Sync {
    /// Adds a node, which is alive immediately.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached.
    fn join(&self, node: &NewNode) -> Result<NodeId, StoreError>;

    /// Extends the life of a node by its lease time from now, and records the revision that the node
    /// follows. Returns `false` and changes nothing if the node is dead.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached. The life may have been extended nevertheless.
    fn renew(&self, id: NodeId, revision: u64) -> Result<bool, StoreError>;

    /// Returns the nodes that are alive, in the order in which they joined.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached.
    fn alive(&self) -> Result<Vec<Node>, StoreError>;

    /// Ends the life of a node, if it is alive.
    ///
    /// # Errors
    ///
    /// `Unavailable` if the store cannot be reached. The node is dead after its lease time in any case.
    fn leave(&self, id: NodeId) -> Result<(), StoreError>;
}
