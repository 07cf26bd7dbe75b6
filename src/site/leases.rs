//! Leases, which determine which of the processes that share a store does the work that must be done
//! only once.
//!
//! A lease is a record that names a node. A node takes over a lease from a dead node in a
//! transaction. A lease needs no separate renewal: it lasts as long as its node is alive. The number
//! of a lease increases each time it is taken over. A transaction of a leader requires that the
//! record still has the leader's number. Since a commit succeeds only if all that the transaction has
//! read is unchanged, no leader commits anything after another node has taken over.
//!
//! The number is a part of the record, not its revision, so that it also distinguishes leases that
//! are not committed yet or that were copied to another store.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::CommitTopic;
use super::{Site, Transaction, TransactionView, records};
use crate::{
    error::{Error, Kind, Result},
    store::{NodeId, Nodes, SharedCounts, Table},
};

macro_rules! works {
    ($($(#[$doc:meta])* $work:ident = $name:literal;)*) => {
        /// Work that one process at a time does for a site.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Work {
            $($(#[$doc])* $work,)*
        }

        impl Work {
            /// All work.
            pub const ALL: &[Self] = &[$(Self::$work),*];

            /// Returns the name under which the lease for this work is stored. It never changes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$work => $name,)*
                }
            }
        }
    };
}

works! {
    /// Following the content folder or the repository, and writing edits into it.
    Source = "source";
    /// Publishing scheduled posts and ending tiers.
    Scheduler = "scheduler";
    /// Sending mail.
    Mail = "mail";
    /// Sending newsletters.
    Newsletters = "newsletters";
    /// Sending webhooks.
    Webhooks = "webhooks";
    /// Making regular backups.
    Backups = "backups";
}

/// The lease of some work, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRecord {
    /// The number of the node; `None` if the node released the work.
    node: Option<u64>,
    /// The name of the node.
    #[serde(default)]
    node_name: Box<str>,
    /// The number of the lease for its work, counted from 1.
    number: u64,
    /// Number of times that other nodes have asked the leader to work immediately.
    #[serde(rename = "asked", default)]
    requests: u64,
}

impl LeaseRecord {
    /// Returns the node that does the work while it is alive.
    pub fn node(&self) -> Option<NodeId> {
        self.node.map(NodeId::from_number)
    }

    /// Returns the name of the node.
    pub fn node_name(&self) -> &str {
        &self.node_name
    }

    /// Returns the number of the lease for its work.
    pub fn number(&self) -> u64 {
        self.number
    }
}

/// The work of a lease and its number, which is unique for that work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeaseNumber {
    /// The work.
    pub work: Work,
    /// The number.
    pub number: u64,
}

impl Site {
    /// Returns the processes that share the store, or `None` if only this process uses it.
    pub fn nodes(&self) -> Option<&dyn Nodes> {
        self.store.nodes()
    }

    /// Returns the counts that the processes share, or `None` if only this process uses the store.
    pub fn shared_counts(&self) -> Option<&dyn SharedCounts> {
        self.store.shared_counts()
    }

    /// Returns the last lease of each work that ever had one, according to the store.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn leases(&self) -> Result<BTreeMap<Work, LeaseRecord>> {
        let snapshot = self.store.snapshot()?;
        let mut leases = BTreeMap::new();
        records::visit_all(snapshot.as_ref(), Table::Leases, |key, bytes| {
            // A newer version may know other work.
            if let Some(work) = Work::ALL.iter().find(|work| work.name().as_bytes() == key) {
                leases.insert(*work, records::decode(Table::Leases, bytes)?);
            }
            Ok(())
        })?;
        Ok(leases)
    }
}

impl TransactionView<'_> {
    /// Returns the last lease of some work.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn lease(&self, work: Work) -> Result<Option<LeaseRecord>> {
        self.read(Table::Leases, work.name().as_bytes())
    }
}

impl Transaction {
    /// Gives some work to a node, regardless of its current node, and returns the number of the
    /// lease. Returns `None` if the last lease is not `found`, which the caller knows to be over.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn take_lease(
        &mut self,
        work: Work,
        found: Option<&LeaseRecord>,
        node: NodeId,
        node_name: &str,
    ) -> Result<Option<LeaseNumber>> {
        let last = self.view().lease(work)?;
        // Another node has taken the lease since the scan, and may be alive.
        if last.as_ref() != found {
            return Ok(None);
        }
        // Increased even if the same node takes it again: its earlier workers must not continue to
        // write.
        let number = last.map_or(0, |last| last.number) + 1;
        let lease = LeaseRecord {
            node: Some(node.number()),
            node_name: node_name.into(),
            number,
            requests: 0,
        };
        self.put(Table::Leases, work.name().as_bytes(), &lease)?;
        Ok(Some(LeaseNumber { work, number }))
    }

    /// Releases work that this node cannot do, so that another node takes it.
    ///
    /// # Errors
    ///
    /// The errors of [`require_lease`](Self::require_lease).
    pub fn release_lease(&mut self, lease: LeaseNumber) -> Result<()> {
        self.require_lease(lease)?;
        let released = LeaseRecord {
            node: None,
            node_name: Box::default(),
            // Retained, so that the next lease has a higher number than this one.
            number: lease.number,
            requests: 0,
        };
        self.put(Table::Leases, lease.work.name().as_bytes(), &released)
    }

    /// Returns an error unless this lease is still the last one of its work.
    ///
    /// # Errors
    ///
    /// `Maintenance` if the lease is over; or if the store cannot be read.
    pub fn require_lease(&self, lease: LeaseNumber) -> Result<()> {
        match self.view().lease(lease.work)? {
            Some(last) if last.number == lease.number && last.node.is_some() => Ok(()),
            _ => Err(is_over(lease.work)),
        }
    }

    /// Asks the leader of some work to do it immediately. [`CommitTopic::Leases`] wakes the leader. A
    /// later leader does its work immediately in any case.
    ///
    /// # Errors
    ///
    /// If the store cannot be read or holds a record that this program cannot read.
    pub fn ask_leader(&mut self, work: Work) -> Result<()> {
        let Some(mut lease) = self.view().lease(work)? else {
            return Ok(());
        };
        lease.requests += 1;
        self.put(Table::Leases, work.name().as_bytes(), &lease)
    }
}

/// Returns the error for a leader whose lease is over.
pub(super) fn is_over(work: Work) -> Error {
    let message = format!("Another node does this work now: {}.", work.name());
    Error::new(Kind::Maintenance, message).code("LEASE_OVER")
}
