//! A repository host over HTTP on this machine: git's own CGI program behind a small server.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use data_encoding::BASE64;

/// Serves the repositories below a folder as long as the test runs.
pub struct Host {
    port: u16,
    is_away: Arc<AtomicBool>,
}

impl Host {
    /// Serves the repositories in `folder`, to all clients or to those with `token`.
    pub fn serve(folder: &Path, token: Option<&str>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let is_away = Arc::new(AtomicBool::new(false));
        let expected = token.map(|token| {
            format!(
                "Basic {}",
                BASE64.encode(format!("x-access-token:{token}").as_bytes())
            )
        });
        let (folder, away) = (folder.to_owned(), Arc::clone(&is_away));
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if away.load(Ordering::SeqCst) {
                    continue;
                }
                let (folder, expected) = (folder.clone(), expected.clone());
                thread::spawn(move || respond(connection, &folder, expected.as_deref()));
            }
        });
        Self { port, is_away }
    }

    /// The address of the repository with this name.
    pub fn url(&self, name: &str) -> String {
        format!("http://127.0.0.1:{}/{name}", self.port)
    }

    /// Closes every connection at once, as long as it `is_away`.
    pub fn set_away(&self, is_away: bool) {
        self.is_away.store(is_away, Ordering::SeqCst);
    }
}

/// Answers one request; git's program gets it as a CGI program does. What goes wrong, the client tells.
fn respond(mut connection: TcpStream, folder: &PathBuf, expected: Option<&str>) {
    let mut reader = BufReader::new(connection.try_clone().expect("a second handle"));
    let mut line = String::new();
    reader.read_line(&mut line).expect("a request");
    let mut words = line.split_whitespace();
    let (Some(method), Some(target)) = (words.next(), words.next()) else {
        return;
    };
    let mut fields = Vec::new();
    loop {
        let mut field = String::new();
        reader.read_line(&mut field).expect("a field");
        let Some((name, value)) = field.trim_end().split_once(": ") else {
            break;
        };
        fields.push((name.to_lowercase(), value.to_owned()));
    }
    let field = |name: &str| {
        let found = fields.iter().find(|(own, _)| own == name);
        found.map_or("", |(_, value)| value.as_str())
    };
    if expected.is_some_and(|expected| field("authorization") != expected) {
        let refusal = "HTTP/1.1 401 Unauthorized\r\nwww-authenticate: Basic realm=\"git\"\r\n\
            content-length: 0\r\nconnection: close\r\n\r\n";
        connection
            .write_all(refusal.as_bytes())
            .expect("the response is sent");
        return;
    }
    let mut body = vec![0; field("content-length").parse().unwrap_or(0)];
    reader.read_exact(&mut body).expect("the body");
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let mut program = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .envs([
            ("REQUEST_METHOD", method),
            ("PATH_INFO", path),
            ("QUERY_STRING", query),
        ])
        .env("CONTENT_TYPE", field("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", field("content-encoding"))
        .env("GIT_PROTOCOL", field("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("git runs");
    program
        .stdin
        .take()
        .expect("a pipe")
        .write_all(&body)
        .expect("git reads");
    let output = program.wait_with_output().expect("git answers").stdout;
    let end = output
        .windows(4)
        .position(|part| part == b"\r\n\r\n")
        .expect("a header")
        + 4;
    let header = String::from_utf8_lossy(&output[..end]);
    let status = header
        .lines()
        .find_map(|line| line.strip_prefix("Status: "))
        .unwrap_or("200 OK");
    let length = output.len() - end;
    let start = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n");
    // A client that has what it wants may be gone.
    let _ = connection
        .write_all(start.as_bytes())
        .and_then(|()| connection.write_all(&output));
}
