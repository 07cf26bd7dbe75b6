//! Commands to a running server: on a socket in the data folder, which is for its owner and root alone.

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

use rustix::process::Signal;

use crate::{
    folder::{Folder, post},
    program::{Served, galley, run},
};

/// More than commands can be carried out at once.
const MANY: usize = 200;

/// A user who owns nothing.
const SOMEBODY: u32 = 65_534;

fn site() -> Folder {
    Folder::with(&[("posts/a.md", &post("A", ""))])
}

fn socket(folder: &Folder) -> PathBuf {
    folder.data().join("galley.sock")
}

fn status(folder: &Folder) -> String {
    let said = run(folder, &["status", "--data", "data"]);
    assert_eq!(said.code, Some(0), "{}", said.err);
    said.out
}

#[test]
fn the_socket_is_for_the_owner_alone_and_goes_with_the_server() {
    let folder = site();
    let served = Served::start(&folder, &[]);
    let found = fs::symlink_metadata(socket(&folder)).expect("a socket");
    assert!(found.file_type().is_socket());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    let lock = fs::read_to_string(folder.data().join("galley.lock")).expect("a lock file");
    assert!(!lock.contains("port") && !lock.contains("token"), "{lock}");
    served.stop(Signal::TERM);
    assert!(!socket(&folder).exists());
}

#[test]
fn connections_that_say_nothing_keep_no_command_waiting() {
    let folder = site();
    let served = Served::start(&folder, &[]);
    let connect = |_| UnixStream::connect(socket(&folder)).expect("a connection");
    let silent: Vec<UnixStream> = (0..MANY).map(connect).collect();
    // Some begin a command and never end it.
    for mut stream in silent.iter().step_by(2) {
        // The oldest are closed by now.
        let _ = stream.write_all(b"{\"backup\":");
    }
    assert!(status(&folder).contains("served by"));
    // They do not keep the server from stopping either.
    served.stop(Signal::TERM);
    drop(silent);
}

#[test]
fn what_is_no_command_is_answered_with_what_is_wrong() {
    let folder = site();
    let _served = Served::start(&folder, &[]);
    let mut stream = UnixStream::connect(socket(&folder)).expect("a connection");
    stream.write_all(b"{\"dance\":1}\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.contains("The command cannot be read"), "{answer}");
}

#[test]
fn after_a_server_was_killed_commands_work_and_the_next_server_takes_them() {
    let folder = site();
    let served = Served::start(&folder, &[]);
    served.stop(Signal::KILL);
    assert!(socket(&folder).exists(), "it was killed");
    assert!(status(&folder).contains("not being served"));
    let _served = Served::start(&folder, &[]);
    assert!(status(&folder).contains("served by"));
}

#[test]
fn a_data_folder_may_have_a_path_that_is_longer_than_an_address_of_a_socket() {
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
    let _served = Served::greeted(&mut galley(&folder, command));
    let said = run(&folder, &["status", "--data", &data]);
    assert!(said.out.contains("served by"), "{}", said.err);
    let mode = fs::symlink_metadata(Path::new(&data).join("galley.sock")).expect("a socket");
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
}

#[test]
fn another_user_is_refused_even_where_the_files_are_open_to_everybody() {
    if !rustix::process::geteuid().is_root() {
        // Only root can be somebody else. Which users are refused is also held beside the code.
        return;
    }
    let folder = site();
    let _served = Served::start(&folder, &[]);
    let program = folder.top().join("galley");
    fs::copy(env!("CARGO_BIN_EXE_galley"), &program).expect("a copy");
    for (path, mode) in [
        (folder.top().to_owned(), 0o755),
        (program.clone(), 0o755),
        (folder.data(), 0o755),
        (folder.data().join("galley.lock"), 0o644),
        (socket(&folder), 0o666),
    ] {
        fs::set_permissions(path, Permissions::from_mode(mode)).expect("a mode");
    }
    let said = std::process::Command::new(&program)
        .current_dir(folder.top())
        .args(["status", "--data", "data"])
        .env_clear()
        .uid(SOMEBODY)
        .output()
        .expect("the program runs");
    let err = String::from_utf8_lossy(&said.stderr);
    assert_eq!(said.status.code(), Some(1), "{err}");
    assert!(
        err.contains("Only the user that the server runs as"),
        "{err}"
    );
}

#[test]
fn a_server_of_an_earlier_version_is_named_with_what_to_do() {
    let folder = site();
    fs::create_dir(folder.data()).expect("a folder");
    let lock = folder.data().join("galley.lock");
    let earlier = r#"{"pid": 7, "version": "0.0.9", "started_at": "2026-01-01T00:00:00Z",
        "address": "http://127.0.0.1:2368/", "control_port": 40001, "control_token": "SECRET"}"#;
    fs::write(&lock, earlier).expect("written");
    let file = fs::File::open(&lock).expect("a lock file");
    file.lock().expect("a lock");
    let said = run(&folder, &["status", "--data", "data"]);
    assert_eq!(said.code, Some(1));
    for part in ["Galley 0.0.9, process 7", "Stop it, and start it again"] {
        assert!(said.err.contains(part), "{}", said.err);
    }
    assert!(!said.err.contains("SECRET"), "{}", said.err);
}

#[test]
fn a_file_in_the_place_of_the_socket_is_left_and_named() {
    let folder = site();
    fs::create_dir(folder.data()).expect("a folder");
    fs::write(socket(&folder), "mine").expect("written");
    let said = run(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    assert_eq!(said.code, Some(1));
    assert!(
        said.err
            .contains("cannot take commands at data/galley.sock"),
        "{}",
        said.err
    );
    assert_eq!(fs::read_to_string(socket(&folder)).expect("a file"), "mine");
}
