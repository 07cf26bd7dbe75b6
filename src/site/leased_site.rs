//! The site for a worker, whose writes are accepted only while the worker's process leads the work.
//!
//! Workers act on their own schedule (they publish, send, read and write files), so only one of several
//! processes may run each worker at a time. Workers get a [`LeasedSite`], which writes only with a valid
//! lease, instead of the [`Site`]. Refusing a write does not undo a mail or request that was sent. So a
//! worker checks before each act outside the store that it still [leads](LeasedSite::leads). This check
//! uses a separate clock: a process that was stopped for longer than its lease time notices without the
//! store.

use std::sync::{Arc, Weak};

use arc_swap::Guard;
use jiff::Timestamp;

use super::{
    CommitTopic, FileWriter, Liveness, Site, SiteSnapshot, Transaction,
    leases::{LeaseNumber, is_over},
};
use crate::{
    domain::theme::ThemePackages,
    error::{Error, Kind, Result},
};

/// The conditions of a worker's right to act.
#[derive(Clone, Debug)]
enum Right {
    /// The store belongs to this process.
    OwnStore,
    /// A lease of this process's node.
    Lease(LeaseNumber, Arc<Liveness>),
    /// Nothing: the store is shared, and there is no lease.
    Missing,
}

impl Right {
    fn is_valid(&self) -> bool {
        match self {
            Self::OwnStore => true,
            Self::Lease(_, liveness) => liveness.is_alive(),
            Self::Missing => false,
        }
    }

    fn check(&self, transaction: &Transaction) -> Result<()> {
        match self {
            Self::OwnStore => Ok(()),
            Self::Lease(lease, _) => transaction.require_lease(*lease),
            Self::Missing => Err(self.refusal()),
        }
    }

    fn refusal(&self) -> Error {
        match self {
            Self::Lease(lease, _) => is_over(lease.work),
            Self::OwnStore | Self::Missing => Error::new(
                Kind::Maintenance,
                "The store is shared, and this process has no lease for this work.",
            ),
        }
    }
}

/// The site for a worker.
#[derive(Clone)]
pub struct LeasedSite {
    site: Arc<Site>,
    right: Right,
}

impl From<Arc<Site>> for LeasedSite {
    /// Returns the site for workers of a store that belongs to this process. If the store is shared, all
    /// writes are refused.
    fn from(site: Arc<Site>) -> Self {
        let right = match site.nodes() {
            None => Right::OwnStore,
            Some(_) => Right::Missing,
        };
        Self { site, right }
    }
}

impl LeasedSite {
    /// Returns the site for the worker that has this lease. `liveness` is that of the node.
    pub fn with_lease(site: Arc<Site>, lease: LeaseNumber, liveness: Arc<Liveness>) -> Self {
        Self {
            site,
            right: Right::Lease(lease, liveness),
        }
    }

    /// Returns whether this process may still act outside the store. Once false, it remains false for
    /// this lease.
    pub fn leads(&self) -> bool {
        self.right.is_valid()
    }

    /// Refuses an act outside the store, unless this process [leads](Self::leads).
    ///
    /// # Errors
    ///
    /// `Maintenance`.
    pub fn check_lead(&self) -> Result<()> {
        if self.leads() {
            Ok(())
        } else {
            Err(self.right.refusal())
        }
    }

    /// Returns the current snapshot, as [`Site::current`] does.
    pub fn current(&self) -> Guard<Arc<SiteSnapshot>> {
        self.site.current()
    }

    /// Returns the current time by the site's clock.
    pub fn now(&self) -> Timestamp {
        self.site.now()
    }

    /// Calls `listener` after commits, as [`Site::on_commit`] does.
    pub fn on_commit(&self, topic: CommitTopic, listener: impl Fn() + Send + Sync + 'static) {
        self.site.on_commit(topic, listener);
    }

    /// Sets the writer of content files, as [`Site::write_files_with`] does.
    pub fn write_files_with(&self, writer: Arc<dyn FileWriter>) {
        self.site.write_files_with(writer);
    }

    /// Returns the themes that validate the settings of themes.
    pub fn theme_packages(&self) -> Option<Arc<dyn ThemePackages>> {
        self.site.theme_packages()
    }

    /// Runs a transaction as [`Site::write`] does, if the lease is valid.
    ///
    /// # Errors
    ///
    /// `Maintenance` if another node leads; or the errors of [`Site::write`].
    pub fn write<T>(&self, change: impl Fn(&mut Transaction) -> Result<T>) -> Result<T> {
        self.site.write_in(None, |transaction| {
            // Within the transaction: the commit succeeds only if the lease is unchanged until
            // then.
            self.right.check(transaction)?;
            change(transaction)
        })
    }

    /// Runs a transaction as [`Site::write_once`] does, if the lease is valid.
    ///
    /// # Errors
    ///
    /// `Maintenance` if another node leads; or the errors of [`Site::write_once`].
    pub fn write_once<T>(&self, change: impl FnOnce(&mut Transaction) -> Result<T>) -> Result<T> {
        self.site.write_once_in(None, |transaction| {
            self.right.check(transaction)?;
            change(transaction)
        })
    }

    /// Returns a handle for threads that do not keep the site open.
    pub fn downgrade(&self) -> WeakLeasedSite {
        WeakLeasedSite {
            site: Arc::downgrade(&self.site),
            right: self.right.clone(),
        }
    }
}

/// The site for a worker, which does not keep the site open.
#[derive(Clone)]
pub struct WeakLeasedSite {
    site: Weak<Site>,
    right: Right,
}

impl WeakLeasedSite {
    /// Returns the site, if it is open.
    pub fn upgrade(&self) -> Option<LeasedSite> {
        Some(LeasedSite {
            site: self.site.upgrade()?,
            right: self.right.clone(),
        })
    }

    /// Returns the result of [`LeasedSite::leads`].
    pub fn leads(&self) -> bool {
        self.right.is_valid()
    }
}
