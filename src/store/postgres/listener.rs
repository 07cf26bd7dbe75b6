//! Listens for the commits of other processes.

use std::thread;
use std::time::Duration;

use super::super::{CommitWaiter, StoreError};
use super::PostgresStore;
use super::connection::{Connection, RequestError};

/// The statement that notifies listeners of a commit, as a part of its transaction.
pub(super) const NOTIFY: &str = "NOTIFY galley;";

const LISTEN: &str = "LISTEN galley";

/// Interval of polling a database that cannot notify.
const POLL: Duration = Duration::from_millis(20);

/// Waits for notifications on a separate connection.
pub(super) struct Listener<'s> {
    store: &'s PostgresStore,
    connection: Option<Connection>,
}

impl<'s> Listener<'s> {
    pub(super) fn new(store: &'s PostgresStore) -> Self {
        Self {
            store,
            connection: None,
        }
    }

    fn listen(&mut self) -> Result<(), RequestError> {
        // Not one of the idle connections: it stays in use and must not be given to a request.
        let connection = self.store.database.connect()?;
        connection.run(connection.client.batch_execute(LISTEN))?;
        self.connection = Some(connection);
        Ok(())
    }
}

impl CommitWaiter for Listener<'_> {
    fn wait(&mut self, patience: Duration) -> Result<(), StoreError> {
        let database = &self.store.database;
        if !self.store.prepare()? {
            thread::sleep(patience.min(POLL));
            return Ok(());
        }
        let Some(connection) = &mut self.connection else {
            // Earlier commits send no notification, so this returns immediately and the caller
            // checks for them.
            return self.listen().map_err(|error| database.explain(error));
        };
        let waited = connection.wait_for_notification(patience);
        if waited.is_err() {
            // The next call opens a new one and lets the caller check for commits that were missed
            // in between.
            self.connection = None;
        }
        waited.map_err(|error| database.explain(error))
    }
}
