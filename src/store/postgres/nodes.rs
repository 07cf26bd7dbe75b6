//! The processes that share the database: a table without revisions.

use std::time::Duration;

use tokio_postgres::Row;

use super::super::{NewNode, Node, NodeId, Nodes, StoreError};
use super::PostgresStore;
use super::connection::RequestError;
use crate::store::postgres::commit_token::random_number_error;

const JOIN: &str = "INSERT INTO galley_nodes (id, name, version, lease_seconds, expires_at)
     VALUES ($1, $2, $3, $4, now() + make_interval(secs => $4))";

/// Long-dead nodes are of no interest to operators either.
const FORGET: &str = "DELETE FROM galley_nodes WHERE expires_at < now() - interval '1 day'";

const RENEW: &str = "UPDATE galley_nodes SET revision = $2, seen_at = now(),
     expires_at = now() + make_interval(secs => lease_seconds)
     WHERE id = $1 AND expires_at > now()";

const ALIVE: &str = "SELECT id, name, version, revision,
     extract(epoch FROM now() - joined_at)::float8, extract(epoch FROM now() - seen_at)::float8
     FROM galley_nodes WHERE expires_at > now() ORDER BY joined_at, id";

const LEAVE: &str = "DELETE FROM galley_nodes WHERE id = $1";

impl Nodes for PostgresStore {
    fn join(&self, node: &NewNode) -> Result<NodeId, StoreError> {
        let id = NodeId::random().map_err(random_number_error)?;
        let lease_seconds = node.lease_time.as_secs_f64();
        // The first request of a process that started during an outage: its tables may not exist
        // yet.
        self.prepare()?;
        self.database.with_connection(|connection| {
            let join = connection.prepared(JOIN)?;
            let client = &connection.client;
            connection.run(client.batch_execute(FORGET))?;
            connection.run(client.execute(
                &join,
                &[&number(id), &node.name, &node.version, &lease_seconds],
            ))
        })?;
        Ok(id)
    }

    fn renew(&self, id: NodeId, revision: u64) -> Result<bool, StoreError> {
        let renewed = self.database.with_connection(|connection| {
            let renew = connection.prepared(RENEW)?;
            let revision = revision.cast_signed();
            connection.run(connection.client.execute(&renew, &[&number(id), &revision]))
        })?;
        Ok(renewed == 1)
    }

    fn alive(&self) -> Result<Vec<Node>, StoreError> {
        self.database.with_connection(|connection| {
            let rows = connection.run(connection.client.query(ALIVE, &[]))?;
            rows.iter().map(node_of).collect()
        })
    }

    fn leave(&self, id: NodeId) -> Result<(), StoreError> {
        self.database.with_connection(|connection| {
            connection.run(connection.client.execute(LEAVE, &[&number(id)]))
        })?;
        Ok(())
    }
}

fn number(id: NodeId) -> i64 {
    id.number().cast_signed()
}

fn node_of(row: &Row) -> Result<Node, RequestError> {
    let duration = |column| -> Result<Duration, RequestError> {
        let seconds: f64 = row.try_get(column)?;
        Ok(Duration::try_from_secs_f64(seconds).unwrap_or_default())
    };
    Ok(Node {
        id: NodeId::from_number(row.try_get::<_, i64>(0)?.cast_unsigned()),
        name: row.try_get(1)?,
        version: row.try_get(2)?,
        revision: row.try_get::<_, i64>(3)?.cast_unsigned(),
        joined_ago: duration(4)?,
        seen_ago: duration(5)?,
    })
}
