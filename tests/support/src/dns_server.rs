//! A name server on loopback with the records of a test.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, UdpSocket},
    sync::{Arc, Mutex},
    thread,
};

use simple_dns::{
    CLASS, CharacterString, Name, Packet, PacketFlag, RCODE, ResourceRecord,
    rdata::{RData, TXT},
};

/// Maximum length of a UDP response, in bytes: longer ones are truncated, as by old servers.
const DATAGRAM_BYTES: usize = 512;

/// Serves records by UDP and TCP on one port, until the process ends.
pub struct DnsServer {
    address: SocketAddr,
    records: Records,
}

type Records = Arc<Mutex<Vec<(String, RData<'static>)>>>;

impl DnsServer {
    /// Starts a server without records.
    pub fn start() -> Self {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = tcp.local_addr().unwrap();
        let udp = UdpSocket::bind(address).unwrap();
        let records = Records::default();
        let of_udp = Arc::clone(&records);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok((length, client)) = udp.recv_from(&mut buffer) {
                let response = respond(&of_udp, &buffer[..length], DATAGRAM_BYTES);
                // The client may have disconnected.
                let _ = udp.send_to(&response, client);
            }
        });
        let of_tcp = Arc::clone(&records);
        thread::spawn(move || {
            for mut stream in tcp.incoming().flatten() {
                let mut length = [0; 2];
                stream.read_exact(&mut length).unwrap();
                let mut request = vec![0; u16::from_be_bytes(length).into()];
                stream.read_exact(&mut request).unwrap();
                let response = respond(&of_tcp, &request, usize::MAX);
                let length = u16::try_from(response.len()).unwrap().to_be_bytes();
                stream
                    .write_all(&[&length[..], &response].concat())
                    .unwrap();
            }
        });
        Self { address, records }
    }

    /// Returns the address with the port.
    pub fn address(&self) -> String {
        self.address.to_string()
    }

    /// Adds an address of a name.
    pub fn add_address(&self, name: &str, address: &str) {
        let data = match address.parse().unwrap() {
            std::net::IpAddr::V4(address) => RData::A(address.into()),
            std::net::IpAddr::V6(address) => RData::AAAA(address.into()),
        };
        self.records.lock().unwrap().push((name.to_owned(), data));
    }

    /// Adds a TXT record of a name, in parts of the maximum length.
    pub fn add_text(&self, name: &str, text: &str) {
        let mut record = TXT::new();
        for part in text.as_bytes().chunks(255) {
            record.add_char_string(CharacterString::new(part).unwrap());
        }
        let record = (name.to_owned(), RData::TXT(record.into_owned()));
        self.records.lock().unwrap().push(record);
    }

    /// Removes all records of a name.
    pub fn remove(&self, name: &str) {
        self.records.lock().unwrap().retain(|(own, _)| own != name);
    }
}

/// Returns the response to a request. A name exists if there are records for it or for a name below
/// it.
fn respond(records: &Records, request: &[u8], bytes_max: usize) -> Vec<u8> {
    let request = Packet::parse(request).expect("a request");
    let question = request.questions.first().expect("a query").clone();
    let wanted = question.qname.to_string().to_lowercase();
    let below = format!(".{wanted}");
    let mut response = Packet::new_reply(request.id());
    response.questions.push(question.clone());
    let records = records.lock().unwrap();
    let exists = |(name, _): &(String, RData)| *name == wanted || name.ends_with(&below);
    if !records.iter().any(exists) {
        *response.rcode_mut() = RCODE::NameError;
    }
    for (name, data) in records.iter() {
        let name = Name::new(name).unwrap();
        let record = ResourceRecord::new(name, CLASS::IN, 60, data.clone());
        if record.name == question.qname && record.match_qtype(question.qtype) {
            response.answers.push(record);
        }
    }
    let bytes = response.build_bytes_vec().unwrap();
    if bytes.len() <= bytes_max {
        return bytes;
    }
    response.set_flags(PacketFlag::TRUNCATION);
    response.answers.clear();
    response.build_bytes_vec().unwrap()
}
