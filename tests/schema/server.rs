//! The program, serving the sample site from a temporary data folder.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::in_repository;

/// A server that is running; dropping it ends it and deletes its data.
pub struct Server {
    process: Child,
    address: String,
    /// A Content API key.
    pub key: String,
    _data: TempDir,
}

/// One response.
pub struct Response {
    pub status: u16,
    pub body: String,
}

impl Response {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }
}

impl Server {
    /// Serves `content/` as a fresh clone does, at a port that the system chooses.
    pub fn of_the_sample_site() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_galley"))
            .env_clear()
            .current_dir(data.path())
            .args([
                "serve",
                "--data",
                "data",
                "--listen",
                "127.0.0.1:0",
                "--content",
            ])
            .arg(in_repository("content"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut behind = |mark: &str| {
            let line = lines
                .by_ref()
                .map(Result::unwrap)
                .find(|line| line.contains(mark))
                .unwrap_or_else(|| panic!("the server does not say \"{mark}\""));
            line.split_once(mark).unwrap().1.to_owned()
        };
        let url = behind(" is at http://");
        let key = behind("Content API key: ");
        // The greeting is taken to its end, or the server would write into a closed pipe.
        behind("Ctrl-C stops it");
        Self {
            process,
            address: url.trim_end_matches('/').to_owned(),
            key,
            _data: data,
        }
    }

    /// GET of a path below `/ghost/api`, with a key when the query has none.
    pub fn get(&self, path: &str) -> Response {
        let joint = if path.contains('?') { '&' } else { '?' };
        if path.contains("key=") {
            self.get_as_it_is(path, "")
        } else {
            self.get_as_it_is(&format!("{path}{joint}key={}", self.key), "")
        }
    }

    /// Gives the site an owner, who signs in: the cookie.
    pub fn set_up_owner(&self) -> String {
        let owner = r#"{"setup":[{"name":"Ada","email":"ada@example.com","password":"Sup3r-secret-pw!","blogTitle":"Letters"}]}"#;
        self.post("/admin/authentication/setup/", owner);
        let credentials = r#"{"username":"ada@example.com","password":"Sup3r-secret-pw!"}"#;
        let signed_in = self.post("/admin/session/", credentials);
        let cookie = signed_in
            .lines()
            .find_map(|line| line.strip_prefix("set-cookie: "))
            .unwrap_or_else(|| panic!("{signed_in}"));
        cookie.split(';').next().unwrap().to_owned()
    }

    /// POST of JSON to a path below `/ghost/api`: the whole response as text.
    fn post(&self, path: &str, json: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "POST /ghost/api{path} HTTP/1.1\r\nhost: {0}\r\norigin: http://{0}\r\ncontent-type: application/json\r\n\
             content-length: {1}\r\nconnection: close\r\n\r\n{json}",
            self.address,
            json.len()
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// GET of a path below `/ghost/api`; `headers` are lines with their line breaks.
    pub fn get_as_it_is(&self, path: &str, headers: &str) -> Response {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(
            stream,
            "GET /ghost/api{path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}\r\n"
        )
        .unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Response {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            body: body.to_owned(),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Best effort: a server that has ended already leaves nothing to do.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
