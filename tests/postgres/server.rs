//! PostgreSQL for tests: a server on its own socket, which ends with the tests.

use std::{
    fs,
    io::Write,
    net::TcpListener,
    os::unix::{fs::PermissionsExt, process::CommandExt},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        OnceLock,
        atomic::{AtomicU32, Ordering::SeqCst},
    },
    thread,
    time::{Duration, Instant},
};

use galley::store::postgres::PostgresUrl;
use rustix::process::geteuid;

/// Runs the server until the standard input of the script ends, and then deletes its files.
const RUN: &str = r#"
"$1/postgres" -D "$2/data" -k "$2" -c max_connections=300 -c shared_buffers=32MB >"$2/log" 2>&1 &
server=$!
cat >/dev/null
kill -INT $server
wait $server
"#;

/// A server of PostgreSQL with an empty database.
pub struct Server {
    programs: PathBuf,
    folder: tempfile::TempDir,
    process: Option<Child>,
    schemas: AtomicU32,
    /// The port, which also names the socket; `None` for the default port.
    port: Option<u16>,
}

impl Server {
    /// Returns the server for tests that do not stop or configure their server.
    pub fn shared() -> &'static Self {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(Self::start)
    }

    pub fn start() -> Self {
        let programs = programs();
        let folder = tempfile::Builder::new()
            .prefix("galley-pg-")
            .tempdir()
            .unwrap();
        give_to_postgres(folder.path());
        let mut server = Self {
            programs,
            folder,
            process: None,
            schemas: AtomicU32::new(0),
            port: None,
        };
        let initialized = server
            .command("initdb")
            .args([
                "--auth=trust",
                "--username=galley",
                "--no-sync",
                "--encoding=UTF8",
                "-D",
            ])
            .arg(server.path().join("data"))
            .output()
            .unwrap();
        assert!(
            initialized.status.success(),
            "{}",
            String::from_utf8_lossy(&initialized.stderr)
        );
        server.configure("listen_addresses = ''\n");
        server.resume();
        server
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns a command that runs a program of PostgreSQL.
    fn command(&self, program: &str) -> Command {
        as_postgres(self.programs.join(program))
    }

    /// Starts the server again.
    pub fn resume(&mut self) {
        let process = as_postgres("sh".into())
            .args(["-c", RUN, "sh"])
            .arg(&self.programs)
            .arg(self.path())
            .stdin(Stdio::piped())
            .process_group(0)
            .spawn();
        self.process = Some(process.unwrap());
        let begin = Instant::now();
        while let Err(error) = self.run("SELECT 1") {
            let log = || fs::read_to_string(self.path().join("log")).unwrap_or_default();
            assert!(
                begin.elapsed() < Duration::from_secs(60),
                "{error}\n{}",
                log()
            );
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Stops the server immediately: connections are aborted.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            drop(process.stdin.take());
            process.wait().unwrap();
        }
    }

    /// Returns the URL of a new, empty schema.
    pub fn new_store(&self) -> String {
        self.url(&self.new_schema())
    }

    pub fn new_schema(&self) -> String {
        let name = format!("store{}", self.schemas.fetch_add(1, SeqCst));
        self.run(&format!("CREATE SCHEMA {name}")).unwrap();
        name
    }

    /// Makes the server also listen on a TCP port of this machine, and returns the port.
    pub fn listen(&mut self) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        drop(listener);
        self.stop();
        self.configure(&format!("listen_addresses = '127.0.0.1'\nport = {port}\n"));
        self.port = Some(port);
        self.resume();
        port
    }

    /// Makes the server use TLS from the next start, and returns the certificate of the authority that signed its certificate.
    pub fn use_tls(&self) -> PathBuf {
        let key = rcgen::KeyPair::generate().unwrap();
        let mut parameters = rcgen::CertificateParams::new(Vec::new()).unwrap();
        parameters.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let authority = rcgen::CertifiedIssuer::self_signed(parameters, key).unwrap();
        let key = rcgen::KeyPair::generate().unwrap();
        let names = vec!["127.0.0.1".to_owned()];
        let certificate = rcgen::CertificateParams::new(names)
            .unwrap()
            .signed_by(&key, &authority)
            .unwrap();
        let path = |name: &str| self.path().join(name);
        fs::write(path("authority.pem"), authority.pem()).unwrap();
        fs::write(path("data/server.crt"), certificate.pem()).unwrap();
        fs::write(path("data/server.key"), key.serialize_pem()).unwrap();
        fs::set_permissions(path("data/server.key"), fs::Permissions::from_mode(0o600)).unwrap();
        give_to_postgres(&path("data/server.key"));
        self.configure("ssl = on\n");
        path("authority.pem")
    }

    fn configure(&self, lines: &str) {
        let file = self.path().join("data/postgresql.auto.conf");
        let mut file = fs::File::options().append(true).open(file).unwrap();
        file.write_all(lines.as_bytes()).unwrap();
    }

    /// Returns the URL of a schema at a port of this machine.
    pub fn url_at(&self, schema: &str, port: u16) -> String {
        format!("postgres://galley@127.0.0.1:{port}/postgres?options=-csearch_path%3D{schema}")
    }

    /// Returns the URL of a schema.
    fn url(&self, schema: &str) -> String {
        let socket = self.path().to_str().unwrap().replace('/', "%2F");
        format!("postgres://galley@{socket}/postgres?options=-csearch_path%3D{schema}")
    }

    /// Runs a statement, and returns its output.
    pub fn run(&self, statement: &str) -> Result<String, String> {
        let output = self
            .command("psql")
            .args([
                "--quiet",
                "--no-align",
                "--tuples-only",
                "--username=galley",
            ])
            .args([
                "--set=ON_ERROR_STOP=1",
                "--dbname=postgres",
                "--command",
                statement,
                "--host",
            ])
            .arg(self.path())
            .args(self.port.map(|port| format!("--port={port}")))
            .output()
            .unwrap();
        if output.status.success() {
            Ok(String::from_utf8(output.stdout).unwrap().trim().to_owned())
        } else {
            Err(String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Parses a URL like the option `store.url`.
pub fn parsed(url: &str) -> PostgresUrl {
    url.parse().unwrap()
}

/// Gives a file to the user who runs the server, if this process may not run it itself.
fn give_to_postgres(file: &Path) {
    if geteuid().is_root() {
        let status = Command::new("chown").arg("postgres:").arg(file).status();
        assert!(
            status.unwrap().success(),
            "Debian's package postgresql creates the user postgres"
        );
    }
}

/// Returns a command that runs `program` as a user who may run the server: PostgreSQL refuses root.
fn as_postgres(program: PathBuf) -> Command {
    if geteuid().is_root() {
        let mut command = Command::new("setpriv");
        command
            .args([
                "--reuid=postgres",
                "--regid=postgres",
                "--clear-groups",
                "--",
            ])
            .arg(program);
        command.current_dir("/");
        command
    } else {
        Command::new(program)
    }
}

/// Returns the folder of the programs of the newest installed version.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten();
    let folders = versions.filter_map(|version| {
        let version = version.ok()?;
        let number: u32 = version.file_name().to_str()?.parse().ok()?;
        Some((number, version.path().join("bin")))
    });
    let newest = folders.max().map(|(_, folder)| folder);
    newest.expect("PostgreSQL is not installed: apt-get install postgresql")
}
