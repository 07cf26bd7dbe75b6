//! The paths at which VuePress publishes documents. They follow from the paths of the files, or from patterns such as
//! `/:year/:month/:day/:slug`.

use jiff::civil::Date;
use serde_json::Value as Json;

use crate::{
    generators::{
        document::{Document, PathParts},
        permalink, vue_paths,
    },
    render::markdown::HeadingRule,
};

/// The names, without extension, of files that are the pages of their folders.
const INDEX: [&str; 3] = ["README", "readme", "index"];

/// The URL style of VuePress 1, whose slugs are built like the ids of headings.
pub(super) const VERSION_1: &str = "1";

/// Returns the path at which the document is published.
pub(super) fn published_path(document: &Document<'_>) -> Option<String> {
    let of_file = vue_paths::path_of_file(document, &INDEX);
    let expand = |pattern: &str| permalink::expand(pattern, |name| value(document, name, &of_file));
    let is_old = document.settings.urls.style == VERSION_1;
    if let Some(path) = document.text("permalink").filter(|_| !is_old) {
        return Some(path.to_owned());
    }
    // `null` switches the pattern of the site off for one document.
    let is_off = |key: &str| document.page.get(key) == Some(&Json::Null);
    if is_off("permalink") || is_off("permalinkPattern") {
        return Some(of_file);
    }
    let pattern = document.text(if is_old {
        "permalink"
    } else {
        "permalinkPattern"
    });
    let Some(pattern) = pattern.or_else(|| document.pattern("")) else {
        return Some(of_file);
    };
    let path = expand(pattern).or_else(|| is_old.then(|| pattern.to_owned()))?;
    let path = path.trim_start_matches('/');
    // Patterns are relative to the language of the document.
    Some(match language_folder(document) {
        Some(folder) => format!("{folder}/{path}"),
        None => path.to_owned(),
    })
}

/// Returns the language folder that contains the document, if any.
fn language_folder<'d>(document: &Document<'d>) -> Option<&'d str> {
    let (folder, _) = document.below_root.split_once('/')?;
    let mut languages = document.settings.languages.iter();
    languages
        .any(|language| language == folder)
        .then_some(folder)
}

/// Returns the value of a placeholder.
fn value(document: &Document<'_>, name: &str, of_file: &str) -> Option<String> {
    Some(match name {
        "slug" => slug(document),
        "regular" | "raw" => of_file.trim_start_matches('/').to_owned(),
        name => permalink::date_part(name, document.date().or_else(|| date_of_folders(document))?)?,
    })
}

/// Returns the name of a file without its date. In VuePress 1 this is a slug, and the page of a folder has the name of the
/// folder.
fn slug(document: &Document<'_>) -> String {
    let PathParts { folders, stem } = PathParts::of(document.below_root);
    let is_old = document.settings.urls.style == VERSION_1;
    let is_index = INDEX.iter().any(|index| index.eq_ignore_ascii_case(stem));
    let name = folders.last().filter(|_| is_old && is_index);
    let name = without_date(name.copied().unwrap_or(stem));
    if is_old {
        HeadingRule::Vue.id(name)
    } else {
        name.to_owned()
    }
}

/// Returns a name without its date, which may lack the day: `2024-05-fog`.
fn without_date(name: &str) -> &str {
    let is_number = |part: &str, lengths: std::ops::RangeInclusive<usize>| {
        lengths.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = name.splitn(4, '-').collect();
    match parts[..] {
        [year, month, day, rest]
            if is_number(year, 4..=4) && is_number(month, 1..=2) && is_number(day, 1..=2) =>
        {
            rest
        }
        [year, month, ..]
            if parts.len() > 2 && is_number(year, 4..=4) && is_number(month, 1..=2) =>
        {
            &name[year.len() + month.len() + 2..]
        }
        _ => name,
    }
}

/// Returns the date in the folders of a document: `2024/05/`, `2024/05/01/`.
fn date_of_folders(document: &Document<'_>) -> Option<Date> {
    let folders = PathParts::of(document.below_root).folders;
    folders.windows(2).enumerate().find_map(|(index, pair)| {
        let year = pair[0].parse().ok().filter(|_| pair[0].len() == 4)?;
        let month = pair[1].parse().ok()?;
        let day = folders.get(index + 2).and_then(|day| day.parse().ok());
        Date::new(year, month, day.unwrap_or(1)).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_dates() {
        for (name, expected) in [
            ("2024-05-01-night-ferry", "night-ferry"),
            ("2024-5-1-fog", "fog"),
            ("2024-05-fog-at-sea", "fog-at-sea"),
            ("2024-05", "2024-05"),
            ("fog", "fog"),
            ("a-05-01-fog", "a-05-01-fog"),
        ] {
            assert_eq!(without_date(name), expected);
        }
    }
}
