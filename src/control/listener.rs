//! The server's end of the control connection: one line of JSON in, lines out until the last is the reply.
//!
//! Each connection has a thread, so that a command that takes long keeps no other waiting. While it is carried out, a line
//! every second says that it is, and how far. A command whose asker has gone, or whose server stops, is given up. Connections
//! that send no command take no room from those that do: the oldest of them are closed.

use std::{
    collections::VecDeque,
    fs,
    io::{self, Read, Write},
    net::Shutdown,
    os::unix::net::{UnixListener, UnixStream},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{Reply, Subject, Work, execute, socket};
use crate::{data_folder::CONTROL_SOCKET, import::Progress};

/// Longest command, in bytes.
const COMMAND_BYTES_MAX: usize = 64 * 1024;

/// How long a client may take to send its whole command, or to take a line.
const PATIENCE: Duration = Duration::from_secs(5);

/// Most commands at once.
const COMMANDS_MAX: usize = 16;

/// Most connections at once that have not sent their command yet.
const SILENT_MAX: usize = 64;

/// How long it takes until a client hears again that its command is being carried out.
const WORKING_PAUSE: Duration = Duration::from_secs(1);

/// How much of a command there is between two lines that tell how far it is, when they come more often: a two hundredth.
const WORKING_STEPS: u64 = 200;

/// Takes commands until it is dropped.
pub struct Listener {
    socket: Arc<UnixListener>,
    hall: Arc<Hall>,
    thread: Option<JoinHandle<()>>,
}

/// What the threads of all connections share.
struct Hall {
    subject: Arc<Subject>,
    stopping: AtomicBool,
    connections: Mutex<Connections>,
    connection_ended: Condvar,
}

/// The connections that are open.
#[derive(Default)]
struct Connections {
    open: usize,
    /// Those that have not sent their command yet, the oldest first.
    silent: VecDeque<Arc<UnixStream>>,
    /// Those whose command is being carried out.
    commands: usize,
}

impl Listener {
    /// Begins to take commands about `subject`, on the socket in its data folder, whose lock this process has.
    ///
    /// # Errors
    ///
    /// If no socket can be made in the folder, or no thread.
    pub fn start(subject: Arc<Subject>) -> io::Result<Self> {
        let socket = Arc::new(socket::listen(&subject.data)?);
        let hall = Arc::new(Hall {
            subject,
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            connection_ended: Condvar::new(),
        });
        let thread = thread::Builder::new().name("control".to_owned()).spawn({
            let (socket, hall) = (Arc::clone(&socket), Arc::clone(&hall));
            move || accept(&socket, &hall)
        })?;
        Ok(Self {
            socket,
            hall,
            thread: Some(thread),
        })
    }
}

impl Drop for Listener {
    /// Waits for the commands that are being carried out; those that can be given up are.
    fn drop(&mut self) {
        self.hall.stopping.store(true, Ordering::SeqCst);
        // This wakes the thread, which then sees that it is to stop.
        let woken = rustix::net::shutdown(&*self.socket, rustix::net::Shutdown::Both).is_ok();
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            // A panic in the thread was logged when it happened.
            let _ = thread.join();
        }
        // One that stays is replaced by the next server.
        let _ = fs::remove_file(self.hall.subject.data.join(CONTROL_SOCKET));
        let mut connections = self.hall.connections();
        for silent in &connections.silent {
            let _ = silent.shutdown(Shutdown::Both);
        }
        while connections.open > 0 {
            let waited = self.hall.connection_ended.wait(connections);
            connections = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Hall {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a connection in. If too many are silent, the oldest of them is closed.
    fn enter(self: &Arc<Self>, connection: UnixStream) -> Place {
        let connection = Arc::new(connection);
        let mut connections = self.connections();
        if connections.silent.len() >= SILENT_MAX
            && let Some(oldest) = connections.silent.pop_front()
        {
            // Its thread finds the end of the connection.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        connections.silent.push_back(Arc::clone(&connection));
        connections.open += 1;
        Place {
            hall: Arc::clone(self),
            connection,
            is_command: false,
        }
    }
}

/// The room of one connection, given back when it is dropped.
struct Place {
    hall: Arc<Hall>,
    connection: Arc<UnixStream>,
    is_command: bool,
}

impl Place {
    /// Whether there is room for one more command, which it takes.
    fn begin_command(&mut self) -> bool {
        let mut connections = self.hall.connections();
        connections.end_silence(&self.connection);
        self.is_command = connections.commands < COMMANDS_MAX;
        connections.commands += usize::from(self.is_command);
        self.is_command
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut connections = self.hall.connections();
        connections.end_silence(&self.connection);
        connections.commands -= usize::from(self.is_command);
        connections.open -= 1;
        self.hall.connection_ended.notify_all();
    }
}

impl Connections {
    fn end_silence(&mut self, connection: &Arc<UnixStream>) {
        self.silent
            .retain(|silent| !Arc::ptr_eq(silent, connection));
    }
}

fn accept(socket: &UnixListener, hall: &Arc<Hall>) {
    for connection in socket.incoming() {
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

fn begin(connection: UnixStream, hall: &Arc<Hall>) -> io::Result<()> {
    connection.set_write_timeout(Some(PATIENCE))?;
    if !socket::is_trusted(&connection) {
        let refusal = "Commands are taken from the user that the server runs as, and from root.";
        return write_line(&connection, &Reply::Failed(refusal.to_owned()));
    }
    let mut place = hall.enter(connection);
    let name = "command".to_owned();
    thread::Builder::new().name(name).spawn(move || {
        if let Err(error) = answer(&mut place) {
            tracing::debug!(%error, "a control connection failed");
        }
    })?;
    Ok(())
}

fn answer(place: &mut Place) -> io::Result<()> {
    let line = read_line(&place.connection)?;
    let reply = match serde_json::from_slice(&line) {
        Ok(command) if place.begin_command() => {
            let asker = Asker::new(&place.connection, &place.hall);
            asker.hears_while(|| execute(&place.hall.subject, &command, &asker))
        }
        Ok(_) => Reply::Failed(format!(
            "The server carries out {COMMANDS_MAX} commands already."
        )),
        Err(error) => Reply::Failed(format!("The command cannot be read: {error}.")),
    };
    write_line(&*place.connection, &reply)?;
    place.connection.shutdown(Shutdown::Write)
}

/// Returns what a client sends up to the end of the line, all of which is to come within [`PATIENCE`].
fn read_line(mut connection: &UnixStream) -> io::Result<Vec<u8>> {
    let end = Instant::now() + PATIENCE;
    let mut line = Vec::new();
    let mut chunk = [0; 4096];
    while !line.ends_with(b"\n") {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        connection.set_read_timeout(Some(left))?;
        let count = connection.read(&mut chunk)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        line.extend_from_slice(&chunk[..count]);
        if line.len() > COMMAND_BYTES_MAX {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(line)
}

fn write_line(mut connection: impl Write, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    connection.write_all(&line)
}

/// Whoever waits for a command to be carried out.
struct Asker<'a> {
    connection: &'a UnixStream,
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
    fn new(connection: &'a UnixStream, hall: &'a Hall) -> Self {
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
