//! Tests of `galley import`: its output, the site after a failed or killed import, and imports while the site is served.

use std::{
    fs,
    io::Write,
    path::PathBuf,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use galley_tests::{
    command_line::{CommandOutput, fetch, galley, program, run},
    folder::Folder,
    galley_process::GalleyProcess,
    wait_until,
};
use serde_json::{Value, json};

use crate::content_folder::users::run_with;

fn oid(kind: u32, number: usize) -> String {
    format!("{kind:08x}{number:016x}")
}

/// Returns a Ghost export with this number of posts.
fn export(posts: usize) -> Value {
    let text = "The lights of the town went out one by one. ".repeat(40);
    let document = json!({"root": {"children": [{"children": [{"detail": 0, "format": 0, "mode": "normal", "style": "", "text": text,
        "type": "text", "version": 1}], "direction": "ltr", "format": "", "indent": 0, "type": "paragraph", "version": 1}],
        "direction": "ltr", "format": "", "indent": 0, "type": "root", "version": 1}});
    let document = document.to_string();
    let rows: Vec<Value> = (0..posts)
        .map(|number| {
            json!({"id": oid(7, number), "uuid": format!("00000000-0000-4000-8000-{number:012x}"), "title": format!("Post {number}"),
                "slug": format!("post-{number}"), "lexical": document, "status": "published", "visibility": "public",
                "created_at": "2024-01-01T00:00:00.000Z", "updated_at": "2024-01-02T00:00:00.000Z",
                "published_at": "2024-01-01T00:00:00.000Z", "type": "post"})
        })
        .collect();
    let authors: Vec<Value> = (0..posts)
        .map(|number| json!({"post_id": oid(7, number), "author_id": oid(8, 1), "sort_order": 0}))
        .collect();
    json!({"db": [{"meta": {"version": "6.0.0"}, "data": {
        "posts": rows,
        "posts_authors": authors,
        "users": [{"id": oid(8, 1), "name": "Ada", "slug": "ada", "email": "ada@harbour.example", "created_at": "2024-01-01T00:00:00.000Z",
            "updated_at": "2024-01-01T00:00:00.000Z"}],
        "roles": [{"id": oid(9, 1), "name": "Owner"}],
        "roles_users": [{"user_id": oid(8, 1), "role_id": oid(9, 1)}],
        "settings": [{"key": "title", "value": "Brought over"}],
    }}]})
}

fn write_file(folder: &Folder, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.top().join(name);
    fs::write(&path, content).expect("the file can be written");
    path
}

/// Serves the data folder `data` without content files.
fn served(folder: &Folder, data: &str) -> GalleyProcess {
    let arguments = [
        "serve",
        "--no-content",
        "--listen",
        "127.0.0.1:0",
        "--data",
        data,
        "--url",
        "https://harbour.example",
    ];
    GalleyProcess::from_command(&mut galley(folder, &arguments))
}

#[test]
fn imported_site_is_served() {
    let folder = Folder::new();
    write_file(&folder, "site.json", export(3).to_string());
    let output = run(
        &folder,
        &[
            "import",
            "site.json",
            "--data",
            "data",
            "--url",
            "https://harbour.example",
        ],
    );
    assert_eq!((output.code, output.err.as_str()), (Some(0), ""));
    let lines: Vec<&str> = output.out.lines().map(str::trim_end).collect();
    assert_eq!(
        lines,
        [
            "            added  updated  unchanged",
            "posts           3        0          0",
            "settings        1        0          0",
            "users           1        0          0",
        ]
    );
    let served = served(&folder, "data");
    assert!(
        served.greeting.starts_with("Brought over is at"),
        "{}",
        served.greeting
    );
    assert_eq!(served.titles(), ["Post 2", "Post 1", "Post 0"]);
}

#[test]
fn json_report_is_one_object() {
    let folder = Folder::new();
    let mut export = export(1);
    export["db"][0]["data"]["mobiledoc_revisions"] = json!([{"id": oid(1, 1)}]);
    export["db"][0]["data"]["posts_authors"] = json!([]);
    write_file(&folder, "site.json", export.to_string());
    let report = run(&folder, &["import", "site.json", "--json"]).json();
    assert_eq!(
        report["counts"]["posts"],
        json!({"added": 1, "updated": 0, "unchanged": 0})
    );
    assert_eq!(report["dry_run"], false);
    assert_eq!(
        report["changed"]["notes"][0],
        json!({"subject": "post \"post-0\"", "text": "has no author in the file; a default author was set"})
    );
    assert_eq!(
        report["left_out"]["notes"][0]["subject"],
        "table mobiledoc_revisions (1 row)"
    );
    let output = run(&folder, &["import", "site.json"]);
    assert!(
        output.out.contains(
            "\nLeft out:\n  table mobiledoc_revisions (1 row): earlier versions of posts are not imported\n"
        ),
        "{}",
        output.out
    );
}

#[test]
fn dry_run_creates_no_data_folder() {
    let folder = Folder::new();
    write_file(&folder, "site.json", export(2).to_string());
    let output = run(
        &folder,
        &["import", "site.json", "--dry-run", "--data", "data"],
    );
    assert_eq!(output.code, Some(0));
    assert!(
        output.out.contains("to add  updated  unchanged\nposts"),
        "{}",
        output.out
    );
    assert!(
        output
            .out
            .ends_with("Nothing was written: this was a dry run.\n"),
        "{}",
        output.out
    );
    assert!(!folder.data().exists());
}

#[test]
fn invalid_import_is_reported_and_changes_nothing() {
    let folder = Folder::new();
    write_file(&folder, "site.json", export(2).to_string());
    run(&folder, &["import", "site.json", "--data", "data"]);
    let responses = served(&folder, "data").responses();
    let export = export(50).to_string();
    write_file(&folder, "cut.json", &export[..export.len() / 2]);
    write_file(&folder, "letter.txt", "Dear reader");
    for (file, words) in [
        ("cut.json", "of the table posts, it is truncated (at byte"),
        ("letter.txt", "cannot be imported. Name a Ghost export"),
        ("nowhere.json", "nowhere.json not found."),
    ] {
        let output = run(&folder, &["import", file, "--data", "data"]);
        assert_eq!((output.code, output.out.as_str()), (Some(1), ""));
        assert!(output.err.contains(words), "{}", output.err);
    }
    assert_eq!(run(&folder, &["import"]).code, Some(2));
    let url = run(
        &folder,
        &["import", "site.json", "--data", "data", "--url", "harbour"],
    );
    assert!(
        url.err.contains("\"harbour\" is not a valid site URL"),
        "{}",
        url.err
    );
    assert_eq!(served(&folder, "data").responses(), responses);
}

#[test]
fn running_server_imports_and_serves_immediately() {
    let folder = Folder::new();
    write_file(&folder, "site.json", export(40).to_string());
    let served = served(&folder, "data");
    let tried = run(
        &folder,
        &[
            "import",
            "site.json",
            "--data",
            "data",
            "--dry-run",
            "--json",
        ],
    )
    .json();
    assert_eq!(tried["counts"]["posts"]["added"], 40);
    assert_eq!(served.titles(), Vec::<String>::new());
    let output = run(&folder, &["import", "site.json", "--data", "data"]);
    assert_eq!(output.code, Some(0), "{}", output.err);
    assert_eq!(served.titles().len(), 40);
    let again = run(
        &folder,
        &["import", "site.json", "--data", "data", "--json"],
    )
    .json();
    assert_eq!(
        again["counts"]["posts"],
        json!({"added": 0, "updated": 0, "unchanged": 40})
    );
    let broken = run(&folder, &["import", "nowhere.json", "--data", "data"]);
    assert_eq!(broken.code, Some(1));
    assert!(
        broken.err.contains("nowhere.json not found"),
        "{}",
        broken.err
    );
}

#[test]
fn import_does_not_block_commands_and_readers() {
    let folder = Folder::new();
    write_file(&folder, "site.json", export(1500).to_string());
    let served = served(&folder, "data");
    let key = served.proposed_path().to_owned();
    let mut importing = start(&folder, &["import", "site.json", "--data", "data"]);
    let mut rounds = 0;
    while importing.try_wait().expect("a child process").is_none() {
        let began = Instant::now();
        let status = run(&folder, &["status", "--data", "data", "--json"]).json();
        fetch(served.address(), &key);
        assert!(began.elapsed() < Duration::from_secs(5));
        let posts = status["counts"]["posts published"].as_u64();
        assert!(
            matches!(posts, Some(0 | 1500)),
            "a partial import is visible: {posts:?}"
        );
        rounds += 1;
    }
    assert!(
        rounds > 1,
        "commands waited for the import, or it ended too early"
    );
    assert_eq!(output_of(importing).code, Some(0));
}

#[test]
fn import_is_cancelled_on_disconnect_or_shutdown() {
    let folder = Folder::new();
    write_file(&folder, "site.json", export(3000).to_string());
    let served = served(&folder, "data");
    let start_importing = || {
        let importing = start(&folder, &["import", "site.json", "--data", "data"]);
        wait_until_connected(&importing);
        thread::sleep(Duration::from_millis(300));
        importing
    };
    let mut importing = start_importing();
    importing.kill().expect("the process is killed");
    importing.wait().expect("the process has ended");
    let importing = start_importing();
    let began = Instant::now();
    assert_eq!(served.stop(rustix::process::Signal::TERM).code, Some(0));
    assert!(began.elapsed() < Duration::from_secs(15));
    let output = output_of(importing);
    assert_eq!(output.code, Some(1));
    assert!(
        output.err.contains("it was cancelled; nothing has changed"),
        "{}",
        output.err
    );
    let status = run(&folder, &["status", "--data", "data", "--json"]).json();
    assert_eq!(status["counts"]["posts published"], 0);
}

#[test]
fn killed_import_is_all_or_nothing() {
    let folder = Folder::new();
    write_file(&folder, "first.json", export(1).to_string());
    write_file(&folder, "site.json", export(600).to_string());
    let import = |data: &str| ["import", "site.json", "--data", data].map(str::to_owned);
    run(&folder, &["import", "first.json", "--data", "undisturbed"]);
    let began = Instant::now();
    assert_eq!(
        run(
            &folder,
            &import("undisturbed").each_ref().map(String::as_str)
        )
        .code,
        Some(0)
    );
    let duration = began.elapsed();

    for round in 0..6 {
        let data = format!("data-{round}");
        run(&folder, &["import", "first.json", "--data", &data]);
        let arguments = import(&data);
        let mut process = start(&folder, &arguments.each_ref().map(String::as_str));
        thread::sleep(duration * round / 6);
        process.kill().expect("the process is killed");
        process.wait().expect("the process has ended");

        let status = run(&folder, &["status", "--data", &data, "--json"]).json();
        let posts = status["counts"]["posts published"].as_u64();
        assert!(matches!(posts, Some(1 | 600)), "round {round}: {posts:?}");
        let mut names: Vec<String> = fs::read_dir(folder.top().join(&data))
            .expect("a folder")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort();
        assert_eq!(names, ["galley.lock", "galley.redb"]);
        let again = run(&folder, &arguments.each_ref().map(String::as_str));
        assert_eq!(again.code, Some(0), "{}", again.err);
    }
}

#[test]
fn malformed_files_of_any_length_take_little_memory() {
    const LENGTH: usize = 80 << 20;
    let folder = Folder::new();
    write_file(&folder, "site.json", export(1).to_string());
    let small = peak_memory(&folder, "site.json", 0);
    for (head, filling) in [
        ("{\"nonsense\": [", "1, \"a\", {\"b\": [null]}, "),
        (
            "{\"data\": {\"posts\": [{\"title\": \"",
            "text without an end ",
        ),
    ] {
        let mut file = fs::File::create(folder.top().join("nonsense.json")).expect("a file");
        file.write_all(head.as_bytes()).expect("written");
        let filling = filling.repeat((1 << 20) / filling.len());
        for _ in 0..LENGTH / filling.len() {
            file.write_all(filling.as_bytes()).expect("written");
        }
        let grown = peak_memory(&folder, "nonsense.json", 1).saturating_sub(small);
        // A row is buffered completely, in a buffer of up to twice its length.
        assert!(grown < 70 << 20, "{head}: {} MB", grown >> 20);
    }
}

/// Imports a file, asserts the exit code, and returns the peak memory of the process in bytes.
fn peak_memory(folder: &Folder, file: &str, code: i32) -> u64 {
    let program = fs::canonicalize(program()).expect("the program is built");
    let mut process = start(folder, &["import", file, "--data", "data"]);
    let status = format!("/proc/{}/status", process.id());
    let executable = format!("/proc/{}/exe", process.id());
    let mut peak = 0;
    while process.try_wait().expect("a child process").is_none() {
        // Before it executes the program, the child shares the memory of this process (`vfork`).
        if fs::read_link(&executable).is_ok_and(|path| path != program) {
            continue;
        }
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        thread::sleep(Duration::from_millis(2));
    }
    let output = output_of(process);
    assert_eq!(output.code, Some(code), "{}", output.err);
    peak
}

fn start(folder: &Folder, arguments: &[&str]) -> Child {
    galley(folder, arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts")
}

/// Waits until a process is connected to the running server.
fn wait_until_connected(process: &Child) {
    let is_connected = || {
        let open =
            fs::read_dir(format!("/proc/{}/fd", process.id())).expect("the process is running");
        open.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
            .any(|file| file.to_string_lossy().starts_with("socket:"))
    };
    wait_until("the command connects", is_connected);
}

/// Waits until a process ends, and returns its output.
fn output_of(mut process: Child) -> CommandOutput {
    wait_until("the process ends", || {
        let status = process.try_wait();
        status.expect("a child process").is_some()
    });
    CommandOutput::from(process.wait_with_output().expect("the output"))
}

#[test]
fn email_secret_of_ghost_is_read_from_standard_input() {
    let folder = Folder::new();
    write_file(&folder, "members.csv", "email\nana@example.com\n");
    let import = [
        "import",
        "members.csv",
        "--email-auth-secret-stdin",
        "--data",
        "data",
    ];
    let output = run_with(&folder, &import, " \n");
    assert!(
        output.err.contains("standard input has no secret"),
        "{}",
        output.err
    );
    let output = run_with(&folder, &import, "0123456789abcdef\n");
    assert!(
        output.out.contains("secrets        1        0          0"),
        "{}",
        output.out
    );
    let output = run_with(&folder, &import, "0123456789abcdef\n");
    assert!(
        output.out.contains("secrets        0        0          1"),
        "{}",
        output.out
    );
}
