//! Tests that TLS handshakes, which are expensive, do not delay responses to readers.

use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};

use crate::site::{HttpsSite, options_with_files};
use galley_tests::tls_client::{TestCertificate, connect};

/// The number of handshakes per second, and the duration in seconds.
const RATE: u32 = 100;
const SECONDS: u32 = 3;

/// The maximum response time during the handshakes. The program under test is not optimised, and other tests run
/// concurrently.
const RESPONSE_MAX: Duration = Duration::from_secs(2);

#[test]
fn hundred_handshakes_a_second_do_not_delay_readers() {
    let site = HttpsSite::new();
    let certificate = TestCertificate::new(&["localhost"]);
    certificate.write(site.folder.path());
    let _app = site.serve(&options_with_files(&site));
    let is_over = AtomicBool::new(false);
    let (responses, slowest, handshakes) = thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut client =
                        connect(site.https, "localhost", &certificate.trust()).unwrap();
                    let (mut responses, mut slowest) = (0, Duration::ZERO);
                    while !is_over.load(SeqCst) {
                        let began = Instant::now();
                        client.send("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
                        assert_eq!(client.respond().status, 200);
                        slowest = slowest.max(began.elapsed());
                        responses += 1;
                        thread::sleep(Duration::from_millis(1));
                    }
                    (responses, slowest)
                })
            })
            .collect();
        let began = Instant::now();
        let mut handshakes = 0;
        // Each handshake is a full one, because this client has no session.
        while began.elapsed() < Duration::from_secs(SECONDS.into()) {
            connect(site.https, "localhost", &certificate.trust()).unwrap();
            handshakes += 1;
            let due = began + handshakes * Duration::from_secs(1) / RATE;
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        is_over.store(true, SeqCst);
        let results = readers.into_iter().map(|reader| reader.join().unwrap());
        let (responses, slowest) = results
            .fold((0, Duration::ZERO), |(sum, most), (count, slowest)| {
                (sum + count, most.max(slowest))
            });
        (responses, slowest, handshakes)
    });
    eprintln!("{handshakes} handshakes; {responses} responses, the slowest after {slowest:?}");
    assert!(
        handshakes > RATE * SECONDS / 2,
        "only {handshakes} handshakes"
    );
    assert!(responses > 100, "only {responses} responses");
    assert!(slowest < RESPONSE_MAX, "a response took {slowest:?}");
}
