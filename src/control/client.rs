//! The client's end of the control connection.

use std::{
    io::{self, BufRead, BufReader, Write},
    path::Path,
    time::Duration,
};

use super::{Command, CommandProgress, Reply, socket};
use crate::data_folder::Owner;

/// Maximum silence of the server, which reports progress every second.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running server did not reply to a command.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server accepts no commands, or not yet.
    #[error("{0} is just starting, or runs a command itself; try again in a moment")]
    NotReady(Box<Owner>),
    /// The server's version uses another command protocol.
    #[error(
        "{0} uses another command protocol than this program. Stop it and start it again with this version"
    )]
    OtherVersion(Box<Owner>),
    /// The server sends nothing.
    #[error(
        "{owner} has not responded for {} s: it is suspended or hangs. Resume that process (`kill -CONT {}`), or \
         stop it and start it again",
        patience.as_secs(),
        owner.pid
    )]
    Silent {
        /// The owner of the data folder.
        owner: Box<Owner>,
        /// The time that the client waited.
        patience: Duration,
    },
    /// The server cannot be reached, or closes the connection.
    #[error("{owner} does not respond: {source}")]
    Unreachable {
        /// The owner of the data folder.
        owner: Box<Owner>,
        /// The cause.
        source: io::Error,
    },
}

/// Sends a command to the server that owns the data folder `data`, and returns its reply; `working`
/// receives the progress.
///
/// # Errors
///
/// If the server cannot be reached or its reply is invalid.
pub fn ask(
    data: &Path,
    owner: &Owner,
    command: &Command,
    working: &mut dyn FnMut(CommandProgress),
) -> Result<Reply, ClientError> {
    ask_within(PATIENCE, data, owner, command, working)
}

fn ask_within(
    patience: Duration,
    data: &Path,
    owner: &Owner,
    command: &Command,
    working: &mut dyn FnMut(CommandProgress),
) -> Result<Reply, ClientError> {
    if owner.is_starting() {
        return Err(ClientError::NotReady(Box::new(owner.clone())));
    }
    if !owner.takes_commands {
        return Err(ClientError::OtherVersion(Box::new(owner.clone())));
    }
    request(patience, data, command, working).map_err(|source| {
        let owner = Box::new(owner.clone());
        // The system reports an expired socket timeout as one of these errors.
        match source.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                ClientError::Silent { owner, patience }
            }
            _ => ClientError::Unreachable { owner, source },
        }
    })
}

fn request(
    patience: Duration,
    data: &Path,
    command: &Command,
    working: &mut dyn FnMut(CommandProgress),
) -> io::Result<Reply> {
    let mut connection = socket::connect(data, patience)?;
    // The limit applies to each line, not to the whole command, which may take hours.
    connection.set_read_timeout(Some(patience))?;
    let mut line = serde_json::to_vec(command)?;
    line.push(b'\n');
    // A server that refuses the connection replies with the reason before it reads. So a failed
    // write is only reported if there is no reply.
    let sent = connection.write_all(&line);
    let mut replies = BufReader::new(connection);
    loop {
        let mut line = Vec::new();
        if replies.read_until(b'\n', &mut line)? == 0 {
            sent?;
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match serde_json::from_slice(&line)? {
            Reply::Working(work) => working(work),
            reply => return Ok(reply),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::Path, time::Duration};

    use jiff::Timestamp;

    use super::{ClientError, ask_within};
    use crate::{
        control::{Command, socket},
        data_folder::Owner,
    };

    /// Simulates a suspended process, whose connections the system still accepts.
    #[test]
    fn silent_server_is_reported_with_the_time_that_was_waited() {
        let owner = Owner {
            pid: 4711,
            version: "1.2.3".to_owned(),
            started_at: Timestamp::UNIX_EPOCH,
            address: Some("http://127.0.0.1:2368".to_owned()),
            takes_commands: true,
        };
        let data = tempfile::tempdir().unwrap();
        let data: &Path = data.path();
        let _listener = socket::listen(data).unwrap();
        let patience = Duration::from_millis(50);

        let outcome = ask_within(patience, data, &owner, &Command::Status, &mut |_| {});

        let Err(error @ ClientError::Silent { .. }) = outcome else {
            panic!("{outcome:?}");
        };
        let message = error.to_string();
        assert!(message.contains("has not responded for 0 s"), "{message}");
        assert!(message.contains("kill -CONT 4711"), "{message}");
        assert!(!message.contains("os error"), "{message}");
    }
}
