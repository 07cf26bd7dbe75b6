//! The control socket of a server: a file in the data folder that only its owner may connect to.

use std::{
    fs::{self, File, Permissions},
    io,
    os::{
        fd::AsRawFd,
        unix::{
            fs::{FileTypeExt, PermissionsExt},
            net::{UnixListener, UnixStream},
        },
    },
    path::Path,
    time::Duration,
};

use rustix::{
    net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt},
    process::{Uid, geteuid},
};

use crate::data_folder::CONTROL_SOCKET;

const MODE: u32 = 0o600;

/// Number of connections that may wait to be accepted.
const BACKLOG: i32 = 128;

/// Folder that lists the open files of this process.
const OPEN_FILES: &str = "/proc/self/fd";

/// Creates the socket in the data folder `data`. The caller has locked the folder, so an existing
/// socket was left by a killed process and is replaced.
///
/// # Errors
///
/// If the operating system refuses.
pub fn listen(data: &Path) -> io::Result<UnixListener> {
    let path = data.join(CONTROL_SOCKET);
    if path
        .symlink_metadata()
        .is_ok_and(|found| found.file_type().is_socket())
    {
        fs::remove_file(&path)?;
    }
    let socket = UnixListener::from(new_socket()?);
    at_address(data, |address| net::bind(&socket, address))?;
    // Until the socket listens, no client can connect, so the permissions are set in time.
    fs::set_permissions(&path, Permissions::from_mode(MODE))?;
    net::listen(&socket, BACKLOG)?;
    Ok(socket)
}

/// Connects to the server that owns the data folder `data`. The connection attempt and each write
/// wait for at most `patience`.
///
/// # Errors
///
/// If the operating system refuses.
pub fn connect(data: &Path, patience: Duration) -> io::Result<UnixStream> {
    let socket = UnixStream::from(new_socket()?);
    socket.set_write_timeout(Some(patience))?;
    at_address(data, |address| net::connect(&socket, address))?;
    Ok(socket)
}

/// Returns whether the process at the other end may send commands: whether it runs as the same user
/// or as root.
///
/// The mode of the socket already restricts access to these users. The credentials of a process in
/// another PID namespace (of the host, in a container) cannot be read, because its process number
/// is 0 here. Only the mode decides in that case.
pub fn is_trusted(connection: &UnixStream) -> bool {
    let peer = sockopt::socket_peercred(connection).map(|credentials| credentials.uid);
    peer.map_or(true, |peer| may_command(peer, geteuid()))
}

fn may_command(peer: Uid, own: Uid) -> bool {
    peer.is_root() || peer == own
}

fn new_socket() -> io::Result<std::os::fd::OwnedFd> {
    // The listener of the standard library binds and listens in one step, which leaves no time to
    // set the permissions in between.
    let socket = net::socket_with(
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    );
    Ok(socket?)
}

/// Calls `call` with the address of the socket. An address can contain 107 bytes. If the path is
/// longer, the folder is addressed by its number among the open files of this process.
fn at_address(
    data: &Path,
    call: impl FnOnce(&SocketAddrUnix) -> rustix::io::Result<()>,
) -> io::Result<()> {
    if let Ok(address) = SocketAddrUnix::new(data.join(CONTROL_SOCKET)) {
        return Ok(call(&address)?);
    }
    // Open until the call has returned, because the short address contains its number.
    let folder = File::open(data)?;
    let short = format!("{OPEN_FILES}/{}/{CONTROL_SOCKET}", folder.as_raw_fd());
    Ok(call(&SocketAddrUnix::new(short)?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_user_and_root_may_send_commands() {
        let [root, own, other] = [0, 1000, 1001].map(Uid::from_raw);
        assert!(may_command(own, own) && may_command(root, own));
        assert!(!may_command(other, own) && !may_command(own, root));
    }
}
