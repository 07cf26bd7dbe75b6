//! Properties of certificates: of any bytes, the validity and the identifier are found or not; what is behind a certificate
//! makes no difference, and its identifier is in it.

use galley::certificates::{RenewalIdentifier, Validity};
use memchr::memmem;

/// Panics unless all this holds of a certificate in DER.
pub fn hold(input: &[u8]) {
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
    // Nothing is found that is not there.
    if let Some(without_end) = input.split_last().map(|(_, rest)| rest) {
        let shorter = Validity::of(without_end);
        assert!(shorter.is_none() || shorter == validity);
    }
}
