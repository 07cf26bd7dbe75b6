//! Tests of timeouts for slow clients.

use std::io::Read;
use std::time::{Duration, Instant};

use galley::server::Limits;
use galley_tests::{
    edge_server::{BIG_BYTES, Server, limits},
    http_client::{Client, get, request},
};

/// A timeout that expires in a test.
const SHORT: Duration = Duration::from_millis(300);

/// A timeout that no step of a test exceeds on a busy machine, although the whole test takes longer.
const AMPLE: Duration = Duration::from_secs(2);

/// Asserts that the server closes the connection without a response once `time` has passed since `start`. All other timeouts
/// are longer, so only the tested one can have expired.
fn assert_closed_after(client: &mut Client, time: Duration, start: Instant) {
    assert!(client.until_closed().is_empty());
    let took = start.elapsed();
    assert!(took >= time, "closed after {took:?}, too early");
    assert!(
        took < time + Duration::from_secs(3),
        "closed after {took:?}, too late"
    );
}

#[test]
fn missing_header_section_times_out() {
    let server = Server::start(Limits {
        headers_timeout: SHORT,
        ..limits()
    });
    let start = Instant::now();
    let mut client = server.ask("GET /memory HTTP/1.1\r\nhost:");
    assert_closed_after(&mut client, SHORT, start);
}

#[test]
fn slow_header_section_times_out() {
    let server = Server::start(Limits {
        headers_timeout: AMPLE,
        ..limits()
    });
    let mut client = server.connect();
    client.send(get("/memory"));
    assert_eq!(
        client.respond().status,
        200,
        "the timeout applies to every header section, not only to the first"
    );
    let start = Instant::now();
    while client.try_send(b"G") {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "the connection stays open"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(start.elapsed() >= AMPLE);
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
        body_timeout: AMPLE,
        ..limits()
    });
    let part = "b".repeat(64 * 1024);
    let mut client = server.ask(&request(
        "POST",
        "/echo",
        &format!("content-length: {}\r\n", 6 * part.len()),
    ));
    for _ in 0..6 {
        std::thread::sleep(AMPLE / 4);
        client.send(&part);
    }
    assert_eq!(client.respond().body.len(), 6 * part.len());
}

#[test]
fn idle_connection_is_closed() {
    let server = Server::start(Limits {
        idle_timeout: AMPLE,
        ..limits()
    });
    let start = Instant::now();
    let mut never_used = server.connect();
    let mut used = server.ask(&get("/memory"));
    assert_eq!(used.respond().status, 200);
    assert_closed_after(&mut never_used, AMPLE, start);
    assert_closed_after(&mut used, AMPLE, start);
}

#[test]
fn active_connection_stays_open_past_the_idle_timeout() {
    let server = Server::start(Limits {
        idle_timeout: AMPLE,
        headers_timeout: AMPLE,
        ..limits()
    });
    let mut client = server.connect();
    for _ in 0..6 {
        std::thread::sleep(AMPLE / 4);
        client.send(get("/memory"));
        assert_eq!(client.respond().status, 200);
    }
}

#[test]
fn slow_handler_is_awaited() {
    let server = Server::start(Limits {
        idle_timeout: AMPLE,
        headers_timeout: AMPLE,
        write_timeout: AMPLE,
        ..limits()
    });
    let mut client = server.ask(&get("/gate"));
    std::thread::sleep(AMPLE + AMPLE / 4);
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
            "the server does not stop reading"
        );
    }
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn slow_but_steady_reader_gets_the_whole_response() {
    let server = Server::start(Limits {
        write_timeout: AMPLE,
        ..limits()
    });
    let mut client = server.ask(&request("GET", "/big", "connection: close\r\n"));
    let (mut taken, mut pauses) = (0, 0);
    let mut space = vec![0; 1024 * 1024];
    let start = Instant::now();
    loop {
        let read = client.stream.read(&mut space).unwrap();
        taken += read;
        if read == 0 {
            break;
        }
        if taken / space.len() > pauses {
            pauses += 1;
            std::thread::sleep(Duration::from_millis(100));
        }
    }
    assert!(taken > BIG_BYTES);
    assert!(
        start.elapsed() > AMPLE,
        "the transfer must exceed the timeout"
    );
}
