//! Tests of HTTP/2.

use std::time::Duration;

use bytes::Bytes;
use galley::server::Limits;
use galley_tests::edge_server::{BIG_BYTES, Server, limits};
use h2::client::{Builder, SendRequest};
use http::{HeaderMap, Request, StatusCode};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

const SHORT: Duration = Duration::from_millis(300);

/// A timeout that is long enough to connect and send a request on a busy machine.
const AMPLE: Duration = Duration::from_secs(2);

fn run(limits: Limits, test: impl AsyncFnOnce(&mut Server)) {
    let mut server = Server::start(limits);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let test = async { timeout(Duration::from_secs(30), test(&mut server)).await };
    runtime.block_on(test).unwrap();
}

type Driver = JoinHandle<Result<(), h2::Error>>;

async fn connect_with(server: &Server, builder: &Builder) -> (SendRequest<Bytes>, Driver) {
    let stream = TcpStream::connect(server.address).await.unwrap();
    let (requests, connection) = builder.handshake(stream).await.unwrap();
    (requests, tokio::spawn(connection))
}

async fn connect(server: &Server) -> (SendRequest<Bytes>, Driver) {
    connect_with(server, &Builder::new()).await
}

fn request(method: &str, path: &str) -> Request<()> {
    Request::builder()
        .method(method)
        .uri(format!("http://example.com{path}"))
        .body(())
        .unwrap()
}

async fn ask(
    requests: &mut SendRequest<Bytes>,
    request: Request<()>,
    body: Option<Bytes>,
) -> Result<(StatusCode, HeaderMap, Vec<u8>), h2::Error> {
    let mut ready = requests.clone().ready().await?;
    let (response, mut upload) = ready.send_request(request, body.is_none())?;
    if let Some(body) = body {
        upload.send_data(body, true)?;
    }
    let (head, mut body) = response.await?.into_parts();
    let mut whole = Vec::new();
    while let Some(data) = body.data().await {
        let data = data?;
        body.flow_control().release_capacity(data.len())?;
        whole.extend_from_slice(&data);
    }
    Ok((head.status, head.headers, whole))
}

async fn get(requests: &mut SendRequest<Bytes>, path: &str) -> (StatusCode, HeaderMap, Vec<u8>) {
    ask(requests, request("GET", path), None).await.unwrap()
}

#[test]
fn http2_with_prior_knowledge_is_served() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let (status, headers, body) = get(&mut requests, "/memory").await;
        assert_eq!(
            (status, body.as_slice()),
            (StatusCode::OK, &b"from memory"[..])
        );
        assert_eq!(
            headers["server"],
            concat!("Galley/", env!("CARGO_PKG_VERSION"))
        );
        assert_eq!(headers["content-length"], "11");
        assert!(headers.contains_key("date"));
        let (_, _, body) = get(&mut requests, "/x/?a=b").await;
        assert_eq!(body, b"GET /x/?a=b host=example.com");
    });
}

#[test]
fn http2_bodies_arrive_complete_both_ways() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let sent = Bytes::from(vec![b'b'; 900_000]);
        let (status, _, body) = ask(
            &mut requests,
            request("POST", "/upload"),
            Some(sent.clone()),
        )
        .await
        .unwrap();
        assert_eq!(status, StatusCode::OK);
        assert!(body == sent);
    });
}

#[test]
fn head_sends_no_data() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let (_, headers, body) = ask(&mut requests, request("HEAD", "/memory"), None)
            .await
            .unwrap();
        assert_eq!(headers["content-length"], "11");
        assert!(body.is_empty());
    });
}

#[test]
fn slow_request_does_not_block_others_on_its_connection() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let (slow, _) = requests
            .send_request(request("GET", "/gate"), true)
            .unwrap();
        for path in ["/memory", "/worker", "/panic-on-worker"] {
            get(&mut requests, path).await;
        }
        server.paths.open_gate();
        assert_eq!(slow.await.unwrap().status(), StatusCode::OK);
    });
}

#[test]
fn large_response_respects_flow_control() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let (_, _, body) = get(&mut requests, "/big").await;
        assert_eq!(body.len(), BIG_BYTES);
    });
}

#[test]
fn http2_requests_have_the_limits_of_http1() {
    run(
        Limits {
            target_bytes_max: 100,
            headers_bytes_max: 1000,
            body_bytes_max: 1000,
            ..limits()
        },
        async |server| {
            let (mut requests, _driver) = connect(server).await;
            let status = |response: (StatusCode, HeaderMap, Vec<u8>)| response.0;
            assert_eq!(
                status(get(&mut requests, &format!("/{}", "a".repeat(100))).await),
                414
            );
            let mut large = request("GET", "/memory");
            large
                .headers_mut()
                .insert("x", "v".repeat(1000).parse().unwrap());
            assert_eq!(status(ask(&mut requests, large, None).await.unwrap()), 431);
            let body = Some(Bytes::from_static(&[b'b'; 1001]));
            assert_eq!(
                status(
                    ask(&mut requests, request("POST", "/echo"), body)
                        .await
                        .unwrap()
                ),
                413
            );
            assert_eq!(status(get(&mut requests, "/memory").await), 200);
        },
    );
}

#[test]
fn header_fields_far_over_the_limit_are_431() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let mut huge = request("GET", "/memory");
        huge.headers_mut()
            .insert("x", "v".repeat(100_000).parse().unwrap());
        let response = ask(&mut requests, huge, None).await;
        assert!(response.map_or(true, |(status, _, _)| status == 431));
        assert_eq!(server.get("/memory").status, 200);
    });
}

#[test]
fn settings_announce_max_concurrent_streams() {
    run(
        Limits {
            http2_streams_max: 7,
            ..limits()
        },
        async |server| {
            let (mut requests, _driver) = connect(server).await;
            get(&mut requests, "/memory").await;
            assert_eq!(requests.current_max_send_streams(), 7);
        },
    );
}

#[test]
fn rapid_reset_closes_the_connection_and_others_are_served() {
    run(
        Limits {
            workers: 2,
            ..limits()
        },
        async |server| {
            let (mut requests, driver) = connect(server).await;
            get(&mut requests, "/memory").await;
            for _ in 0..10_000 {
                let Ok((_, mut stream)) = requests.send_request(request("GET", "/worker"), true)
                else {
                    break;
                };
                stream.send_reset(h2::Reason::CANCEL);
                tokio::task::yield_now().await;
            }
            assert!(
                driver.await.unwrap().is_err(),
                "rapid resets close the connection"
            );
            let (mut requests, _driver) = connect(server).await;
            assert_eq!(get(&mut requests, "/worker").await.0, StatusCode::OK);
        },
    );
}

#[test]
fn client_that_does_not_read_its_response_is_closed() {
    run(
        Limits {
            write_timeout: SHORT,
            ..limits()
        },
        async |server| {
            let (mut requests, driver) = connect(server).await;
            let (response, _) = requests.send_request(request("GET", "/big"), true).unwrap();
            let _window_is_never_opened = response.await.unwrap();
            assert!(timeout(Duration::from_secs(5), driver).await.is_ok());
        },
    );
}

#[test]
fn idle_connection_is_closed_but_not_one_awaiting_a_response() {
    run(
        Limits {
            idle_timeout: AMPLE,
            headers_timeout: AMPLE,
            ..limits()
        },
        async |server| {
            let (mut idle, idle_driver) = connect(server).await;
            get(&mut idle, "/memory").await;
            let (mut waiting, _driver) = connect(server).await;
            let (response, _) = waiting.send_request(request("GET", "/gate"), true).unwrap();
            assert!(timeout(Duration::from_secs(5), idle_driver).await.is_ok());
            sleep(AMPLE).await;
            server.paths.open_gate();
            assert_eq!(response.await.unwrap().status(), StatusCode::OK);
        },
    );
}

#[test]
fn connection_without_a_request_after_the_preface_is_closed() {
    run(
        Limits {
            headers_timeout: AMPLE,
            ..limits()
        },
        async |server| {
            let (_requests, driver) = connect(server).await;
            assert!(timeout(Duration::from_secs(5), driver).await.is_ok());
        },
    );
}

#[test]
fn requests_in_flight_are_finished_when_the_server_stops() {
    run(limits(), async |server| {
        let (mut requests, driver) = connect(server).await;
        let (response, _) = requests
            .send_request(request("GET", "/gate"), true)
            .unwrap();
        get(&mut requests, "/memory").await;
        server.begin_to_stop();
        sleep(Duration::from_millis(100)).await;
        server.paths.open_gate();
        let (head, mut body) = response.await.unwrap().into_parts();
        assert_eq!(head.status, StatusCode::OK);
        assert!(body.data().await.unwrap().is_ok());
        drop(requests);
        driver.await.unwrap().unwrap();
        server.wait_for_end();
    });
}

#[test]
fn one_connection_serves_long_poll_stream_and_request_concurrently() {
    run(limits(), async |server| {
        let (mut requests, _driver) = connect(server).await;
        let later = {
            let mut requests = requests.clone();
            tokio::spawn(async move { ask(&mut requests, request("GET", "/later"), None).await })
        };
        let mut ready = requests.clone().ready().await.unwrap();
        let (live, _) = ready.send_request(request("GET", "/live"), true).unwrap();
        let mut live = live.await.unwrap().into_body();
        let (status, _, body) = ask(&mut requests, request("GET", "/worker"), None)
            .await
            .unwrap();
        assert_eq!((status, &*body), (StatusCode::OK, &b"from a worker"[..]));
        sleep(SHORT).await;
        assert!(!later.is_finished());

        server.paths.notify(3);
        let piece = live.data().await.unwrap().unwrap();
        assert_eq!(&*piece, b"notified 3\n");
        let (status, _, body) = later.await.unwrap().unwrap();
        assert_eq!(status, StatusCode::OK);
        assert!(body.starts_with(b"GET /later"), "{body:?}");

        server.begin_to_stop();
        while let Some(end) = live.data().await {
            assert!(end.unwrap().is_empty(), "the stream ends without an error");
        }
    });
}
