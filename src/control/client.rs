//! The command's end of the control connection.

use std::{
    io::{self, Read, Write},
    net::{Ipv4Addr, TcpStream},
    time::Duration,
};

use super::{Command, Message, Reply};
use crate::data_folder::Owner;

/// How long the server may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The running server could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// It takes no commands yet.
    #[error("{0} is just starting; try again in a moment")]
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

/// Has the server that owns a data folder carry out a command.
///
/// # Errors
///
/// When the server cannot be reached or does not answer sensibly.
pub fn ask(owner: &Owner, command: &Command) -> Result<Reply, ClientError> {
    let (Some(port), Some(token)) = (owner.control_port, owner.control_token.clone()) else {
        return Err(ClientError::NotReady(Box::new(owner.clone())));
    };
    let message = Message {
        token,
        command: command.clone(),
    };
    exchange(port, &message).map_err(|source| ClientError::Unreachable {
        owner: Box::new(owner.clone()),
        source,
    })
}

fn exchange(port: u16, message: &Message) -> io::Result<Reply> {
    let mut connection = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    connection.set_read_timeout(Some(PATIENCE))?;
    connection.set_write_timeout(Some(PATIENCE))?;
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    connection.write_all(&line)?;
    let mut reply = Vec::new();
    connection.read_to_end(&mut reply)?;
    Ok(serde_json::from_slice(&reply)?)
}
