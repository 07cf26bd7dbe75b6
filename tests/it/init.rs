//! Tests of `galley init`, with flags and with prompts on a terminal.

use std::{
    fs::{self, File, OpenOptions},
    io::{Read, Write},
    net::TcpStream,
    os::{
        fd::AsFd,
        unix::fs::{OpenOptionsExt, PermissionsExt, symlink},
    },
    path::Path,
    process::{Command, Stdio},
    thread,
};

use galley_tests::{
    command_line::{CommandOutput, galley, run},
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse, get},
};
use rustix::{
    fs::OFlags,
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};
use tempfile::TempDir;

fn fetched(client: &mut Client, target: &str) -> HttpResponse {
    client.send(get(target));
    client.respond()
}

fn empty() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Returns the names in a folder, including hidden ones.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Starts the program on a terminal, types `lines`, and returns the output on the terminal.
fn on_a_terminal(folder: &Path, arguments: &[&str], lines: &str) -> (String, bool) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap();
    let other_end = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(OFlags::NOCTTY.bits() as i32)
        .open(name.to_str().unwrap())
        .unwrap();
    let end = |file: &File| Stdio::from(file.try_clone().unwrap());
    let mut child = galley(folder, arguments)
        .stdin(end(&other_end))
        .stdout(end(&other_end))
        .stderr(end(&other_end))
        .spawn()
        .unwrap();
    drop(other_end);
    let mut keyboard = File::from(terminal.as_fd().try_clone_to_owned().unwrap());
    keyboard.write_all(lines.as_bytes()).unwrap();
    let mut screen = File::from(terminal);
    let reader = thread::spawn(move || {
        let mut shown = Vec::new();
        let mut part = [0; 4096];
        // Reading fails once the other end of the terminal is closed.
        while let Ok(count @ 1..) = screen.read(&mut part) {
            shown.extend_from_slice(&part[..count]);
        }
        String::from_utf8_lossy(&shown).into_owned()
    });
    let status = child.wait().unwrap();
    (reader.join().unwrap(), status.success())
}

#[test]
fn new_site_has_options_first_content_and_an_owner() {
    let folder = empty();
    let output = run(
        folder.path(),
        &[
            "init",
            "site",
            "--title",
            "The \"Letter\"",
            "--url",
            "https://letter.example/",
            "--mail",
            "smtp://ada:secret@mail.example:587",
            "--email",
            "ada@letter.example",
        ],
    )
    .stdout()
    .to_owned();
    assert!(
        output.contains("signs in as ada@letter.example with the password "),
        "{output}"
    );
    assert!(output.contains("  cd site\n  galley serve "), "{output}");

    let site = folder.path().join("site");
    assert_eq!(names(&site), ["content", "galley-data", "galley.toml"]);
    let mode = fs::metadata(site.join("galley.toml"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(
        mode & 0o777,
        0o600,
        "galley.toml contains the password of the mail server"
    );
    let checked = run(&site, &["check", "--strict"]).stdout().to_owned();
    assert!(
        checked.starts_with("4 files, 0 errors, 0 warnings\n1 post, 1 page "),
        "{checked}"
    );
    let staff = run(&site, &["user", "list"]).stdout().to_owned();
    assert!(
        staff.contains("ada <ada@letter.example>\n  Owner, active"),
        "{staff}"
    );

    fs::rename(site.join("galley-data"), site.join("data")).unwrap();
    let process = GalleyProcess::start(&site, &[("GALLEY_URL", "http://letter.example/")]);
    let mut client = Client::new(TcpStream::connect(process.address()).unwrap());
    let keys = run(&site, &["key", "list", "--json", "--data", "data"])
        .stdout()
        .to_owned();
    let keys: serde_json::Value = serde_json::from_str(&keys).unwrap();
    let key = keys[0]["content_key"].as_str().unwrap();
    let response = fetched(
        &mut client,
        &format!("/ghost/api/content/posts/?key={key}&fields=title,url&include=authors"),
    );
    assert!(
        response.text().contains("\"title\":\"Hello\"")
            && response.text().contains("\"name\":\"ada\""),
        "{}",
        response.text()
    );
    let response = fetched(
        &mut client,
        &format!("/ghost/api/content/settings/?key={key}"),
    );
    assert!(
        response.text().contains("The \\\"Letter\\\""),
        "{}",
        response.text()
    );
}

#[test]
fn domain_is_served_over_https() {
    let folder = empty();
    let init = [
        "init",
        "site",
        "--domain",
        "Letter.example",
        "--email",
        "ada@letter.example",
    ];
    let output = run(folder.path(), &init).stdout().to_owned();
    assert!(
        output.contains("serves it at https://letter.example ("),
        "{output}"
    );
    let options = fs::read_to_string(folder.path().join("site/galley.toml")).unwrap();
    assert!(
        options.contains("\ndomain = [\"letter.example\"]\n"),
        "{options}"
    );
    assert!(!options.contains("url ="), "{options}");

    for invalid in ["*.letter.example", "192.0.2.7", "https://letter.example"] {
        let refused = run(
            folder.path(),
            &[
                "init",
                "other",
                "--domain",
                invalid,
                "--email",
                "ada@letter.example",
            ],
        );
        assert!(
            refused
                .err
                .contains(&format!("--domain: {invalid} is not a name")),
            "{}",
            refused.err
        );
    }
    assert_eq!(names(folder.path()), ["site"]);
}

#[test]
fn password_of_the_owner_is_read_from_standard_input() {
    let folder = empty();
    let mut child = galley(
        folder.path(),
        &["init", "--email", "ada@example.com", "--password-stdin"],
    )
    .stdin(Stdio::piped())
    .stdout(Stdio::piped())
    .spawn()
    .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"saffron kite over 7 harbours\n")
        .unwrap();
    let output = CommandOutput::from(child.wait_with_output().unwrap())
        .stdout()
        .to_owned();
    assert!(
        output.contains("signs in as ada@example.com.\n"),
        "{output}"
    );
    assert!(
        !output.contains("saffron") && !output.contains("  cd "),
        "{output}"
    );
}

#[test]
fn prompts_ask_for_unset_flags_and_repeat_after_invalid_input() {
    let folder = empty();
    let choices = "\nNight Ferry\nferry.example\nhttps://ferry.example\nferry\nnone\n\nnobody\nada@ferry.example\n";
    let (screen, succeeded) = on_a_terminal(folder.path(), &["init", "site"], choices);
    assert!(succeeded, "{screen}");
    assert!(screen.contains("Title [My site]: "), "{screen}");
    assert_eq!(screen.matches("Public URL").count(), 2, "{screen}");
    assert_eq!(screen.matches("Front end: ").count(), 2, "{screen}");
    assert!(
        screen.contains("the owner needs an e-mail address"),
        "{screen}"
    );
    assert!(
        screen.contains("signs in as ada@ferry.example with the password "),
        "{screen}"
    );
    let options = fs::read_to_string(folder.path().join("site/galley.toml")).unwrap();
    assert!(
        options.contains("url = \"https://ferry.example\"") && !options.contains("[mail]"),
        "{options}"
    );
    assert!(options.contains("\nfront_end = \"none\"\n"), "{options}");
    let site = fs::read_to_string(folder.path().join("site/content/site.toml")).unwrap();
    assert!(site.contains("title = \"Night Ferry\""), "{site}");
    assert!(site.contains("comments_enabled = \"off\""), "{site}");
}

#[test]
fn unanswered_prompts_leave_no_files() {
    let folder = empty();
    let (screen, succeeded) = on_a_terminal(folder.path(), &["init", "site"], "\n\x04");
    assert!(
        !succeeded && screen.contains("the questions were not answered"),
        "{screen}"
    );
    assert!(names(folder.path()).is_empty());
}

#[test]
fn init_serves_existing_files_of_the_folder_without_moving_them() {
    let folder = empty();
    fs::create_dir(folder.path().join("posts")).unwrap();
    fs::write(
        folder.path().join("posts/ferry.md"),
        "---\ntitle: The ferry\n---\n\nIt is late.\n",
    )
    .unwrap();
    let output = run(
        folder.path(),
        &[
            "init",
            "--from",
            "here",
            "--email",
            "ada@example.com",
            "--title",
            "Ferries",
        ],
    );
    output.stdout();
    assert_eq!(
        names(folder.path()),
        [".galley-data", "galley.toml", "posts"]
    );
    let status = run(folder.path(), &["status"]).stdout().to_owned();
    assert!(
        status.contains("Ferries") && status.contains("1 post published"),
        "{status}"
    );
}

#[test]
fn repository_is_pulled_and_a_missing_one_leaves_no_files() {
    let folder = empty();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args([
                "-c",
                "user.name=Ada",
                "-c",
                "user.email=ada@example.com",
                "-C",
                "origin",
            ])
            .args(arguments)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(
            done.status.success(),
            "{}",
            String::from_utf8_lossy(&done.stderr)
        );
    };
    fs::create_dir_all(folder.path().join("origin/posts")).unwrap();
    fs::write(
        folder.path().join("origin/posts/ferry.md"),
        "---\ntitle: The ferry\n---\n",
    )
    .unwrap();
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "Begin"]);
    let output = run(
        folder.path(),
        &[
            "init",
            "site",
            "--from",
            "origin",
            "--email",
            "ada@example.com",
        ],
    );
    output.stdout();
    let status = run(&folder.path().join("site"), &["status"])
        .stdout()
        .to_owned();
    assert!(
        status.contains("Repository: file://") && status.contains("1 post published"),
        "{status}"
    );

    let output = run(
        folder.path(),
        &[
            "init",
            "other",
            "--from",
            "file:///nowhere/site.git",
            "--email",
            "ada@example.com",
        ],
    );
    assert!(
        output
            .err
            .contains("does not appear to be a git repository"),
        "{}",
        output.err
    );
    assert_eq!(names(folder.path()), ["origin", "site"]);
}

#[test]
fn export_of_ghost_is_imported_with_its_owner() {
    let folder = empty();
    let export = format!(
        "{}/tests/it/import/exports/ghost-6.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let output = run(
        folder.path(),
        &["init", "site", "--from", &export, "--title", "Moved"],
    )
    .stdout()
    .to_owned();
    assert!(output.contains("Its owner signs in as "), "{output}");
    let status = run(&folder.path().join("site"), &["status"])
        .stdout()
        .to_owned();
    assert!(status.contains("Moved"), "{status}");
}

#[test]
fn existing_files_are_never_replaced() {
    let folder = empty();
    let init = ["init", "--email", "ada@example.com"];
    for (path, text) in [
        ("galley.toml", "# mine"),
        ("galley-data/store.redb", "mine"),
        ("content/site.toml", "title = \"Mine\""),
    ] {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        let output = run(folder.path(), &init);
        assert!(!output.is_success(), "{path:?}");
        assert!(output.err.contains("replaces nothing"), "{}", output.err);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        fs::remove_file(&path).unwrap();
        if path.parent() != Some(folder.path()) {
            fs::remove_dir(path.parent().unwrap()).unwrap();
        }
        assert!(
            names(folder.path()).is_empty(),
            "{path:?}: {:?}",
            names(folder.path())
        );
    }
    run(folder.path(), &init).stdout();
    assert!(
        run(folder.path(), &init)
            .err
            .contains("there is a site already")
    );
}

#[test]
fn symbolic_links_out_of_the_folder_are_not_followed() {
    for link in [
        "content",
        "content/posts",
        "content/images",
        "content/site.toml",
    ] {
        for target in ["outside", "missing"] {
            let top = empty();
            let (folder, outside) = (top.path().join("site"), top.path().join("outside"));
            fs::create_dir_all(folder.join("content")).unwrap();
            fs::create_dir(&outside).unwrap();
            if link == "content" {
                fs::remove_dir(folder.join("content")).unwrap();
            }
            symlink(top.path().join(target), folder.join(link)).unwrap();
            let output = run(&folder, &["init", "--email", "ada@example.com"]);
            // `init` writes no file into `content/images`.
            let is_used = link != "content/images";
            assert_eq!(output.is_success(), !is_used, "{link}: {}", output.err);
            assert!(!is_used || output.err.contains(link), "{}", output.err);
            assert!(names(&outside).is_empty(), "{link}");
            assert!(!top.path().join("missing").exists(), "{link}");
            assert!(folder.join(link).is_symlink(), "{link}");
        }
    }
}

#[test]
fn invalid_flags_leave_no_files() {
    let folder = empty();
    for (arguments, problem) in [
        (
            &["--email", "ada"][..],
            "--email: the owner needs an e-mail address",
        ),
        (&[][..], "--email: the owner needs an e-mail address"),
        (
            &["--email", "a@example.com", "--url", "nonsense"],
            "--url: ",
        ),
        (
            &["--email", "a@example.com", "--mail", "pop://host"],
            "--mail: ",
        ),
        (
            &["--email", "a@example.com", "--from", "nowhere.json"],
            "--from: there is no file nowhere.json",
        ),
        (
            &["--email", "a@example.com", "--name", ""],
            "A name must have 1 to 191 characters",
        ),
    ] {
        let output = run(folder.path(), &[&["init", "site"], arguments].concat());
        assert!(!output.is_success());
        assert!(output.err.contains(problem), "{}", output.err);
        assert!(
            names(folder.path()).is_empty(),
            "{:?}",
            names(folder.path())
        );
    }
}
