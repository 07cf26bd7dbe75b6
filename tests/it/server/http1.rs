//! Tests of HTTP/1.1.

use std::time::Duration;

use galley_tests::{
    edge_server::{Server, limits},
    http_client::{get, request},
};

#[test]
fn every_method_reaches_the_handler() {
    let server = Server::start(limits());
    let mut client = server.connect();
    for method in [
        "GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW",
    ] {
        client.send(request(method, "/x/", ""));
        let reply = client.respond();
        assert_eq!(reply.status, 200);
        assert_eq!(reply.text(), format!("{method} /x/ host=localhost"));
    }
}

#[test]
fn path_and_query_are_passed_verbatim() {
    let server = Server::start(limits());
    for target in [
        "/a//b/../%41%zz/?key=1&key=2&include[]=tags,authors&filter=",
        "/ü/{}|\"/?q={}|'ü",
        "/?",
        "*",
    ] {
        let reply = server.ask(&request("OPTIONS", target, "")).respond();
        assert_eq!(reply.text(), format!("OPTIONS {target} host=localhost"));
    }
}

#[test]
fn absolute_request_target_supplies_path_and_host() {
    let server = Server::start(limits());
    let reply = server.get("http://example.com/a/?b=c");
    assert_eq!(reply.text(), "GET /a/?b=c host=example.com");
}

#[test]
fn request_without_a_path_is_malformed() {
    let server = Server::start(limits());
    let reply = server
        .ask(&request("CONNECT", "example.com:443", ""))
        .respond();
    assert_eq!(reply.status, 400);
    assert_eq!(reply.header("x-refusal"), Some("Malformed"));
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let server = Server::start(limits());
    let mut client = server.connect();
    for target in ["/memory", "/worker"] {
        client.send(get(target));
        let mut got = client.respond();
        client.send(request("HEAD", target, ""));
        let mut head = client.head();
        got.headers.remove("date");
        head.headers.remove("date");
        assert_eq!(head.status, got.status);
        assert_eq!(head.headers, got.headers);
    }
    client.send(get("/memory"));
    assert_eq!(
        client.respond().text(),
        "from memory",
        "no data between the responses"
    );
}

#[test]
fn response_without_content_has_no_length() {
    let server = Server::start(limits());
    for method in ["GET", "HEAD"] {
        let mut client = server.ask(&request(method, "/nothing", "connection: close\r\n"));
        let reply = client.head();
        assert_eq!(reply.status, 204);
        assert_eq!(reply.header("content-length"), None);
        assert!(client.until_closed().is_empty());
    }
}

#[test]
fn every_response_has_server_and_date() {
    let server = Server::start(limits());
    for target in ["/memory", "/worker", "/panic-in-memory"] {
        let reply = server.get(target);
        assert_eq!(
            reply.header("server"),
            Some(concat!("Galley/", env!("CARGO_PKG_VERSION")))
        );
        assert!(reply.header("date").unwrap().ends_with(" GMT"));
    }
}

#[test]
fn connection_serves_many_requests() {
    let server = Server::start(limits());
    let mut client = server.connect();
    for number in 0..200 {
        let target = if number % 3 == 0 {
            "/worker"
        } else {
            "/memory"
        };
        client.send(get(target));
        assert_eq!(client.respond().status, 200);
    }
}

#[test]
fn pipelined_requests_get_responses_in_order() {
    let server = Server::start(limits());
    let mut client = server.connect();
    let requests: String = (0..50)
        .map(|number| get(&format!("/{number}")) + &get("/memory"))
        .collect();
    client.send(requests);
    for number in 0..50 {
        assert_eq!(
            client.respond().text(),
            format!("GET /{number} host=localhost")
        );
        assert_eq!(client.respond().text(), "from memory");
    }
}

#[test]
fn connection_close_request_closes_after_the_response() {
    let server = Server::start(limits());
    for request in [
        request("GET", "/memory", "connection: close\r\n"),
        "GET /memory HTTP/1.0\r\n\r\n".into(),
    ] {
        let mut client = server.ask(&request);
        assert_eq!(client.respond().text(), "from memory");
        assert!(client.until_closed().is_empty());
    }
}

#[test]
fn body_with_length_or_chunked_arrives_complete() {
    let server = Server::start(limits());
    let mut client = server.connect();
    client.send(request("POST", "/echo", "content-length: 5\r\n") + "hello");
    assert_eq!(client.respond().text(), "hello");
    client.send(
        request("PUT", "/echo", "transfer-encoding: chunked\r\n")
            + "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    );
    assert_eq!(client.respond().text(), "hello");
    client.send(request("POST", "/echo", ""));
    assert_eq!(client.respond().text(), "");
}

#[test]
fn expect_continue_gets_100_before_the_body() {
    let server = Server::start(limits());
    let mut client = server.ask(&request(
        "POST",
        "/echo",
        "content-length: 5\r\nexpect: 100-continue\r\n",
    ));
    assert_eq!(client.head().status, 100);
    client.send("hello");
    assert_eq!(client.respond().text(), "hello");
}

#[test]
fn body_of_a_get_is_ignored() {
    let server = Server::start(limits());
    for target in ["/memory", "/echo"] {
        let reply = server
            .ask(&(request("GET", target, "content-length: 4\r\n") + "body"))
            .respond();
        assert_eq!(reply.status, 200);
        assert_ne!(reply.text(), "body");
    }
}

#[test]
fn non_http_bytes_get_400_and_close() {
    let server = Server::start(limits());
    for garbage in [
        "\x16\x03\x01\x02\x00\x01\x00\x01",
        "GET /\r\n\r\n",
        "GET /?filter=a:>1 HTTP/1.1\r\n\r\n",
        "G@T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\na b: c\r\n\r\n",
    ] {
        let mut client = server.ask(garbage);
        client.close_for_writing();
        let reply = client.until_closed();
        let reply = String::from_utf8_lossy(&reply);
        assert!(
            reply.is_empty() || reply.starts_with("HTTP/1.1 400 "),
            "{garbage:?}: {reply}"
        );
    }
    assert_eq!(server.get("/memory").status, 200);
}

#[test]
fn conflicting_content_lengths_are_rejected() {
    let server = Server::start(limits());
    let smuggled = request(
        "POST",
        "/echo",
        "content-length: 5\r\ncontent-length: 6\r\n",
    ) + "hello!";
    assert_eq!(server.ask(&smuggled).head().status, 400);
}

#[test]
fn ambiguous_framing_is_rejected_and_closes_the_connection() {
    let server = Server::start(limits());
    for fields in [
        "host: elsewhere\r\ncontent-length: 5\r\n",
        "transfer-encoding: chunked\r\ntransfer-encoding: chunked\r\n",
        "transfer-encoding: chunked, chunked\r\n",
        "transfer-encoding: gzip, chunked\r\n",
        "transfer-encoding: identity, chunked\r\n",
        "transfer-encoding: ,chunked\r\n",
    ] {
        let smuggled = request("POST", "/echo", fields) + "0\r\n\r\n" + &get("/memory");
        let mut client = server.ask(&smuggled);
        assert_eq!(client.respond().status, 400, "{fields}");
        // The smuggled request gets no response.
        assert!(client.until_closed().is_empty(), "{fields}");
    }
}

#[test]
fn http_1_1_request_needs_exactly_one_host() {
    let server = Server::start(limits());
    for (method, target) in [("GET", "/memory"), ("GET", "/worker"), ("POST", "/echo")] {
        for hosts in [
            "",
            "host:\r\n",
            "host:  \r\n",
            "host: a\r\nhost: a\r\n",
            "host: a\r\nHOST: b\r\n",
            "host: a b\r\n",
            "host: a, b\r\n",
            "host: a/b\r\n",
            "host: a@b\r\n",
            "host: http://a\r\n",
            "host: \u{fc}.example\r\n",
        ] {
            // A valid request first, so that the fast path for cached responses handles the invalid one.
            let good = get("/memory");
            let refused = format!("{method} {target} HTTP/1.1\r\n{hosts}content-length: 0\r\n\r\n");
            let mut client = server.ask(&format!("{good}{refused}{good}"));
            assert_eq!(client.respond().status, 200);
            let response = client.respond();
            assert_eq!(response.status, 400, "{method} {target} {hosts:?}");
            assert_eq!(response.header("x-refusal"), Some("Host"), "{hosts:?}");
            assert!(client.until_closed().is_empty(), "{hosts:?}");
        }
        for hosts in [
            "host: a\r\n",
            "Host: a.example:80\r\n",
            "host: [::1]:2368\r\n",
            "host: my_site\r\n",
        ] {
            let accepted =
                format!("{method} {target} HTTP/1.1\r\n{hosts}content-length: 0\r\n\r\n");
            assert_eq!(server.ask(&accepted).respond().status, 200, "{hosts:?}");
        }
    }
}

#[test]
fn http_1_0_request_may_omit_but_not_repeat_the_host() {
    let server = Server::start(limits());
    for target in ["/memory", "/worker"] {
        let ask = |hosts: &str| {
            let request = format!("GET {target} HTTP/1.0\r\n{hosts}\r\n");
            server.ask(&request).respond().status
        };
        assert_eq!(ask(""), 200);
        assert_eq!(ask("host: a\r\n"), 200);
        assert_eq!(ask("host: a\r\nhost: b\r\n"), 400);
        assert_eq!(ask("host:\r\n"), 400);
    }
}

#[test]
fn disconnecting_client_does_not_affect_others() {
    let server = Server::start(limits());
    for _ in 0..20 {
        drop(server.ask(&get("/big")));
        drop(server.ask(&(request("POST", "/echo", "content-length: 100\r\n") + "only a part")));
        drop(server.ask("GET /mem"));
    }
    let mut client = server.connect();
    assert!(client.is_open_after(Duration::from_millis(50)));
    client.send(get("/memory"));
    assert_eq!(client.respond().status, 200);
}
