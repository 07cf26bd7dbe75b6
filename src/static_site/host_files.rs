//! The files that configure hosts for pages: redirects for Netlify and Cloudflare Pages; redirects, media types and the page for
//! missing paths for nginx and Apache.

use percent_encoding::{percent_decode_str, utf8_percent_encode};

use super::{
    header_lines::{HEADERS, PathType},
    manifest,
    redirect_rules::{ENCODED, PathSet, RedirectRule, escape_regex},
};
use crate::static_site::error::listed;

/// The redirects file of Netlify and Cloudflare Pages.
const REDIRECTS: &str = "_redirects";

/// The file for a `server` block of nginx.
const NGINX: &str = "nginx-site.conf";

/// The file for Apache, the only hidden file of a build except for the manifest.
pub const APACHE: &str = ".htaccess";

/// The files in the top folder of a build that are not for readers.
const NOT_FOR_READERS: [&str; 5] = [NGINX, APACHE, REDIRECTS, HEADERS, manifest::FILE];

/// Maximum number of redirects that Cloudflare Pages reads: for single paths, and with variables.
const CLOUDFLARE_RULES_MAX: (usize, usize) = (2_000, 100);

/// The rules for a site with pages.
pub struct HostRules<'a> {
    pub redirects: &'a [RedirectRule],
    pub types: &'a [PathType],
    /// The path of the page for paths that do not exist.
    pub missing_page: &'a str,
}

impl HostRules<'_> {
    /// Returns the files, with their paths.
    pub fn files(&self) -> Vec<(&'static str, String)> {
        vec![
            (REDIRECTS, self.redirects_file()),
            (NGINX, self.nginx()),
            (APACHE, self.apache()),
        ]
    }

    fn redirects_file(&self) -> String {
        self.redirects.iter().flat_map(lines).collect()
    }

    fn nginx(&self) -> String {
        let head = format!(
            "# In a `server` block of nginx: include /PATH/{NGINX};\nerror_page 404 {};\n",
            self.missing_page
        );
        let denied =
            NOT_FOR_READERS.map(|file| format!("location = /{file} {{\n    return 404;\n}}\n"));
        let head = head + &denied.concat();
        let redirect = |rule: &RedirectRule, from: &str| {
            let flag = if rule.is_permanent {
                "permanent"
            } else {
                "redirect"
            };
            // nginx requires quotes around expressions with braces.
            format!("rewrite \"{from}\" \"{}\" {flag};\n", rule.to)
        };
        let media_type = |paths: &str, content_type: &str| {
            format!(
                "location ~ \"{paths}\" {{\n    types {{ }}\n    default_type \"{content_type}\";\n}}\n"
            )
        };
        head + &self.rules(redirect, media_type)
    }

    fn apache(&self) -> String {
        let denied = NOT_FOR_READERS.map(|file| escape_regex(&format!("/{file}")));
        let head = format!(
            "ErrorDocument 404 {}\nRedirectMatch 404 \"^({})$\"\n",
            self.missing_page,
            denied.join("|")
        );
        let redirect = |rule: &RedirectRule, from: &str| {
            // A target that cannot be written exactly is written as it is, with a remark.
            let to = target_of_apache(&rule.to);
            let to = to.as_deref().unwrap_or(&rule.to);
            format!("RedirectMatch {} \"{from}\" \"{to}\"\n", status(rule))
        };
        let media_type = |paths: &str, content_type: &str| {
            format!(
                "<If \"%{{REQUEST_URI}} =~ m#{paths}#\">\n    ForceType \"{content_type}\"\n</If>\n"
            )
        };
        head + &self.rules(redirect, media_type)
    }

    /// Returns the redirects and media types for a server that matches paths with regular expressions.
    fn rules(
        &self,
        redirect: impl Fn(&RedirectRule, &str) -> String,
        media_type: impl Fn(&str, &str) -> String,
    ) -> String {
        let redirects = self.redirects.iter();
        // The order is that of precedence: both servers use the first expression that matches.
        let redirects = redirects.map(|rule| redirect(rule, &rule.from.expression()));
        let types = self.types.iter();
        let types = types.map(|of| media_type(&with_index(&of.paths), &of.content_type));
        redirects.chain(types).collect()
    }
}

/// Returns remarks on redirects that a host does not support.
pub fn remarks(redirects: &[RedirectRule]) -> Vec<String> {
    let (mut single, mut variable, mut unknown) = (0, 0, Vec::new());
    for rule in redirects {
        match &rule.from {
            // Most single paths have two lines, and the limit of Cloudflare counts lines.
            PathSet::One(_) => single += lines(rule).len(),
            PathSet::Segment { .. } | PathSet::Segments { .. } | PathSet::Below(_) => variable += 1,
            PathSet::Matching(expression) => unknown.push(expression.clone()),
        }
    }
    let mut remarks = Vec::new();
    if !unknown.is_empty() {
        remarks.push(format!(
            "{REDIRECTS} cannot contain redirects with regular expressions, which nginx and Apache support: {}",
            listed(&unknown)
        ));
    }
    let encoded_twice = redirects
        .iter()
        .filter(|rule| target_of_apache(&rule.to).is_none());
    let encoded_twice: Vec<String> = encoded_twice.map(|rule| rule.to.clone()).collect();
    if !encoded_twice.is_empty() {
        remarks.push(format!(
            "Apache encodes the paths of these redirect targets twice: {}",
            listed(&encoded_twice)
        ));
    }
    let (single_max, variable_max) = CLOUDFLARE_RULES_MAX;
    if single > single_max || variable > variable_max {
        remarks.push(format!(
            "{REDIRECTS} has {} lines; Cloudflare Pages reads at most {single_max} for single paths and {variable_max} others",
            single + variable
        ));
    }
    remarks
}

/// Returns a target in the form that Apache expects: Apache encodes the path itself, but not the query. `None` if the path cannot
/// be decoded because it contains a character that would end the path.
fn target_of_apache(to: &str) -> Option<String> {
    // Only the path is decoded, not the host.
    let host = to.find("://").map_or(0, |scheme| scheme + "://".len());
    let path = host + to[host..].find('/').unwrap_or(to.len() - host);
    let end = path + to[path..].find(['?', '#']).unwrap_or(to.len() - path);
    let mut decoded = to[..path].to_owned();
    for segment in to[path..end].split_inclusive('/') {
        // The `$` of a group number stays; any other `$` is still encoded here.
        for (index, part) in segment.split('$').enumerate() {
            if index > 0 {
                decoded.push('$');
            }
            let part_decoded = percent_decode_str(part).decode_utf8().ok()?;
            let slashes = |text: &str| text.matches('/').count();
            // Decoded, these characters would end the path or add a segment.
            if part_decoded.contains(|c: char| c.is_control() || matches!(c, '?' | '#'))
                || slashes(&part_decoded) != slashes(part)
            {
                return None;
            }
            for character in part_decoded.chars() {
                match character {
                    // A backslash is an escape twice: in the quoted string, and in the
                    // substitution.
                    '\\' => decoded.push_str("\\\\\\\\"),
                    '"' => decoded.push_str("\\\""),
                    '$' => decoded.push_str("\\$"),
                    character => decoded.push(character),
                }
            }
        }
    }
    decoded.push_str(&to[end..]);
    Some(decoded)
}

/// Returns the lines of a redirect for Netlify and Cloudflare Pages. Cloudflare Pages distinguishes paths with and without a
/// slash at the end, so most paths have two lines.
fn lines(rule: &RedirectRule) -> Vec<String> {
    let line = |from: &str, to: &str| {
        format!(
            "{} {to} {}\n",
            utf8_percent_encode(from, ENCODED),
            status(rule)
        )
    };
    match &rule.from {
        PathSet::One(path) => {
            // A path with an extension is that of a file, which has no form with a slash at the
            // end.
            let plain = path.trim_end_matches('/');
            let is_file = plain
                .rsplit('/')
                .next()
                .is_some_and(|name| name.contains('.'));
            match plain {
                "" => vec![line("/", &rule.to)],
                plain if is_file => vec![line(plain, &rule.to)],
                plain => vec![line(plain, &rule.to), line(&format!("{plain}/"), &rule.to)],
            }
        }
        PathSet::Segment { before, after } => {
            // These hosts refer to a variable by its name, not by a number.
            let to = rule.to.replace("$1", ":slug");
            vec![line(&format!("{before}:slug{after}"), &to)]
        }
        PathSet::Segments {
            before,
            count,
            after,
        } => {
            // Replace the largest number first, because `$1` is a prefix of `$10`.
            let numbers = (1..=*count).rev();
            let to = numbers.fold(rule.to.clone(), |to, number| {
                to.replace(&format!("${number}"), &format!(":part{number}"))
            });
            let parts: Vec<String> = (1..=*count)
                .map(|number| format!(":part{number}"))
                .collect();
            vec![line(&format!("{before}{}{after}", parts.join("/")), &to)]
        }
        PathSet::Below(path) => vec![line(&format!("{path}*"), &rule.to.replace("$1", ":splat"))],
        PathSet::Matching(_) => Vec::new(),
    }
}

fn status(rule: &RedirectRule) -> &'static str {
    if rule.is_permanent { "301" } else { "302" }
}

/// Returns the expression for paths and for the index files that servers find at them.
fn with_index(paths: &PathSet) -> String {
    let expression = paths.expression();
    let is_file = match paths {
        PathSet::One(path) | PathSet::Segment { after: path, .. } => !path.ends_with('/'),
        PathSet::Segments { .. } | PathSet::Below(_) | PathSet::Matching(_) => false,
    };
    match expression.strip_suffix("/?$") {
        Some(beginning) if is_file => format!("{beginning}$"),
        Some(beginning) => format!("{beginning}/(index\\.html)?$"),
        None => expression,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those with which Apache 2.4 redirects correctly.
    #[test]
    fn targets_of_apache_have_a_decoded_path_and_the_query_as_it_is() {
        for (to, expected) in [
            ("/about/", Some("/about/")),
            ("/caf%C3%A9%20x/", Some("/café x/")),
            ("/a%25b/$1", Some("/a%b/$1")),
            ("/cost%241/", Some("/cost\\$1/")),
            ("/a%22b", Some("/a\\\"b")),
            (
                "https://b.example/%C3%A9/?q=a%20b#f%20g",
                Some("https://b.example/é/?q=a%20b#f%20g"),
            ),
            ("https://b.example?q=%2F", Some("https://b.example?q=%2F")),
            ("/a%2Fb", None),
            ("/a%3Fb", None),
            ("/a%FF", None),
        ] {
            assert_eq!(target_of_apache(to).as_deref(), expected, "{to}");
        }
    }
}
