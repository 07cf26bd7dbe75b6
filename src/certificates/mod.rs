//! The certificates of a site that is served over https: where they come from, and which one a client gets.
//!
//! `key_pair` reads a certificate with its key, and `der` its validity and its identifier. They come from one of two
//! sources. `files` follows the files of the operator; if a new pair is invalid, the previous one stays in use. `renewal`
//! obtains a certificate for each name from an `authority`, responds to its `challenges`, and stores the certificates in a
//! `folder`. A `site_certificate` is the state of a single certificate, so a name without a certificate does not affect the
//! others. *There is one cryptographic provider, ring, which is passed explicitly. No private key leaves this module and the
//! data folder.*

mod authority;
mod certificate_set;
mod challenges;
mod der;
mod files;
mod folder;
mod key_pair;
mod problem;
mod renewal;
mod site_certificate;

pub use self::certificate_set::Certificates;

use std::path::PathBuf;

pub use der::{RenewalIdentifier, Validity, ValidityFault};
pub use files::{CertificateFiles, CertificateFilesError};
use key_pair::KeyPair;
pub use key_pair::KeyPairError;
pub use problem::CertificateProblem;
pub use renewal::{AcmeOptions, AcmeRootError, Renewal};
pub use site_certificate::CertificateReport;
use site_certificate::SiteCertificate;

/// The source of certificates.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    /// Files of the operator.
    Files {
        /// The certificate and its chain to the authority, in PEM.
        certificate: PathBuf,
        /// The private key, in PEM.
        key: PathBuf,
    },
    /// A certificate authority.
    Acme(AcmeOptions),
}
