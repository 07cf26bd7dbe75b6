//! Runs the whole program in this process: with a content folder written by the test, a new data folder and a free port.

use std::{
    collections::BTreeMap,
    fs,
    net::TcpStream,
    path::{Path, PathBuf},
    sync::Arc,
};

use galley::{
    app::{self, App, OpenSite},
    config::{Config, OPTIONS},
    control::{self, Command, ControlContext, Reply},
    import,
    server::Limits,
    site::Site,
    sources::SilentProgress,
};
use serde_json::Value;
use tempfile::TempDir;
use url::{Url, form_urlencoded};

use crate::{
    http_client::{Client, HttpResponse},
    test_database::database_of,
};

/// A running site. Dropping it stops the server and deletes its folders.
pub struct TestApp {
    // Stops before its folders go.
    app: App,
    key: String,
    folder: TempDir,
}

/// Configures a site before it is started.
pub struct Builder {
    folder: TempDir,
    url: Option<String>,
    export: Option<PathBuf>,
    has_content: bool,
    options: BTreeMap<&'static str, String>,
}

/// Ignores progress.
struct NoProgress;

impl import::Progress for NoProgress {
    fn advance(&self, _done: u64, _total: u64) {}
}

impl Builder {
    /// Writes a content file.
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(self.folder.path().join("content").join(path), content);
        self
    }

    /// Writes an upload, below the data folder.
    pub fn upload(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(self.folder.path().join("data").join(path), content);
        self
    }

    /// Sets the site's public URL.
    pub fn url(mut self, url: &str) -> Self {
        self.url = Some(url.to_owned());
        self
    }

    /// Serves without a content folder.
    #[allow(dead_code, reason = "some tests are about content files")]
    pub fn without_content(mut self) -> Self {
        self.has_content = false;
        self
    }

    /// Sets an option of the operator by its key in `galley.toml`.
    #[allow(dead_code, reason = "some tests go with what is set by itself")]
    pub fn option(mut self, key: &'static str, value: &str) -> Self {
        let known = OPTIONS.iter().any(|option| option.key == key);
        assert!(known, "there is nothing called {key} to set");
        self.options.insert(key, value.to_owned());
        self
    }

    /// Imports an export, as `galley import` does, and starts without a content folder.
    #[allow(dead_code, reason = "only the recordings use it")]
    pub fn export(mut self, path: &Path) -> Self {
        self.export = Some(path.to_owned());
        self
    }

    /// Reads the content and starts the server.
    pub fn start(self) -> TestApp {
        let config = config(&self);
        if let Some(export) = &self.export {
            import_into(&config, export);
        }
        let app = App::start(config, &SilentProgress).unwrap();
        let snapshot = app.site().current();
        let integration = snapshot.catalog.integrations().next().unwrap();
        let key = integration.content_key.secret.to_string();
        TestApp {
            key,
            app,
            folder: self.folder,
        }
    }
}

fn config(builder: &Builder) -> Config {
    let content = builder.folder.path().join("content");
    fs::create_dir_all(&content).unwrap();
    let data = builder.folder.path().join("data");
    let store_url = database_of(&data);
    let mut options = builder.options.clone();
    if store_url.is_some() {
        let uploads = || data.display().to_string();
        options.entry("uploads.folder").or_insert_with(uploads);
    }
    let read = Config::read(&options, None).unwrap();
    Config {
        store_url,
        data,
        content: (builder.has_content && builder.export.is_none()).then_some(content),
        listen: "127.0.0.1:0".parse().unwrap(),
        url: builder.url.clone(),
        limits: Limits {
            threads: 1,
            ..read.limits.clone()
        },
        ..read
    }
}

fn import_into(config: &Config, export: &Path) {
    let open = OpenSite::open(config).unwrap();
    let subject = ControlContext {
        pulls: None,
        backups: None,
        site: Arc::clone(&open.site),
        content: Arc::default(),
        certificates: None,
        setup_link: None,
        site_urls: app::address_sources(config).unwrap(),
        data: config.data.clone(),
        uploads: config.uploads(),
        content_folder: config.content.clone(),
        path_prefix: config.path_prefix.clone(),
        front_end: None,
        image_memory_bytes: config.image_memory_bytes,
    };
    let import = Command::Import {
        path: export.to_owned(),
        dry_run: false,
        url: None,
        without_events: false,
        history: false,
        content_files: Default::default(),
        email_auth_secret: None,
    };
    let reply = control::execute(&subject, &import, &NoProgress);
    assert!(matches!(reply, Reply::Imported(_)), "{reply:?}");
}

fn write(path: PathBuf, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

impl TestApp {
    /// Returns a builder of a site without content.
    pub fn builder() -> Builder {
        Builder {
            folder: tempfile::tempdir().unwrap(),
            url: None,
            export: None,
            has_content: true,
            options: BTreeMap::new(),
        }
    }

    /// Returns the secret of the site's Content API key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Returns the Admin API key of the same integration, `id:secret`.
    pub fn admin_key(&self) -> String {
        let snapshot = self.app.site().current();
        let integration = snapshot.catalog.integrations().next().unwrap();
        integration.admin_key_text()
    }

    /// Returns the site, for changes without the API.
    pub fn site(&self) -> &Site {
        self.app.site()
    }

    /// Returns the address of its metrics.
    #[allow(dead_code, reason = "some tests read metrics")]
    pub fn metrics_address(&self) -> std::net::SocketAddr {
        self.app.metrics_address().expect("metrics.listen is set")
    }

    /// Returns the listen address, such as `127.0.0.1:40123`.
    pub fn address(&self) -> String {
        self.app.address().to_string()
    }

    /// Returns the site's public URL without a trailing slash.
    pub fn base(&self) -> String {
        self.app.site_urls().base().to_owned()
    }

    /// Returns path and query of the link with which the site is set up from other machines.
    pub fn setup_link(&self) -> String {
        let url = self.app.setup_url().expect("the site has no owner");
        let url = Url::parse(&url).unwrap();
        format!("{}?{}", url.path(), url.query().unwrap())
    }

    /// Returns the cookie that a browser has once it has opened that link.
    pub fn setup_cookie(&self) -> String {
        let opened = self.get(&self.setup_link());
        opened.cookies[0].split(';').next().unwrap().to_owned()
    }

    /// Returns the content folder.
    pub fn content_folder(&self) -> PathBuf {
        self.folder.path().join("content")
    }

    /// Writes a content file while the site is running.
    pub fn write_file(&self, path: &str, content: impl AsRef<[u8]>) {
        write(self.content_folder().join(path), content);
    }

    /// Returns the diagnostics of the content files.
    #[allow(dead_code, reason = "some tests are about other things")]
    pub fn content_problems(&self) -> Vec<String> {
        let report = self.app.content_report();
        let problems = report.problems.iter();
        problems.map(|problem| problem.message.clone()).collect()
    }

    /// Returns the diagnostics as displayed, with file, line and column.
    #[allow(dead_code, reason = "some tests are about other things")]
    pub fn content_diagnostics(&self) -> Vec<String> {
        let report = self.app.content_report();
        report.problems.iter().map(ToString::to_string).collect()
    }

    /// Deletes a content file while the site is running.
    pub fn delete_file(&self, path: &str) {
        fs::remove_file(self.content_folder().join(path)).unwrap();
    }

    /// Sends a request on a new connection. `headers` are complete lines.
    pub fn ask(&self, method: &str, target: &str, headers: &str, body: &str) -> HttpResponse {
        let mut client = Client::new(TcpStream::connect(self.app.address()).unwrap());
        let length = match body {
            "" => String::new(),
            body => format!("content-length: {}\r\n", body.len()),
        };
        client.send(format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}{length}\r\n{body}"
        ));
        client.last_response()
    }

    /// Sends a GET of any path, without a key.
    pub fn get(&self, target: &str) -> HttpResponse {
        self.ask("GET", target, "", "")
    }

    /// Returns the path of a Content API endpoint with the key, such as `posts/` or `posts/?limit=1`.
    pub fn content_path(&self, endpoint: &str) -> String {
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        let path = self.app.content_api_path();
        format!("{path}/{endpoint}{joint}key={}", self.key)
    }

    /// Sends a GET of a Content API endpoint with the key.
    pub fn content(&self, endpoint: &str) -> HttpResponse {
        self.get(&self.content_path(endpoint))
    }

    /// Sends a GET with the key and with header fields, as complete lines.
    pub fn content_with(&self, endpoint: &str, headers: &str) -> HttpResponse {
        self.ask("GET", &self.content_path(endpoint), headers, "")
    }

    /// Returns the JSON of a Content API endpoint; fails unless the status is 200.
    pub fn json(&self, endpoint: &str) -> Value {
        let response = self.content(endpoint);
        assert_eq!(response.status, 200, "{endpoint}: {}", response.text());
        response.json()
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
        texts(
            &self.json(&format!("search-index/{resource}/"))[resource],
            "slug",
        )
    }
}

fn texts(records: &Value, field: &str) -> Vec<String> {
    let text = |record: &Value| record[field].as_str().unwrap_or_default().to_owned();
    records.as_array().unwrap().iter().map(text).collect()
}

/// Returns the keys of a record, sorted.
pub fn keys(record: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = record
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

/// Returns the path of a filtered list: `posts/?filter=…`.
pub fn filtered(resource: &str, filter: &str) -> String {
    let filter: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    format!("{resource}/?filter={filter}")
}
