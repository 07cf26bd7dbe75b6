//! The paths at which VitePress and VuePress publish documents.

use crate::generators::document::{Document, PathParts};

/// Returns the path at which the document is published. A file with one of the names in `index` has the path of its folder.
pub fn published_path(document: &Document<'_>, index: &[&str]) -> Option<String> {
    if let Some(path) = document.text("permalink") {
        return Some(path.to_owned());
    }
    Some(path_of_file(document, index))
}

/// Returns the path derived from the file of a document.
pub fn path_of_file(document: &Document<'_>, index: &[&str]) -> String {
    let rules = &document.settings.urls;
    let rewritten = rules
        .patterns
        .iter()
        .find_map(|rule| rewritten(document.below_root, &rule.folder, &rule.pattern));
    let path = rewritten.as_deref().unwrap_or(document.below_root);
    let location = PathParts::of(path);
    let page = location.page(index);
    let has_suffix = !index.contains(&location.stem) && rules.style != "clean";
    if has_suffix { page + ".html" } else { page }
}

/// Applies a rewrite to `path`. In `packages/:name/docs/:page*`, `:name` matches a folder and `:page*` the rest of the path.
/// Returns `None` if `from` does not match.
fn rewritten(path: &str, from: &str, to: &str) -> Option<String> {
    let mut values: Vec<(&str, String)> = Vec::new();
    let mut parts = path.split('/');
    for part in from.split('/') {
        let Some(name) = part.strip_prefix(':') else {
            if parts.next()? != part {
                return None;
            }
            continue;
        };
        let (name, takes_rest) = match name.strip_suffix(['*', '+']) {
            Some(name) => (name, true),
            None => (name, false),
        };
        // Both notations for the rest of a path are read: `:page*` and `:page(.*)`.
        if takes_rest || name.contains("(.*)") {
            let rest: Vec<&str> = parts.by_ref().collect();
            values.push((name.trim_end_matches("(.*)"), rest.join("/")));
        } else {
            let value = parts.next()?;
            match name.split_once(".md") {
                Some((name, _)) => values.push((name, value.strip_suffix(".md")?.to_owned())),
                None => values.push((name, value.to_owned())),
            }
        }
    }
    if parts.next().is_some() {
        return None;
    }
    let parts = to.split('/').map(|part| {
        let Some(name) = part.strip_prefix(':') else {
            return part.to_owned();
        };
        let bare = name.trim_end_matches("(.*)").trim_end_matches(['*', '+']);
        let (bare, suffix) = match bare.strip_suffix(".md") {
            Some(bare) => (bare, ".md"),
            None => (bare, ""),
        };
        let value = values.iter().find(|(known, _)| *known == bare);
        value.map_or_else(|| part.to_owned(), |(_, value)| format!("{value}{suffix}"))
    });
    Some(parts.collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewrites_name_folders_and_files() {
        for (path, from, to, expected) in [
            ("a/b.md", "a/b.md", "c/d.md", Some("c/d.md")),
            (
                "packages/x/src/b.md",
                "packages/:p/src/:b*",
                ":p/:b*",
                Some("x/b.md"),
            ),
            ("en/a/b.md", "en/:rest*", ":rest*", Some("a/b.md")),
            ("de/a.md", "en/:rest*", ":rest*", None),
            ("a/b.md", "a/:page.md", "z/:page.md", Some("z/b.md")),
        ] {
            assert_eq!(
                rewritten(path, from, to).as_deref(),
                expected,
                "{path} {from}"
            );
        }
    }
}
