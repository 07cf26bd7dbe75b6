//! Addresses of the site as they are written in content files.

use crate::render::{markdown, urls::PLACEHOLDER};

/// How addresses of the site are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As a path from the top, such as `/content/images/a.png` or `/about/`, where that cannot be taken for a file of the
    /// folder.
    Path,
    /// As they are stored, with the mark for the site's own address.
    Stored,
}

impl Form {
    /// `stored`, an address, as it is written.
    pub fn address(self, stored: &str) -> &str {
        match stored.strip_prefix(PLACEHOLDER) {
            Some(path) if self == Self::Path && is_plain_path(path) => path,
            _ => stored,
        }
    }

    /// HTML with its addresses as they are written.
    pub fn markup(self, stored: &str) -> String {
        let written = |stored: &str| {
            let written = self.address(stored);
            (written.len() < stored.len()).then(|| written.to_owned())
        };
        match self {
            Self::Path => {
                markdown::resolve_html(stored, |address| written(address.written)).into_owned()
            }
            Self::Stored => stored.to_owned(),
        }
    }
}

/// Whether a path is understood as one of the site: what lies below `/content/`, and what does not look like a file.
fn is_plain_path(path: &str) -> bool {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    path.starts_with("/content/") || (path.starts_with('/') && !path[..end].contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_taken_for_a_file_is_a_path() {
        for (stored, written) in [
            (
                "__GHOST_URL__/content/images/a.png",
                "/content/images/a.png",
            ),
            ("__GHOST_URL__/about/?a=b.c#d", "/about/?a=b.c#d"),
            ("__GHOST_URL__/", "/"),
            ("__GHOST_URL__", "__GHOST_URL__"),
            ("__GHOST_URL__/robots.txt", "__GHOST_URL__/robots.txt"),
            ("https://elsewhere.example/", "https://elsewhere.example/"),
        ] {
            assert_eq!(Form::Path.address(stored), written);
            assert_eq!(Form::Stored.address(stored), stored);
        }
    }

    #[test]
    fn only_addresses_in_markup_are_touched() {
        let stored = "<a href=\"__GHOST_URL__/a/\">__GHOST_URL__/a/</a>";
        assert_eq!(
            Form::Path.markup(stored),
            "<a href=\"/a/\">__GHOST_URL__/a/</a>"
        );
        assert_eq!(Form::Stored.markup(stored), stored);
    }
}
