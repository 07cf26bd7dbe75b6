//! A site with a webhook for every event.

use std::collections::HashSet;

use galley::{
    domain::{event::Event, webhook_delivery::WebhookDelivery},
    site::Site,
};
use galley_tests::{
    Request, TestSite, Who, http_client::HttpResponse, owner, request::ADMIN,
    site_builder::SiteBuilder, wait_for,
};
use serde_json::{Value, json};

/// A URL that is never requested, because its address is private: events stay in the queue, where tests read them.
const NOWHERE: &str = "http://127.0.0.1:9";

/// A site with a webhook for each event.
pub struct EventSite {
    pub site: TestSite,
    sent: u64,
}

/// A queued event.
#[derive(Debug)]
pub struct QueuedEvent {
    pub event: String,
    pub body: Value,
}

impl QueuedEvent {
    /// Returns the previous values of the record.
    pub fn previous(&self) -> &Value {
        &self.part()["previous"]
    }

    /// Returns the current values of the record.
    pub fn current(&self) -> &Value {
        &self.part()["current"]
    }

    fn part(&self) -> &Value {
        let noun = self.event.split('.').next().unwrap();
        &self.body[noun]
    }
}

impl EventSite {
    pub fn new() -> Self {
        Self::of(TestSite::builder())
    }

    /// Starts a site with webhooks for every event, and an empty queue.
    pub fn of(builder: SiteBuilder) -> Self {
        let site = builder.staffed().start();
        for event in Event::all().map(Event::name) {
            let webhook = json!({"event": event, "target_url": format!("{NOWHERE}/{event}")});
            site.post_as(
                &Who::Integration,
                "/webhooks/",
                &json!({"webhooks": [webhook]}),
            );
        }
        let sent = site.site().current().catalog.last_webhook_delivery;
        Self { site, sent }
    }

    /// Returns the events queued since the last call, in order.
    pub fn take_events(&mut self) -> Vec<QueuedEvent> {
        let queued = queued(self.site.site(), self.sent);
        self.sent += queued.len() as u64;
        queued
    }

    /// Waits for events, and returns them.
    pub fn next_events(&mut self) -> Vec<QueuedEvent> {
        wait_for(
            "an event is queued",
            || self.take_events(),
            |sent| !sent.is_empty(),
        )
    }

    /// Sends a request as the owner, which must succeed, and returns the response.
    pub fn done(&self, method: &str, endpoint: &str, body: &Value) -> HttpResponse {
        let request = Request::new(method, &format!("{ADMIN}/{endpoint}"));
        let request = match body {
            Value::Null => request,
            body => request.json(body),
        };
        self.site.done(&owner(), request)
    }

    /// Adds a record of this kind, and returns the record.
    pub fn add(&self, kind: &str, record: Value) -> Value {
        let response = self.done("POST", &format!("{kind}/"), &json!({kind: [record]}));
        response.json()[kind][0].clone()
    }

    /// Edits a record that was read before, and returns the edited record.
    pub fn edit(&self, kind: &str, known: &Value, change: Value) -> Value {
        let mut change = change;
        if matches!(kind, "posts" | "pages") {
            change["updated_at"] = known["updated_at"].clone();
        }
        let response = self.done("PUT", &record_path(kind, known), &json!({kind: [change]}));
        response.json()[kind][0].clone()
    }

    pub fn delete(&self, kind: &str, known: &Value) {
        self.done("DELETE", &record_path(kind, known), &Value::Null);
    }
}

/// Returns the endpoint of a record.
pub fn record_path(kind: &str, record: &Value) -> String {
    format!("{kind}/{}/", record["id"].as_str().unwrap())
}

/// Returns the queued events of a site with a number above `after`, in order.
pub fn queued(site: &Site, after: u64) -> Vec<QueuedEvent> {
    let snapshot = site.current();
    let mut rows: Vec<WebhookDelivery> = Vec::new();
    for webhook in snapshot.catalog.webhooks.iter() {
        let all = (usize::MAX, usize::MAX);
        let waiting = snapshot.waiting_deliveries(webhook.id, &HashSet::new(), all.0, all.1);
        rows.extend(waiting.unwrap());
    }
    rows.retain(|row| row.number > after);
    rows.sort_by_key(|row| row.number);
    let sent = rows.into_iter().map(|row| {
        let body: Value = serde_json::from_str(&row.body).unwrap();
        assert_eq!(body["event"], *row.event);
        QueuedEvent {
            event: row.event.into(),
            body,
        }
    });
    sent.collect()
}

/// Returns the names of events, in order.
pub fn names(sent: &[QueuedEvent]) -> Vec<&str> {
    sent.iter().map(|sent| sent.event.as_str()).collect()
}

/// Returns a Lexical document with one paragraph.
pub fn document(text: &str) -> String {
    let words = json!({"type": "text", "version": 1, "text": text, "format": 0, "detail": 0, "mode": "normal", "style": ""});
    let paragraph = json!({"type": "paragraph", "version": 1, "children": [words], "direction": "ltr", "format": "", "indent": 0});
    json!({"root": {"type": "root", "version": 1, "children": [paragraph], "direction": "ltr", "format": "", "indent": 0}}).to_string()
}
