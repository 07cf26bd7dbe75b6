//! The connection of the writer while it prepares its commit.

use std::{
    io,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use crate::{
    periodic_thread::PeriodicThread,
    store::postgres::{
        connection::{Connection, Database},
        forgetting::forget,
        locks::lock,
        store_size::StoreSize,
    },
};

/// Interval at which an idle writer contacts the database, well within the time after which the database ends an idle
/// transaction.
pub(super) const SIGN_OF_LIFE: Duration = Duration::from_secs(3);

pub(super) const FORGET_EVERY: Duration = Duration::from_secs(600);

/// The connection of the writer while it prepares its commit. Because a change may take minutes, a thread keeps the connection
/// alive.
pub(super) struct HeldConnection {
    connection: Arc<Mutex<Option<Connection>>>,
    _thread: PeriodicThread,
}

impl HeldConnection {
    /// Starts the thread, which also measures the size of the tables, and deletes the marks of deleted records that replicas no
    /// longer need.
    pub(super) fn new(database: Arc<Database>, size: Arc<StoreSize>) -> io::Result<Self> {
        let connection = Arc::<Mutex<Option<Connection>>>::default();
        let held = Arc::clone(&connection);
        let mut forgot_at = Instant::now();
        let thread = PeriodicThread::every("store", SIGN_OF_LIFE, move || {
            give_sign_of_life(&held);
            size.update(&database);
            if forgot_at.elapsed() >= FORGET_EVERY {
                forgot_at = Instant::now();
                if let Err(error) = forget(&database) {
                    tracing::debug!(%error, "deleted records could not be forgotten; trying again");
                }
            }
        });
        Ok(Self {
            connection,
            _thread: thread?,
        })
    }

    pub(super) fn put(&self, connection: Connection) {
        *lock(&self.connection) = Some(connection);
    }

    pub(super) fn take(&self) -> Option<Connection> {
        lock(&self.connection).take()
    }
}

pub(super) fn give_sign_of_life(held: &Mutex<Option<Connection>>) {
    // Locked during the request, so that `take` waits for it: a connection is never used by two
    // threads.
    let mut held = lock(held);
    let alive = held.as_ref().is_none_or(|connection| {
        connection
            .run(connection.client.batch_execute("SELECT 1"))
            .is_ok()
    });
    if !alive {
        // The transaction has ended: its commit will be refused.
        *held = None;
    }
}
