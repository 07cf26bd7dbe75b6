//! The server's end of the control connection: a loopback port, one line of JSON in, one out.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{Message, Reply, Subject, execute};

/// Longest command, in bytes.
const COMMAND_BYTES_MAX: u64 = 64 * 1024;

/// How long a client may take to send its command or to take the reply.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes of randomness in the secret.
const TOKEN_BYTES: usize = 16;

/// Takes commands until it is dropped.
pub struct Listener {
    port: u16,
    token: String,
    stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    /// Begins to take commands about `subject`.
    ///
    /// # Errors
    ///
    /// When no port, thread or randomness can be had.
    pub fn start(subject: Subject) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let mut random = [0; TOKEN_BYTES];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let stopping = Arc::new(AtomicBool::new(false));
        let thread = thread::Builder::new().name("control".to_owned()).spawn({
            let (token, stopping) = (token.clone(), Arc::clone(&stopping));
            move || accept(&listener, &subject, &token, &stopping)
        })?;
        Ok(Self {
            port,
            token,
            stopping,
            thread: Some(thread),
        })
    }

    /// The loopback port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The secret that a command must name.
    pub fn token(&self) -> &str {
        &self.token
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stopping.store(true, Ordering::SeqCst);
        // A connection wakes the thread, which then sees that it is to stop.
        let woken = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
    }
}

fn accept(listener: &TcpListener, subject: &Subject, token: &str, stopping: &AtomicBool) {
    for connection in listener.incoming() {
        if stopping.load(Ordering::SeqCst) {
            return;
        }
        let outcome = connection.and_then(|connection| answer(connection, subject, token));
        if let Err(error) = outcome {
            tracing::debug!(%error, "a control connection failed");
            // Out of file handles, say: a moment later it may pass.
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn answer(mut connection: TcpStream, subject: &Subject, token: &str) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new((&connection).take(COMMAND_BYTES_MAX)).read_line(&mut line)?;
    let reply = match serde_json::from_str::<Message>(&line) {
        Ok(message) if is_same(&message.token, token) => execute(subject, &message.command),
        Ok(_) => Reply::Failed("The secret is not that of this server.".to_owned()),
        Err(error) => Reply::Failed(format!("The command cannot be read: {error}.")),
    };
    let mut bytes = serde_json::to_vec(&reply)?;
    bytes.push(b'\n');
    connection.write_all(&bytes)?;
    connection.shutdown(Shutdown::Write)
}

/// Compares in a time that does not tell how much is right.
fn is_same(given: &str, token: &str) -> bool {
    let differences = given
        .bytes()
        .zip(token.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == token.len() && differences == 0
}
