//! Tests of the command line: flags in any position, help with examples, and errors with advice.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::{MetadataExt, chown},
    thread,
    time::Duration,
};

use galley::data_folder::DataFolder;
use galley_tests::{
    command_line::{CommandOutput, free_address, galley, run},
    galley_process::GalleyProcess,
};
use tempfile::TempDir;

#[test]
fn common_flags_are_accepted_before_the_subcommand() {
    let folder = folder();
    let output = run(
        &folder,
        &["--data", "data", "-q", "key", "create", "--name", "CI"],
    );
    assert!(output.is_success(), "{}", output.err);
    let output = run(&folder, &["key", "list", "--data", "data"]);
    assert!(output.stdout().contains("CI\n  Content API key"));
}

#[test]
fn command_waits_briefly_for_a_locked_data_folder() {
    let folder = folder();
    let other = DataFolder::open(folder.path().join("data")).unwrap();
    let done = thread::spawn(move || {
        thread::sleep(Duration::from_millis(300));
        drop(other);
    });
    let output = run(&folder, &["key", "list", "--data", "data"]);
    assert!(output.is_success(), "{}", output.err);
    done.join().unwrap();
}

#[test]
fn flags_of_serve_before_another_subcommand_are_rejected() {
    let output = run(&folder(), &["--listen", "127.0.0.1:0", "status"]);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("options of `serve` only"));
}

#[test]
fn read_only_commands_do_not_create_a_missing_data_folder() {
    let folder = folder();
    for arguments in [
        &["key", "list", "--data", "misspelt"][..],
        &["key", "revoke", "CI", "--data", "misspelt"],
        &["status", "--data", "misspelt"],
        &["compact", "--data", "misspelt"],
    ] {
        let output = run(&folder, arguments);
        assert_eq!(output.code, Some(1), "{arguments:?}");
        assert!(output.err.contains("there is no data folder misspelt"));
    }
    assert!(!folder.path().join("misspelt").exists());
}

#[test]
fn every_command_shows_examples() {
    for arguments in [
        &["--help"][..],
        &["serve", "--help"],
        &["check", "--help"],
        &["compact", "--help"],
        &["copy", "--help"],
        &["export", "--help"],
        &["key", "--help"],
        &["key", "create", "--help"],
        &["key", "list", "--help"],
        &["key", "revoke", "--help"],
        &["members", "--help"],
        &["members", "merge", "--help"],
        &["status", "--help"],
    ] {
        let help = run(&folder(), arguments).stdout().to_owned();
        assert!(help.contains("Example"), "{arguments:?} shows no example");
    }
}

#[test]
fn checked_file_is_read_as_part_of_its_project() {
    let folder = folder();
    let write = |path: &str, text: &str| {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let text = "---\ntitle: Ferry\ndate: 2026-02-03\n---\n[deck]({{< ref \"deck.md\" >}})\n";
    // A Hugo project in which a folder alone would look like a content folder of Galley.
    write("hugo/hugo.toml", "");
    write("hugo/content/posts/ferry.md", text);
    // A Jekyll project with posts in a subfolder.
    write("jekyll/_config.yml", "");
    write("jekyll/sea/_posts/2026-02-03-ferry.md", text);
    // Documents in a sibling folder of the project that names them.
    write(
        "docs/web/docusaurus.config.js",
        "module.exports = { presets: [['classic', { docs: { path: '../pages' } }]] }",
    );
    write("docs/pages/ferry.md", text);
    // A folder with its own `galley.toml` within a project.
    write(
        "hugo/own/galley.toml",
        "content = \"texts\"\n[content_files]\nposts = [\"**\"]\n",
    );
    write("hugo/own/texts/ferry.md", text);
    for (file, expected) in [
        (
            "hugo/content/posts/ferry.md",
            "content/posts/ferry.md: a post\n",
        ),
        (
            "jekyll/sea/_posts/2026-02-03-ferry.md",
            "sea/_posts/2026-02-03-ferry.md: a post\n",
        ),
        ("docs/pages/ferry.md", "pages/ferry.md: a page\n"),
        ("hugo/own/texts/ferry.md", "ferry.md: a post\n"),
    ] {
        let output = run(&folder, &["check", "--explain", file]);
        assert!(
            output.stdout().starts_with(expected),
            "{file}: {}{}",
            output.stdout(),
            output.err
        );
    }
    let output = run(&folder, &["check", "hugo/content/posts/ferry.md"]);
    assert!(
        output.stdout().contains("link target not found: "),
        "{}",
        output.stdout()
    );
}

#[test]
fn counts_of_one_are_singular() {
    let folder = folder();
    run(&folder, &["key", "create", "--name", "CI"]);
    let status = run(&folder, &["status"]).stdout().to_owned();
    assert!(status.contains(" 1 integration\n"), "{status}");
    assert!(status.contains(" 0 posts published\n"), "{status}");
}

#[test]
fn listen_address_without_a_port_gets_an_error_with_an_example() {
    let output = run(&folder(), &["--listen", "localhost"]);
    assert!(output.err.contains("such as 127.0.0.1:2368"));
}

#[test]
fn listen_address_may_be_a_host_name() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address");
    let named = format!("localhost:{}", address.port());
    let output = run(&folder(), &["--no-content", "--listen", &named]);
    // The port is in use, so the error shows the address of the name.
    let message = format!("cannot listen on {address}");
    assert!(output.err.contains(&message), "{}", output.err);
}

#[test]
fn second_server_of_a_site_reports_the_first_before_the_port_conflict() {
    let folder = folder();
    let listen = ["--no-content", "--listen", &free_address()];
    let first = GalleyProcess::from_command(&mut galley(&folder, &listen));
    let second = run(&folder, &listen);
    let named = format!(
        "in use by Galley {}, process {}",
        env!("CARGO_PKG_VERSION"),
        first.pid()
    );
    assert_eq!(second.code, Some(1));
    assert!(second.err.contains(&named), "{}", second.err);
}

#[test]
fn port_in_use_is_reported_and_creates_no_data_folder() {
    let folder = folder();
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    let output = run(&folder, &["--no-content", "--listen", &address]);
    assert!(output.err.contains(&format!("cannot listen on {address}")));
    assert!(!folder.path().join("galley-data").exists());
}

#[test]
fn metrics_port_in_use_is_reported_with_its_option() {
    let other = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = other.local_addr().expect("an address").to_string();
    let listen = ["--no-content", "--listen", "127.0.0.1:0"];
    let folder = folder();
    let mut server = galley(&folder, &listen);
    server.env("GALLEY_METRICS_LISTEN", &address);
    let output = CommandOutput::from(server.output().expect("the program runs"));
    let message = format!("cannot listen on {address}");
    assert!(output.err.contains(&message), "{}", output.err);
    let advice = "another address for metrics.listen";
    assert!(output.err.contains(advice), "{}", output.err);
}

/// Files that root creates, for example with sudo, get the owner of the data folder.
#[test]
fn files_created_by_root_belong_to_the_owner_of_the_data_folder() {
    const USER: u32 = 12_345;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = folder();
    let data = folder.path().join("galley-data");
    fs::create_dir(&data).expect("a folder");
    chown(&data, Some(USER), Some(USER)).expect("the user is root");

    run(&folder, &["key", "create", "--name", "CI"]);
    assert!(run(&folder, &["status"]).is_success());

    for file in ["galley.lock", "galley.redb"] {
        let metadata = fs::metadata(data.join(file)).expect("the file exists");
        assert_eq!((metadata.uid(), metadata.gid()), (USER, USER), "{file}");
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn check_of_an_empty_folder_fails() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("mount")).unwrap();
    for arguments in [&["check", "mount"][..], &["check", "mount", "--json"]] {
        let output = run(&folder, arguments);
        assert_eq!(output.code, Some(1), "{}", output.out);
        assert!(
            output.err.contains("mount has nothing to check"),
            "{}",
            output.err
        );
    }
}
