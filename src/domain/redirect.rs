//! Redirects: addresses that lead elsewhere, as whoever runs the site wrote them down.
//!
//! An address is described by a regular expression, as Ghost takes them (Ghost 6.65, observed): it is looked for anywhere
//! in the path unless it begins with `^`; it reaches to the end of the path, with or without a slash there, unless it ends
//! in `$`; `/…/i` takes no difference of case. What it finds is replaced; `$1` stands for what the first parenthesis found.
//! All of them are tried at once, in time that grows with the address alone.

use std::{borrow::Cow, sync::OnceLock};

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use regex::bytes::{Captures, Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::{Deserialize, Serialize};
use url::form_urlencoded;

use super::file_reference::FileReference;
use crate::render::active_urls::{Usage, is_active};

/// Most redirects of a site.
pub const REDIRECTS_MAX: usize = 10_000;

/// Longest text that an address is described by, or that it leads to, in bytes.
pub const TEXT_BYTES_MAX: usize = 2000;

/// Longest address that a redirect leads to, in bytes.
const LOCATION_BYTES_MAX: usize = 8 << 10;

/// Largest expression once it is compiled, in bytes.
const EXPRESSION_BYTES_MAX: usize = 512 << 10;

/// All expressions together once they are compiled, in bytes.
const ALL_BYTES_MAX: usize = 32 << 20;

/// What may not stand in an address as it is, besides what is not ASCII.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// One redirect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Redirect {
    /// Which addresses it is for.
    pub from: String,
    /// Where they lead.
    pub to: String,
    /// Whether they lead there for good.
    pub permanent: bool,
}

/// The redirects of a site: the record that the store keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RedirectsFile {
    /// As YAML, as it is handed out.
    pub text: String,
    /// What it says, in the order in which they are tried.
    pub redirects: Vec<Redirect>,
}

/// Why redirects cannot be used.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RedirectError {
    /// An expression is none.
    #[error("{0}")]
    Expression(String),
    /// A text is too long, or empty.
    #[error("an address has 1 to {TEXT_BYTES_MAX} bytes")]
    Length,
    /// It leads to a URL that runs code.
    #[error("it leads to a URL that runs code or opens a document of its own")]
    Active,
    /// All of them together are too much.
    #[error("the expressions take more than {} MB together", ALL_BYTES_MAX >> 20)]
    TooMuch,
}

/// Where an address leads.
#[derive(Debug, PartialEq, Eq)]
pub struct Target {
    /// The address: of this site and beginning with a slash, or a whole one, or relative to the one that was asked for.
    pub location: String,
    /// Whether it leads there for good.
    pub permanent: bool,
}

/// Redirects that are ready to be tried.
#[derive(Debug, Default)]
pub struct Redirects {
    set: Option<RegexSet>,
    rules: Vec<Rule>,
    /// Files of the site that any of them leads to, in ascending order.
    files: Box<[FileReference]>,
}

#[derive(Debug)]
struct Rule {
    redirect: Redirect,
    /// Compiled when it is first needed: of many redirects few are.
    expression: OnceLock<Option<Regex>>,
}

impl Redirect {
    /// Checks it by itself.
    ///
    /// # Errors
    ///
    /// When its expression is none or takes too much, a text is too long, or it leads to a URL that runs code.
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
            .unicode(false)
            .size_limit(EXPRESSION_BYTES_MAX)
            .build()
            .map_err(|error| RedirectError::Expression(reason(&error)))
    }
}

/// What is wrong with an expression, in a line.
fn reason(error: &regex::Error) -> String {
    let text = error.to_string();
    match error {
        regex::Error::CompiledTooBig(_) => {
            "the expression takes too much when it is compiled".to_owned()
        }
        _ => text
            .lines()
            .last()
            .unwrap_or_default()
            .trim_start_matches("error: ")
            .to_owned(),
    }
}

impl Redirects {
    /// Makes redirects ready to be tried, in this order.
    ///
    /// # Errors
    ///
    /// When an expression is none, or all of them are too much.
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

    /// Whether any of them leads to this file. What `$1` stands for is known only when there is a request, so it names none.
    pub fn refers_to_file(&self, file: FileReference) -> bool {
        self.files.binary_search(&file).is_ok()
    }

    /// Where the address with this path and this query leads, both as they were sent; `None` when it leads nowhere else.
    pub fn find(&self, path: &str, query: Option<&str>) -> Option<Target> {
        let path = with_capital_escapes(path);
        let found = self.set.as_ref()?.matches(path.as_bytes());
        found
            .iter()
            .find_map(|number| self.rules.get(number)?.target(&path, query))
    }
}

impl Rule {
    fn target(&self, path: &str, query: Option<&str>) -> Option<Target> {
        let expression = self
            .expression
            .get_or_init(|| self.redirect.expression().ok());
        let captures = expression.as_ref()?.captures(path.as_bytes())?;
        let whole = captures.get(0)?;
        let to = Parts::of(&self.redirect.to);
        // An expression may end within a character only where the path is none.
        let (before, after) = (path.get(..whole.start())?, path.get(whole.end()..)?);
        let replaced = format!("{before}{}{after}", expanded(to.path, &captures));
        let mut location = match to.origin {
            "" => with_single_slashes(&replaced),
            origin => format!("{origin}{replaced}"),
        };
        if location == path {
            return None;
        }
        if let Some(query) = joined(query, to.query.map(|query| expanded(query, &captures))) {
            location.extend(["?", &query]);
        }
        location.push_str(to.fragment);
        let location = utf8_percent_encode(&location, UNSAFE).to_string();
        // What was captured may begin with a scheme, and redirects of earlier versions were not checked.
        let is_good = location.len() <= LOCATION_BYTES_MAX && !is_active(&location, Usage::Link);
        is_good.then_some(Target {
            location,
            permanent: self.redirect.permanent,
        })
    }
}

/// A path of this site without empty parts (Ghost 6.65, observed). Two slashes at its start would lead to another site, and
/// so would a backslash, which browsers take for one.
fn with_single_slashes(path: &str) -> String {
    let mut result = String::new();
    for sign in path.chars() {
        match sign {
            '/' | '\\' if result.ends_with('/') => {}
            '\\' if result.is_empty() => result.push('/'),
            sign => result.push(sign),
        }
    }
    result
}

/// Where a redirect leads, part by part.
struct Parts<'t> {
    /// Scheme and host; empty for an address of this site.
    origin: &'t str,
    path: &'t str,
    query: Option<&'t str>,
    /// With its `#`.
    fragment: &'t str,
}

impl<'t> Parts<'t> {
    fn of(to: &'t str) -> Self {
        let (rest, fragment) = to.split_at(to.find('#').unwrap_or(to.len()));
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let host = match rest.find("://") {
            Some(scheme) if !rest[..scheme].contains('/') => Some(scheme + 3),
            _ => rest.starts_with("//").then_some(2),
        };
        let origin = host.map_or(0, |host| {
            rest[host..].find('/').map_or(rest.len(), |end| host + end)
        });
        let (origin, path) = rest.split_at(origin);
        let path = match (origin, path) {
            ("", path) => path,
            (_, "") => "/",
            (_, path) => path,
        };
        Self {
            origin,
            path,
            query,
            fragment,
        }
    }
}

/// The expression that `from` means.
fn pattern(from: &str) -> Result<String, RedirectError> {
    let inner = from
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix("/i"))
        .filter(|inner| !inner.is_empty());
    let (flags, from) = match inner {
        Some(inner) => ("(?i)", inner),
        None => ("", from),
    };
    let pattern = with_escapes(from)?;
    let ends = pattern.ends_with('$') && !pattern.ends_with("\\$");
    Ok(match &*pattern {
        // The front page is one address.
        "/" | "^/" => format!("{flags}^/$"),
        pattern if ends => format!("{flags}{pattern}"),
        pattern => {
            let pattern = pattern.strip_suffix('/').unwrap_or(pattern);
            format!("{flags}{pattern}/?$")
        }
    })
}

/// An expression with characters that are not ASCII as they stand in addresses.
fn with_escapes(from: &str) -> Result<Cow<'_, str>, RedirectError> {
    if from.is_ascii() {
        return Ok(Cow::Borrowed(from));
    }
    let mut escaped = String::new();
    let (mut is_in_class, mut is_escaped) = (false, false);
    for sign in from.chars() {
        match sign {
            sign if sign.is_ascii() => escaped.push(sign),
            _ if is_in_class => {
                return Err(RedirectError::Expression(format!(
                    "\"{sign}\" stands in brackets, where only ASCII characters can"
                )));
            }
            sign => {
                let text = utf8_percent_encode(sign.encode_utf8(&mut [0; 4]), CONTROLS).to_string();
                escaped.push_str(&format!("(?:{text})"));
            }
        }
        is_in_class = match sign {
            '[' if !is_escaped => true,
            ']' if !is_escaped => false,
            _ => is_in_class,
        };
        is_escaped = sign == '\\' && !is_escaped;
    }
    Ok(Cow::Owned(escaped))
}

/// A path with `%C3` for `%c3`.
fn with_capital_escapes(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut since_percent = usize::MAX;
    let written = path.chars().map(|sign| {
        since_percent = match sign {
            '%' => 0,
            _ => since_percent.saturating_add(1),
        };
        match since_percent {
            1 | 2 => sign.to_ascii_uppercase(),
            _ => sign,
        }
    });
    Cow::Owned(written.collect())
}

/// A text with `$1`, `$&`, `$<name>` and `$$` replaced, as JavaScript does.
fn expanded(text: &str, captures: &Captures) -> String {
    let mut result = String::new();
    let mut rest = text;
    let captured = |number: usize| {
        let found = captures.get(number);
        found.map_or(Cow::Borrowed(""), |found| {
            String::from_utf8_lossy(found.as_bytes())
        })
    };
    while let Some(dollar) = rest.find('$') {
        result.push_str(&rest[..dollar]);
        let after = &rest[dollar + 1..];
        let (replacement, length) = match after.as_bytes().first() {
            Some(b'$') => (Cow::Borrowed("$"), 1),
            Some(b'&') => (captured(0), 1),
            Some(b'1'..=b'9') => {
                let digits = after.bytes().take(2).take_while(u8::is_ascii_digit).count();
                let longest = (1..=digits).rev().find_map(|length| {
                    let number: usize = after[..length].parse().ok()?;
                    (number < captures.len()).then(|| (captured(number), length))
                });
                longest.unwrap_or((Cow::Borrowed("$"), 0))
            }
            Some(b'<') => match after.find('>') {
                Some(end) => {
                    let found = captures.name(&after[1..end]);
                    let found = found.map(|found| String::from_utf8_lossy(found.as_bytes()));
                    (found.unwrap_or_default(), end + 1)
                }
                None => (Cow::Borrowed("$"), 0),
            },
            _ => (Cow::Borrowed("$"), 0),
        };
        result.push_str(&replacement);
        rest = &after[length..];
    }
    result.push_str(rest);
    result
}

/// The query that was asked with, and the one that the redirect has, which decides where both say something.
fn joined(asked: Option<&str>, own: Option<String>) -> Option<String> {
    let asked = asked.filter(|query| !query.is_empty());
    let Some(own) = own.filter(|query| !query.is_empty()) else {
        return asked.map(str::to_owned);
    };
    let name = |pair: &str| {
        let mut parsed = form_urlencoded::parse(pair.as_bytes());
        parsed.next().map(|(name, _)| name.into_owned())
    };
    let decided: Vec<Option<String>> = own.split('&').map(name).collect();
    let left = asked.into_iter().flat_map(|query| query.split('&'));
    let mut pairs: Vec<&str> = left.filter(|pair| !decided.contains(&name(pair))).collect();
    pairs.push(&own);
    Some(pairs.join("&"))
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

    fn target(from: &str, to: &str, address: &str) -> Option<String> {
        let redirect = redirect(from, to);
        redirect.check().unwrap();
        let (path, query) = match address.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (address, None),
        };
        let redirects = Redirects::compile(&[redirect]).unwrap();
        redirects.find(path, query).map(|target| target.location)
    }

    #[test]
    fn addresses_lead_where_they_do_in_ghost() {
        for (from, to, address, location) in [
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
            let found = target(from, to, address);
            assert_eq!(found.as_deref(), location, "{from} to {to} at {address}");
        }
    }

    #[test]
    fn what_begins_with_two_slashes_does_not_lead_to_another_site() {
        for address in ["//evil.example/old/", "/\\evil.example/old/"] {
            let location = target("/old/", "/new/", address).unwrap();
            assert!(
                !location.starts_with("//") && !location.starts_with("/\\"),
                "{location}"
            );
        }
        assert_eq!(target("tidy", "/tidied/", "/tidy").unwrap(), "/tidied/");
    }

    #[test]
    fn letters_that_are_not_ascii_are_found_as_they_are_sent() {
        for address in ["/caf%C3%A9/", "/caf%c3%a9"] {
            assert_eq!(
                target("^/café/", "/kaffee ü/", address).unwrap(),
                "/kaffee%20%C3%BC/"
            );
        }
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
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
        // Nor does what was captured lead to another site.
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
    fn many_are_tried_at_once_and_the_first_decides() {
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
