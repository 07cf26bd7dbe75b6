//! The whole program in this process: a content folder that the test writes, a new data folder, a free port.

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
    sources::Silent,
};
use serde_json::Value;
use tempfile::TempDir;
use url::form_urlencoded;

use crate::http_client::{Answer, Client};

/// A site that is being served; dropping it stops it and deletes its folders.
pub struct TestApp {
    // Stops before its folders go.
    app: App,
    key: String,
    folder: TempDir,
}

/// A site before it is served.
pub struct Builder {
    folder: TempDir,
    url: Option<String>,
    export: Option<PathBuf>,
    has_content: bool,
    options: BTreeMap<&'static str, String>,
}

/// Nobody is told how far an import has come.
struct Untold;

impl import::Progress for Untold {
    fn advance(&self, _done: u64, _total: u64) {}
}

impl Builder {
    /// Writes a content file.
    pub fn file(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(self.folder.path().join("content").join(path), content);
        self
    }

    /// Writes a file as if it had been uploaded: below the data folder.
    pub fn upload(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        write(self.folder.path().join("data").join(path), content);
        self
    }

    /// Sets the site's public address.
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

    /// Has an export imported, as `galley import` does, and serves that without a content folder.
    #[allow(dead_code, reason = "only the recordings use it")]
    pub fn export(mut self, path: &Path) -> Self {
        self.export = Some(path.to_owned());
        self
    }

    /// Reads the content and serves it.
    pub fn start(self) -> TestApp {
        let config = config(&self);
        if let Some(export) = &self.export {
            import_into(&config, export);
        }
        let app = App::start(config, &Silent).unwrap();
        let edition = app.site().current();
        let integration = edition.catalog.integrations().next().unwrap();
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
    let read = Config::read(&builder.options, None).unwrap();
    Config {
        data: builder.folder.path().join("data"),
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
        site: Arc::clone(&open.site),
        content: Arc::default(),
        site_urls: app::address_sources(config).unwrap(),
        data: config.data.clone(),
        content_folder: config.content.clone(),
        path_prefix: config.path_prefix.clone(),
        image_memory_bytes: config.image_memory_bytes,
    };
    let import = Command::Import {
        path: export.to_owned(),
        dry_run: false,
        url: None,
        without_events: false,
        history: false,
    };
    let reply = control::execute(&subject, &import, &Untold);
    assert!(matches!(reply, Reply::Imported(_)), "{reply:?}");
}

fn write(path: PathBuf, content: impl AsRef<[u8]>) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
}

impl TestApp {
    /// A site without content.
    pub fn builder() -> Builder {
        Builder {
            folder: tempfile::tempdir().unwrap(),
            url: None,
            export: None,
            has_content: true,
            options: BTreeMap::new(),
        }
    }

    /// The secret of the site's Content API key.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The Admin API key of the same integration, `id:secret`.
    pub fn admin_key(&self) -> String {
        let edition = self.app.site().current();
        let integration = edition.catalog.integrations().next().unwrap();
        integration.admin_key_text()
    }

    /// The site itself, for what is done to it from within.
    pub fn site(&self) -> &Site {
        self.app.site()
    }

    /// Where its figures are told.
    #[allow(dead_code, reason = "some tests look at figures")]
    pub fn metrics_address(&self) -> std::net::SocketAddr {
        self.app.metrics_address().expect("metrics.listen is set")
    }

    /// Where it listens, such as `127.0.0.1:40123`.
    pub fn address(&self) -> String {
        self.app.address().to_string()
    }

    /// The site's public address, without a slash at its end.
    pub fn base(&self) -> String {
        self.app.site_urls().base().to_owned()
    }

    /// Where the content files are.
    pub fn content_folder(&self) -> PathBuf {
        self.folder.path().join("content")
    }

    /// Writes a content file while the site is being served.
    pub fn write_file(&self, path: &str, content: impl AsRef<[u8]>) {
        write(self.content_folder().join(path), content);
    }

    /// What is wrong with the content files.
    #[allow(dead_code, reason = "some tests are about other things")]
    pub fn content_problems(&self) -> Vec<String> {
        let report = self.app.content_report();
        let problems = report.problems.iter();
        problems.map(|problem| problem.message.clone()).collect()
    }

    /// The same as they are shown, with file, line and column.
    #[allow(dead_code, reason = "some tests are about other things")]
    pub fn content_diagnostics(&self) -> Vec<String> {
        let report = self.app.content_report();
        report.problems.iter().map(ToString::to_string).collect()
    }

    /// Deletes a content file while the site is being served.
    pub fn delete_file(&self, path: &str) {
        fs::remove_file(self.content_folder().join(path)).unwrap();
    }

    /// Sends one request on a connection of its own; `headers` are lines with their line breaks.
    pub fn ask(&self, method: &str, target: &str, headers: &str, body: &str) -> Answer {
        let mut client = Client::new(TcpStream::connect(self.app.address()).unwrap());
        let length = match body {
            "" => String::new(),
            body => format!("content-length: {}\r\n", body.len()),
        };
        client.send(format!(
            "{method} {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}{length}\r\n{body}"
        ));
        client.last_answer()
    }

    /// GET of any path, without a key.
    pub fn get(&self, target: &str) -> Answer {
        self.ask("GET", target, "", "")
    }

    /// The path of a Content API endpoint with the key, such as `posts/` or `posts/?limit=1`.
    pub fn content_path(&self, endpoint: &str) -> String {
        let joint = if endpoint.contains('?') { '&' } else { '?' };
        let path = self.app.content_api_path();
        format!("{path}/{endpoint}{joint}key={}", self.key)
    }

    /// GET of a Content API endpoint with the key.
    pub fn content(&self, endpoint: &str) -> Answer {
        self.get(&self.content_path(endpoint))
    }

    /// The same with header fields, each with its line break.
    pub fn content_with(&self, endpoint: &str, headers: &str) -> Answer {
        self.ask("GET", &self.content_path(endpoint), headers, "")
    }

    /// What a Content API endpoint answers; fails unless it is 200.
    pub fn json(&self, endpoint: &str) -> Value {
        let answer = self.content(endpoint);
        assert_eq!(answer.status, 200, "{endpoint}: {}", answer.text());
        answer.json()
    }

    /// The slugs that a list shows, in its order.
    pub fn slugs(&self, endpoint: &str) -> Vec<String> {
        self.values(endpoint, "slug")
    }

    /// One field of all records that a list shows.
    pub fn values(&self, endpoint: &str, field: &str) -> Vec<String> {
        let resource = endpoint.split('/').next().unwrap();
        texts(&self.json(endpoint)[resource], field)
    }

    /// The slugs in one of the search indexes, in its order.
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

/// The keys of a record, in the order of the alphabet.
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

/// A list of a resource narrowed by a filter: `posts/?filter=…`.
pub fn filtered(resource: &str, filter: &str) -> String {
    let filter: String = form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    format!("{resource}/?filter={filter}")
}
