//! Tests that a hostile repository cannot expose files of the machine or the data folder.

use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

use super::origin::{Origin, site_of};
use galley_tests::{
    command_line::{fetch, galley, response_to, run},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    other_site::{OtherSite, raw_response},
    scripts::write_script,
};

#[test]
fn links_in_a_repository_cannot_leave_it() {
    let machine = Folder::new();
    machine.write("secret.md", post("Secret", "of the machine"));
    let origin = Origin::with(&[
        ("posts/first.md", &post("First", "")),
        ("images/cover.png", "a picture"),
    ]);
    let link = |target: &str, path: &str| {
        symlink(target, origin.at(path)).expect("the link is made");
    };
    let secret = machine.at("secret.md");
    let secret = secret.to_str().expect("a path in UTF-8");
    link(secret, "posts/secret.md");
    link(secret, "images/secret.png");
    // The files of the commit are stored in the data folder, next to the store.
    link("../../../galley.redb", "images/store.png");
    origin.push(&[], "Look around");
    let folder = site_of(&origin.url(), 3600, "");

    let served = GalleyProcess::serve(&folder, &[]);

    assert_eq!(served.titles(), ["First"]);
    assert!(fs::exists(folder.data().join("galley.redb")).expect("it can be looked for"));
    assert_eq!(
        fetch(served.address(), "/content/images/cover.png"),
        "a picture"
    );
    for name in ["secret", "store"] {
        let target = format!("/content/images/{name}.png");
        let response = response_to(served.address(), &target);
        assert_eq!(response.status, 404, "{target}");
    }
}

#[test]
fn attributes_of_a_commit_cause_no_conversion_and_run_no_filter_of_the_user() {
    let origin = Origin::with(&[("posts/first.md", &post("First", "Café"))]);
    let attributes = "*.md filter=any text eol=crlf working-tree-encoding=UTF-16 ident\n";
    let lines = post("Second", "$Id$ Café");
    origin.push(&[("posts/second.md", &lines)], "With lines");
    // The file is committed without conversion.
    let own = "* !filter -text !eol !ident !working-tree-encoding\n";
    fs::write(origin.at(".git/info/attributes"), own).expect("it is written");
    origin.push(&[(".gitattributes", attributes)], "Attributes");
    let folder = site_of(&origin.url(), 3600, "");
    let home = folder.top().join("home");
    let program = folder.top().join("run");
    let mark = folder.top().join("mark");
    let script = format!("#!/bin/sh\ntouch {}\ncat\n", mark.display());
    write_script(&program, &script);
    fs::create_dir(&home).expect("a folder");
    let config = format!(
        "[filter \"any\"]\nsmudge = {0}\nclean = {0}\n",
        program.display()
    );
    fs::write(home.join(".gitconfig"), config).expect("it is written");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = galley(&folder, &arguments);
    command.env("HOME", &home);

    let served = GalleyProcess::from_command(&mut command);

    assert_eq!(served.titles().len(), 2);
    let file = folder.data().join("git/tree/posts/second.md");
    assert_eq!(fs::read_to_string(file).expect("UTF-8"), lines);
    assert!(!mark.exists());
}

#[test]
fn repository_on_this_machine_is_read_without_transports() {
    let origin = Origin::with(&[("posts/first.md", &post("First", ""))]);
    let mark = origin.top().join("mark");
    let usual = Command::new("git").arg("--exec-path").output();
    let usual = String::from_utf8(usual.expect("git runs").stdout).expect("UTF-8");
    let programs = origin.top().join("programs");
    let script = format!(
        "#!/bin/sh\necho \"<$GIT_ALLOW_PROTOCOL>\" > {}\nexec {}/git-upload-pack \"$@\"\n",
        mark.display(),
        usual.trim()
    );
    write_script(&programs.join("git-upload-pack"), &script);
    let folder = site_of(&origin.url(), 3600, "");
    let mut command = galley(&folder, &["sync", "--data", "data"]);
    let path = env::var("PATH").expect("a path");
    command.env("PATH", format!("{}:{path}", programs.display()));
    // Git searches the folder of its own programs first, so this one lacks the replaced program.
    let own = origin.top().join("own");
    symlinks_but(Path::new(usual.trim()), &own, "git-upload-pack");
    command.env("GIT_EXEC_PATH", &own);
    let output = command.output().expect("the program runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert_eq!(fs::read_to_string(mark).expect("it ran"), "<>\n");
}

/// Creates the folder `to` with links to all files in the folder `from` except `name`.
fn symlinks_but(from: &Path, to: &Path, name: &str) {
    fs::create_dir(to).expect("a folder");
    for entry in from.read_dir().expect("a folder").flatten() {
        if entry.file_name() != name {
            symlink(entry.path(), to.join(entry.file_name())).expect("a link");
        }
    }
}

#[test]
fn repository_cannot_redirect_to_a_file_or_a_program() {
    let secret = Origin::with(&[("posts/secret.md", &post("Secret", ""))]);
    let mark = secret.top().join("mark");
    let targets = [
        secret.url(),
        secret.bare().display().to_string(),
        format!("ext::touch {}", mark.display()),
    ];
    for target in targets {
        let location = format!("location: {target}/info/refs\r\n");
        let host = OtherSite::start(move |_| raw_response("302 Found", &location, ""));
        let folder = site_of(&host.at("/site.git"), 3600, "");
        let output = run(&folder, &["sync", "--data", "data"]);
        assert_eq!(output.code, Some(1), "{}{}", output.out, output.err);
        assert!(!output.out.contains("Serving commit"), "{}", output.out);
        assert!(!mark.exists());
    }
}
