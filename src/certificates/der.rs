//! Reads a certificate in DER: its validity, and its identifier for the authority.
//!
//! rustls and the clients check the rest.

use jiff::Timestamp;
use x509_cert::{
    certificate::{Certificate, TbsCertificate},
    der::{Decode, SliceReader},
    ext::pkix::AuthorityKeyIdentifier,
    time::Time,
};

use super::CertificateProblem;

/// The period in which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// Its first second.
    pub not_before: Timestamp,
    /// Its last second.
    pub not_after: Timestamp,
}

/// The reason why a certificate is not valid at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValidityFault {
    /// The certificate was valid until this time.
    #[error("expired at {0:.0}")]
    Expired(Timestamp),
    /// The certificate is valid from this time on.
    #[error("is valid only from {0:.0} on")]
    NotYet(Timestamp),
}

impl ValidityFault {
    /// Returns the kind of the problem, for monitoring.
    pub fn problem(self) -> CertificateProblem {
        match self {
            Self::Expired(_) => CertificateProblem::Expired,
            Self::NotYet(_) => CertificateProblem::NotYetValid,
        }
    }
}

impl Validity {
    /// Returns why the certificate is not valid at this time; `None` if it is.
    pub fn fault_at(self, now: Timestamp) -> Option<ValidityFault> {
        if self.not_after <= now {
            Some(ValidityFault::Expired(self.not_after))
        } else if now < self.not_before {
            Some(ValidityFault::NotYet(self.not_before))
        } else {
            None
        }
    }

    /// Returns the validity of a certificate in DER; `None` if it is malformed.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let validity = signed_part(certificate)?.validity;
        Some(Self {
            not_before: timestamp(validity.not_before)?,
            not_after: timestamp(validity.not_after)?,
        })
    }
}

/// The identifier of a certificate for its authority (RFC 9773, section 4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewalIdentifier {
    /// The identifier of the key with which the authority signed the certificate.
    pub authority_key: Vec<u8>,
    /// The serial number, in DER.
    pub serial: Vec<u8>,
}

impl RenewalIdentifier {
    /// Returns the identifier of a certificate in DER; `None` if it is malformed, or does not contain the
    /// identifier of its authority's key.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let signed = signed_part(certificate)?;
        let (_, authority) = signed.get::<AuthorityKeyIdentifier>().ok()??;
        Some(Self {
            authority_key: authority.key_identifier?.into_bytes(),
            serial: signed.serial_number.as_bytes().to_vec(),
        })
    }
}

/// Returns the signed part of a certificate in DER. Bytes after the certificate are ignored.
fn signed_part(certificate: &[u8]) -> Option<TbsCertificate> {
    // Not `from_der`, which refuses bytes after the certificate.
    let mut reader = SliceReader::new(certificate).ok()?;
    Some(Certificate::decode(&mut reader).ok()?.tbs_certificate)
}

fn timestamp(time: Time) -> Option<Timestamp> {
    let since_epoch = time.to_unix_duration();
    Timestamp::UNIX_EPOCH.checked_add(since_epoch).ok()
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, Issuer, KeyIdMethod, KeyPair, SerialNumber, date_time_ymd};

    use super::*;

    fn certificate(not_after_year: i32) -> Vec<u8> {
        let mut params = CertificateParams::new(["example.com".to_owned()]).unwrap();
        params.not_before = date_time_ymd(2026, 1, 31);
        params.not_after = date_time_ymd(not_after_year, 12, 1);
        let key = KeyPair::generate().unwrap();
        params.self_signed(&key).unwrap().der().to_vec()
    }

    #[test]
    fn both_times_are_read_in_both_forms() {
        for year in [2026, 2049, 2050, 4096] {
            let validity = Validity::of(&certificate(year)).unwrap();
            assert_eq!(validity.not_before, "2026-01-31T00:00:00Z".parse().unwrap());
            let last: Timestamp = format!("{year}-12-01T00:00:00Z").parse().unwrap();
            assert_eq!(validity.not_after, last);
        }
    }

    #[test]
    fn identifier_is_the_key_of_the_authority_and_the_serial_number() {
        let mut authority = CertificateParams::new(Vec::new()).unwrap();
        authority.key_identifier_method = KeyIdMethod::PreSpecified(vec![1, 2, 3]);
        let issuer = Issuer::new(authority, KeyPair::generate().unwrap());
        let mut params = CertificateParams::new(["example.com".to_owned()]).unwrap();
        params.use_authority_key_identifier_extension = true;
        // In DER, a number whose first bit is set begins with a zero byte (RFC 9773, section 4.1).
        params.serial_number = Some(SerialNumber::from_slice(&[0x87, 0x65, 0x43, 0x21]));
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        let identifier = RenewalIdentifier::of(certificate.der()).unwrap();
        assert_eq!(identifier.authority_key, [1, 2, 3]);
        assert_eq!(identifier.serial, [0, 0x87, 0x65, 0x43, 0x21]);
        assert_eq!(RenewalIdentifier::of(&self::certificate(2026)), None);
    }

    #[test]
    fn certificate_that_is_cut_or_damaged_never_panics() {
        let certificate = certificate(2026);
        for end in 0..certificate.len() {
            let _ = Validity::of(&certificate[..end]);
            let _ = RenewalIdentifier::of(&certificate[..end]);
        }
        for index in 0..certificate.len() {
            for byte in [0, 0x7f, 0x80, 0xff] {
                let mut damaged = certificate.clone();
                damaged[index] = byte;
                let _ = Validity::of(&damaged);
                let _ = RenewalIdentifier::of(&damaged);
            }
        }
    }
}
