//! The certificates of a site at https.

use std::time::Duration;

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::{
    app,
    certificates::CertificateReport,
    clock::{Clock, SystemClock},
};

/// A certificate that expires within this time should have been renewed.
const SOON: Duration = Duration::from_secs(7 * 24 * 3600);

/// Checks the certificates of the running server, or those on disk.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    if examined.config.https.is_none() {
        return vec![UnnamedFinding::skipped(
            "the site is not at https here: neither domain nor tls.cert is set",
        )];
    }
    let is_served = examined.server().is_some();
    let site = examined.examination().filter(|_| is_served);
    let reports = match site {
        Some(site) => Ok(site.status.certificates.clone()),
        None => app::stored_certificates(&examined.config),
    };
    match reports {
        Ok(reports) => reports
            .iter()
            .map(|report| state(report, is_served))
            .collect(),
        Err(error) => vec![UnnamedFinding::error(
            error.to_string(),
            "Correct tls.cert and tls.key, or run `galley` as the user that may read them.",
        )],
    }
}

fn state(report: &CertificateReport, is_served: bool) -> UnnamedFinding {
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
    let now = SystemClock.now();
    let Some(expires_at) = report.expires_at else {
        let message = format!("{names}: there is none{problem}{next}");
        return if is_served {
            UnnamedFinding::error(message, AUTHORITY)
        } else {
            UnnamedFinding::warning(
                message,
                "The server requests one as soon as the site is served.",
            )
        };
    };
    let is_expired = expires_at <= now;
    let is_late = expires_at <= now + SOON;
    let verb = if is_expired { "expired" } else { "expires" };
    let message = format!("{names}: {verb} {expires_at:.0}{problem}{next}");
    if is_expired {
        UnnamedFinding::error(message, AUTHORITY)
    } else if is_late || !problem.is_empty() {
        UnnamedFinding::warning(message, AUTHORITY)
    } else {
        UnnamedFinding::ok(message)
    }
}

/// Advice for a certificate that is not renewed.
const AUTHORITY: &str = "The authority must reach this machine by that name on port 80 or 443: see the check of the domains. \
     Renew a certificate in tls.cert with the program that made it.";
