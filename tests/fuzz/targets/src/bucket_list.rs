//! Properties of the listing of a bucket: whatever the service responds, the listing ends, its names are in the
//! response, and the error for an unreadable response contains the name of the bucket.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{LazyLock, Mutex},
    thread,
};

use galley::bucket::{Bucket, BucketErrorKind, BucketOptions};

/// The name of the bucket, and the prefix of its objects.
const BUCKET_PATH: &str = "fuzz/site";

/// An empty page without a continuation.
const LAST_PAGE: &[u8] = b"<?xml version=\"1.0\"?><ListBucketResult></ListBucketResult>";

/// A service that sends `next` as its next response, and empty last pages after it.
struct Service {
    address: SocketAddr,
    next: Mutex<Vec<u8>>,
}

static SERVICE: LazyLock<Service> = LazyLock::new(|| {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for connection in listener.incoming() {
            thread::spawn(move || serve(connection.unwrap()));
        }
    });
    Service {
        address,
        next: Mutex::default(),
    }
});

fn serve(mut connection: TcpStream) {
    let mut reader = BufReader::new(connection.try_clone().unwrap());
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|bytes| bytes > 0) {
        if line == "\r\n" {
            let next = std::mem::take(&mut *SERVICE.next.lock().unwrap());
            let body = if next.is_empty() { LAST_PAGE } else { &next };
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            let response = [head.as_bytes(), body].concat();
            if connection.write_all(&response).is_err() {
                return;
            }
        }
        line.clear();
    }
}

/// Panics unless these properties hold for a response.
pub fn check(input: &[u8]) {
    // The service has one next response, so only one input is checked at a time.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock();
    let options = BucketOptions {
        table: "backup",
        endpoint: Some(format!("http://{}", SERVICE.address).parse().unwrap()),
        region: "here".to_owned(),
        access_key: "key".to_owned(),
        secret_key: "secret".to_owned(),
    };
    let bucket = Bucket::new(BUCKET_PATH, &options).unwrap().impatient();
    *SERVICE.next.lock().unwrap() = input.to_vec();
    match bucket.list("") {
        Ok(objects) => {
            // Each object has a name of at least one byte between two tags.
            assert!(objects.len() <= input.len() / 16);
            let names: usize = objects.iter().map(|object| object.name.len()).sum();
            assert!(names <= input.len());
        }
        Err(error) => {
            assert_ne!(error.kind, BucketErrorKind::Cancelled);
            assert!(error.to_string().contains(BUCKET_PATH), "{error}");
        }
    }
}
