//! A simulated internet for tests: names resolve as the test specifies, and pages are at public
//! addresses.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::{IpAddr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use ureq::{
    config::Config,
    http::Uri,
    unversioned::{
        resolver::{ResolvedSocketAddrs, Resolver},
        transport::{ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport},
    },
};

use super::{AllowedAddresses, GuardedResolver};

/// The shared state of the test internet.
#[derive(Clone, Debug)]
pub struct Internet {
    state: Arc<Mutex<InternetState>>,
    /// The single server of all pages.
    server: SocketAddr,
}

#[derive(Debug, Default)]
struct InternetState {
    /// The addresses of each name, in the order of resolutions; the last one is repeated.
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    /// The start of the response and its body, by URL.
    pages: HashMap<String, (String, String)>,
    connections: Vec<IpAddr>,
}

impl Internet {
    /// Creates an internet without names and pages.
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let internet = Self {
            state: Arc::default(),
            server: listener.local_addr().unwrap(),
        };
        let state = Arc::clone(&internet.state);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(&state, &stream);
            }
        });
        internet
    }

    /// Sets the addresses of a name: the first for the first resolution, the second for the next, and
    /// so on.
    pub fn name(&self, name: &str, addresses: &[&str]) {
        let each = addresses.iter().map(|address| vec![parsed(address)]);
        let mut state = self.state.lock().unwrap();
        state.names.insert(name.to_owned(), each.collect());
    }

    /// Sets all addresses of a name.
    pub fn also(&self, name: &str, addresses: &[&str]) {
        let all = addresses.iter().map(|address| parsed(address)).collect();
        let mut state = self.state.lock().unwrap();
        state.names.insert(name.to_owned(), vec![all]);
    }

    /// Sets the page at a URL.
    pub fn page(&self, url: &str, body: &str) {
        self.put(url, "200 OK", body);
    }

    /// Sets a redirect at a URL.
    pub fn redirect(&self, url: &str, to: &str) {
        self.put(url, &format!("302 Found\r\nlocation: {to}"), "");
    }

    fn put(&self, url: &str, start: &str, body: &str) {
        let page = (start.to_owned(), body.to_owned());
        self.state
            .lock()
            .unwrap()
            .pages
            .insert(url.to_owned(), page);
    }

    /// Returns the resolver that refuses private addresses.
    pub fn guarded(&self) -> GuardedResolver<Self> {
        GuardedResolver {
            allowed_addresses: AllowedAddresses::Public,
            resolver: self.clone(),
        }
    }

    /// Returns the connector to the server of this internet, for any address.
    pub fn connector(&self) -> TestConnector {
        TestConnector(self.clone())
    }

    /// Returns the addresses that were connected to.
    pub fn connections(&self) -> Vec<IpAddr> {
        self.state.lock().unwrap().connections.clone()
    }
}

fn parsed(address: &str) -> IpAddr {
    address.parse().unwrap()
}

fn serve(state: &Mutex<InternetState>, stream: &TcpStream) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let fields: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let host = fields.iter().find_map(|line| line.strip_prefix("host: "));
    let url = format!("http://{}{path}", host.unwrap_or_default());
    let page = state.lock().unwrap().pages.get(&url).cloned();
    let (start, body) = page.unwrap_or(("404 Not Found".to_owned(), String::new()));
    let length = body.len();
    let response =
        format!("HTTP/1.1 {start}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    // A client that has disconnected needs no response.
    let _ = (&*stream).write_all(response.as_bytes());
}

impl Resolver for Internet {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut state = self.state.lock().unwrap();
        let addresses = state.names.get_mut(uri.host().unwrap_or_default());
        let addresses = addresses.ok_or(ureq::Error::HostNotFound)?;
        let next = addresses[0].clone();
        if addresses.len() > 1 {
            addresses.remove(0);
        }
        let mut found = self.empty();
        for address in next {
            found.push(SocketAddr::new(address, uri.port_u16().unwrap_or(80)));
        }
        Ok(found)
    }
}

/// Connects to the server of a test internet and records the intended address.
#[derive(Debug)]
pub struct TestConnector(Internet);

impl Connector for TestConnector {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let intended = details.addrs.iter().map(|socket| socket.ip());
        self.0.state.lock().unwrap().connections.extend(intended);
        let mut addrs = self.0.empty();
        addrs.push(self.0.server);
        let details = ConnectionDetails {
            addrs,
            uri: details.uri,
            config: details.config,
            request_level: details.request_level,
            resolver: details.resolver,
            now: details.now,
            timeout: details.timeout,
            current_time: Arc::clone(&details.current_time),
            run_connector: Arc::clone(&details.run_connector),
            register_shutdown: Arc::clone(&details.register_shutdown),
        };
        DefaultConnector::default().connect(&details, chained)
    }
}
