//! A mail server on a port of its own that keeps what it is given, and can be told to be difficult.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex},
    thread,
    time::{Duration, Instant},
};

/// How long a mail may take to arrive in a test.
const PATIENCE: Duration = Duration::from_secs(20);

/// A mail as it arrived.
#[derive(Clone, Debug)]
pub struct Arrived {
    /// Whom the sender wrote it for, in the order of the envelope.
    pub to: Vec<String>,
    /// The whole message, with its line ends as `\n`.
    pub source: String,
    /// What the sender signed in with, as it was sent.
    pub signed_in: Option<String>,
}

/// How the server answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Mood {
    /// It takes everything.
    Willing,
    /// It answers this to a mail that is complete.
    Answering(&'static str),
    /// It takes a connection and says nothing.
    Silent,
    /// It refuses mail to this address, with this answer.
    Refusing(&'static str, &'static str),
}

/// The server. It stays until the test ends.
pub struct MailReceiver {
    address: SocketAddr,
    hall: Arc<Hall>,
}

struct Hall {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    mood: Mood,
    arrived: Vec<Arrived>,
    attempts: usize,
}

impl MailReceiver {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let hall = Arc::new(Hall {
            state: Mutex::new(State {
                mood: Mood::Willing,
                arrived: Vec::new(),
                attempts: 0,
            }),
            changed: Condvar::new(),
        });
        let shared = Arc::clone(&hall);
        thread::spawn(move || {
            for connection in listener.incoming() {
                let hall = Arc::clone(&shared);
                thread::spawn(move || converse(connection.unwrap(), &hall));
            }
        });
        Self { address, hall }
    }

    /// What `mail.url` names it by.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    pub fn set_mood(&self, mood: Mood) {
        self.hall.state.lock().unwrap().mood = mood;
    }

    /// How often somebody came.
    pub fn wait_for_attempts(&self, count: usize) {
        self.wait("an attempt", |state| {
            (state.attempts >= count).then_some(())
        });
    }

    /// The mail with this place among those that arrived, counted from 0; waits for it.
    pub fn mail(&self, place: usize) -> Arrived {
        self.wait("a mail", |state| state.arrived.get(place).cloned())
    }

    /// The last mail to this address; waits for one.
    pub fn mail_to(&self, address: &str) -> Arrived {
        self.wait(address, |state| {
            let mut latest = state.arrived.iter().rev();
            latest
                .find(|mail| mail.to.iter().any(|to| to == address))
                .cloned()
        })
    }

    /// How many have arrived.
    pub fn count(&self) -> usize {
        self.hall.state.lock().unwrap().arrived.len()
    }

    fn wait<T>(&self, what: &str, found: impl Fn(&State) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        let mut state = self.hall.state.lock().unwrap();
        loop {
            if let Some(found) = found(&state) {
                return found;
            }
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} did not come");
            state = self.hall.changed.wait_timeout(state, left).unwrap().0;
        }
    }
}

impl Arrived {
    /// The value of a header, with what was folded unfolded.
    pub fn header(&self, name: &str) -> Option<String> {
        let (head, _) = self.source.split_once("\n\n").unwrap();
        let unfolded = head.replace("\n ", " ");
        let prefix = format!("{name}: ");
        let line = unfolded.lines().find_map(|line| line.strip_prefix(&prefix));
        line.map(str::to_owned)
    }

    /// The plain text, decoded.
    pub fn text(&self) -> String {
        self.part("text/plain")
    }

    /// The HTML, decoded.
    pub fn html(&self) -> String {
        self.part("text/html")
    }

    fn part(&self, kind: &str) -> String {
        let (_, rest) = self
            .source
            .split_once(&format!("Content-Type: {kind}"))
            .unwrap_or_else(|| panic!("no {kind} in {}", self.source));
        let (head, body) = rest.split_once("\n\n").unwrap();
        let kind_of_all = self.header("Content-Type").unwrap();
        let (_, boundary) = kind_of_all.split_once("boundary=\"").unwrap();
        let end = format!("\n--{}", boundary.trim_end_matches('"'));
        let (body, _) = body.split_once(&end).unwrap();
        match head.contains("quoted-printable") {
            true => unquoted(body),
            false => {
                assert!(!head.contains("base64"), "{head}");
                body.to_owned()
            }
        }
    }
}

/// Quoted-printable as it was meant (RFC 2045, section 6.7).
fn unquoted(text: &str) -> String {
    let text = text.replace("=\n", "");
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        match first {
            b'=' => {
                let digits = std::str::from_utf8(&others[..2]).unwrap();
                bytes.push(u8::from_str_radix(digits, 16).unwrap());
                rest = &others[2..];
            }
            byte => {
                bytes.push(byte);
                rest = others;
            }
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// Speaks as much of SMTP (RFC 5321) as a client of it needs.
fn converse(connection: TcpStream, hall: &Hall) {
    let mood = || hall.state.lock().unwrap().mood.clone();
    let mut out = connection.try_clone().unwrap();
    let mut lines = BufReader::new(connection).lines();
    hall.state.lock().unwrap().attempts += 1;
    hall.changed.notify_all();
    if mood() == Mood::Silent {
        // Until the other side has enough of it.
        while lines.next().is_some_and(|line| line.is_ok()) {}
        return;
    }
    let mut to = Vec::new();
    let mut signed_in = None;
    let mut say = move |text: &str| {
        // A client that has gone hears nothing.
        let _ = write!(out, "{text}\r\n");
    };
    say("220 receiver");
    while let Some(Ok(line)) = lines.next() {
        let (verb, argument) = line.split_once([' ', ':']).unwrap_or((&line, ""));
        match verb.to_ascii_uppercase().as_str() {
            "EHLO" => say("250-receiver\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250 AUTH PLAIN"),
            "AUTH" => {
                signed_in = Some(argument.to_owned());
                say("235 come in");
            }
            "RCPT" => {
                let (_, address) = argument.split_once('<').unwrap();
                let (address, _) = address.split_once('>').unwrap();
                match mood() {
                    Mood::Refusing(refused, answer) if refused == address => say(answer),
                    _ => {
                        to.push(address.to_owned());
                        say("250 ok");
                    }
                }
            }
            "DATA" => {
                say("354 go on");
                let mut source = String::new();
                for line in lines.by_ref().map_while(Result::ok) {
                    if line == "." {
                        break;
                    }
                    source.push_str(line.strip_prefix('.').unwrap_or(&line));
                    source.push('\n');
                }
                if let Mood::Answering(answer) = mood() {
                    say(answer);
                    continue;
                }
                hall.state.lock().unwrap().arrived.push(Arrived {
                    to: std::mem::take(&mut to),
                    source,
                    signed_in: signed_in.clone(),
                });
                hall.changed.notify_all();
                say("250 kept");
            }
            "QUIT" => {
                say("221 bye");
                return;
            }
            _ => say("250 ok"),
        }
    }
}
