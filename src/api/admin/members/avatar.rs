//! Images of members: none, or Gravatar's, which are addressed by a hash of the e-mail address.
//!
//! The server does not request the images; browsers that show the response do. Gravatar learns from
//! these requests which hashes a site uses, so images are off by default.

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The source of members' images.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberAvatars {
    /// No images.
    #[default]
    None,
    /// Gravatar, which returns an empty image for unknown addresses.
    Gravatar,
}

impl MemberAvatars {
    /// Returns the `avatar_image` of the member with this e-mail address, in Ghost's form. The hash is
    /// the one that Gravatar documents: SHA-256 of the address in lower case.
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
    fn address_is_hashed_in_lower_case() {
        let image = MemberAvatars::Gravatar.of("Ada@Example.com ");
        assert_eq!(image, MemberAvatars::Gravatar.of("ada@example.com"));
        // printf ada@example.com | sha256sum
        let hash = "b5fc85e55755f9e0d030a10ab4429b6b2944855f9a0d60077fe832becbc41d72";
        assert_eq!(
            image,
            format!("https://www.gravatar.com/avatar/{hash}?s=250&r=g&d=blank")
        );
    }

    #[test]
    fn images_are_off_by_default() {
        assert_eq!(MemberAvatars::default().of("ada@example.com"), Value::Null);
    }
}
