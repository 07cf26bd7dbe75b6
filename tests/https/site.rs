//! A site with a certificate from an authority, served by this process.

use std::{
    collections::BTreeMap,
    fs,
    net::{SocketAddr, TcpStream},
    path::PathBuf,
    time::Duration,
};

use galley::{
    app::App,
    certificates::{CertificateReport, CertificateSource},
    config::Config,
    progress::NoProgress,
};
use galley_tests::{
    http_client::{Client, HttpResponse},
    tls_client::{TlsClient, connect, trust},
    wait_until,
};
use rustls::pki_types::CertificateDer;
use tempfile::TempDir;

use crate::pebble::free_address;

/// The names of the site.
pub const NAMES: &str = "example.com,www.example.com";

/// The pause after a failed attempt: short, so that tests do not wait for a minute.
const RETRY_MIN: Duration = Duration::from_secs(1);

/// The addresses of a site, and its folder.
pub struct HttpsSite {
    pub http: SocketAddr,
    pub https: SocketAddr,
    pub folder: TempDir,
}

impl HttpsSite {
    pub fn new() -> Self {
        Self {
            http: free_address(),
            https: free_address(),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Returns the options of a site on this machine, with certificates from `directory`.
    pub fn options(&self, directory: &str, root: &str) -> BTreeMap<&'static str, String> {
        let data = self.data().to_str().unwrap().to_owned();
        BTreeMap::from([
            ("data", data),
            ("content", String::new()),
            ("listen", self.http.to_string()),
            ("domain", NAMES.to_owned()),
            ("tls.listen", self.https.to_string()),
            ("tls.acme_directory", directory.to_owned()),
            ("tls.acme_root", root.to_owned()),
            ("tls.acme_contact", "ada@example.com".to_owned()),
        ])
    }

    /// Serves the site.
    pub fn serve(&self, options: &BTreeMap<&'static str, String>) -> App {
        let mut config = Config::read(options, None).unwrap();
        if let Some(https) = &mut config.https
            && let CertificateSource::Acme(acme) = &mut https.source
        {
            acme.retry_min = RETRY_MIN;
        }
        App::start(config, &NoProgress).unwrap()
    }

    /// Returns the response over http.
    pub fn get_over_http(&self, target: &str) -> HttpResponse {
        self.get_over_http_from("example.com", target)
    }

    /// Returns the response over http from a name of the site.
    pub fn get_over_http_from(&self, name: &str, target: &str) -> HttpResponse {
        let mut client = Client::new(TcpStream::connect(self.http).unwrap());
        client.send(format!("GET {target} HTTP/1.1\r\nhost: {name}\r\n\r\n"));
        client.respond()
    }

    /// Connects over https to a name of the site, whose certificate must have the root `root`.
    pub fn connect(&self, name: &str, root: &str) -> Result<TlsClient, std::io::Error> {
        connect(self.https, name, &trust(root, rustls::DEFAULT_VERSIONS))
    }

    /// Waits until each name has a certificate with the root `root`, and returns the certificate of the first name.
    pub fn wait_for_certificate(&self, root: &str) -> CertificateDer<'static> {
        for name in NAMES.split(',') {
            wait_until("there is a certificate", || {
                self.connect(name, root).is_ok()
            });
        }
        self.certificate(root)
    }

    pub fn certificate(&self, root: &str) -> CertificateDer<'static> {
        self.certificate_of("example.com", root)
    }

    /// Returns the certificate of a name of the site.
    pub fn certificate_of(&self, name: &str, root: &str) -> CertificateDer<'static> {
        let client = self.connect(name, root).unwrap();
        let chain = client.stream.conn.peer_certificates().unwrap();
        chain[0].clone().into_owned()
    }

    /// Returns the stored files and folders with their modes.
    pub fn stored(&self) -> Vec<(String, u32)> {
        use std::os::unix::fs::PermissionsExt;

        let mut stored = Vec::new();
        let mut folders = vec![String::new()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.data().join("certificates").join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let metadata = entry.metadata().unwrap();
                let mut path = format!("{folder}{}", entry.file_name().display());
                if metadata.is_dir() {
                    path.push('/');
                    folders.push(path.clone());
                }
                stored.push((path, metadata.permissions().mode() & 0o777));
            }
        }
        stored.sort();
        stored
    }
}

/// Returns the options of a site whose certificate is in files in its folder.
pub fn options_with_files(site: &HttpsSite) -> BTreeMap<&'static str, String> {
    let file = |name: &str| site.folder.path().join(name).to_str().unwrap().to_owned();
    BTreeMap::from([
        ("data", file("data")),
        ("content", String::new()),
        ("listen", site.http.to_string()),
        ("tls.listen", site.https.to_string()),
        ("tls.cert", file("cert.pem")),
        ("tls.key", file("key.pem")),
    ])
}

/// Waits until the report on the first certificate fulfils a condition, and returns the report.
pub fn wait_for_report(
    app: &App,
    what: &str,
    is_awaited: impl Fn(&CertificateReport) -> bool,
) -> CertificateReport {
    wait_until(what, || is_awaited(&app.certificate_reports()[0]));
    app.certificate_reports().remove(0)
}
