//! Tests of `galley admin`: Ghost's admin app is installed for a site from an npm package, and served.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
};

use data_encoding::BASE64;
use flate2::{Compression, write::GzEncoder};
use galley_tests::{
    command_line::{CommandOutput, galley},
    galley_process::GalleyProcess,
    http_client::{Client, HttpResponse, get, request},
    killing::kill_at_many_moments,
    scripts::write_script,
};
use sha2::{Digest, Sha512};
use tempfile::TempDir;

const APP: &str = "package/core/built/admin";
const SCRIPT: &str =
    "p=location.pathname.search(`/ghost/`);fetch(`https://ghost.org/changelog.json`);";

/// Writes a package with these files, and returns its integrity hash.
pub fn write_package(path: &Path, files: &[(&str, &str)]) -> String {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, content) in files {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        archive
            .append_data(&mut header, name, content.as_bytes())
            .unwrap();
    }
    let bytes = archive.into_inner().unwrap().finish().unwrap();
    fs::write(path, &bytes).unwrap();
    format!("sha512-{}", BASE64.encode(&Sha512::digest(&bytes)))
}

/// A folder with a package of the app, next to a data folder.
struct AppInstallation {
    folder: TempDir,
    package: PathBuf,
    integrity: String,
}

impl AppInstallation {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("ghost.tgz");
        let script = format!("{SCRIPT}{}", "/* long */".repeat(500));
        let index = format!("{APP}/index.html");
        let integrity = write_package(
            &package,
            &[
                ("package/package.json", "{}"),
                ("package/LICENSE", "MIT"),
                (&index, "<!doctype html><title>The app</title>"),
                (&format!("{APP}/assets/app-1f2e.js"), &script),
                (&format!("{APP}/assets/fonts/a.woff2"), "wOF2"),
                ("package/core/server/secret.js", "not of the app"),
            ],
        );
        Self {
            folder,
            package,
            integrity,
        }
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        galley(
            &self.folder,
            &[&["admin"], arguments, &["--data", "data"]].concat(),
        )
        // There is no npm.
        .env("PATH", self.folder.path())
        .output()
        .unwrap()
        .into()
    }

    fn install_from(&self, source: &str) -> CommandOutput {
        self.run(&[
            "install",
            "--version",
            "6.65.1",
            "--from",
            source,
            "--integrity",
            &self.integrity,
        ])
    }

    fn install(&self) {
        self.install_from(self.package.to_str().unwrap()).stdout();
    }

    fn app(&self) -> PathBuf {
        self.folder.path().join("data/admin-app")
    }
}

pub fn respond(process: &GalleyProcess, request: &str) -> HttpResponse {
    let mut client = Client::new(TcpStream::connect(process.address()).unwrap());
    client.send(request);
    client.respond()
}

fn open_in_browser(process: &GalleyProcess) -> HttpResponse {
    respond(
        process,
        &request("GET", "/ghost/", "accept: text/html,*/*\r\n"),
    )
}

/// The code of the app's Markdown card that loads files from other hosts.
const LOADED: &str = "i.href=`https://maxcdn.bootstrapcdn.com/font-awesome/latest/css/font-awesome.min.css`;\
    a.open(`GET`,`https://cdn.jsdelivr.net/codemirror.spell-checker/latest/en_US.dic`,!0)";

#[test]
fn app_loads_nothing_from_other_hosts_even_if_a_package_is_missing() {
    let mut installation = AppInstallation::new();
    let index = format!("{APP}/index.html");
    let script = format!("{APP}/assets/markdown-1f2e.js");
    let files = [(&*index, "<!doctype html>"), (&*script, LOADED)];
    installation.integrity = write_package(&installation.package, &files);

    let output = installation.install_from("ghost.tgz");

    assert!(output.is_success(), "{}", output.err);
    for output in [output, installation.run(&["status"])] {
        let printed = output.out;
        for missing in [
            "Incomplete: the toolbar of the Markdown card has no icons, since font-awesome-4.7.0.tgz is missing: npm is not installed",
            "Incomplete: the Markdown card does not check spelling, since codemirror-spell-checker-1.1.2.tgz is missing",
        ] {
            assert!(printed.contains(missing), "{printed}");
        }
    }
    let script = fs::read_to_string(installation.app().join("assets/markdown-1f2e.js")).unwrap();
    assert!(!script.contains("https:"), "{script}");
    assert!(
        script.contains("`./assets/spelling-1.1.2/en_US.dic`"),
        "{script}"
    );
}

#[test]
fn package_next_to_the_app_is_used_only_if_its_hash_matches() {
    let mut installation = AppInstallation::new();
    let index = format!("{APP}/index.html");
    let script = format!("{APP}/assets/markdown-1f2e.js");
    let files = [(&*index, "<!doctype html>"), (&*script, LOADED)];
    installation.integrity = write_package(&installation.package, &files);
    let beside = installation.folder.path().join("font-awesome-4.7.0.tgz");
    write_package(&beside, &[("package/css/font-awesome.min.css", "altered")]);

    let output = installation.install_from("ghost.tgz");

    assert!(!output.is_success());
    let errors = output.err;
    assert!(
        errors.contains("not the package font-awesome@4.7.0"),
        "{errors}"
    );
    assert!(!installation.app().exists());
}

#[test]
fn installed_app_is_served_and_removed() {
    let installation = AppInstallation::new();
    let process = GalleyProcess::start(installation.folder.path(), &[]);
    let before = open_in_browser(&process);
    assert!(before.text().contains("galley admin install"));
    assert_eq!(before.status, 404);

    installation.install();
    let index = respond(&process, &get("/ghost/"));
    assert!(index.text().contains("The app"));
    // The policy contains a nonce of this browser, so the page must not be stored.
    let cache_control = index.header("cache-control").unwrap();
    assert!(cache_control.contains("no-store"), "{cache_control}");
    let policy = index.header("content-security-policy").unwrap();
    assert!(policy.contains("frame-ancestors 'self'") && policy.contains("connect-src 'self'"));
    let known = format!("if-none-match: {}\r\n", index.header("etag").unwrap());
    assert_eq!(
        respond(&process, &request("GET", "/ghost/", &known)).status,
        304
    );

    for (path, status, location) in [
        ("/ghost", 301, "/ghost/"),
        ("/ghost/reset/abc/", 302, "/ghost/#/reset/abc/"),
        ("/ghost/signup/a/?x=1", 302, "/ghost/#/signup/a/?x=1"),
    ] {
        let response = respond(&process, &get(path));
        assert_eq!(
            (response.status, response.header("location")),
            (status, Some(location)),
            "{path}"
        );
    }
    for path in [
        "/ghost/assets/none.js",
        "/ghost/assets/../galley.json",
        "/ghost/assets/",
        "/ghost/api",
        "/ghostly/",
    ] {
        let response = respond(&process, &get(path));
        let response = match response.header("location") {
            // The site redirects to the path with a trailing slash.
            Some(location) => respond(&process, &get(location)),
            None => response,
        };
        assert_eq!(response.status, 404, "{path}");
    }

    assert!(installation.run(&["remove"]).is_success());
    assert!(
        open_in_browser(&process)
            .text()
            .contains("galley admin install")
    );
}

#[test]
fn theme_previews_run_scripts_with_the_nonce_of_the_browser() {
    let installation = AppInstallation::new();
    installation.install();
    let theme = [("GALLEY_FRONT_END", "theme")];
    let process = GalleyProcess::start(installation.folder.path(), &theme);
    let index = respond(&process, &get("/ghost/"));
    let cookie = index.header("set-cookie").unwrap();
    assert!(
        cookie.ends_with("; Path=/; SameSite=Strict; HttpOnly"),
        "{cookie}"
    );
    let sent = cookie.split(';').next().unwrap();
    let nonce = sent.strip_prefix("galley-preview=").unwrap();
    let policy = index.header("content-security-policy").unwrap();
    assert!(
        policy.contains(&format!("script-src 'self' 'nonce-{nonce}';")),
        "{policy}"
    );
    assert!(index.header("cache-control").unwrap().contains("no-store"));
    let again = request("GET", "/ghost/", &format!("cookie: {sent}\r\n"));
    assert_eq!(
        respond(&process, &again).header("content-security-policy"),
        Some(policy)
    );

    let preview = |fields: &str| {
        let fields = format!("x-ghost-preview: c=%23ff0000\r\ncontent-length: 0\r\n{fields}");
        let page = respond(&process, &request("POST", "/", &fields));
        assert_eq!(page.status, 200, "{}", page.text());
        page.text().to_owned()
    };
    let marked = preview(&format!("cookie: {sent}\r\n"));
    assert_eq!(
        marked.matches("<script").count(),
        marked.matches(&format!("<script nonce={nonce} ")).count(),
        "{marked}"
    );
    for fields in ["", "cookie: galley-preview=\"><script>\r\n"] {
        assert!(!preview(fields).contains("nonce="));
    }
    let page = respond(
        &process,
        &request("GET", "/", &format!("cookie: {sent}\r\n")),
    );
    assert!(!page.text().contains("nonce="));
}

#[test]
fn killed_installation_leaves_the_old_app_or_the_new_one() {
    let installation = AppInstallation::new();
    installation.install();
    let bytes = fs::read(&installation.package).unwrap();
    let other = format!("sha512-{}", BASE64.encode(&Sha512::digest(&bytes)));
    let package = installation.package.to_str().unwrap().to_owned();
    kill_at_many_moments(
        |number| {
            let version = format!("6.66.{number}");
            let install = ["admin", "install", "--data", "data"];
            let of = [
                "--version",
                &version,
                "--from",
                &package,
                "--integrity",
                &other,
            ];
            galley(&installation.folder, &[&install[..], &of].concat())
        },
        |number| {
            let output = installation.run(&["status"]).out;
            assert!(output.contains("admin app 6.6"), "{number}: {output}");
            for file in ["index.html", "assets/app-1f2e.js", "assets/fonts/a.woff2"] {
                assert!(installation.app().join(file).is_file(), "{number}: {file}");
            }
        },
    );
    installation.install();
    assert!(installation.run(&["remove"]).is_success());
    let left: Vec<_> = fs::read_dir(installation.folder.path().join("data"))
        .unwrap()
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn assets_are_immutable_and_compressed_in_advance() {
    let installation = AppInstallation::new();
    installation.install();
    let process = GalleyProcess::start(installation.folder.path(), &[]);
    let plain = respond(&process, &get("/ghost/assets/app-1f2e.js"));
    assert_eq!(
        plain.header("cache-control"),
        Some("public, max-age=31536000, immutable")
    );
    assert_eq!(plain.header("content-type"), Some("text/javascript"));
    for encoding in ["br", "gzip"] {
        let headers = format!("accept-encoding: {encoding}\r\n");
        let compressed = respond(
            &process,
            &request("GET", "/ghost/assets/app-1f2e.js", &headers),
        );
        assert_eq!(compressed.header("content-encoding"), Some(encoding));
        assert!(compressed.body.len() * 5 < plain.body.len());
        assert_ne!(compressed.header("etag"), plain.header("etag"));
    }
    let font = respond(&process, &get("/ghost/assets/fonts/a.woff2"));
    assert_eq!(
        (&*font.body, font.header("content-type")),
        (&b"wOF2"[..], Some("font/woff2"))
    );
}

#[test]
fn only_the_app_and_its_licence_are_unpacked() {
    let installation = AppInstallation::new();
    installation.install();
    assert_eq!(
        fs::read_to_string(installation.app().join("LICENSE")).unwrap(),
        "MIT"
    );
    assert!(
        !installation.app().join("core").exists()
            && !installation.app().join("package.json").exists()
    );
    let status = installation.run(&["status", "--json"]).json();
    assert_eq!(status["installed"]["version"], "6.65.1");
    assert_eq!(status["installed"]["files"], 4);
    let beside: Vec<_> = fs::read_dir(installation.folder.path().join("data"))
        .unwrap()
        .collect();
    assert_eq!(beside.len(), 1, "{beside:?}");
}

#[test]
fn app_requests_no_other_host_and_follows_the_path_prefix() {
    let installation = AppInstallation::new();
    fs::write(
        installation.folder.path().join("galley.toml"),
        "path_prefix = \"cms\"\n",
    )
    .unwrap();
    installation.install();
    let script = fs::read_to_string(installation.app().join("assets/app-1f2e.js")).unwrap();
    assert!(script.starts_with("p=location.pathname.search(`/cms/`);fetch(`./assets/news.json`);"));

    // A server with another prefix shows a message instead of the app.
    let process = GalleyProcess::start(
        installation.folder.path(),
        &[("GALLEY_PATH_PREFIX", "ghost")],
    );
    assert!(open_in_browser(&process).text().contains("below /cms/"));
}

#[test]
fn altered_package_is_refused_and_the_installed_app_stays() {
    let installation = AppInstallation::new();
    installation.install();
    let mut file = File::options()
        .append(true)
        .open(&installation.package)
        .unwrap();
    file.write_all(b"more").unwrap();
    let output = installation.install_from(installation.package.to_str().unwrap());
    assert!(!output.is_success());
    assert!(
        output.err.contains("this is not the package ghost@6.65.1"),
        "{}",
        output.err
    );
    assert!(installation.app().join("index.html").exists());
}

#[test]
fn errors_say_what_to_do() {
    let installation = AppInstallation::new();
    let path = installation.package.to_str().unwrap();
    for (arguments, expected) in [
        (vec!["install"], "npm is not installed"),
        (vec!["install", "--version", "6.1.0"], "--integrity"),
        (vec!["install", "--version", "latest"], "not a version"),
        (
            vec!["install", "--from", "none.tgz"],
            "none.tgz cannot be read",
        ),
        (
            vec!["install", "--version", "6.1.0", "--integrity", "sha1-abc"],
            "not a hash",
        ),
        (
            vec!["install", "--from", path],
            "this is not the package ghost@6.65.0",
        ),
    ] {
        let output = installation.run(&arguments);
        assert!(!output.is_success());
        assert!(
            output.err.contains(expected),
            "{arguments:?}: {}",
            output.err
        );
    }
}

#[test]
fn npm_ignores_settings_of_the_current_folder_and_runs_no_scripts() {
    let installation = AppInstallation::new();
    let script = "#!/bin/sh\nfor argument; do echo \"$argument\"; done > arguments\nexit 1\n";
    write_script(&installation.folder.path().join("npm"), script);
    let output = installation.run(&["install"]);
    assert!(!output.is_success());
    let arguments = fs::read_to_string(installation.folder.path().join("arguments")).unwrap();
    assert!(arguments.contains("--ignore-scripts\n"), "{arguments}");
    // npm reads project settings from the folder of its prefix.
    let prefix = arguments.split("--prefix\n").nth(1).unwrap();
    let prefix = prefix.lines().next().unwrap();
    assert!(prefix.ends_with("admin-app.download"), "{arguments}");
}

/// npm prints error codes before the message, which is the part to report.
#[test]
fn npm_failure_is_reported_with_its_message() {
    let installation = AppInstallation::new();
    let npm = installation.folder.path().join("npm");
    for (script, reason) in [
        (
            "echo npm error code ECONNREFUSED >&2\necho npm error errno ECONNREFUSED >&2\n\
             echo npm error connect ECONNREFUSED 192.0.2.1:443 >&2",
            "npm cannot get the package: connect ECONNREFUSED 192.0.2.1:443.",
        ),
        ("echo No space >&2", "npm cannot get the package: No space."),
        (":", "npm cannot get the package: it gives no reason."),
    ] {
        write_script(&npm, &format!("#!/bin/sh\n{script}\nexit 1\n"));
        let output = installation.run(&["install"]);
        assert!(
            !output.is_success() && output.err.contains(reason),
            "{}",
            output.err
        );
    }
}

/// Returns the `Range` of a request.
fn range_of(stream: &mut TcpStream) -> Option<String> {
    let lines = BufReader::new(stream).lines().map(Result::unwrap);
    let mut head = lines
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .into_iter();
    head.find_map(|line| {
        Some(
            line.to_ascii_lowercase()
                .strip_prefix("range: ")?
                .to_owned(),
        )
    })
}

#[test]
fn interrupted_download_is_continued() {
    let installation = AppInstallation::new();
    let bytes = fs::read(&installation.package).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/ghost.tgz", listener.local_addr().unwrap());
    let ranges = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&ranges);
    thread::spawn(move || {
        // The first connection ends in the middle of the file.
        for (stream, is_cut) in listener.incoming().zip([true, false]) {
            let mut stream = stream.unwrap();
            let range = range_of(&mut stream);
            let start: usize = range.as_deref().map_or(0, |range| {
                range["bytes=".len()..]
                    .trim_end_matches('-')
                    .parse()
                    .unwrap()
            });
            seen.lock().unwrap().push(range);
            let rest = &bytes[start..];
            let sent = if is_cut {
                &rest[..rest.len() / 2]
            } else {
                rest
            };
            let status = match start {
                0 => "200 OK".to_owned(),
                _ => format!(
                    "206 Partial Content\r\ncontent-range: bytes {start}-{}/{}",
                    bytes.len() - 1,
                    bytes.len()
                ),
            };
            let head = format!(
                "HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n",
                rest.len()
            );
            stream.write_all(&[head.as_bytes(), sent].concat()).unwrap();
        }
    });
    let cut = installation.install_from(&url);
    assert!(
        cut.err.contains("Run the command again to continue"),
        "{}",
        cut.err
    );
    assert!(!installation.app().exists());
    let whole = installation.install_from(&url);
    assert!(whole.is_success(), "{}", whole.err);
    let ranges = ranges.lock().unwrap();
    assert_eq!(ranges[0], None);
    assert!(ranges[1].is_some());
}
