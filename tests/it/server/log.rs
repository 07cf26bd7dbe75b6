//! Tests of the access log.

use std::io;
use std::sync::{Arc, Mutex};

use galley_tests::{
    edge_server::{Server, limits},
    wait_until,
};
use tracing_subscriber::{Layer, filter::Targets, layer::SubscriberExt, util::SubscriberInitExt};

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn each_request_is_one_log_line_without_secrets() {
    let lines = Lines::default();
    let writer = lines.clone();
    // All tests of the process share the log, so only lines of requests are collected.
    let requests = Targets::new().with_target("galley::request", tracing::Level::DEBUG);
    let to_lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .with_filter(requests);
    tracing_subscriber::registry().with(to_lines).init();
    let server = Server::start(limits());

    assert_eq!(server.get("/logged/in/this/test/?key=4f0c2e").status, 200);

    let line = || {
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        text.lines()
            .find(|line| line.contains("/logged/in/this/test/"))
            .map(str::to_owned)
    };
    wait_until("the line is written", || line().is_some());
    let line = line().unwrap();
    for part in [
        "DEBUG galley::request:",
        "method=GET",
        "path=\"/logged/in/this/test/\"",
        "status=200",
        "bytes=",
        "microseconds=",
        "peer=127.0.0.1",
    ] {
        assert!(line.contains(part), "{part} is missing: {line}");
    }
    assert!(!line.contains("4f0c2e"), "{line}");
}
