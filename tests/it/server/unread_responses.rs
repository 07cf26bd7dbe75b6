//! Tests that the memory of unread responses is limited.

use galley::server::Limits;
use galley_tests::{
    edge_server::{LONG_BYTES, Server, limits},
    http_client::{Client, get},
    wait_until,
};

use super::connections::connect_from;

/// Starts a server with memory for eight unread long responses, two of them for one peer.
fn server() -> Server {
    Server::start(Limits {
        responses_bytes_max: 8 * LONG_BYTES,
        ..limits()
    })
}

/// Requests a long response, reads only its header section, and returns the client and the status.
fn ask_and_wait(server: &Server, from: &str) -> (Client, u16) {
    let mut client = connect_from(server, from);
    client.send(get("/long"));
    let status = client.head().status;
    (client, status)
}

#[test]
fn peer_with_unread_responses_is_throttled_and_others_are_served() {
    let server = server();
    let (_first, first) = ask_and_wait(&server, "127.0.0.2");
    let (_second, second) = ask_and_wait(&server, "127.0.0.2");
    assert_eq!([first, second], [200, 200]);

    let (_third, third) = ask_and_wait(&server, "127.0.0.2");

    assert_eq!(third, 503);
    let mut other = connect_from(&server, "127.0.0.3");
    other.send(get("/long"));
    assert_eq!(other.respond().body.len(), LONG_BYTES);
    for short in ["/memory", "/worker", "/big"] {
        let mut same = connect_from(&server, "127.0.0.2");
        same.send(get(short));
        assert_eq!(same.head().status, 200, "{short}");
    }
}

#[test]
fn memory_of_unread_responses_is_limited() {
    let server = server();
    let unread: Vec<_> = (0..8)
        .map(|number| ask_and_wait(&server, &format!("127.0.0.{}", 10 + number / 2)))
        .collect();
    assert!(unread.iter().all(|(_, status)| *status == 200));

    let (_refused, status) = ask_and_wait(&server, "127.0.0.3");
    assert_eq!(status, 503);
    assert_eq!(server.get("/worker").status, 200);

    drop(unread);
    wait_until("the memory is released", || {
        ask_and_wait(&server, "127.0.0.3").1 == 200
    });
}
