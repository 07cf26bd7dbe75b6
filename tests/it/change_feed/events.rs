//! Tests of the change feed as Server-Sent Events.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

use galley::domain::post::PostKind;
use galley_tests::{TestSite, http_client::request, wait::PATIENCE};
use serde_json::Value;

use super::{entry_in_short, post, revision, save, served_site, take_key_away};

/// One event as it was received.
#[derive(Debug, Default, PartialEq)]
struct Event {
    name: String,
    id: Option<String>,
    data: Value,
}

impl Event {
    fn in_short(&self) -> String {
        match self.name.as_str() {
            "change" => entry_in_short(&self.data),
            name => name.to_owned(),
        }
    }
}

/// A client that receives events.
struct EventClient {
    stream: BufReader<TcpStream>,
    text: String,
}

impl EventClient {
    fn start(app: &TestSite, query: &str, headers: &str) -> Self {
        let target = app.content_path(&format!("changes/?{query}"));
        let mut stream = TcpStream::connect(app.address()).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let headers = format!("accept: text/event-stream\r\naccept-encoding: gzip\r\n{headers}");
        let asked = request("GET", &target, &headers);
        stream.write_all(asked.as_bytes()).unwrap();
        let mut client = Self {
            stream: BufReader::new(stream),
            text: String::new(),
        };
        client.check_head();
        assert_eq!(client.block(), "retry: 2000");
        client
    }

    fn check_head(&mut self) {
        assert!(self.line().starts_with("HTTP/1.1 200 "));
        let mut fields = HashMap::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.split_once(": ") else {
                break;
            };
            fields.insert(name.to_owned(), value.to_owned());
        }
        assert_eq!(fields["content-type"], "text/event-stream");
        assert_eq!(fields["access-control-allow-origin"], "*");
        assert!(fields["cache-control"].contains("no-store"));
        assert!(!fields.contains_key("content-encoding"));
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Reads one chunk of the body; `None` at the last chunk, which has length 0.
    fn chunk(&mut self) -> Option<String> {
        let length = usize::from_str_radix(&self.line(), 16).unwrap();
        let mut chunk = vec![0; length + 2];
        self.stream.read_exact(&mut chunk).unwrap();
        chunk.truncate(length);
        (length > 0).then(|| String::from_utf8(chunk).unwrap())
    }

    /// Returns whether no data arrives for this time.
    fn is_quiet_for(&mut self, time: Duration) -> bool {
        self.stream.get_ref().set_read_timeout(Some(time)).unwrap();
        let read = self.stream.fill_buf().map(<[u8]>::len);
        self.stream
            .get_ref()
            .set_read_timeout(Some(PATIENCE))
            .unwrap();
        read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut))
    }

    /// Reads the text up to the next empty line.
    fn block(&mut self) -> String {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                return block;
            }
            let chunk = self.chunk().expect("the event stream has ended");
            self.text.push_str(&chunk);
        }
    }

    /// Reads the next event.
    fn event(&mut self) -> Event {
        let block = self.block();
        let mut event = Event::default();
        for line in block.lines() {
            match line.split_once(": ").unwrap() {
                ("event", name) => event.name = name.to_owned(),
                ("id", id) => event.id = Some(id.to_owned()),
                ("data", data) => event.data = serde_json::from_str(data).unwrap(),
                (other, _) => panic!("unknown field {other}"),
            }
        }
        event
    }

    /// Reads the events up to the next `revision` event, which reports that the client is up to date.
    fn until_current(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            events.push(self.event());
            if events.last().unwrap().name == "revision" {
                return events;
            }
        }
    }

    fn until_current_in_short(&mut self) -> Vec<String> {
        self.until_current().iter().map(Event::in_short).collect()
    }
}

#[test]
fn events_are_sent_as_changes_are_committed() {
    let app = served_site();
    let start = revision(&app);
    let mut client = EventClient::start(&app, &format!("since={start}"), "");
    assert!(client.is_quiet_for(Duration::from_millis(100)));
    save(app.site(), post(PostKind::Post, "first", &[]));
    let events = client.until_current();
    assert_eq!(events[0].in_short(), "published posts first");
    assert_eq!(events[0].id, Some((start + 1).to_string()));
    assert_eq!(events[1].in_short(), "published authors ada");
    assert_eq!(events[2].data["revision"], start + 2);
    save(app.site(), post(PostKind::Post, "second", &[]));
    assert_eq!(
        client.until_current_in_short(),
        ["published posts second", "revision"]
    );
}

#[test]
fn reconnecting_client_resumes_after_its_last_event() {
    let app = served_site();
    let start = revision(&app);
    let mut client = EventClient::start(&app, &format!("since={start}"), "");
    save(app.site(), post(PostKind::Post, "first", &[]));
    let last = client.until_current().pop().unwrap().id.unwrap();
    drop(client);
    save(app.site(), post(PostKind::Post, "second", &[]));
    let mut again = EventClient::start(
        &app,
        &format!("since={start}"),
        &format!("last-event-id: {last}\r\n"),
    );
    assert_eq!(
        again.until_current_in_short(),
        ["published posts second", "revision"]
    );
}

#[test]
fn new_client_gets_all_records_and_can_resume_in_between() {
    let app = served_site();
    for number in 0..250 {
        save(
            app.site(),
            post(PostKind::Post, &format!("post-{number}"), &[]),
        );
    }
    let mut client = EventClient::start(&app, "", "");
    let first = client.event();
    assert_eq!((first.name.as_str(), first.id), ("reset", None));
    let mut received: Vec<String> = (0..120).map(|_| client.event().in_short()).collect();
    let next = client.event();
    received.push(next.in_short());
    drop(client);
    let last = next.id.unwrap();
    let mut again = EventClient::start(&app, "", &format!("last-event-id: {last}\r\n"));
    let rest = again.until_current();
    assert_eq!(rest.last().unwrap().data["revision"], revision(&app));
    received.extend(rest.iter().map(Event::in_short));
    let mut posts: Vec<_> = received
        .iter()
        .filter(|event| event.contains("posts"))
        .collect();
    assert_eq!(posts.len(), 250);
    posts.sort();
    posts.dedup();
    assert_eq!(posts.len(), 250);
}

#[test]
fn unknown_revision_resets_the_stream() {
    let app = served_site();
    let mut client = EventClient::start(&app, "since=99999", "");
    assert_eq!(client.event().name, "reset");
}

#[test]
fn event_stream_ends_when_the_server_stops() {
    let app = served_site();
    let mut client = EventClient::start(&app, &format!("since={}", revision(&app)), "");
    let began = Instant::now();
    drop(app);
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_eq!(
        client.chunk(),
        None,
        "the stream must end with the last chunk"
    );
}

#[test]
fn event_stream_ends_when_the_key_is_revoked() {
    let app = served_site();
    let mut client = EventClient::start(&app, &format!("since={}", revision(&app)), "");
    take_key_away(&app);
    save(app.site(), post(PostKind::Post, "letter", &[]));
    assert_eq!(client.chunk(), None);
}

#[test]
fn malformed_request_is_rejected_before_the_first_event() {
    let app = served_site();
    let headers = "accept: text/event-stream\r\n";
    for (query, more, property) in [
        ("since=x", "", "since"),
        ("", "last-event-id: x\r\n", "Last-Event-ID"),
    ] {
        let response = app.content_with(&format!("changes/?{query}"), &format!("{headers}{more}"));
        assert_eq!(response.status, 422);
        assert_eq!(response.json()["errors"][0]["property"], property);
    }
    let target = "/ghost/api/content/changes/";
    assert_eq!(app.send("GET", target, headers, "").status, 403);
}

#[test]
fn cached_json_is_not_served_to_event_stream_clients() {
    let app = served_site();
    let query = format!("changes/?since={}", revision(&app));
    assert_eq!(app.content(&query).status, 200);
    let mut client = EventClient::start(&app, &format!("since={}", revision(&app)), "");
    assert!(client.is_quiet_for(Duration::from_millis(50)));
    let head = app.send(
        "HEAD",
        &app.content_path(&query),
        "accept: text/event-stream\r\n",
        "",
    );
    assert_eq!(head.header("content-type"), Some("text/event-stream"));
}

#[test]
fn number_of_event_streams_is_limited() {
    let app = TestSite::builder()
        .without_content()
        .option("server.waiting", "1")
        .start();
    let start = revision(&app);
    let _hearer = EventClient::start(&app, &format!("since={start}"), "");
    let refused = app.content_with(
        &format!("changes/?since={start}"),
        "accept: text/event-stream\r\n",
    );
    assert_eq!(refused.status, 503);
    assert!(refused.header("retry-after").is_some());
}
