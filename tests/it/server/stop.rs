//! Tests of graceful stops.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use galley::server::Limits;
use galley_tests::{
    edge_server::{Server, limits},
    http_client::{get, request},
    wait_until,
};

#[test]
fn graceful_stop_finishes_requests_in_flight() {
    let mut server = Server::start(limits());
    let mut client = server.ask(&get("/gate"));
    server.wait_for_workers_at_gate(1);
    let mut bystander = server.ask(&get("/memory"));
    assert_eq!(bystander.respond().status, 200);
    server.begin_to_stop();
    wait_until("no connection is accepted", || {
        TcpStream::connect(server.address).is_err()
    });
    // Idle connections are closed by the command that makes other connections finish.
    assert!(bystander.until_closed().is_empty());
    server.paths.open_gate();
    let response = client.respond();
    assert_eq!(response.status, 200);
    assert_eq!(response.header("connection"), Some("close"));
    assert!(client.until_closed().is_empty());
    server.wait_for_end();
}

#[test]
fn graceful_stop_responds_to_partially_received_requests() {
    // A single event loop reads in order of arrival: a response to a later request shows that earlier data has been read.
    let one_loop = Limits {
        threads: 1,
        ..limits()
    };
    let mut server = Server::start(one_loop);
    let mut client = server.connect();
    client.send("GET /memo");
    let mut bystander = server.ask(&get("/memory"));
    assert_eq!(bystander.respond().status, 200);
    server.begin_to_stop();
    assert!(bystander.until_closed().is_empty());
    client.send("ry HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let response = client.respond();
    assert_eq!(response.text(), "from memory");
    assert_eq!(response.header("connection"), Some("close"));
    assert!(client.until_closed().is_empty());
    server.wait_for_end();
}

#[test]
fn graceful_stop_reads_bodies_in_flight() {
    let mut server = Server::start(limits());
    let mut client = server.ask(&(request("POST", "/echo", "content-length: 10\r\n") + "hello"));
    assert!(client.is_open_after(Duration::from_millis(50)));
    server.begin_to_stop();
    assert!(client.is_open_after(Duration::from_millis(50)));
    client.send("again");
    assert_eq!(client.respond().text(), "helloagain");
    server.wait_for_end();
}

#[test]
fn graceful_stop_closes_idle_connections_immediately() {
    let mut server = Server::start(Limits {
        stop_timeout: Duration::from_secs(15),
        ..limits()
    });
    let mut never_used = server.connect();
    let mut used = server.ask(&get("/memory"));
    assert_eq!(used.respond().status, 200);
    assert!(never_used.is_open_after(Duration::from_millis(50)));
    let start = Instant::now();
    server.begin_to_stop();
    assert!(never_used.until_closed().is_empty());
    assert!(used.until_closed().is_empty());
    server.wait_for_end();
    assert!(start.elapsed() < Duration::from_secs(5));
}

#[test]
fn graceful_stop_aborts_requests_after_the_deadline() {
    let mut server = Server::start(Limits {
        stop_timeout: Duration::from_millis(300),
        ..limits()
    });
    let mut client = server.ask(&get("/gate"));
    server.wait_for_workers_at_gate(1);
    let start = Instant::now();
    server.begin_to_stop();
    assert!(client.until_closed().is_empty());
    let took = start.elapsed();
    assert!(
        took >= Duration::from_millis(300) && took < Duration::from_secs(3),
        "{took:?}"
    );
    server.paths.open_gate();
    server.wait_for_end();
}
