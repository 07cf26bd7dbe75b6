//! The command's end of the control connection.

use std::{
    io::{self, BufRead, BufReader, Write},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use super::{Command, Message, Reply, Work};
use crate::data_folder::Owner;

/// How long the server may be silent. It says every second that it is at work.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It takes no commands, or not yet.
    #[error("{0} is just starting, or carries out a command itself; try again in a moment")]
    NotReady(Box<Owner>),
    /// It does not answer.
    #[error("{owner} does not answer: {source}")]
    Unreachable {
        /// Who has the data folder.
        owner: Box<Owner>,
        /// What went wrong.
        source: io::Error,
    },
}

/// Has the server that owns a data folder carry out a command; `working` is told how far it is.
///
/// # Errors
///
/// When the server cannot be reached or does not answer sensibly.
pub fn ask(
    owner: &Owner,
    command: &Command,
    working: &mut dyn FnMut(Work),
) -> Result<Reply, ClientError> {
    let (Some(port), Some(token)) = (owner.control_port, owner.control_token.clone()) else {
        return Err(ClientError::NotReady(Box::new(owner.clone())));
    };
    let message = Message {
        token,
        command: command.clone(),
    };
    exchange(port, &message, working).map_err(|source| ClientError::Unreachable {
        owner: Box::new(owner.clone()),
        source,
    })
}

fn exchange(port: u16, message: &Message, working: &mut dyn FnMut(Work)) -> io::Result<Reply> {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    connection.write_all(&line)?;
    let mut replies = BufReader::new(connection);
    loop {
        let mut line = Vec::new();
        if replies.read_until(b'\n', &mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match serde_json::from_slice(&line)? {
            Reply::Working(work) => working(work),
            reply => return Ok(reply),
        }
    }
}
