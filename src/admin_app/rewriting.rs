//! Rewrites files of the app, so that it sends no requests to other hosts automatically and works with
//! other path prefixes.
//!
//! The rules replace code that is recognised by its text and leave everything else unchanged, so that
//! they work for other versions, too.

use std::borrow::Cow;

use super::companions::COMPANIONS;
use crate::npm_packages::without_images_of;

/// The path prefix that the app is built for.
const BUILT_PREFIX: &str = "ghost";

/// The name and the content of the file that replaces the news of Ghost, which the app requests when it
/// starts: an empty list.
pub const NEWS: (&str, &str) = (
    "news.json",
    r#"{"posts":[],"changelogUrl":"https://ghost.org/changelog"}"#,
);

/// URLs that scripts load automatically from other hosts, and their replacements.
const LOADED_BY_SCRIPTS: [(&str, &str); 1] =
    [("https://ghost.org/changelog.json", "./assets/news.json")];

/// Hosts of images of the app itself, such as its logo.
const IMAGE_HOSTS: [&str; 2] = ["https://static.ghost.org/", "https://assets.ghost.io/"];

/// The paths in scripts that begin with the prefix.
const PREFIXED: [&str; 3] = ["/ghost/`", "/ghost/\"", "/ghost/a"];

/// Returns a style sheet without its imports from other hosts. They load fonts, so the next font of the
/// list is used.
pub fn style_sheet(text: &str) -> Cow<'_, str> {
    const IMPORT: &str = "@import";
    if !text.contains(IMPORT) {
        return Cow::Borrowed(text);
    }
    let mut rewritten = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(IMPORT) {
        let (before, import) = rest.split_at(start);
        rewritten.push_str(before);
        let end = end_of_import(import);
        let (import, after) = import.split_at(end);
        if !import.contains("https://") && !import.contains("http://") {
            rewritten.push_str(import);
        }
        rest = after;
    }
    rewritten.push_str(rest);
    Cow::Owned(rewritten)
}

/// Returns the length of an import: up to the semicolon outside its quoted URL.
fn end_of_import(import: &str) -> usize {
    let mut quote = None;
    for (offset, character) in import.char_indices() {
        match (quote, character) {
            (None, ';') => return offset + 1,
            (None, '"' | '\'') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            _ => {}
        }
    }
    import.len()
}

/// Returns a script that requests nothing from other hosts automatically, for the API below `/PREFIX/`.
pub fn script<'a>(text: &'a str, path_prefix: &str) -> Cow<'a, str> {
    let mut text = without_images_of(text, &IMAGE_HOSTS);
    let mut replace = |from: &str, to: &str| {
        if text.contains(from) {
            text = Cow::Owned(text.replace(from, to));
        }
    };
    for (from, to) in LOADED_BY_SCRIPTS {
        replace(from, to);
    }
    for (from, to) in COMPANIONS.iter().flat_map(|companion| companion.urls) {
        // Relative to the page of the app, so that they work below any prefix and subdirectory.
        replace(from, &format!("./{to}"));
    }
    if path_prefix != BUILT_PREFIX {
        for from in PREFIXED {
            replace(from, &from.replace(BUILT_PREFIX, path_prefix));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn style_sheet_loses_imports_from_other_hosts_only() {
        let text = "@charset \"utf-8\";@import \"https://fonts.example/css?family=a:400;700\";@import url('b.css');p{color:red}";
        assert_eq!(
            style_sheet(text),
            "@charset \"utf-8\";@import url('b.css');p{color:red}"
        );
        assert!(matches!(style_sheet("p{}"), Cow::Borrowed(_)));
    }

    #[test]
    fn script_requests_files_of_the_site_instead_of_other_hosts() {
        assert_eq!(
            script("fetch(`https://ghost.org/changelog.json`)", "ghost"),
            "fetch(`./assets/news.json`)"
        );
        assert_eq!(
            script(
                "i.href=`https://maxcdn.bootstrapcdn.com/font-awesome/latest/css/font-awesome.min.css`",
                "cms"
            ),
            "i.href=`./assets/font-awesome-4.7.0/css/font-awesome.min.css`"
        );
        let text = "i??`https://static.ghost.org/v4/orb.png`,s=`https://static.ghost.org/stars-${n}.png`,c=`https://static.ghost.org/a.csv`";
        let rewritten = script(text, "ghost");
        assert!(
            rewritten.starts_with("i??`data:image/svg+xml,"),
            "{rewritten}"
        );
        assert!(
            rewritten.contains("`https://static.ghost.org/a.csv`"),
            "{rewritten}"
        );
    }

    #[test]
    fn script_gets_the_path_prefix_of_the_site() {
        let text = "t=e.search(`/ghost/`);a=`${t}/ghost/assets/`;b=\"/ghost/api/admin/\";c=\"/ghost/core/cards.js\"";
        assert_eq!(
            script(text, "cms"),
            "t=e.search(`/cms/`);a=`${t}/cms/assets/`;b=\"/cms/api/admin/\";c=\"/ghost/core/cards.js\""
        );
        assert_eq!(script(text, "ghost"), text);
    }
}
