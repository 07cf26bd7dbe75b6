//! Pictures of members: none, or those that Gravatar keeps under a hash of the address.
//!
//! Nobody is asked here; whoever looks at the answer does that. So it is off unless the operator wants it: Gravatar then
//! learns from its readers' browsers which hashes a site asks about.

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Where pictures of members are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberPictures {
    /// Nowhere.
    #[default]
    None,
    /// At Gravatar, which shows an empty picture for those it does not know.
    Gravatar,
}

impl MemberPictures {
    /// The `avatar_image` of the member with this address (in Ghost's form; hashed as Gravatar's documentation says: in small
    /// letters, by SHA-256).
    pub fn of(self, address: &str) -> Value {
        match self {
            Self::None => Value::Null,
            Self::Gravatar => {
                let digest = Sha256::digest(address.trim().to_lowercase());
                let hash = HEXLOWER.encode(&digest);
                format!("https://www.gravatar.com/avatar/{hash}?s=250&r=g&d=blank").into()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_hashed_in_small_letters() {
        let picture = MemberPictures::Gravatar.of("Ada@Example.com ");
        assert_eq!(picture, MemberPictures::Gravatar.of("ada@example.com"));
        // printf ada@example.com | sha256sum
        let hash = "b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72";
        assert_eq!(
            picture,
            format!("https://www.gravatar.com/avatar/{hash}?s=250&r=g&d=blank")
        );
    }

    #[test]
    fn nobody_has_a_picture_unless_the_operator_wants_them() {
        assert_eq!(MemberPictures::default().of("ada@example.com"), Value::Null);
    }
}
