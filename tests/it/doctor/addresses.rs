//! Tests of the check of the domains.

use std::{
    net::{TcpListener, UdpSocket},
    thread,
};

use galley_tests::{
    command_line::run, dns_server::DnsServer, folder::Folder, galley_process::GalleyProcess,
    other_site::raw_response,
};

use super::{Report, configured, examine, examine_with, with_site};

const OPTIONS: &str = "url = \"http://harbour.example\"\nlisten = \"127.0.0.1:0\"\n";

#[test]
fn name_without_an_address_and_without_a_name_server_is_an_error() {
    let dns = DnsServer::start();
    let folder = configured(OPTIONS);
    let report = examine(&folder, &["--dns", &dns.address()]);
    report.assert("domains", "error", &["harbour.example does not exist"]);

    dns.add_text("harbour.example", "no address");
    let report = examine(&folder, &["--dns", &dns.address()]);
    report.assert("domains", "error", &["no address"]);

    let report = examine(&folder, &["--dns", "127.0.0.1:1"]);
    report.assert("domains", "error", &["127.0.0.1:1", "does not respond"]);
    assert!(!advice(&report).contains("A record"));

    // A name server that does not respond.
    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = silent.local_addr().unwrap().to_string();
    let report = examine(&folder, &["--dns", &address]);
    report.assert("domains", "error", &[&address, "the time limit of 3 s"]);
    assert!(advice(&report).contains("/etc/resolv.conf"));
}

/// Returns the advice of the first finding about the domains.
fn advice(report: &Report) -> &str {
    let mut findings = report.json["findings"].as_array().unwrap().iter();
    let finding = findings.find(|finding| finding["check"] == "domains");
    finding.unwrap()["advice"].as_str().unwrap()
}

#[test]
fn addresses_are_compared_with_those_of_the_machine_if_no_server_runs() {
    let dns = DnsServer::start();
    let folder = configured(OPTIONS);
    dns.add_address("harbour.example", "127.0.0.1");
    let report = examine(&folder, &["--dns", &dns.address()]);
    report.assert("domains", "ok", &["resolves to this machine"]);

    dns.add_address("harbour.example", "192.0.2.1");
    let report = examine(&folder, &["--dns", &dns.address()]);
    report.assert("domains", "warning", &["192.0.2.1", "does not have"]);
}

#[test]
fn all_names_of_domain_and_url_are_checked() {
    let dns = DnsServer::start();
    dns.add_address("harbour.example", "127.0.0.1");
    let folder = configured(
        "domain = [\"harbour.example\", \"www.harbour.example\"]\nlisten = \"127.0.0.1:0\"\n[tls]\nlisten = \"127.0.0.1:0\"\nacme_directory = \"http://127.0.0.1:1/\"\n",
    );
    let report = examine(&folder, &["--dns", &dns.address()]);
    report.assert("domains", "ok", &["harbour.example resolves"]);
    report.assert("domains", "error", &["www.harbour.example"]);
}

/// A site that is served on 127.0.0.1 at a URL with its port, and a name server.
struct Served {
    folder: Folder,
    process: GalleyProcess,
    dns: DnsServer,
}

impl Served {
    fn new(path: &str, prefix: &str) -> Self {
        let folder = with_site("");
        let options: &[&str] = &["--no-content"];
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let toml = format!(
            "url = \"http://harbour.example:{port}{path}\"\nlisten = \"127.0.0.1:{port}\"\npath_prefix = \"{prefix}\"\n"
        );
        std::fs::write(folder.top().join("galley.toml"), toml).unwrap();
        let mut command = galley_tests::command_line::galley(
            &folder,
            &[&["serve", "--data", "data"], options].concat(),
        );
        let process = GalleyProcess::from_command(&mut command);
        Self {
            folder,
            process,
            dns: DnsServer::start(),
        }
    }

    fn port(&self) -> u16 {
        let (_, port) = self.process.address().rsplit_once(':').unwrap();
        port.parse().unwrap()
    }

    fn examine(&self) -> Report {
        examine(&self.folder, &["--dns", &self.dns.address()])
    }
}

#[test]
fn running_server_proves_that_a_name_reaches_its_site() {
    for (path, prefix) in [("", "ghost"), ("/blog", "api-here")] {
        let served = Served::new(path, prefix);
        served.dns.add_address("harbour.example", "127.0.0.1");
        served
            .examine()
            .assert("domains", "ok", &["reaches this site, by 127.0.0.1"]);
    }
}

#[test]
fn one_address_of_another_server_is_an_error() {
    let served = Served::new("", "ghost");
    let other = TcpListener::bind(("127.0.0.3", served.port())).unwrap();
    thread::spawn(move || {
        for mut stream in other.incoming().flatten() {
            let response = raw_response("404 Not Found", "server: quay\r\n", "nothing");
            std::io::Write::write_all(&mut stream, &response).unwrap();
        }
    });
    served.dns.add_address("harbour.example", "127.0.0.1");
    served.dns.add_address("harbour.example", "127.0.0.3");
    let report = served.examine();
    report.assert(
        "domains",
        "error",
        &["127.0.0.3 reaches another server", "404 of quay"],
    );

    served.dns.remove("harbour.example");
    served.dns.add_address("harbour.example", "127.0.0.1");
    // An address of this machine without a listener.
    served.dns.add_address("harbour.example", "127.0.0.4");
    served
        .examine()
        .assert("domains", "error", &["no response from 127.0.0.4"]);
}

#[test]
fn proof_needs_the_challenge_and_reveals_nothing_of_other_sites() {
    let (one, other) = (Served::new("", "ghost"), Served::new("", "ghost"));
    let proof = |served: &Served, challenge: &str| {
        let path = format!("/ghost/.here/{challenge}");
        let response = galley_tests::command_line::response_to(served.process.address(), &path);
        (response.status, response.text().to_owned())
    };
    let challenge = "0123456789abcdef";
    let (status, text) = proof(&one, challenge);
    assert_eq!((status, text.trim().len()), (200, 64));
    assert_eq!(proof(&one, challenge).1, text);
    assert_ne!(proof(&one, "0123456789abcdee").1, text);
    assert_ne!(proof(&other, challenge).1, text);
    for malformed in ["", "short", "0123456789abcde-", &"a".repeat(65)] {
        assert_ne!(proof(&one, malformed).0, 200, "{malformed}");
    }
}

#[test]
fn argument_of_dns_must_be_an_address() {
    let folder = configured("");
    let output = run(&folder, &["doctor", "--dns", "dns.example"]);
    assert_eq!(output.code, Some(2));
    assert!(output.err.contains("an IP address"), "{}", output.err);
    // Without the argument, the name server of the system is used.
    examine_with(&folder, &[("GALLEY_URL", "http://localhost")], &[]).assert(
        "domains",
        "skipped",
        &["no name"],
    );
}
