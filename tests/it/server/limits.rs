use std::io::Read;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use galley::server::Limits;

use super::harness::{Server, get, limits, request};

#[test]
fn an_address_over_the_limit_is_414_and_one_at_the_limit_is_served() {
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
        let answer = server.get(&too_long);
        assert_eq!(answer.status, 414);
        assert_eq!(answer.text(), "refused: The URL is longer than 100 bytes.");
    }
}

#[test]
fn an_address_of_a_megabyte_is_refused_and_read_no_further() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.try_send(get(&format!("/{}", "a".repeat(1024 * 1024))).as_bytes());
    let answer = client.until_closed();
    assert!(answer.starts_with(b"HTTP/1.1 431 "));
}

#[test]
fn header_fields_over_the_limit_are_431() {
    let server = Server::start(Limits {
        headers_bytes_max: 1000,
        ..limits()
    });
    let with_bytes = |bytes: usize| {
        // "host", "localhost" and "x" are 14 bytes.
        let field = format!("x: {}\r\n", "v".repeat(bytes - 14));
        server.ask(&request("GET", "/memory", &field)).answer()
    };
    assert_eq!(with_bytes(1000).status, 200);
    let answer = with_bytes(1001);
    assert_eq!(answer.status, 431);
    assert_eq!(answer.header("x-refusal"), Some("HeadersTooLarge"));
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
            .answer()
            .status
    };
    assert_eq!(with_fields(100), 200);
    assert_eq!(with_fields(101), 431);
}

#[test]
fn a_body_that_is_announced_too_long_is_413_before_it_is_sent() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let mut client = server.ask(&request(
        "POST",
        "/echo",
        "content-length: 1001\r\nexpect: 100-continue\r\n",
    ));
    let answer = client.answer();
    assert_eq!(answer.status, 413);
    assert_eq!(
        answer.text(),
        "refused: The body is longer than 1000 bytes."
    );
}

#[test]
fn a_body_at_the_limit_is_served() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let body = "b".repeat(1000);
    let answer = server
        .ask(&(request("POST", "/echo", "content-length: 1000\r\n") + &body))
        .answer();
    assert_eq!(answer.text(), body);
}

#[test]
fn an_endless_chunked_body_is_413_at_the_limit() {
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
    assert!(sent < 128 * 1024 * 1024, "the server goes on reading");
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn a_client_in_the_middle_of_a_body_that_is_too_long_still_gets_its_answer() {
    let server = Server::start(Limits {
        body_bytes_max: 1000,
        ..limits()
    });
    let mut client = server.ask(&request("POST", "/echo", "content-length: 1000000\r\n"));
    for _ in 0..10 {
        assert!(client.try_send(&[b'b'; 100_000]), "the connection is reset");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(client.answer().status, 413);
    let end = client.stream.read(&mut [0]).unwrap();
    assert_eq!(end, 0, "closed in order");
}

#[test]
fn the_handler_allows_some_requests_a_longer_body() {
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
        server.ask(&(head("/upload") + &body)).answer().body.len(),
        body.len()
    );
    assert_eq!(server.ask(&(head("/echo") + &body)).answer().status, 413);
}

#[test]
fn bodies_together_take_no_more_memory_than_they_may() {
    let server = Server::start(Limits {
        bodies_bytes_max: 100_000,
        ..limits()
    });
    let half = "b".repeat(60_000);
    let mut first = server.ask(&(request("POST", "/echo", "content-length: 60001\r\n") + &half));
    assert!(first.is_open_after(Duration::from_millis(100)));

    let mut second = server.ask(&(request("POST", "/echo", "content-length: 60000\r\n") + &half));
    let answer = second.answer();
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("x-refusal"), Some("Busy"));

    first.send("b");
    assert_eq!(first.answer().body.len(), 60_001);
    let again = server
        .ask(&(request("POST", "/echo", "content-length: 60000\r\n") + &half))
        .answer();
    assert_eq!(again.status, 200, "what the first held is free again");
}

#[test]
fn no_more_requests_are_worked_on_at_once_than_there_are_workers() {
    let server = Server::start(Limits {
        workers: 2,
        ..limits()
    });
    let mut clients: Vec<_> = (0..5).map(|_| server.ask(&get("/gate"))).collect();
    server.wait_for_workers_at_gate(2);
    assert_eq!(
        server.get("/memory").status,
        200,
        "memory answers without a worker"
    );
    server.paths.open_gate();
    for client in &mut clients {
        assert_eq!(client.answer().status, 200);
    }
    assert_eq!(server.paths.at_gate_max.load(SeqCst), 2);
}

#[test]
fn requests_that_take_long_leave_workers_to_the_others() {
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
        assert_eq!(client.answer().status, 200);
    }
    assert_eq!(server.paths.at_gate_max.load(SeqCst), 1);
}

#[test]
fn a_request_that_waits_for_a_worker_for_too_long_is_503() {
    let server = Server::start(Limits {
        workers: 1,
        worker_timeout: Duration::from_millis(100),
        ..limits()
    });
    let mut first = server.ask(&get("/gate"));
    server.wait_for_workers_at_gate(1);
    let answer = server.get("/gate");
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("x-refusal"), Some("Busy"));
    server.paths.open_gate();
    assert_eq!(first.answer().status, 200);
}

#[test]
fn a_client_that_goes_away_gives_up_its_turn_but_not_work_begun() {
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
