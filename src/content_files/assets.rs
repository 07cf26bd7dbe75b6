//! Resolves URLs in a content file: to a file next to the document, another content file, or neither.
//!
//! A pure function of the paths of the folder, so it works the same for a folder and for a commit. A URL never reaches
//! outside the content folder, however it is written. The caller decides which public URL a file gets.

use percent_encoding::percent_decode_str;

use crate::{
    content_files::layout::Layout,
    generators::link_path::{is_file_like, join, path_of},
    render::urls::PLACEHOLDER,
};

/// The target of a URL in a content file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssetTarget {
    /// A file of the folder that is not a content file, such as an image.
    Asset {
        /// Its path in the content folder.
        path: String,
        /// The rest of the URL: query and fragment.
        suffix: String,
    },
    /// Another content file.
    Content {
        /// Its path in the content folder.
        path: String,
        /// The rest of the URL: query and fragment.
        suffix: String,
    },
    /// The URL names no file: it links to another site, or to a page of this site by its public URL.
    Unchanged,
    /// The URL names a file that does not exist.
    Missing {
        /// The path in the content folder that the URL resolves to.
        path: String,
    },
    /// The URL is a path outside the content folder.
    Outside,
}

/// Resolves a URL in the content file at `file` of a folder with this layout; `exists` returns whether a path names a file
/// of the folder.
///
/// A relative URL is resolved against the folder of the file and then against the top of the content folder; one that begins
/// with `/` only against the top, or in another generator's folder against each of its served folders. The path of a folder
/// refers to its `index` file; in another generator's folder a document may be named without its extension, and by its URL
/// relative to the file (`../ferry/` for `ferry.md`). Percent sequences such as `%20` are decoded if no file has the literal
/// name. A path without a file is missing if it has an extension (`x.png`), and otherwise unchanged. A URL that begins with
/// the placeholder of the site is never a file.
pub fn resolve(
    layout: &Layout,
    file: &str,
    written: &str,
    exists: impl Fn(&str) -> bool,
) -> AssetTarget {
    let Some((path, suffix)) = path_of(written) else {
        return AssetTarget::Unchanged;
    };
    // `/content/` is the URL of an upload or of a file that is served already, in any layout.
    if path.starts_with("/content/") || path.starts_with(PLACEHOLDER) {
        return AssetTarget::Unchanged;
    }
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    // Of the candidates, the likeliest is named in the diagnostic.
    let mut missing = None;
    for form in [path, &decoded] {
        let Some(candidates) = candidates(layout, file, form) else {
            return AssetTarget::Outside;
        };
        if let Some(found) = candidates
            .iter()
            .find_map(|candidate| file_at(layout, candidate, &exists))
        {
            return found_file(layout, found, suffix);
        }
        missing = candidates.into_iter().next();
    }
    match missing {
        Some(path) if is_file_like(&path) => AssetTarget::Missing { path },
        _ => AssetTarget::Unchanged,
    }
}

fn found_file(layout: &Layout, path: String, suffix: &str) -> AssetTarget {
    let suffix = suffix.to_owned();
    match layout.kind_of(&path) {
        Some(_) => AssetTarget::Content { path, suffix },
        None => AssetTarget::Asset { path, suffix },
    }
}

/// Prefixes that denote the folder of documents in Zola, and the source folder in JavaScript projects.
pub(super) const ALIASES: [&str; 3] = ["@/", "~/", "@site/"];

/// Returns the paths that a URL may refer to, likeliest first; `None` if all are outside the content folder.
fn candidates(layout: &Layout, file: &str, path: &str) -> Option<Vec<String>> {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let from_served_folders = |path: &str| -> Vec<String> {
        let mounted = layout.mounted(path);
        let mounted = mounted.filter_map(|path| join("", &path));
        let served = layout.served_folders(file);
        let in_served = served.filter_map(|folder| join(&folder, path));
        mounted.chain(in_served).collect()
    };
    if !layout.is_own()
        && let Some(below) = ALIASES.iter().find_map(|alias| path.strip_prefix(alias))
    {
        return Some(from_served_folders(below));
    }
    if let Some(from_top) = path.strip_prefix('/') {
        let base = layout.settings().base_path.trim_start_matches('/');
        let below_base = if base.is_empty() {
            None
        } else {
            from_top
                .strip_prefix(base)
                .and_then(|rest| rest.strip_prefix('/'))
        };
        let mut all = below_base.map(from_served_folders).unwrap_or_default();
        all.extend(from_served_folders(from_top));
        return (!all.is_empty()).then_some(all);
    }
    let mut all: Vec<String> = join(folder, path).into_iter().collect();
    // In another generator's folder, `../` may be relative to the URL of the page, which is below.
    if all.is_empty() && layout.is_own() {
        return None;
    }
    if !layout.is_own() {
        // If `ferry.md` is served at `ferry/`, browsers resolve its URLs against that folder.
        let own = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        all.extend(join(own, path));
        // If `references/page.mdx` is served at `references`, browsers resolve its URLs against the parent folder.
        let is_of_folder = ["page", "index"]
            .iter()
            .any(|name| own.ends_with(&format!("/{name}")));
        if is_of_folder && let Some((above, _)) = folder.rsplit_once('/') {
            all.extend(join(above, path));
        }
    }
    all.extend(from_served_folders(path));
    (!all.is_empty()).then_some(all)
}

/// Suffixes that complete a path to that of a document: as a folder, and without its extension.
const OWN_ENDINGS: &[&str] = &["", "/index.md", "/index.markdown", "/index.html"];
const GENERATOR_ENDINGS: &[&str] = &[
    "",
    "/index.md",
    "/index.markdown",
    "/index.mdx",
    "/index.html",
    "/_index.md",
    ".md",
    ".markdown",
    ".mdx",
    ".html",
    "/page.mdx",
    "/page.md",
    "/README.md",
];

fn file_at(layout: &Layout, path: &str, exists: &impl Fn(&str) -> bool) -> Option<String> {
    let endings = if layout.is_own() {
        OWN_ENDINGS
    } else {
        GENERATOR_ENDINGS
    };
    // `ferry.html` may be the output of `ferry.md`.
    let without = path.strip_suffix(".html").filter(|_| !layout.is_own());
    let names = [Some(path), without].into_iter().flatten();
    names
        .flat_map(|path| endings.iter().map(move |ending| format!("{path}{ending}")))
        .find(|path| exists(path))
}
