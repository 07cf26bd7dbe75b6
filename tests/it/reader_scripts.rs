//! Tests of `galley admin install --reader-scripts`: Ghost's scripts for readers are installed for a site from npm packages, and
//! its pages load them.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use galley_tests::{
    command_line::{CommandOutput, galley},
    galley_process::GalleyProcess,
    http_client::{get, request},
    killing::kill_at_many_moments,
    wait::wait_until,
};
use tempfile::TempDir;

use crate::admin_app::{respond, write_package};

/// The packages, and the files of each that pages load.
const PACKAGES: [(&str, &[&str]); 4] = [
    ("portal", &["umd/portal.min.js"]),
    ("sodo-search", &["umd/sodo-search.min.js", "umd/main.css"]),
    ("announcement-bar", &["umd/announcement-bar.min.js"]),
    ("comments-ui", &["umd/comments-ui.min.js"]),
];

const VERSION: &str = "9.8.7";
const PORTAL: &str = "/public/reader-scripts/portal-9.8.7/umd/portal.min.js";
const CDN: &str = "https://cdn.jsdelivr.net/ghost/portal@";

/// A folder with the packages, next to a data folder.
struct ScriptInstallation {
    folder: TempDir,
    /// The flags that name the packages and their hashes.
    flags: Vec<String>,
}

impl ScriptInstallation {
    fn new() -> Self {
        let mut installation = Self {
            folder: tempfile::tempdir().unwrap(),
            flags: Vec::new(),
        };
        installation.write_packages(VERSION);
        installation
    }

    /// Writes a version of the packages, which later installations use.
    fn write_packages(&mut self, version: &str) {
        self.flags.clear();
        fs::create_dir_all(self.packages()).unwrap();
        for (name, loaded) in PACKAGES {
            let script = format!(
                "image=`https://randomuser.me/api/men/32.jpg`;f(`${{u}}/ghost/api/content/`);/* {version} */{}",
                "f();".repeat(2000)
            );
            let loaded: Vec<String> = loaded
                .iter()
                .map(|file| format!("package/{file}"))
                .collect();
            let mut files = vec![
                ("package/package.json", "{}"),
                ("package/LICENSE", "MIT"),
                ("package/src/index.js", "not loaded"),
                ("package/umd/further.min.js.map", "{}"),
                ("package/umd/further.js", "loaded by others"),
            ];
            files.extend(loaded.iter().map(|file| (&**file, &*script)));
            self.write_package(name, version, &files);
        }
    }

    fn write_package(&mut self, name: &str, version: &str, files: &[(&str, &str)]) {
        let path = self
            .packages()
            .join(format!("tryghost-{name}-{version}.tgz"));
        let integrity = write_package(&path, files);
        self.flags.push("--package".to_owned());
        self.flags.push(format!("{name}@{version}={integrity}"));
    }

    fn packages(&self) -> PathBuf {
        self.folder.path().join("packages")
    }

    fn scripts(&self) -> PathBuf {
        self.folder.path().join("data/reader-scripts")
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        galley(
            &self.folder,
            &[&["admin", "--data", "data"], arguments].concat(),
        )
        // There is no npm.
        .env("PATH", self.folder.path())
        .output()
        .unwrap()
        .into()
    }

    fn arguments(&self) -> Vec<&str> {
        let flags = self.flags.iter().map(|flag| &**flag);
        ["install", "--reader-scripts", "--from", "packages"]
            .into_iter()
            .chain(flags)
            .collect()
    }

    fn install(&self) -> CommandOutput {
        self.run(&self.arguments())
    }

    fn remove(&self) {
        assert!(self.run(&["remove", "--reader-scripts"]).is_success());
    }

    /// Serves the site with this front end.
    fn serve(&self, front_end: &str) -> GalleyProcess {
        let options = [
            ("GALLEY_FRONT_END", front_end),
            ("GALLEY_READER_SCRIPTS", "ghost"),
        ];
        GalleyProcess::start(self.folder.path(), &options)
    }
}

/// Waits until the front page, which is cached, contains a text, and returns the page.
fn wait_for_page_with(process: &GalleyProcess, expected: &str) -> String {
    let mut page = String::new();
    wait_until("the page contains the text", || {
        page = respond(process, &get("/")).text().to_owned();
        page.contains(expected)
    });
    page
}

#[test]
fn pages_of_a_running_server_load_installed_scripts_from_the_site() {
    let mut installation = ScriptInstallation::new();
    let process = installation.serve("theme");
    wait_for_page_with(&process, CDN);

    let output = installation.install();
    assert!(output.is_success(), "{}", output.err);
    let page = wait_for_page_with(&process, &format!("src=\"{PORTAL}\""));
    let loaded = page
        .split("<script")
        .filter(|script| script.contains("src=\"http"));
    assert_eq!(loaded.collect::<Vec<_>>(), Vec::<&str>::new());
    let search = "/public/reader-scripts/sodo-search-9.8.7/umd/sodo-search.min.js\"";
    let styles = "data-styles=\"/public/reader-scripts/sodo-search-9.8.7/umd/main.css\"";
    assert!(page.contains(search) && page.contains(styles), "{page}");

    installation.write_packages("9.9.0");
    assert!(installation.install().is_success());
    wait_for_page_with(
        &process,
        "/public/reader-scripts/portal-9.9.0/umd/portal.min.js",
    );
    assert_eq!(respond(&process, &get(PORTAL)).status, 404);

    installation.remove();
    wait_for_page_with(&process, CDN);
}

#[test]
fn pages_of_a_site_in_a_subdirectory_name_it() {
    let installation = ScriptInstallation::new();
    assert!(installation.install().is_success());
    let options = [
        ("GALLEY_FRONT_END", "theme"),
        ("GALLEY_URL", "http://127.0.0.1/blog/"),
    ];
    let process = GalleyProcess::start(installation.folder.path(), &options);
    let page = respond(&process, &get("/blog/"));
    let url = format!("/blog{PORTAL}");
    assert!(
        page.text().contains(&format!("src=\"{url}\"")),
        "{}",
        page.text()
    );
    assert_eq!(respond(&process, &get(&url)).status, 200);
}

#[test]
fn installed_scripts_are_immutable_and_compressed_in_advance() {
    let installation = ScriptInstallation::new();
    installation.install();
    for front_end in ["theme", "none"] {
        let process = installation.serve(front_end);
        let plain = respond(&process, &get(PORTAL));
        assert_eq!(
            (
                plain.status,
                plain.header("cache-control"),
                plain.header("content-type")
            ),
            (
                200,
                Some("public, max-age=31536000, immutable"),
                Some("text/javascript")
            )
        );
        assert_eq!(plain.header("x-content-type-options"), Some("nosniff"));
        for encoding in ["br", "gzip"] {
            let headers = format!("accept-encoding: {encoding}\r\n");
            let compressed = respond(&process, &request("GET", PORTAL, &headers));
            assert_eq!(compressed.header("content-encoding"), Some(encoding));
            assert!(compressed.body.len() * 5 < plain.body.len());
        }
        let known = format!("if-none-match: {}\r\n", plain.header("etag").unwrap());
        assert_eq!(
            respond(&process, &request("GET", PORTAL, &known)).status,
            304
        );
    }
}

#[test]
fn only_files_of_the_packages_are_served() {
    let installation = ScriptInstallation::new();
    installation.install();
    let own = installation.scripts().join("portal-9.8.7");
    assert!(own.join("LICENSE").is_file() && own.join("umd/further.js").is_file());
    for absent in ["package.json", "src", "umd/further.min.js.map"] {
        assert!(!own.join(absent).exists(), "{absent}");
    }
    let secret = installation.folder.path().join("secret.js");
    fs::write(&secret, "secret").unwrap();
    symlink(&secret, own.join("umd/link.js")).unwrap();
    symlink(installation.folder.path(), own.join("folder")).unwrap();
    let process = installation.serve("theme");
    for path in [
        "galley.json",
        "portal-9.8.7/umd/link.js",
        "portal-9.8.7/folder/secret.js",
        "portal-9.8.7/../galley.json",
        "portal-9.8.7/%2e%2e/galley.json",
        "portal-9.8.7/umd/",
        "portal-9.8.7/umd",
        "portal-1.0.0/umd/portal.min.js",
        "",
    ] {
        let target = format!("/public/reader-scripts/{path}");
        assert_eq!(respond(&process, &get(&target)).status, 404, "{path}");
    }
}

#[test]
fn installed_scripts_load_no_images_from_other_hosts() {
    let installation = ScriptInstallation::new();
    installation.install();
    let script = installation
        .scripts()
        .join("comments-ui-9.8.7/umd/comments-ui.min.js");
    let script = fs::read_to_string(script).unwrap();
    assert!(script.starts_with("image=`data:image/svg+xml,"), "{script}");
}

#[test]
fn pages_and_scripts_follow_the_path_prefix() {
    let installation = ScriptInstallation::new();
    let options = "path_prefix = \"cms\"\nfront_end = \"theme\"\n";
    fs::write(installation.folder.path().join("galley.toml"), options).unwrap();
    installation.install();
    let search = installation
        .scripts()
        .join("sodo-search-9.8.7/umd/sodo-search.min.js");
    let search = fs::read_to_string(search).unwrap();
    assert!(search.contains("f(`${u}/cms/api/content/`)"), "{search}");
    let process = GalleyProcess::start(installation.folder.path(), &[]);
    let page = respond(&process, &get("/"));
    let (_, api) = page.text().split_once("data-api=\"").unwrap();
    let (api, _) = api.split_once('"').unwrap();
    assert!(api.ends_with("/cms/api/content/"), "{api}");
    let (_, key) = page.text().split_once("data-key=\"").unwrap();
    let (key, _) = key.split_once('"').unwrap();
    for kind in ["posts", "tags", "authors"] {
        let target = format!("/cms/api/content/search-index/{kind}/?key={key}");
        assert_eq!(respond(&process, &get(&target)).status, 200, "{kind}");
    }
}

#[test]
fn altered_package_is_refused_and_the_installed_scripts_stay() {
    let installation = ScriptInstallation::new();
    installation.install();
    let package = installation
        .packages()
        .join("tryghost-comments-ui-9.8.7.tgz");
    write_package(&package, &[("package/umd/comments-ui.min.js", "altered")]);
    let output = installation.install();
    assert!(!output.is_success());
    let expected = "this is not the package @tryghost/comments-ui@9.8.7";
    assert!(output.err.contains(expected), "{}", output.err);
    assert!(
        installation
            .scripts()
            .join("comments-ui-9.8.7/umd/comments-ui.min.js")
            .is_file()
    );
}

#[test]
fn killed_installation_leaves_all_old_scripts_or_all_new_ones() {
    let mut installation = ScriptInstallation::new();
    installation.install();
    installation.write_packages("9.9.0");
    let arguments = [&["admin", "--data", "data"][..], &installation.arguments()].concat();
    kill_at_many_moments(
        |_| galley(&installation.folder, &arguments),
        |number| {
            let output = installation.run(&["status", "--json"]).json();
            let packages = &output["reader_scripts"]["installed"]["packages"];
            let version = packages[0]["version"].as_str().unwrap();
            for (package, (name, loaded)) in packages.as_array().unwrap().iter().zip(PACKAGES) {
                assert_eq!(package["version"], version, "{number}: {name}");
                for file in loaded {
                    let path = format!("{name}-{version}/{file}.br");
                    assert!(
                        installation.scripts().join(&path).is_file(),
                        "{number}: {path}"
                    );
                }
            }
        },
    );
    assert!(installation.install().is_success());
    installation.remove();
    let left: Vec<_> = fs::read_dir(installation.folder.path().join("data"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn status_names_the_installed_versions() {
    let installation = ScriptInstallation::new();
    let before = installation.run(&["status"]).out;
    assert!(
        before.contains("`galley admin install --reader-scripts` installs them"),
        "{before}"
    );
    assert!(
        installation
            .run(&["remove", "--reader-scripts"])
            .out
            .contains("Not installed.")
    );
    installation.install();
    let output = installation.run(&["status"]).out;
    let versions = "(portal 9.8.7, sodo-search 9.8.7, announcement-bar 9.8.7, comments-ui 9.8.7)";
    assert!(output.contains(versions), "{output}");
    let status = installation.run(&["status", "--json"]).json();
    assert_eq!(status["installed"], serde_json::Value::Null);
    let scripts = &status["reader_scripts"];
    assert_eq!(scripts["folder"], "data/reader-scripts");
    assert_eq!(
        scripts["installed"]["packages"][1]["name"],
        "@tryghost/sodo-search"
    );
    assert_eq!(scripts["installed"]["files"], 13);
}

#[test]
fn errors_say_what_to_do() {
    let mut installation = ScriptInstallation::new();
    let hash = format!("portal@1.0.0=sha512-{}==", "A".repeat(86));
    for (arguments, expected) in [
        (vec![], "npm is not installed"),
        (
            vec!["--from", "none"],
            "none/tryghost-portal-2.71.227.tgz cannot be read",
        ),
        (vec!["--package", "portal"], "NAME@VERSION=HASH"),
        (
            vec!["--package", "ghost@1.0.0=sha512-abc"],
            "portal, sodo-search, announcement-bar, comments-ui",
        ),
        (
            vec!["--package", "portal@latest=sha512-abc"],
            "not a version",
        ),
        (
            vec!["--package", "@tryghost/portal@1.0.0=sha512-abc"],
            "not a hash",
        ),
        (
            vec!["--from", "packages", "--package", &hash],
            "tryghost-portal-1.0.0.tgz cannot be read",
        ),
        (vec!["--version", "6.65.0"], "cannot be used with"),
    ] {
        let output = installation.run(&[&["install", "--reader-scripts"], &arguments[..]].concat());
        assert!(
            !output.is_success() && output.err.contains(expected),
            "{arguments:?}: {}",
            output.err
        );
    }
    let output = installation.run(&["install", "--package", &hash]);
    assert!(output.err.contains("--reader-scripts"), "{}", output.err);

    installation.flags.clear();
    for (name, _) in PACKAGES {
        installation.write_package(name, VERSION, &[("package/umd/other.js", "")]);
    }
    let output = installation.install();
    let expected = "the package @tryghost/portal@9.8.7 has no package/umd/portal.min.js";
    assert!(output.err.contains(expected), "{}", output.err);
    assert!(!installation.scripts().exists());
}
