//! Tests that the time of a failed sign-in does not reveal whether the user exists.

use std::time::{Duration, Instant};

use galley_tests::{Request, TestSite, Who, request::ADMIN, staff::OWNER};
use serde_json::json;

/// The number of measurements of each kind.
const ROUNDS: usize = 9;

/// The maximum ratio of the medians. A sign-in that does not check a password takes a hundredth of the time.
const FACTOR: u32 = 3;

/// Tries to sign in from an address of a network for documentation, and returns the duration.
fn sign_in(site: &TestSite, host: usize, email: &str) -> Duration {
    let sent = json!({"username": email, "password": "not-the-password"});
    let request = Request::new("POST", &format!("{ADMIN}/session/"))
        .header("x-forwarded-for", &format!("192.0.2.{host}"))
        .json(&sent);
    let start = Instant::now();
    let status = site.ask_as(&Who::Anonymous, &request).status;
    assert_ne!(status, 429, "the rate limit applied");
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
fn sign_in_of_an_unknown_user_takes_as_long_as_a_wrong_password() {
    let site = TestSite::staffed();
    let (_, email, _) = OWNER;
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());

    for round in 0..ROUNDS {
        // Each round uses another client address, and another unknown user, so that no rate limit applies.
        wrong.push(sign_in(&site, round, email));
        let email = format!("unknown-{round}@example.com");
        unknown.push(sign_in(&site, round, &email));
    }

    let (wrong, unknown) = (median(wrong), median(unknown));
    assert!(
        unknown < wrong * FACTOR && wrong < unknown * FACTOR,
        "a wrong password takes {wrong:?}, an unknown user {unknown:?}"
    );
}
