//! A certificate authority: accounts, orders and certificates over ACME (RFC 8555).
//!
//! Every request blocks, so a future of the library is never pending.

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, Waker},
    time::Duration,
};

use bytes::Bytes;
use http::{Request, header::RETRY_AFTER};
use http_body::Body as _;
use instant_acme::{
    Account, AuthorizationStatus, BodyWrapper, BytesResponse, CertificateIdentifier, ChallengeType,
    HttpClient, Identifier, Key, NewOrder, Order, OrderStatus, Problem,
};
use rcgen::{CertificateParams, DistinguishedName};
use rustls::pki_types::{PrivatePkcs8KeyDer, pem::PemObject};

use super::challenges::{ChallengeError, Challenges};
use super::folder::{CertificateFolder, StoredOrder};
use super::{CertificateProblem, RenewalIdentifier};
use crate::outbound::{DirectClient, OutboundError};

/// Maximum time for the authority to validate the names, or to issue the certificate.
const STEP_TIMEOUT: Duration = Duration::from_secs(120);

/// First and maximum pause between two checks of an order.
const POLL_MIN: Duration = Duration::from_millis(250);
const POLL_MAX: Duration = Duration::from_secs(10);

/// Maximum pause that an authority may demand.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(7 * 24 * 3600);

/// Why no certificate was obtained.
#[derive(Debug, thiserror::Error)]
pub enum AuthorityError {
    /// The authority refuses the request.
    #[error("the authority refuses: {0}")]
    Refused(String),
    /// The authority cannot be reached, or does not speak ACME.
    #[error("{0}")]
    Failed(String),
    /// A name could not be validated, for example because it does not resolve to this server.
    #[error("{name} could not be verified by {challenge}: {reason}")]
    Name {
        /// The name.
        name: String,
        /// The kind of the challenge.
        challenge: &'static str,
        /// The reason given by the authority.
        reason: String,
    },
    /// The authority offers no supported kind of challenge.
    #[error("the authority offers no challenge over http or TLS for {0}")]
    NoChallenge(String),
    /// The authority takes too long.
    #[error("the authority did not finish within {STEP_TIMEOUT:?}")]
    TimedOut,
    /// The response to a challenge cannot be created.
    #[error(transparent)]
    Challenge(#[from] ChallengeError),
    /// A key cannot be used.
    #[error("the key cannot be used: {0}")]
    Key(#[from] rcgen::Error),
    /// The account's key cannot be used.
    #[error("the key of the account, certificates/account.pem, cannot be used")]
    AccountKey,
    /// A file cannot be written.
    #[error("the data folder: {0}")]
    Disk(#[from] std::io::Error),
    /// The program stops.
    #[error("the program stops")]
    Stopped,
}

impl AuthorityError {
    /// Returns the kind of the problem, for monitoring.
    pub(super) fn problem(&self) -> CertificateProblem {
        match self {
            Self::Refused(_) | Self::NoChallenge(_) => CertificateProblem::AuthorityRefused,
            Self::Failed(_) => CertificateProblem::AuthorityUnreachable,
            Self::Name { .. } => CertificateProblem::NotVerified,
            Self::TimedOut | Self::Stopped => CertificateProblem::AuthorityTimeout,
            Self::Challenge(_) | Self::Key(_) | Self::AccountKey | Self::Disk(_) => {
                CertificateProblem::DataFolder
            }
        }
    }
}

impl From<instant_acme::Error> for AuthorityError {
    fn from(error: instant_acme::Error) -> Self {
        match error {
            instant_acme::Error::Api(problem) => Self::Refused(reason(&problem)),
            other => Self::Failed(other.to_string()),
        }
    }
}

/// Returns the authority's description of a problem.
fn reason(problem: &Problem) -> String {
    let detail = problem.detail.clone();
    let detail = detail.unwrap_or_else(|| "it gives no reason".to_owned());
    match &problem.r#type {
        Some(kind) => format!("{detail} ({kind})"),
        None => detail,
    }
}

/// The challenge that proves control of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChallengeKind {
    Http,
    Tls,
}

impl ChallengeKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Http => "http-01",
            Self::Tls => "tls-alpn-01",
        }
    }

    const fn other(self) -> Self {
        match self {
            Self::Http => Self::Tls,
            Self::Tls => Self::Http,
        }
    }

    const fn of_acme(self) -> ChallengeType {
        match self {
            Self::Http => ChallengeType::Http01,
            Self::Tls => ChallengeType::TlsAlpn01,
        }
    }
}

/// A request for a certificate.
pub(super) struct Application<'a> {
    pub(super) directory: &'a str,
    pub(super) contact: Option<&'a str>,
    pub(super) names: &'a [String],
    pub(super) folder: &'a CertificateFolder,
    pub(super) challenges: &'a Challenges,
    /// The preferred challenge.
    pub(super) challenge: ChallengeKind,
    /// Waits, and returns whether the program is stopping.
    pub(super) wait: &'a dyn Fn(Duration) -> bool,
}

/// A certificate that was issued, with its key, both in PEM.
pub(super) struct IssuedCertificate {
    pub(super) chain: String,
    pub(super) key: String,
}

/// Time at which an authority suggests that a certificate be renewed, in seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RenewalWindow {
    pub(super) start: i64,
    pub(super) end: i64,
}

/// The connection to an authority.
pub(super) struct Authority {
    client: Arc<DirectClient>,
    retry_after: Arc<Mutex<Option<Duration>>>,
    /// Held while the account is registered or read, so that it is registered only once.
    account: Arc<Mutex<()>>,
}

impl Authority {
    /// Creates the connection to an authority whose server has a certificate issued by `root`, in PEM, or by one
    /// of the usual roots.
    ///
    /// # Errors
    ///
    /// If `root` is not a certificate.
    pub(super) fn new(root: Option<&[u8]>) -> Result<Self, OutboundError> {
        Ok(Self {
            client: Arc::new(DirectClient::new(root)?),
            retry_after: Arc::default(),
            account: Arc::default(),
        })
    }

    /// Returns another connection to the same authority and account, with separate pauses.
    pub(super) fn for_another_certificate(&self) -> Self {
        Self {
            client: Arc::clone(&self.client),
            retry_after: Arc::default(),
            account: Arc::clone(&self.account),
        }
    }

    /// Returns and clears the pause that the authority demanded with its last refusal.
    pub(super) fn take_retry_after(&self) -> Option<Duration> {
        let retry_after = self.retry_after.lock();
        retry_after.unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Obtains a certificate. An order that was begun earlier is continued.
    ///
    /// # Errors
    ///
    /// If the authority refuses or cannot be reached, a name cannot be validated, or the program stops.
    pub(super) fn obtain(
        &self,
        application: &Application,
    ) -> Result<IssuedCertificate, AuthorityError> {
        let account = self.account(application)?;
        let (mut order, key) = begin_order(&account, application)?;
        let result = finish_order(&mut order, &key, application);
        // After failures, too, because responses are only served while a challenge is pending.
        application.challenges.remove(application.names);
        // A finished order is removed when the certificate is stored, and an interrupted one is continued. A
        // refused order can only be replaced by a new one.
        let is_over = !matches!(
            result,
            Ok(_)
                | Err(AuthorityError::Failed(_)
                    | AuthorityError::TimedOut
                    | AuthorityError::Stopped)
        );
        if is_over {
            application.folder.remove_order();
        }
        result.map(|chain| IssuedCertificate {
            chain,
            key: key.serialize_pem(),
        })
    }

    /// Returns when the authority suggests renewing a certificate, and how long to wait before asking again (RFC
    /// 9773); `None` if the authority makes no suggestions.
    ///
    /// # Errors
    ///
    /// If the authority refuses or cannot be reached.
    pub(super) fn suggested_renewal(
        &self,
        application: &Application,
        identifier: &RenewalIdentifier,
    ) -> Result<Option<(RenewalWindow, Duration)>, AuthorityError> {
        let account = self.account(application)?;
        let identifier = CertificateIdentifier::new(
            identifier.authority_key.as_slice().into(),
            identifier.serial.as_slice().into(),
        );
        let (suggested, pause) = match complete(account.renewal_info(&identifier)) {
            Err(instant_acme::Error::Unsupported(_)) => return Ok(None),
            suggested => suggested?,
        };
        let window = suggested.suggested_window;
        let window = RenewalWindow {
            start: window.start.unix_timestamp(),
            end: window.end.unix_timestamp(),
        };
        Ok(Some((window, pause)))
    }

    /// Returns the account of the stored key. The same key always returns the same account.
    fn account(&self, application: &Application) -> Result<Account, AuthorityError> {
        let _registering = self.account.lock().unwrap_or_else(PoisonError::into_inner);
        let pem = application.folder.account_key()?;
        let der = PrivatePkcs8KeyDer::from_pem_slice(pem.as_bytes());
        let der = der.map_err(|_| AuthorityError::AccountKey)?;
        let key = Key::from_pkcs8_der(der.clone_key()).map_err(|_| AuthorityError::AccountKey)?;
        let http = AcmeClient {
            client: Arc::clone(&self.client),
            retry_after: Arc::clone(&self.retry_after),
        };
        let builder = Account::builder_with_http(Box::new(http));
        let directory = application.directory.to_owned();
        let (account, _) = complete(builder.create_from_key((key, der.into()), directory))?;
        if let Some(contact) = application.contact {
            // A separate request, because a known key returns its account unchanged.
            let address = contact.strip_prefix("mailto:").unwrap_or(contact);
            complete(account.update_contacts(&[&format!("mailto:{address}")]))?;
        }
        Ok(account)
    }
}

/// Continues the stored order if it is for the same names, or places a new one.
fn begin_order(
    account: &Account,
    application: &Application,
) -> Result<(Order, rcgen::KeyPair), AuthorityError> {
    let stored = application.folder.order().filter(|order| {
        order.directory == application.directory && order.names == application.names
    });
    // An invalid order stays invalid (RFC 8555, section 7.1.6), so it is replaced.
    if let Some(stored) = stored
        && let Ok(mut order) = complete(account.order(stored.url))
        && order.state().status != OrderStatus::Invalid
        && let Ok(key) = rcgen::KeyPair::from_pem(&stored.key)
    {
        return Ok((order, key));
    }
    let names = application.names.iter().cloned();
    let identifiers: Vec<Identifier> = names.map(Identifier::Dns).collect();
    let order = complete(account.new_order(&NewOrder::new(&identifiers)))?;
    let key = rcgen::KeyPair::generate()?;
    // Authorities limit the number of new orders, so a restart has to continue this one.
    application.folder.store_order(&StoredOrder {
        directory: application.directory.to_owned(),
        names: application.names.to_vec(),
        url: order.url().to_owned(),
        key: key.serialize_pem(),
    })?;
    Ok((order, key))
}

/// Completes an order step by step, and returns the certificate and its chain in PEM.
fn finish_order(
    order: &mut Order,
    key: &rcgen::KeyPair,
    application: &Application,
) -> Result<String, AuthorityError> {
    if order.state().status == OrderStatus::Pending {
        respond_to_challenges(order, application)?;
        let is_checked = |status| !matches!(status, OrderStatus::Pending);
        if poll(order, application, is_checked)? == OrderStatus::Invalid {
            return Err(refused_name(order)?);
        }
    }
    // A continued order may be past this step. Its certificate is then for the key that is stored
    // with the order.
    if order.state().status == OrderStatus::Ready {
        let mut params = CertificateParams::new(application.names.to_vec())?;
        // By default the library adds a common name that is not among the names of the order.
        params.distinguished_name = DistinguishedName::new();
        let request = params.serialize_request(key)?;
        complete(order.finalize_csr(request.der()))?;
    }
    let is_done = |status| matches!(status, OrderStatus::Valid | OrderStatus::Invalid);
    poll(order, application, is_done)?;
    let chain = complete(order.certificate())?;
    chain.ok_or(AuthorityError::TimedOut)
}

/// Prepares a response to one challenge for each name, and requests their validation.
fn respond_to_challenges(
    order: &mut Order,
    application: &Application,
) -> Result<(), AuthorityError> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = complete(authorizations.next()) {
        let mut authorization = authorization?;
        // An authority remembers validated names for some time, and needs no challenge for them.
        if authorization.status != AuthorizationStatus::Pending {
            continue;
        }
        let name = authorization.identifier().to_string();
        let offered = |kind: ChallengeKind| {
            let mut challenges = authorization.challenges.iter();
            challenges.any(|challenge| challenge.r#type == kind.of_acme())
        };
        let kinds = [application.challenge, application.challenge.other()];
        let kind = kinds.into_iter().find(|kind| offered(*kind));
        let no_challenge = || AuthorityError::NoChallenge(name.clone());
        let kind = kind.ok_or_else(no_challenge)?;
        let mut challenge = authorization
            .challenge(kind.of_acme())
            .ok_or_else(no_challenge)?;
        // The response is added before `set_ready`, because the authority may request it immediately.
        let text = challenge.key_authorization();
        match kind {
            ChallengeKind::Http => {
                application
                    .challenges
                    .respond_over_http(&name, &challenge.token, &text)
            }
            ChallengeKind::Tls => application.challenges.respond_over_tls(&name, &text)?,
        }
        match complete(challenge.set_ready()) {
            // The authority may have validated it immediately.
            Err(instant_acme::Error::Api(problem)) => {
                return Err(AuthorityError::Name {
                    name,
                    challenge: kind.name(),
                    reason: reason(&problem),
                });
            }
            result => result?,
        }
    }
    Ok(())
}

/// Waits until the order has a status for which `is_over` holds.
fn poll(
    order: &mut Order,
    application: &Application,
    is_over: impl Fn(OrderStatus) -> bool,
) -> Result<OrderStatus, AuthorityError> {
    let mut waited = Duration::ZERO;
    let mut pause = POLL_MIN;
    loop {
        let status = order.state().status;
        if is_over(status) {
            return Ok(status);
        }
        if waited >= STEP_TIMEOUT {
            return Err(AuthorityError::TimedOut);
        }
        if (application.wait)(pause) {
            return Err(AuthorityError::Stopped);
        }
        waited += pause;
        pause = (2 * pause).min(POLL_MAX);
        complete(order.refresh())?;
    }
}

/// Returns the reason why the authority refused an order.
fn refused_name(order: &mut Order) -> Result<AuthorityError, AuthorityError> {
    let mut authorizations = order.authorizations();
    while let Some(authorization) = complete(authorizations.next()) {
        let mut authorization = authorization?;
        complete(authorization.refresh())?;
        let name = authorization.identifier().to_string();
        for challenge in &authorization.challenges {
            if let Some(problem) = &challenge.error {
                let kind = match challenge.r#type {
                    ChallengeType::TlsAlpn01 => ChallengeKind::Tls,
                    _ => ChallengeKind::Http,
                };
                return Ok(AuthorityError::Name {
                    name,
                    challenge: kind.name(),
                    reason: reason(problem),
                });
            }
        }
    }
    let problem = order.state().error.as_ref();
    let reason = problem.map_or_else(|| "the order is invalid".to_owned(), reason);
    Ok(AuthorityError::Refused(reason))
}

/// Runs a future of the library to completion.
fn complete<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("invariant: each request blocks until it has its response"),
    }
}

/// Sends the requests of the library.
struct AcmeClient {
    client: Arc<DirectClient>,
    retry_after: Arc<Mutex<Option<Duration>>>,
}

type AcmeResponse = Result<BytesResponse, instant_acme::Error>;

impl HttpClient for AcmeClient {
    fn request(
        &self,
        request: Request<BodyWrapper<Bytes>>,
    ) -> Pin<Box<dyn Future<Output = AcmeResponse> + Send>> {
        Box::pin(std::future::ready(self.send(request)))
    }
}

impl AcmeClient {
    fn send(&self, request: Request<BodyWrapper<Bytes>>) -> AcmeResponse {
        let (head, mut body) = request.into_parts();
        let mut sent = Vec::new();
        let mut next = || complete(poll_fn(|context| Pin::new(&mut body).poll_frame(context)));
        // The body is in memory, so its frames are never errors.
        while let Some(Ok(frame)) = next() {
            sent.extend_from_slice(&frame.into_data().unwrap_or_default());
        }
        let host = head.uri.host().unwrap_or_default().to_owned();
        let unreachable =
            |error| instant_acme::Error::Other(format!("{host} cannot be reached: {error}").into());
        let response = self.client.send(Request::from_parts(head, sent));
        let (parts, body) = response.map_err(unreachable)?.into_parts();
        let demanded = parts.headers.get(RETRY_AFTER);
        let demanded = demanded.and_then(|value| pause_of(value.to_str().ok()?));
        // Successful responses may have the header field, too: it then applies to the next check of an order (RFC
        // 8555, 7.5.1).
        if !parts.status.is_success() && demanded.is_some() {
            let retry_after = self.retry_after.lock();
            *retry_after.unwrap_or_else(PoisonError::into_inner) = demanded;
        }
        // A problem document contains more than the status; other bodies do not.
        if !parts.status.is_success()
            && serde_json::from_slice::<serde_json::Map<_, _>>(&body).is_err()
        {
            let text = format!("{host} responded with {}", parts.status);
            return Err(instant_acme::Error::Other(text.into()));
        }
        Ok(BytesResponse {
            parts,
            body: Box::new(Bytes::from(body)),
        })
    }
}

/// Parses `Retry-After`: seconds or a date.
fn pause_of(value: &str) -> Option<Duration> {
    let pause = match value.trim().parse() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => httpdate::parse_http_date(value)
            .ok()?
            // For a date in the past this is an error, and there is no pause.
            .duration_since(std::time::SystemTime::from(now()))
            .unwrap_or_default(),
    };
    Some(pause.min(RETRY_AFTER_MAX))
}

fn now() -> jiff::Timestamp {
    use crate::clock::{Clock, SystemClock};

    SystemClock.now()
}
