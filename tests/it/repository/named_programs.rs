//! Tests that programs which another user's repository names in git's settings, hooks or attributes are not run.
//!
//! The table has each setting in git's documentation that can run a program, with a git command that makes it run one. A
//! further test reads the list of settings from the installed git.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use galley_tests::{
    command_line::{CommandOutput, galley, run},
    folder::Folder,
    galley_process::GalleyProcess,
    scripts::write_script,
    wait_until,
};
use serde_json::{Value, json};

use super::origin::git;
use crate::write_back::editing::{Editor, FERRY};

const FILE: &str = "posts/2025-01-05-night-ferry.md";

/// A setting that can run a program.
struct Setting {
    /// Lines of the configuration, in which `RUN` is replaced by the program.
    config: &'static str,
    /// Shell commands that make git run the program, which is `$RUN`, in the work tree.
    trigger: &'static str,
}

/// The settings that can run a program without a terminal, and without other programs than those of git.
const SETTINGS: &[Setting] = &[
    Setting {
        config: "[core]\nfsmonitor = RUN",
        trigger: "git status",
    },
    Setting {
        config: "[core]\neditor = RUN",
        trigger: "git commit --allow-empty",
    },
    Setting {
        config: "[sequence]\neditor = RUN",
        trigger: "git rebase -i --root",
    },
    Setting {
        config: "[core]\naskPass = RUN",
        trigger: "printf 'protocol=https\\nhost=h\\n\\n' | git credential fill",
    },
    Setting {
        config: "[credential]\nhelper = !RUN",
        trigger: "printf 'protocol=https\\nhost=h\\n\\n' | git credential fill",
    },
    Setting {
        config: "[filter \"any\"]\nclean = RUN",
        trigger: "echo '*.bin filter=any' > .gitattributes; echo > a.bin; git add a.bin",
    },
    Setting {
        config: "[filter \"any\"]\nsmudge = RUN",
        trigger: "echo '*.bin filter=any' > .gitattributes; echo > a.bin; git add a.bin; rm a.bin; git checkout -- a.bin",
    },
    Setting {
        config: "[filter \"any\"]\nprocess = RUN\nrequired = true",
        trigger: "echo '*.bin filter=any' > .git/info/attributes; echo > a.bin; git add a.bin",
    },
    Setting {
        config: "[core]\nhooksPath = HOOKS",
        trigger: "git commit --allow-empty -m m",
    },
    Setting {
        config: "",
        trigger: "ln -s \"$HOOK\" .git/hooks/reference-transaction; git update-ref refs/heads/other HEAD",
    },
    Setting {
        config: "",
        trigger: "ln -s \"$HOOK\" .git/hooks/post-index-change; touch posts/*; git update-index --refresh",
    },
    Setting {
        config: "[core]\nsshCommand = RUN",
        trigger: "git ls-remote ssh://host.invalid/a",
    },
    Setting {
        config: "[core]\ngitProxy = RUN",
        trigger: "git ls-remote git://127.0.0.1:9/a",
    },
    Setting {
        config: "[diff]\nexternal = RUN",
        trigger: "echo more >> $FILE; git diff",
    },
    Setting {
        config: "[diff \"any\"]\ntextconv = RUN",
        trigger: "echo '*.md diff=any' > .gitattributes; git log -p",
    },
    Setting {
        config: "[diff \"any\"]\ncommand = RUN",
        trigger: "echo '*.md diff=any' > .git/info/attributes; echo more >> $FILE; git diff",
    },
    Setting {
        config: "[merge \"any\"]\ndriver = RUN",
        trigger: "echo '*.md merge=any' > .gitattributes; git switch -qc other; echo a >> $FILE; git commit -qam a; git switch -q main; echo b >> $FILE; git commit -qam b; git merge other",
    },
    Setting {
        config: "[gpg]\nprogram = RUN\n[commit]\ngpgSign = true",
        trigger: "git commit --allow-empty -m m",
    },
    Setting {
        config: "[gpg]\nprogram = RUN\n[tag]\ngpgSign = true",
        trigger: "git tag -m m t",
    },
    Setting {
        config: "[gpg]\nprogram = RUN\n[log]\nshowSignature = true",
        trigger: "git log",
    },
    Setting {
        config: "[gpg]\nformat = x509\n[gpg \"x509\"]\nprogram = RUN\n[commit]\ngpgSign = true",
        trigger: "git commit --allow-empty -m m",
    },
    Setting {
        config: "[gpg]\nformat = ssh\n[gpg \"ssh\"]\nprogram = RUN\n[user]\nsigningKey = key::ssh-ed25519 AAAA",
        trigger: "git commit -S --allow-empty -m m",
    },
    Setting {
        config: "[gpg]\nformat = ssh\n[gpg \"ssh\"]\ndefaultKeyCommand = RUN",
        trigger: "git commit -S --allow-empty -m m",
    },
    Setting {
        config: "[alias]\nrevise = !RUN",
        trigger: "git revise",
    },
    Setting {
        config: "[extensions]\npartialClone = origin\n[remote \"origin\"]\nurl = .\nuploadpack = RUN\npromisor = true",
        trigger: "git log -M --name-status; git show HEAD~:posts/2025-01-05-night-ferry.md",
    },
    Setting {
        config: "[remote \"origin\"]\nurl = .\nreceivepack = RUN",
        trigger: "git push origin main:other",
    },
    Setting {
        config: "[protocol \"ext\"]\nallow = always\n[remote \"origin\"]\nurl = ext::RUN",
        trigger: "git fetch origin",
    },
    Setting {
        config: "[trailer \"by\"]\ncommand = RUN",
        trigger: "git commit --allow-empty -m m --trailer by=a",
    },
    Setting {
        config: "[trailer \"by\"]\ncmd = RUN",
        trigger: "git commit --allow-empty -m m --trailer by=a",
    },
    Setting {
        config: "[interactive]\ndiffFilter = RUN",
        trigger: "echo more >> $FILE; echo q | git -c color.ui=always add -p",
    },
    Setting {
        config: "[core]\nalternateRefsCommand = RUN\n[remote \"origin\"]\nurl = .",
        trigger: "git clone -q --bare . ../other.git; echo \"$PWD/../other.git/objects\" > .git/objects/info/alternates; git fetch origin",
    },
    Setting {
        config: "[tar \"any\"]\ncommand = RUN",
        trigger: "git archive --format=any HEAD",
    },
    Setting {
        config: "[diff]\ntool = any\n[difftool \"any\"]\ncmd = RUN",
        trigger: "echo more >> $FILE; git difftool -y",
    },
    Setting {
        config: "[merge]\ntool = any\n[mergetool \"any\"]\ncmd = RUN",
        trigger: "git switch -qc other; echo a >> $FILE; git commit -qam a; git switch -q main; echo b >> $FILE; git commit -qam b; git merge other; git mergetool -y",
    },
    Setting {
        config: "[web]\nbrowser = any\n[browser \"any\"]\ncmd = RUN",
        trigger: "git web--browse http://host.invalid/",
    },
    Setting {
        config: "[man]\nviewer = any\n[man \"any\"]\ncmd = RUN",
        trigger: "git help -m log",
    },
    Setting {
        config: "[gc]\nrecentObjectsHook = RUN",
        trigger: "echo | git hash-object -w --stdin; git gc --prune=now",
    },
    Setting {
        config: "[submodule \"sub\"]\nurl = .\nupdate = !RUN\nactive = true",
        trigger: "printf '[submodule \"sub\"]\\npath = sub\\nurl = ./\\n' > .gitmodules; git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; git -c protocol.file.allow=always clone -q . sub; git -C sub checkout -q HEAD~; git submodule update",
    },
    Setting {
        config: "[include]\npath = INCLUDED",
        trigger: "git status",
    },
    Setting {
        config: "[includeIf \"gitdir:**\"]\npath = INCLUDED",
        trigger: "git status",
    },
    Setting {
        config: "[core]\nrepositoryFormatVersion = 1\n[extensions]\nworktreeConfig = true",
        trigger: "cp \"$INCLUDED\" .git/config.worktree; git status",
    },
    Setting {
        config: "[core]\npager = RUN",
        trigger: "script -qec 'git log' /dev/null",
    },
    Setting {
        config: "[pager]\nlog = RUN",
        trigger: "script -qec 'git log' /dev/null",
    },
];

/// A content folder that is a work tree with a history, and a program that creates a marker file when it runs.
struct Hostile {
    folder: Folder,
}

impl Hostile {
    fn new() -> Self {
        let hostile = Self {
            folder: Folder::new(),
        };
        let folder = &hostile.folder;
        let run = hostile.program();
        write_script(&run, "#!/bin/sh\necho ran > \"${0%/*}/mark\"\nexit 1\n");
        for hook in ["pre-commit", "post-commit", "reference-transaction"] {
            let mark = format!("#!/bin/sh\nexec {}\n", run.display());
            write_script(&hostile.tools().join("hooks").join(hook), &mark);
        }
        let included = format!("[core]\nfsmonitor = {}\n", run.display());
        fs::write(hostile.tools().join("included"), included).expect("it is written");
        let top = folder.content();
        git(&top, &["init", "-q", "-b", "main"]);
        folder.write("posts/2025-01-04-early-ferry.md", FERRY);
        git(&top, &["add", "--all"]);
        git(&top, &["commit", "-q", "-m", "First"]);
        // A renamed and edited file, so that git compares the contents.
        folder.remove("posts/2025-01-04-early-ferry.md");
        folder.write(FILE, format!("{FERRY}\nMore.\n"));
        folder.write(
            "posts/other.md",
            "---\ntitle: Other\n---\nWithout a date.\n",
        );
        git(&top, &["add", "--all"]);
        git(&top, &["commit", "-q", "-m", "Second"]);
        hostile.sign_last_commit();
        hostile
    }

    /// Adds a signature to the last commit, which git would verify with `gpg`.
    fn sign_last_commit(&self) {
        let top = self.folder.content();
        let commit = git(&top, &["cat-file", "commit", "HEAD"]);
        let signature =
            "gpgsig -----BEGIN PGP SIGNATURE-----\n \n aaaa\n -----END PGP SIGNATURE-----\n";
        let signed = commit.replacen("\n\n", &format!("\n{signature}\n"), 1);
        let file = self.tools().join("commit");
        fs::write(&file, signed).expect("it is written");
        let file = file.to_str().expect("UTF-8");
        let commit = git(&top, &["hash-object", "-t", "commit", "-w", file]);
        git(&top, &["reset", "-q", "--hard", commit.trim()]);
    }

    fn tools(&self) -> PathBuf {
        self.folder.top().join("tools")
    }

    fn program(&self) -> PathBuf {
        self.tools().join("run")
    }

    /// Adds lines to the configuration of the repository.
    fn configure(&self, lines: &str) {
        let path = self.folder.at(".git/config");
        let before = fs::read_to_string(&path).expect("a configuration");
        let lines = lines
            .replace("RUN", self.program().to_str().expect("UTF-8"))
            .replace("HOOKS", self.tools().join("hooks").to_str().expect("UTF-8"))
            .replace(
                "INCLUDED",
                self.tools().join("included").to_str().expect("UTF-8"),
            );
        fs::write(&path, format!("{before}{lines}\n")).expect("it is written");
    }

    /// Removes a blob of the history, so that the repository is like a partial clone.
    fn remove_blob(&self) {
        let top = self.folder.content();
        let name = "HEAD~:posts/2025-01-04-early-ferry.md";
        let blob = git(&top, &["rev-parse", name]);
        let (folder, file) = blob.trim().split_at(2);
        let path = self.folder.at(".git/objects").join(folder).join(file);
        fs::remove_file(path).expect("the blob exists");
    }

    /// Runs a shell command in the work tree with plain git, and ignores its status.
    fn shell(&self, script: &str) {
        let home = self.tools();
        let output = Command::new("sh")
            .args(["-c", script])
            .current_dir(self.folder.content())
            .env_clear()
            .env("PATH", env::var_os("PATH").expect("a path"))
            .env("HOME", &home)
            .env("RUN", self.program())
            .env("INCLUDED", home.join("included"))
            .env("HOOK", home.join("hooks/pre-commit"))
            .env("FILE", FILE)
            .envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@a.a")])
            .envs([
                ("GIT_COMMITTER_NAME", "A"),
                ("GIT_COMMITTER_EMAIL", "a@a.a"),
            ])
            .env("TERM", "xterm")
            .output();
        output.expect("a shell runs");
    }

    fn has_run(&self) -> bool {
        self.tools().join("mark").exists()
    }

    /// Uses the repository in every way that Galley supports, and returns the report of the import.
    fn use_it(&self) -> Value {
        let folder = &self.folder;
        let content = folder.content();
        let path = content.to_str().expect("UTF-8");
        let output = run(folder, &["check", path]);
        assert_eq!(output.code, Some(0), "{}{}", output.out, output.err);
        let output = self.import();
        assert!(!self.has_run(), "{}", output.err);
        assert_eq!(output.code, Some(0), "{}", output.err);
        let report = output.json();
        // The branch is read from its file, because git would fail with this configuration.
        let commit = || fs::read_to_string(folder.at(".git/refs/heads/main")).expect("a commit");
        let first = commit();
        let served = serve_committing(folder);
        let editor = Editor::of(folder, &served);
        let ferry = editor.read("night-ferry");
        editor.edit(&ferry, json!({ "title": "The day ferry" }));
        wait_until("the edit is committed", || commit() != first);
        report
    }

    fn import(&self) -> CommandOutput {
        let folder = &self.folder;
        let content = folder.content();
        let path = content.to_str().expect("UTF-8");
        let arguments = ["import", path, "--history", "--json", "--data", "imported"];
        let mut command = with_git(galley(folder, &arguments));
        CommandOutput::from(command.output().expect("the program runs"))
    }
}

fn serve_committing(folder: &Folder) -> GalleyProcess {
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = with_git(galley(folder, &arguments));
    command.args(["--content", "content", "--write-back", "commit"]);
    command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
    GalleyProcess::from_command(&mut command)
}

/// Sets the search path of a command, so that it finds git.
pub fn with_git(mut command: Command) -> Command {
    command.env("PATH", env::var_os("PATH").expect("a path"));
    command
}

#[test]
fn each_setting_of_the_table_runs_a_program_in_plain_git() {
    let mut silent = Vec::new();
    for setting in SETTINGS {
        let hostile = Hostile::new();
        if setting.config.contains("partialClone") {
            hostile.remove_blob();
        }
        hostile.configure(setting.config);
        hostile.shell(setting.trigger);
        if !hostile.has_run() {
            silent.push((setting.config, setting.trigger));
        }
    }
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn no_setting_runs_a_program_when_a_folder_is_checked_and_imported_with_its_history() {
    for setting in SETTINGS {
        let hostile = Hostile::new();
        hostile.remove_blob();
        hostile.configure(setting.config);
        hostile
            .folder
            .write(".git/info/attributes", "* diff=any filter=any merge=any\n");
        let output = run(&hostile.folder, &["check", "content"]);
        assert_eq!(output.code, Some(0), "{}", output.err);
        let output = hostile.import();
        assert!(!hostile.has_run(), "{}", setting.config);
        assert_eq!(output.code, Some(0), "{}: {}", setting.config, output.err);
    }
}

#[test]
fn no_setting_hook_or_attribute_of_a_repository_runs_a_program() {
    let hostile = Hostile::new();
    for setting in SETTINGS {
        // With this setting, git does not accept the repository at all.
        if !setting.config.contains("repositoryFormatVersion") {
            hostile.configure(setting.config);
        }
    }
    let attributes = "*.png filter=any\n* diff=any merge=any\n";
    hostile.folder.write(".gitattributes", attributes);
    hostile.folder.write(".git/info/attributes", attributes);
    for hook in ["pre-commit", "reference-transaction", "post-index-change"] {
        let mark = format!("#!/bin/sh\nexec {}\n", hostile.program().display());
        write_script(&hostile.folder.at(".git/hooks").join(hook), &mark);
    }
    hostile.configure("[remote \"ext\"]\nurl = ext::RUN\npromisor = true");
    hostile.remove_blob();
    let posts = hostile.use_it();
    assert!(!hostile.has_run());
    assert_eq!(posts["counts"]["posts"]["added"], 2, "{posts}");
}

/// Settings that Galley honours, or that define the format of a repository.
const UNTESTED: [&str; 8] = [
    "core.autocrlf",
    "core.bare",
    "core.checkroundtripencoding",
    "core.eol",
    "core.filemode",
    "core.repositoryformatversion",
    "core.worktree",
    "extensions.",
];

#[test]
fn no_setting_of_the_installed_git_has_an_effect_with_a_program_as_value() {
    let hostile = Hostile::new();
    let known = Command::new("git").args(["help", "--config"]).output();
    let known = String::from_utf8(known.expect("git runs").stdout).expect("UTF-8");
    let is_tried = |key: &&str| {
        let key = key.to_lowercase();
        // The list contains an invalid name with an underscore, which git rejects.
        !key.contains('_') && !UNTESTED.iter().any(|other| key.starts_with(other))
    };
    let keys: BTreeSet<&str> = known
        .lines()
        .filter(|key| key.contains('.'))
        .filter(is_tried)
        .collect();
    assert!(keys.len() > 500, "{}", keys.len());
    let honoured = [
        "core.ignoreCase",
        "core.precomposeUnicode",
        "core.safecrlf",
        "core.symlinks",
    ];
    let honoured = [
        &honoured[..],
        &["core.sharedRepository", "core.logAllRefUpdates"],
    ]
    .concat();
    let mut config = String::new();
    for key in keys.iter().filter(|key| !honoured.contains(key)) {
        let (section, variable) = key.rsplit_once('.').expect("a section");
        let variable = if variable.contains(['*', '<']) {
            "any"
        } else {
            variable
        };
        config.push_str(&match section.split_once('.') {
            Some((section, _)) => format!("[{section} \"any\"]\n{variable} = RUN\n"),
            None => format!("[{section}]\n{variable} = RUN\n"),
        });
    }
    hostile.configure(&config);
    hostile.use_it();
    assert!(!hostile.has_run());
}

#[test]
fn versions_that_a_partial_clone_lacks_are_named_and_not_fetched() {
    let hostile = Hostile::new();
    let dates = |output: CommandOutput| {
        assert_eq!(output.code, Some(0), "{}", output.err);
        output.json()
    };
    let whole = dates(hostile.import());
    assert_eq!(whole["changed"]["notes"], json!([]), "{whole}");
    hostile.configure("[extensions]\npartialClone = origin\n[remote \"origin\"]\nurl = .\nuploadpack = RUN\npromisor = true");
    hostile.remove_blob();
    let partial = dates(hostile.import());
    assert!(!hostile.has_run());
    let note = &partial["changed"]["notes"][0];
    assert_eq!(
        note["subject"], "posts/2025-01-04-early-ferry.md",
        "{partial}"
    );
    let text = note["text"].as_str().expect("a text");
    assert!(text.contains("lacks an earlier version"), "{text}");
}

#[test]
fn file_that_needs_a_filter_is_committed_only_with_a_filter_of_the_user() {
    let hostile = Hostile::new();
    let folder = &hostile.folder;
    hostile.configure("[filter \"secret\"]\nclean = RUN\nsmudge = RUN");
    folder.write(".gitattributes", "*.md filter=secret\n");
    let content = folder.content();
    let first = git(&content, &["rev-parse", "HEAD"]);
    let state = |editor: &Editor| editor.send("GET", "git/", &Value::Null).1["git"][0].clone();
    {
        let served = serve_committing(folder);
        let editor = Editor::of(folder, &served);
        let ferry = editor.read("night-ferry");
        editor.edit(&ferry, json!({ "title": "The day ferry" }));
        wait_until("the reason is shown", || {
            let message = state(&editor)["failure"]["message"].clone();
            message
                .as_str()
                .is_some_and(|text| text.contains("needs the filter secret"))
        });
    }
    assert!(!hostile.has_run());
    assert_eq!(git(&content, &["rev-parse", "HEAD"]), first);

    // The configuration of the user, who may name programs, defines a filter with this name.
    let home = folder.top().join("home");
    fs::create_dir(&home).expect("a folder");
    let own = "[filter \"secret\"]\nclean = tr a-z A-Z\nsmudge = tr A-Z a-z\n";
    fs::write(home.join(".gitconfig"), own).expect("it is written");
    let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", "data"];
    let mut command = galley(folder, &arguments);
    command.args(["--content", "content", "--write-back", "commit"]);
    command.env("GALLEY_SOURCE_WRITE_BACK_SETTLE_S", "0");
    command.env("HOME", &home);
    command.env("PATH", env::var_os("PATH").expect("a path"));
    let _served = GalleyProcess::from_command(&mut command);
    wait_until("the edit is committed", || {
        git(&content, &["rev-parse", "HEAD"]) != first
    });
    let committed = git(&content, &["show", &format!("HEAD:{FILE}")]);
    assert!(committed.contains("THE DAY FERRY"), "{committed}");
    assert!(!hostile.has_run());
}

#[test]
fn relative_folders_of_the_search_path_are_not_searched() {
    let hostile = Hostile::new();
    let content = hostile.folder.content();
    for name in ["git", "git-log"] {
        let mark = format!("#!/bin/sh\nexec {}\n", hostile.program().display());
        write_script(&content.join(name), &mark);
    }
    let usual = env::var("PATH").expect("a path");
    let path = content.to_str().expect("UTF-8");
    let arguments = ["import", path, "--history", "--data", "imported"];
    let mut command = galley(&hostile.folder, &arguments);
    command.current_dir(Path::new(path));
    command.env("PATH", format!(".::{usual}"));
    let output = command.output().expect("the program runs");
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{complaint}");
    assert!(!hostile.has_run());
}
