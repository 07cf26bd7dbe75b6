//! The client's end of the control connection.

use std::{
    io::{self, BufRead, BufReader, Write},
    path::Path,
    time::Duration,
};

use super::{Command, CommandProgress, Reply, socket};
use crate::data_folder::Owner;

/// Longest silence of the server, which reports progress every second.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running server did not reply to a command.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It accepts no commands, or not yet.
    #[error("{0} is just starting, or runs a command itself; try again in a moment")]
    NotReady(Box<Owner>),
    /// Its version uses another command protocol.
    #[error(
        "{0} uses another command protocol than this program. Stop it, and start it again with this version"
    )]
    OtherVersion(Box<Owner>),
    /// It does not respond.
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
    if owner.is_starting() {
        return Err(ClientError::NotReady(Box::new(owner.clone())));
    }
    if !owner.takes_commands {
        return Err(ClientError::OtherVersion(Box::new(owner.clone())));
    }
    request(data, command, working).map_err(|source| ClientError::Unreachable {
        owner: Box::new(owner.clone()),
        source,
    })
}

fn request(
    data: &Path,
    command: &Command,
    working: &mut dyn FnMut(CommandProgress),
) -> io::Result<Reply> {
    let mut connection = socket::connect(data, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    let mut line = serde_json::to_vec(command)?;
    line.push(b'\n');
    // A server that refuses the connection replies with the reason before it reads, so a failed
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
