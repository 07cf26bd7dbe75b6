//! The forms of the site's URLs in content files.

use crate::render::{markdown, urls::PLACEHOLDER};

/// A form of URLs in content files.
pub trait UrlWriter {
    /// Returns a stored URL in this form.
    fn url<'a>(&'a self, stored: &'a str) -> &'a str;

    /// Returns the name of the footnote to which a link with this stored URL refers.
    fn footnote(&self, _stored: &str) -> Option<&str> {
        None
    }

    /// Returns HTML with its URLs in this form.
    fn markup(&self, stored: &str) -> String {
        let written = |stored: &str| {
            let written = self.url(stored);
            (written != stored).then(|| written.to_owned())
        };
        markdown::resolve_html(stored, |url| written(url.written)).into_owned()
    }

    /// Returns Markdown with its URLs in this form.
    fn markdown(&self, stored: &str) -> String {
        stored.to_owned()
    }
}

/// The form of the site's URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlForm {
    /// As a path, such as `/content/images/a.png` or `/about/`, where it cannot be mistaken for a
    /// file of the folder.
    Path,
    /// In stored form, with the placeholder for the site's URL.
    Stored,
}

impl UrlWriter for UrlForm {
    fn url<'a>(&'a self, stored: &'a str) -> &'a str {
        match stored.strip_prefix(PLACEHOLDER) {
            Some(path) if *self == Self::Path && is_plain_path(path) => path,
            _ => stored,
        }
    }
}

/// Returns whether a path is recognised as one of the site: it is below `/content/`, or does not have the form of a file name.
fn is_plain_path(path: &str) -> bool {
    let end = path.find(['?', '#']).unwrap_or(path.len());
    path.starts_with("/content/") || (path.starts_with('/') && !path[..end].contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_that_are_not_ambiguous_with_files_become_paths() {
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
            assert_eq!(UrlForm::Path.url(stored), written);
            assert_eq!(UrlForm::Stored.url(stored), stored);
        }
    }

    #[test]
    fn only_urls_in_attributes_are_changed() {
        let stored = "<a href=\"__GHOST_URL__/a/\">__GHOST_URL__/a/</a>";
        assert_eq!(
            UrlForm::Path.markup(stored),
            "<a href=\"/a/\">__GHOST_URL__/a/</a>"
        );
        assert_eq!(UrlForm::Stored.markup(stored), stored);
    }
}
