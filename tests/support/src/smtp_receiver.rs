//! A mail server on loopback that stores every message (RFC 5321).

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Condvar, Mutex, MutexGuard},
    thread,
    time::{Duration, Instant},
};

use crate::{mime::Message, wait::PATIENCE};

/// Maximum length of an accepted line, in bytes.
const LINE_BYTES_MAX: usize = 64 * 1024;

/// Receives mail until it is dropped.
pub struct SmtpReceiver {
    address: SocketAddr,
    inbox: Arc<Inbox>,
}

/// A received message.
#[derive(Clone, Debug)]
pub struct Mail {
    /// The address of `MAIL FROM`.
    pub from: String,
    /// The addresses of `RCPT TO`.
    pub to: Vec<String>,
    /// The message.
    pub message: Message,
    /// The credentials of the sender, as sent.
    pub signed_in: Option<String>,
}

/// A failure of the mail server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difficulty {
    /// It responds with this line to every complete message, which it does not store.
    Responses(&'static str),
    /// It accepts connections and sends nothing.
    Silent,
    /// It responds with this line to every sign-in.
    SignIn(&'static str),
}

impl Mail {
    /// Returns the subject and both texts, for searching all of them.
    pub fn everything(&self) -> String {
        let Message { text, html, .. } = &self.message;
        format!("{}\n{text}\n{html}", self.message.subject())
    }
}

/// The recipient and the identifier of a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Envelope {
    /// The address of the last `RCPT TO`.
    pub to: String,
    /// Its `Message-ID`.
    pub identifier: String,
}

#[derive(Default)]
struct Inbox {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Default)]
struct State {
    mails: Vec<Mail>,
    /// Addresses that are rejected permanently.
    refused: Vec<String>,
    /// Addresses that are deferred.
    put_off: Vec<String>,
    /// Whether only the recipient and the identifier of each message are stored, which is faster.
    keeps_envelopes_only: bool,
    envelopes: Vec<Envelope>,
    difficulty: Option<Difficulty>,
    /// The number of connections so far.
    conversations: usize,
    stopped: bool,
}

impl Inbox {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}

impl SmtpReceiver {
    /// Starts a server on a free port.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let inbox = Arc::new(Inbox::default());
        let shared = Arc::clone(&inbox);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if shared.state().stopped {
                    return;
                }
                shared.state().conversations += 1;
                shared.arrived.notify_all();
                let inbox = Arc::clone(&shared);
                thread::spawn(move || Conversation::new(stream).hold(&inbox));
            }
        });
        Self { address, inbox }
    }

    /// Returns the URL of the server: `smtp://127.0.0.1:PORT`.
    pub fn url(&self) -> String {
        format!("smtp://{}", self.address)
    }

    /// Rejects mail to this address permanently from now on.
    pub fn refuse(&self, address: &str) {
        self.inbox.state().refused.push(address.to_owned());
    }

    /// Defers mail to this address from now on, or accepts it again.
    pub fn put_off(&self, address: &str, is_put_off: bool) {
        let mut state = self.inbox.state();
        state.put_off.retain(|known| known != address);
        if is_put_off {
            state.put_off.push(address.to_owned());
        }
    }

    /// From now on, stores only envelopes.
    pub fn keep_envelopes_only(&self) {
        self.inbox.state().keeps_envelopes_only = true;
    }

    /// Returns the envelopes so far.
    pub fn envelopes(&self) -> Vec<Envelope> {
        self.inbox.state().envelopes.clone()
    }

    /// Waits until `count` envelopes have been stored.
    pub fn wait_for_envelopes(&self, count: usize, patience: Duration) {
        let state = self.inbox.state();
        let is_waiting = |state: &mut State| state.envelopes.len() < count;
        let (state, _) = self
            .inbox
            .arrived
            .wait_timeout_while(state, patience, is_waiting)
            .unwrap();
        let came = state.envelopes.len();
        assert!(came >= count, "{came} of {count} messages came");
    }

    /// Sets or clears the failure of later connections.
    pub fn be_difficult(&self, difficulty: Option<Difficulty>) {
        self.inbox.state().difficulty = difficulty;
    }

    /// Waits for this number of connections.
    pub fn wait_for_conversations(&self, count: usize) {
        let state = self.inbox.state();
        let is_waiting = |state: &mut State| state.conversations < count;
        let (_state, waited) = self
            .inbox
            .arrived
            .wait_timeout_while(state, PATIENCE, is_waiting)
            .unwrap();
        assert!(!waited.timed_out(), "no client came for the {count}th time");
    }

    /// Takes the oldest mail to an address; fails if none arrives in time.
    pub fn mail_to(&self, address: &str) -> Mail {
        self.mail_within(Some(address), PATIENCE)
            .unwrap_or_else(|| panic!("no mail to {address}"))
    }

    /// Takes the oldest mail to an address, or to any address; `None` if none arrives within `patience`.
    pub fn mail_within(&self, address: Option<&str>, patience: Duration) -> Option<Mail> {
        let end = Instant::now() + patience;
        let wanted =
            |mail: &Mail| address.is_none_or(|address| mail.to.iter().any(|to| to == address));
        let mut state = self.inbox.state();
        loop {
            if let Some(index) = state.mails.iter().position(wanted) {
                return Some(state.mails.remove(index));
            }
            let left = end.checked_duration_since(Instant::now())?;
            state = self.inbox.arrived.wait_timeout(state, left).unwrap().0;
        }
    }

    /// Removes the messages so far.
    pub fn clear(&self) {
        self.inbox.state().mails.clear();
    }
}

impl Drop for SmtpReceiver {
    fn drop(&mut self) {
        self.inbox.state().stopped = true;
        // Wakes the thread that waits for the next connection.
        drop(TcpStream::connect(self.address));
    }
}

/// A connection of a sender.
struct Conversation {
    stream: TcpStream,
    lines: BufReader<TcpStream>,
    from: String,
    to: Vec<String>,
    signed_in: Option<String>,
}

impl Conversation {
    fn new(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self {
            lines: BufReader::new(stream.try_clone().unwrap()),
            stream,
            from: String::new(),
            to: Vec::new(),
            signed_in: None,
        }
    }

    /// Handles commands until the sender disconnects or sends an unknown one.
    fn hold(mut self, inbox: &Inbox) {
        if inbox.state().difficulty == Some(Difficulty::Silent) {
            while self.line().is_some() {}
            return;
        }
        if self.say("220 receiver").is_none() {
            return;
        }
        while let Some(line) = self.line() {
            let line = String::from_utf8_lossy(&line).into_owned();
            let verb = line.split([' ', ':']).next().unwrap_or_default();
            let output = match verb.to_ascii_uppercase().as_str() {
                "EHLO" => {
                    self.say("250-receiver\r\n250-8BITMIME\r\n250-SMTPUTF8\r\n250-AUTH PLAIN\r\n250 SIZE 33554432")
                }
                "AUTH" => match inbox.state().difficulty {
                    Some(Difficulty::SignIn(response)) => self.say(response),
                    _ => {
                        self.signed_in = Some(line.clone());
                        self.say("235 come in")
                    }
                },
                "HELO" | "NOOP" => self.say("250 receiver"),
                "MAIL" => {
                    self.from = address(&line);
                    self.to.clear();
                    self.say("250 continue")
                }
                "RCPT" => match address(&line) {
                    to if inbox.state().refused.contains(&to) => self.say("550 no such mailbox"),
                    to if inbox.state().put_off.contains(&to) => self.say("450 come again"),
                    to => {
                        self.to.push(to);
                        self.say("250 continue")
                    }
                },
                "DATA" if self.to.is_empty() => self.say("503 to whom"),
                "DATA" => self.receive(inbox),
                "RSET" => {
                    self.to.clear();
                    self.say("250 forgotten")
                }
                "QUIT" => {
                    self.say("221 bye");
                    return;
                }
                _ => self.say("502 not here"),
            };
            if output.is_none() {
                return;
            }
        }
    }

    /// Reads the message up to a line with a single dot, and removes dot stuffing.
    fn receive(&mut self, inbox: &Inbox) -> Option<()> {
        self.say("354 continue")?;
        let mut bytes = Vec::new();
        loop {
            let line = self.line()?;
            match line.as_slice() {
                b"." => break,
                [b'.', rest @ ..] => bytes.extend_from_slice(rest),
                line => bytes.extend_from_slice(line),
            }
            bytes.extend_from_slice(b"\r\n");
        }
        let difficulty = inbox.state().difficulty;
        if let Some(Difficulty::Responses(response)) = difficulty {
            return self.say(response);
        }
        if inbox.state().keeps_envelopes_only {
            return self.keep_envelope(inbox, &bytes);
        }
        let mail = Mail {
            signed_in: self.signed_in.clone(),
            from: std::mem::take(&mut self.from),
            to: std::mem::take(&mut self.to),
            message: Message::read(&bytes),
        };
        inbox.state().mails.push(mail);
        inbox.arrived.notify_all();
        self.say("250 stored")
    }

    fn keep_envelope(&mut self, inbox: &Inbox, bytes: &[u8]) -> Option<()> {
        let text = String::from_utf8_lossy(bytes);
        let identifier = text
            .lines()
            .find_map(|line| line.strip_prefix("Message-ID: "));
        let envelope = Envelope {
            to: self.to.pop().unwrap_or_default(),
            identifier: identifier.unwrap_or_default().to_owned(),
        };
        inbox.state().envelopes.push(envelope);
        inbox.arrived.notify_all();
        self.say("250 stored")
    }

    /// Reads the next line without its line break.
    fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.lines.read_until(b'\n', &mut line).ok()?;
        assert!(line.len() <= LINE_BYTES_MAX, "a line without an end");
        let text = line.strip_suffix(b"\r\n")?;
        Some(text.to_vec())
    }

    fn say(&mut self, text: &str) -> Option<()> {
        self.stream.write_all(format!("{text}\r\n").as_bytes()).ok()
    }
}

/// Returns the text between angle brackets.
fn address(line: &str) -> String {
    let address = line
        .split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'));
    address.map_or("", |(address, _)| address).to_owned()
}
