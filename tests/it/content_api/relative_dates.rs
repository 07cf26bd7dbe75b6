//! Tests of filters with relative dates, with a clock that the test sets. They call the API without a socket.

use std::{fs, sync::Arc};

use galley::{
    api::{
        Api, Options,
        files::FileRoots,
        handler::Handler,
        request::RequestHead,
        response::{Body, Response},
    },
    clock::ManualClock,
    content_files::Reconciler,
    progress::NoProgress,
    site::Site,
    store::memory::MemoryStore,
};
use galley_tests::{
    api_reader::{ApiReader, head},
    test_site::filtered,
};
use http::{HeaderValue, header::ACCEPT_ENCODING};
use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

/// A site with three posts and a clock that the test sets.
pub(super) struct DatedSite {
    reader: ApiReader,
    pub(super) site: Arc<Site>,
    clock: Arc<ManualClock>,
    _folder: TempDir,
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(super) fn site_at(now: &str) -> DatedSite {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("posts")).unwrap();
    for (name, date) in [
        ("spring", "2024-03-31T12:00:00Z"),
        ("leap-day", "2024-02-29T12:00:00Z"),
        ("winter", "2024-01-31T12:00:00Z"),
    ] {
        let post = format!("---\ntitle: {name}\ndate: {date}\n---\nIt was {name}.\n");
        fs::write(folder.path().join(format!("posts/{name}.md")), post).unwrap();
    }
    let clock = Arc::new(ManualClock::new(time(now)));
    let site = Arc::new(Site::open(Box::new(MemoryStore::new()), Arc::clone(&clock) as _).unwrap());
    let mut reconciler = Reconciler::new(Arc::clone(&site), folder.path().to_owned()).unwrap();
    reconciler.run(None, &NoProgress).unwrap();
    let options = Options {
        files: FileRoots::in_data(folder.path()),
        ..Options::default()
    };
    DatedSite {
        reader: ApiReader::new(&site, options),
        site,
        clock,
        _folder: folder,
    }
}

fn json(response: Response) -> Value {
    let Body::Bytes(body) = response.body else {
        panic!("there is no body")
    };
    serde_json::from_slice(&body).unwrap()
}

impl DatedSite {
    pub(super) fn api(&self) -> &Api {
        &self.reader.api
    }

    pub(super) fn head(&self, endpoint: &str) -> RequestHead {
        head(&self.reader.content_path(endpoint))
    }

    /// Returns the header section of a client that accepts gzip.
    pub(super) fn gzip_head(&self, endpoint: &str) -> RequestHead {
        let mut head = self.head(endpoint);
        head.headers
            .insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        head
    }

    /// Sets the clock.
    pub(super) fn set_time(&self, now: &str) {
        self.clock.set(time(now));
    }

    /// Returns the JSON of the inline response, or `None` if the request needs a worker.
    pub(super) fn inline_json(&self, endpoint: &str) -> Option<Value> {
        let response = self.inline_response(endpoint)?;
        assert_eq!(response.status, 200, "{endpoint}");
        Some(json(response))
    }

    pub(super) fn inline_response(&self, endpoint: &str) -> Option<Response> {
        self.reader
            .api
            .respond_from_memory(&self.head(endpoint).head_ref())
            .ok()
    }

    /// Returns the JSON of a worker's response.
    pub(super) fn respond(&self, endpoint: &str) -> Value {
        self.reader.json(endpoint)
    }

    fn slugs(&self, endpoint: &str) -> Vec<String> {
        let inline = self.inline_json(endpoint);
        let reply = inline.unwrap_or_else(|| self.respond(endpoint));
        let posts = reply["posts"]
            .as_array()
            .unwrap_or_else(|| panic!("{endpoint}: {reply}"));
        posts
            .iter()
            .map(|post| post["slug"].as_str().unwrap().to_owned())
            .collect()
    }

    fn found(&self, filter: &str) -> Vec<String> {
        self.slugs(&filtered("posts", filter))
    }
}

#[test]
fn relative_dates_are_counted_back_from_now() {
    let site = site_at("2024-04-01T12:00:00Z");
    for (filter, expected) in [
        ("published_at:>now-1d", &[][..]),
        ("published_at:>=now-1d", &["spring"]),
        ("published_at:>now-25h", &["spring"]),
        ("published_at:>now-32d", &["spring"]),
        ("published_at:>=now-32d", &["spring", "leap-day"]),
        ("published_at:>now-5w", &["spring", "leap-day"]),
        ("published_at:>now-1y", &["spring", "leap-day", "winter"]),
        ("published_at:<now-5w", &["winter"]),
        ("published_at:>now-86401s", &["spring"]),
        ("published_at:>now-1441m", &["spring"]),
        ("published_at:<now+1d", &["spring", "leap-day", "winter"]),
        ("published_at:>now+1d", &[]),
        ("published_at:>now-2d+published_at:<now-0d", &["spring"]),
        ("published_at:>now-2d , slug:winter", &["spring", "winter"]),
        (
            "published_at:>now-4294967295y",
            &["spring", "leap-day", "winter"],
        ),
    ] {
        assert_eq!(site.found(filter), expected, "{filter}");
    }
}

#[test]
fn month_before_the_end_of_a_long_month_is_clamped() {
    let site = site_at("2024-03-31T12:00:00Z");
    assert_eq!(site.found("published_at:now-1M"), ["leap-day"]);
    assert_eq!(site.found("published_at:now-2M"), ["winter"]);
    let site = site_at("2025-02-28T12:00:00Z");
    assert_eq!(site.found("published_at:>now-1y"), ["spring", "leap-day"]);
}

#[test]
fn malformed_relative_dates_are_not_dates() {
    let site = site_at("2024-04-01T12:00:00Z");
    for filter in [
        "published_at:>now",
        "published_at:>now-30",
        "published_at:>now-1x",
    ] {
        let response = site.respond(&filtered("posts", filter));
        assert_eq!(response["errors"][0]["type"], "ValidationError", "{filter}");
    }
    assert_eq!(
        site.found("title:-now-1d"),
        ["spring", "leap-day", "winter"]
    );
}

#[test]
fn relative_date_responses_change_with_time() {
    let site = site_at("2024-04-01T12:00:00Z");
    assert_eq!(site.found("published_at:>now-2d"), ["spring"]);
    site.set_time("2024-04-02T12:00:00Z");
    assert_eq!(site.found("published_at:>now-2d"), [""; 0]);
}

#[test]
fn scheduled_post_is_served_at_its_time() {
    let site = site_at("2024-03-01T12:00:00Z");
    assert_eq!(site.slugs("posts/"), ["leap-day", "winter"]);
    let spring = site
        .site
        .current()
        .catalog
        .posts
        .scheduled()
        .next()
        .unwrap()
        .id;
    let publish = || {
        site.site
            .write(|transaction| transaction.publish_due_posts(&[spring]))
    };
    site.set_time("2024-03-31T11:59:59Z");
    publish().unwrap();
    assert_eq!(site.slugs("posts/"), ["leap-day", "winter"]);
    site.set_time("2024-03-31T12:00:00Z");
    publish().unwrap();
    assert_eq!(site.slugs("posts/"), ["spring", "leap-day", "winter"]);
}
