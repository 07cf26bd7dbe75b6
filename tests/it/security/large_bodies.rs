//! Tests that bodies which would take too much memory are rejected while they are read, with the limit in the response.

use std::{
    sync::{Mutex, mpsc},
    thread,
    time::Duration,
};

use galley_tests::{
    Request, TestSite, Who,
    http_client::HttpResponse,
    request::ADMIN,
    wait_for, wait_until,
    webhook_receiver::{Reaction, WebhookReceiver},
};
use serde_json::{Value, json};

fn post(site: &TestSite, endpoint: &str, body: &str) -> HttpResponse {
    let request = Request::new("POST", &format!("{ADMIN}/{endpoint}"))
        .header("content-type", "application/json")
        .bytes(body);
    site.ask_as(&Who::Integration, &request)
}

fn error(response: &HttpResponse) -> Value {
    response.json()["errors"][0].clone()
}

#[test]
fn number_of_json_values_is_limited_by_length() {
    let site = TestSite::staffed();
    let of = |value: &str, count: usize| {
        let values = vec![value; count].join(",");
        format!(r#"{{"tags":[{{"name":"Much","unknown":[{values}]}}]}}"#)
    };
    for (value, taken, refused) in [
        ("0", 20_000, 500_000),
        ("{}", 5000, 100_000),
        ("[0]", 5000, 100_000),
    ] {
        let response = post(&site, "tags/", &of(value, taken));
        assert_eq!(
            response.status,
            201,
            "{taken} times {value}: {}",
            response.text()
        );
        let response = post(&site, "tags/", &of(value, refused));
        assert_eq!(
            response.status,
            413,
            "{refused} times {value}: {}",
            response.text()
        );
        let context = error(&response)["context"].to_string();
        assert!(
            context.contains("more memory than 4 MiB plus 6 bytes for each"),
            "{context}"
        );
    }
}

/// Returns a site with `posts` posts, each with `bytes` bytes of HTML.
fn site_with_posts(posts: usize, bytes: usize) -> TestSite {
    let site = TestSite::staffed();
    let card = json!({"type": "html", "version": 1, "html": format!("<p>{}</p>", "long text ".repeat(100)).repeat(bytes / 1000)});
    let lexical = json!({"root": {"type": "root", "version": 1, "children": [card]}}).to_string();
    for number in 0..posts {
        let record = json!({"posts": [{
            "title": format!("P {number}"), "lexical": lexical, "status": "published"
        }]});
        let response = post(&site, "posts/", &record.to_string());
        assert_eq!(response.status, 201, "{}", response.text());
    }
    site
}

#[test]
fn list_longer_than_the_body_memory_is_complete() {
    let site = site_with_posts(2, 3 << 20);
    let formats = "formats=html,lexical,plaintext&include=post_revisions";
    let response = get(
        &site,
        &Who::Integration,
        &format!("{ADMIN}/posts/?{formats}"),
    );
    assert_eq!(response.status, 200);
    assert_eq!(
        response.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    let list = response.json();
    assert_eq!(list["meta"]["pagination"]["total"], 2);
    let posts = list["posts"].as_array().unwrap();
    assert_eq!(posts.len(), 2);
    for post in posts {
        let length = |text: &Value| text.as_str().unwrap().len();
        assert!(length(&post["html"]) > 3_000_000 && length(&post["lexical"]) > 3_000_000);
        assert!(length(&post["plaintext"]) > 3_000_000);
        assert!(length(&post["post_revisions"][0]["lexical"]) > 3_000_000);
    }
}

#[test]
fn full_body_memory_gets_503_with_retry_after() {
    let site = TestSite::builder()
        .option("server.bodies_mb", "1")
        .staffed()
        .start();
    let card = json!({"type": "html", "version": 1, "html": "long text ".repeat(40_000)});
    let lexical = json!({"root": {"type": "root", "version": 1, "children": [card]}}).to_string();
    for title in ["One", "Two", "Three"] {
        let record = json!({"title": title, "lexical": lexical, "status": "published"});
        let response = post(&site, "posts/", &json!({"posts": [record]}).to_string());
        assert_eq!(response.status, 201, "{}", response.text());
    }
    let tag = json!({"tags": [{"name": "T"}]}).to_string();
    let padded = |kilobytes: usize| format!("{tag}{}", " ".repeat(kilobytes << 10));
    let requests: [&dyn Fn() -> HttpResponse; 3] = [
        &|| post(&site, "tags/", &padded(200)),
        &|| {
            get(
                &site,
                &Who::Integration,
                &format!("{ADMIN}/posts/?formats=html"),
            )
        },
        &|| get(&site, &Who::Reader, "/ghost/api/content/posts/?fields=html"),
    ];
    for request in requests {
        let begun = padded(900);
        let mut found = None;
        wait_until("the request is refused", || {
            // The held body may arrive late, or be refused itself, so this is repeated.
            let held = Request::new("POST", &format!("{ADMIN}/tags/"))
                .header("content-type", "application/json")
                .header("content-length", &(begun.len() + 1).to_string());
            let held = site.begin(&Who::Integration, &held, &begun);
            thread::sleep(Duration::from_millis(200));
            let response = request();
            found = (response.status == 503).then_some((held, response));
            found.is_some()
        });
        let (held, refused) = found.unwrap();
        assert_eq!(refused.header("retry-after"), Some("5"));
        assert_eq!(error(&refused)["type"], "MaintenanceError");

        drop(held);
        wait_until("the request is accepted again", || request().status < 300);
    }
}

#[test]
fn memory_of_webhook_events_counts_against_requests() {
    let receiver = WebhookReceiver::start();
    let (response, responded) = mpsc::channel::<()>();
    let responded = Mutex::new(responded);
    receiver.react(move |_| {
        let _ = responded.lock().unwrap().recv();
        Reaction::HttpResponse(200, &[], "")
    });
    let builder = TestSite::builder().option("server.bodies_mb", "1");
    let site = builder
        .option("private_receivers", "true")
        .staffed()
        .start();
    let webhook = json!({"webhooks": [{"event": "post.published", "target_url": receiver.url()}]});
    assert_eq!(post(&site, "webhooks/", &webhook.to_string()).status, 201);
    // The webhook payload of this post is larger than the body memory.
    let html = format!(
        "<!--kg-card-begin: html-->{}<!--kg-card-end: html-->",
        "long text ".repeat(70_000)
    );
    let record = json!({"posts": [{"title": "Long", "html": html, "status": "published"}]});
    let made = post(&site, "posts/?source=html", &record.to_string());
    assert_eq!(made.status, 201, "{}", made.text());
    let tag = json!({"tags": [{"name": "T"}]}).to_string();
    let status = || post(&site, "tags/", &tag).status;
    wait_for("the request is refused", status, |status| *status == 503);
    drop(response);
    wait_for("the request is accepted again", status, |status| {
        *status == 201
    });
}

fn get(site: &TestSite, who: &Who, target: &str) -> HttpResponse {
    site.ask_as(who, &Request::new("GET", target))
}

#[test]
fn too_large_document_is_rejected_with_its_field() {
    let site = TestSite::staffed();
    let html = "<table><b>".repeat(100_000);
    let record = json!({"posts": [{"title": "Much", "html": html}]});
    let response = post(&site, "posts/?source=html", &record.to_string());
    assert_eq!(response.status, 422, "{}", response.text());
    let error = error(&response);
    assert_eq!(error["property"], "html");
    let context = error["context"].to_string();
    assert!(
        context.contains("The document is too large")
            || context.contains("the document is too large"),
        "{context}"
    );
}
