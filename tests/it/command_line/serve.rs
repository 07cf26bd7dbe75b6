//! Tests of `galley serve`: its output, start and stop.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    thread,
    time::Duration,
};

use galley_tests::{
    command_line::{fetch, galley, has_content, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_for, wait_until,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Serves the data folder `data` on a free port.
pub(super) const SERVE: [&str; 5] = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];

fn one_post() -> Folder {
    Folder::with(&[("posts/first.md", &post("First", ""))])
}

#[test]
fn galley_without_arguments_serves_content_and_prints_a_working_request() {
    let folder = one_post();
    let mut command = galley(&folder, &[]);
    let served = GalleyProcess::from_command(command.env("GALLEY_LISTEN", "127.0.0.1:0"));
    let response: Value =
        serde_json::from_str(&fetch(served.address(), served.proposed_path())).expect("JSON");
    assert_eq!(response["posts"][0]["title"], "First");
    let url = format!("http://{}/first/", served.address());
    assert_eq!(response["posts"][0]["url"], url);
    assert!(has_content(&folder.top().join("galley-data/galley.redb")));
    assert!(
        served.greeting.contains("Content API key: "),
        "{}",
        served.greeting
    );
}

#[test]
fn printed_request_works_with_prefix_and_subdirectory() {
    let folder = one_post();
    folder.write("../galley.toml", "path_prefix = \"cms\"\n");
    let served = GalleyProcess::serve(&folder, &["--url", "https://example.com/blog"]);
    assert!(
        served.greeting.contains("is at https://example.com/blog/"),
        "{}",
        served.greeting
    );
    assert!(served.proposed_path().starts_with("/blog/cms/api/content/"));
    let response = fetch(served.address(), served.proposed_path());
    assert!(
        response.contains("https://example.com/blog/first/"),
        "{response}"
    );
}

#[test]
fn content_key_is_stable_across_restarts() {
    let folder = one_post();
    let key = |served: &GalleyProcess| served.proposed_path().to_owned();
    let first = GalleyProcess::serve(&folder, &[]);
    let expected = key(&first);
    assert_eq!(first.stop(Signal::TERM).code, Some(0));
    assert_eq!(key(&GalleyProcess::serve(&folder, &[])), expected);
}

#[test]
fn store_is_served_without_a_content_folder() {
    let folder = one_post();
    GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    folder.write("posts/second.md", post("Second", ""));
    let served = GalleyProcess::serve(&folder, &["--no-content"]);
    assert_eq!(served.titles(), ["First"]);
}

#[test]
fn folder_may_be_a_positional_argument_as_for_check_and_import() {
    let folder = Folder::new();
    folder.write("../elsewhere/posts/first.md", post("First", ""));
    let served = GalleyProcess::serve(&folder, &["elsewhere"]);
    let response: Value =
        serde_json::from_str(&fetch(served.address(), served.proposed_path())).expect("JSON");
    assert_eq!(response["posts"][0]["title"], "First");
    drop(served);

    for (arguments, reason) in [
        (&["serve", "none"][..], "there is no folder none"),
        (
            &["serve", "elsewhere", "--no-content"],
            "cannot be used with",
        ),
        (
            &["serve", "elsewhere", "--content", "content"],
            "cannot be used with",
        ),
        (
            &["serve", "elsewhere", "--git", "https://example.com/a"],
            "cannot be used with",
        ),
        (&["serve", "elsewhere", "content"], "unexpected argument"),
    ] {
        let output = run(&folder, arguments);
        assert_ne!(output.code, Some(0), "{arguments:?}");
        assert!(output.err.contains(reason), "{arguments:?}: {}", output.err);
    }
    folder.write("../elsewhere/galley.toml", "");
    let output = run(&folder, &["serve", "elsewhere"]);
    assert!(
        output.err.contains("it is the folder of a site"),
        "{}",
        output.err
    );
}

#[test]
fn content_file_settings_apply_to_every_command() {
    let folder = Folder::new();
    folder.write(
        "../elsewhere/galley.toml",
        "[content_files]\nposts = [\"log/**\"]\n",
    );
    folder.write("../elsewhere/log/ferry.md", "# Ferry\n\nWe left.\n");
    folder.write("../elsewhere/notes/knots.md", "# Knots\n\nOf all kinds.\n");

    let explained = run(&folder, &["check", "elsewhere", "--explain"]);
    assert!(
        explained.out.contains("log/ferry.md: a post")
            && explained.out.contains("notes/knots.md: a page"),
        "{}",
        explained.out
    );
    let imported = run(&folder, &["import", "elsewhere", "--dry-run", "--json"]).json();
    assert_eq!(imported["counts"]["posts"]["added"], 1, "{imported}");
    for arguments in [&["elsewhere"][..], &["--content", "elsewhere"]] {
        let served = GalleyProcess::serve(&folder, arguments);
        assert_eq!(served.titles(), ["Ferry"], "{arguments:?}");
    }
}

#[test]
fn missing_content_folder_is_reported_and_nothing_is_created() {
    let folder = Folder::new();
    let output = run(&folder, &["serve", "--content", "nowhere"]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("there is no folder nowhere"),
        "{}",
        output.err
    );
    assert!(output.err.contains("--no-content"));
    assert!(!folder.top().join("galley-data").exists());
}

#[test]
fn second_server_on_a_data_folder_names_the_owner() {
    let folder = one_post();
    let served = GalleyProcess::serve(&folder, &[]);
    let output = run(&folder, &SERVE);
    assert_eq!(output.code, Some(1));
    let pid = served.pid().as_raw_nonzero();
    assert!(
        output
            .err
            .contains("the data folder data is in use by Galley"),
        "{}",
        output.err
    );
    assert!(
        output.err.contains(&format!("process {pid}")),
        "{}",
        output.err
    );
    assert!(
        output
            .err
            .contains(&format!("at http://{}/", served.address())),
        "{}",
        output.err
    );
    assert_eq!(served.titles(), ["First"]);
}

#[test]
fn port_in_use_is_reported() {
    let folder = one_post();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let output = run(&folder, &["serve", "--listen", &address]);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains(&format!("cannot listen on {address}")),
        "{}",
        output.err
    );
    assert!(output.err.contains("--listen"));
}

#[test]
fn invalid_store_is_reported_and_left_unchanged() {
    let folder = one_post();
    folder.write("../data/galley.redb", "this is not a store");
    let output = run(&folder, &SERVE);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("galley.redb"), "{}", output.err);
    let unchanged = fs::read(folder.data().join("galley.redb")).expect("the file exists");
    assert_eq!(unchanged, b"this is not a store");
}

#[test]
fn both_signals_stop_gracefully_and_release_the_data_folder() {
    let folder = one_post();
    for signal in [Signal::TERM, Signal::INT] {
        let output = GalleyProcess::serve(&folder, &[]).stop(signal);
        assert_eq!(output.code, Some(0), "{}", output.err);
        assert!(output.err.contains("stopped"), "{}", output.err);
    }
    assert!(!has_content(&folder.data().join("galley.lock")));
}

#[test]
fn request_in_flight_is_finished_before_exit() {
    let folder = one_post();
    let served = GalleyProcess::serve(&folder, &[]);
    let path = served.proposed_path().to_owned();
    let mut connection = TcpStream::connect(served.address()).expect("a connection");
    let (start, rest) = path.split_at(10);
    write!(connection, "GET {start}").expect("half of the request line is sent");
    thread::sleep(Duration::from_millis(200));
    kill_process(served.pid(), Signal::TERM).expect("the process exists");
    thread::sleep(Duration::from_millis(200));
    write!(connection, "{rest} HTTP/1.1\r\nHost: x\r\n\r\n").expect("the rest is sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a response");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains("First"), "{response}");
    assert_eq!(served.wait().code, Some(0));
}

/// Waits until the lock file in `data` contains the server's address, and returns it, such as `127.0.0.1:40123`.
pub(super) fn wait_for_address(folder: &Folder) -> String {
    let owner = || {
        let text = fs::read_to_string(folder.data().join("galley.lock")).unwrap_or_default();
        serde_json::from_str::<Value>(&text).unwrap_or_default()
    };
    let owner = wait_for("the server writes its address", owner, |owner| {
        owner["address"].is_string()
    });
    let address = owner["address"].as_str().expect("an address");
    let address = address.trim_start_matches("http://");
    address.trim_end_matches('/').to_owned()
}

#[test]
fn site_opens_in_the_browser_on_request() {
    let folder = one_post();
    let opener = folder.top().join("xdg-open");
    fs::write(&opener, "#!/bin/sh\nprintf %s \"$1\" > \"$0.url\"\n").unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.top().display());
    let arguments = [&SERVE[..], &["--open"]].concat();
    let mut process = galley(&folder, &arguments)
        .env("PATH", path)
        .spawn()
        .unwrap();
    let address = wait_for_address(&folder);
    let opened = || fs::read_to_string(folder.top().join("xdg-open.url")).unwrap_or_default();
    wait_until("the browser opens the site", || {
        opened() == format!("http://{address}/")
    });
    kill_process(Pid::from_child(&process), Signal::TERM).unwrap();
    process.wait().unwrap();
}
