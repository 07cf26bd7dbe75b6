//! The paths at which Hexo publishes documents.

use std::collections::HashMap;

use jiff::civil::Date;

use crate::generators::{
    document::{Document, PathParts},
    permalink,
};

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let location = PathParts::of(document.below_root);
    let is_post = ["_posts", "_drafts"]
        .iter()
        .any(|folder| location.folders.contains(folder));
    if !is_post {
        return Some(match document.text("permalink") {
            Some(permalink) => permalink.to_owned(),
            None if location.stem == "index" => location.folders.join("/"),
            None => location.joined(location.stem) + ".html",
        });
    }
    let location = location.below("_posts").below("_drafts");
    let written = location.joined(location.stem);
    let parts = parts_of_name(&document.settings.urls.new_post_pattern, &written);
    let part = |name: &str| parts.get(name).copied();
    let title = part("title").unwrap_or(&written);
    // The date in the front matter precedes the one in the name, which `new_post_name` defines.
    let date = document.date().or_else(|| {
        let number = |names: [&str; 2]| names.iter().find_map(|name| part(name))?.parse().ok();
        let year = part("year")?.parse().ok()?;
        let month = number(["month", "i_month"])?;
        Date::new(year, month, number(["day", "i_day"])?).ok()
    });
    let style = document.settings.urls.style.as_str();
    let style = Some(style).filter(|style| !style.is_empty());
    let pattern = document.text("permalink").or(style);
    permalink::expand(pattern.unwrap_or(":year/:month/:day/:title/"), |token| {
        Some(match token {
            "title" => title.to_owned(),
            "name" => title.rsplit('/').next()?.to_owned(),
            "post_title" => permalink::hugo_path(document.title),
            "category" => document.categories().into_iter().next()?.to_lowercase(),
            token => permalink::date_part(token, date?)?,
        })
    })
}

/// Matches a document's path with `new_post_name`, such as `:year-:month-:day-:title.md`, and returns the values of its
/// placeholders. The result is empty if the path does not match. Folders are part of the first value.
fn parts_of_name<'p>(pattern: &'p str, path: &'p str) -> HashMap<&'p str, &'p str> {
    let pattern = pattern.rsplit_once('.').map_or(pattern, |(stem, _)| stem);
    let mut parts = HashMap::new();
    let mut rest = path;
    let mut tokens = pattern.split(':');
    let before = tokens.next().unwrap_or_default();
    match rest.strip_prefix(before) {
        Some(after) if !pattern.is_empty() => rest = after,
        _ => return parts,
    }
    let mut tokens = tokens.peekable();
    while let Some(token) = tokens.next() {
        let is_name = |character: char| character.is_ascii_lowercase() || character == '_';
        let length = token.find(|character| !is_name(character));
        let (name, between) = token.split_at(length.unwrap_or(token.len()));
        let length = match name {
            "year" => 4,
            "month" | "day" => 2,
            "i_month" | "i_day" => rest.bytes().take_while(u8::is_ascii_digit).count().min(2),
            // The last placeholder takes the rest of the name, which may contain separators.
            _ if tokens.peek().is_none() && between.is_empty() => rest.len(),
            _ => rest
                .find(between)
                .filter(|_| !between.is_empty())
                .unwrap_or(0),
        };
        let Some((value, after)) = rest.split_at_checked(length) else {
            return HashMap::new();
        };
        let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
        let is_date = matches!(name, "year" | "month" | "day" | "i_month" | "i_day");
        match after.strip_prefix(between) {
            Some(after) if !value.is_empty() && (is_number || !is_date) => rest = after,
            _ => return HashMap::new(),
        }
        parts.insert(name, value);
    }
    if !rest.is_empty() {
        parts.clear();
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_names_follow_their_pattern() {
        for (pattern, path, title, year) in [
            (
                ":year-:month-:day-:title.md",
                "2024-05-01-night-ferry",
                Some("night-ferry"),
                Some("2024"),
            ),
            (
                ":year/:i_month-:i_day-:title.md",
                "2024/5-1-ferry",
                Some("ferry"),
                Some("2024"),
            ),
            (":title.md", "night-ferry", Some("night-ferry"), None),
            (":title.md", "sea/ferry", Some("sea/ferry"), None),
            (":year-:month-:day-:title.md", "ferry", None, None),
            ("", "ferry", None, None),
        ] {
            let parts = parts_of_name(pattern, path);
            assert_eq!(parts.get("title").copied(), title, "{pattern}");
            assert_eq!(parts.get("year").copied(), year, "{pattern}");
        }
    }
}
