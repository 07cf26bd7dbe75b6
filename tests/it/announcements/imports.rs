//! Tests that an import sends an event for each record and `site.changed`, or only `site.changed`. Without a running server,
//! the command imports in its own process.

use std::{fs, path::Path, sync::Arc};

use galley::{clock::SystemClock, site::Site, store::redb::RedbStore};
use galley_tests::command_line::run_on_data;
use serde_json::json;
use tempfile::TempDir;

use super::event_site::{QueuedEvent, names, queued};

/// The page cache of the store, in bytes.
const CACHE_BYTES: usize = 1 << 20;

/// Creates a site without a server, with webhooks for these events.
fn site_with_webhooks(events: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    run_on_data(&folder, &["key", "create", "--name", "A"]).stdout();
    for event in events {
        let url = format!("https://hook.example/{event}");
        run_on_data(
            &folder,
            &[
                "webhook",
                "add",
                "--event",
                event,
                "--url",
                &url,
                "--integration",
                "A",
            ],
        )
        .stdout();
    }
    let export = json!({"db": [{"meta": {"version": "6.0.0"}, "data": {
        "posts": [
            {"id": "1", "title": "One", "slug": "one", "status": "published", "html": "<p>a</p>"},
            {"id": "2", "title": "Two", "slug": "two", "status": "draft", "html": "<p>b</p>"},
        ],
        "tags": [{"id": "3", "name": "Boats", "slug": "boats"}],
        "posts_tags": [{"id": "4", "post_id": "1", "tag_id": "3", "sort_order": 0}],
    }}]});
    fs::write(folder.path().join("export.json"), export.to_string()).unwrap();
    folder
}

/// Returns the queued events.
fn queued_events(folder: &Path) -> Vec<QueuedEvent> {
    let store = RedbStore::open(folder.join("data/galley.redb"), CACHE_BYTES).unwrap();
    let site = Site::open(Box::new(store), Arc::new(SystemClock)).unwrap();
    queued(&site, 0)
}

const EVENTS: [&str; 4] = ["post.added", "post.published", "tag.added", "site.changed"];

#[test]
fn import_announces_each_record_and_the_site_once() {
    let folder = site_with_webhooks(&EVENTS);
    run_on_data(
        &folder,
        &["import", "export.json", "--url", "https://harbour.example/"],
    )
    .stdout();

    let sent = queued_events(folder.path());
    let mut events = names(&sent);
    assert_eq!(events.last(), Some(&"site.changed"));
    events.sort_unstable();
    assert_eq!(
        events,
        [
            "post.added",
            "post.added",
            "post.published",
            "site.changed",
            "tag.added"
        ]
    );
    let published = sent.iter().find(|sent| sent.event == "post.published");
    assert_eq!(published.unwrap().current()["html"], "<p>a</p>");
}

#[test]
fn import_without_events_announces_only_the_site() {
    let folder = site_with_webhooks(&EVENTS);
    run_on_data(&folder, &["import", "export.json", "--without-events"]).stdout();

    assert_eq!(names(&queued_events(folder.path())), ["site.changed"]);
}

#[test]
fn repeated_import_announces_nothing() {
    let folder = site_with_webhooks(&EVENTS);
    run_on_data(&folder, &["import", "export.json"]).stdout();
    let first = queued_events(folder.path()).len();
    run_on_data(&folder, &["import", "export.json"]).stdout();

    assert_eq!(queued_events(folder.path()).len(), first);
}

#[test]
fn member_list_announces_members() {
    let folder = site_with_webhooks(&["member.added", "site.changed"]);
    let list = "email,name\na@example.com,A\nb@example.com,B\n";
    fs::write(folder.path().join("members.csv"), list).unwrap();
    run_on_data(&folder, &["import", "members.csv"]).stdout();

    assert_eq!(
        names(&queued_events(folder.path())),
        ["member.added", "member.added"]
    );
}
