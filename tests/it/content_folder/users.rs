//! Tests of `galley user`, with and without a running server.

use std::{io::Write, process::Stdio};

use galley_tests::{
    command_line::{CommandOutput, galley, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
};
use serde_json::{Value, json};

const ADA: [&str; 8] = [
    "user",
    "create",
    "--name",
    "Ada Lovelace",
    "--email",
    "ada@example.com",
    "--role",
    "owner",
];

/// Creates a folder of a site that requires no sign-in code.
fn folder(files: &[(&str, &str)]) -> Folder {
    let folder = Folder::with(files);
    let configuration = "[staff]\ndevice_verification = false\n";
    std::fs::write(folder.top().join("galley.toml"), configuration).expect("the file is written");
    folder
}

/// Runs the program with these arguments and `line` as its standard input.
pub fn run_with(folder: &Folder, arguments: &[&str], line: &str) -> CommandOutput {
    let mut process = galley(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut input = process.stdin.take().expect("a pipe");
    writeln!(input, "{line}").expect("the line is written");
    drop(input);
    CommandOutput::from(process.wait_with_output().expect("the program ends"))
}

/// Signs in and returns the response's status.
fn sign_in(address: &str, email: &str, password: &str) -> u16 {
    use std::io::Read;
    let body = json!({"username": email, "password": password}).to_string();
    let mut connection = std::net::TcpStream::connect(address).expect("a connection");
    write!(
        connection,
        "POST /ghost/api/admin/session/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a response");
    let status = response.split(' ').nth(1).expect("a status");
    status.parse().expect("a number")
}

fn password_of(output: &CommandOutput) -> String {
    let account: Value = output.json();
    account["password"].as_str().expect("a password").to_owned()
}

#[test]
fn owner_is_set_up_without_browser_and_mail() {
    let folder = folder(&[("posts/a.md", &post("A", ""))]);
    let made = run(&folder, &[&ADA[..], &["--data", "data", "--json"]].concat());
    assert_eq!(made.code, Some(0), "{}", made.err);
    let account = made.json();
    assert_eq!(account["role"], "Owner");
    assert_eq!(account["slug"], "ada");
    assert_eq!(account["status"], "active");

    let served = GalleyProcess::serve(&folder, &[]);

    let password = password_of(&made);
    assert_eq!(
        sign_in(served.address(), "ada@example.com", "not that one"),
        422
    );
    assert_eq!(sign_in(served.address(), "ada@example.com", &password), 201);
    let list = run(&folder, &["user", "list", "--data", "data"]);
    assert!(
        list.out
            .contains("Ada Lovelace <ada@example.com>\n  Owner, active, last seen 2"),
        "{}",
        list.out
    );
    let list = run(&folder, &["user", "list", "--data", "data", "--json"]).json();
    let emails: Vec<_> = list.as_array().expect("a list").iter().collect();
    assert!(emails.iter().any(|user| user["email"] == "ada@example.com"));
    assert!(!list.to_string().contains("password"), "{list}");
}

#[test]
fn running_server_sets_a_password_and_ends_sessions_immediately() {
    let folder = folder(&[]);
    run(&folder, &[&ADA[..], &["--data", "data"]].concat());
    let served = GalleyProcess::serve(&folder, &["--no-content"]);
    let reset = ["user", "reset-password", "ada", "--data", "data"];

    let set = run_with(
        &folder,
        &[&reset[..], &["--password-stdin"]].concat(),
        "Tell-no-one-1234",
    );
    assert_eq!(set.code, Some(0), "{}", set.err);
    assert!(!set.out.contains("Tell-no-one"), "{}", set.out);
    let signed_in = sign_in(served.address(), "ada@example.com", "Tell-no-one-1234");
    assert_eq!(signed_in, 201);
    let out = run(
        &folder,
        &["user", "sign-out", "ada@example.com", "--data", "data"],
    );
    assert_eq!(
        out.out,
        "Ada Lovelace was signed in once, and is now signed out.\n"
    );

    let made = run(&folder, &[&reset[..], &["--json"]].concat());
    let password = password_of(&made);
    assert!(password.len() >= 20, "{password}");
    assert_eq!(
        sign_in(served.address(), "ada@example.com", "Tell-no-one-1234"),
        422
    );
    assert_eq!(sign_in(served.address(), "ada@example.com", &password), 201);
}

#[test]
fn reset_password_ends_the_wait_after_wrong_passwords_at_a_running_server() {
    let folder = folder(&[]);
    let made = run(&folder, &[&ADA[..], &["--data", "data", "--json"]].concat());
    let served = GalleyProcess::serve(&folder, &["--no-content"]);
    let sign_in = |password: &str| sign_in(served.address(), "ada@example.com", password);
    for _ in 0..5 {
        assert_eq!(sign_in("a wrong guess"), 422);
    }
    assert_eq!(sign_in(&password_of(&made)), 429);

    let reset = ["user", "reset-password", "ada", "--data", "data", "--json"];
    let password = password_of(&run(&folder, &reset));

    assert_eq!(sign_in(&password), 201);
}

#[test]
fn invalid_user_commands_are_rejected_with_advice() {
    let folder = folder(&[]);
    assert_eq!(run(&folder, &ADA).code, Some(0));
    let refused = |arguments: &[&str], line: &str, reason: &str| {
        let output = run_with(&folder, arguments, line);
        assert_eq!(output.code, Some(1), "{arguments:?}: {}", output.out);
        assert!(output.err.contains(reason), "{arguments:?}: {}", output.err);
    };
    refused(&ADA, "", "already has an owner: Ada Lovelace");
    let with = |email: &'static str| {
        [
            "user",
            "create",
            "--name",
            "Ben",
            "--email",
            email,
            "--password-stdin",
        ]
    };
    refused(&with("ada@example.com"), "Tell-no-one-1234", "already");
    refused(
        &with("no-one"),
        "Tell-no-one-1234",
        "is not an e-mail address",
    );
    refused(&with("ben@example.com"), "short", "too easy to guess");
    refused(&with("ben@example.com"), "", "too easy to guess");
    refused(
        &["user", "reset-password", "no-one"],
        "",
        "galley user list",
    );
    refused(
        &["user", "sign-out", "no-one"],
        "",
        "User \"no-one\" not found.",
    );

    let unknown = run(
        &folder,
        &[
            "user",
            "create",
            "--name",
            "B",
            "--email",
            "b@example.com",
            "--role",
            "king",
        ],
    );
    assert_eq!(unknown.code, Some(2));
    assert!(unknown.err.contains("super-editor"), "{}", unknown.err);
    let nowhere = run(&folder, &["user", "list", "--data", "nowhere"]);
    assert!(
        nowhere.err.contains("there is no data folder"),
        "{}",
        nowhere.err
    );
}

#[test]
fn account_survives_the_removal_of_its_authors_content_file() {
    let author = "name = 'Ada Lovelace'\nemail = 'ada@example.com'\nbio = 'Writes.'\n";
    let folder = folder(&[
        ("authors/ada.toml", author),
        (
            "posts/a.md",
            "---\ntitle: A\ndate: 2025-01-01\nauthors: [ada]\n---\nText\n",
        ),
    ]);
    drop(GalleyProcess::serve(&folder, &[]));
    let made = run(&folder, &[&ADA[..], &["--data", "data", "--json"]].concat());
    assert_eq!(made.json()["file"], "authors/ada.toml");

    folder.write("authors/ada.toml", author.replace("Writes.", "Wrote."));
    drop(GalleyProcess::serve(&folder, &[]));
    let list = run(&folder, &["user", "list", "--data", "data", "--json"]).json();
    assert_eq!(list[0]["role"], "Owner", "{list}");

    folder.remove("authors/ada.toml");
    let served = GalleyProcess::serve(&folder, &[]);
    let list = run(&folder, &["user", "list", "--data", "data", "--json"]).json();
    assert_eq!(
        (&list[0]["role"], &list[0]["file"]),
        (&json!("Owner"), &Value::Null)
    );
    let password = password_of(&made);
    assert_eq!(sign_in(served.address(), "ada@example.com", &password), 201);
}

#[test]
fn mail_is_logged_without_a_mail_server() {
    let folder = folder(&[]);
    run(&folder, &[&ADA[..], &["--data", "data"]].concat());
    let served = GalleyProcess::serve(&folder, &["--no-content"]);
    use std::io::Read;
    let body = json!({"password_reset": [{"email": "ada@example.com"}]}).to_string();
    let mut connection = std::net::TcpStream::connect(served.address()).expect("a connection");
    write!(
        connection,
        "POST /ghost/api/admin/authentication/password_reset/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("sent");
    let mut response = String::new();
    connection
        .read_to_string(&mut response)
        .expect("a response");
    assert!(response.starts_with("HTTP/1.1 200"), "{response}");

    let log = served.stop(rustix::process::Signal::TERM).err;

    assert!(
        log.contains("no mail server is configured (mail.url)"),
        "{log}"
    );
    assert!(log.contains("for ada@example.com: http://"), "{log}");
    assert!(log.contains("/reset/"), "{log}");
}
