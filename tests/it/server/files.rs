//! Tests of file responses, and of ranges.

use std::io::Write;

use galley_tests::{
    edge_server::{LAST_CHANGE, Server, limits},
    http_client::{HttpResponse, get, request},
};
use tempfile::NamedTempFile;

fn server_with_file(content: &[u8]) -> (Server, NamedTempFile) {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(content).unwrap();
    let server = Server::start(limits());
    *server.paths.file.lock().unwrap() = Some(file.path().to_owned());
    (server, file)
}

fn get_file(server: &Server, headers: &str) -> HttpResponse {
    server.ask(&request("GET", "/file", headers)).respond()
}

#[test]
fn file_longer_than_a_chunk_arrives_complete() {
    let content: Vec<u8> = (0..5_000_000_u32)
        .map(|number| (number * 31 / 7) as u8)
        .collect();
    let (server, _file) = server_with_file(&content);
    let mut client = server.connect();
    for _ in 0..2 {
        client.send(get("/file"));
        let response = client.respond();
        assert_eq!(response.status, 200);
        assert_eq!(response.header("accept-ranges"), Some("bytes"));
        assert!(response.body == content);
    }
}

#[test]
fn head_of_a_file_has_its_length() {
    let (server, _file) = server_with_file(b"0123456789");
    let mut client = server.ask(&request("HEAD", "/file", "range: bytes=2-3\r\n"));
    let response = client.head();
    assert_eq!(response.status, 200, "ranges apply only to GET");
    assert_eq!(response.header("content-length"), Some("10"));
    client.send(get("/memory"));
    assert_eq!(client.respond().text(), "from memory");
}

#[test]
fn empty_file_is_an_empty_response() {
    let (server, _file) = server_with_file(b"");
    let response = get_file(&server, "");
    assert_eq!(
        (response.status, response.header("content-length")),
        (200, Some("0"))
    );
}

#[test]
fn range_of_a_file_is_served_partially() {
    let (server, _file) = server_with_file(b"0123456789");
    for (range, part, name) in [
        ("bytes=2-4", "234", "bytes 2-4/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"),
        ("bytes=0-99", "0123456789", "bytes 0-9/10"),
    ] {
        let response = get_file(&server, &format!("range: {range}\r\n"));
        assert_eq!(response.status, 206, "{range}");
        assert_eq!(response.text(), part, "{range}");
        assert_eq!(response.header("content-range"), Some(name));
    }
}

#[test]
fn range_deep_in_a_large_file_is_served_partially() {
    let content: Vec<u8> = (0..1_000_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let (server, _file) = server_with_file(&content);
    let response = get_file(&server, "range: bytes=500000-799999\r\n");
    assert!(response.body == content[500_000..800_000]);
}

#[test]
fn range_beyond_the_end_is_416() {
    let (server, _file) = server_with_file(b"0123456789");
    let response = get_file(&server, "range: bytes=10-\r\n");
    assert_eq!((response.status, response.text()), (416, ""));
    assert_eq!(response.header("content-range"), Some("bytes */10"));
}

#[test]
fn multiple_or_malformed_ranges_get_the_whole_file() {
    let (server, _file) = server_with_file(b"0123456789");
    for range in ["bytes=0-1,4-5", "bytes=x", "pages=1-2"] {
        let response = get_file(&server, &format!("range: {range}\r\n"));
        assert_eq!((response.status, response.text()), (200, "0123456789"));
    }
}

#[test]
fn range_of_another_version_gets_the_whole_file() {
    let (server, _file) = server_with_file(b"0123456789");
    let status_if = |version: &str| {
        get_file(
            &server,
            &format!("range: bytes=2-4\r\nif-range: {version}\r\n"),
        )
        .status
    };
    assert_eq!(status_if("\"v1\""), 206);
    assert_eq!(status_if(LAST_CHANGE), 206);
    assert_eq!(status_if("\"v0\""), 200);
    assert_eq!(status_if("W/\"v1\""), 200);
    assert_eq!(status_if("Sat, 04 Jan 2025 10:00:01 GMT"), 200);
}

#[test]
fn matching_validator_gets_304() {
    let (server, _file) = server_with_file(b"0123456789");
    for condition in [
        "if-none-match: \"v1\"",
        "if-none-match: W/\"v1\"",
        "if-none-match: \"v0\", \"v1\"",
        "if-none-match: *",
        &format!("if-modified-since: {LAST_CHANGE}"),
    ] {
        let mut client = server.ask(&request(
            "GET",
            "/file",
            &format!("{condition}\r\nconnection: close\r\n"),
        ));
        let response = client.head();
        assert_eq!(response.status, 304, "{condition}");
        assert_eq!(response.header("etag"), Some("\"v1\""));
        assert!(client.until_closed().is_empty());
    }
}

#[test]
fn stale_validator_gets_the_file() {
    let (server, _file) = server_with_file(b"0123456789");
    let both = format!("if-none-match: \"v0\"\r\nif-modified-since: {LAST_CHANGE}\r\n");
    for condition in [
        "if-none-match: \"v0\"\r\n",
        "if-modified-since: Sat, 04 Jan 2020 10:00:00 GMT\r\n",
        &both,
    ] {
        assert_eq!(get_file(&server, condition).status, 200, "{condition}");
    }
}

#[test]
fn file_shrinking_during_transfer_closes_the_connection() {
    let (server, file) = server_with_file(&vec![b'x'; 30_000_000]);
    let mut client = server.ask(&get("/file"));
    assert_eq!(client.head().header("content-length"), Some("30000000"));
    file.as_file().set_len(1000).unwrap();
    assert!(client.until_closed().len() < 30_000_000);
    assert_eq!(server.get("/memory").status, 200);
}
