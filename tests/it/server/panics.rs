use super::harness::{Server, get, limits};

#[test]
fn a_panic_is_answered_500_and_the_connection_goes_on() {
    let server = Server::start(limits());
    let mut client = server.connect();
    for target in ["/panic-in-memory", "/panic-on-worker"] {
        client.send(get(target));
        let answer = client.answer();
        assert_eq!(answer.status, 500);
        assert_eq!(answer.header("x-refusal"), Some("Panicked"));
        client.send(get("/memory"));
        assert_eq!(client.answer().text(), "from memory");
    }
}

#[test]
fn a_panic_gives_its_worker_back() {
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
fn a_panic_while_refusing_leaves_a_bare_answer() {
    let server = Server::start(limits());
    let mut client = server.ask(&get("/panic-on-worker?panic-while-refusing"));
    let answer = client.answer();
    assert_eq!((answer.status, answer.text()), (500, ""));
    client.send(get("/memory"));
    assert_eq!(client.answer().status, 200);
}
