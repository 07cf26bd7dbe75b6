//! Tests of `galley serve`: its output, start and stop.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    time::Duration,
};

use galley_tests::{
    command_line::{fetch, galley, has_content, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    wait_for, wait_until,
};
use rustix::process::Signal;
use serde_json::Value;

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
    let output = run(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
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
    let output = run(
        &folder,
        &["serve", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("galley.redb"), "{}", output.err);
    let unchanged = std::fs::read(folder.data().join("galley.redb")).expect("the file exists");
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
    std::thread::sleep(Duration::from_millis(200));
    rustix::process::kill_process(served.pid(), Signal::TERM).expect("the process exists");
    std::thread::sleep(Duration::from_millis(200));
    write!(connection, "{rest} HTTP/1.1\r\nHost: x\r\n\r\n").expect("the rest is sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a response");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");
    assert!(response.contains("First"), "{response}");
    let served = served;
    assert_eq!(served.wait().code, Some(0));
}

#[test]
fn log_formats_and_levels_apply() {
    let folder = Folder::with(&[
        ("posts/bad.md", "+++\ntitle = \n+++\n"),
        ("posts/x.md", "+++\ntitle = \"X\"\n+++\n"),
    ]);
    let output = GalleyProcess::serve(&folder, &["--log-format", "json"]).stop(Signal::TERM);
    for line in output.err.lines() {
        let line: Value =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(line["level"].is_string());
    }
    let levels =
        |output: &str| ["ERROR", "WARN", "INFO", "DEBUG"].map(|level| output.contains(level));
    let output = GalleyProcess::serve(&folder, &[]).stop(Signal::TERM);
    assert_eq!(
        levels(&output.err),
        [true, true, true, false],
        "{}",
        output.err
    );
    let output = GalleyProcess::serve(&folder, &["-v"]).stop(Signal::TERM);
    assert!(output.err.contains("INFO"), "{}", output.err);

    let mut command = galley(
        &folder,
        &["serve", "-q", "--listen", "127.0.0.1:0", "--data", "data"],
    );
    let mut process = command
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    let port = wait_for_address(&folder);
    assert!(TcpStream::connect(port).is_ok());
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, Signal::TERM).expect("the process exists");
    process.wait().expect("it ends");
    let output = process.wait_with_output().expect("output");
    assert!(output.stdout.is_empty());
    let err = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(levels(&err), [true, false, false, false], "{err}");
}

/// Waits until the lock file in `data` contains the server's address, and returns the address.
fn wait_for_address(folder: &Folder) -> String {
    let owner = || {
        let text = std::fs::read_to_string(folder.data().join("galley.lock")).unwrap_or_default();
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
    let words = [
        "serve",
        "--open",
        "--listen",
        "127.0.0.1:0",
        "--data",
        "data",
    ];
    let mut process = galley(&folder, &words).env("PATH", path).spawn().unwrap();
    let address = wait_for_address(&folder);
    let opened = || fs::read_to_string(folder.top().join("xdg-open.url")).unwrap_or_default();
    wait_until("the browser opens the site", || {
        opened() == format!("http://{address}/")
    });
    rustix::process::kill_process(rustix::process::Pid::from_child(&process), Signal::TERM)
        .unwrap();
    process.wait().unwrap();
}

#[test]
fn reload_applies_live_options_and_reports_the_rest() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    folder.write("../galley.toml", "[log]\nlevel = \"warn\"\n");
    let served = GalleyProcess::serve(&folder, &[]);
    let reload = || run(&folder, &["reload", "--data", "data"]);
    assert_eq!(reload().stdout(), "The configuration has no changes.\n");
    fetch(served.address(), "/readyz");

    folder.write(
        "../galley.toml",
        "[log]\naccess = true\n\n[server]\nworkers = 64\n",
    );
    let output = reload();
    let expected = "Applied: log.access, log.level. Unchanged until a restart: server.workers.\n";
    assert_eq!(output.stdout(), expected);
    fetch(served.address(), "/healthz");
    wait_until("the request is logged", || {
        served.log().contains("path=\"/healthz\"")
    });
    assert!(
        !served.log().contains("path=\"/readyz\""),
        "{}",
        served.log()
    );

    folder.write("../galley.toml", "lisen = 1\n\n[log]\nlevel = \"loud\"\n");
    let output = reload();
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("galley.toml:1:1") && output.err.contains("galley.toml:4:1"));
    let errors = "the configuration is not reloaded, and nothing is changed";
    rustix::process::kill_process(served.pid(), Signal::HUP).unwrap();
    wait_until("the error is logged", || served.log().contains(errors));
    fetch(served.address(), "/ghost/api/admin/site/");
    wait_until("the request is logged", || {
        served.log().contains("path=\"/ghost/api/admin/site/\"")
    });

    folder.write("../galley.toml", "");
    rustix::process::kill_process(served.pid(), Signal::HUP).unwrap();
    wait_until("the configuration applies", || {
        served.log().contains("Applied: log.access")
    });
    assert_eq!(served.stop(Signal::TERM).code, Some(0));
}

/// Serves a folder in a process that writes standard error to the file `log`, as if the file were systemd's journal.
fn serve_into_journal(folder: &Folder) -> std::process::Child {
    let log = fs::File::create(folder.top().join("log")).unwrap();
    let file = rustix::fs::fstat(&log).unwrap();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = galley(folder, &serve);
    command.env("JOURNAL_STREAM", format!("{}:{}", file.st_dev, file.st_ino));
    command
        .stdout(std::process::Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap()
}

/// Systemd's journal reads the priority from the beginning of each line.
#[test]
fn lines_for_the_journal_have_priorities_and_requests() {
    let folder = Folder::with(&[("posts/bad.md", "+++\ntitle = \n+++\n")]);
    let mut process = serve_into_journal(&folder);
    let address = wait_for_address(&folder);
    fetch(&address, "/healthz");
    let pid = rustix::process::Pid::from_child(&process);
    rustix::process::kill_process(pid, Signal::TERM).unwrap();
    process.wait().unwrap();
    let log = fs::read_to_string(folder.top().join("log")).unwrap();
    for line in log.lines() {
        let begin = line.get(..3).unwrap();
        assert!(["<3>", "<4>", "<6>", "<7>"].contains(&begin), "{line}");
    }
    let has = |begin: &str, text: &str| {
        let mut lines = log.lines();
        lines.any(|line| line.starts_with(begin) && line.contains(text))
    };
    assert!(has("<3>", "posts/bad.md"), "{log}");
    assert!(has("<7>", "path=\"/healthz\""), "{log}");
    assert!(has("<6>", "stopped"), "{log}");
}

#[test]
fn refused_start_is_an_error_in_the_journal() {
    let folder = Folder::new();
    let options = "log.levl = \"warn\"\nunheard_of = 1\n";
    fs::write(folder.top().join("galley.toml"), options).unwrap();
    let status = serve_into_journal(&folder).wait().unwrap();
    assert_eq!(status.code(), Some(1));
    let log = fs::read_to_string(folder.top().join("log")).unwrap();
    assert!(log.contains("unheard_of"), "{log}");
    assert!(log.lines().all(|line| line.starts_with("<3>")), "{log}");
}

#[test]
fn emptied_content_folder_is_a_warning_with_the_number_of_files() {
    let folder = Folder::with(&[
        ("posts/first.md", &post("First", "")),
        ("posts/second.md", &post("Second", "")),
    ]);
    let served = GalleyProcess::serve(&folder, &[]);
    folder.remove("posts/first.md");
    served.wait_for_titles(|titles| titles == ["Second"]);

    // An empty folder may be a disk that is not mounted.
    folder.remove("posts/second.md");
    served.wait_for_titles(|titles| titles.is_empty());

    let log = served.stop(Signal::TERM).err;
    let warnings: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("files are gone"))
        .collect();
    assert_eq!(warnings.len(), 1, "{log}");
    assert!(warnings[0].contains("files=1"), "{log}");
}
