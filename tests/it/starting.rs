//! Tests that clients of a starting server get a 503 with the reason, and then the site, on the same sockets.

use std::{
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Stdio},
    sync::{Arc, Condvar, Mutex},
    thread,
};

use galley_tests::{
    command_line::{free_address, galley, response_to},
    folder::post,
    wait_until,
};

use crate::repository::{
    host::Host,
    origin::{Origin, site_of},
};

/// A proxy in front of a repository host that holds connections until it is opened.
struct SlowHost {
    address: SocketAddr,
    gate: Arc<(Mutex<bool>, Condvar)>,
}

impl SlowHost {
    /// Starts a proxy for the host at `target`.
    fn before(target: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let gate = Arc::<(Mutex<bool>, Condvar)>::default();
        let shared = Arc::clone(&gate);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let (gate, target) = (Arc::clone(&shared), target.clone());
                thread::spawn(move || {
                    let (is_open, opened) = &*gate;
                    let is_open = is_open.lock().unwrap();
                    drop(opened.wait_while(is_open, |is_open| !*is_open).unwrap());
                    let host = TcpStream::connect(target).unwrap();
                    let (mut from, mut to) =
                        (client.try_clone().unwrap(), host.try_clone().unwrap());
                    thread::spawn(move || io::copy(&mut from, &mut to));
                    // Either side may close the connection at any time.
                    let _ = io::copy(&mut &host, &mut &client);
                    let _ = client.shutdown(std::net::Shutdown::Both);
                });
            }
        });
        Self { address, gate }
    }

    fn open(&self) {
        let (is_open, opened) = &*self.gate;
        *is_open.lock().unwrap() = true;
        opened.notify_all();
    }
}

/// A process that is killed when it is dropped.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

#[test]
fn clients_get_503_with_the_reason_until_the_site_is_open() {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let host = Host::serve(origin.top(), None);
    let url = host.url("site.git");
    let (address, _) = url.trim_start_matches("http://").split_once('/').unwrap();
    let slow = SlowHost::before(address.to_owned());
    let folder = site_of(&format!("http://{}/site.git", slow.address), 3600, "");
    let [own, metrics] = [free_address(), free_address()];
    let serve = ["serve", "--data", "data", "--listen", &own];
    let mut command = galley(&folder, &serve);
    let path = std::env::var("PATH").unwrap();
    command
        .env("PATH", path)
        .env("GALLEY_METRICS_LISTEN", &metrics)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let _process = Process(command.spawn().unwrap());

    wait_until("the server listens", || TcpStream::connect(&own).is_ok());
    for (address, path) in [
        (&own, "/"),
        (&own, "/healthz"),
        (&own, "/ghost/api/admin/site/"),
        (&metrics, "/metrics"),
    ] {
        let response = response_to(address, path);
        assert_eq!(response.status, 503, "{path}");
        assert_eq!(response.header("retry-after"), Some("5"));
        assert!(
            response.text().contains("is being opened"),
            "{}",
            response.text()
        );
    }

    slow.open();
    wait_until("the site is open", || {
        response_to(&own, "/healthz").status == 200
    });
    assert_eq!(response_to(&own, "/first/").status, 200);
    assert_eq!(response_to(&metrics, "/metrics").status, 200);
}
