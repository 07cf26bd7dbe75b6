//! The command's end of the control connection.

use std::{
    io::{self, BufRead, BufReader, Write},
    path::Path,
    time::Duration,
};

use super::{Command, Reply, Work, socket};
use crate::data_folder::Owner;

/// How long the server may be silent. It says every second that it is at work.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It takes no commands, or not yet.
    #[error("{0} is just starting, or carries out a command itself; try again in a moment")]
    NotReady(Box<Owner>),
    /// It is of a version that takes commands in another way.
    #[error(
        "{0} takes commands in another way than this program. Stop it, and start it again with this version"
    )]
    OtherVersion(Box<Owner>),
    /// It does not answer.
    #[error("{owner} does not answer: {source}")]
    Unreachable {
        /// Who has the data folder.
        owner: Box<Owner>,
        /// What went wrong.
        source: io::Error,
    },
}

/// Has the server that owns the data folder `data` carry out a command; `working` is told how far it is.
///
/// # Errors
///
/// When the server cannot be reached or does not answer sensibly.
pub fn ask(
    data: &Path,
    owner: &Owner,
    command: &Command,
    working: &mut dyn FnMut(Work),
) -> Result<Reply, ClientError> {
    if owner.is_starting() {
        return Err(ClientError::NotReady(Box::new(owner.clone())));
    }
    if !owner.takes_commands {
        return Err(ClientError::OtherVersion(Box::new(owner.clone())));
    }
    exchange(data, command, working).map_err(|source| ClientError::Unreachable {
        owner: Box::new(owner.clone()),
        source,
    })
}

fn exchange(data: &Path, command: &Command, working: &mut dyn FnMut(Work)) -> io::Result<Reply> {
    let mut connection = socket::connect(data, PATIENCE)?;
    connection.set_read_timeout(Some(PATIENCE))?;
    let mut line = serde_json::to_vec(command)?;
    line.push(b'\n');
    // A server that refuses to listen has said why.
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
