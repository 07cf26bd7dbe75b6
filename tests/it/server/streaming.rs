//! Tests of deferred responses and streaming responses.

use std::{
    cell::RefCell,
    io::Read,
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use galley::server::Limits;
use galley_tests::{
    edge_server::{END, FLOOD_BYTES, PANIC, Server, limits},
    http_client::{Client, get, request},
    wait_until,
};

const SHORT: Duration = Duration::from_millis(200);

/// Reads until the response contains `end`.
fn read_until(client: &mut Client, end: &str) {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with(end) {
        let read = client.stream.read(&mut byte).unwrap();
        assert_eq!(read, 1, "the connection ended before \"{end}\": {text}");
        text.push(char::from(byte[0]));
    }
}

#[test]
fn deferred_response_is_sent_when_ready() {
    let server = Server::start(limits());
    let mut client = server.ask(&get("/later"));
    assert!(client.is_open_after(SHORT));
    server.paths.notify(1);
    assert!(client.respond().text().starts_with("GET /later"));
}

#[test]
fn notification_between_check_and_wait_is_not_missed() {
    let server = Server::start(limits());
    for _ in 0..200 {
        server.paths.notify(0);
        let mut client = server.ask(&get("/later"));
        server.paths.notify(1);
        let begin = Instant::now();
        client.respond();
        assert!(begin.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn timeouts_do_not_end_a_streaming_response() {
    // Long enough to send the next request on a busy machine.
    let timeout = Duration::from_secs(2);
    let server = Server::start(Limits {
        idle_timeout: timeout,
        headers_timeout: timeout,
        write_timeout: timeout,
        ..limits()
    });
    let mut client = server.ask(&get("/live"));
    client.head();
    assert!(client.is_open_after(timeout + SHORT));
    server.paths.notify(1);
    read_until(&mut client, "notified 1\n\r\n");
    server.paths.notify(2);
    read_until(&mut client, "notified 2\n\r\n");
    server.paths.notify(END);
    read_until(&mut client, "0\r\n\r\n");
    // The connection can be reused.
    client.send(get("/memory"));
    assert_eq!(client.respond().text(), "from memory");
}

#[test]
fn idle_stream_has_a_heartbeat() {
    let server = Server::start(Limits {
        heartbeat: Duration::from_millis(50),
        ..limits()
    });
    let mut client = server.ask(&get("/live"));
    client.head();
    read_until(&mut client, "beat\n\r\n5\r\nbeat\n\r\n");
    server.paths.notify(7);
    read_until(&mut client, "notified 7\n\r\n");
    read_until(&mut client, "beat\n\r\n");
}

#[test]
fn stream_client_that_does_not_read_is_closed_without_memory_growth() {
    let server = Server::start(Limits {
        write_timeout: Duration::from_millis(500),
        waiting_max: 1,
        ..limits()
    });
    let mut client = server.ask(&get("/flood"));
    client.head();
    wait_until("the slot is free", || {
        server.ask(&get("/live")).head().status == 200
    });
    // The data in flight was in the buffers of two sockets.
    let pieces = server.paths.pieces.load(SeqCst);
    assert!(pieces * FLOOD_BYTES < 16 << 20, "{pieces}");
}

#[test]
fn disconnected_stream_frees_its_slot() {
    let server = Server::start(Limits {
        waiting_max: 1,
        ..limits()
    });
    for target in ["/live", "/later"] {
        let client = RefCell::new(server.ask(&get(target)));
        if target == "/live" {
            // The stream has the slot once its response begins.
            assert_eq!(client.borrow_mut().head().status, 200);
        }
        wait_until(&format!("{target} has the slot"), || {
            // The check below uses the slot for a moment, so this request may be rejected. Then it is repeated.
            if target == "/later" && !client.borrow_mut().is_open_after(SHORT) {
                std::thread::sleep(SHORT);
                client.replace(server.ask(&get(target)));
                return false;
            }
            server.ask(&get("/live")).head().status == 503
        });
        drop(client);
        wait_until("the slot is free", || {
            server.ask(&get("/live")).head().status == 200
        });
        wait_until("no client has the slot", || {
            server.ask(&get("/live")).head().status == 200
        });
    }
}

#[test]
fn panic_ends_only_one_stream() {
    let server = Server::start(limits());
    let mut client = server.ask(&get("/live"));
    client.head();
    server.paths.notify(PANIC);
    read_until(&mut client, "0\r\n\r\n");
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn response_to_a_head_request_of_a_stream_has_no_body() {
    let server = Server::start(limits());
    let mut client = server.ask(&request("HEAD", "/live", ""));
    let head = client.head();
    assert_eq!((head.status, head.header("content-length")), (200, None));
    client.send(get("/memory"));
    assert_eq!(client.respond().text(), "from memory");
}

#[test]
fn long_polls_and_streams_end_when_the_server_stops() {
    let mut server = Server::start(Limits {
        stop_timeout: Duration::from_secs(15),
        ..limits()
    });
    let mut later = server.ask(&get("/later"));
    let mut live = server.ask(&get("/live"));
    live.head();
    assert!(later.is_open_after(SHORT));
    let began = Instant::now();
    server.begin_to_stop();
    assert_eq!(later.respond().text(), "nothing");
    read_until(&mut live, "0\r\n\r\n");
    server.wait_for_end();
    assert!(began.elapsed() < Duration::from_secs(5));
}
