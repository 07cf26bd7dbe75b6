//! Tests that records and webhook events survive kills of the process at random moments: every acknowledged change is stored
//! completely and its event delivered in order, and no change occurs that was not requested.
//!
//! Changes are identified by unique titles and addresses. A change whose response was lost may be committed or not; if it is
//! committed, its event is delivered like any other.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::Path,
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use galley_tests::{
    Request, TestSite, Who,
    random::{TestRandom, rounds},
    request::ADMIN,
    staff::text,
    wait::PATIENCE,
    wait_until,
    webhook_receiver::{Delivery, Reaction, WebhookReceiver},
};
use serde_json::{Value, json};

/// The default number of kills; `tests/endurance/run` sets another one with `GALLEY_ENDURANCE_ROUNDS`.
const ROUNDS: u64 = 25;

/// The number of concurrent writers.
const WRITERS: usize = 3;

/// The number of content files that are written, both while the process runs and while it does not.
const FILES: u64 = 8;

/// The maximum number of changes whose responses are awaited before a process is killed.
const RESPONSES_MAX: u64 = 12;

/// The longest time from the last awaited response until the kill, in milliseconds.
const MORE_MS: u64 = 40;

/// The longest time from a start until the kill of a process that is still starting, in milliseconds.
const START_MS: u64 = 250;

/// The interval, in rounds, at which a starting process is killed, too.
const STARTS_EVERY: u64 = 7;

/// The events to which the webhooks of each receiver subscribe.
const EVENTS: [&str; 4] = ["post.added", "post.edited", "post.deleted", "member.added"];

/// Paths of the receivers. There are two, so that every event is stored once for two webhooks.
const RECEIVERS: [&str; 2] = ["first", "second"];

/// A change: the name of the event, and the unique title or email address of the change.
type ChangeKey = (String, String);

/// The changes that were requested, and those that were acknowledged, in order.
#[derive(Default)]
struct Ledger {
    asked: BTreeSet<ChangeKey>,
    acknowledged: Vec<ChangeKey>,
}

#[test]
fn acknowledged_changes_are_delivered_at_least_once_in_order_across_crashes() {
    let (mut chance, rounds) = (TestRandom::begin(), rounds(ROUNDS));
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("content/posts")).unwrap();
    let receiver = WebhookReceiver::start();
    // A slow receiver makes it likely that a kill interrupts a delivery.
    receiver.react(|delivery| match delivery.body.len() % 3 {
        0 => Reaction::Late(Duration::from_millis(3)),
        _ => Reaction::HttpResponse(200, &[], ""),
    });
    let mut site = TestSite::start_process(folder.path(), false);
    for name in RECEIVERS {
        for event in EVENTS {
            subscribe(&site, &receiver, &format!("{name}/{event}"));
        }
    }
    let ledger = Mutex::new(Ledger::default());
    let mut files = BTreeMap::new();

    for round in 0..rounds {
        if round > 0 {
            site.start_again(folder.path());
            check_stored(&site, &ledger.lock().unwrap(), round - 1);
        }
        let acknowledged = || ledger.lock().unwrap().acknowledged.len() as u64;
        let enough = acknowledged() + chance.below(RESPONSES_MAX);
        let more = Duration::from_millis(chance.below(MORE_MS));
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                let (site, ledger) = (&site, &ledger);
                scope.spawn(move || write(site, ledger, &format!("R{round} W{writer}")));
            }
            let file = chance.below(FILES);
            write_file(folder.path(), file, round, &ledger, &mut files);
            let end = Instant::now() + PATIENCE;
            while acknowledged() < enough && Instant::now() < end {
                thread::sleep(Duration::from_millis(1));
            }
            thread::sleep(more);
            let is_running = site.process().is_running();
            // Writers run until the kill, so it comes before any assertion.
            site.process().kill();
            assert!(is_running, "it ended by itself: {}", site.process().log());
            assert!(acknowledged() >= enough, "too few responses");
        });
        if round % STARTS_EVERY == 0 {
            site.begin_again(folder.path());
            thread::sleep(Duration::from_millis(chance.below(START_MS)));
            let is_running = site.process().is_running();
            assert!(is_running, "it ended by itself: {}", site.process().log());
        }
    }
    site.start_again(folder.path());

    let deliveries = all_deliveries(&site, &receiver, &files);
    let ledger = ledger.into_inner().unwrap();
    for round in 0..rounds {
        check_stored(&site, &ledger, round);
    }
    println!(
        "killed {rounds} times: {} changes acknowledged, {} asked for, {} deliveries",
        ledger.acknowledged.len(),
        ledger.asked.len(),
        deliveries.len()
    );
    assert!(
        ledger.acknowledged.len() > usize::try_from(rounds).unwrap(),
        "too few changes were acknowledged"
    );
    for name in RECEIVERS {
        let of_receiver: Vec<_> = deliveries
            .iter()
            .filter(|delivery| receiver_of(delivery) == name)
            .collect();
        check(&ledger, &files, &of_receiver);
    }
}

fn subscribe(site: &TestSite, receiver: &WebhookReceiver, path: &str) {
    let (_, event) = path.split_once('/').unwrap();
    site.add(
        "webhooks",
        json!({
            "event": event,
            "target_url": format!("{}/{path}", receiver.url()),
            "integration_id": site.integration_id(),
        }),
    );
}

/// Sends one change after another until the process is killed.
fn write(site: &TestSite, ledger: &Mutex<Ledger>, name: &str) {
    for turn in 0.. {
        if write_one(site, ledger, &format!("{name} T{turn}")).is_none() {
            return;
        }
    }
}

/// Adds, edits and deletes a post, and adds a member; `None` as soon as a response is lost.
fn write_one(site: &TestSite, ledger: &Mutex<Ledger>, name: &str) -> Option<()> {
    let mut title = format!("{name} E0");
    let added = json!({"posts": [written(&title)]});
    let mut post = change(
        site,
        ledger,
        ("post.added", &title),
        "POST",
        "posts/",
        &added,
    )?;
    let endpoint = format!("posts/{}/", text(&post["posts"][0]["id"]));
    for edit in 1..=3 {
        title = format!("{name} E{edit}");
        let updated_at = &post["posts"][0]["updated_at"];
        let mut edited = written(&title);
        edited["updated_at"] = updated_at.clone();
        let edited = json!({"posts": [edited]});
        post = change(
            site,
            ledger,
            ("post.edited", &title),
            "PUT",
            &endpoint,
            &edited,
        )?;
    }
    let member = format!("{}@example.com", name.replace(' ', "."));
    let added = json!({"members": [{"email": member}]});
    change(
        site,
        ledger,
        ("member.added", &member),
        "POST",
        "members/",
        &added,
    )?;
    change(
        site,
        ledger,
        ("post.deleted", &title),
        "DELETE",
        &endpoint,
        &Value::Null,
    )?;
    Some(())
}

/// Returns a post with its title in all fields: if they differ, only a part of a change is stored.
fn written(title: &str) -> Value {
    let text = json!({"type": "text", "text": title});
    let paragraph = json!({"type": "paragraph", "children": [text]});
    let lexical = json!({"root": {"type": "root", "children": [paragraph]}});
    json!({"title": title, "custom_excerpt": title, "lexical": lexical.to_string()})
}

/// Checks that the acknowledged changes of `round` exist completely, and nothing that was not requested.
fn check_stored(site: &TestSite, ledger: &Ledger, round: u64) {
    let list = |records: &str, query: &str| {
        let target = format!("/{records}/?limit=100&{query}").replace(' ', "%20");
        let mut listed = site.get_as(&Who::Integration, &target);
        listed[records].take().as_array().unwrap().clone()
    };
    let mut posts = BTreeMap::new();
    for post in list("posts", &format!("formats=html&filter=title:~^'R{round} '")) {
        let title = text(&post["title"]);
        let (name, edit) = title.rsplit_once(" E").unwrap();
        assert_eq!(post["custom_excerpt"], title.as_str());
        assert!(text(&post["html"]).contains(&format!("<p>{title}</p>")));
        let edit: u64 = edit.parse().unwrap();
        let event = if edit == 0 {
            "post.added"
        } else {
            "post.edited"
        };
        let key = (event.to_owned(), title.clone());
        assert!(ledger.asked.contains(&key), "{title} was not requested");
        assert!(
            posts.insert(name.to_owned(), edit).is_none(),
            "{name} exists twice"
        );
    }
    let members = list("members", &format!("filter=email:~^'R{round}.'"));
    let members: BTreeSet<_> = members
        .iter()
        .map(|member| text(&member["email"]))
        .collect();

    let of_round = format!("R{round} ");
    let dotted = format!("R{round}.");
    for (event, name) in &ledger.acknowledged {
        if event == "member.added" && name.starts_with(&dotted) {
            assert!(members.contains(name), "{name} is lost");
        }
        if !name.starts_with(&of_round) {
            continue;
        }
        let (post, edit) = name.rsplit_once(" E").unwrap();
        let is_deletion_asked = ledger
            .asked
            .contains(&("post.deleted".to_owned(), format!("{post} E3")));
        match posts.get(post) {
            Some(_) if event == "post.deleted" => panic!("{post} was deleted and exists"),
            Some(stored) => assert!(*stored >= edit.parse().unwrap(), "{name} is lost"),
            None => assert!(is_deletion_asked, "{name} is lost"),
        }
    }
}

/// Requests one change, and returns the response; `None` if the response is lost.
fn change(
    site: &TestSite,
    ledger: &Mutex<Ledger>,
    (event, name): (&str, &str),
    method: &str,
    endpoint: &str,
    body: &Value,
) -> Option<Value> {
    let key = (event.to_owned(), name.to_owned());
    ledger.lock().unwrap().asked.insert(key.clone());
    let request = Request::new(method, &format!("{ADMIN}/{endpoint}"));
    let request = match body {
        Value::Null => request,
        body => request.json(body),
    };
    let response = site.try_ask_as(&Who::Integration, &request)?;
    assert!(
        response.status < 300,
        "{} {}",
        response.status,
        response.text()
    );
    let response = match method {
        "DELETE" => Value::Null,
        // A truncated response is not an acknowledgement.
        _ => serde_json::from_slice(&response.body).ok()?,
    };
    ledger.lock().unwrap().acknowledged.push(key);
    Some(response)
}

/// Writes a content file atomically, and sets its title in `files`.
fn write_file(
    folder: &Path,
    file: u64,
    round: u64,
    ledger: &Mutex<Ledger>,
    files: &mut BTreeMap<u64, String>,
) {
    let title = format!("File {file} R{round}");
    for event in ["post.added", "post.edited"] {
        let key = (event.to_owned(), title.clone());
        ledger.lock().unwrap().asked.insert(key);
    }
    let text = format!("---\ntitle: {title}\ndate: 2025-01-01\n---\n{title}\n");
    let new = folder.join("new");
    fs::write(&new, text).unwrap();
    fs::rename(new, folder.join(format!("content/posts/file-{file}.md"))).unwrap();
    files.insert(file, title);
}

/// Waits until the queues are empty, and returns all delivered events in order of arrival. Each queue is in order, so it is
/// empty after the event of the last change. Changes of content files have no response, so this waits until their titles are
/// served.
fn all_deliveries(
    site: &TestSite,
    receiver: &WebhookReceiver,
    files: &BTreeMap<u64, String>,
) -> Vec<Delivery> {
    let is_known = |title: &String| {
        let filter = format!("title:'{title}'").replace(' ', "%20");
        // Requests use the integration's key, because the owner signed in at another port.
        let target = format!("/posts/?formats=html&filter={filter}");
        let found = site.get_as(&Who::Integration, &target);
        let found = found["posts"].as_array().unwrap();
        let paragraph = format!("<p>{title}</p>");
        let is_whole = |post: &Value| text(&post["html"]).contains(&paragraph);
        assert!(found.iter().all(is_whole), "a partial file: {found:?}");
        found.len() == 1
    };
    wait_until("the content files are read", || {
        files.values().all(is_known)
    });
    let ledger = Mutex::new(Ledger::default());
    write_one(site, &ledger, "Last").expect("the process is no longer killed");
    let last = ledger.into_inner().unwrap().asked;
    let is_last = |key: &ChangeKey| last.contains(key);

    let mut deliveries = Vec::new();
    let mut seen = BTreeSet::new();
    while seen.len() < last.len() * RECEIVERS.len() {
        let next = receiver.delivery_within(None, PATIENCE);
        let next = next.unwrap_or_else(|| panic!("of {last:?}, only {seen:?} arrived"));
        let key = key(&next);
        if is_last(&key) {
            seen.insert((receiver_of(&next).to_owned(), key));
        } else {
            deliveries.push(next);
        }
    }
    deliveries
}

/// Returns the change that a delivery reports.
fn key(delivery: &Delivery) -> ChangeKey {
    let (_, event) = delivery.target.rsplit_once('/').unwrap();
    let event = event.to_owned();
    let body: Value = serde_json::from_slice(&delivery.body).unwrap();
    let name = match &*event {
        "member.added" => &body["member"]["current"]["email"],
        "post.deleted" => &body["post"]["previous"]["title"],
        _ => &body["post"]["current"]["title"],
    };
    assert!(name.is_string(), "{event}: {body}");
    (event, text(name))
}

/// Returns the receiver of a delivery.
fn receiver_of(delivery: &Delivery) -> &str {
    let path = delivery.target.trim_start_matches('/');
    path.split('/').next().unwrap_or_default()
}

/// Returns the number of a delivery in the sequence of its webhook.
fn number(delivery: &Delivery) -> u64 {
    let (_, number) = delivery.headers["x-galley-delivery"]
        .split_once('-')
        .unwrap();
    number.parse().unwrap()
}

fn check(ledger: &Ledger, files: &BTreeMap<u64, String>, deliveries: &[&Delivery]) {
    let mut bodies: HashMap<&str, &[u8]> = HashMap::new();
    let mut identifiers: HashMap<ChangeKey, &str> = HashMap::new();
    let mut newest: HashMap<&str, u64> = HashMap::new();
    let mut first_deliveries = Vec::new();
    for delivery in deliveries {
        let identifier = delivery.headers["x-galley-delivery"].as_str();
        let body = bodies.entry(identifier).or_insert(&delivery.body);
        assert!(*body == delivery.body, "{identifier} has two bodies");

        let key = key(delivery);
        assert!(ledger.asked.contains(&key), "{key:?} was not requested");
        let known = *identifiers.entry(key.clone()).or_insert(identifier);
        assert_eq!(known, identifier, "{key:?} has two deliveries");

        // A delivery is repeated if a kill came before it was recorded.
        let last = newest.entry(&delivery.target).or_default();
        if number(delivery) > *last {
            *last = number(delivery);
            first_deliveries.push(key);
        }
    }
    let positions: HashMap<&ChangeKey, usize> = first_deliveries
        .iter()
        .enumerate()
        .map(|(position, key)| (key, position))
        .collect();
    assert_eq!(
        positions.len(),
        identifiers.len(),
        "an event was delivered after a later one of its webhook"
    );

    for key in &ledger.acknowledged {
        assert!(positions.contains_key(key), "{key:?} was never delivered");
    }
    for title in files.values() {
        let is_delivered = |event: &str| positions.contains_key(&(event.to_owned(), title.clone()));
        assert!(
            is_delivered("post.added") || is_delivered("post.edited"),
            "{title}"
        );
    }
    // A writer waits for each response, so its events are delivered in the order of its changes.
    let mut last_of: HashMap<(&str, &str), usize> = HashMap::new();
    for key @ (event, name) in &ledger.acknowledged {
        let writer = match name.split_once(" T") {
            Some((writer, _)) => writer,
            None => continue,
        };
        let position = positions[key];
        let last = last_of.insert((event, writer), position);
        assert!(
            last.is_none_or(|last| last < position),
            "{key:?} was delivered too early"
        );
    }
}
