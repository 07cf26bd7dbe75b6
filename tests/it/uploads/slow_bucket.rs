//! Tests of uploads in a slow bucket: few files are fetched concurrently, each of them once, and local files are served in the
//! meantime.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use galley_tests::{
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse},
    wait_until,
};

const CONTENT: &str = "the content of a file";

/// A bucket with a text under every key. It sends the first half, and the rest when it is released.
#[derive(Default)]
struct SlowBucket {
    /// The number of requests for each key.
    requests: Mutex<BTreeMap<String, usize>>,
    under_way: AtomicUsize,
    is_released: Mutex<bool>,
    released: Condvar,
}

impl SlowBucket {
    /// Returns the bucket, and its URL.
    fn start() -> (Arc<Self>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let bucket = Arc::<Self>::default();
        let serving = Arc::clone(&bucket);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let bucket = Arc::clone(&serving);
                thread::spawn(move || bucket.serve(stream.unwrap()));
            }
        });
        (bucket, url)
    }

    fn serve(&self, mut stream: TcpStream) {
        let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
        let Some(Ok(first)) = lines.next() else {
            return;
        };
        for line in &mut lines {
            if line.is_ok_and(|line| line.is_empty()) {
                break;
            }
        }
        let target = first.split(' ').nth(1).unwrap();
        let path = target.split('?').next().unwrap();
        // The client may have disconnected.
        if target.contains("list-type=2") {
            let list = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>bucket</Name><Prefix></Prefix><KeyCount>0</KeyCount><MaxKeys>1</MaxKeys><IsTruncated>false</IsTruncated></ListBucketResult>";
            let _ = respond(&mut stream, list, "");
            return;
        }
        let mut requests = self.requests.lock().unwrap();
        *requests.entry(path.to_owned()).or_default() += 1;
        drop(requests);
        self.under_way.fetch_add(1, SeqCst);
        let (half, rest) = CONTENT.split_at(CONTENT.len() / 2);
        let _ = respond(&mut stream, half, rest);
        if path.contains("slow") {
            let is_released = self.is_released.lock().unwrap();
            let waited = self.released.wait_while(is_released, |released| !*released);
            drop(waited.unwrap());
        }
        let _ = stream.write_all(rest.as_bytes());
        self.under_way.fetch_sub(1, SeqCst);
    }

    fn release(&self) {
        *self.is_released.lock().unwrap() = true;
        self.released.notify_all();
    }
}

/// Sends the first part of a response. The caller sends the rest.
fn respond(stream: &mut TcpStream, content: &str, rest: &str) -> std::io::Result<()> {
    let length = content.len() + rest.len();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{content}"
    )
}

fn get(address: &str, path: &str) -> HttpResponse {
    let mut client = Client::new(TcpStream::connect(address).unwrap());
    client.send(format!(
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    ));
    client.last_response()
}

#[test]
fn slow_bucket_occupies_few_workers_and_each_file_is_fetched_once() {
    let folder = tempfile::tempdir().unwrap();
    let (bucket, url) = SlowBucket::start();
    let process = GalleyProcess::start(
        folder.path(),
        &[
            ("GALLEY_UPLOADS_BUCKET", "s3://bucket/site"),
            ("GALLEY_UPLOADS_ENDPOINT", &url),
            ("GALLEY_UPLOADS_ACCESS_KEY", "name"),
            ("GALLEY_UPLOADS_SECRET_KEY", "secret"),
        ],
    );
    let address = process.address().to_owned();
    assert_eq!(get(&address, "/content/files/here.txt").text(), CONTENT);
    let ask = |path: String| {
        let address = address.clone();
        thread::spawn(move || get(&address, &path))
    };

    // Ten files, each requested by two readers.
    let mut readers: Vec<_> = (0..20)
        .map(|number| ask(format!("/content/files/slow-{}.txt", number % 10)))
        .collect();
    wait_until("the maximum number of files is fetched", || {
        bucket.under_way.load(SeqCst) == 8
    });
    let begun = Instant::now();
    assert_eq!(get(&address, "/content/files/here.txt").text(), CONTENT);
    assert!(get(&address, "/healthz").status < 300);
    assert!(begun.elapsed() < Duration::from_secs(2));
    // Readers of a file that is being fetched wait; other readers are refused after a while.
    wait_until("four readers are refused", || {
        let done = readers.iter().filter(|reader| reader.is_finished());
        done.count() == 4
    });
    let (refused, waiting): (Vec<_>, Vec<_>) =
        readers.drain(..).partition(|reader| reader.is_finished());
    for reader in refused {
        let response = reader.join().unwrap();
        assert_eq!(response.status, 503);
        assert!(response.header("retry-after").is_some());
    }
    // Further readers are refused without waiting.
    let begun = Instant::now();
    assert_eq!(get(&address, "/content/files/slow-0.txt").status, 503);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(bucket.under_way.load(SeqCst), 8);

    bucket.release();

    for reader in waiting {
        let response = reader.join().unwrap();
        assert_eq!((response.status, response.text()), (200, CONTENT));
    }
    for number in 0..10 {
        let path = format!("/content/files/slow-{number}.txt");
        assert_eq!(get(&address, &path).text(), CONTENT);
    }
    let requests = bucket.requests.lock().unwrap();
    assert_eq!(requests.len(), 11);
    assert!(requests.values().all(|count| *count == 1), "{requests:?}");
}
