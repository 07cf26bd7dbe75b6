//! Tests of the HTTP edge when the process has run out of file descriptors. This is a separate test binary, because the limit
//! applies to the process.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::fd::AsRawFd;
use std::time::Duration;

use galley::server::Limits;
use galley_tests::{
    edge_server::{Server, limits},
    http_client::get,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Returns the processor time of this process in clock ticks (10 ms each), read from its open `stat` file.
fn ticks(mut stat: &File) -> u64 {
    let mut text = String::new();
    stat.rewind().unwrap();
    stat.read_to_string(&mut text).unwrap();
    let after_name = text.rsplit_once(") ").unwrap().1;
    let fields: Vec<_> = after_name.split(' ').collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

/// Lowers the limit so that this process can open only one more file.
fn leave_one_open_file() {
    let next = File::open("/dev/null").unwrap().as_raw_fd() as u64;
    let limit = Rlimit {
        current: Some(next + 1),
        ..getrlimit(Resource::Nofile)
    };
    setrlimit(Resource::Nofile, limit).unwrap();
}

#[test]
fn server_without_file_descriptors_waits_and_frees_some() {
    let server = Server::start(Limits {
        workers: 5,
        ..limits()
    });
    let stat = File::open("/proc/self/stat").unwrap();
    let mut busy: Vec<_> = (0..5).map(|_| server.ask(&get("/gate"))).collect();
    server.wait_for_workers_at_gate(5);
    leave_one_open_file();
    let mut waiting = server.ask(&get("/memory"));

    let before = ticks(&stat);
    assert!(waiting.is_open_after(Duration::from_secs(1)));
    assert!(ticks(&stat) - before < 30, "the server spins");

    server.paths.open_gate();
    for client in &mut busy {
        assert_eq!(client.respond().status, 200);
    }
    assert_eq!(
        waiting.respond().status,
        200,
        "an idle connection was closed for it"
    );
}
