//! The server's end of the control connection: a loopback port, one line of JSON in, lines out until the last is the reply.
//!
//! Each connection has a thread, so that a command that takes long keeps no other waiting. While it is carried out, a line
//! every second says that it is, and how far. A command whose asker has gone, or whose server stops, is given up.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{Message, Reply, Subject, Work, execute};
use crate::import::Progress;

/// Longest command, in bytes.
const COMMAND_BYTES_MAX: u64 = 64 * 1024;

/// How long a client may take to send its command or to take a line.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most commands at once.
const COMMANDS_MAX: usize = 16;

/// How long it takes until a client hears again that its command is being carried out.
const WORKING_PAUSE: Duration = Duration::from_secs(1);

/// How much of a command there is between two lines that tell how far it is, when they come more often: a two hundredth.
const WORKING_STEPS: u64 = 200;

/// Bytes of randomness in the secret.
const TOKEN_BYTES: usize = 16;

/// Takes commands until it is dropped.
pub struct Listener {
    port: u16,
    hall: Arc<Hall>,
    thread: Option<JoinHandle<()>>,
}

/// What the threads of all connections share.
struct Hall {
    subject: Arc<Subject>,
    token: String,
    stopping: AtomicBool,
    commands: Mutex<usize>,
    command_ended: Condvar,
}

impl Listener {
    /// Begins to take commands about `subject`.
    ///
    /// # Errors
    ///
    /// When no port, thread or randomness can be had.
    pub fn start(subject: Arc<Subject>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let port = listener.local_addr()?.port();
        let mut random = [0; TOKEN_BYTES];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let hall = Arc::new(Hall {
            subject,
            token: random.iter().map(|byte| format!("{byte:02x}")).collect(),
            stopping: AtomicBool::new(false),
            commands: Mutex::new(0),
            command_ended: Condvar::new(),
        });
        let thread = thread::Builder::new().name("control".to_owned()).spawn({
            let hall = Arc::clone(&hall);
            move || accept(&listener, &hall)
        })?;
        Ok(Self {
            port,
            hall,
            thread: Some(thread),
        })
    }

    /// The loopback port that it listens on.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The secret that a command must name.
    pub fn token(&self) -> &str {
        &self.hall.token
    }
}

impl Drop for Listener {
    /// Waits for the commands that are being carried out; those that can be given up are.
    fn drop(&mut self) {
        self.hall.stopping.store(true, Ordering::SeqCst);
        // A connection wakes the thread, which then sees that it is to stop.
        let woken = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
        let mut commands = self.hall.commands();
        while *commands > 0 {
            let waited = self.hall.command_ended.wait(commands);
            commands = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Hall {
    fn commands(&self) -> std::sync::MutexGuard<'_, usize> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room for one more command, if there is any.
    fn enter(self: &Arc<Self>) -> Option<Place> {
        let mut commands = self.commands();
        (*commands < COMMANDS_MAX).then(|| {
            *commands += 1;
            Place(Arc::clone(self))
        })
    }
}

/// The room of one command, given back when it is dropped.
struct Place(Arc<Hall>);

impl Drop for Place {
    fn drop(&mut self) {
        *self.0.commands() -= 1;
        self.0.command_ended.notify_all();
    }
}

fn accept(listener: &TcpListener, hall: &Arc<Hall>) {
    for connection in listener.incoming() {
        if hall.stopping.load(Ordering::SeqCst) {
            return;
        }
        let outcome = connection.and_then(|connection| begin(connection, hall));
        if let Err(error) = outcome {
            tracing::debug!(%error, "a control connection failed");
            // Out of file handles, say: a moment later it may pass.
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn begin(mut connection: TcpStream, hall: &Arc<Hall>) -> io::Result<()> {
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let Some(place) = hall.enter() else {
        let busy = format!("The server carries out {COMMANDS_MAX} commands already.");
        return write_line(&mut connection, &Reply::Failed(busy));
    };
    let name = "command".to_owned();
    thread::Builder::new().name(name).spawn(move || {
        if let Err(error) = answer(&connection, &place.0) {
            tracing::debug!(%error, "a control connection failed");
        }
    })?;
    Ok(())
}

fn answer(mut connection: &TcpStream, hall: &Hall) -> io::Result<()> {
    let mut line = String::new();
    BufReader::new(connection.take(COMMAND_BYTES_MAX)).read_line(&mut line)?;
    let reply = match serde_json::from_str::<Message>(&line) {
        Ok(message) if is_same(&message.token, &hall.token) => {
            let asker = Asker::new(connection, hall);
            asker.hears_while(|| execute(&hall.subject, &message.command, &asker))
        }
        Ok(_) => Reply::Failed("The secret is not that of this server.".to_owned()),
        Err(error) => Reply::Failed(format!("The command cannot be read: {error}.")),
    };
    write_line(&mut connection, &reply)?;
    connection.shutdown(Shutdown::Write)
}

fn write_line(mut connection: impl Write, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    connection.write_all(&line)
}

/// Whoever waits for a command to be carried out.
struct Asker<'a> {
    connection: &'a TcpStream,
    hall: &'a Hall,
    done: AtomicU64,
    total: AtomicU64,
    is_gone: AtomicBool,
    /// Whether the command has ended.
    ended: Mutex<bool>,
    /// Told when the command has ended, and when there is something to tell.
    news: Condvar,
}

impl<'a> Asker<'a> {
    fn new(connection: &'a TcpStream, hall: &'a Hall) -> Self {
        Self {
            connection,
            hall,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
            ended: Mutex::new(false),
            news: Condvar::new(),
        }
    }

    /// Does `work`, and lets the asker hear meanwhile that it is being done.
    fn hears_while(&self, work: impl FnOnce() -> Reply) -> Reply {
        /// Ends the telling also when the work panics.
        struct End<'a, 'b>(&'a Asker<'b>);
        impl Drop for End<'_, '_> {
            fn drop(&mut self) {
                *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
                self.0.news.notify_all();
            }
        }
        thread::scope(|scope| {
            scope.spawn(|| self.tell());
            let _end = End(self);
            work()
        })
    }

    fn tell(&self) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // The command may have ended before this thread began.
        while !*ended {
            let waited = self.news.wait_timeout(ended, WORKING_PAUSE);
            ended = waited.unwrap_or_else(PoisonError::into_inner).0;
            if *ended {
                return;
            }
            let work = Work {
                done: self.done.load(Ordering::Relaxed),
                total: self.total.load(Ordering::Relaxed),
            };
            if write_line(self.connection, &Reply::Working(work)).is_err() {
                self.is_gone.store(true, Ordering::Relaxed);
                return;
            }
        }
    }
}

impl Progress for Asker<'_> {
    fn advance(&self, done: u64, total: u64) {
        let before = self.done.swap(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        let step = (total / WORKING_STEPS).max(1);
        if before / step != done / step {
            self.news.notify_all();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed) || self.hall.stopping.load(Ordering::SeqCst)
    }
}

/// Compares in a time that does not tell how much is right.
fn is_same(given: &str, token: &str) -> bool {
    let differences = given
        .bytes()
        .zip(token.bytes())
        .fold(0, |sum, (a, b)| sum | (a ^ b));
    given.len() == token.len() && differences == 0
}
