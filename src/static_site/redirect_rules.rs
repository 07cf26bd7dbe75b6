//! The redirects of a site in forms that static hosts support: a path, a path with variables, or a regular expression.

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::domain::redirect::Redirect;

/// The ASCII characters to encode in URLs of a redirect file. `%` is excluded, because the URLs are already encoded.
pub const ENCODED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`');

/// The paths to which a rule applies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathSet {
    /// A single path, with or without a slash at its end.
    One(String),
    /// The paths with any one segment between these texts.
    Segment { before: String, after: String },
    /// The paths with any `count` segments, at least two, between these texts.
    Segments {
        before: String,
        count: usize,
        after: String,
    },
    /// The paths that begin with this text.
    Below(String),
    /// The paths that match this regular expression.
    Matching(String),
}

/// A redirect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RedirectRule {
    pub from: PathSet,
    /// A path including the subdirectory of the site, or a URL. `$1` is the variable part, or a group of the
    /// expression.
    pub to: String,
    pub is_permanent: bool,
}

impl PathSet {
    /// Returns the paths with any segment in place of `variable`; a single path if `path` does not contain it.
    pub fn with_variable(path: &str, variable: &str) -> Self {
        match path.split_once(variable) {
            None => Self::One(path.to_owned()),
            Some((before, after)) => Self::Segment {
                before: before.to_owned(),
                after: after.to_owned(),
            },
        }
    }

    /// Prepends `top`, which is empty or has a leading and no trailing slash.
    #[must_use]
    pub fn below(self, top: &str) -> Self {
        match self {
            Self::One(path) => Self::One(format!("{top}{path}")),
            Self::Segment { before, after } => Self::Segment {
                before: format!("{top}{before}"),
                after,
            },
            Self::Segments {
                before,
                count,
                after,
            } => Self::Segments {
                before: format!("{top}{before}"),
                count,
                after,
            },
            Self::Below(path) => Self::Below(format!("{top}{path}")),
            // The expression already contains the subdirectory: see `paths_of`.
            Self::Matching(expression) => Self::Matching(expression),
        }
    }

    /// Returns whether the set contains a decoded path. Regular expressions are not evaluated.
    pub fn has(&self, path: &str) -> bool {
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy();
        let trimmed = path.trim_end_matches('/');
        match self {
            Self::One(own) => decoded(own.trim_end_matches('/')) == trimmed,
            Self::Segment { before, after } => {
                let rest = trimmed.strip_prefix(&*decoded(before));
                let segment = rest.and_then(|rest| rest.strip_suffix(after.trim_end_matches('/')));
                segment.is_some_and(|segment| !segment.is_empty() && !segment.contains('/'))
            }
            Self::Segments {
                before,
                count,
                after,
            } => {
                let rest = trimmed.strip_prefix(&*decoded(before));
                let segments = rest.and_then(|rest| rest.strip_suffix(after.trim_end_matches('/')));
                segments.is_some_and(|segments| {
                    let mut segments = segments.split('/');
                    segments.clone().count() == *count
                        && segments.all(|segment| !segment.is_empty())
                })
            }
            Self::Below(own) => path.starts_with(&*decoded(own)),
            Self::Matching(_) => false,
        }
    }

    /// Returns the regular expression for the paths, which servers match against decoded paths.
    pub fn expression(&self) -> String {
        let escaped = |path: &str| {
            let decoded = percent_decode_str(path).decode_utf8_lossy();
            escape_regex(&decoded)
        };
        match self {
            Self::One(path) if path == "/" => "^/$".to_owned(),
            Self::One(path) => format!("^{}/?$", escaped(path.trim_end_matches('/'))),
            Self::Segment { before, after } => {
                let after = escaped(after.trim_end_matches('/'));
                format!("^{}([^/]+){after}/?$", escaped(before))
            }
            Self::Segments {
                before,
                count,
                after,
            } => {
                let segments = vec!["([^/]+)"; *count].join("/");
                let after = escaped(after.trim_end_matches('/'));
                format!("^{}{segments}{after}/?$", escaped(before))
            }
            Self::Below(path) => format!("^{}(.*)$", escaped(path)),
            Self::Matching(expression) => expression.clone(),
        }
    }
}

impl RedirectRule {
    /// Returns the rule for a redirect of the site's owner. `None` if static hosts cannot express it: its target is relative or
    /// refers to a group other than by number, or it contains characters with a meaning in configuration files.
    pub fn of_owner(redirect: &Redirect, top: &str) -> Option<Self> {
        let is_plain = |text: &str| {
            !text.contains(|character: char| character.is_control() || character == '"')
                && !text.ends_with('\\')
        };
        // A line break or quote would end the directive, and the rest of the redirect would
        // configure the host.
        if !is_plain(&redirect.from) || !is_plain(&redirect.to) || !has_usual_groups(&redirect.to) {
            return None;
        }
        Some(Self {
            from: paths_of(&redirect.from, &redirect.to, top)?,
            to: target(&redirect.to, top)?,
            is_permanent: redirect.permanent,
        })
    }

    /// Returns equivalent rules whose targets have no empty segments, as on the server. This matters if the last group of an
    /// expression may be empty, or may begin or end with slashes next to those of the target.
    pub fn with_single_slashes(self) -> Vec<Self> {
        let Some((beginning, group)) = self.beginning_of_rest() else {
            return vec![self];
        };
        let with = |expression: String, to: String| Self {
            from: PathSet::Matching(expression),
            to,
            is_permanent: self.is_permanent,
        };
        if !self.to.contains(&format!("{group}/")) {
            // If the expression before the group ends with a slash, the group does not begin with one.
            return match beginning.strip_suffix('/') {
                Some(_) => vec![self.clone()],
                None => vec![with(format!("{beginning}/*(.*)$"), self.to.clone())],
            };
        }
        let beginning = beginning.trim_end_matches('/');
        // Two rules: an empty rest must not leave two slashes, and a rest must have none at its
        // ends.
        let none = self.to.replace(&format!("/{group}/"), "/");
        let none = none.replace(&group, "");
        vec![
            with(format!("{beginning}/*$"), none),
            with(format!("{beginning}/*(.*[^/])/*$"), self.to.clone()),
        ]
    }

    /// Returns the expression before its last group, and the reference to the group. `None` unless the group matches the rest of
    /// the path and follows a slash in the target.
    fn beginning_of_rest(&self) -> Option<(&str, String)> {
        let PathSet::Matching(expression) = &self.from else {
            return None;
        };
        let expression = expression.strip_suffix('$')?;
        let expression = expression.strip_suffix("/?").unwrap_or(expression);
        let beginning = expression.strip_suffix("(.*)")?;
        let is_simple = !beginning.contains(['[', '|']) && !beginning.contains("(?<");
        if !is_simple || !self.to.starts_with('/') {
            return None;
        }
        let group = format!("${}", group_count(beginning) + 1);
        let is_behind_slash = self.to.matches(&group).count() > 0
            && self.to.matches(&group).count() == self.to.matches(&format!("/{group}")).count();
        is_behind_slash.then_some((beginning, group))
    }

    /// Returns the rule for a single path of the site; `to` is a path of the site or a URL.
    pub fn of_path(from: &str, to: &str, is_permanent: bool, top: &str) -> Option<Self> {
        Some(Self {
            from: PathSet::One(format!("{top}{from}")),
            // A `$` in a path is not a reference to a group.
            to: target(&to.replace('$', "%24"), top)?,
            is_permanent,
        })
    }
}

/// Returns the number of groups in a regular expression without character classes and named groups.
fn group_count(expression: &str) -> usize {
    let mut groups = 0;
    let mut characters = expression.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            // `(?:` and the like do not capture.
            '(' if characters.peek() != Some(&'?') => groups += 1,
            _ => {}
        }
    }
    groups
}

/// Returns whether every `$` in a target is followed by the number of a group.
fn has_usual_groups(to: &str) -> bool {
    let mut after = to.split('$').skip(1);
    after.all(|rest| rest.starts_with(|character: char| ('1'..='9').contains(&character)))
}

/// Returns a target including the subdirectory of the site; `None` if it is relative to the requested path. A target without a
/// scheme, `//b.example`, becomes an https URL, because hosts would interpret it as a path.
fn target(to: &str, top: &str) -> Option<String> {
    let encoded = utf8_percent_encode(to, ENCODED);
    if to.starts_with("//") {
        Some(format!("https:{encoded}"))
    } else if to.starts_with('/') {
        Some(format!("{top}{encoded}"))
    } else if to.starts_with("https://") || to.starts_with("http://") {
        Some(encoded.to_string())
    } else {
        None
    }
}

/// Returns the paths that match the source of an owner's redirect, which is a regular expression.
///
/// Unlike on the server, an expression that begins with a slash is anchored at the start of the path.
fn paths_of(from: &str, to: &str, top: &str) -> Option<PathSet> {
    // Ghost accepts the form of a JavaScript expression, `/…/i`, for sources that ignore case.
    let inner = from.strip_prefix('/');
    let inner = inner.and_then(|rest| rest.strip_suffix("/i"));
    let (flags, from) = match inner.filter(|inner| !inner.is_empty()) {
        Some(inner) => ("(?i)", inner),
        None => ("", from),
    };
    let (from, is_anchored) = match from.strip_prefix('^') {
        Some(rest) => (rest, true),
        None => (from, from.starts_with('/')),
    };
    // Plain paths need no expression, which Netlify and Cloudflare Pages do not support.
    if flags.is_empty() && is_anchored {
        let text = from.strip_suffix('$').unwrap_or(from);
        if let Some(path) = literal(text) {
            return Some(PathSet::One(format!("{top}{path}")));
        }
        let beginning = text.strip_suffix("(.*)").and_then(literal);
        let is_simple = !to.contains('$') || to.ends_with("$1") && to.matches('$').count() == 1;
        // Otherwise, a slash of the path would follow the slash of the target.
        let is_simple = is_simple && (text.ends_with("/(.*)") || !to.ends_with("/$1"));
        if let Some(path) = beginning.filter(|_| is_simple) {
            return Some(PathSet::Below(format!("{top}{path}")));
        }
    }
    // Without an anchor at its end, a source matches with and without a slash there, as on the
    // server.
    let ends = from.ends_with('$') && !from.ends_with("\\$");
    let from = match from.strip_suffix('/') {
        Some(rest) if !ends => rest,
        _ => from,
    };
    let end = if ends { "" } else { "/?$" };
    let begin = match (
        is_anchored,
        from.starts_with('/') || from.starts_with("\\/"),
    ) {
        (true, true) => format!("^{}", escape_regex(top)),
        // Without a slash at the start, as in `^(/a|/b)`, there is no position for the
        // subdirectory.
        (true, false) => "^".to_owned(),
        (false, _) => String::new(),
    };
    let expression = format!("{flags}{begin}{from}{end}");
    Some(PathSet::Matching(expression))
}

/// Returns a regular expression that matches only this text.
pub fn escape_regex(text: &str) -> String {
    let mut expression = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_ascii_punctuation() && !"/-_~%".contains(character) {
            expression.push('\\');
        }
        expression.push(character);
    }
    expression
}

/// Returns the path that a regular expression matches; `None` if it matches several paths. A dot is interpreted literally.
fn literal(expression: &str) -> Option<String> {
    let mut path = String::new();
    let mut characters = expression.chars();
    while let Some(character) = characters.next() {
        let is_of_path =
            |c: char| c.is_alphanumeric() || matches!(c, '/' | '-' | '_' | '.' | '~' | '%' | ' ');
        match character {
            '\\' => {
                let escaped = characters.next()?;
                // Escapes such as `\d` are character classes.
                if escaped.is_alphanumeric() {
                    return None;
                }
                path.push(escaped);
            }
            character if is_of_path(character) => path.push(character),
            _ => return None,
        }
    }
    // Other expressions match in the middle of paths.
    path.starts_with('/').then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(from: &str, to: &str) -> Option<(String, String)> {
        let redirect = Redirect {
            from: from.to_owned(),
            to: to.to_owned(),
            permanent: true,
        };
        let rule = RedirectRule::of_owner(&redirect, "/blog")?;
        let from = match &rule.from {
            PathSet::One(path) => path.clone(),
            PathSet::Below(path) => format!("{path}*"),
            other => other.expression(),
        };
        Some((from, rule.to))
    }

    #[test]
    fn sources_are_paths_where_that_is_the_same() {
        for (from, to, expected) in [
            ("/gone", "/new/", Some(("/blog/gone", "/blog/new/"))),
            ("^/gone/$", "/new/", Some(("/blog/gone/", "/blog/new/"))),
            (
                "^\\/a\\.html",
                "https://b.example/",
                Some(("/blog/a.html", "https://b.example/")),
            ),
            (
                "^/old/(.*)",
                "/new/$1",
                Some(("/blog/old/*", "/blog/new/$1")),
            ),
            (
                "^/(\\d+)/(.*)$",
                "/p/$2/$1",
                Some(("^/blog/(\\d+)/(.*)$", "/blog/p/$2/$1")),
            ),
            (
                "/^\\/tidy/i",
                "/t/",
                Some(("(?i)^/blog\\/tidy/?$", "/blog/t/")),
            ),
            ("tidy", "/t/", Some(("tidy/?$", "/blog/t/"))),
            ("/near/", "relative", None),
            ("/named/(?<a>b)", "/$<a>", None),
            ("/\"", "/a/", None),
            (
                "^/old(.*)",
                "/new/$1",
                Some(("^/blog/old(.*)/?$", "/blog/new/$1")),
            ),
            ("/a/", "/b\\", None),
        ] {
            let found = rule(from, to);
            let found = found
                .as_ref()
                .map(|(from, to)| (from.as_str(), to.as_str()));
            assert_eq!(found, expected, "{from} to {to}");
        }
    }

    #[test]
    fn escaped_and_non_capturing_parentheses_are_not_groups() {
        for (expression, count) in [("/a\\(?b/", 0), ("/(a)\\)(?:b)/(c(d))", 3), ("/\\\\(a)", 1)] {
            assert_eq!(group_count(expression), count, "{expression}");
        }
    }

    #[test]
    fn rest_of_a_path_has_no_slashes_beside_those_of_the_target() {
        let split = |from: &str, to: &str| -> Vec<(String, String)> {
            let redirect = Redirect {
                from: from.to_owned(),
                to: to.to_owned(),
                permanent: true,
            };
            let rule = RedirectRule::of_owner(&redirect, "").unwrap();
            let rules = rule.with_single_slashes().into_iter();
            rules
                .map(|rule| (rule.from.expression(), rule.to))
                .collect()
        };
        let rules = |rules: &[(&str, &str)]| -> Vec<(String, String)> {
            let rules = rules.iter();
            rules
                .map(|(from, to)| ((*from).to_owned(), (*to).to_owned()))
                .collect()
        };
        for (from, to, expected) in [
            (
                "^/old/(.*)/?$",
                "/foo/$1/",
                &[("^/old/*$", "/foo/"), ("^/old/*(.*[^/])/*$", "/foo/$1/")][..],
            ),
            (
                "^/(\\d+)/(.*)$",
                "/$1/$2/",
                &[
                    ("^/(\\d+)/*$", "/$1/"),
                    ("^/(\\d+)/*(.*[^/])/*$", "/$1/$2/"),
                ],
            ),
            ("^/old(.*)$", "/new/$1", &[("^/old/*(.*)$", "/new/$1")]),
            ("^/old/(.*)", "/new/$1", &[("^/old/(.*)$", "/new/$1")]),
            ("^/old(.*)$", "/new$1", &[("^/old(.*)$", "/new$1")]),
        ] {
            assert_eq!(split(from, to), rules(expected), "{from} to {to}");
        }
    }

    #[test]
    fn several_segments_are_those_of_a_record() {
        let paths = PathSet::Segments {
            before: "/blog/".to_owned(),
            count: 2,
            after: "/amp/".to_owned(),
        };
        assert_eq!(paths.expression(), "^/blog/([^/]+)/([^/]+)/amp/?$");
        assert!(paths.has("/blog/2026/a/amp/"));
        for other in ["/blog/a/amp/", "/blog/2026/03/a/amp/", "/blog/2026/a/"] {
            assert!(!paths.has(other), "{other}");
        }
    }

    #[test]
    fn expressions_are_of_decoded_paths_with_or_without_a_slash() {
        let segment = PathSet::Segment {
            before: "/tag/".to_owned(),
            after: "/feed/".to_owned(),
        };
        for (paths, path, expression) in [
            (PathSet::One("/caf%C3%A9/".to_owned()), "/café", "^/café/?$"),
            (PathSet::One("/a.b/".to_owned()), "/a.b/", "^/a\\.b/?$"),
            (PathSet::One("/".to_owned()), "/", "^/$"),
            (
                PathSet::Below("/old/".to_owned()),
                "/old/x/y",
                "^/old/(.*)$",
            ),
            (segment, "/tag/sea/feed", "^/tag/([^/]+)/feed/?$"),
        ] {
            assert_eq!(paths.expression(), expression);
            assert!(paths.has(path), "{paths:?}");
            assert!(!paths.has("/a/b/"), "{paths:?}");
        }
    }
}
