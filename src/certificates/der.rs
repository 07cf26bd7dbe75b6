//! The parts read from a certificate in DER (RFC 5280, section 4.1): the time in which it is valid, and
//! its identifier for its authority.
//!
//! rustls and the clients check the rest.

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

/// Tags of DER.
const SEQUENCE: u8 = 0x30;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// The version of a certificate, which is optional.
const VERSION: u8 = 0xa0;
const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const OBJECT_IDENTIFIER: u8 = 0x06;
/// The extensions of a certificate.
const EXTENSIONS: u8 = 0xa3;
/// The key identifier in [`AUTHORITY_KEY_IDENTIFIER`].
const KEY_IDENTIFIER: u8 = 0x80;

/// The object identifier 2.5.29.35 of an extension.
const AUTHORITY_KEY_IDENTIFIER: [u8; 3] = [0x55, 0x1d, 0x23];

/// The time in which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// Its first second.
    pub not_before: Timestamp,
    /// Its last second.
    pub not_after: Timestamp,
}

impl Validity {
    /// Returns the validity of a certificate in DER; `None` if it is malformed.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        // Serial number, algorithm and issuer are before it.
        let mut signed = signed_elements(certificate)?.skip(3);
        let (_, times) = signed.next().filter(|(tag, _)| *tag == SEQUENCE)?;
        let mut times = Elements(times);
        Some(Self {
            not_before: time(times.next()?)?,
            not_after: time(times.next()?)?,
        })
    }
}

/// The identifier of a certificate for its authority (RFC 9773, section 4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenewalIdentifier {
    /// The identifier of the key that the authority signed it with.
    pub authority_key: Vec<u8>,
    /// The serial number, in DER.
    pub serial: Vec<u8>,
}

impl RenewalIdentifier {
    /// Returns the identifier of a certificate in DER; `None` if it is malformed, or does not name
    /// the key of its authority.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        let mut signed = signed_elements(certificate)?;
        let serial = signed.expect(INTEGER)?;
        let (_, extensions) = signed.find(|(tag, _)| *tag == EXTENSIONS)?;
        let extensions = Elements(Elements(extensions).expect(SEQUENCE)?);
        let mut keys = extensions.filter_map(|(_, extension)| {
            let mut extension = Elements(extension);
            let name = extension.expect(OBJECT_IDENTIFIER)?;
            let (_, value) = extension.find(|(tag, _)| *tag == OCTET_STRING)?;
            let value = Elements(value).expect(SEQUENCE)?;
            let (_, key) = Elements(value).find(|(tag, _)| *tag == KEY_IDENTIFIER)?;
            (name == AUTHORITY_KEY_IDENTIFIER).then_some(key)
        });
        Some(Self {
            authority_key: keys.next()?.to_vec(),
            serial: serial.to_vec(),
        })
    }
}

/// Returns the elements of the signed part of a certificate, from the serial number on.
fn signed_elements(certificate: &[u8]) -> Option<Elements<'_>> {
    let mut certificate = Elements(Elements(certificate).expect(SEQUENCE)?);
    let signed = Elements(certificate.expect(SEQUENCE)?);
    let mut after_version = Elements(signed.0);
    match after_version.next()? {
        (VERSION, _) => Some(after_version),
        _ => Some(signed),
    }
}

/// The elements that follow each other in DER.
struct Elements<'a>(&'a [u8]);

impl<'a> Elements<'a> {
    /// Returns the content of the next element, which must have this tag.
    fn expect(&mut self, tag: u8) -> Option<&'a [u8]> {
        self.next()
            .filter(|(found, _)| *found == tag)
            .map(|(_, content)| content)
    }
}

impl<'a> Iterator for Elements<'a> {
    /// A tag and its content.
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&[tag, first], rest) = self.0.split_first_chunk()?;
        let (length, rest) = if first < 0x80 {
            (usize::from(first), rest)
        } else {
            // No certificate is longer than four bytes can say.
            let digits = usize::from(first & 0x7f);
            let (digits, rest) = rest.split_at_checked(digits).filter(|_| digits <= 4)?;
            let length = digits
                .iter()
                .fold(0, |sum, digit| sum << 8 | usize::from(*digit));
            (length, rest)
        };
        let (content, rest) = rest.split_at_checked(length)?;
        self.0 = rest;
        Some((tag, content))
    }
}

/// Reads `YYMMDDhhmmssZ` or, with four digits of the year, the general form.
fn time((tag, text): (u8, &[u8])) -> Option<Timestamp> {
    let digits = str::from_utf8(text).ok()?.strip_suffix('Z')?;
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (year, rest) = match tag {
        UTC_TIME => {
            let (year, rest) = digits.split_at_checked(2)?;
            let year: i16 = year.parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, rest)
        }
        GENERALIZED_TIME => {
            let (year, rest) = digits.split_at_checked(4)?;
            (year.parse().ok()?, rest)
        }
        _ => return None,
    };
    let mut numbers = (0..rest.len())
        .step_by(2)
        .map(|at| rest.get(at..at + 2)?.parse::<i8>().ok());
    let mut number = || numbers.next().flatten();
    let (month, day, hour, minute, second) =
        (number()?, number()?, number()?, number()?, number()?);
    let date_time = DateTime::new(year, month, day, hour, minute, second, 0).ok()?;
    date_time
        .to_zoned(TimeZone::UTC)
        .ok()
        .map(|zoned| zoned.timestamp())
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
        // In DER, a number whose first bit is set begins with a byte of 0 (RFC 9773, section 4.1).
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
