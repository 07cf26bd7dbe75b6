//! Tests of `galley service`, with a fake `systemctl` that logs its arguments.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use galley_tests::{
    command_line::{CommandOutput, galley},
    scripts::write_script,
};
use tempfile::TempDir;

/// A fake systemd installation: a folder of units, and a `systemctl` in the search path.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn new() -> Self {
        let machine = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir_all(machine.path("site/galley-data")).unwrap();
        fs::create_dir_all(machine.path("site/content")).unwrap();
        fs::create_dir(machine.path("units")).unwrap();
        machine.set_systemctl(
            "cd \"$(dirname \"$0\")/..\"; case $1 in
               show) cat shown 2>/dev/null || true ;;
               is-enabled) grep -qxF \"$3\" enabled 2>/dev/null ;;
             esac",
        );
        machine
    }

    /// Makes `systemctl` log its arguments and run `script`.
    fn set_systemctl(&self, script: &str) {
        let path = self.path("bin/systemctl");
        let script =
            format!("#!/bin/sh\necho \"$*\" >> \"$(dirname \"$0\")/../calls\"\n{script}\n");
        write_script(&path, &script);
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn unit(&self) -> PathBuf {
        self.path("units/galley.service")
    }

    /// Returns the calls of `systemctl`, without queries.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.path("calls")).unwrap_or_default();
        let calls = calls
            .lines()
            .filter(|call| !call.starts_with("show ") && !call.starts_with("is-enabled "));
        calls.map(str::to_owned).collect()
    }

    fn galley(&self, arguments: &[&str]) -> CommandOutput {
        let path = std::env::var("PATH").unwrap();
        galley(&self.path("site"), arguments)
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .output()
            .unwrap()
            .into()
    }

    /// Runs a subcommand of `galley service` in the folder of units.
    fn service(&self, arguments: &[&str]) -> CommandOutput {
        let units = self.path("units");
        let folder_option = ["--unit-folder", units.to_str().unwrap()];
        self.galley(&[&["service"], arguments, &folder_option].concat())
    }

    /// Returns the unit that would be installed.
    fn dry_run(&self, arguments: &[&str]) -> String {
        let output = self.galley(&[&["service", "install", "--dry-run"], arguments].concat());
        output.stdout().to_owned()
    }
}

/// Returns the name of the user who runs the tests.
fn user() -> String {
    let output = Command::new("id").arg("-nu").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Returns the values of `key` in a unit.
fn settings<'u>(unit: &'u str, key: &str) -> Vec<&'u str> {
    let lines = unit.lines().filter_map(|line| line.split_once('='));
    lines
        .filter(|(name, _)| *name == key)
        .map(|(_, value)| value)
        .collect()
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn unit_names_the_program_the_user_and_the_folders_of_the_site() {
    let machine = Machine::new();
    write(
        &machine.path("site/galley.toml"),
        "[backup]\nto = \"/srv/backups of 100%\"\n",
    );
    let unit = machine.dry_run(&["--user", "ada"]);
    let site = machine.path("site").canonicalize().unwrap();
    let site = site.to_str().unwrap();
    assert_eq!(settings(&unit, "User"), ["ada"]);
    assert_eq!(settings(&unit, "WorkingDirectory"), [site]);
    let command = format!(
        "{} serve --config {site}/galley.toml",
        env!("CARGO_BIN_EXE_galley")
    );
    let reload = command.replace(" serve ", " reload ");
    assert_eq!(settings(&unit, "ExecReload"), [reload]);
    assert_eq!(settings(&unit, "ExecStart"), [command]);
    assert_eq!(
        settings(&unit, "ReadWritePaths"),
        [
            format!("-{site}/galley-data"),
            format!("-{site}/content"),
            "-\"/srv/backups of 100%%\"".to_owned()
        ]
    );
    assert!(settings(&unit, "StateDirectory").is_empty());
    assert!(settings(&unit, "DynamicUser").is_empty());
    assert_eq!(settings(&unit, "ProtectSystem"), ["strict"]);
    // The folders of the tests are in /tmp, so the service must not have a private one.
    assert_eq!(settings(&unit, "PrivateTmp"), ["no"]);
    assert!(machine.calls().is_empty());
    assert!(!machine.unit().exists());
}

#[test]
fn service_below_var_lib_runs_as_a_dynamic_user() {
    let machine = Machine::new();
    let unit = machine.dry_run(&["--data", "/var/lib/sites/no such"]);
    assert_eq!(settings(&unit, "DynamicUser"), ["yes"]);
    assert!(settings(&unit, "User").is_empty());
    assert_eq!(settings(&unit, "StateDirectory"), ["\"sites/no such\""]);
    let command = settings(&unit, "ExecStart")[0].to_owned();
    assert!(
        command.ends_with(" serve --data \"/var/lib/sites/no such\""),
        "{command}"
    );
}

#[test]
fn only_low_ports_add_the_capability() {
    let machine = Machine::new();
    let rights = |toml: &str| {
        write(&machine.path("site/galley.toml"), toml);
        let unit = machine.dry_run(&["--user", "ada"]);
        let of = |key| settings(&unit, key).join(",");
        (
            of("CapabilityBoundingSet"),
            of("AmbientCapabilities"),
            of("PrivateUsers"),
        )
    };
    let bind = "CAP_NET_BIND_SERVICE".to_owned();
    let low = (bind.clone(), bind, "no".to_owned());
    let none = (String::new(), String::new(), "yes".to_owned());
    assert_eq!(rights("domain = [\"example.com\"]\n"), low);
    assert_eq!(rights("listen = \"0.0.0.0:80\"\n"), low);
    assert_eq!(rights(""), none);
    assert_eq!(
        rights("domain = [\"example.com\"]\nlisten = \"[::]:8080\"\ntls.listen = \"[::]:8443\"\n"),
        none
    );
}

#[test]
fn low_ports_with_socket_activation_add_no_capability() {
    let machine = Machine::new();
    write(
        &machine.path("site/galley.toml"),
        "domain = [\"example.com\"]\n",
    );
    let rights = || {
        let unit = machine.dry_run(&["--user", "ada"]);
        settings(&unit, "AmbientCapabilities").join(",")
    };
    write(&machine.path("enabled"), "galley-https.socket\n");
    assert_eq!(rights(), "CAP_NET_BIND_SERVICE", "for port 80");
    write(
        &machine.path("enabled"),
        "galley-http.socket\ngalley-https.socket\n",
    );
    assert_eq!(rights(), "");
}

#[test]
fn installed_service_is_enabled_started_replaced_and_removed() {
    let machine = Machine::new();
    let user = user();
    let install = ["install", "--user", user.as_str()];
    let output = machine.service(&install);
    assert!(output.is_success(), "{}", output.err);
    let first = fs::read_to_string(machine.unit()).unwrap();
    assert!(first.starts_with("# Written by `galley service install`"));
    let started = [
        "daemon-reload",
        "enable galley.service",
        "restart galley.service",
    ];
    assert_eq!(machine.calls(), started);

    write(
        &machine.path("site/galley.toml"),
        "domain = [\"example.com\"]\n",
    );
    let output = machine.service(&install);
    assert!(output.is_success(), "{}", output.err);
    assert_ne!(fs::read_to_string(machine.unit()).unwrap(), first);

    let output = machine.service(&["remove"]);
    assert!(output.is_success(), "{}", output.err);
    assert!(!machine.unit().exists());
    let calls = machine.calls();
    let removed = ["disable --now galley.service", "daemon-reload"];
    assert_eq!(calls[calls.len() - 2..], removed);
    assert!(machine.path("site/galley-data").is_dir());
    assert!(
        machine
            .service(&["remove"])
            .err
            .contains("there is no unit")
    );
}

#[test]
fn unit_not_written_by_galley_is_never_replaced_or_removed() {
    let machine = Machine::new();
    let user = user();
    let install = ["install", "--user", user.as_str()];
    write(&machine.unit(), "[Service]\nExecStart=/bin/true\n");
    for arguments in [&install[..], &["remove"]] {
        let output = machine.service(arguments);
        assert_eq!(output.code, Some(1));
        assert!(
            output
                .err
                .contains("was not written by `galley service install`"),
            "{}",
            output.err
        );
    }
    // A unit with the same name in another folder, as installed by a package.
    let other = machine.path("package/galley.service");
    fs::create_dir(machine.path("package")).unwrap();
    fs::rename(machine.unit(), &other).unwrap();
    write(
        &machine.path("shown"),
        &format!("FragmentPath={}\n", other.display()),
    );
    let output = machine.service(&install);
    assert!(output.err.contains(other.to_str().unwrap()));
    assert!(!machine.unit().exists());
    assert!(machine.calls().is_empty());
}

#[test]
fn status_says_whether_the_service_runs() {
    let machine = Machine::new();
    let output = machine.galley(&["service", "status"]);
    assert_eq!(output.code, Some(1));
    assert!(output.out.contains("is not installed"));

    write(
        &machine.path("shown"),
        "FragmentPath=/etc/systemd/system/galley.service\nActiveState=active\nSubState=running\nUnitFileState=enabled\n",
    );
    let output = machine.galley(&["service", "status"]);
    assert!(output.is_success());
    let shown = output.out;
    assert_eq!(
        shown,
        "galley.service: active (running), enabled\nIts unit is /etc/systemd/system/galley.service.\n"
    );
    let output = machine.galley(&["service", "status", "--json"]);
    let shown: serde_json::Value = output.json();
    assert_eq!(shown["active"], "active");
    assert_eq!(shown["enabled"], true);
}

#[test]
fn machine_without_systemd_gets_an_error_with_advice() {
    let machine = Machine::new();
    let user = user();
    machine.set_systemctl("echo 'System has not been booted with systemd' >&2; exit 1");
    let output = machine.service(&["install", "--user", &user]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("has not been booted with systemd"));
    assert!(output.err.contains("--dry-run` prints the unit"));
    assert!(!machine.unit().exists());
}

#[test]
fn service_needs_a_user_who_owns_the_data_folder() {
    let machine = Machine::new();
    let output = machine.galley(&["service", "install", "--data", "/srv/no-such-folder"]);
    assert!(output.err.contains("name the user"), "{}", output.err);
    let output = machine.service(&["install", "--user", "no-such-user"]);
    assert!(output.err.contains("no-such-user"), "{}", output.err);
    assert!(!machine.unit().exists());
    let other = if user() == "root" { "daemon" } else { "root" };
    let output = machine.service(&["install", "--user", other]);
    assert!(
        output.err.contains(&format!("does not belong to {other}")),
        "{}",
        output.err
    );
}

#[test]
fn invalid_service_names_are_rejected() {
    let machine = Machine::new();
    for name in ["../galley", "", "a b", "-a"] {
        let output = machine.galley(&["service", "status", &format!("--name={name}")]);
        assert_eq!(output.code, Some(2), "{name:?}");
    }
    let unit = machine.dry_run(&["--user", "ada", "--name", "blog"]);
    assert_eq!(settings(&unit, "EnvironmentFile"), ["-/etc/blog/secrets"]);
}
