//! Answers that wait, and answers that go on.

use std::{
    cell::RefCell,
    io::Read,
    sync::atomic::Ordering::SeqCst,
    time::{Duration, Instant},
};

use galley::server::Limits;

use super::harness::{Client, END, FLOOD_BYTES, PANIC, Server, get, limits, request, wait_until};

const SHORT: Duration = Duration::from_millis(200);

/// Reads until the answer shows `end`.
fn read_until(client: &mut Client, end: &str) {
    let mut text = String::new();
    let mut byte = [0];
    while !text.ends_with(end) {
        let read = client.stream.read(&mut byte).unwrap();
        assert_eq!(read, 1, "\"{end}\" does not come: {text}");
        text.push(char::from(byte[0]));
    }
}

#[test]
fn an_answer_that_waits_is_given_when_there_is_something() {
    let server = Server::start(limits());
    let mut client = server.ask(&get("/later"));
    assert!(client.is_open_after(SHORT));
    server.paths.tell(1);
    assert!(client.answer().text().starts_with("GET /later"));
}

#[test]
fn what_is_told_between_the_question_and_the_wait_is_not_missed() {
    let server = Server::start(limits());
    for _ in 0..200 {
        server.paths.tell(0);
        let mut client = server.ask(&get("/later"));
        server.paths.tell(1);
        let asked = Instant::now();
        client.answer();
        assert!(asked.elapsed() < Duration::from_secs(10));
    }
}

#[test]
fn neither_idle_nor_slow_headers_end_an_answer_that_goes_on() {
    let server = Server::start(Limits {
        idle_timeout: Duration::from_millis(100),
        headers_timeout: Duration::from_millis(100),
        write_timeout: Duration::from_millis(100),
        ..limits()
    });
    let mut client = server.ask(&get("/live"));
    client.head();
    assert!(client.is_open_after(3 * SHORT));
    server.paths.tell(1);
    read_until(&mut client, "told 1\n\r\n");
    server.paths.tell(2);
    read_until(&mut client, "told 2\n\r\n");
    server.paths.tell(END);
    read_until(&mut client, "0\r\n\r\n");
    // The connection is good for more.
    client.send(get("/memory"));
    assert_eq!(client.answer().text(), "from memory");
}

#[test]
fn a_quiet_time_has_a_heartbeat() {
    let server = Server::start(Limits {
        heartbeat: Duration::from_millis(50),
        ..limits()
    });
    let mut client = server.ask(&get("/live"));
    client.head();
    read_until(&mut client, "beat\n\r\n5\r\nbeat\n\r\n");
    server.paths.tell(7);
    read_until(&mut client, "told 7\n\r\n");
    read_until(&mut client, "beat\n\r\n");
}

#[test]
fn a_client_that_takes_nothing_is_let_go_of_and_costs_no_memory_before() {
    let server = Server::start(Limits {
        write_timeout: Duration::from_millis(500),
        waiting_max: 1,
        ..limits()
    });
    let mut client = server.ask(&get("/flood"));
    client.head();
    wait_until("its place is free", || {
        server.ask(&get("/live")).head().status == 200
    });
    // What was under way lay in the buffers of two sockets.
    let made = server.paths.pieces.load(SeqCst);
    assert!(made * FLOOD_BYTES < 16 << 20, "{made}");
}

#[test]
fn who_goes_leaves_a_place() {
    let server = Server::start(Limits {
        waiting_max: 1,
        ..limits()
    });
    for target in ["/live", "/later"] {
        let client = RefCell::new(server.ask(&get(target)));
        if target == "/live" {
            // Once it hears, it has the place.
            assert_eq!(client.borrow_mut().head().status, 200);
        }
        wait_until(&format!("{target} has the place"), || {
            // Whoever asked in the moment in which a look below had the place was refused, and asks again when it is free.
            if target == "/later" && !client.borrow_mut().is_open_after(SHORT) {
                std::thread::sleep(SHORT);
                client.replace(server.ask(&get(target)));
                return false;
            }
            server.ask(&get("/live")).head().status == 503
        });
        drop(client);
        wait_until("the place is free", || {
            server.ask(&get("/live")).head().status == 200
        });
        wait_until("nobody has it", || {
            server.ask(&get("/live")).head().status == 200
        });
    }
}

#[test]
fn a_panic_ends_one_answer_and_nothing_else() {
    let server = Server::start(limits());
    let mut client = server.ask(&get("/live"));
    client.head();
    server.paths.tell(PANIC);
    read_until(&mut client, "0\r\n\r\n");
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn a_head_request_gets_no_body_of_an_answer_that_goes_on() {
    let server = Server::start(limits());
    let mut client = server.ask(&request("HEAD", "/live", ""));
    let head = client.head();
    assert_eq!((head.status, head.header("content-length")), (200, None));
    client.send(get("/memory"));
    assert_eq!(client.answer().text(), "from memory");
}

#[test]
fn waits_and_answers_that_go_on_are_ended_when_the_server_stops() {
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
    assert_eq!(later.answer().text(), "nothing");
    read_until(&mut live, "0\r\n\r\n");
    server.wait_for_end();
    assert!(began.elapsed() < Duration::from_secs(5));
}
