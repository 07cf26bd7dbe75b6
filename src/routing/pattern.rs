//! Paths with variables, which match requested paths and are expanded for records.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// Characters in a routes file that must be encoded in a URL. Characters outside of ASCII are encoded too.
const UNSAFE: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>');

/// A path with variables, such as `/{year}/{slug}/`.
#[derive(Debug)]
pub struct Pattern {
    segments: Vec<Segment>,
}

/// The part of a path between two slashes.
#[derive(Debug)]
struct Segment {
    parts: Vec<PatternElement>,
    /// Whether the value of a variable, except the last one, must not contain a hyphen.
    ends_at_hyphens: bool,
}

#[derive(Debug)]
enum PatternElement {
    Text(String),
    Variable(Variable),
}

/// A variable of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The slug.
    Slug,
    /// The ID.
    Id,
    /// The year of publication, with four digits.
    Year,
    /// The month of publication, with two digits.
    Month,
    /// The day of publication, with two digits.
    Day,
    /// The slug of the first author.
    Author,
    /// The slug of the first author, or `all`.
    PrimaryAuthor,
    /// The slug of the first tag if that is public, or `all`.
    PrimaryTag,
    /// An unknown variable.
    Unknown,
}

/// The values of the variables in a requested path that identify a record.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Captures {
    /// The slug.
    pub slug: Option<String>,
    /// The ID.
    pub id: Option<String>,
}

/// A requested path, split into decoded segments.
pub struct RequestedPath<'p> {
    /// The path as requested.
    pub raw: &'p str,
    /// The segments between slashes.
    pub segments: Vec<Cow<'p, str>>,
}

impl<'p> RequestedPath<'p> {
    /// Splits a path that begins and ends with a slash; `None` if it does not, or is not percent-encoded UTF-8.
    pub fn of(raw: &'p str) -> Option<Self> {
        let decode = |segment: &'p str| percent_decode_str(segment).decode_utf8().ok();
        let segments = match raw.strip_prefix('/')? {
            "" => Vec::new(),
            rest => {
                // The path is split before it is decoded: an encoded slash (`%2F`) belongs to its
                // segment.
                let segments = rest.strip_suffix('/')?.split('/');
                segments.map(decode).collect::<Option<_>>()?
            }
        };
        Some(Self { raw, segments })
    }

    /// Returns the first `count` segments as requested, including the slashes around them.
    pub fn beginning(&self, count: usize) -> &'p str {
        let mut slashes = self.raw.match_indices('/');
        slashes
            .nth(count)
            .map_or(self.raw, |(end, _)| &self.raw[..=end])
    }
}

/// Percent-encodes the characters of a path that a URL must not contain.
pub fn encoded(path: &str) -> String {
    utf8_percent_encode(path, UNSAFE).to_string()
}

impl Variable {
    fn named(name: &str) -> Self {
        match name {
            "slug" => Self::Slug,
            "id" => Self::Id,
            "year" => Self::Year,
            "month" => Self::Month,
            "day" => Self::Day,
            "author" => Self::Author,
            "primary_author" => Self::PrimaryAuthor,
            "primary_tag" => Self::PrimaryTag,
            _ => Self::Unknown,
        }
    }
}

impl Pattern {
    /// Parses a permalink, whose variables are in braces.
    pub fn of_permalink(path: &str) -> Self {
        Self::new(path, braced)
    }

    /// Parses the path of a route or collection, whose variables follow colons.
    pub fn of_route(path: &str) -> Self {
        Self::new(path, after_colon)
    }

    fn new(path: &str, next_variable: NextVariable) -> Self {
        let segments = path.split('/').filter(|segment| !segment.is_empty());
        Self {
            segments: segments
                .map(|segment| Segment::new(segment, next_variable))
                .collect(),
        }
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.segments.len()
    }

    /// Returns whether the pattern contains a variable.
    pub fn has_variables(&self) -> bool {
        !self.has_only(&[])
    }

    /// Returns whether the pattern contains no variables other than `variables`.
    pub fn has_only(&self, variables: &[Variable]) -> bool {
        let mut parts = self.segments.iter().flat_map(|segment| &segment.parts);
        parts.all(|part| match part {
            PatternElement::Text(_) => true,
            PatternElement::Variable(variable) => variables.contains(variable),
        })
    }

    /// Matches as many segments at the start of a path as the pattern has.
    pub fn matched_beginning(&self, path: &RequestedPath) -> Option<Captures> {
        let segments = path.segments.get(..self.len())?;
        let mut captures = Captures::default();
        for (own, requested) in self.segments.iter().zip(segments) {
            own.capture(requested, &mut captures)?;
        }
        Some(captures)
    }

    /// Returns whether the whole path matches.
    pub fn is_at(&self, path: &RequestedPath) -> bool {
        path.segments.len() == self.len() && self.matched_beginning(path).is_some()
    }

    /// Returns the path with its variables replaced by values.
    pub fn filled(&self, value: impl Fn(Variable) -> String) -> String {
        let mut path = String::from("/");
        for segment in &self.segments {
            for part in &segment.parts {
                match part {
                    PatternElement::Text(text) => path.extend(utf8_percent_encode(text, UNSAFE)),
                    PatternElement::Variable(variable) => path.push_str(&value(*variable)),
                }
            }
            path.push('/');
        }
        path
    }
}

/// Finds the next variable in a text: its range and its name.
type NextVariable = fn(&str) -> Option<(usize, usize, &str)>;

fn braced(text: &str) -> Option<(usize, usize, &str)> {
    let mut openings = text.match_indices('{');
    openings.find_map(|(start, _)| {
        let name = name_at(&text[start + 1..]);
        let end = start + 1 + name.len();
        // Braces around anything but a name are text.
        (!name.is_empty() && text[end..].starts_with('}')).then_some((start, end + 1, name))
    })
}

fn after_colon(text: &str) -> Option<(usize, usize, &str)> {
    let mut colons = text.match_indices(':');
    colons.find_map(|(start, _)| {
        let name = name_at(&text[start + 1..]);
        // A colon without a name, as in a time, is text.
        (!name.is_empty()).then_some((start, start + 1 + name.len(), name))
    })
}

fn name_at(text: &str) -> &str {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let end = text.bytes().position(|byte| !is_of_name(byte));
    &text[..end.unwrap_or(text.len())]
}

impl Segment {
    fn new(text: &str, next_variable: NextVariable) -> Self {
        let (mut parts, mut rest) = (Vec::new(), text);
        while let Some((start, end, name)) = next_variable(rest) {
            if start > 0 {
                parts.push(PatternElement::Text(rest[..start].to_owned()));
            }
            parts.push(PatternElement::Variable(Variable::named(name)));
            rest = &rest[end..];
        }
        if !rest.is_empty() {
            parts.push(PatternElement::Text(rest.to_owned()));
        }
        Self {
            parts,
            ends_at_hyphens: text.contains('-'),
        }
    }

    /// Matches a whole segment of a path. Each variable matches as few characters as possible, at least one, and the last one
    /// matches the rest, so matching never backtracks.
    fn capture(&self, requested: &str, captures: &mut Captures) -> Option<()> {
        let mut rest = requested;
        for (index, part) in self.parts.iter().enumerate() {
            let variable = match part {
                PatternElement::Text(text) => {
                    // Text after a variable has been matched together with the variable.
                    if index == 0 {
                        rest = without_beginning(rest, text)?;
                    }
                    continue;
                }
                PatternElement::Variable(variable) => *variable,
            };
            let is_last = !self.parts[index + 1..]
                .iter()
                .any(|part| matches!(part, PatternElement::Variable(_)));
            let following = match self.parts.get(index + 1) {
                Some(PatternElement::Text(text)) => text,
                _ => "",
            };
            let (value, behind) = if is_last {
                (without_end(rest, following)?, "")
            } else {
                split_at_text(rest, following)?
            };
            let crosses_hyphen = self.ends_at_hyphens && !is_last && value.contains('-');
            // In a segment such as `{year}-{slug}`, only the last variable may contain hyphens;
            // otherwise, the boundary would be ambiguous.
            if value.is_empty() || crosses_hyphen {
                return None;
            }
            captures.put(variable, value);
            rest = behind;
        }
        rest.is_empty().then_some(())
    }
}

impl Captures {
    fn put(&mut self, variable: Variable, value: &str) {
        match variable {
            Variable::Slug => self.slug = Some(value.to_owned()),
            Variable::Id => self.id = Some(value.to_owned()),
            _ => {}
        }
    }
}

/// Removes a prefix, ignoring case.
fn without_beginning<'t>(text: &'t str, beginning: &str) -> Option<&'t str> {
    // `get` also refuses an end within a character: the lengths are those of other texts.
    let found = text.get(..beginning.len())?;
    found
        .eq_ignore_ascii_case(beginning)
        .then(|| &text[beginning.len()..])
}

/// Removes a suffix, ignoring case.
fn without_end<'t>(text: &'t str, end: &str) -> Option<&'t str> {
    let start = text.len().checked_sub(end.len())?;
    let found = text.get(start..)?;
    found.eq_ignore_ascii_case(end).then(|| &text[..start])
}

/// Splits a text at a separator, ignoring case. At least one character must precede the separator.
fn split_at_text<'t>(text: &'t str, separator: &str) -> Option<(&'t str, &'t str)> {
    // The first character is skipped, because a variable matches at least one.
    let mut starts = text.char_indices().skip(1).map(|(start, _)| start);
    starts.find_map(|start| {
        let behind = without_beginning(&text[start..], separator)?;
        Some((&text[..start], behind))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn captured(pattern: &str, path: &str) -> Option<(Option<String>, Option<String>)> {
        let path = RequestedPath::of(path)?;
        let pattern = Pattern::of_permalink(pattern);
        let captures = pattern.matched_beginning(&path)?;
        (pattern.len() == path.segments.len()).then_some((captures.slug, captures.id))
    }

    #[test]
    fn variables_capture_what_is_between_their_texts() {
        let slug = |slug: &str| Some((Some(slug.to_owned()), None));
        for (pattern, path, expected) in [
            ("/{slug}/", "/a-b/", slug("a-b")),
            ("/{slug}/", "/a%2Db/", slug("a-b")),
            ("/{slug}/", "/", None),
            ("/{slug}/", "/a/b/", None),
            ("/Blog/{year}/{slug}/", "/blog/2026/a/", slug("a")),
            ("/{year}-{month}-{slug}/", "/2026-03-a-b/", slug("a-b")),
            ("/{year}-{slug}/", "/2026/", None),
            ("/{slug}-{year}/", "/a-b-2026/", slug("a")),
            ("/{slug}.html/", "/a.html.html/", slug("a.html")),
            ("/{slug}.html/", "/.html/", None),
            ("/p{slug}/", "/q/", None),
            (
                "/{id}/{slug}/",
                "/ab/c/",
                Some((Some("c".to_owned()), Some("ab".to_owned()))),
            ),
        ] {
            assert_eq!(captured(pattern, path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn filled_patterns_are_paths() {
        let fill = |pattern: &str| {
            Pattern::of_permalink(pattern).filled(|variable| format!("{variable:?}"))
        };
        assert_eq!(fill("/"), "/");
        assert_eq!(fill("/über/{slug}-{x}/"), "/%C3%BCber/Slug-Unknown/");
        assert_eq!(fill("/{slug/{}/"), "/{slug/{}/");
    }

    #[test]
    fn beginnings_of_paths_end_with_a_slash() {
        let path = RequestedPath::of("/a%20b/page/2/").unwrap();
        assert_eq!(path.beginning(0), "/");
        assert_eq!(path.beginning(1), "/a%20b/");
        assert_eq!(path.beginning(3), "/a%20b/page/2/");
    }
}
