//! Connections to PostgreSQL: the URL, TLS, a pool, and a time limit for each request.
//!
//! Each connection has a separate event loop, which runs while a thread waits for a response on that connection. So a
//! request needs no switch between threads, and every wait has a time limit, even if the server or the network hangs.
//! `tokio-postgres` is used for that reason: `postgres` has no time limits.

use std::collections::HashMap;
use std::error::Error as _;
use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::super::StoreError;
use super::identity::StoreIdentity;

/// Time limit for opening a connection.
const CONNECT_PATIENCE: Duration = Duration::from_secs(5);

/// Time limit for a statement. The server ends it a little earlier.
pub(super) const STATEMENT_PATIENCE: Duration = Duration::from_secs(12);

/// Time for which sent bytes may remain unacknowledged before a connection is broken.
const NETWORK_PATIENCE: Duration = Duration::from_secs(10);

/// Maximum number of idle connections that stay open.
const IDLE_MAX: usize = 4;

/// The settings of a session. A statement ends before this process stops waiting for it. A process that is stopped or
/// cut off in the middle of a commit does not block other writers for longer than ten seconds.
const SESSION: &str = "SET statement_timeout = '10s'; SET lock_timeout = '8s'; \
     SET idle_in_transaction_session_timeout = '10s'; \
     SET client_min_messages = warning";

/// The URL of a database, such as `postgres://galley:secret@db.example.com/galley`.
///
/// The certificate of a server on another machine is verified unless `sslmode=disable`. Other parameters are those of
/// libpq.
#[derive(Clone)]
pub struct PostgresUrl {
    config: Config,
    /// The file with the certificates of accepted authorities, in PEM; if `None`, the usual authorities are accepted.
    root_certificates: Option<Box<str>>,
    name: Box<str>,
}

impl PostgresUrl {
    /// Returns the identity that distinguishes the store from others.
    pub(super) fn identity(&self) -> StoreIdentity {
        StoreIdentity::of(&self.config)
    }
}

/// The reason why a text is not a valid URL of a database.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct PostgresUrlError(String);

impl FromStr for PostgresUrl {
    type Err = PostgresUrlError;

    fn from_str(text: &str) -> Result<Self, PostgresUrlError> {
        let has_scheme = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        if !has_scheme {
            let message =
                "it must begin with postgres://, as in postgres://galley@localhost/galley";
            return Err(PostgresUrlError(message.to_owned()));
        }
        // Removed before parsing, because the parser rejects libpq parameters that tokio-postgres does not support.
        let (url, root_certificates) = without_parameter(text, "sslrootcert");
        let (url, ssl_mode) = without_parameter(&url, "sslmode");
        let mut config: Config = url
            .parse()
            .map_err(|error: tokio_postgres::Error| PostgresUrlError(with_causes(&error)))?;
        if config.get_hosts().is_empty() {
            return Err(PostgresUrlError("it has no host".to_owned()));
        }
        config.ssl_mode(match ssl_mode.as_deref() {
            Some("disable") => SslMode::Disable,
            // In libpq, `require` does not verify the certificate. Here it does, because rustls
            // always verifies.
            Some("require" | "verify-full") => SslMode::Require,
            None if config.get_hosts().iter().all(is_this_machine) => SslMode::Disable,
            None => SslMode::Require,
            Some(other) => {
                let message = format!(
                    "sslmode={other} must be verify-full, require, which is the same, or disable"
                );
                return Err(PostgresUrlError(message));
            }
        });
        if config.get_application_name().is_none() {
            config.application_name("galley");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_PATIENCE);
        }
        // By default, Linux retransmits for about a quarter of an hour (`tcp_retries2`) before it
        // breaks a connection.
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(NETWORK_PATIENCE);
        }
        let name = name_of(&config);
        Ok(Self {
            config,
            root_certificates,
            name,
        })
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

/// Shows the URL without the password and the parameters.
impl fmt::Display for PostgresUrl {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

fn is_this_machine(host: &Host) -> bool {
    match host {
        Host::Unix(_) => true,
        Host::Tcp(host) => {
            let address = host.parse::<IpAddr>();
            host == "localhost" || address.is_ok_and(|address| address.is_loopback())
        }
    }
}

/// Returns the URL without a parameter, and the value of that parameter.
fn without_parameter(url: &str, name: &str) -> (String, Option<Box<str>>) {
    let Some((start, parameters)) = url.split_once('?') else {
        return (url.to_owned(), None);
    };
    let mut value = None;
    let mut others = Vec::new();
    for parameter in parameters.split('&') {
        match parameter.split_once('=') {
            Some((key, text)) if key == name => {
                let text = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
                value = Some(text.into());
            }
            _ => others.push(parameter),
        }
    }
    (format!("{start}?{}", others.join("&")), value)
}

fn name_of(config: &Config) -> Box<str> {
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| {
        let port = config.get_ports().get(index).or(config.get_ports().first());
        let port = port.map_or(String::new(), |port| format!(":{port}"));
        match host {
            Host::Tcp(host) => format!("{host}{port}"),
            Host::Unix(path) => format!("{}{port}", path.display()),
        }
    });
    let hosts: Vec<String> = hosts.collect();
    let database = config
        .get_dbname()
        .or(config.get_user())
        .unwrap_or_default();
    format!("postgres://{}/{database}", hosts.join(",")).into()
}

/// The database: how to connect to it, and the idle connections.
pub(super) struct Database {
    config: Config,
    tls: MakeRustlsConnect,
    pub(super) name: Box<str>,
    pub(super) identity: StoreIdentity,
    idle: Mutex<Vec<Connection>>,
}

impl Database {
    /// Returns the database at `url` without connecting to it.
    ///
    /// # Errors
    ///
    /// `Io` if the file with the root certificates cannot be read.
    pub(super) fn new(url: &PostgresUrl) -> Result<Self, StoreError> {
        let tls = tls(url).map_err(|source| StoreError::Io {
            store: url.name.clone(),
            source,
        })?;
        Ok(Self {
            config: url.config.clone(),
            tls,
            name: url.name.clone(),
            identity: url.identity(),
            idle: Mutex::default(),
        })
    }

    /// Returns a connection, preferably an idle one.
    ///
    /// # Errors
    ///
    /// `Unavailable` if no connection can be opened.
    pub(super) fn connection(&self) -> Result<Connection, StoreError> {
        let idle = self.idle().pop();
        match idle.filter(|connection| !connection.client.is_closed()) {
            Some(connection) => Ok(connection),
            None => self.connect(),
        }
    }

    /// Returns a new connection.
    ///
    /// # Errors
    ///
    /// `Unavailable` if no connection can be opened.
    pub(super) fn connect(&self) -> Result<Connection, StoreError> {
        let connection = Connection::new(self).map_err(|error| self.explain(error))?;
        connection
            .run(connection.client.batch_execute(SESSION))
            .map_err(|error| self.explain(error))?;
        Ok(connection)
    }

    /// Keeps a connection that is in no transaction for the next request.
    pub(super) fn keep(&self, connection: Connection) {
        let mut idle = self.idle();
        // Otherwise it is closed here: a burst of requests must not occupy the limit of the server
        // afterwards.
        if idle.len() < IDLE_MAX && !connection.client.is_closed() {
            idle.push(connection);
        }
    }

    /// Closes all idle connections, because their server may no longer be the one that accepts writes.
    pub(super) fn forget_connections(&self) {
        self.idle().clear();
    }

    /// Runs `work` on a connection that is in no transaction.
    ///
    /// # Errors
    ///
    /// `Unavailable` if no connection can be opened, or the error of `work`.
    pub(super) fn with_connection<T>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, RequestError>,
    ) -> Result<T, StoreError> {
        let (connection, result) = self.begin(work)?;
        self.keep(connection);
        Ok(result)
    }

    /// Runs `work` on a connection, and returns the connection with the result. If the connection has ended, `work` runs
    /// again on a new one: idle connections end with their server, which may be running again.
    ///
    /// # Errors
    ///
    /// `Unavailable` if no connection can be opened, or the error of `work`.
    pub(super) fn begin<T>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, RequestError>,
    ) -> Result<(Connection, T), StoreError> {
        let mut connection = self.connection()?;
        let mut result = work(&mut connection);
        if let Err(error) = &result
            && error.is_of_connection()
        {
            // The other idle connections have usually ended for the same reason.
            self.forget_connections();
            connection = self.connect()?;
            result = work(&mut connection);
        }
        match result {
            Ok(result) => Ok((connection, result)),
            Err(error) => Err(self.explain(error)),
        }
    }

    /// Converts an error and adds advice for the operator.
    pub(super) fn explain(&self, error: RequestError) -> StoreError {
        let store = self.name.clone();
        match error {
            RequestError::Store(error) => error,
            RequestError::Batch(source) => StoreError::Io { store, source },
            error if error.is_of_full_disk() => StoreError::Full { store },
            error if error.is_of_read_only_database() => StoreError::ReadOnly { store },
            error => {
                let mut detail = error.to_string();
                // The error of rustls for an authority that is not among the accepted ones.
                if detail.contains("UnknownIssuer") {
                    detail.push_str(
                        ". Add sslrootcert=FILE to the URL, with the certificate of its authority",
                    );
                }
                let detail = detail.into();
                if error.is_lasting() {
                    StoreError::Refused { store, detail }
                } else {
                    StoreError::Unavailable { store, detail }
                }
            }
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn tls(url: &PostgresUrl) -> io::Result<MakeRustlsConnect> {
    let Some(file) = &url.root_certificates else {
        return Ok(MakeRustlsConnect::with_webpki_roots());
    };
    let roots = root_certificates(file)
        .map_err(|error| io::Error::other(format!("sslrootcert {file}: {error}")))?;
    let config = ClientConfig::builder()
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn root_certificates(file: &str) -> io::Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(io::Error::other)? {
        let certificate = certificate.map_err(io::Error::other)?;
        roots.add(certificate).map_err(io::Error::other)?;
    }
    if roots.is_empty() {
        return Err(io::Error::other("the file contains no certificate in PEM"));
    }
    Ok(roots)
}

/// An open session with the server.
pub(super) struct Connection {
    /// Closed before the event loop ends.
    pub(super) client: Client,
    event_loop: Runtime,
    notifications: UnboundedReceiver<()>,
    /// The statements that this session has prepared, by their text.
    prepared: HashMap<&'static str, Statement>,
}

impl Connection {
    fn new(database: &Database) -> Result<Self, RequestError> {
        let event_loop = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(RequestError::EventLoop)?;
        // This is the limit for each of several hosts.
        let patience = CONNECT_PATIENCE * (1 + database.config.get_hosts().len() as u32);
        let (notify, notifications) = unbounded_channel();
        let connecting = database.config.connect(database.tls.clone());
        let (client, mut connection) = event_loop
            .block_on(async { tokio::time::timeout(patience, connecting).await })
            .map_err(|_| RequestError::Late(patience))??;
        // Makes progress only while a thread waits on this event loop.
        event_loop.spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await
            {
                if let AsyncMessage::Notification(_) = message {
                    // Fails if the connection is being closed.
                    let _ = notify.send(());
                }
            }
        });
        Ok(Self {
            client,
            event_loop,
            notifications,
            prepared: HashMap::new(),
        })
    }

    /// Waits for the response to a request, at most as long as a statement may take.
    ///
    /// # Errors
    ///
    /// `Late` after that time. The connection must not be used any more then.
    pub(super) fn run<T>(
        &self,
        request: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, RequestError> {
        let response = self
            .event_loop
            .block_on(async { tokio::time::timeout(STATEMENT_PATIENCE, request).await });
        match response {
            Ok(response) => Ok(response?),
            // The late response may still arrive and would be taken for that of the next request.
            Err(_) => Err(RequestError::Late(STATEMENT_PATIENCE)),
        }
    }

    /// Returns a prepared statement.
    ///
    /// # Errors
    ///
    /// If the server refuses it or does not respond.
    pub(super) fn prepared(&mut self, text: &'static str) -> Result<Statement, RequestError> {
        if let Some(statement) = self.prepared.get(text) {
            return Ok(statement.clone());
        }
        let statement = self.run(self.client.prepare(text))?;
        self.prepared.insert(text, statement.clone());
        Ok(statement)
    }

    /// Waits for a notification, for at most `patience`.
    ///
    /// # Errors
    ///
    /// If the connection has ended.
    pub(super) fn wait_for_notification(&mut self, patience: Duration) -> Result<(), RequestError> {
        let notifications = &mut self.notifications;
        let notified = self
            .event_loop
            .block_on(async { tokio::time::timeout(patience, notifications.recv()).await });
        match notified {
            Ok(None) => Err(RequestError::Ended),
            Ok(Some(())) => {
                // Notifications that arrived together are treated as one.
                while self.notifications.try_recv().is_ok() {}
                Ok(())
            }
            // Not an error: the caller checks for commits at intervals anyway.
            Err(_) => Ok(()),
        }
    }
}

/// The reason why a request failed.
#[derive(Debug, thiserror::Error)]
pub(super) enum RequestError {
    #[error("{}", with_causes(.0))]
    Database(#[from] tokio_postgres::Error),
    #[error("no response within {} s", .0.as_secs())]
    Late(Duration),
    #[error("the connection has ended")]
    Ended,
    #[error("the event loop of a connection cannot be started: {0}")]
    EventLoop(io::Error),
    #[error("every attempt conflicted with another change of the same row")]
    Contended,
    #[error("the database no longer contains a store")]
    NoStore,
    #[error("a change cannot be read: {0}")]
    Batch(io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RequestError {
    /// Returns whether a new connection may work where this one failed.
    pub(super) fn is_of_connection(&self) -> bool {
        match self {
            Self::Database(error) => match error.code() {
                // An error without a code comes from the network, not from the server.
                None => true,
                Some(code) => {
                    let code = code.code();
                    // Connection exceptions, shutdowns, and a server that became a standby.
                    code.starts_with("08")
                        || code.starts_with("57P")
                        || *code == *SqlState::READ_ONLY_SQL_TRANSACTION.code()
                        || *code == *SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT.code()
                }
            },
            Self::Ended => true,
            _ => false,
        }
    }

    fn is_of_full_disk(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        error.code() == Some(&SqlState::DISK_FULL)
    }

    fn is_of_read_only_database(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        error.code() == Some(&SqlState::READ_ONLY_SQL_TRANSACTION)
    }

    /// Returns whether the error persists until the URL or the database is corrected.
    fn is_lasting(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        match error.code() {
            Some(code) => [
                SqlState::INVALID_CATALOG_NAME,
                SqlState::INVALID_AUTHORIZATION_SPECIFICATION,
                SqlState::INVALID_PASSWORD,
                SqlState::INSUFFICIENT_PRIVILEGE,
            ]
            .contains(code),
            None => is_of_tls_options(error),
        }
    }

    /// Returns whether the server does not know a statement or a function.
    pub(super) fn is_of_unknown_feature(&self) -> bool {
        let Self::Database(error) = self else {
            return false;
        };
        matches!(
            error.code(),
            Some(code) if [
                SqlState::FEATURE_NOT_SUPPORTED,
                SqlState::SYNTAX_ERROR,
                SqlState::UNDEFINED_FUNCTION,
            ]
            .contains(code)
        )
    }
}

/// Returns whether one side does not support TLS or does not accept the other's certificate. A connection that ends
/// during a handshake is another error.
fn is_of_tls_options(error: &tokio_postgres::Error) -> bool {
    // The library does not report this in another way.
    const NO_TLS: &str = "server does not support TLS";
    let mut cause = error.source();
    while let Some(error) = cause {
        let within = error.downcast_ref::<io::Error>();
        let within = within.and_then(|error| error.get_ref()?.downcast_ref::<rustls::Error>());
        let of_tls = error.downcast_ref::<rustls::Error>().or(within);
        if of_tls.is_some() || error.to_string() == NO_TLS {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Returns the message of an error followed by those of its causes, each once.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !message.contains(&text) {
            message = format!("{message}: {text}");
        }
        cause = error.source();
    }
    message
}
