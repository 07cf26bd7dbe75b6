//! Obtains certificates from an authority, renews them in time, and tries again after failures.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
    thread,
    time::Duration,
};

use jiff::Timestamp;

use super::authority::{Application, Authority, AuthorityError, ChallengeKind, RenewalWindow};
use super::folder::{CertificateFolder, StoredCertificate, StoredPause};
use super::{Certificates, KeyPair, SiteCertificate, Validity};
use crate::clock::{Clock, SystemClock};

/// Maximum pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_secs(12 * 3600);

/// Maximum sleep, because the machine may have been suspended or its clock set.
const SLEEP_MAX: Duration = Duration::from_secs(60);

/// The fraction of a certificate's lifetime after which it is renewed, and the maximum random delay after that, as a part
/// of the lifetime.
const RENEWED_AFTER: (i64, i64) = (2, 3);
const JITTER_PART: i64 = 30;

/// The pause between two requests for the authority's suggestion when to renew, if the authority does not specify it, and
/// its maximum (RFC 9773, section 4.3). After a failure, the next request is earlier: the first pause is the one after a
/// failed attempt, and each further failure lengthens it.
const SUGGESTION_PAUSE: Duration = Duration::from_secs(6 * 3600);
const SUGGESTION_PAUSE_MAX: Duration = Duration::from_secs(24 * 3600);

/// The authority and account that certificates are requested from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcmeOptions {
    /// The URL of the authority's directory.
    pub directory: String,
    /// The e-mail address to which the authority may write.
    pub contact: Option<String>,
    /// The file of the root certificate of the authority's server, in PEM; `None` for the usual roots.
    pub root: Option<PathBuf>,
    /// The pause after the first failed attempt. Each further failure multiplies it by four.
    pub retry_min: Duration,
}

impl AcmeOptions {
    /// The default pause after a first failure: Let's Encrypt allows five failures an hour.
    pub const RETRY_MIN: Duration = Duration::from_secs(60);
}

/// The reason why certificates cannot be requested at all.
#[derive(Debug, thiserror::Error)]
#[error("tls.acme_root: {}: {reason}", path.display())]
pub struct AcmeRootError {
    path: PathBuf,
    reason: String,
}

/// Renews the certificates of a site until dropped.
pub struct Renewal {
    certificates: Arc<Certificates>,
    options: AcmeOptions,
    authority: Authority,
    data: PathBuf,
    /// The sender of each certificate's renewal thread, by name. Dropping it ends the renewal.
    stops: Mutex<BTreeMap<String, mpsc::Sender<()>>>,
}

/// The renewal of one certificate, independent of all others.
struct CertificateRenewal {
    certificates: Arc<Certificates>,
    certificate: Arc<SiteCertificate>,
    names: Arc<Vec<String>>,
    options: AcmeOptions,
    authority: Authority,
    folder: CertificateFolder,
    failures: u32,
    /// Number of certificates that were renewed because the authority suggested it.
    early_renewals: u32,
    /// Time of the next request for a suggestion.
    next_suggestion: Timestamp,
    /// Number of consecutive requests for a suggestion that failed.
    failed_questions: u32,
}

impl Renewal {
    /// Loads the certificates in the data folder that are for names of the site.
    ///
    /// # Errors
    ///
    /// If the root certificate of the authority cannot be read.
    pub fn new(
        certificates: &Arc<Certificates>,
        options: AcmeOptions,
        data: &Path,
    ) -> Result<Self, AcmeRootError> {
        let not_read = |reason: String| AcmeRootError {
            path: options.root.clone().unwrap_or_default(),
            reason,
        };
        let root = options.root.as_ref().map(std::fs::read).transpose();
        let root = root.map_err(|error| not_read(error.to_string()))?;
        let authority = Authority::new(root.as_deref());
        let authority = authority.map_err(|error| not_read(error.to_string()))?;
        let renewal = Self {
            certificates: Arc::clone(certificates),
            options,
            authority,
            data: data.to_owned(),
            stops: Mutex::default(),
        };
        for certificate in certificates.each.load().iter() {
            renewal.of(certificate).load();
        }
        Ok(renewal)
    }

    /// Begins to request and renew certificates. The site must already be served, because the authority sends requests to
    /// it.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn start(&self) -> std::io::Result<()> {
        let each = self.certificates.each.load();
        each.iter()
            .try_for_each(|certificate| self.begin(certificate))
    }

    /// Changes the names of the site: begins to obtain certificates for new names, and stops renewing those of removed
    /// names. Other certificates are unchanged.
    ///
    /// # Errors
    ///
    /// If no thread can be started.
    pub fn change_names(&self, names: &[String]) -> std::io::Result<()> {
        let new = self.certificates.replace_names(names);
        // Dropping the senders of removed names ends their threads; nothing waits for them.
        self.stops().retain(|name, _| names.contains(name));
        new.iter().try_for_each(|certificate| {
            self.of(certificate).load();
            self.begin(certificate)
        })
    }

    fn begin(&self, certificate: &Arc<SiteCertificate>) -> std::io::Result<()> {
        let stop = self.of(certificate).start()?;
        self.stops().insert(certificate.names().join(","), stop);
        Ok(())
    }

    fn of(&self, certificate: &Arc<SiteCertificate>) -> CertificateRenewal {
        CertificateRenewal {
            certificates: Arc::clone(&self.certificates),
            authority: self.authority.for_another_certificate(),
            folder: CertificateFolder::of(&self.data, &certificate.names().join(",")),
            certificate: Arc::clone(certificate),
            names: certificate.names(),
            options: self.options.clone(),
            failures: 0,
            early_renewals: 0,
            // Due now, because the authority may have revoked the certificate while no process was
            // running.
            next_suggestion: SystemClock.now(),
            failed_questions: 0,
        }
    }

    fn stops(&self) -> MutexGuard<'_, BTreeMap<String, mpsc::Sender<()>>> {
        // Each change is a single call, so a poisoned lock is safe to use.
        self.stops.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CertificateRenewal {
    /// Runs the renewal in a thread, until the returned sender is dropped.
    fn start(mut self) -> std::io::Result<mpsc::Sender<()>> {
        let (stop, stopped) = mpsc::channel();
        let run = move || {
            self.run(&|time| stopped.recv_timeout(time) != Err(mpsc::RecvTimeoutError::Timeout))
        };
        thread::Builder::new()
            .name("galley-certificates".to_owned())
            .spawn(run)?;
        Ok(stop)
    }

    fn load(&self) {
        let Some(stored) = self.folder.certificate() else {
            return;
        };
        if stored.directory != self.options.directory {
            tracing::info!(
                directory = stored.directory,
                "the stored certificate is of another authority"
            );
            return;
        }
        match KeyPair::from_pem(stored.chain.as_bytes(), stored.key.as_bytes()) {
            Ok(pair) if self.is_for_the_names(&pair) => self.certificate.install(pair),
            Ok(_) => tracing::info!("the stored certificate is for other names"),
            Err(error) => tracing::warn!(%error, "the stored certificate cannot be used"),
        }
    }

    fn is_for_the_names(&self, pair: &KeyPair) -> bool {
        pair.missing_names(&self.names).is_empty()
    }

    fn run(&mut self, wait: &dyn Fn(Duration) -> bool) {
        let mut next = self.first_attempt();
        loop {
            next = self.renewed_early(next, wait);
            self.certificate.set_next_attempt(next);
            let now = SystemClock.now();
            if now < next {
                // After a failure, no suggestion is requested until the next attempt. A time of a
                // request that has passed must not make this loop run without a pause.
                let until = if now < self.next_suggestion {
                    next.min(self.next_suggestion)
                } else {
                    next
                };
                let left = Duration::try_from(until.duration_since(now)).unwrap_or_default();
                if wait(left.min(SLEEP_MAX)) {
                    return;
                }
                continue;
            }
            next = match self.attempt(wait) {
                Ok(validity) => renewal_time(validity, random()),
                Err(AuthorityError::Stopped) => return,
                Err(error) => self.time_after(&error),
            };
        }
    }

    /// Returns when the first certificate of this process is requested.
    fn first_attempt(&self) -> Timestamp {
        let due = match self.certificate.validity() {
            Some(validity) => renewal_time(validity, random()),
            None => SystemClock.now(),
        };
        self.after_pause(due)
    }

    /// Returns `due`, or the end of the pause that the authority demands if that is later.
    fn after_pause(&self, due: Timestamp) -> Timestamp {
        let pause = self.folder.pause();
        let pause = pause.filter(|pause| pause.directory == self.options.directory);
        pause.map_or(due, |pause| due.max(pause.until))
    }

    /// Returns when the certificate is renewed: at `due`, or earlier if the authority suggests it,
    /// as it does for a certificate that it has revoked or will revoke.
    fn renewed_early(&mut self, due: Timestamp, wait: &dyn Fn(Duration) -> bool) -> Timestamp {
        let now = SystemClock.now();
        // After a failed attempt, only its pause counts.
        if now < self.next_suggestion || due <= now || self.failures > 0 {
            return due;
        }
        let Some(identifier) = self.certificate.identifier() else {
            return due;
        };
        let application = self.application(ChallengeKind::Http, wait);
        let suggested = self.authority.suggested_renewal(&application, &identifier);
        // The request may have taken longer than the pause until the next one.
        let now = SystemClock.now();
        self.failed_questions = match suggested {
            Ok(_) => 0,
            Err(_) => self.failed_questions.saturating_add(1),
        };
        let (window, pause) = match suggested {
            Ok(Some((window, pause))) => (Some(window), pause),
            Ok(None) => (None, SUGGESTION_PAUSE),
            Err(error) => {
                tracing::debug!(%error, "the authority does not say when to renew");
                let pause = retry_pause(self.options.retry_min, self.failed_questions, random());
                (None, pause.min(SUGGESTION_PAUSE))
            }
        };
        let pause = pause.clamp(self.options.retry_min, SUGGESTION_PAUSE_MAX);
        self.next_suggestion = now.saturating_add(pause).unwrap_or(Timestamp::MAX);
        // A random time in the window, so that not all clients renew at its beginning (RFC 9773,
        // section 4.2).
        let suggested = window.map(|window| time_within(window, random()));
        let Some(suggested) = suggested.filter(|suggested| *suggested < due) else {
            return due;
        };
        if suggested <= now {
            tracing::info!("the authority suggests renewing the certificate now");
            // An authority that always suggests this must not cause endless requests for certificates.
            self.early_renewals = self.early_renewals.saturating_add(1);
            let pause = retry_pause(self.options.retry_min, self.early_renewals, random());
            self.next_suggestion = now.saturating_add(pause).unwrap_or(Timestamp::MAX);
        }
        self.after_pause(suggested)
    }

    fn application<'a>(
        &'a self,
        challenge: ChallengeKind,
        wait: &'a dyn Fn(Duration) -> bool,
    ) -> Application<'a> {
        Application {
            directory: &self.options.directory,
            contact: self.options.contact.as_deref(),
            names: &self.names,
            folder: &self.folder,
            challenges: &self.certificates.challenges,
            challenge,
            wait,
        }
    }

    /// Obtains a certificate, stores it and puts it into use.
    fn attempt(&mut self, wait: &dyn Fn(Duration) -> bool) -> Result<Validity, AuthorityError> {
        // Alternates between the kinds of challenges, because a firewall may allow only one of them.
        let challenge = match self.failures % 2 {
            0 => ChallengeKind::Http,
            _ => ChallengeKind::Tls,
        };
        // A pause left by a request for a suggestion would lengthen the pause after a failure.
        self.authority.take_retry_after();
        let application = self.application(challenge, wait);
        let issued = self.authority.obtain(&application)?;
        let unusable =
            |error: String| AuthorityError::Refused(format!("the issued certificate: {error}"));
        let pair = KeyPair::from_pem(issued.chain.as_bytes(), issued.key.as_bytes())
            .map_err(|error| unusable(error.to_string()))?;
        if !self.is_for_the_names(&pair) {
            return Err(unusable("it is for other names".to_owned()));
        }
        // Stored before the order is removed, so that a process that is killed here finds one of the two.
        self.folder.store_certificate(&StoredCertificate {
            directory: self.options.directory.clone(),
            chain: issued.chain,
            key: issued.key,
        })?;
        self.folder.remove_order();
        self.folder.remove_pause();
        self.failures = 0;
        let validity = pair.validity;
        self.certificate.install(pair);
        Ok(validity)
    }

    /// Reports a failure, and returns when the next attempt is allowed.
    fn time_after(&mut self, error: &AuthorityError) -> Timestamp {
        self.failures = self.failures.saturating_add(1);
        let demanded = self.authority.take_retry_after();
        let own = retry_pause(self.options.retry_min, self.failures, random());
        let pause = demanded.map_or(own, |demanded| own.max(demanded));
        let until = SystemClock
            .now()
            .saturating_add(pause)
            .unwrap_or(Timestamp::MAX);
        // Only a pause demanded by the authority survives a restart, because a restart may mean that the operator has
        // fixed the cause.
        if demanded.is_some() {
            let pause = StoredPause {
                directory: self.options.directory.clone(),
                until,
            };
            if let Err(error) = self.folder.store_pause(&pause) {
                tracing::warn!(%error, "the pause that the authority demands could not be stored");
            }
        }
        self.certificate
            .report_failure(error.problem(), error.to_string(), Some(until));
        until
    }
}

/// Returns when a certificate is renewed. `random` is between 0 and 1.
fn renewal_time(validity: Validity, random: f64) -> Timestamp {
    let from = validity.not_before.as_second();
    let life = validity.not_after.as_second() - from;
    let (part, whole) = RENEWED_AFTER;
    let jitter = (life / JITTER_PART) as f64 * random;
    let second = from + life / whole * part + jitter as i64;
    Timestamp::from_second(second).unwrap_or(validity.not_after)
}

/// Returns a time in a window. `random` is between 0 and 1.
fn time_within(window: RenewalWindow, random: f64) -> Timestamp {
    let length = window.end.saturating_sub(window.start).max(0);
    let second = window.start.saturating_add((length as f64 * random) as i64);
    Timestamp::from_second(second).unwrap_or(Timestamp::MAX)
}

/// Returns the pause after `failures` consecutive failures. `random` is between 0 and 1.
fn retry_pause(least: Duration, failures: u32, random: f64) -> Duration {
    let times = 4_u32.saturating_pow(failures.saturating_sub(1));
    let pause = least.saturating_mul(times).min(PAUSE_MAX);
    pause + pause.mul_f64(random / 4.0)
}

/// Returns a random number between 0 and 1.
fn random() -> f64 {
    let number = getrandom::u32().unwrap_or_default();
    f64::from(number) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_is_renewed_after_two_thirds_of_its_life() {
        let time = |text: &str| text.parse::<Timestamp>().unwrap();
        let validity = Validity {
            not_before: time("2026-01-01T00:00:00Z"),
            not_after: time("2026-04-01T00:00:00Z"),
        };
        assert_eq!(renewal_time(validity, 0.0), time("2026-03-02T00:00:00Z"));
        assert_eq!(renewal_time(validity, 1.0), time("2026-03-05T00:00:00Z"));
    }

    #[test]
    fn suggested_time_is_in_the_window() {
        let window = RenewalWindow {
            start: 100,
            end: 300,
        };
        let seconds = [0.0, 0.5, 1.0].map(|random| time_within(window, random).as_second());
        assert_eq!(seconds, [100, 200, 300]);
        let reversed = RenewalWindow {
            start: 300,
            end: 100,
        };
        assert_eq!(time_within(reversed, 1.0).as_second(), 300);
    }

    #[test]
    fn pauses_grow_and_have_a_bound() {
        let least = Duration::from_secs(60);
        let pauses: Vec<_> = (1..8)
            .map(|failures| retry_pause(least, failures, 0.0))
            .collect();
        let seconds: Vec<_> = pauses.iter().map(Duration::as_secs).collect();
        assert_eq!(seconds, [60, 240, 960, 3840, 15_360, 43_200, 43_200]);
        assert_eq!(retry_pause(least, u32::MAX, 1.0), PAUSE_MAX + PAUSE_MAX / 4);
    }
}
