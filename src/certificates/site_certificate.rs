//! One certificate of a site, and the state of obtaining it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::{ArcSwap, ArcSwapOption};
use jiff::Timestamp;
use rustls::sign::CertifiedKey;
use serde::{Deserialize, Serialize};

use super::{CertificateProblem, KeyPair, RenewalIdentifier, Validity, ValidityFault};
use crate::clock::{Clock, SystemClock};

/// A certificate for some of the names of a site. It changes independently of the others.
#[derive(Debug)]
pub(super) struct SiteCertificate {
    names: ArcSwap<Vec<String>>,
    current: ArcSwapOption<KeyPair>,
    progress: Mutex<CertificateProgress>,
}

/// The state of obtaining a certificate.
#[derive(Clone, Debug, Default)]
struct CertificateProgress {
    problem: Option<(CertificateProblem, String)>,
    failures: u64,
    next_attempt_at: Option<Timestamp>,
}

/// The state of a certificate, for the operator.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CertificateReport {
    /// The names that the certificate is for; empty if the operator configures none.
    pub names: Vec<String>,
    /// Time at which the current certificate expires; `None` without a certificate.
    pub expires_at: Option<Timestamp>,
    /// Time from which the current certificate is valid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Timestamp>,
    /// The reason why there is no valid certificate, or no newer one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The kind of that problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem_kind: Option<CertificateProblem>,
    /// Number of failed attempts since the start of the process.
    pub failures: u64,
    /// Time at which the next certificate is requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_attempt_at: Option<Timestamp>,
}

impl SiteCertificate {
    /// Creates the state of a certificate for these names, initially without a certificate.
    pub(super) fn new(names: Vec<String>) -> Self {
        Self {
            names: ArcSwap::from_pointee(names),
            current: ArcSwapOption::empty(),
            progress: Mutex::default(),
        }
    }

    pub(super) fn names(&self) -> Arc<Vec<String>> {
        self.names.load_full()
    }

    /// Changes the names that the certificate must be for.
    pub(super) fn set_names(&self, names: Vec<String>) {
        self.names.store(Arc::new(names));
    }

    /// Returns whether the certificate is for this name. Without names, it is for any name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        let names = self.names.load();
        names.is_empty() || names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    pub(super) fn pair(&self) -> Option<Arc<KeyPair>> {
        self.current.load_full()
    }

    /// Returns whether there is a certificate that is valid now.
    pub(super) fn is_valid(&self) -> bool {
        self.validity().is_some() && self.fault().is_none()
    }

    /// Returns why the current certificate is not valid now, if so.
    pub(super) fn fault(&self) -> Option<ValidityFault> {
        self.validity()?.fault_at(SystemClock.now())
    }

    pub(super) fn validity(&self) -> Option<Validity> {
        let current = self.current.load();
        current.as_ref().map(|pair| pair.validity)
    }

    pub(super) fn certified(&self) -> Option<Arc<CertifiedKey>> {
        let current = self.current.load();
        current.as_ref().map(|pair| Arc::clone(&pair.certified))
    }

    /// Returns the identifier of the current certificate for the authority.
    pub(super) fn identifier(&self) -> Option<RenewalIdentifier> {
        let certificate = self.certified()?.cert.first()?.clone();
        RenewalIdentifier::of(&certificate)
    }

    pub(super) fn report(&self) -> CertificateReport {
        let progress = self.progress().clone();
        let validity = self.validity();
        let of_current = |fault: ValidityFault| {
            let text = format!("the certificate in use {fault}");
            (fault.problem(), text)
        };
        let problem = progress.problem.or_else(|| self.fault().map(of_current));
        CertificateReport {
            names: self.names().to_vec(),
            expires_at: validity.map(|validity| validity.not_after),
            valid_from: validity.map(|validity| validity.not_before),
            problem_kind: problem.as_ref().map(|(kind, _)| *kind),
            problem: problem.map(|(_, text)| text),
            failures: progress.failures,
            next_attempt_at: progress.next_attempt_at,
        }
    }

    /// Uses this certificate from the next handshake on.
    pub(super) fn install(&self, pair: KeyPair) {
        let expires_at = pair.validity.not_after;
        // Handshakes read the certificate without a lock; those in progress finish with the
        // previous one.
        self.current.store(Some(Arc::new(pair)));
        self.progress().problem = None;
        if !self.log_fault() {
            tracing::info!(names = self.names().join(", "), %expires_at, "the certificate is in use");
        }
    }

    /// Logs that the current certificate is not valid now, if so, and returns whether that is the case.
    pub(super) fn log_fault(&self) -> bool {
        let fault = self.fault();
        if let Some(fault) = fault {
            tracing::error!(
                names = self.names().join(", "),
                "the certificate in use {fault}; browsers refuse it"
            );
        }
        fault.is_some()
    }

    /// Records a failed attempt to get a certificate. Logs the failure with the time of the next attempt,
    /// if there will be one.
    pub(super) fn report_failure(
        &self,
        kind: CertificateProblem,
        problem: String,
        next_attempt_at: Option<Timestamp>,
    ) {
        tracing::error!(
            names = self.names().join(", "),
            problem,
            next_attempt_at = next_attempt_at.map(tracing::field::display),
            "there is no new certificate"
        );
        let mut progress = self.progress();
        progress.failures += 1;
        progress.problem = Some((kind, problem));
    }

    /// Records when the next certificate is requested.
    pub(super) fn set_next_attempt(&self, at: Timestamp) {
        self.progress().next_attempt_at = Some(at);
    }

    fn progress(&self) -> MutexGuard<'_, CertificateProgress> {
        // Each change is a single assignment, so a poisoned lock is safe to use.
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
