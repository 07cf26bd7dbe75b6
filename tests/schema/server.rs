//! The program, serving the sample site from a temporary data folder.

use galley_tests::{
    galley_process::GalleyProcess,
    http_client::{HttpResponse, request, send_raw},
};
use tempfile::TempDir;

use crate::in_repository;

/// A running server. It is stopped and its data deleted when it is dropped.
pub struct Server {
    process: GalleyProcess,
    _folder: TempDir,
}

impl Server {
    /// Serves `content/` from a new data folder, on a free port.
    pub fn of_the_sample_site() -> Self {
        Self::with_options("")
    }

    /// Serves the sample site with options in `galley.toml`.
    pub fn with_options(options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("galley.toml"), options).unwrap();
        let content = in_repository("content").display().to_string();
        Self {
            process: GalleyProcess::serve(&folder, &["--content", &content]),
            _folder: folder,
        }
    }

    /// Returns the response to a GET of a path below `/ghost/api`, with a key if the query has none.
    pub fn get(&self, path: &str) -> HttpResponse {
        if path.contains("key=") {
            return self.get_as_it_is(path, "");
        }
        let separator = if path.contains('?') { '&' } else { '?' };
        let key = self.process.content_key();
        self.get_as_it_is(&format!("{path}{separator}key={key}"), "")
    }

    /// Sets the site up with an owner, signs in, and returns the cookie.
    pub fn set_up_owner(&self) -> String {
        let owner = r#"{"setup":[{"name":"Ada","email":"ada@example.com","password":"Sup3r-secret-pw!","blogTitle":"Letters"}]}"#;
        self.post("/admin/authentication/setup/", owner);
        let credentials = r#"{"username":"ada@example.com","password":"Sup3r-secret-pw!"}"#;
        let signed_in = self.post("/admin/session/", credentials);
        signed_in.cookies[0].split(';').next().unwrap().to_owned()
    }

    /// Returns the response to a POST of JSON to a path below `/ghost/api`.
    fn post(&self, path: &str, json: &str) -> HttpResponse {
        let address = self.process.address();
        let length = json.len();
        send_raw(
            address,
            format!(
                "POST /ghost/api{path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\n\
                 content-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{json}"
            ),
        )
    }

    /// Returns the response to a GET of a path below `/ghost/api`; `headers` are lines with their line breaks.
    pub fn get_as_it_is(&self, path: &str, headers: &str) -> HttpResponse {
        self.get_at(&format!("/ghost/api{path}"), headers)
    }

    /// Returns the response to a GET of a path of the site; `headers` are lines with their line breaks.
    pub fn get_at(&self, path: &str, headers: &str) -> HttpResponse {
        let headers = format!("connection: close\r\n{headers}");
        send_raw(self.process.address(), request("GET", path, &headers))
    }
}
