//! Why a name has no valid certificate, or no newer one.

use serde::{Deserialize, Serialize};

/// The kind of a problem with a certificate: one of a few fixed codes for monitoring. The description for people is in the
/// report of the certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CertificateProblem {
    /// The certificate has expired.
    Expired,
    /// The certificate is not valid yet.
    NotYetValid,
    /// The files of the operator cannot be read or used.
    Files,
    /// The certificate is not for all names of the site.
    Names,
    /// The authority cannot be reached, or does not speak ACME.
    AuthorityUnreachable,
    /// The authority refuses the request.
    AuthorityRefused,
    /// The authority did not finish in time.
    AuthorityTimeout,
    /// The name does not resolve to this server, or the authority cannot reach it.
    NotVerified,
    /// A file or a key in the data folder cannot be used.
    DataFolder,
}

impl CertificateProblem {
    /// Returns the code.
    pub fn code(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::NotYetValid => "not_yet_valid",
            Self::Files => "files",
            Self::Names => "names",
            Self::AuthorityUnreachable => "authority_unreachable",
            Self::AuthorityRefused => "authority_refused",
            Self::AuthorityTimeout => "authority_timeout",
            Self::NotVerified => "not_verified",
            Self::DataFolder => "data_folder",
        }
    }
}
