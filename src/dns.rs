//! Queries to name servers, for data that the system's resolver does not return: the TXT records of a name, and the
//! addresses according to a single name server.
//!
//! A query is sent over UDP, and again over TCP if the response does not fit. Each attempt has a time limit. *No query
//! is sent unless a command of the operator needs it. Only this module uses simple-dns.*

use std::{
    fs, io,
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket},
    time::Duration,
};

use simple_dns::{
    CLASS, Name, Packet, PacketFlag, QCLASS, QTYPE, Question, RCODE, TYPE,
    rdata::{OPT, RData},
};
use url::quirks::domain_to_ascii;

/// The file in which the system configures its name servers.
const RESOLVER_FILE: &str = "/etc/resolv.conf";

/// The port of name servers.
const PORT: u16 = 53;

/// Time limit of one attempt at one name server.
const PATIENCE: Duration = Duration::from_secs(3);

/// Maximum number of name servers that are tried, as in the system's resolver.
const SERVERS_MAX: usize = 3;

/// Maximum length of a response over UDP, in bytes, so that no network fragments it.
const DATAGRAM_BYTES: u16 = 1232;

/// Name servers, in the order in which they are tried.
#[derive(Clone, Debug)]
pub struct NameServers(Vec<SocketAddr>);

/// The reason why there is no response to a query.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DnsError {
    /// The text is not a valid host name.
    #[error("{0} is not a valid name")]
    InvalidName(String),
    /// Neither the name nor any name below it exists.
    #[error("{0} does not exist")]
    NoSuchName(String),
    /// The name servers do not respond, or refuse the query.
    #[error("the name server {server} does not respond to a query for {name}: {reason}")]
    NoResponse {
        /// The name server that was tried last.
        server: SocketAddr,
        /// The name.
        name: String,
        /// The reason.
        reason: String,
    },
}

impl NameServers {
    /// Returns the name servers of the system; the local machine if none are configured.
    pub fn of_system() -> Self {
        let text = fs::read_to_string(RESOLVER_FILE).unwrap_or_default();
        let mut servers = named_in(&text);
        servers.truncate(SERVERS_MAX);
        if servers.is_empty() {
            servers.push((Ipv4Addr::LOCALHOST, PORT).into());
        }
        Self(servers)
    }

    /// Returns a single name server, at this address.
    pub fn at(server: SocketAddr) -> Self {
        Self(vec![server])
    }

    /// Returns the TXT records of a name, each joined from its parts; empty if it has none. Records
    /// that are not UTF-8 are skipped.
    ///
    /// # Errors
    ///
    /// If the name is invalid or does not exist, or no name server responds.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, DnsError> {
        let records = self.records(name, TYPE::TXT)?;
        let texts = records.into_iter().filter_map(|record| match record {
            RData::TXT(text) => String::try_from(text).ok(),
            _ => None,
        });
        Ok(texts.collect())
    }

    /// Returns the addresses of a name, IPv4 first; empty if it has none.
    ///
    /// # Errors
    ///
    /// If the name is invalid or does not exist, or no name server responds.
    pub fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, DnsError> {
        let mut addresses = Vec::new();
        for kind in [TYPE::A, TYPE::AAAA] {
            let records = self.records(name, kind)?;
            addresses.extend(records.into_iter().filter_map(|record| match record {
                RData::A(address) => Some(IpAddr::V4(address.into())),
                RData::AAAA(address) => Some(IpAddr::V6(address.into())),
                _ => None,
            }));
        }
        Ok(addresses)
    }

    fn records(&self, name: &str, kind: TYPE) -> Result<Vec<RData<'static>>, DnsError> {
        let invalid = || DnsError::InvalidName(name.to_owned());
        let ascii = domain_to_ascii(name);
        let parsed = Name::new(&ascii).map_err(|_| invalid())?;
        if parsed.get_labels().is_empty() {
            return Err(invalid());
        }
        let (kind, class) = (QTYPE::TYPE(kind), QCLASS::CLASS(CLASS::IN));
        let question = Question::new(parsed, kind, class, false);
        let mut error = invalid();
        for server in &self.0 {
            let reason = match ask(*server, &question) {
                Ok(response) => match response.code {
                    RCODE::NoError => return Ok(response.records),
                    // This is a result. Other codes, such as SERVFAIL, are problems of one server,
                    // so the next one is tried.
                    RCODE::NameError => return Err(DnsError::NoSuchName(name.to_owned())),
                    code => mnemonic(code).to_owned(),
                },
                // The system reports an expired socket timeout as one of these errors.
                Err(failure) => match failure.kind() {
                    io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                        format!("the time limit of {} s is over", PATIENCE.as_secs())
                    }
                    _ => failure.to_string(),
                },
            };
            error = DnsError::NoResponse {
                server: *server,
                name: name.to_owned(),
                reason,
            };
        }
        Err(error)
    }
}

/// The parts of a response that are needed.
struct Response {
    code: RCODE,
    records: Vec<RData<'static>>,
    /// Whether records are missing because they do not fit into a datagram.
    is_truncated: bool,
}

impl Response {
    /// Parses a message; `None` if it is not the response to the request with this number and
    /// question. Both have to match, because anyone can send a datagram with the address of the name
    /// server.
    fn parse(message: &[u8], number: u16, question: &Question) -> Option<Self> {
        let response = Packet::parse(message).ok()?;
        let [asked] = response.questions.as_slice() else {
            return None;
        };
        let is_response = response.has_flags(PacketFlag::RESPONSE)
            && response.id() == number
            && asked.qname == question.qname
            && asked.qtype == question.qtype;
        let is_truncated = response.has_flags(PacketFlag::TRUNCATION);
        let code = response.rcode();
        let records = response.answers.into_iter();
        is_response.then(|| Self {
            code,
            records: records.map(|record| record.rdata.into_owned()).collect(),
            is_truncated,
        })
    }
}

/// Returns the name of an error in DNS tools.
fn mnemonic(code: RCODE) -> &'static str {
    match code {
        RCODE::FormatError => "FORMERR",
        RCODE::ServerFailure => "SERVFAIL",
        RCODE::NotImplemented => "NOTIMP",
        RCODE::Refused => "REFUSED",
        _ => "an unexpected error code",
    }
}

/// Returns the name servers that the lines of a resolver file specify.
fn named_in(text: &str) -> Vec<SocketAddr> {
    let lines = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("nameserver")).then(|| words.next())?
    });
    // A link-local address has its interface after a percent sign, which Rust does not parse.
    let addresses = lines.filter_map(|word| word.parse::<IpAddr>().ok());
    addresses.map(|address| (address, PORT).into()).collect()
}

fn ask(server: SocketAddr, question: &Question) -> io::Result<Response> {
    let number = getrandom::u32()?.to_le_bytes();
    let number = u16::from_le_bytes([number[0], number[1]]);
    let mut request = Packet::new_query(number);
    request.set_flags(PacketFlag::RECURSION_DESIRED);
    request.questions.push(question.clone());
    *request.opt_mut() = Some(OPT {
        opt_codes: Vec::new(),
        udp_packet_size: DATAGRAM_BYTES,
        version: 0,
    });
    let bytes = request.build_bytes_vec().map_err(io::Error::other)?;
    let parse = |message: &[u8]| Response::parse(message, number, question);
    let response = by_udp(server, &bytes, &parse)?;
    if !response.is_truncated {
        return Ok(response);
    }
    parse(&by_tcp(server, &bytes)?)
        .ok_or_else(|| io::Error::other("the response is to another query"))
}

fn by_udp(
    server: SocketAddr,
    request: &[u8],
    parse: &dyn Fn(&[u8]) -> Option<Response>,
) -> io::Result<Response> {
    let own: IpAddr = match server {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let socket = UdpSocket::bind((own, 0))?;
    socket.set_read_timeout(Some(PATIENCE))?;
    // From here on, only datagrams from this name server are received.
    socket.connect(server)?;
    socket.send(request)?;
    let mut buffer = [0; DATAGRAM_BYTES as usize];
    // Each datagram restarts the time limit, so a flood of them is limited by number.
    for _ in 0..8 {
        let length = socket.recv(&mut buffer)?;
        // A late response to another query, or a forged response, is ignored.
        if let Some(response) = parse(&buffer[..length]) {
            return Ok(response);
        }
    }
    Err(io::Error::other("the responses are invalid"))
}

fn by_tcp(server: SocketAddr, request: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    // Over TCP, a message follows its length in two bytes (RFC 1035, section 4.2.2).
    let length = u16::try_from(request.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), request].concat())?;
    let mut length = [0; 2];
    stream.read_exact(&mut length)?;
    let mut response = vec![0; u16::from_be_bytes(length).into()];
    stream.read_exact(&mut response)?;
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_servers_are_those_of_the_lines_that_begin_with_the_word() {
        let text = "# nameserver 9.9.9.9\nsearch example.com\nnameserver 192.0.2.1\n\tnameserver\t2001:db8::1 \n\
                    nameserver fe80::1%eth0\nnameserver\n";
        let expected: Vec<SocketAddr> = ["192.0.2.1:53", "[2001:db8::1]:53"]
            .map(|text| text.parse().unwrap())
            .into();
        assert_eq!(named_in(text), expected);
    }
}
