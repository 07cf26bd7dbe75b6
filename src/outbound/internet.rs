//! An Internet for tests: names that lead where the test says, and pages at addresses that are for everybody.

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

use super::{Guarded, Reach};

/// What all that is made of it share.
#[derive(Clone, Debug)]
pub struct Internet {
    known: Arc<Mutex<Known>>,
    /// One server has the pages of all hosts.
    server: SocketAddr,
}

#[derive(Debug, Default)]
struct Known {
    /// What each name leads to the next time and after that; the last stays.
    names: HashMap<String, Vec<Vec<IpAddr>>>,
    /// The start of the response, and its body, by URL.
    pages: HashMap<String, (String, String)>,
    connections: Vec<IpAddr>,
}

impl Internet {
    /// One without names and pages.
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let internet = Self {
            known: Arc::default(),
            server: listener.local_addr().unwrap(),
        };
        let known = Arc::clone(&internet.known);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(&known, &stream);
            }
        });
        internet
    }

    /// Has a name lead to the first of these addresses, then to the second, and so on.
    pub fn name(&self, name: &str, addresses: &[&str]) {
        let each = addresses.iter().map(|address| vec![parsed(address)]);
        let mut known = self.known.lock().unwrap();
        known.names.insert(name.to_owned(), each.collect());
    }

    /// Has a name lead to all of these addresses.
    pub fn also(&self, name: &str, addresses: &[&str]) {
        let all = addresses.iter().map(|address| parsed(address)).collect();
        let mut known = self.known.lock().unwrap();
        known.names.insert(name.to_owned(), vec![all]);
    }

    /// Puts a page at a URL.
    pub fn page(&self, url: &str, body: &str) {
        self.put(url, "200 OK", body);
    }

    /// Has a URL lead to another one.
    pub fn redirect(&self, url: &str, to: &str) {
        self.put(url, &format!("302 Found\r\nlocation: {to}"), "");
    }

    fn put(&self, url: &str, start: &str, body: &str) {
        let page = (start.to_owned(), body.to_owned());
        self.known
            .lock()
            .unwrap()
            .pages
            .insert(url.to_owned(), page);
    }

    /// What looks names up and refuses private addresses.
    pub fn guarded(&self) -> Guarded<Self> {
        Guarded {
            reach: Reach::Public,
            resolver: self.clone(),
        }
    }

    /// What connects to the server of this Internet, whatever the address.
    pub fn connector(&self) -> Cables {
        Cables(self.clone())
    }

    /// The addresses that were connected to.
    pub fn connections(&self) -> Vec<IpAddr> {
        self.known.lock().unwrap().connections.clone()
    }
}

fn parsed(address: &str) -> IpAddr {
    address.parse().unwrap()
}

fn serve(known: &Mutex<Known>, stream: &TcpStream) {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let first = lines.next().unwrap_or_default();
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let fields: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
    let host = fields.iter().find_map(|line| line.strip_prefix("host: "));
    let url = format!("http://{}{path}", host.unwrap_or_default());
    let page = known.lock().unwrap().pages.get(&url).cloned();
    let (start, body) = page.unwrap_or(("404 Not Found".to_owned(), String::new()));
    let length = body.len();
    let response =
        format!("HTTP/1.1 {start}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}");
    // A client that is gone needs no response.
    let _ = (&*stream).write_all(response.as_bytes());
}

impl Resolver for Internet {
    fn resolve(
        &self,
        uri: &Uri,
        _: &Config,
        _: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let mut known = self.known.lock().unwrap();
        let addresses = known.names.get_mut(uri.host().unwrap_or_default());
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

/// Connects to the server of an Internet and notes the address that was meant.
#[derive(Debug)]
pub struct Cables(Internet);

impl Connector for Cables {
    type Out = Box<dyn Transport>;

    fn connect(
        &self,
        details: &ConnectionDetails,
        chained: Option<()>,
    ) -> Result<Option<Self::Out>, ureq::Error> {
        let meant = details.addrs.iter().map(|socket| socket.ip());
        self.0.known.lock().unwrap().connections.extend(meant);
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
