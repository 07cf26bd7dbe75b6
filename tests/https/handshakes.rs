//! Tests that TLS handshakes, which are expensive, do not delay responses to readers.

use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};

use galley_tests::tls_client::{TestCertificate, TlsClient, connect};

use crate::site::{HttpsSite, options_with_files};

/// The number of handshakes per second, and the duration in seconds.
const RATE: u32 = 100;
const SECONDS: u32 = 3;

/// The maximum response time during the handshakes. The program under test is not optimised, and other tests run
/// concurrently.
const RESPONSE_MAX: Duration = Duration::from_secs(2);

/// Sends requests on one connection until `is_over`. Returns the number of responses, and the slowest response time.
fn read_until(is_over: &AtomicBool, mut client: TlsClient) -> (usize, Duration) {
    let (mut responses, mut slowest) = (0, Duration::ZERO);
    while !is_over.load(SeqCst) {
        let begin = Instant::now();
        client.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        assert_eq!(client.respond().status, 200);
        slowest = slowest.max(begin.elapsed());
        responses += 1;
        thread::sleep(Duration::from_millis(1));
    }
    (responses, slowest)
}

#[test]
fn hundred_handshakes_a_second_do_not_delay_readers() {
    let site = HttpsSite::new();
    let certificate = TestCertificate::new(&["localhost"]);
    certificate.write(site.folder.path());
    let _app = site.serve(&options_with_files(&site));
    let connect_once = || connect(site.https, "localhost", &certificate.trust()).unwrap();
    let is_over = AtomicBool::new(false);
    let mut handshakes = 0;
    let readers = thread::scope(|scope| {
        let readers = [(); 2].map(|()| scope.spawn(|| read_until(&is_over, connect_once())));
        let begin = Instant::now();
        // Each handshake is a full one, because this client has no session.
        while begin.elapsed() < Duration::from_secs(SECONDS.into()) {
            connect_once();
            handshakes += 1;
            let due = begin + handshakes * Duration::from_secs(1) / RATE;
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        is_over.store(true, SeqCst);
        readers.map(|reader| reader.join().unwrap())
    });
    let responses: usize = readers.iter().map(|(responses, _)| responses).sum();
    let slowest = readers.iter().map(|(_, slowest)| *slowest).max().unwrap();
    eprintln!("{handshakes} handshakes; {responses} responses, the slowest after {slowest:?}");
    assert!(
        handshakes > RATE * SECONDS / 2,
        "only {handshakes} handshakes"
    );
    assert!(responses > 100, "only {responses} responses");
    assert!(slowest < RESPONSE_MAX, "a response took {slowest:?}");
}
