//! Tests of `galley reload`: options apply without a restart if the table of options marks them as live.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    time::Duration,
};

use galley::config::{ConfigOption, OPTIONS, OptionType};
use galley_tests::{
    command_line::{fetch, galley, output, run, run_on_data},
    folder::{Folder, post},
    galley_process::GalleyProcess,
    http_client::{HttpResponse, send_raw},
    smtp_receiver::SmtpReceiver,
    tls_client::TestCertificate,
    wait_until,
    webhook_receiver::WebhookReceiver,
};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

const TIMEOUT: Duration = Duration::from_secs(20);

/// A site that is served with the options of `galley.toml`.
struct Served {
    folder: Folder,
    process: GalleyProcess,
}

impl Served {
    fn with(options: &str) -> Self {
        let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
        fs::write(folder.top().join("galley.toml"), options).unwrap();
        let process = GalleyProcess::serve(&folder, &[]);
        Self { folder, process }
    }

    /// Writes these options and returns the report of the reload.
    fn reload(&self, options: &str) -> Value {
        fs::write(self.folder.top().join("galley.toml"), options).unwrap();
        let output = run(&self.folder, &["reload", "--data", "data", "--json"]);
        assert!(output.is_success(), "{}", output.err);
        output.json()
    }

    fn post(&self, path: &str, body: &str) -> HttpResponse {
        let (address, length) = (self.process.address(), body.len());
        let fields = format!(
            "host: {address}\r\norigin: http://{address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n"
        );
        send_raw(
            address,
            format!("POST {path} HTTP/1.1\r\n{fields}\r\n{body}"),
        )
    }
}

/// Returns another valid value of a live option, in TOML.
fn another_value(key: &str, kind: OptionType) -> String {
    match (key, kind) {
        (_, OptionType::Number(min, _)) => (min + 1).to_string(),
        ("staff.device_verification", _) => "false".to_owned(),
        (_, OptionType::Switch) => "true".to_owned(),
        ("log.level", _) => "\"debug\"".to_owned(),
        ("security.integration_scope", _) => "\"read\"".to_owned(),
        ("mail.url", _) => "\"smtp://127.0.0.1:1\"".to_owned(),
        ("mail.from", _) => "\"news@harbour.example\"".to_owned(),
        ("members.origins", _) => "[\"https://www.harbour.example\"]".to_owned(),
        ("themes.github", _) => "\"https://github.harbour.example/api/v3\"".to_owned(),
        (key, _) => panic!("a new live option needs a value here: {key}"),
    }
}

#[test]
fn live_options_apply_and_others_are_reported() {
    let served = Served::with("");
    // Without https, there are no names to change.
    let is_live = |option: &&ConfigOption| option.is_live && option.key != "domain";
    let live = OPTIONS.iter().filter(is_live);
    let lines = live.clone().map(|option| {
        let value = another_value(option.key, option.kind);
        format!("{} = {value}\n", option.key)
    });
    let others = "url = \"http://harbour.example\"\nserver.workers = 40\nbackup.keep = 3\n";
    let options = lines.collect::<String>() + others;

    let report = served.reload(&options);

    let mut keys: Vec<&str> = live.map(|option| option.key).collect();
    keys.sort_unstable();
    assert_eq!(report["applied"], json!(keys));
    assert_eq!(
        report["needs_restart"],
        json!(["backup.keep", "server.workers", "url"])
    );
    // The options are reported until a restart applies them.
    let report = served.reload(&options);
    assert_eq!(report["applied"], json!([]));
    assert_eq!(
        report["needs_restart"],
        json!(["backup.keep", "server.workers", "url"])
    );
}

#[test]
fn https_names_change_only_if_the_certificate_covers_them() {
    // Free ports for http and https, which the configuration must name.
    let ports = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let [http, https] = ports.map(|listener| listener.local_addr().unwrap());
    let options = |names: &str| {
        format!(
            "domain = [{names}]\nlisten = \"{http}\"\ntls.listen = \"{https}\"\ntls.cert = \"cert.pem\"\ntls.key = \"key.pem\"\n"
        )
    };
    const ONE: &str = "\"harbour.example\"";
    const TWO: &str = "\"harbour.example\", \"www.harbour.example\"";
    const THREE: &str = "\"harbour.example\", \"www.harbour.example\", \"other.example\"";
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    TestCertificate::new(&["harbour.example", "www.harbour.example"]).write(folder.top());
    fs::write(folder.top().join("galley.toml"), options(ONE)).unwrap();
    let process = GalleyProcess::from_command(&mut galley(&folder, &["serve", "--data", "data"]));
    let served = Served { folder, process };
    let redirected_to = || {
        let head = "GET / HTTP/1.1\r\nhost: www.harbour.example\r\nconnection: close\r\n\r\n";
        let response = send_raw(http.to_string(), head);
        response.header("location").unwrap().to_owned()
    };
    assert!(redirected_to().starts_with("https://harbour.example"));
    assert_eq!(served.reload(&options(TWO))["applied"], json!(["domain"]));
    assert!(redirected_to().starts_with("https://www.harbour.example"));

    fs::write(served.folder.top().join("galley.toml"), options(THREE)).unwrap();
    let output = run(&served.folder, &["reload", "--data", "data"]);
    assert!(!output.is_success() && output.err.contains("is not for other.example"));
    assert!(redirected_to().starts_with("https://www.harbour.example"));

    // The site's URLs contain the first name, so a change of that name needs a restart.
    let report = served.reload(&options("\"www.harbour.example\""));
    assert_eq!(report["needs_restart"], json!(["domain"]));
}

#[test]
fn mail_is_sent_to_the_new_mail_server() {
    let (before, after) = (SmtpReceiver::start(), SmtpReceiver::start());
    let options = |receiver: &SmtpReceiver, from: &str| {
        format!(
            "mail.url = \"{}\"\nmail.from = \"{from}@harbour.example\"\n",
            receiver.url()
        )
    };
    let served = Served::with(&options(&before, "one"));
    let user = [
        "user",
        "create",
        "--name",
        "Ada",
        "--email",
        "ada@example.com",
        "--role",
        "owner",
        "--json",
    ];
    run_on_data(&served.folder, &user).stdout();
    let ask_for_link = || {
        let body = json!({"password_reset": [{"email": "ada@example.com"}]}).to_string();
        let reset = "/ghost/api/admin/authentication/password_reset/";
        assert_eq!(served.post(reset, &body).status, 200);
    };
    ask_for_link();
    assert_eq!(
        before.mail_to("ada@example.com").from,
        "one@harbour.example"
    );

    let report = served.reload(&options(&after, "two"));
    assert_eq!(report["applied"], json!(["mail.from", "mail.url"]));
    ask_for_link();

    assert_eq!(after.mail_to("ada@example.com").from, "two@harbour.example");
    assert!(before.mail_within(None, Duration::ZERO).is_none());
}

#[test]
fn webhooks_reach_private_networks_once_allowed() {
    let receiver = WebhookReceiver::start();
    let served = Served::with("");
    output(
        &served.folder,
        &["--data", "data", "key", "create", "--name", "Hooks"],
    );
    let url = receiver.url();
    let add = [
        "webhook",
        "add",
        "--event",
        "post.added",
        "--url",
        &url,
        "--integration",
        "Hooks",
    ];
    run_on_data(&served.folder, &add).stdout();
    served.folder.write("posts/b.md", post("B", ""));
    wait_until("the delivery fails", || {
        let list = run_on_data(&served.folder, &["webhook", "list", "--json"]).json();
        list[0]["last_triggered_error"].is_string()
    });
    assert_eq!(receiver.connections(), 0);

    served.reload("private_receivers = true\n");
    served.folder.write("posts/c.md", post("C", ""));
    let log = run_on_data(&served.folder, &["webhook", "log", "--json"]).json();
    let delivery = log[0]["id"].as_str().expect("a delivery");
    run_on_data(&served.folder, &["webhook", "retry", delivery]).stdout();

    assert!(receiver.delivery_within(None, TIMEOUT).is_some());
}

#[test]
fn limits_apply_to_the_next_requests() {
    let served = Served::with("server.body_kb = 64\n");
    let body = format!("{{\"email\": \"{}\"}}", "a".repeat(100 << 10));
    let send = || served.post("/members/api/send-magic-link/", &body).status;
    assert_eq!(send(), 413);
    served.reload("server.body_kb = 256\n");
    assert_ne!(send(), 413);

    let site = |limit: &str| served.process.get(&format!("posts/?limit={limit}"));
    assert_eq!(site("150")["meta"]["pagination"]["limit"], json!(100));
    served.reload("server.body_kb = 256\nserver.list_limit_max = 200\n");
    assert_eq!(site("150")["meta"]["pagination"]["limit"], json!(150));
}

#[test]
fn limits_of_connections_apply_to_the_next_connections() {
    let served = Served::with("");
    let connect = || {
        let mut connection = TcpStream::connect(served.process.address()).unwrap();
        connection.set_read_timeout(Some(TIMEOUT)).unwrap();
        let request = "GET /healthz HTTP/1.1\r\nhost: harbour.example\r\n\r\n";
        // If the server closes the connection immediately, either this write or the read fails.
        let _ = connection.write_all(request.as_bytes());
        let is_served = connection.read(&mut [0; 64]).is_ok_and(|bytes| bytes > 0);
        (is_served, connection)
    };
    let (_, first) = connect();
    let (is_served, second) = connect();
    assert!(is_served);

    let report = served.reload("server.connections_per_peer = 2\n");
    assert_eq!(report["applied"], json!(["server.connections_per_peer"]));
    assert!(!connect().0);

    served.reload("server.connections_per_peer = 3\n");
    assert!(connect().0);
    drop((first, second));
}

#[test]
fn invalid_configuration_changes_nothing() {
    let served = Served::with("server.body_kb = 64\n");
    let invalid = "server.body_kb = 256\nserver.list_limit_max = 1\n";
    fs::write(served.folder.top().join("galley.toml"), invalid).unwrap();
    let output = run(&served.folder, &["reload", "--data", "data"]);
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("galley.toml:2:8"), "{}", output.err);
    let body = format!("{{\"email\": \"{}\"}}", "a".repeat(100 << 10));
    assert_eq!(
        served.post("/members/api/send-magic-link/", &body).status,
        413
    );
}

#[test]
fn reload_is_requested_by_the_command_or_the_signal_hup() {
    let folder = Folder::with(&[("posts/a.md", &post("A", ""))]);
    folder.write("../galley.toml", "[log]\nlevel = \"warn\"\n");
    let served = GalleyProcess::serve(&folder, &[]);
    let reload = || run(&folder, &["reload", "--data", "data"]);
    assert_eq!(reload().stdout(), "The configuration has no changes.\n");
    fetch(served.address(), "/readyz");

    folder.write(
        "../galley.toml",
        "[log]\naccess = true\n\n[server]\nworkers = 64\n",
    );
    let output = reload();
    let expected = "Applied: log.access, log.level. Unchanged until a restart: server.workers.\n";
    assert_eq!(output.stdout(), expected);
    fetch(served.address(), "/healthz");
    wait_until("the request is logged", || {
        served.log().contains("path=\"/healthz\"")
    });
    assert!(
        !served.log().contains("path=\"/readyz\""),
        "{}",
        served.log()
    );

    folder.write("../galley.toml", "lisen = 1\n\n[log]\nlevel = \"loud\"\n");
    let output = reload();
    assert_eq!(output.code, Some(1));
    assert!(output.err.contains("galley.toml:1:1") && output.err.contains("galley.toml:4:1"));
    let errors = "the configuration is not reloaded, and nothing is changed";
    kill_process(served.pid(), Signal::HUP).unwrap();
    wait_until("the error is logged", || served.log().contains(errors));
    fetch(served.address(), "/ghost/api/admin/site/");
    wait_until("the request is logged", || {
        served.log().contains("path=\"/ghost/api/admin/site/\"")
    });

    folder.write("../galley.toml", "");
    kill_process(served.pid(), Signal::HUP).unwrap();
    wait_until("the configuration applies", || {
        served.log().contains("Applied: log.access")
    });
    assert_eq!(served.stop(Signal::TERM).code, Some(0));
}
