//! Tests of shell completions, manual pages, and the package that `cargo install` builds from.

use std::{
    collections::BTreeSet,
    fs,
    io::Write,
    process::{Command, Output},
};

use flate2::{Compression, write::GzEncoder};

fn galley(arguments: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_galley"))
        .args(arguments)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// Returns the completions that bash offers for the last of these words.
fn completed(words: &[&str]) -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("galley.bash");
    fs::write(&script, galley(&["completions", "bash"]).stdout).unwrap();
    let bash = "set -eu; source \"$0\"; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMP_LINE=\"$*\"; \
                COMP_POINT=${#COMP_LINE}; set +eu; _galley galley \"${COMP_WORDS[COMP_CWORD]}\" \
                \"${COMP_WORDS[COMP_CWORD - 1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["--norc", "-c", bash])
        .arg(&script)
        .args(words)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let offered = String::from_utf8(output.stdout).unwrap();
    offered.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_flags() {
    assert_eq!(
        completed(&["galley", "ba"]),
        BTreeSet::from(["backup".to_owned()])
    );
    assert_eq!(
        completed(&["galley", "key", "re"]),
        BTreeSet::from(["revoke".to_owned()])
    );
    let flags = completed(&["galley", "serve", "--"]);
    for flag in ["--content", "--listen", "--open-files", "--data"] {
        assert!(flags.contains(flag), "{flag} is not among {flags:?}");
    }
}

#[test]
fn completion_script_of_every_shell_names_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = String::from_utf8(galley(&["completions", shell]).stdout).unwrap();
        for command in ["serve", "backup", "restore", "webhook"] {
            assert!(
                script.contains(command),
                "the script for {shell} lacks {command}"
            );
        }
    }
}

#[test]
fn manual_has_a_page_for_each_command() {
    let printed = String::from_utf8(galley(&["man"]).stdout).unwrap();
    assert!(printed.contains(".TH galley 1"), "{printed}");
    assert!(printed.contains("galley serve"), "{printed}");

    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("share/man1");
    galley(&["man", pages.to_str().unwrap()]);
    let names: BTreeSet<String> = fs::read_dir(&pages)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in [
        "galley.1",
        "galley-serve.1",
        "galley-backup.1",
        "galley-key.1",
        "galley-key-create.1",
    ] {
        assert!(names.contains(name), "{name} is not among {names:?}");
    }
    assert!(!names.contains("galley-help.1"));
    let page = fs::read_to_string(pages.join("galley-key-create.1")).unwrap();
    assert!(page.contains(".TH galley-key-create 1"), "{page}");
    assert!(page.contains("\\-\\-name"), "{page}");
}

/// The package contains the files that are needed to build the program, without the tests.
#[test]
fn package_has_the_program_and_is_small() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let listed = Command::new(env!("CARGO"))
        .args(["package", "--list", "--allow-dirty", "--offline"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        listed.status.success(),
        "{}",
        String::from_utf8_lossy(&listed.stderr)
    );
    let listed = String::from_utf8(listed.stdout).unwrap();
    let files: BTreeSet<&str> = listed.lines().collect();
    for needed in [
        "Cargo.toml",
        "Cargo.lock",
        "LICENSE",
        "README.md",
        "CHANGELOG.md",
        "docs/README.md",
        "docs/galley-at-work.svg",
        "src/main.rs",
    ] {
        assert!(files.contains(needed), "{needed} is missing");
    }
    let sources = walkdir::WalkDir::new(format!("{folder}/src"));
    for entry in sources.into_iter().map(Result::unwrap) {
        let path = entry.path().strip_prefix(folder).unwrap();
        let is_there = files.contains(path.to_str().unwrap());
        assert!(
            !entry.file_type().is_file() || is_there,
            "{path:?} is missing"
        );
    }
    assert!(!listed.contains("tests/"), "the package contains tests");
    let sizes: Vec<(&str, u64)> = files
        .iter()
        .filter_map(|file| Some((*file, fs::metadata(format!("{folder}/{file}")).ok()?.len())))
        .collect();
    for (file, bytes) in &sizes {
        assert!(*bytes < 128 << 10, "{file}: {bytes} bytes");
    }
    let bytes = |is_counted: fn(&str) -> bool| -> u64 {
        let counted = sizes.iter().filter(|(file, _)| is_counted(file));
        counted.map(|(_, bytes)| bytes).sum()
    };
    let other_bytes = bytes(|file| !file.starts_with("src/"));
    assert!(other_bytes < 640 << 10, "{other_bytes} bytes outside `src`");
    // The registry accepts packages of up to 10 MB, which Cargo compresses with the best level.
    let compressed = sizes.iter().map(|(file, _)| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder
            .write_all(&fs::read(format!("{folder}/{file}")).unwrap())
            .unwrap();
        encoder.finish().unwrap().len()
    });
    assert!(compressed.sum::<usize>() < 5_000_000);
}
