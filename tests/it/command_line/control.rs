//! Tests of commands to a running server on the socket in the data folder, which only its owner and root may use.

use std::{
    fs::{self, Permissions},
    io::{Read, Write},
    os::unix::{
        fs::{FileTypeExt, PermissionsExt},
        net::UnixStream,
        process::CommandExt,
    },
    path::{Path, PathBuf},
};

use galley_tests::{
    command_line::{galley, program, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use rustix::process::Signal;

/// More connections than commands that can run at the same time.
const CONNECTIONS: usize = 200;

/// The id of a user who owns no files.
const OTHER_USER: u32 = 65_534;

fn site() -> Folder {
    Folder::with(&[("posts/a.md", &post("A", ""))])
}

fn socket(folder: &Folder) -> PathBuf {
    folder.data().join("galley.sock")
}

fn status(folder: &Folder) -> String {
    let output = run(folder, &["status", "--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    output.out
}

#[test]
fn control_socket_is_private_and_removed_with_the_server() {
    let folder = site();
    let served = GalleyProcess::serve(&folder, &[]);
    let found = fs::symlink_metadata(socket(&folder)).expect("a socket");
    assert!(found.file_type().is_socket());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let lock = fs::read_to_string(folder.data().join("galley.lock")).expect("a lock file");
    assert!(!lock.contains("port") && !lock.contains("token"), "{lock}");
    served.stop(Signal::TERM);
    assert!(!socket(&folder).exists());
}

#[test]
fn silent_connections_do_not_block_commands() {
    let folder = site();
    let served = GalleyProcess::serve(&folder, &[]);
    let connect = |_| UnixStream::connect(socket(&folder)).expect("a connection");
    let silent: Vec<UnixStream> = (0..CONNECTIONS).map(connect).collect();
    // Every other connection begins a command and never completes it.
    for mut stream in silent.iter().step_by(2) {
        // The server may have closed the oldest connections already.
        let _ = stream.write_all(b"{\"backup\":");
    }
    assert!(status(&folder).contains("served by"));
    // The connections do not delay the shutdown either.
    served.stop(Signal::TERM);
    drop(silent);
}

#[test]
fn invalid_command_gets_an_error() {
    let folder = site();
    let _served = GalleyProcess::serve(&folder, &[]);
    let mut stream = UnixStream::connect(socket(&folder)).expect("a connection");
    stream.write_all(b"{\"dance\":1}\n").expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    assert!(
        response.contains("The command cannot be read"),
        "{response}"
    );
}

#[test]
fn commands_work_after_a_kill_and_with_the_next_server() {
    let folder = site();
    let served = GalleyProcess::serve(&folder, &[]);
    served.stop(Signal::KILL);
    assert!(
        socket(&folder).exists(),
        "a killed server leaves its socket"
    );
    assert!(status(&folder).contains("not being served"));
    let _served = GalleyProcess::serve(&folder, &[]);
    assert!(status(&folder).contains("served by"));
}

#[test]
fn data_folder_path_may_exceed_the_socket_path_limit() {
    let folder = site();
    let long = Path::new("a")
        .join("deep".repeat(50))
        .join("er".repeat(100));
    fs::create_dir_all(folder.top().join(&long)).expect("folders");
    fs::rename(folder.content(), folder.top().join(&long).join("content")).expect("moved");
    let data = folder.top().join(&long).join("data").display().to_string();
    let command = &[
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--data",
        &data,
        "--no-content",
    ];
    let _served = GalleyProcess::from_command(&mut galley(&folder, command));
    let output = run(&folder, &["status", "--data", &data]);
    assert!(output.out.contains("served by"), "{}", output.err);
    let mode = fs::symlink_metadata(Path::new(&data).join("galley.sock")).expect("a socket");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
}

#[test]
fn another_user_is_rejected_even_with_open_permissions() {
    if !rustix::process::geteuid().is_root() {
        // Only root can run a process as another user. Unit tests in the source also check which users are rejected.
        return;
    }
    let folder = site();
    let _served = GalleyProcess::serve(&folder, &[]);
    let copy = folder.top().join("galley");
    // Copied with `cp`, because a process that another test starts may inherit a file that this process has open for writing, and
    // such a file cannot be executed.
    let copied = std::process::Command::new("cp")
        .args([&program(), &copy])
        .status();
    assert!(copied.expect("cp runs").success());
    for (path, mode) in [
        (folder.top().to_owned(), 0o755),
        (copy.clone(), 0o755),
        (folder.data(), 0o755),
        (folder.data().join("galley.lock"), 0o644),
        (socket(&folder), 0o666),
    ] {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    }
    let output = std::process::Command::new(&copy)
        .current_dir(folder.top())
        .args(["status", "--data", "data"])
        .env_clear()
        .uid(OTHER_USER)
        .output()
        .expect("the program runs");
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(
        err.contains("Only the user that the server runs as"),
        "{err}"
    );
}

#[test]
fn server_of_an_earlier_version_is_reported_with_advice() {
    let folder = site();
    fs::create_dir(folder.data()).expect("a folder");
    let lock = folder.data().join("galley.lock");
    let earlier = r#"{"pid": 7, "version": "0.0.9", "started_at": "2026-01-01T00:00:00Z",
        "address": "http://127.0.0.1:2368/", "control_port": 40001, "control_token": "SECRET"}"#;
    fs::write(&lock, earlier).expect("written");
    let file = fs::File::open(&lock).expect("a lock file");
    file.lock().expect("a lock");
    let output = run(&folder, &["status", "--data", "data"]);
    assert_eq!(output.code, Some(1));
    for part in ["Galley 0.0.9, process 7", "Stop it and start it again"] {
        assert!(output.err.contains(part), "{}", output.err);
    }
    assert!(!output.err.contains("SECRET"), "{}", output.err);
}

#[test]
fn file_instead_of_the_socket_is_preserved_and_reported() {
    let folder = site();
    fs::create_dir(folder.data()).expect("a folder");
    fs::write(socket(&folder), "mine").expect("written");
    let output = run(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    assert_eq!(output.code, Some(1));
    assert!(
        output
            .err
            .contains("cannot open the control socket data/galley.sock"),
        "{}",
        output.err
    );
    assert_eq!(fs::read_to_string(socket(&folder)).expect("a file"), "mine");
}
