//! The server's end of the control connection. It reads one line of JSON and responds with lines,
//! the last of which is the reply.
//!
//! Each connection has a thread, so that a long command does not delay others. While a command
//! runs, a line every second reports its progress. A command is cancelled if its client disconnects
//! or the server stops. Connections without a command cannot exhaust the limit: the oldest of them
//! are closed.

use crate::progress::Progress;
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

use super::{CommandProgress, ControlContext, Reply, execute, socket};
use crate::data_folder::CONTROL_SOCKET;

/// Maximum length of a command, in bytes.
const COMMAND_BYTES_MAX: usize = 64 * 1024;

/// Maximum time for a client to send its whole command, or to receive a line.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of commands that run at the same time.
const COMMANDS_MAX: usize = 16;

/// Maximum number of connections that have not sent a command yet.
const SILENT_MAX: usize = 64;

/// Maximum time between two progress reports.
const WORKING_PAUSE: Duration = Duration::from_secs(1);

/// Number of progress steps of a command. A report is sent for each step, even before the pause is
/// over.
const WORKING_STEPS: u64 = 200;

/// Accepts commands until dropped.
pub struct Listener {
    socket: Arc<UnixListener>,
    server: Arc<ControlServer>,
    thread: Option<JoinHandle<()>>,
}

/// The state that the threads of all connections share.
struct ControlServer {
    context: Arc<ControlContext>,
    stopping: AtomicBool,
    connections: Mutex<Connections>,
    connection_ended: Condvar,
}

/// The open connections.
#[derive(Default)]
struct Connections {
    open: usize,
    /// The connections that have not sent a command yet, oldest first.
    silent: VecDeque<Arc<UnixStream>>,
    /// The number of connections with a running command.
    commands: usize,
}

impl Listener {
    /// Starts to accept commands about `context` on the socket in its data folder, which this
    /// process has locked.
    ///
    /// # Errors
    ///
    /// If the socket or the thread cannot be created.
    pub fn start(context: Arc<ControlContext>) -> io::Result<Self> {
        let socket = Arc::new(socket::listen(&context.data)?);
        let server = Arc::new(ControlServer {
            context,
            stopping: AtomicBool::new(false),
            connections: Mutex::default(),
            connection_ended: Condvar::new(),
        });
        let thread = thread::Builder::new().name("control".to_owned()).spawn({
            let (socket, server) = (Arc::clone(&socket), Arc::clone(&server));
            move || accept(&socket, &server)
        })?;
        Ok(Self {
            socket,
            server,
            thread: Some(thread),
        })
    }
}

impl Drop for Listener {
    /// Waits for running commands and cancels those that can be cancelled.
    fn drop(&mut self) {
        // Stored before the wake-up: a thread that is woken first would wait again.
        self.server.stopping.store(true, Ordering::SeqCst);
        // Wakes the thread, which then sees that it must stop.
        let woken = rustix::net::shutdown(&*self.socket, rustix::net::Shutdown::Both).is_ok();
        // If the socket could not be shut down, the thread still waits for a connection and would
        // never end.
        if let (true, Some(thread)) = (woken, self.thread.take()) {
            // A panic in the thread has already been logged.
            let _ = thread.join();
        }
        // A remaining socket is replaced by the next server.
        let _ = fs::remove_file(self.server.context.data.join(CONTROL_SOCKET));
        let mut connections = self.server.connections();
        // Their threads would otherwise wait for a command until the client's time is over.
        for silent in &connections.silent {
            let _ = silent.shutdown(Shutdown::Both);
        }
        while connections.open > 0 {
            let waited = self.server.connection_ended.wait(connections);
            connections = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl ControlServer {
    fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection. If too many connections have not sent a command, the oldest of them is
    /// closed.
    fn enter(self: &Arc<Self>, connection: UnixStream) -> ConnectionSlot {
        let connection = Arc::new(connection);
        let mut connections = self.connections();
        if connections.silent.len() >= SILENT_MAX
            && let Some(oldest) = connections.silent.pop_front()
        {
            // The thread of that connection then reads its end.
            let _ = oldest.shutdown(Shutdown::Both);
        }
        // Shared, so that the connection can be shut down while its thread reads from it.
        connections.silent.push_back(Arc::clone(&connection));
        connections.open += 1;
        ConnectionSlot {
            server: Arc::clone(self),
            connection,
            is_command: false,
        }
    }
}

/// The slot of one connection, freed on drop.
struct ConnectionSlot {
    server: Arc<ControlServer>,
    connection: Arc<UnixStream>,
    is_command: bool,
}

impl ConnectionSlot {
    /// Reserves a slot for a running command. Returns `false` if none is free.
    fn begin_command(&mut self) -> bool {
        let mut connections = self.server.connections();
        // From here on, the connection is no longer closed in favour of a newer one.
        connections.end_silence(&self.connection);
        self.is_command = connections.commands < COMMANDS_MAX;
        connections.commands += usize::from(self.is_command);
        self.is_command
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut connections = self.server.connections();
        connections.end_silence(&self.connection);
        connections.commands -= usize::from(self.is_command);
        connections.open -= 1;
        self.server.connection_ended.notify_all();
    }
}

impl Connections {
    fn end_silence(&mut self, connection: &Arc<UnixStream>) {
        self.silent
            .retain(|silent| !Arc::ptr_eq(silent, connection));
    }
}

fn accept(socket: &UnixListener, server: &Arc<ControlServer>) {
    for connection in socket.incoming() {
        if server.stopping.load(Ordering::SeqCst) {
            return;
        }
        let admitted = connection.and_then(|connection| begin(connection, server));
        if let Err(error) = admitted {
            tracing::debug!(%error, "a control connection failed");
            // The cause, such as a lack of file descriptors, may be gone a moment later.
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn begin(connection: UnixStream, server: &Arc<ControlServer>) -> io::Result<()> {
    // Set before the refusal, which is written in the accepting thread: a client that does not read
    // must not block all others.
    connection.set_write_timeout(Some(CLIENT_TIMEOUT))?;
    if !socket::is_trusted(&connection) {
        let refusal = "Only the user that the server runs as, and root, may send commands.";
        return write_line(&connection, &Reply::Failed(refusal.to_owned()));
    }
    let mut slot = server.enter(connection);
    let name = "command".to_owned();
    // If no thread can be started, the closure is dropped and frees the slot that it owns.
    thread::Builder::new().name(name).spawn(move || {
        if let Err(error) = respond(&mut slot) {
            tracing::debug!(%error, "a control connection failed");
        }
    })?;
    Ok(())
}

fn respond(slot: &mut ConnectionSlot) -> io::Result<()> {
    let line = read_line(&slot.connection)?;
    let reply = match serde_json::from_slice(&line) {
        Ok(command) if slot.begin_command() => {
            let client = WaitingClient::new(&slot.connection, &slot.server);
            client.report_while(|| execute(&slot.server.context, &command, &client))
        }
        Ok(_) => Reply::Failed(format!(
            "The server is already running {COMMANDS_MAX} commands."
        )),
        Err(error) => Reply::Failed(format!("The command cannot be read: {error}.")),
    };
    write_line(&*slot.connection, &reply)?;
    slot.connection.shutdown(Shutdown::Write)
}

/// Reads one line from a client, which must arrive within [`CLIENT_TIMEOUT`].
fn read_line(mut connection: &UnixStream) -> io::Result<Vec<u8>> {
    let end = Instant::now() + CLIENT_TIMEOUT;
    let mut line = Vec::new();
    let mut chunk = [0; 4096];
    while !line.ends_with(b"\n") {
        let time_left = end.saturating_duration_since(Instant::now());
        if time_left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        // Set again for each read: a client that sends single bytes would otherwise extend the
        // limit.
        connection.set_read_timeout(Some(time_left))?;
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

/// The client that waits for a command.
struct WaitingClient<'a> {
    connection: &'a UnixStream,
    server: &'a ControlServer,
    done: AtomicU64,
    total: AtomicU64,
    is_gone: AtomicBool,
    /// True if the command has ended.
    ended: Mutex<bool>,
    /// Notified when the command has ended, and when there is progress to report.
    progress_changed: Condvar,
}

impl<'a> WaitingClient<'a> {
    fn new(connection: &'a UnixStream, server: &'a ControlServer) -> Self {
        Self {
            connection,
            server,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            is_gone: AtomicBool::new(false),
            ended: Mutex::new(false),
            progress_changed: Condvar::new(),
        }
    }

    /// Does `work`, and reports progress to the client meanwhile.
    fn report_while(&self, work: impl FnOnce() -> Reply) -> Reply {
        /// Ends the reports even if the work panics.
        struct End<'a, 'b>(&'a WaitingClient<'b>);
        impl Drop for End<'_, '_> {
            fn drop(&mut self) {
                *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
                self.0.progress_changed.notify_all();
            }
        }
        thread::scope(|scope| {
            scope.spawn(|| self.report());
            // Dropped before the scope waits for the thread of the reports, which it ends.
            let _end = End(self);
            work()
        })
    }

    fn report(&self) {
        let mut ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        // The command may have ended before this thread started.
        while !*ended {
            let waited = self.progress_changed.wait_timeout(ended, WORKING_PAUSE);
            ended = waited.unwrap_or_else(PoisonError::into_inner).0;
            if *ended {
                return;
            }
            let work = CommandProgress {
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

impl Progress for WaitingClient<'_> {
    fn advance(&self, done: u64, total: u64) {
        let before = self.done.swap(done, Ordering::Relaxed);
        // Relaxed: the numbers are only displayed, and no other data depends on them.
        self.total.store(total, Ordering::Relaxed);
        // Notified without the lock, which the reporting thread holds while it writes. A lost
        // notification only delays the report until the pause is over.
        let step = (total / WORKING_STEPS).max(1);
        if before / step != done / step {
            self.progress_changed.notify_all();
        }
    }

    fn is_cancelled(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed) || self.server.stopping.load(Ordering::SeqCst)
    }
}
