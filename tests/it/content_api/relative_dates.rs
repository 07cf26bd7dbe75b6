//! Tests of filters relative to now, on a clock that the test sets. These tests call the API without a socket.

use std::{fs, net::Ipv4Addr, sync::Arc};

use bytes::Bytes;
use galley::{
    admin_app::AdminApp,
    api::{
        Api, Options,
        admin::members::avatar::MemberAvatars,
        files::FileRoots,
        handler::Handler,
        request::{Request, RequestHead},
        response::{Body, Response},
        site_urls::{SiteUrlSources, SiteUrls},
    },
    clock::ManualClock,
    site::Site,
    sources::{Reconciler, SilentProgress},
    store::memory::MemoryStore,
    uploads::Uploads,
};
use http::{HeaderMap, HeaderValue, Method, header::ACCEPT_ENCODING};
use jiff::Timestamp;
use serde_json::Value;
use tempfile::TempDir;

use crate::app::filtered;

/// A site of three posts, at whatever time its clock shows.
pub(super) struct ClockedSite {
    pub(super) api: Api,
    pub(super) site: Arc<Site>,
    clock: Arc<ManualClock>,
    key: String,
    _folder: TempDir,
}

fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(super) fn site_at(now: &str) -> ClockedSite {
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
    reconciler.run(None, &SilentProgress).unwrap();
    let key = site
        .write(|transaction| transaction.add_integration("Test", None))
        .unwrap();
    let options = Options {
        site_urls: SiteUrlSources {
            operator: None,
            listen: SiteUrls::new("http://127.0.0.1:2368").unwrap(),
        },
        admin_origin: None,
        member_origins: Vec::new(),
        front_end: None,
        admin_app: AdminApp::at("admin-app".into()),
        path_prefix: "ghost".to_owned(),
        files: FileRoots {
            content: None,
            data: folder.path().to_owned(),
            uploads: Uploads::in_data(folder.path()),
        },
        cache_bytes_max: 1 << 20,
        integration_scope: Default::default(),
        search: Default::default(),
        list_limit_max: 100,
        body_bytes_max: 1 << 20,
        upload_bytes_max: 1 << 20,
        image_memory_bytes: 256 << 20,
        device_verification: true,
        member_avatars: MemberAvatars::None,
        has_mail_server: false,
        content: Arc::default(),
        pulls: None,
        outside: None,
        media_reach: galley::outbound::Reach::Public,
    };
    ClockedSite {
        api: Api::new(Arc::clone(&site), options),
        site,
        clock,
        key: key.content_key.secret.to_string(),
        _folder: folder,
    }
}

fn json(response: Response) -> Value {
    let Body::Bytes(body) = response.body else {
        panic!("there is no body")
    };
    serde_json::from_slice(&body).unwrap()
}

impl ClockedSite {
    pub(super) fn head(&self, endpoint: &str) -> RequestHead {
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        let target = format!("/ghost/api/content/{endpoint}{joint}key={}", self.key);
        RequestHead {
            method: Method::GET,
            target: target.parse().unwrap(),
            headers: HeaderMap::new(),
            peer: Ipv4Addr::LOCALHOST.into(),
        }
    }

    /// The same of a client that accepts gzip.
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

    /// What gets a response without a worker, if anything is.
    pub(super) fn reply_at_once(&self, endpoint: &str) -> Option<Value> {
        let response = self.response_at_once(endpoint)?;
        assert_eq!(response.status, 200, "{endpoint}");
        Some(json(response))
    }

    pub(super) fn response_at_once(&self, endpoint: &str) -> Option<Response> {
        self.api
            .respond_from_memory(&self.head(endpoint).head_ref())
            .ok()
    }

    /// What a worker replies.
    pub(super) fn respond(&self, endpoint: &str) -> Value {
        json(self.api.respond_alone(&Request {
            head: self.head(endpoint),
            body: Bytes::new(),
        }))
    }

    fn slugs(&self, endpoint: &str) -> Vec<String> {
        let at_once = self.reply_at_once(endpoint);
        let reply = at_once.unwrap_or_else(|| self.respond(endpoint));
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
            .write(|change| change.publish_those_due(&[spring]))
    };
    site.set_time("2024-03-31T11:59:59Z");
    publish().unwrap();
    assert_eq!(site.slugs("posts/"), ["leap-day", "winter"]);
    site.set_time("2024-03-31T12:00:00Z");
    publish().unwrap();
    assert_eq!(site.slugs("posts/"), ["spring", "leap-day", "winter"]);
}
