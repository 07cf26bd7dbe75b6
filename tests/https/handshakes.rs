//! Tests that handshakes, which take time, do not keep readers from their responses.

use std::{
    sync::atomic::{AtomicBool, Ordering::SeqCst},
    thread,
    time::{Duration, Instant},
};

use crate::{
    site::{Place, options_with_files},
    tls_client::{TestCertificate, connect},
};

/// Handshakes, and how many in a second at most.
const HANDSHAKES: u32 = 300;
const RATE: u32 = 100;

/// Longest time of a response beside them. The program of the tests is not optimised, and other tests run beside this one.
const RESPONSE_MAX: Duration = Duration::from_secs(10);

#[test]
fn a_hundred_handshakes_a_second_leave_readers_served() {
    let place = Place::new();
    let certificate = TestCertificate::new(&["localhost"]);
    certificate.write(place.folder.path());
    let _app = place.serve(&options_with_files(&place));
    let is_over = AtomicBool::new(false);
    let (responses, slowest) = thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut client =
                        connect(place.https, "localhost", &certificate.trust()).unwrap();
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
        for number in 1..=HANDSHAKES {
            // A full handshake: this client knows no session.
            connect(place.https, "localhost", &certificate.trust()).unwrap();
            let due = began + number * Duration::from_secs(1) / RATE;
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
        is_over.store(true, SeqCst);
        let results = readers.into_iter().map(|reader| reader.join().unwrap());
        results.fold((0, Duration::ZERO), |(sum, most), (count, slowest)| {
            (sum + count, most.max(slowest))
        })
    });
    eprintln!("{responses} responses, the slowest after {slowest:?}");
    assert!(responses > 100, "only {responses} responses");
    assert!(slowest < RESPONSE_MAX, "a response took {slowest:?}");
}
