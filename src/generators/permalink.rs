//! Patterns of URLs: `/:year/:month/:title/`, the styles of Jekyll, and the slug rules of generators.

use jiff::civil::{Date, Weekday};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The URL settings of a project.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UrlRules {
    /// Patterns in order of precedence.
    pub patterns: Vec<PatternRule>,
    /// The pattern or the style of the whole site; empty without one.
    pub style: String,
    /// The pattern of the file names of new posts: `new_post_name` of Hexo.
    pub new_post_pattern: String,
    /// The styles of sections.
    pub styles: Vec<(String, String)>,
    /// The folder that paths are relative to, with a trailing slash: Eleventy's input.
    pub input: String,
    /// The path prefix of documents in the site's own language.
    pub prefix: String,
}

/// A pattern, and the documents that it applies to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatternRule {
    /// Their folder in the project; empty for all.
    pub folder: String,
    /// Their section, collection or kind; empty for all.
    pub kind: String,
    /// The pattern.
    pub pattern: String,
}

impl UrlRules {
    /// Returns the pattern of a document of this kind at `path`.
    pub fn pattern(&self, path: &str, kind: &str) -> Option<&str> {
        let is_below = |folder: &str| {
            folder.is_empty()
                || path
                    .strip_prefix(folder)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let fits = |rule: &&PatternRule| {
            (rule.kind.is_empty() || rule.kind == kind) && is_below(&rule.folder)
        };
        let rule = self.patterns.iter().find(fits)?;
        Some(&rule.pattern)
    }
}

impl UrlRules {
    /// Returns the style of the documents of a section; empty without one.
    pub fn style_of(&self, section: &str) -> &str {
        let mut styles = self.styles.iter();
        let own = styles.find(|(known, _)| known == section);
        own.map_or(&self.style, |(_, style)| style)
    }
}

/// Returns Jekyll's type of a document in `folders`: `posts`, another collection, or `pages`.
pub fn jekyll_kind<'f>(folders: &[&'f str]) -> &'f str {
    let is_of_posts = |folder: &&str| ["_posts", "_drafts"].contains(folder);
    let mut collections = folders.iter().filter_map(|folder| folder.strip_prefix('_'));
    if folders.iter().any(is_of_posts) {
        "posts"
    } else {
        collections.next().unwrap_or("pages")
    }
}

/// Replaces placeholders such as `:year` in a pattern. Returns `None` if a placeholder is unknown or if the pattern contains
/// other template syntax.
pub fn expand(pattern: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut path = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some(colon) = rest.find(':') {
        path.push_str(&rest[..colon]);
        rest = &rest[colon + 1..];
        let is_of_name = |character: char| character.is_ascii_lowercase() || character == '_';
        let mut length = rest
            .find(|character| !is_of_name(character))
            .unwrap_or(rest.len());
        if length == 0 {
            path.push(':');
            continue;
        }
        // A range in brackets is part of the name: `:sections[1:]`.
        if rest[length..].starts_with('[') {
            length += rest[length..].find(']')? + 1;
        }
        // A path with a value that only the generator knows would redirect
        // from a wrong URL, so there is no path.
        path.push_str(&value(&rest[..length])?);
        rest = &rest[length..];
    }
    path.push_str(rest);
    (!path.contains("{{") && !path.contains("{%")).then_some(path)
}

/// Replaces `{{ name }}` placeholders in a pattern. Returns `None` if a placeholder is unknown or if the pattern contains
/// other template syntax.
pub fn fill(pattern: &str, value: impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut path = String::with_capacity(pattern.len());
    let mut rest = pattern;
    while let Some((before, behind)) = rest.split_once("{{") {
        let (name, after) = behind.split_once("}}")?;
        path.push_str(before);
        path.push_str(&value(name.trim())?);
        rest = after;
    }
    path.push_str(rest);
    // The pattern is written in another template language or in JavaScript, so it is not a path.
    (!path.contains("{%") && !path.contains("${")).then_some(path)
}

/// Returns the value of a date placeholder.
pub fn date_part(name: &str, date: Date) -> Option<String> {
    let month = MONTHS[usize::try_from(date.month() - 1).ok()?];
    let weekday = match date.weekday() {
        Weekday::Monday => "Monday",
        Weekday::Tuesday => "Tuesday",
        Weekday::Wednesday => "Wednesday",
        Weekday::Thursday => "Thursday",
        Weekday::Friday => "Friday",
        Weekday::Saturday => "Saturday",
        Weekday::Sunday => "Sunday",
    };
    Some(match name {
        "year" => format!("{:04}", date.year()),
        "short_year" => format!("{:02}", date.year().rem_euclid(100)),
        "month" => format!("{:02}", date.month()),
        "i_month" => date.month().to_string(),
        "monthname" => month.to_lowercase(),
        "long_month" => month.to_owned(),
        "short_month" => month[..3].to_owned(),
        "day" => format!("{:02}", date.day()),
        "i_day" => date.day().to_string(),
        "y_day" => format!("{:03}", date.day_of_year()),
        "yearday" => date.day_of_year().to_string(),
        "weekday" => date.weekday().to_sunday_zero_offset().to_string(),
        "weekdayname" => weekday.to_lowercase(),
        "long_day" => weekday.to_owned(),
        "short_day" => weekday[..3].to_owned(),
        "week" => format!("{:02}", date.iso_week_date().week()),
        "w_year" => format!("{:04}", date.iso_week_date().year()),
        _ => return None,
    })
}

/// Returns the folders of a placeholder such as `sections[1:]`.
pub fn section_range(name: &str, folders: &[&str]) -> Option<String> {
    let range = name.strip_prefix("sections[")?.strip_suffix(']')?;
    let last = folders.len().checked_sub(1)?;
    let bound = |written: &str, default| match written.trim() {
        "" => Some(default),
        "last" => Some(last),
        number => number.parse::<usize>().ok(),
    };
    let (start, end) = match range.split_once(':') {
        Some((start, end)) => (bound(start, 0)?, bound(end, folders.len())?),
        None => {
            let index = bound(range, 0)?;
            (index, index + 1)
        }
    };
    Some(folders.get(start..end.min(folders.len()))?.join("/"))
}

/// Converts a name by Hugo's rule for paths: to lower-case letters of any language, with hyphens for spaces.
pub fn hugo_path(name: &str) -> String {
    let mut path = String::with_capacity(name.len());
    let mut wants_hyphen = false;
    for character in name.chars() {
        if character.is_alphanumeric() || "._+~@-".contains(character) {
            if std::mem::take(&mut wants_hyphen) && character != '-' {
                path.push('-');
            }
            path.extend(character.to_lowercase());
        } else if character.is_whitespace() && !path.is_empty() && !path.ends_with('-') {
            wants_hyphen = true;
        }
    }
    path
}

/// Converts a name by the rule of Jekyll's `:title`: letters are unchanged, and other characters become hyphens.
pub fn jekyll_title(name: &str) -> String {
    hyphenated(name, |character| {
        character.is_alphanumeric() || "._~!$&'()+,;=@".contains(character)
    })
}

/// Converts a name by the rule of Jekyll's `:slug`: to lower-case letters and digits, with hyphens for other characters.
pub fn jekyll_slug(name: &str) -> String {
    hyphenated(name, char::is_alphanumeric).to_lowercase()
}

fn hyphenated(name: &str, is_retained: impl Fn(char) -> bool) -> String {
    let mut parts = name.split(|character| !is_retained(character));
    let mut path = parts.next().unwrap_or_default().to_owned();
    for part in parts.filter(|part| !part.is_empty()) {
        if !path.is_empty() {
            path.push('-');
        }
        path.push_str(part);
    }
    path
}

/// Converts a name by the rule of GitHub's slugger, which Astro uses for collection entries.
pub fn github_slug(name: &str) -> String {
    let retained = name.chars().filter_map(|character| match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        character => character.is_alphanumeric().then_some(character),
    });
    retained.collect::<String>().to_lowercase()
}

/// Returns the pattern of one of Jekyll's styles. A pattern is returned unchanged.
pub fn jekyll_style<'p>(style: &'p str, kind: &str) -> &'p str {
    match style {
        _ if kind != "posts" => style,
        "date" => "/:categories/:year/:month/:day/:title.html",
        "pretty" => "/:categories/:year/:month/:day/:title/",
        "ordinal" => "/:categories/:year/:y_day/:title.html",
        "weekdate" => "/:categories/:year/W:week/:short_day/:title.html",
        "none" => "/:categories/:title.html",
        pattern => pattern,
    }
}

/// Returns the default pattern for documents of this kind on a site that uses `style` for its posts.
pub fn jekyll_default(style: &str, kind: &str, is_index: bool) -> String {
    let suffix = match style {
        "pretty" => "/",
        "date" | "ordinal" | "weekdate" | "none" => ".html",
        pattern if pattern.ends_with('/') => "/",
        pattern if pattern.ends_with(":output_ext") || pattern.ends_with(".html") => ".html",
        _ => "",
    };
    match kind {
        "posts" => jekyll_style(style, kind).to_owned(),
        "pages" if is_index => "/:path/".to_owned(),
        "pages" => format!("/:path/:basename{suffix}"),
        _ => format!("/:collection/:path{suffix}"),
    }
}

/// Returns the path of a post of Docusaurus: `2026/02/07/fog` for `2026-02-07-fog` and `2026/02/07-fog`.
pub fn docusaurus_post(path: &str) -> String {
    let bytes = path.as_bytes();
    let starts = std::iter::once(0).chain(path.match_indices('/').map(|(offset, _)| offset + 1));
    let is_separator = |byte: Option<&u8>| matches!(byte, Some(b'-' | b'/'));
    let is_number = |range: std::ops::Range<usize>| {
        let part = bytes.get(range);
        part.is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    // The date may begin the name or any of its folders.
    for start in starts {
        let is_date = is_number(start..start + 4)
            && is_separator(bytes.get(start + 4))
            && is_number(start + 5..start + 7)
            && is_separator(bytes.get(start + 7))
            && is_number(start + 8..start + 10);
        if is_date {
            let date = path[start..start + 10].replace('-', "/");
            let name = path[start + 10..].trim_start_matches(['-', '/']);
            return format!("{date}/{}{name}", &path[..start]);
        }
    }
    path.to_owned()
}

/// Returns the name of a file or folder of Docusaurus without its number prefix: `start` for `01-start`.
pub fn without_number(name: &str) -> &str {
    let rest = name.trim_start_matches(|character: char| character.is_ascii_digit());
    let title = rest.trim_start_matches([' ', '-', '_', '.']);
    let is_number = rest.len() < name.len() && title.len() < rest.len() && !title.is_empty();
    // Dates and versions are not number prefixes: `2026-02-notes`, `7.0-notes`.
    let is_date = title.starts_with(|character: char| character.is_ascii_digit());
    if is_number && !is_date { title } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_slugged_by_the_rules_of_each_generator() {
        assert_eq!(hugo_path("Old  Name & Ünicode.v2"), "old-name-ünicode.v2");
        assert_eq!(jekyll_title("Old Name, Über"), "Old-Name,-Über");
        assert_eq!(jekyll_slug("Old Name, Über"), "old-name-über");
        assert_eq!(github_slug("Old Name v1.0"), "old-name-v10");
        for (name, expected) in [
            ("01-start", "start"),
            ("2. Start", "Start"),
            ("2026-02-notes", "2026-02-notes"),
            ("7.0-notes", "7.0-notes"),
            ("start", "start"),
        ] {
            assert_eq!(without_number(name), expected);
        }
        for (path, expected) in [
            ("2026-02-07-fog", "2026/02/07/fog"),
            ("2026/02/09-folders", "2026/02/09/folders"),
            ("ferries/2026-02-07-fog", "2026/02/07/ferries/fog"),
            ("fog", "fog"),
        ] {
            assert_eq!(docusaurus_post(path), expected);
        }
    }

    #[test]
    fn patterns_are_expanded_or_refused() {
        let date: Date = "2026-02-03".parse().unwrap();
        let value = |name: &str| match name {
            "title" => Some("Fog".to_owned()),
            name => section_range(name, &["a", "b", "c"]).or_else(|| date_part(name, date)),
        };
        for (pattern, path) in [
            ("/:year/:month/:title.html", Some("/2026/02/Fog.html")),
            ("/:i_month-:i_day/:y_day/:short_year", Some("/2-3/034/26")),
            (
                "/:monthname/:weekdayname/:weekday",
                Some("/february/tuesday/2"),
            ),
            ("/:sections[1:]/:sections[last]", Some("/b/c/c")),
            ("/:sections[9:]/", None),
            ("/:odd/", None),
            ("/a/{{ b }}", None),
        ] {
            assert_eq!(expand(pattern, value).as_deref(), path, "{pattern}");
        }
        assert_eq!(
            fill("/a/{{ b }}/", |_| Some("c".to_owned())).as_deref(),
            Some("/a/c/")
        );
        assert_eq!(fill("/a/{{ b }}/", |_| None), None);
    }
}
