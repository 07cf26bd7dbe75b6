//! Checks the mail server.

use super::{examined_site::ExaminedSite, finding::UnnamedFinding};
use crate::delivery::MailTrialError;

/// Connects, encrypts and signs in as for a mail, but sends none.
pub(super) fn check(examined: &ExaminedSite) -> Vec<UnnamedFinding> {
    let Some(server) = &examined.config.mail.server else {
        return vec![UnnamedFinding::skipped(
            "mail.url is not set: links and codes are written to the log, and no mail is sent",
        )];
    };
    vec![match server.try_connection() {
        Ok(()) => UnnamedFinding::ok(format!("{} accepts mail of this site", server.name())),
        Err(error @ MailTrialError::SignIn { .. }) => UnnamedFinding::error(
            error.to_string(),
            "Check user name and password in mail.url. Special characters in them are written as %XX; many services need a password for programs.",
        ),
        Err(error @ MailTrialError::Encryption { .. }) => UnnamedFinding::error(
            error.to_string(),
            "Use the name that is in the server's certificate, and smtps:// for port 465, smtp:// for port 587.",
        ),
        Err(error @ MailTrialError::Unreachable { .. }) => UnnamedFinding::error(
            error.to_string(),
            "Check host and port in mail.url. Many hosting companies block port 25, some 465 and 587: ask yours, or use another port of the mail service, such as 2525.",
        ),
    }]
}
