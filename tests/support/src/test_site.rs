//! A running site: the whole program in the process of the test, or in a separate process.
//!
//! ```no_run
//! use galley_tests::test_site::TestSite;
//!
//! let site = TestSite::builder()
//!     .file("posts/tides.md", "---\ntitle: Tides\n---\nHigh water.\n")
//!     .start();
//!
//! assert_eq!(site.slugs("posts/"), ["tides"]);
//! ```

use std::{
    collections::BTreeMap,
    fs,
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::Mutex,
};

use galley::{app::App, site::Site};
use serde_json::{Value, json};
use tempfile::TempDir;
use url::{Url, form_urlencoded};

use crate::{
    admin_token,
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse, send_raw},
    request::{Request, Who, owner},
    site_builder::{SiteBuilder, write},
    smtp_receiver::SmtpReceiver,
};

/// A running site, with the credentials of its users and of one integration. Dropping it stops the server and deletes its
/// folders.
pub struct TestSite {
    pub(crate) server: Server,
    pub(crate) mail: Option<SmtpReceiver>,
    /// The integration whose keys are used in requests.
    pub(crate) integration: Keys,
    /// The cookie of the user with each role, `name=value`.
    pub(crate) cookies: Mutex<BTreeMap<String, String>>,
    /// The staff key of the user with each role, `id:secret`; created on first use.
    pub(crate) staff_keys: Mutex<BTreeMap<String, String>>,
}

/// The server.
pub(crate) enum Server {
    /// In this process, with its folder, which is deleted after the server has stopped.
    InProcess(Box<App>, TempDir),
    /// In another process.
    Separate(GalleyProcess),
}

/// The identifier and the keys of an integration.
#[derive(Default)]
pub(crate) struct Keys {
    /// Its identifier.
    pub id: String,
    /// Its Admin API key, `id:secret`.
    pub admin: String,
    /// Its Content API key.
    pub content: String,
}

impl TestSite {
    /// Returns a builder of a site with an empty content folder.
    pub fn builder() -> SiteBuilder {
        SiteBuilder::new()
    }

    /// Starts a site without content, with its owner and an integration.
    pub fn staffed() -> Self {
        Self::builder().staffed().start()
    }

    pub(crate) fn new(server: Server, mail: Option<SmtpReceiver>) -> Self {
        let mut site = Self {
            server,
            mail,
            integration: Keys::default(),
            cookies: Mutex::default(),
            staff_keys: Mutex::default(),
        };
        if site.mail.is_some() {
            site.add_staff();
        } else {
            let snapshot = site.site().current();
            let integration = snapshot.catalog.integrations().next().unwrap();
            site.integration = Keys {
                id: integration.id.to_string(),
                admin: integration.admin_key_text(),
                content: integration.content_key.secret.to_string(),
            };
        }
        site
    }

    /// Returns the secret of the integration's Content API key.
    pub fn content_key(&self) -> &str {
        &self.integration.content
    }

    /// Returns the integration's Admin API key, `id:secret`.
    pub fn admin_key(&self) -> &str {
        &self.integration.admin
    }

    /// Returns the integration's identifier.
    pub fn integration_id(&self) -> &str {
        &self.integration.id
    }

    /// Returns the mail server; fails unless the site has staff.
    pub fn mail(&self) -> &SmtpReceiver {
        self.mail.as_ref().expect("the site has staff")
    }

    /// Returns the server in this process.
    fn app(&self) -> &App {
        match &self.server {
            Server::InProcess(app, _) => app,
            Server::Separate(_) => panic!("it is served by another process"),
        }
    }

    fn folder(&self) -> &Path {
        match &self.server {
            Server::InProcess(_, folder) => folder.path(),
            Server::Separate(_) => panic!("it is served by another process"),
        }
    }

    /// Returns the process that serves the site.
    pub fn process(&self) -> &GalleyProcess {
        match &self.server {
            Server::InProcess(..) => panic!("it is served by this process"),
            Server::Separate(process) => process,
        }
    }

    /// Returns the site, for changes without the API.
    pub fn site(&self) -> &Site {
        self.app().site()
    }

    /// Returns the listen address for metrics.
    pub fn metrics_address(&self) -> SocketAddr {
        self.app().metrics_address().expect("metrics.listen is set")
    }

    /// Returns the listen address, such as `127.0.0.1:40123`.
    pub fn address(&self) -> String {
        match &self.server {
            Server::InProcess(app, _) => app.address().to_string(),
            Server::Separate(process) => process.address().to_owned(),
        }
    }

    /// Returns the site's public URL without a trailing slash.
    pub fn base(&self) -> String {
        match &self.server {
            Server::InProcess(app, _) => app.site_urls().base().to_owned(),
            Server::Separate(process) => format!("http://{}", process.address()),
        }
    }

    /// Returns the path and query of the link for setting up the site from another machine.
    pub fn setup_link(&self) -> String {
        let url = self.app().setup_url().expect("the site has no owner");
        let url = Url::parse(&url).unwrap();
        format!("{}?{}", url.path(), url.query().unwrap())
    }

    /// Returns the cookie of a browser that has opened that link.
    pub fn setup_cookie(&self) -> String {
        let opened = self.get(&self.setup_link());
        opened.cookies[0].split(';').next().unwrap().to_owned()
    }

    /// Returns the content folder.
    pub fn content_folder(&self) -> PathBuf {
        self.folder().join("content")
    }

    /// Writes a content file while the site is running.
    pub fn write_file(&self, path: &str, content: impl AsRef<[u8]>) {
        write(self.content_folder().join(path), content);
    }

    /// Deletes a content file while the site is running.
    pub fn delete_file(&self, path: &str) {
        fs::remove_file(self.content_folder().join(path)).unwrap();
    }

    /// Returns the diagnostics of the content files.
    pub fn content_problems(&self) -> Vec<String> {
        let report = self.app().content_report();
        let problems = report.problems.iter();
        problems.map(|problem| problem.message.clone()).collect()
    }

    /// Returns the diagnostics as displayed, with file, line and column.
    pub fn content_diagnostics(&self) -> Vec<String> {
        let report = self.app().content_report();
        report.problems.iter().map(ToString::to_string).collect()
    }
}

/// Sends requests.
impl TestSite {
    /// Sends a request to an Admin API endpoint, such as `posts/`: as the owner, or as the integration if the site has
    /// no staff.
    pub fn ask(&self, method: &str, endpoint: &str, body: Option<&Value>) -> HttpResponse {
        let who = match &self.mail {
            Some(_) => owner(),
            None => Who::Integration,
        };
        let request = Request::admin(method, endpoint);
        let request = match body {
            Some(body) => request.json(body),
            None => request,
        };
        self.ask_as(&who, &request)
    }

    /// Returns the JSON of an Admin API endpoint; fails unless the status is 200.
    pub fn read(&self, endpoint: &str) -> Value {
        json_of(&self.ask("GET", endpoint, None), endpoint)
    }

    /// Adds a record of a kind, such as `members`, like [`ask`](Self::ask), and returns it.
    pub fn add(&self, kind: &str, record: Value) -> Value {
        let added = self.ask(
            "POST",
            &format!("{kind}/"),
            Some(&json!({ kind: [record] })),
        );
        assert_eq!(added.status, 201, "{kind}: {}", added.text());
        added.json()[kind][0].take()
    }

    /// Sends a request on a new connection.
    pub fn ask_as(&self, who: &Who, request: &Request) -> HttpResponse {
        let response = self.try_ask_as(who, request);
        response.unwrap_or_else(|| panic!("{} {} gets no response", request.method, request.target))
    }

    /// Sends a request to a server that may be stopping; `None` if the response is not complete.
    pub fn try_ask_as(&self, who: &Who, request: &Request) -> Option<HttpResponse> {
        let mut client = Client::new(TcpStream::connect(self.address()).ok()?);
        client.try_send(self.head(who, request).as_bytes());
        // The server may refuse the request before it has read all of a long body.
        client.try_send(request.body.as_deref().unwrap_or_default());
        client.try_last_response()
    }

    /// Sends a request with the incomplete body `start`. Dropping the result aborts it.
    pub fn begin(&self, who: &Who, request: &Request, start: &str) -> Client {
        let mut client = Client::new(TcpStream::connect(self.address()).unwrap());
        client.send(self.head(who, request) + start);
        client
    }

    fn head(&self, who: &Who, request: &Request) -> String {
        let mut target = request.target.clone();
        if *who == Who::Reader {
            let separator = if target.contains('?') { '&' } else { '?' };
            target.push_str(&format!("{separator}key={}", self.content_key()));
        }
        let mut head = format!("{} {target} HTTP/1.1\r\n", request.method);
        for (name, value) in self.headers(who, request) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head + "\r\n"
    }

    fn headers(&self, who: &Who, request: &Request) -> Vec<(String, String)> {
        let mut headers = vec![
            ("host", self.address()),
            ("connection", "close".to_owned()),
            ("accept-encoding", "identity".to_owned()),
        ];
        let ghost = |key: &str| format!("Ghost {}", admin_token::of_key(key));
        match who {
            Who::Anonymous if request.target.contains("/admin/") => {
                headers.push(("origin", self.base()))
            }
            Who::Anonymous | Who::Reader => {}
            Who::Integration => headers.push(("authorization", ghost(self.admin_key()))),
            Who::StaffToken(role) => headers.push(("authorization", ghost(&self.staff_key(role)))),
            Who::Session(role) => {
                headers.push(("cookie", self.cookie(role)));
                headers.push(("origin", self.base()));
            }
        }
        if let Some(body) = &request.body {
            headers.push(("content-length", body.len().to_string()));
        }
        let is_replaced = |name: &str| {
            let mut own = request.headers.iter();
            own.any(|(own, _)| own.eq_ignore_ascii_case(name))
        };
        let usual = headers
            .into_iter()
            .filter(|(name, value)| !value.is_empty() && !is_replaced(name))
            .map(|(name, value)| (name.to_owned(), value));
        let own = request.headers.iter().filter_map(|(name, value)| {
            let value = value.as_ref().filter(|value| !value.is_empty())?;
            Some((name.clone(), value.clone()))
        });
        usual.chain(own).collect()
    }

    /// Sends a request that must succeed.
    pub fn done(&self, who: &Who, request: Request) -> HttpResponse {
        let response = self.ask_as(who, &request);
        let line = format!("{} {}", request.method, request.target);
        assert!(
            response.status < 300,
            "{line}: {} {}",
            response.status,
            response.text()
        );
        response
    }

    /// Returns the JSON of a GET of an Admin API endpoint, which must succeed.
    pub fn get_as(&self, who: &Who, endpoint: &str) -> Value {
        self.done(who, Request::admin("GET", endpoint)).json()
    }

    /// Returns the JSON of a POST to an Admin API endpoint, which must succeed.
    pub fn post_as(&self, who: &Who, endpoint: &str, body: &Value) -> Value {
        json_or_null(&self.done(who, Request::admin("POST", endpoint).json(body)))
    }

    /// Returns the JSON of a PUT to an Admin API endpoint, which must succeed.
    pub fn put_as(&self, who: &Who, endpoint: &str, body: &Value) -> Value {
        json_or_null(&self.done(who, Request::admin("PUT", endpoint).json(body)))
    }

    /// Sends a request with these header fields, as complete lines, and the fields that HTTP requires.
    pub fn send(&self, method: &str, target: &str, headers: &str, body: &str) -> HttpResponse {
        let length = match body {
            "" => String::new(),
            body => format!("content-length: {}\r\n", body.len()),
        };
        let request = format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}{length}\r\n{body}"
        );
        send_raw(self.address(), request)
    }

    /// Sends a GET of any path, without a key.
    pub fn get(&self, target: &str) -> HttpResponse {
        self.send("GET", target, "", "")
    }

    /// Returns the path of a Content API endpoint with the key, such as `posts/` or `posts/?limit=1`.
    pub fn content_path(&self, endpoint: &str) -> String {
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        let path = self.app().content_api_path();
        format!("{path}/{endpoint}{separator}key={}", self.content_key())
    }

    /// Sends a GET of a Content API endpoint with the key.
    pub fn content(&self, endpoint: &str) -> HttpResponse {
        self.get(&self.content_path(endpoint))
    }

    /// Sends a GET of a Content API endpoint with the key and with header fields, as complete lines.
    pub fn content_with(&self, endpoint: &str, headers: &str) -> HttpResponse {
        self.send("GET", &self.content_path(endpoint), headers, "")
    }

    /// Returns the JSON of a Content API endpoint; fails unless the status is 200.
    pub fn json(&self, endpoint: &str) -> Value {
        json_of(&self.content(endpoint), endpoint)
    }

    /// Returns the slugs of a list, in order.
    pub fn slugs(&self, endpoint: &str) -> Vec<String> {
        self.values(endpoint, "slug")
    }

    /// Returns one field of all records of a list.
    pub fn values(&self, endpoint: &str, field: &str) -> Vec<String> {
        let resource = endpoint.split('/').next().unwrap();
        texts(&self.json(endpoint)[resource], field)
    }

    /// Returns the slugs in a search index, in order.
    pub fn slugs_of_index(&self, resource: &str) -> Vec<String> {
        let index = self.json(&format!("search-index/{resource}/"));
        texts(&index[resource], "slug")
    }
}

fn json_of(response: &HttpResponse, endpoint: &str) -> Value {
    assert_eq!(response.status, 200, "{endpoint}: {}", response.text());
    response.json()
}

fn json_or_null(response: &HttpResponse) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_default()
}

fn texts(records: &Value, field: &str) -> Vec<String> {
    let text = |record: &Value| record[field].as_str().unwrap_or_default().to_owned();
    records.as_array().unwrap().iter().map(text).collect()
}

/// Returns the keys of a record, sorted.
pub fn keys(record: &Value) -> Vec<&str> {
    let record = record.as_object().unwrap();
    let mut keys: Vec<&str> = record.keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Returns the path of a filtered list: `posts/?filter=…`.
pub fn filtered(resource: &str, filter: &str) -> String {
    let filter: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    format!("{resource}/?filter={filter}")
}
