//! Properties of certificates: any bytes can be parsed, with or without a validity and an identifier; bytes after a
//! certificate make no difference; the parts of its identifier occur in the certificate.

use galley::certificates::{RenewalIdentifier, Validity};
use memchr::memmem;

/// Panics unless these properties hold for a certificate in DER.
pub fn check(input: &[u8]) {
    let validity = Validity::of(input);
    let identifier = RenewalIdentifier::of(input);
    let with_more = [input, b"more"].concat();
    assert!(validity.is_none() || Validity::of(&with_more) == validity);
    assert!(identifier.is_none() || RenewalIdentifier::of(&with_more) == identifier);
    if let Some(RenewalIdentifier {
        authority_key,
        serial,
    }) = identifier
    {
        assert!(memmem::find(input, &authority_key).is_some());
        assert!(memmem::find(input, &serial).is_some());
    }
    // A truncated certificate has either the same validity or none.
    if let Some(without_end) = input.split_last().map(|(_, rest)| rest) {
        let shorter = Validity::of(without_end);
        assert!(shorter.is_none() || shorter == validity);
    }
}
