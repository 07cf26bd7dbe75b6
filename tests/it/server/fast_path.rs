//! Tests that cached responses, which are sent without hyper, are indistinguishable from responses sent by hyper.

use std::time::Duration;

use galley_tests::{
    edge_server::{BIG_BYTES, COPIED, Server, limits},
    http_client::{get, request},
};
use proptest::prelude::*;

/// The body of a request, which looks like another request.
const SMUGGLED: &str = "GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n";

/// One request of a connection, and its expected response.
#[derive(Clone, Debug)]
struct RequestCase {
    sent: String,
    status: u16,
    text: String,
    has_body: bool,
}

fn request_case(sent: String, status: u16, text: &str) -> RequestCase {
    RequestCase {
        sent,
        status,
        text: text.to_owned(),
        has_body: true,
    }
}

fn request_cases() -> impl Strategy<Value = RequestCase> {
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
        6 => Just(request_case(get("/memory"), 200, of_memory)),
        2 => Just(request_case(get("/worker"), 200, "from a worker")),
        1 => Just(request_case(get("/copied"), 200, &COPIED)),
        1 => Just(request_case(got_copied, 200, &COPIED)),
        1 => Just(request_case(get("/nothing"), 204, "")),
        1 => Just(request_case(posted, 200, SMUGGLED)),
        1 => Just(request_case(of_nothing, 200, "")),
        1 => Just(request_case(in_chunks, 200, SMUGGLED)),
        1 => Just(request_case(got_with_length, 200, of_memory)),
        1 => Just(request_case(request("GET", "/memory", &long), 200, of_memory)),
        1 => Just(request_case(format!("\r\n{}", get("/memory")), 200, of_memory)),
        1 => Just(RequestCase {
            has_body: false,
            ..request_case(request("HEAD", "/memory", ""), 200, "")
        }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn pipelined_and_split_requests_get_responses_in_order(
        request_cases in prop::collection::vec(request_cases(), 1..12),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
    ) {
        let server = Server::start(limits());
        let mut client = server.connect();
        let sent: String = request_cases.iter().map(|request_case| request_case.sent.as_str()).collect();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(sent.len())).collect();
        cuts.extend([0, sent.len()]);
        cuts.sort_unstable();
        for piece in cuts.windows(2) {
            client.send(&sent.as_bytes()[piece[0]..piece[1]]);
            std::thread::sleep(Duration::from_micros(200));
        }
        for request_case in &request_cases {
            let response = if request_case.has_body { client.respond() } else { client.head() };
            prop_assert_eq!(response.status, request_case.status);
            prop_assert_eq!(response.text(), &request_case.text);
        }
        prop_assert!(client.is_open_after(Duration::from_millis(2)));
    }
}

#[test]
fn fast_path_and_hyper_send_the_same_header_fields() {
    let server = Server::start(limits());
    let fast = server.get("/memory");
    let by_hyper = server
        .ask(&request("GET", "/memory", "content-length: 0\r\n"))
        .respond();
    let fields = |response: &galley_tests::http_client::HttpResponse| {
        let mut fields = response.headers.clone();
        fields.remove("date").expect("the response has a date");
        fields
    };
    assert_eq!(fields(&fast), fields(&by_hyper));
}

#[test]
fn sendfile_responses_are_complete_and_ordered_for_slow_readers() {
    let server = Server::start(limits());
    let asked = 80;
    let mut client = server.ask(&(get("/copied") + &get("/memory")).repeat(asked));
    std::thread::sleep(Duration::from_millis(100));
    for _ in 0..asked {
        assert!(client.respond().text() == *COPIED);
        assert_eq!(client.respond().text(), "from memory");
    }
}

#[test]
fn client_that_aborts_a_request_gets_an_error() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.send(get("/memory"));
    assert_eq!(client.respond().text(), "from memory");
    client.send("GET /memory HT");
    client.close_for_writing();
    assert!(!client.is_responded());
}

#[test]
fn connection_close_is_honoured_after_a_cached_response() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.send(get("/memory"));
    client.send(request("GET", "/memory", "connection: close\r\n"));
    assert_eq!(client.respond().text(), "from memory");
    let last = client.last_response();
    assert_eq!(last.text(), "from memory");
    assert_eq!(last.header("connection"), Some("close"));
}

#[test]
fn long_cached_response_is_complete_before_the_next_and_before_close() {
    let mut server = Server::start(limits());
    let mut client = server.ask(&(get("/memory") + &get("/big") + &get("/memory")));
    assert_eq!(client.respond().text(), "from memory");
    server.begin_to_stop();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(client.respond().body.len(), BIG_BYTES);
    server.wait_for_end();
}
