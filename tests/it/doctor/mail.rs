//! Tests of the checks of the mail server and of the sender's domain.

use galley_tests::{
    dns_server::DnsServer,
    smtp_receiver::{Difficulty, SmtpReceiver},
};

use super::{configured, examine};

/// Options with a mail server, whose URL is `url`.
fn options(url: &str) -> String {
    format!(
        "listen = \"127.0.0.1:0\"\n[mail]\nurl = \"{url}\"\nfrom = \"News <news@mail.harbour.example>\"\n"
    )
}

/// Returns the URL of a receiver, with a user name and a password.
fn with_password(receiver: &SmtpReceiver) -> String {
    receiver.url().replace("smtp://", "smtp://ada:secret@")
}

#[test]
fn mail_server_that_rejects_the_login_or_is_unreachable_is_an_error() {
    const DNS: &[&str] = &["--dns", "127.0.0.1:1"];
    let receiver = SmtpReceiver::start();
    let folder = configured(&options(&with_password(&receiver)));
    examine(&folder, DNS).assert("mail server", "ok", &["accepts mail"]);
    assert!(
        receiver
            .mail_within(None, std::time::Duration::ZERO)
            .is_none()
    );

    receiver.be_difficult(Some(Difficulty::SignIn("535 5.7.8 who are you")));
    let report = examine(&folder, DNS);
    report.assert("mail server", "error", &["does not accept", "who are you"]);
    assert!(!report.json.to_string().contains("secret"));

    let folder = configured(&options("smtp://127.0.0.1:1"));
    examine(&folder, DNS).assert("mail server", "error", &["127.0.0.1:1"]);

    let folder = configured(&options(&format!("{}?tls=required", receiver.url())));
    examine(&folder, DNS).assert("mail server", "error", &["127.0.0.1"]);
}

#[test]
fn records_of_the_senders_domain_are_resolved_and_explained() {
    const DOMAIN: &str = "mail.harbour.example";
    let receiver = SmtpReceiver::start();
    let dns = DnsServer::start();
    let folder = configured(&options(&receiver.url()));
    let examined = || examine(&folder, &["--dns", &dns.address()]);

    let report = examined();
    report.assert("mail sender", "warning", &["SPF", DOMAIN, "does not say"]);
    report.assert("mail sender", "warning", &["DKIM", DOMAIN, "no key"]);
    report.assert("mail sender", "warning", &["DMARC", DOMAIN, "no policy"]);

    dns.add_text(DOMAIN, "an unrelated text");
    dns.add_text(DOMAIN, "v=spf1 include:spf.example.net -all");
    // Longer than one string of a TXT record, and than a UDP response without EDNS.
    let key = format!("v=DKIM1; k=rsa; p={}", "MIIB".repeat(200));
    dns.add_text(&format!("s1._domainkey.{DOMAIN}"), &key);
    // The policy of the parent domain applies.
    dns.add_text("_dmarc.harbour.example", "v=DMARC1; p=reject");
    let report = examined();
    report.assert("mail sender", "ok", &["SPF", "refused"]);
    report.assert(
        "mail sender",
        "ok",
        &["DKIM", "s1._domainkey.mail.harbour.example"],
    );
    report.assert("mail sender", "ok", &["DMARC", "is refused"]);

    dns.add_text(DOMAIN, "v=spf1 +all");
    dns.add_text("_dmarc.harbour.example", "v=DMARC1; p=none");
    dns.remove(&format!("s1._domainkey.{DOMAIN}"));
    dns.add_text(&format!("default._domainkey.{DOMAIN}"), "v=DKIM1; p=");
    let report = examined();
    report.assert("mail sender", "error", &["SPF", "2 records"]);
    report.assert("mail sender", "warning", &["DKIM", "revoked"]);
    report.assert("mail sender", "error", &["DMARC", "2 records"]);

    dns.remove(&format!("default._domainkey.{DOMAIN}"));
    dns.add_text(&format!("year2026._domainkey.{DOMAIN}"), &key);
    examined().assert("mail sender", "ok", &["DKIM", "common names"]);

    let report = examine(&folder, &["--dns", "127.0.0.1:1"]);
    report.assert(
        "mail sender",
        "warning",
        &["127.0.0.1:1", "does not respond"],
    );
}

#[test]
fn sender_without_a_domain_is_an_error() {
    let receiver = SmtpReceiver::start();
    let folder = configured(&format!(
        "listen = \"127.0.0.1:0\"\nmail.url = \"{}\"\n",
        receiver.url()
    ));
    examine(&folder, &[]).assert("mail sender", "error", &["no domain"]);
}
