//! Checks the certificates of a site that is served over https.

use std::time::Duration;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::{
    app,
    certificates::{CertificateProblem, CertificateReport, CertificateSource},
    clock::{Clock, SystemClock},
};

/// A certificate that expires within this time should have been renewed.
const SOON: Duration = Duration::from_secs(7 * 24 * 3600);

/// Checks the certificates of the running server, or those on disk.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(https) = &examined.config.https else {
        return vec![UnnamedFinding::skipped(
            "the site is not at https here: neither domain nor tls.cert is set",
        )];
    };
    let advice = match https.source {
        CertificateSource::Files { .. } => PROGRAM,
        CertificateSource::Acme(_) => AUTHORITY,
    };
    let is_served = examined.server().is_some();
    let site = examined.examination().filter(|_| is_served);
    let reports = match site {
        Some(site) => Ok(site.status.certificates.clone()),
        None => app::stored_certificates(&examined.config),
    };
    match reports {
        Ok(reports) => reports
            .iter()
            .map(|report| state(report, is_served, advice))
            .collect(),
        Err(error) => vec![UnnamedFinding::error(
            error.to_string(),
            "Correct tls.cert and tls.key, or run `galley` as the user that may read them.",
        )],
    }
}

/// Returns the advice for a problem, or `otherwise` if there is no specific advice.
fn advice_for(problem: Option<CertificateProblem>, otherwise: &'static str) -> &'static str {
    match problem {
        Some(CertificateProblem::AuthorityUnreachable) => {
            "This machine must reach the authority at tls.acme_directory: check its DNS, firewalls for outgoing connections, and tls.acme_root for a private authority."
        }
        Some(CertificateProblem::AuthorityRefused) => {
            "The message is that of the authority. If it names a limit, wait until that ends; else correct tls.acme_contact, or the CAA records of the name."
        }
        Some(CertificateProblem::AuthorityTimeout) => {
            "The authority was slow; the server tries again. See its status page if this lasts."
        }
        Some(CertificateProblem::DataFolder) => {
            "The server stores keys and certificates in the folder `certificates` of the data folder: give its user the right to write there, and space."
        }
        Some(CertificateProblem::Names) => {
            "Correct `domain`, or use a certificate that is for all of its names."
        }
        _ => otherwise,
    }
}

fn state(report: &CertificateReport, is_served: bool, otherwise: &'static str) -> UnnamedFinding {
    let advice = advice_for(report.problem_kind, otherwise);
    let names = match report.names.as_slice() {
        [] => "the site".to_owned(),
        names => names.join(", "),
    };
    let next = report.next_attempt_at;
    let next = next.map_or(String::new(), |time| {
        format!("; the next one is requested {time:.0}")
    });
    let problem = report.problem.as_ref();
    let problem = problem.map_or(String::new(), |problem| format!(": {problem}"));
    let Some(expires_at) = report.expires_at else {
        let message = format!("{names}: there is none{problem}{next}");
        return if is_served {
            UnnamedFinding::error(message, advice)
        } else {
            UnnamedFinding::warning(
                message,
                "The server requests one as soon as the site is served.",
            )
        };
    };
    let now = SystemClock.now();
    let is_early = report.valid_from.is_some_and(|time| now < time);
    let verb = if expires_at <= now {
        "expired"
    } else {
        "expires"
    };
    let message = format!("{names}: {verb} {expires_at:.0}{problem}{next}");
    if is_early {
        let advice = "Check the clock of this machine. If it is right, use a certificate that is already valid.";
        UnnamedFinding::error(message, advice)
    } else if expires_at <= now {
        UnnamedFinding::error(message, advice)
    } else if expires_at <= now + SOON || report.problem.is_some() {
        UnnamedFinding::warning(message, advice)
    } else {
        UnnamedFinding::ok(message)
    }
}

/// The advice if a certificate of an ACME authority is not renewed.
const AUTHORITY: &str = "The authority must reach this machine by that name on port 80 or 443: see the check of the domains.";

/// The advice if a certificate of the operator is not renewed.
const PROGRAM: &str = "Renew it with the program that obtained it, and check that this program writes the files of tls.cert and tls.key. The server reads them when they change, without a restart.";
