//! Tests of panics in handlers.

use galley_tests::{
    edge_server::{Server, limits},
    http_client::get,
};

#[test]
fn panic_is_500_and_the_connection_stays_open() {
    let server = Server::start(limits());
    let mut client = server.connect();
    for target in ["/panic-in-memory", "/panic-on-worker"] {
        client.send(get(target));
        let response = client.respond();
        assert_eq!(response.status, 500);
        assert_eq!(response.header("x-refusal"), Some("Panicked"));
        client.send(get("/memory"));
        assert_eq!(client.respond().text(), "from memory");
    }
}

#[test]
fn panic_releases_its_worker() {
    let server = Server::start(galley::server::Limits {
        workers: 1,
        ..limits()
    });
    for _ in 0..5 {
        assert_eq!(server.get("/panic-on-worker").status, 500);
    }
    assert_eq!(server.get("/worker").status, 200);
}

#[test]
fn panic_in_error_handling_sends_a_minimal_response() {
    let server = Server::start(limits());
    let mut client = server.ask(&get("/panic-on-worker?panic-while-refusing"));
    let response = client.respond();
    assert_eq!((response.status, response.text()), (500, ""));
    client.send(get("/memory"));
    assert_eq!(client.respond().status, 200);
}
