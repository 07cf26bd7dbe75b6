//! Tests of long polls.

use std::{
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

use galley::domain::post::{PostKind, Status};
use galley_tests::{
    TestSite,
    http_client::{Client, request},
    wait_until,
};
use serde_json::json;

use super::{in_short, long_ago, post, revision, save, served_site, take_key_away};

/// Long enough to be sure that a request waits.
const A_WHILE: Duration = Duration::from_millis(150);

/// Returns a client that waits for changes after `since`, at most `wait` seconds.
fn waiting(app: &TestSite, since: u64, wait: u64) -> Client {
    let target = app.content_path(&format!("changes/?since={since}&wait={wait}"));
    let mut client = Client::new(TcpStream::connect(app.address()).unwrap());
    client.send(request("GET", &target, ""));
    client
}

#[test]
fn long_poll_returns_at_the_next_commit() {
    let app = served_site();
    let mut client = waiting(&app, revision(&app), 30);
    assert!(client.is_open_after(A_WHILE));
    let committed = Instant::now();
    save(app.site(), post(PostKind::Post, "letter", &[]));
    let response = client.respond();
    assert!(committed.elapsed() < Duration::from_secs(5));
    assert_eq!(response.status, 200);
    assert_eq!(
        in_short(&response.json()),
        ["published posts letter", "published authors ada"]
    );
    // The connection can be reused for the next wait.
    let target = app.content_path(&format!("changes/?since={}&wait=30", revision(&app)));
    client.send(request("GET", &target, ""));
    assert!(client.is_open_after(A_WHILE));
    save(app.site(), post(PostKind::Post, "second", &[]));
    assert_eq!(
        in_short(&client.respond().json()),
        ["published posts second"]
    );
}

#[test]
fn long_poll_times_out_with_an_empty_response() {
    let app = served_site();
    let start = revision(&app);
    let began = Instant::now();
    let response = waiting(&app, start, 1).respond();
    assert!(began.elapsed() >= Duration::from_millis(900));
    assert_eq!(
        response.json(),
        json!({"changes": [], "meta": {"revision": start, "reset": false, "next": null}})
    );
    // The empty response is not cached: a request to the same URL waits again.
    let mut again = waiting(&app, start, 30);
    assert!(again.is_open_after(A_WHILE));
    // Nor does the cached response to a request without `wait` end a wait.
    assert_eq!(
        app.json(&format!("changes/?since={start}"))["changes"],
        json!([])
    );
    let mut third = waiting(&app, start, 30);
    assert!(third.is_open_after(A_WHILE));
}

#[test]
fn long_poll_returns_existing_changes_at_once() {
    let app = served_site();
    let start = revision(&app);
    save(app.site(), post(PostKind::Post, "letter", &[]));
    for since in [start, 0] {
        let began = Instant::now();
        let response = waiting(&app, since, 30).respond();
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(!in_short(&response.json()).is_empty());
    }
}

#[test]
fn invisible_changes_do_not_end_a_long_poll() {
    let app = served_site();
    let mut client = waiting(&app, revision(&app), 30);
    let draft = galley::domain::post::Post {
        status: Status::Draft,
        ..post(PostKind::Post, "draft", &[])
    };
    save(app.site(), draft);
    assert!(client.is_open_after(A_WHILE));
}

#[test]
fn long_poll_needs_a_key_and_head_does_not_wait() {
    let app = served_site();
    let began = Instant::now();
    assert_eq!(
        app.get("/ghost/api/content/changes/?since=1&wait=30")
            .status,
        403
    );
    let target = app.content_path(&format!("changes/?since={}&wait=30", revision(&app)));
    assert_eq!(app.send("HEAD", &target, "", "").status, 200);
    assert!(began.elapsed() < Duration::from_secs(10));
}

#[test]
fn key_revoked_during_a_long_poll_gets_no_data() {
    let app = served_site();
    let mut client = waiting(&app, revision(&app), 30);
    assert!(client.is_open_after(A_WHILE));
    take_key_away(&app);
    save(app.site(), post(PostKind::Post, "letter", &[]));
    assert_eq!(client.respond().status, 401);
}

#[test]
fn long_polls_do_not_block_other_requests() {
    let app = served_site();
    let start = revision(&app);
    let mut clients: Vec<Client> = (0..300).map(|_| waiting(&app, start, 60)).collect();
    thread::sleep(A_WHILE);
    // There are far fewer workers than waiting clients.
    let began = Instant::now();
    assert_eq!(app.content("posts/").status, 200);
    assert!(began.elapsed() < Duration::from_secs(5));
    save(app.site(), post(PostKind::Post, "letter", &[]));
    for client in &mut clients {
        assert_eq!(
            in_short(&client.respond().json())[0],
            "published posts letter"
        );
    }
}

#[test]
fn long_polls_over_the_limit_get_retry_after() {
    let app = TestSite::builder()
        .without_content()
        .option("server.waiting", "2")
        .start();
    let start = revision(&app);
    let mut first = waiting(&app, start, 30);
    let second = waiting(&app, start, 30);
    assert!(first.is_open_after(A_WHILE));
    let refused = waiting(&app, start, 30).respond();
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
    assert_eq!(refused.json()["errors"][0]["type"], "MaintenanceError");
    // A request that does not wait gets a response, and a client that disconnects frees its slot.
    assert_eq!(app.content(&format!("changes/?since={start}")).status, 200);
    drop(second);
    wait_until("a slot is free", || {
        waiting(&app, start, 0).respond().status == 200 && {
            let mut next = waiting(&app, start, 30);
            next.is_open_after(A_WHILE)
        }
    });
}

#[test]
fn long_poll_returns_when_the_server_stops() {
    let app = served_site();
    let mut client = waiting(&app, revision(&app), 60);
    assert!(client.is_open_after(A_WHILE));
    let began = Instant::now();
    drop(app);
    assert!(began.elapsed() < Duration::from_secs(5));
    let response = client.respond();
    assert_eq!(response.status, 200);
    assert_eq!(response.json()["changes"], json!([]));
}

#[test]
fn scheduled_post_ends_a_long_poll_at_its_time() {
    let app = served_site();
    let mut client = waiting(&app, revision(&app), 30);
    let scheduled = galley::domain::post::Post {
        status: Status::Scheduled,
        published_at: Some(app.site().now() + jiff::SignedDuration::from_secs(1)),
        updated_at: long_ago(),
        ..post(PostKind::Post, "later", &[])
    };
    save(app.site(), scheduled);
    assert_eq!(
        in_short(&client.respond().json())[0],
        "published posts later"
    );
}
