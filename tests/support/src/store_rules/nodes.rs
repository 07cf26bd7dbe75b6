//! The contract of the nodes of a shared store.

use std::{thread, time::Duration};

use galley::store::{NewNode, NodeId, Nodes};

use crate::shared_store::SharedStore;

/// Longer than any test.
const LONG: Duration = Duration::from_secs(3600);

/// Short enough for a test to wait for.
const SHORT: Duration = Duration::from_millis(400);

fn new_node(name: &str, lease_time: Duration) -> NewNode {
    NewNode {
        name: name.to_owned(),
        version: "1.2.3".to_owned(),
        lease_time,
    }
}

fn alive(nodes: &dyn Nodes) -> Vec<NodeId> {
    let alive = nodes.alive().unwrap();
    alive.into_iter().map(|node| node.id).collect()
}

pub fn a_node_that_joined_is_alive_and_shown(shared: &dyn SharedStore) {
    let store = shared.open();
    let nodes = store.nodes().unwrap();
    let id = nodes.join(&new_node("web-1:7", LONG)).unwrap();
    assert!(nodes.renew(id, 42).unwrap());
    let other = nodes.join(&new_node("web-2:9", LONG)).unwrap();

    let found = nodes.alive().unwrap();
    let [one, two] = &found[..] else {
        panic!("{found:?}")
    };
    assert_eq!((one.id, two.id), (id, other));
    assert_eq!(
        (&*one.name, &*one.version, one.revision),
        ("web-1:7", "1.2.3", 42)
    );
    assert_eq!(two.revision, 0);
    assert!(one.seen_ago <= one.joined_ago && one.joined_ago < Duration::from_secs(60));
}

pub fn a_node_that_renews_itself_stays_alive(shared: &dyn SharedStore) {
    let store = shared.open();
    let nodes = store.nodes().unwrap();
    // Long enough for a renewal on a busy machine.
    let lease_time = Duration::from_secs(3);
    let id = nodes.join(&new_node("a", lease_time)).unwrap();
    for revision in 1..=4 {
        thread::sleep(lease_time / 3);
        assert!(nodes.renew(id, revision).unwrap());
    }
    assert_eq!(alive(nodes), [id]);
}

pub fn a_node_that_does_not_renew_itself_dies_and_is_never_revived(shared: &dyn SharedStore) {
    let store = shared.open();
    let nodes = store.nodes().unwrap();
    let id = nodes.join(&new_node("a", SHORT)).unwrap();
    thread::sleep(SHORT + SHORT / 4);
    assert_eq!(alive(nodes), []);
    assert!(!nodes.renew(id, 1).unwrap());
    assert_eq!(alive(nodes), []);
}

pub fn a_node_that_left_is_dead_at_once(shared: &dyn SharedStore) {
    let store = shared.open();
    let nodes = store.nodes().unwrap();
    let (one, other) = (new_node("a", LONG), new_node("b", LONG));
    let (one, other) = (nodes.join(&one).unwrap(), nodes.join(&other).unwrap());
    nodes.leave(one).unwrap();
    assert_eq!(alive(nodes), [other]);
    assert!(!nodes.renew(one, 1).unwrap());
    // Leaving may be repeated.
    nodes.leave(one).unwrap();
}

pub fn a_process_that_joins_again_is_another_node(shared: &dyn SharedStore) {
    let store = shared.open();
    let nodes = store.nodes().unwrap();
    let ids = [(); 3].map(|()| nodes.join(&new_node("a", LONG)).unwrap());
    assert!(ids[0] != ids[1] && ids[1] != ids[2] && ids[0] != ids[2]);
    nodes.leave(ids[2]).unwrap();
    let again = nodes.join(&new_node("a", LONG)).unwrap();
    assert!(!ids.contains(&again));
}

pub fn an_unknown_node_cannot_renew_itself(shared: &dyn SharedStore) {
    let store = shared.open();
    let nodes = store.nodes().unwrap();
    assert!(!nodes.renew(NodeId::from_number(7), 1).unwrap());
}

/// Calls the macro `$tests` with the rules of a store.
#[macro_export]
macro_rules! node_rules {
    ($tests:ident) => {
        $tests! { nodes
            a_node_that_joined_is_alive_and_shown
            a_node_that_renews_itself_stays_alive
            a_node_that_does_not_renew_itself_dies_and_is_never_revived
            a_node_that_left_is_dead_at_once
            a_process_that_joins_again_is_another_node
            an_unknown_node_cannot_renew_itself
        }
    };
}
