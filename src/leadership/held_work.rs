//! Work that this process leads, with its lease.

use std::{collections::BTreeMap, sync::Arc};

use crate::site::{LeaseNumber, LeaseRecord, LeasedSite, Liveness, Work};

/// The right of this process to do some work.
pub(super) struct HeldWork {
    pub(super) site: LeasedSite,
    /// The lease that grants the right, if the store is shared.
    pub(super) lease: Option<(LeaseNumber, Arc<Liveness>)>,
}

impl HeldWork {
    /// Returns whether the lease is over, according to the last known `leases`.
    pub(super) fn is_over(&self, leases: &BTreeMap<Work, LeaseRecord>) -> bool {
        let Some((lease, liveness)) = &self.lease else {
            return false;
        };
        let is_replaced = leases
            .get(&lease.work)
            // A lower number is from a scan that began before this lease was taken.
            .is_some_and(|last| last.number() > lease.number);
        is_replaced || !liveness.is_alive()
    }
}
