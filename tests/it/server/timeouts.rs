//! Tests of timeouts of slow clients.

use std::io::Read;
use std::time::{Duration, Instant};

use galley::server::Limits;

use super::harness::{BIG_BYTES, Client, Server, get, limits, request};

const SHORT: Duration = Duration::from_millis(300);

/// Limits of which one time is short, so that only that one can have struck.
fn closes_after(client: &mut Client, time: Duration) -> Vec<u8> {
    let start = Instant::now();
    let before = client.until_closed();
    let took = start.elapsed();
    assert!(took > time / 2, "closed after {took:?}, too early");
    assert!(
        took < time + Duration::from_secs(3),
        "closed after {took:?}, too late"
    );
    before
}

#[test]
fn missing_header_section_times_out() {
    let server = Server::start(Limits {
        headers_timeout: SHORT,
        ..limits()
    });
    let mut client = server.ask("GET /memory HTTP/1.1\r\nhost:");
    assert!(closes_after(&mut client, SHORT).is_empty());
}

#[test]
fn slow_header_section_times_out() {
    let server = Server::start(Limits {
        headers_timeout: SHORT,
        ..limits()
    });
    let mut client = server.connect();
    client.send(get("/memory"));
    assert_eq!(
        client.respond().status,
        200,
        "the limit is for every head, not for the first"
    );
    let start = Instant::now();
    while client.try_send(b"G") {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "the connection stays open"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start.elapsed() >= SHORT);
}

#[test]
fn stalled_body_is_408() {
    let server = Server::start(Limits {
        body_timeout: SHORT,
        ..limits()
    });
    let start = Instant::now();
    let mut client = server.ask(&(request("POST", "/echo", "content-length: 10\r\n") + "hello"));
    let response = client.respond();
    assert!(start.elapsed() >= SHORT);
    assert_eq!(response.status, 408);
    assert_eq!(response.header("x-refusal"), Some("BodyTooSlow(300ms)"));
    client.until_closed();
}

#[test]
fn slow_body_is_408() {
    let server = Server::start(Limits {
        body_timeout: SHORT,
        ..limits()
    });
    let mut client = server.ask(&request("POST", "/echo", "transfer-encoding: chunked\r\n"));
    let start = Instant::now();
    while client.try_send(b"1\r\nb\r\n") {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "the connection stays open"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start.elapsed() >= SHORT);
}

#[test]
fn steady_body_may_exceed_the_chunk_timeout() {
    let server = Server::start(Limits {
        body_timeout: SHORT,
        ..limits()
    });
    let part = "b".repeat(64 * 1024);
    let mut client = server.ask(&request(
        "POST",
        "/echo",
        &format!("content-length: {}\r\n", 6 * part.len()),
    ));
    for _ in 0..6 {
        std::thread::sleep(SHORT / 3);
        client.send(&part);
    }
    assert_eq!(client.respond().body.len(), 6 * part.len());
}

#[test]
fn an_idle_connection_is_closed() {
    let server = Server::start(Limits {
        idle_timeout: SHORT,
        ..limits()
    });
    let mut never_used = server.connect();
    let mut used = server.ask(&get("/memory"));
    assert_eq!(used.respond().status, 200);
    assert!(closes_after(&mut never_used, SHORT).is_empty());
    used.until_closed();
}

#[test]
fn active_connection_stays_open_past_the_idle_timeout() {
    let server = Server::start(Limits {
        idle_timeout: SHORT,
        headers_timeout: SHORT,
        ..limits()
    });
    let mut client = server.connect();
    for _ in 0..10 {
        std::thread::sleep(SHORT / 3);
        client.send(get("/memory"));
        assert_eq!(client.respond().status, 200);
    }
}

#[test]
fn slow_handler_is_awaited() {
    let server = Server::start(Limits {
        idle_timeout: SHORT,
        headers_timeout: SHORT,
        write_timeout: SHORT,
        ..limits()
    });
    let mut client = server.ask(&get("/gate"));
    std::thread::sleep(3 * SHORT);
    server.paths.open_gate();
    assert_eq!(client.respond().status, 200);
}

#[test]
fn client_that_does_not_read_its_response_is_closed() {
    let server = Server::start(Limits {
        write_timeout: SHORT,
        ..limits()
    });
    let mut client = server.ask(&get("/big"));
    std::thread::sleep(SHORT + Duration::from_secs(1));
    assert!(client.until_closed().len() < BIG_BYTES);
}

#[test]
fn client_that_pipelines_without_reading_is_closed() {
    let server = Server::start(Limits {
        write_timeout: SHORT,
        ..limits()
    });
    let mut client = server.connect();
    let requests = get("/memory").repeat(1000);
    let start = Instant::now();
    while client.try_send(requests.as_bytes()) {
        assert!(
            start.elapsed() < Duration::from_secs(15),
            "the server goes on reading"
        );
    }
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn slow_but_steady_reader_gets_the_whole_response() {
    let server = Server::start(Limits {
        write_timeout: SHORT,
        ..limits()
    });
    let mut client = server.ask(&request("GET", "/big", "connection: close\r\n"));
    let mut taken = 0;
    let mut space = vec![0; 1024 * 1024];
    let start = Instant::now();
    loop {
        let read = client.stream.read(&mut space).unwrap();
        taken += read;
        if read == 0 {
            break;
        }
        std::thread::sleep(Duration::from_millis(25));
    }
    assert!(taken > BIG_BYTES);
    assert!(start.elapsed() > 2 * SHORT, "slow enough to mean something");
}
