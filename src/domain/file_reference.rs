//! References from records to files of the site.

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{images::Variant, render::urls::visit_paths};

/// Prefix of the paths of the site's files, after the host and the base path of a URL.
const FILES_PATH: &str = "/content/";

/// A reference to a file of the site: a hash of its path, used for comparison only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileReference(u64);

impl FileReference {
    /// Returns the reference to the file at `path`, which is relative to `/content/` and not
    /// percent-encoded. Resized versions of an image refer to the image itself.
    pub fn to(path: &str) -> Self {
        let mut digest = Sha256::new();
        match Variant::of(path) {
            Some(variant) => {
                digest.update("images/");
                digest.update(variant.original);
            }
            None => digest.update(path),
        }
        // Eight bytes, because every post has its references in memory. A collision only makes a
        // file count as referred to.
        let mut start = [0; 8];
        start.copy_from_slice(&digest.finalize()[..8]);
        Self(u64::from_be_bytes(start))
    }

    /// Returns the files that `texts`, which are HTML or JSON, refer to by any URL of the site. The
    /// references are sorted in ascending order.
    pub fn in_texts<T: AsRef<[u8]>>(texts: impl IntoIterator<Item = T>) -> Box<[Self]> {
        let mut references = BTreeSet::new();
        for text in texts {
            visit_paths(text.as_ref(), FILES_PATH, |path| {
                references.insert(Self::to(&percent_decode_str(path).decode_utf8_lossy()));
            });
        }
        references.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_recognised_in_absolute_relative_and_sized_urls() {
        let html = r#"<a href="__GHOST_URL__/content/files/tide%20table.zip"><img src="https://example.com/notes/content/images/size/w600/format/webp/posts/a.png">"#;
        let found = FileReference::in_texts([html]);
        for path in ["files/tide table.zip", "images/posts/a.png"] {
            assert!(found.contains(&FileReference::to(path)), "{path}");
        }
        assert_eq!(found.len(), 2);
        assert!(FileReference::in_texts(["content/files/a.zip"]).is_empty());
    }
}
