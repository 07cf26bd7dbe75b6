//! Tests of limits on connections.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use galley::server::{Limits, raise_open_files_max};
use galley_tests::{
    edge_server::{Server, limits},
    http_client::{Client, get},
};

/// Returns a client with the address `from`, in 127.0.0.0/8.
pub fn connect_from(server: &Server, from: &str) -> Client {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()
        .unwrap();
    let stream = runtime.block_on(async {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket
            .bind(SocketAddr::new(from.parse().unwrap(), 0))
            .unwrap();
        socket
            .connect(server.address)
            .await
            .unwrap()
            .into_std()
            .unwrap()
    });
    stream.set_nonblocking(false).unwrap();
    Client::new(stream)
}

#[test]
fn longest_idle_connection_is_closed_at_the_limit() {
    let server = Server::start(Limits {
        connections_max: 3,
        ..limits()
    });
    let mut clients: Vec<_> = (0..3)
        .map(|_| {
            let mut client = server.ask(&get("/memory"));
            assert_eq!(client.respond().status, 200);
            std::thread::sleep(Duration::from_millis(20));
            client
        })
        .collect();
    clients[0].send(get("/memory"));
    assert_eq!(
        clients[0].respond().status,
        200,
        "the first connection is now the most recently used"
    );

    assert_eq!(server.get("/memory").status, 200);

    assert!(clients[1].until_closed().is_empty());
    clients[0].send(get("/memory"));
    assert_eq!(clients[0].respond().status, 200);
}

#[test]
fn connection_with_a_running_request_is_not_closed_at_the_limit() {
    let server = Server::start(Limits {
        connections_max: 2,
        ..limits()
    });
    let mut working: Vec<_> = (0..2).map(|_| server.ask(&get("/gate"))).collect();
    server.wait_for_workers_at_gate(2);
    let mut waiting = server.ask(&get("/memory"));
    assert!(waiting.is_open_after(Duration::from_millis(200)));
    server.paths.open_gate();
    assert_eq!(waiting.respond().status, 200);
    for client in &mut working {
        assert_eq!(client.respond().status, 200);
    }
}

#[test]
fn connection_with_a_partial_header_section_is_closed_at_the_limit() {
    let server = Server::start(Limits {
        connections_max: 2,
        ..limits()
    });
    let mut slow: Vec<_> = (0..2).map(|_| server.ask("GET /mem")).collect();
    assert!(slow[0].is_open_after(Duration::from_millis(50)));
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn one_peer_cannot_use_all_connections() {
    let server = Server::start(Limits {
        connections_max: 10,
        connections_per_peer_max: 4,
        ..limits()
    });
    let mut hog: Vec<_> = (0..4).map(|_| server.ask(&get("/gate"))).collect();
    server.wait_for_workers_at_gate(4);
    assert!(
        server.connect().until_closed().is_empty(),
        "the fifth connection is closed immediately"
    );

    let mut other = connect_from(&server, "127.0.0.2");
    other.send(get("/memory"));
    assert_eq!(other.respond().status, 200);

    server.paths.open_gate();
    assert_eq!(hog[0].respond().status, 200);
    drop(hog);
    galley_tests::wait_until("the places are free", || {
        let mut client = server.connect();
        client.try_send(get("/memory").as_bytes());
        client.is_responded()
    });
}

#[test]
fn thousand_idle_connections_do_not_delay_others() {
    raise_open_files_max().unwrap();
    let server = Server::start(limits());
    let idle: Vec<_> = (0..1500)
        .map(|number| {
            let mut client = server.connect();
            if number % 2 == 0 {
                client.send("GET /mem");
            }
            client
        })
        .collect();
    let mut client = server.connect();
    let mut slowest = Duration::ZERO;
    for _ in 0..500 {
        let start = Instant::now();
        client.send(get("/memory"));
        assert_eq!(client.respond().status, 200);
        slowest = slowest.max(start.elapsed());
    }
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    drop(idle);
}

#[test]
fn connection_flood_does_not_affect_other_clients() {
    raise_open_files_max().unwrap();
    let server = Server::start(Limits {
        connections_max: 100,
        connections_per_peer_max: 1000,
        ..limits()
    });
    let flood: Vec<_> = (0..1000).map(|_| server.ask("GET /mem")).collect();
    for _ in 0..20 {
        assert_eq!(server.get("/memory").status, 200);
    }
    drop(flood);
}
