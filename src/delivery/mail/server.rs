//! The mail server that the operator configured: `smtp://user:password@mail.example.com:587`.

use std::{fmt, io, net::IpAddr, str::FromStr, time::Duration};

use lettre::{
    Message, SmtpTransport, Transport,
    transport::smtp::{
        self, PoolConfig,
        authentication::Credentials,
        client::{Tls, TlsParameters},
    },
};
use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// Port for message submission (RFC 6409).
const SUBMISSION_PORT: u16 = 587;

/// Port for message submission with TLS from the start (RFC 8314).
const SUBMISSIONS_PORT: u16 = 465;

/// Number of connections that stay open for further mails: those of newsletters, and some for mails
/// from the site itself.
const POOLED_CONNECTIONS_MAX: u32 = MailServer::NEWSLETTER_CONNECTIONS_MAX as u32 + 4;

/// Time limit for a response from the server.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(15);

/// Second digit of reply codes that concern the mail, not the sender (RFC 3463, section 4.2; RFC
/// 5321, section 4.2.1).
const MAIL_STATUS_DIGIT: u16 = 5;

/// Reply codes to a login that is refused or required (RFC 4954, section 6).
const SIGN_IN_CODES: [u16; 5] = [432, 454, 530, 534, 535];

/// A mail server.
#[derive(Clone)]
pub struct MailServer {
    transport: SmtpTransport,
    name: String,
}

/// The text is not the URL of a mail server. The error does not show the text, which may contain a
/// password.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MailServerError {
    /// The text is not a URL of the expected form.
    #[error(
        "expected the URL of a mail server, such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com"
    )]
    Url,
    /// The URL has an unknown parameter.
    #[error("the only supported parameter is tls, with the value required, opportunistic or off")]
    Query,
    /// The user name or the password is not UTF-8, or one of the two is missing.
    #[error("the URL of a mail server must have both a user name and a password, or neither")]
    Credentials,
    /// TLS cannot be configured.
    #[error("the connection to the mail server cannot be encrypted: {0}")]
    Encryption(String),
}

/// The encryption of the connection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Encryption {
    FromTheStart,
    Required,
    IfOffered,
    Off,
}

/// The reason why a mail server cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum MailTrialError {
    /// The server refuses the user name or the password, or requires them.
    #[error("{server} does not accept the user name and the password: {reason}")]
    SignIn {
        /// The host and the port.
        server: String,
        /// The reason given by the server.
        reason: String,
    },
    /// The connection cannot be encrypted.
    #[error("the connection to {server} cannot be encrypted: {reason}")]
    Encryption {
        /// The host and the port.
        server: String,
        /// The reason.
        reason: String,
    },
    /// The server cannot be reached or does not speak SMTP.
    #[error("{server}: {reason}")]
    Unreachable {
        /// The host and the port.
        server: String,
        /// The reason.
        reason: String,
    },
}

/// The result of an attempt.
pub(in crate::delivery) enum SendOutcome {
    /// The mail server has accepted the mail.
    Sent,
    /// Sending may succeed later, and other mails fail now as well: the server cannot be reached, is
    /// busy, or rejects the login.
    Failed(String),
    /// Sending may succeed later, and other mails may succeed now.
    Deferred(String),
    /// Sending will never succeed, for example because the mailbox does not exist.
    Refused {
        /// The reply code of the server, if there was a reply.
        code: Option<u16>,
        /// The reason given by the server or the builder of the message.
        reason: String,
    },
}

impl MailServer {
    /// Maximum number of newsletter mails that are sent concurrently.
    pub(in crate::delivery) const NEWSLETTER_CONNECTIONS_MAX: usize = 16;

    /// Maximum time for sending one mail, including all commands.
    pub(in crate::delivery) const PATIENCE: Duration = Duration::from_secs(3 * 60);

    /// Number of consecutive mails that the server may defer before it is considered failing. If a
    /// single mail is deferred, the others are sent, because its address may be the cause.
    pub(in crate::delivery) const DEFERRED_IN_A_ROW_MAX: u32 = 5;

    /// Returns the host and the port.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Connects, encrypts the connection and logs in as for a mail, without sending one.
    ///
    /// # Errors
    ///
    /// If any of these steps fails.
    pub fn try_connection(&self) -> Result<(), MailTrialError> {
        let server = self.name.clone();
        let error = match self.transport.test_connection() {
            Ok(true) => return Ok(()),
            Ok(false) => {
                let reason = "it closes the connection after the sign-in".to_owned();
                return Err(MailTrialError::Unreachable { server, reason });
            }
            Err(error) => error,
        };
        let code = error.status().map(u16::from);
        let reason = reason(&error);
        Err(match code {
            Some(code) if SIGN_IN_CODES.contains(&code) => {
                MailTrialError::SignIn { server, reason }
            }
            _ if error.is_tls() => MailTrialError::Encryption { server, reason },
            _ => MailTrialError::Unreachable { server, reason },
        })
    }

    /// Sends one mail.
    pub(in crate::delivery) fn send(&self, message: &Message) -> SendOutcome {
        match self.transport.send(message) {
            Ok(_) => SendOutcome::Sent,
            Err(error) if is_about_the_mail(&error) => SendOutcome::Refused {
                code: error.status().map(u16::from),
                reason: reason(&error),
            },
            // After the permanent refusals: these are the replies that begin with 4.
            Err(error) if is_deferred(&error) => SendOutcome::Deferred(reason(&error)),
            Err(error) => SendOutcome::Failed(format!("{}: {}", self.name, reason(&error))),
        }
    }
}

/// Returns whether the mail itself is the cause of an error, so that every attempt to send it would fail.
fn is_about_the_mail(error: &smtp::Error) -> bool {
    let is_final = |code: u16| code / 100 == 5 && code / 10 % 10 == MAIL_STATUS_DIGIT;
    let code = error.status().map(u16::from);
    // The server may not support internationalised addresses, which is a problem of the mail.
    error.is_client() || code.is_some_and(is_final)
}

/// Returns whether the server defers only this mail. A server that closes the connection defers all
/// mails (RFC 5321, section 3.8).
fn is_deferred(error: &smtp::Error) -> bool {
    const CLOSING: u16 = 421;
    error.is_transient() && error.status().map(u16::from) != Some(CLOSING)
}

/// Returns the text of an error. The library includes the text of the cause.
fn reason(error: &smtp::Error) -> String {
    let cause = std::error::Error::source(error);
    let kind = cause.and_then(|cause| Some(cause.downcast_ref::<io::Error>()?.kind()));
    match kind {
        // The system reports an expired socket timeout as one of these errors.
        Some(io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            format!("no response within {} s", RESPONSE_TIMEOUT.as_secs())
        }
        _ => error.to_string(),
    }
}

impl FromStr for MailServer {
    type Err = MailServerError;

    fn from_str(text: &str) -> Result<Self, MailServerError> {
        let url = Url::parse(text).map_err(|_| MailServerError::Url)?;
        let host = url.host_str().unwrap_or_default();
        let is_server = matches!(url.scheme(), "smtp" | "smtps")
            && !host.is_empty()
            && matches!(url.path(), "" | "/")
            && url.fragment().is_none();
        if !is_server {
            return Err(MailServerError::Url);
        }
        let credentials = credentials(&url)?;
        let encryption = encryption(&url, credentials.is_some())?;
        let port = url.port().unwrap_or(match encryption {
            Encryption::FromTheStart => SUBMISSIONS_PORT,
            _ => SUBMISSION_PORT,
        });
        let name = format!("{host}:{port}");
        // The transport expects an IPv6 address without the brackets.
        let host = host.trim_start_matches('[').trim_end_matches(']');
        // The constructor without TLS is called "dangerous"; `tls` is configured below.
        let mut builder = SmtpTransport::builder_dangerous(host)
            .port(port)
            .timeout(Some(RESPONSE_TIMEOUT))
            .pool_config(PoolConfig::new().max_size(POOLED_CONNECTIONS_MAX))
            .tls(tls(host, encryption)?);
        if let Some(credentials) = credentials {
            builder = builder.credentials(credentials);
        }
        Ok(Self {
            transport: builder.build(),
            name,
        })
    }
}

impl fmt::Debug for MailServer {
    /// Shows the host without the credentials.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("MailServer").field(&self.name).finish()
    }
}

fn credentials(url: &Url) -> Result<Option<Credentials>, MailServerError> {
    let decode = |text: &str| {
        let decoded = percent_decode_str(text).decode_utf8();
        decoded
            .map(|text| text.into_owned())
            .map_err(|_| MailServerError::Credentials)
    };
    match (url.username(), url.password()) {
        ("", None) => Ok(None),
        ("", Some(_)) | (_, None) => Err(MailServerError::Credentials),
        (user, Some(password)) => Ok(Some(Credentials::new(decode(user)?, decode(password)?))),
    }
}

/// Returns the encryption. A password is sent without encryption only on explicit request.
fn encryption(url: &Url, has_password: bool) -> Result<Encryption, MailServerError> {
    let query: Vec<_> = url.query_pairs().collect();
    let requested = match query.as_slice() {
        [] => None,
        [(key, value)] if key == "tls" => Some(value.as_ref()),
        _ => return Err(MailServerError::Query),
    };
    match (url.scheme(), requested) {
        ("smtps", None | Some("required")) => Ok(Encryption::FromTheStart),
        ("smtps", Some(_)) => Err(MailServerError::Query),
        (_, Some("required")) => Ok(Encryption::Required),
        (_, Some("opportunistic")) => Ok(Encryption::IfOffered),
        (_, Some("off")) => Ok(Encryption::Off),
        (_, Some(_)) => Err(MailServerError::Query),
        (_, None) if is_this_machine(url) => Ok(Encryption::Off),
        (_, None) if has_password => Ok(Encryption::Required),
        (_, None) => Ok(Encryption::IfOffered),
    }
}

fn is_this_machine(url: &Url) -> bool {
    let is_loopback = |address: IpAddr| address.is_loopback();
    match url.host() {
        Some(Host::Ipv4(address)) => is_loopback(address.into()),
        Some(Host::Ipv6(address)) => is_loopback(address.into()),
        // Hosts are not normalised for schemes that browsers do not know.
        Some(Host::Domain(name)) => {
            name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(is_loopback)
        }
        None => false,
    }
}

fn tls(host: &str, encryption: Encryption) -> Result<Tls, MailServerError> {
    if encryption == Encryption::Off {
        return Ok(Tls::None);
    }
    let parameters = TlsParameters::new(host.to_owned())
        .map_err(|error| MailServerError::Encryption(reason(&error)))?;
    Ok(match encryption {
        Encryption::FromTheStart => Tls::Wrapper(parameters),
        Encryption::Required => Tls::Required(parameters),
        Encryption::IfOffered | Encryption::Off => Tls::Opportunistic(parameters),
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    fn failure_at(port: u16) -> String {
        let transport = SmtpTransport::builder_dangerous("127.0.0.1")
            .port(port)
            .timeout(Some(Duration::from_millis(50)));
        reason(&transport.build().test_connection().unwrap_err())
    }

    #[test]
    fn silent_server_is_reported_by_the_time_limit_and_a_closed_port_once() {
        let silent = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = silent.local_addr().unwrap().port();

        assert_eq!(failure_at(port), "no response within 15 s");
        drop(silent);
        let refused = failure_at(port);
        assert_eq!(refused.matches("refused").count(), 1, "{refused}");
    }

    fn encryption_of(text: &str) -> &'static str {
        let url = Url::parse(text).unwrap();
        let has_password = url.password().is_some();
        match encryption(&url, has_password).unwrap() {
            Encryption::FromTheStart => "from the start",
            Encryption::Required => "required",
            Encryption::IfOffered => "if offered",
            Encryption::Off => "off",
        }
    }

    #[test]
    fn a_password_is_sent_unencrypted_only_to_this_machine_or_if_requested() {
        for (url, expected) in [
            ("smtps://a:b@mail.example.com", "from the start"),
            ("smtp://a:b@mail.example.com", "required"),
            ("smtp://mail.example.com", "if offered"),
            ("smtp://mail.example.com?tls=required", "required"),
            (
                "smtp://a:b@mail.example.com/?tls=opportunistic",
                "if offered",
            ),
            ("smtp://a:b@mail.example.com?tls=off", "off"),
            ("smtp://a:b@localhost:1025", "off"),
            ("smtp://a:b@127.0.0.1", "off"),
            ("smtp://[::1]", "off"),
            ("smtp://a:b@localhost?tls=required", "required"),
        ] {
            assert_eq!(encryption_of(url), expected, "{url}");
        }
    }

    #[test]
    fn the_default_port_is_that_of_message_submission() {
        for (url, name) in [
            ("smtp://mail.example.com", "mail.example.com:587"),
            ("smtps://mail.example.com/", "mail.example.com:465"),
            ("smtp://u%40x:p%2F@[::1]:25", "[::1]:25"),
        ] {
            assert_eq!(url.parse::<MailServer>().unwrap().name, name);
        }
    }

    #[test]
    fn invalid_urls_are_rejected_without_showing_them() {
        for (url, expected) in [
            ("mail.example.com", MailServerError::Url),
            ("http://mail.example.com", MailServerError::Url),
            ("smtp://", MailServerError::Url),
            ("smtp://h/path", MailServerError::Url),
            ("smtp://h#x", MailServerError::Url),
            ("smtp://h?tls=maybe", MailServerError::Query),
            ("smtp://h?tls=off&x=1", MailServerError::Query),
            ("smtps://h?tls=off", MailServerError::Query),
            ("smtp://user@h", MailServerError::Credentials),
            ("smtp://:secret@h", MailServerError::Credentials),
            ("smtp://user:%FF@h", MailServerError::Credentials),
        ] {
            let error = url.parse::<MailServer>().unwrap_err();
            assert_eq!(error, expected, "{url}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        let server: MailServer = "smtp://user:secret@h".parse().unwrap();
        assert!(!format!("{server:?}").contains("secret"));
    }
}
