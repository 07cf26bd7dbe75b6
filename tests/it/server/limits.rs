//! Tests of limits on URIs, header sections, bodies and workers.

use std::{io::Read, sync::atomic::Ordering::SeqCst, thread, time::Duration};

use galley::server::Limits;
use galley_tests::{
    edge_server::{Server, limits},
    http_client::{get, request},
};

#[test]
fn uri_over_the_limit_is_414_and_one_at_the_limit_is_served() {
    let server = Server::start(Limits {
        target_bytes_max: 100,
        ..limits()
    });
    let fits = format!("/{}", "a".repeat(99));
    assert_eq!(server.get(&fits).status, 200);
    for too_long in [
        format!("{fits}a"),
        format!("{fits}?key=1"),
        format!("/{}", "a".repeat(60_000)),
    ] {
        let response = server.get(&too_long);
        assert_eq!(response.status, 414);
        assert_eq!(
            response.text(),
            "refused: The URL is longer than 100 bytes."
        );
    }
}

#[test]
fn uri_of_a_megabyte_is_rejected_before_its_end() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.try_send(get(&format!("/{}", "a".repeat(1024 * 1024))).as_bytes());
    let response = client.until_closed();
    assert!(response.starts_with(b"HTTP/1.1 431 "));
}

#[test]
fn header_fields_over_the_limit_are_431() {
    let server = Server::start(Limits {
        headers_bytes_max: 1000,
        ..limits()
    });
    let with_bytes = |bytes: usize| {
        // `host`, `localhost` and `x` are 14 bytes.
        let field = format!("x: {}\r\n", "v".repeat(bytes - 14));
        server.ask(&request("GET", "/memory", &field)).respond()
    };
    assert_eq!(with_bytes(1000).status, 200);
    let response = with_bytes(1001);
    assert_eq!(response.status, 431);
    assert_eq!(response.header("x-refusal"), Some("HeadersTooLarge"));
    assert_eq!(with_bytes(200_000).status, 431);
}

#[test]
fn more_than_a_hundred_header_fields_are_431() {
    let server = Server::start(limits());
    let with_fields = |count: usize| {
        let fields: String = (1..count)
            .map(|number| format!("x-{number}: v\r\n"))
            .collect();
        server
            .ask(&request("GET", "/memory", &fields))
            .respond()
            .status
    };
    assert_eq!(with_fields(100), 200);
    assert_eq!(with_fields(101), 431);
}

#[test]
fn announced_too_long_body_is_413_before_it_is_sent() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let mut client = server.ask(&request(
        "POST",
        "/echo",
        "content-length: 1001\r\nexpect: 100-continue\r\n",
    ));
    let response = client.respond();
    assert_eq!(response.status, 413);
    assert_eq!(
        response.text(),
        "refused: The body is longer than 1000 bytes."
    );
}

#[test]
fn body_at_the_limit_is_served() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let body = "b".repeat(1000);
    let response = server
        .ask(&(request("POST", "/echo", "content-length: 1000\r\n") + &body))
        .respond();
    assert_eq!(response.text(), body);
}

#[test]
fn endless_chunked_body_is_413_at_the_limit() {
    let server = Server::start(Limits {
        body_bytes_max: 100_000,
        ..limits()
    });
    let mut client = server.ask(&request("POST", "/echo", "transfer-encoding: chunked\r\n"));
    let chunk = format!("4000\r\n{}\r\n", "b".repeat(0x4000));
    let mut sent = 0;
    while sent < 128 * 1024 * 1024 && client.try_send(chunk.as_bytes()) {
        sent += chunk.len();
    }
    assert!(sent < 128 * 1024 * 1024, "the server does not stop reading");
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn client_sending_a_too_long_body_still_gets_the_response() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let mut client = server.ask(&request("POST", "/echo", "content-length: 1000000\r\n"));
    for _ in 0..10 {
        assert!(client.try_send(&[b'b'; 100_000]), "the connection is reset");
        thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(client.respond().status, 413);
    let end = client.stream.read(&mut [0]).unwrap();
    assert_eq!(end, 0, "the connection is closed without a reset");
}

#[test]
fn handler_may_raise_the_body_limit_of_a_request() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let body = "b".repeat(1024 * 1024);
    let head = |target| {
        request(
            "POST",
            target,
            &format!("content-length: {}\r\n", body.len()),
        )
    };
    assert_eq!(
        server.ask(&(head("/upload") + &body)).respond().body.len(),
        body.len()
    );
    assert_eq!(server.ask(&(head("/echo") + &body)).respond().status, 413);
}

#[test]
fn total_memory_of_bodies_is_limited() {
    let server = Server::start(Limits {
        bodies_bytes_max: 100_000,
        ..limits()
    });
    let half = "b".repeat(60_000);
    let mut first = server.ask(&(request("POST", "/echo", "content-length: 60001\r\n") + &half));
    assert!(first.is_open_after(Duration::from_millis(100)));

    let mut second = server.ask(&(request("POST", "/echo", "content-length: 60000\r\n") + &half));
    let response = second.respond();
    assert_eq!(response.status, 503);
    assert_eq!(response.header("x-refusal"), Some("Busy"));

    first.send("b");
    assert_eq!(first.respond().body.len(), 60_001);
    let again = server
        .ask(&(request("POST", "/echo", "content-length: 60000\r\n") + &half))
        .respond();
    assert_eq!(
        again.status, 200,
        "the memory of the first body is released"
    );
}

#[test]
fn concurrent_requests_are_limited_to_the_workers() {
    let server = Server::start(Limits {
        workers: 2,
        ..limits()
    });
    let mut clients: Vec<_> = (0..5).map(|_| server.ask(&get("/gate"))).collect();
    server.wait_for_workers_at_gate(2);
    assert_eq!(
        server.get("/memory").status,
        200,
        "cached responses need no worker"
    );
    server.paths.open_gate();
    for client in &mut clients {
        assert_eq!(client.respond().status, 200);
    }
    assert_eq!(server.paths.at_gate_max.load(SeqCst), 2);
}

#[test]
fn long_requests_cannot_occupy_all_workers() {
    let server = Server::start(Limits {
        workers: 4,
        ..limits()
    });
    let mut long: Vec<_> = (0..8).map(|_| server.ask(&get("/gate?long"))).collect();
    server.wait_for_workers_at_gate(1);
    for _ in 0..20 {
        assert_eq!(server.get("/worker").status, 200);
    }
    server.paths.open_gate();
    for client in &mut long {
        assert_eq!(client.respond().status, 200);
    }
    assert_eq!(server.paths.at_gate_max.load(SeqCst), 1);
}

#[test]
fn request_waiting_too_long_for_a_worker_is_503() {
    let server = Server::start(Limits {
        workers: 1,
        worker_timeout: Duration::from_millis(100),
        ..limits()
    });
    let mut first = server.ask(&get("/gate"));
    server.wait_for_workers_at_gate(1);
    let response = server.get("/gate");
    assert_eq!(response.status, 503);
    assert_eq!(response.header("x-refusal"), Some("Busy"));
    server.paths.open_gate();
    assert_eq!(first.respond().status, 200);
}

#[test]
fn queued_request_of_a_disconnected_client_is_dropped_but_started_work_completes() {
    let server = Server::start(Limits {
        workers: 1,
        ..limits()
    });
    let begun = server.ask(&get("/gate"));
    server.wait_for_workers_at_gate(1);
    let waiting = server.ask(&get("/gate"));
    drop((begun, waiting));
    server.paths.open_gate();
    server.wait_for_workers_at_gate(0);
    assert_eq!(server.get("/worker").status, 200);
}
