//! Tests of a process that was paused, by a signal or with its machine, while clients disconnected.

use std::net::TcpStream;

use galley_tests::{
    admin_token, command_line::run_on_data, galley_process::GalleyProcess, http_client::Client,
};
use rustix::process::{Signal, kill_process};

/// Sends a post without waiting for the response, and returns the client.
fn publish(process: &GalleyProcess, key: &str, title: &str) -> Client {
    let body = format!(r#"{{"posts": [{{"title": "{title}", "status": "published"}}]}}"#);
    let mut client = Client::new(TcpStream::connect(process.address()).unwrap());
    client.send(format!(
        "POST /ghost/api/admin/posts/ HTTP/1.1\r\nhost: localhost\r\nauthorization: Ghost {}\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        admin_token::of_key(key),
        body.len()
    ));
    client
}

#[test]
fn request_is_not_executed_if_its_client_disconnected_before_it_was_read() {
    let folder = tempfile::tempdir().unwrap();
    let made = run_on_data(&folder, &["key", "create", "--name", "Test", "--json"]).json();
    let key = made["admin_key"].as_str().unwrap();
    let process = GalleyProcess::start(folder.path(), &[]);
    kill_process(process.pid(), Signal::STOP).unwrap();
    for number in 0..50 {
        drop(publish(&process, key, &format!("Not awaited {number}")));
    }
    let mut waiting = publish(&process, key, "Awaited");
    kill_process(process.pid(), Signal::CONT).unwrap();
    assert_eq!(waiting.respond().status, 201);
    for number in 0..10 {
        let response = publish(&process, key, &format!("Later {number}")).respond();
        assert_eq!(response.status, 201);
    }
    let titles = process.titles();
    assert_eq!(titles.len(), 11, "{titles:?}");
}
