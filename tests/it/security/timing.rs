//! How long a sign-in takes that fails: who measures it does not learn whether there is such a user.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    app::TestApp,
    staffed_site::{ADMIN, Ask, OWNER, StaffedSite, Who},
};

/// How often each is measured.
const ROUNDS: usize = 9;

/// The medians differ by less than this factor. A password that is not looked at takes a hundredth of the time.
const FACTOR: u32 = 3;

fn sign_in(site: &StaffedSite, email: &str, password: &str) -> Duration {
    let sent = json!({"username": email, "password": password});
    let ask = Ask::new("POST", &format!("{ADMIN}/session/")).json(&sent);
    let start = Instant::now();
    let status = site.send(&Who::Nobody, &ask).status;
    assert_ne!(status, 429, "stopped before it was measured");
    start.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

#[test]
fn an_unknown_user_takes_as_long_as_a_wrong_password() {
    let site = StaffedSite::start(TestApp::builder());
    let (_, email, password) = OWNER;
    let (mut wrong, mut unknown) = (Vec::new(), Vec::new());

    for round in 0..ROUNDS {
        wrong.push(sign_in(&site, email, "not-the-password"));
        // Another one each time: too many tries for one address are stopped.
        let stranger = format!("stranger-{round}@example.com");
        unknown.push(sign_in(&site, &stranger, "not-the-password"));
        // A good one, so that the wrong ones before it do not count.
        sign_in(&site, email, password);
    }

    let (wrong, unknown) = (median(wrong), median(unknown));
    assert!(
        unknown < wrong * FACTOR && wrong < unknown * FACTOR,
        "a wrong password takes {wrong:?}, an unknown user {unknown:?}"
    );
}
