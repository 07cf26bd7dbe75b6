//! The processes that share the store of a site, for its status.

use serde::{Deserialize, Serialize};

use crate::{
    error::{Error, Result},
    site::{Site, Work},
    store::Nodes,
};

/// A process that shares the store.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NodeStatus {
    /// Its name: the host and the number of the process.
    pub name: String,
    /// The version of its program.
    pub version: String,
    /// The names of the work that it leads.
    pub leads: Vec<String>,
    /// The revision that it showed at its last heartbeat.
    pub revision: u64,
    /// Age of the node, in seconds.
    pub joined_s_ago: u64,
    /// Age of its last heartbeat, in seconds.
    pub seen_s_ago: u64,
}

/// Returns the nodes of the store, in the order in which they joined. Empty if only this process
/// uses the store, or if the store cannot be reached.
///
/// # Errors
///
/// If the store cannot be read.
pub(super) fn nodes(site: &Site) -> Result<Vec<NodeStatus>> {
    let Some(nodes) = site.nodes().filter(|_| site.store_lost_since().is_none()) else {
        return Ok(Vec::new());
    };
    match with_leases(site, nodes) {
        // A database that does not respond may be noticed here first.
        Err(error) if error.is_of_unavailable_store() => {
            site.record_lost_store();
            Ok(Vec::new())
        }
        found => found,
    }
}

fn with_leases(site: &Site, nodes: &dyn Nodes) -> Result<Vec<NodeStatus>> {
    // In this order, so that a node which is named by a lease but is missing here is dead.
    let leases = site.leases()?;
    let alive = nodes.alive().map_err(Error::internal)?;
    let status = alive.into_iter().map(|node| {
        let led = leases
            .iter()
            .filter(|(_, lease)| lease.node() == Some(node.id));
        NodeStatus {
            leads: led.map(|(work, _)| Work::name(*work).to_owned()).collect(),
            name: node.name,
            version: node.version,
            revision: node.revision,
            joined_s_ago: node.joined_ago.as_secs(),
            seen_s_ago: node.seen_ago.as_secs(),
        }
    });
    Ok(status.collect())
}
