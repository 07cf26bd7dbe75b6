//! What memory answers is answered beside hyper: a client must not be able to tell.

use std::time::Duration;

use proptest::prelude::*;

use super::harness::{BIG_BYTES, COPIED, Server, get, limits, request};

/// What looks like a request and is the body of one.
const SMUGGLED: &str = "GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// One request of a conversation, and what it must be answered.
#[derive(Clone, Debug)]
struct Exchange {
    sent: String,
    status: u16,
    text: String,
    has_body: bool,
}

fn exchange(sent: String, status: u16, text: &str) -> Exchange {
    Exchange {
        sent,
        status,
        text: text.to_owned(),
        has_body: true,
    }
}

fn exchanges() -> impl Strategy<Value = Exchange> {
    let with_length = |length: usize| format!("content-length: {length}\r\n");
    let posted = request("POST", "/echo", &with_length(SMUGGLED.len())) + SMUGGLED;
    let of_nothing = request("POST", "/echo", &with_length(0));
    let size = SMUGGLED.len();
    let in_chunks = request("POST", "/echo", "transfer-encoding: chunked\r\n")
        + &format!("{size:x}\r\n{SMUGGLED}\r\n0\r\n\r\n");
    let got_copied = request("GET", "/copied", &with_length(0));
    let got_with_length = request("GET", "/memory", &with_length(0));
    let long = format!("x-long: {}\r\n", "GET /nothing ".repeat(900));
    let of_memory = "from memory";
    prop_oneof![
        6 => Just(exchange(get("/memory"), 200, of_memory)),
        2 => Just(exchange(get("/worker"), 200, "from a worker")),
        1 => Just(exchange(get("/copied"), 200, &COPIED)),
        1 => Just(exchange(got_copied, 200, &COPIED)),
        1 => Just(exchange(get("/nothing"), 204, "")),
        1 => Just(exchange(posted, 200, SMUGGLED)),
        1 => Just(exchange(of_nothing, 200, "")),
        1 => Just(exchange(in_chunks, 200, SMUGGLED)),
        1 => Just(exchange(got_with_length, 200, of_memory)),
        1 => Just(exchange(request("GET", "/memory", &long), 200, of_memory)),
        1 => Just(exchange(format!("\r\n{}", get("/memory")), 200, of_memory)),
        1 => Just(Exchange {
            has_body: false,
            ..exchange(request("HEAD", "/memory", ""), 200, "")
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn however_requests_are_mixed_and_cut_they_are_answered_in_order(
        exchanges in prop::collection::vec(exchanges(), 1..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let server = Server::start(limits());
        let mut client = server.connect();
        let sent: String = exchanges.iter().map(|exchange| exchange.sent.as_str()).collect();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(sent.len())).collect();
        cuts.extend([0, sent.len()]);
        cuts.sort_unstable();
        for piece in cuts.windows(2) {
            client.send(&sent.as_bytes()[piece[0]..piece[1]]);
            std::thread::sleep(Duration::from_micros(200));
        }
        for exchange in &exchanges {
            let answer = match exchange.has_body {
                true => client.answer(),
                false => client.head(),
            };
            prop_assert_eq!(answer.status, exchange.status);
            prop_assert_eq!(answer.text(), &exchange.text);
        }
        prop_assert!(client.is_open_after(Duration::from_millis(2)));
    }
}

#[test]
fn memory_and_hyper_answer_with_the_same_fields() {
    let server = Server::start(limits());
    let at_once = server.get("/memory");
    let by_hyper = server
        .ask(&request("GET", "/memory", "content-length: 0\r\n"))
        .answer();
    let fields = |answer: &super::harness::Answer| {
        let mut fields = answer.headers.clone();
        fields.remove("date").expect("it has a date");
        fields
    };
    assert_eq!(fields(&at_once), fields(&by_hyper));
}

#[test]
fn what_the_kernel_sends_comes_whole_and_in_order_however_late_it_is_taken() {
    let server = Server::start(limits());
    let asked = 80;
    let mut client = server.ask(&(get("/copied") + &get("/memory")).repeat(asked));
    std::thread::sleep(Duration::from_millis(100));
    for _ in 0..asked {
        assert!(client.answer().text() == *COPIED);
        assert_eq!(client.answer().text(), "from memory");
    }
}

#[test]
fn a_client_that_breaks_off_in_a_request_hears_of_it() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.send(get("/memory"));
    assert_eq!(client.answer().text(), "from memory");
    client.send("GET /memory HT");
    client.close_for_writing();
    assert!(!client.is_answered());
}

#[test]
fn a_connection_is_closed_after_an_answer_from_memory_when_that_is_asked_for() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.send(get("/memory"));
    client.send(request("GET", "/memory", "connection: close\r\n"));
    assert_eq!(client.answer().text(), "from memory");
    let last = client.last_answer();
    assert_eq!(last.text(), "from memory");
    assert_eq!(last.header("connection"), Some("close"));
}

#[test]
fn a_long_answer_from_memory_is_sent_whole_before_the_next_and_before_the_end() {
    let mut server = Server::start(limits());
    let mut client = server.ask(&(get("/memory") + &get("/big") + &get("/memory")));
    assert_eq!(client.answer().text(), "from memory");
    server.begin_to_stop();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(client.answer().body.len(), BIG_BYTES);
    server.wait_for_end();
}
