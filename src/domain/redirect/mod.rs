//! Redirects that the operator configures.
//!
//! The source is a regular expression, as in Ghost (Ghost 6.65, observed): it matches anywhere in
//! the path unless it begins with `^`; it extends to the end of the path, with or without a
//! trailing slash, unless it ends with `$`; `/…/i` ignores case. The match is replaced; `$1` is
//! replaced by the first group. All expressions are matched together, in time that depends on the length of
//! the URL only.

mod error;
mod expression;
mod limits;
mod location;

pub use self::error::RedirectError;
pub use self::limits::{REDIRECTS_MAX, TEXT_BYTES_MAX};

use std::{borrow::Cow, sync::OnceLock};

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};

use self::{
    expression::{pattern, reason},
    limits::{ALL_BYTES_MAX, EXPRESSION_BYTES_MAX, LOCATION_BYTES_MAX},
    location::location,
};
use super::file_reference::FileReference;
use crate::render::active_urls::{Usage, is_active};

/// One redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// The source: a regular expression for paths.
    pub from: String,
    /// The target.
    pub to: String,
    /// True if the redirect is permanent.
    pub permanent: bool,
}

/// The redirects of a site, as stored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedirectsFile {
    /// The file as YAML, as downloaded.
    pub text: String,
    /// Its redirects, in the order of precedence.
    pub redirects: Vec<Redirect>,
}

/// The target of a matched redirect.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The location: a path of this site beginning with a slash, an absolute URL, or a reference
    /// relative to the requested URL.
    pub location: String,
    /// True if the redirect is permanent.
    pub permanent: bool,
}

/// Compiled redirects.
#[derive(Debug, Default)]
pub struct Redirects {
    set: Option<RegexSet>,
    rules: Vec<Rule>,
    /// Files of the site that targets refer to, in ascending order.
    files: Box<[FileReference]>,
}

#[derive(Debug)]
struct Rule {
    redirect: Redirect,
    /// Compiled on first use: most redirects of a large file are never matched.
    expression: OnceLock<Option<Regex>>,
}

impl Redirect {
    /// Checks the redirect independently of other redirects.
    ///
    /// # Errors
    ///
    /// If its expression is invalid or too large, its source or target is empty or too long, or its
    /// target is a URL that runs code.
    pub fn check(&self) -> Result<(), RedirectError> {
        let is_good = |text: &str| (1..=TEXT_BYTES_MAX).contains(&text.len());
        if !is_good(&self.from) || !is_good(&self.to) {
            return Err(RedirectError::Length);
        }
        if is_active(&self.to, Usage::Link) {
            return Err(RedirectError::Active);
        }
        self.expression().map(|_| ())
    }

    fn expression(&self) -> Result<Regex, RedirectError> {
        RegexBuilder::new(&pattern(&self.from)?)
            // Sources are ASCII (see `with_escapes`). With Unicode, a class such as `\w` would be
            // many times as large.
            .unicode(false)
            .size_limit(EXPRESSION_BYTES_MAX)
            .build()
            .map_err(|error| RedirectError::Expression(reason(&error)))
    }
}

impl Redirects {
    /// Compiles redirects, in their order.
    ///
    /// # Errors
    ///
    /// If an expression is invalid, or all of them together are too large.
    pub fn compile(redirects: &[Redirect]) -> Result<Self, RedirectError> {
        if redirects.is_empty() {
            return Ok(Self::default());
        }
        let patterns: Vec<String> = redirects
            .iter()
            .map(|redirect| pattern(&redirect.from))
            .collect::<Result<_, _>>()?;
        let set = RegexSetBuilder::new(patterns)
            .unicode(false)
            .size_limit(ALL_BYTES_MAX)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => RedirectError::TooMuch,
                error => RedirectError::Expression(reason(&error)),
            })?;
        let rule = |redirect: &Redirect| Rule {
            redirect: redirect.clone(),
            expression: OnceLock::new(),
        };
        Ok(Self {
            set: Some(set),
            rules: redirects.iter().map(rule).collect(),
            files: FileReference::in_texts(redirects.iter().map(|redirect| &redirect.to)),
        })
    }

    /// Returns whether any target refers to `file`. Targets in which the path of the file contains
    /// a group are not recognised.
    pub fn refers_to_file(&self, file: FileReference) -> bool {
        self.files.binary_search(&file).is_ok()
    }

    /// Returns the target for the URL with this path and query, both as sent; `None` if no redirect
    /// matches.
    pub fn find(&self, path: &str, query: Option<&str>) -> Option<Target> {
        let path = with_capital_escapes(path);
        let matches = self.set.as_ref()?.matches(path.as_bytes());
        matches
            .iter()
            // The first match in the file wins, unless it would redirect to the requested URL.
            .find_map(|number| self.rules.get(number)?.target(&path, query))
    }
}

impl Rule {
    fn target(&self, path: &str, query: Option<&str>) -> Option<Target> {
        let expression = self
            .expression
            // Redirects are checked before they are stored. One that cannot be compiled any more
            // never matches.
            .get_or_init(|| self.redirect.expression().ok());
        let captures = expression.as_ref()?.captures(path.as_bytes())?;
        let location = location(&self.redirect.to, path, query, &captures)?;
        // Checked here as well, because a group may begin with a scheme, and redirects stored by
        // earlier versions were not checked.
        let is_good = location.len() <= LOCATION_BYTES_MAX && !is_active(&location, Usage::Link);
        is_good.then_some(Target {
            location,
            permanent: self.redirect.permanent,
        })
    }
}

/// Returns a path with its percent-encoding in upper case: `%C3` for `%c3`.
fn with_capital_escapes(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    // Both cases are the same URL (RFC 3986, section 2.1). Sources are encoded in upper case.
    let mut since_percent = usize::MAX;
    let written = path.chars().map(|character| {
        since_percent = match character {
            '%' => 0,
            _ => since_percent.saturating_add(1),
        };
        match since_percent {
            1 | 2 => character.to_ascii_uppercase(),
            _ => character,
        }
    });
    Cow::Owned(written.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redirect(from: &str, to: &str) -> Redirect {
        Redirect {
            from: from.to_owned(),
            to: to.to_owned(),
            permanent: false,
        }
    }

    fn target(from: &str, to: &str, url: &str) -> Option<String> {
        let redirect = redirect(from, to);
        redirect.check().unwrap();
        let (path, query) = match url.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (url, None),
        };
        let redirects = Redirects::compile(&[redirect]).unwrap();
        redirects.find(path, query).map(|target| target.location)
    }

    #[test]
    fn redirects_match_and_replace_as_in_ghost() {
        for (from, to, url, location) in [
            (
                "/gone",
                "https://example.com/",
                "/gone",
                Some("https://example.com/"),
            ),
            (
                "/gone",
                "https://example.com/",
                "/gone/",
                Some("https://example.com/"),
            ),
            (
                "/gone",
                "https://example.com/",
                "/gone?a=b",
                Some("https://example.com/?a=b"),
            ),
            (
                "/gone",
                "https://example.com/",
                "/x/gone",
                Some("https://example.com/x/"),
            ),
            ("/gone", "https://example.com/", "/GONE", None),
            ("/gone", "https://example.com/", "/gone/y", None),
            ("^/old/", "/new/", "/old", Some("/new/")),
            ("^/old/", "/new/", "/x/old/", None),
            (
                r"^/posts/(\d+)/(.*)$",
                "/p/$2/$1",
                "/posts/12/abc",
                Some("/p/abc/12"),
            ),
            (
                r"^/posts/(\d+)/(.*)",
                "/p/$2/$1",
                "/posts/12/abc/?k=v",
                Some("/p/abc/12?k=v"),
            ),
            ("/q/", "/to/?x=1", "/q/", Some("/to/?x=1")),
            ("/q/", "/to/?x=1", "/q/?y=2&x=3", Some("/to/?y=2&x=1")),
            ("/e$", "/end/", "/e", Some("/end/")),
            ("/e$", "/end/", "/e/", None),
            ("/hash/", "/h/#part", "/hash/?a=1", Some("/h/?a=1#part")),
            ("/near/", "relative", "/near/", Some("relative")),
            ("/amp&/", "$&x", "/amp&/", Some("/amp&/x")),
            (
                r"^/posts/(\d+)/(.*)$",
                "/p/$2/$1",
                "/posts/12/abc/",
                Some("/p/abc/12"),
            ),
            (
                "/ext/(.*)",
                "https://example.com/$1?z=1",
                "/ext/a/b?c=d",
                Some("https://example.com/a/b?c=d&z=1"),
            ),
            ("/^\\/tidy/i", "/tidied/", "/TIDY/", Some("/tidied/")),
            ("/loop/", "/loop/", "/loop/", None),
            (
                "/(?<name>[a-z]+)/x",
                "/x/$<name>/$3$$",
                "/a/x/",
                Some("/x/a/$3$"),
            ),
            ("/", "/home/", "/", Some("/home/")),
            ("/", "/home/", "/a/", None),
        ] {
            let found = target(from, to, url);
            assert_eq!(found.as_deref(), location, "{from} to {to} at {url}");
        }
    }

    #[test]
    fn path_with_two_leading_slashes_does_not_lead_to_another_site() {
        for url in ["//evil.example/old/", "/\\evil.example/old/"] {
            let location = target("/old/", "/new/", url).unwrap();
            assert!(
                !location.starts_with("//") && !location.starts_with("/\\"),
                "{location}"
            );
        }
        assert_eq!(target("tidy", "/tidied/", "/tidy").unwrap(), "/tidied/");
    }

    #[test]
    fn non_ascii_characters_match_their_escapes() {
        for url in ["/caf%C3%A9/", "/caf%c3%a9"] {
            assert_eq!(
                target("^/café/", "/kaffee ü/", url).unwrap(),
                "/kaffee%20%C3%BC/"
            );
        }
    }

    #[test]
    fn invalid_expressions_are_rejected() {
        for from in ["(", "(?<=x)/a", "[é]", "", "(a{1000}){1000}"] {
            assert!(redirect(from, "/a").check().is_err(), "{from}");
        }
    }

    #[test]
    fn no_redirect_leads_to_a_url_that_runs_code() {
        for to in [
            "javascript:alert(1)",
            " JAVA\tSCRIPT:alert(1)",
            "vbscript:msgbox(1)",
            "data:text/html,<script>alert(1)</script>",
            "data:image/svg+xml,<svg/>",
        ] {
            let redirect = redirect("/a/", to);
            assert_eq!(redirect.check(), Err(RedirectError::Active), "{to}");
            let of_earlier_version = Redirects::compile(&[redirect]).unwrap();
            let found = of_earlier_version.find("/a/", None);
            let is_active = |found: &Target| is_active(&found.location, Usage::Link);
            assert!(!found.as_ref().is_some_and(is_active), "{to}: {found:?}");
        }
        assert_eq!(target("^/go/(.*)$", "$1", "/go/javascript:alert(1)"), None);
        // Nor can a group redirect to another site.
        let location = target("^/go/(.*)$", "$1", "/go/https://a.example/");
        assert_eq!(location.as_deref(), Some("https:/a.example/"));
    }

    #[test]
    fn redirects_refer_to_the_files_that_they_lead_to() {
        let redirects = Redirects::compile(&[
            redirect("/a/", "/content/files/tide%20table.zip?v=1"),
            redirect("/b/", "https://a.example/blog/content/media/song.mp3#t=3"),
        ])
        .unwrap();
        for path in ["files/tide table.zip", "media/song.mp3"] {
            assert!(redirects.refers_to_file(FileReference::to(path)), "{path}");
        }
        assert!(!redirects.refers_to_file(FileReference::to("files/other.zip")));
    }

    #[test]
    fn first_of_many_matching_redirects_wins() {
        let redirects: Vec<Redirect> = (0..REDIRECTS_MAX)
            .map(|number| Redirect {
                from: format!("^/archive/2019/some-long-title-of-a-post-{number}/"),
                to: format!("/{number}/"),
                permanent: true,
            })
            .chain([Redirect {
                from: "^/archive/".to_owned() + "(.*)",
                to: "/rest/".to_owned(),
                permanent: false,
            }])
            .collect();
        let compiled = Redirects::compile(&redirects).unwrap();
        let found = compiled
            .find("/archive/2019/some-long-title-of-a-post-777/", None)
            .unwrap();
        assert_eq!(found.location, "/777/");
        assert_eq!(
            compiled.find("/archive/x/", None).unwrap().location,
            "/rest/"
        );
        assert_eq!(compiled.find("/elsewhere/", None), None);
    }
}
