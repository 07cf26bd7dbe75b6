//! Resolves references to documents of another generator's folder: by paths, suffixes of paths, and former URLs.

use std::collections::HashMap;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use crate::{
    content_files::{assets, assets::AssetTarget, layout::Layout, path_properties},
    domain::former_path::normal_path,
    generators::{link_path, link_path::path_of},
};

/// The scheme of a reference to another document in the syntax of a generator. The expansion of templates emits it:
/// `galley-ref:KIND/TARGET#FRAGMENT`, with target and fragment percent-encoded.
pub const REFERENCE: &str = "galley-ref:";

/// Characters to escape in a fragment (RFC 3986, section 3.5; non-ASCII is escaped anyway).
const FRAGMENT: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'`');

/// A document, and the names by which references identify it.
#[derive(Clone, Copy, Debug)]
pub struct NamedText<'a> {
    /// The path of its file.
    pub path: &'a str,
    /// Its slug.
    pub slug: &'a str,
    /// Its former URLs, beginning with the path at which its generator publishes it, if that is known.
    pub aliases: &'a [Box<str>],
    /// Its further names.
    pub names: &'a [Box<str>],
}

/// Documents by their names.
#[derive(Debug, Default)]
pub struct TextNames {
    /// Paths by the documents' paths without extension, and by suffixes of these.
    paths: HashMap<String, String>,
    /// The paths of other files by file name, for generators that refer by that alone.
    files: HashMap<String, String>,
    /// The paths of documents by their former URLs.
    urls: HashMap<String, String>,
    /// The URL paths at which the generator publishes documents, by the paths of their files.
    published: HashMap<String, String>,
}

impl TextNames {
    /// Indexes these documents by their names. Of several documents with the same name, the one in the fewest folders takes
    /// precedence, and of those the first by path.
    pub fn of<'a>(texts: impl Iterator<Item = NamedText<'a>>) -> Self {
        let mut texts: Vec<NamedText<'_>> = texts.collect();
        texts.sort_by_key(|text| (text.path.matches('/').count(), text.path));
        let mut paths = HashMap::new();
        for NamedText { path, .. } in texts.iter().copied() {
            let bare = bare(path).to_lowercase();
            let mut name = bare.as_str();
            loop {
                for known in [name, without_date(name)] {
                    paths
                        .entry(known.to_owned())
                        .or_insert_with(|| path.to_owned());
                }
                match name.split_once('/') {
                    Some((_, rest)) => name = rest,
                    None => break,
                }
            }
        }
        let mut urls = HashMap::new();
        let mut published = HashMap::new();
        for text in &texts {
            let url = match text.aliases.first() {
                Some(alias) => alias.to_string(),
                None => format!("/{}", text.slug),
            };
            published.insert(text.path.to_owned(), url);
            let names = text.names.iter().map(|name| name.to_lowercase());
            for name in std::iter::once(text.slug.to_owned()).chain(names) {
                // The name of a file takes precedence over a slug or a further name of another
                // document.
                let known = paths.entry(name);
                known.or_insert_with(|| text.path.to_owned());
            }
            for alias in text.aliases {
                let known = urls.entry(alias.to_string());
                known.or_insert_with(|| text.path.to_owned());
            }
        }
        // After all former URLs: a published path takes precedence over a slug, which the generator
        // does not know.
        for text in texts {
            let known = urls.entry(format!("/{}", text.slug));
            known.or_insert_with(|| text.path.to_owned());
        }
        Self {
            paths,
            files: HashMap::new(),
            urls,
            published,
        }
    }

    /// Adds the other files of the folder by their names.
    pub fn with_files<'a>(mut self, files: impl Iterator<Item = &'a str>) -> Self {
        for path in files {
            let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
            // The paths are sorted: the first by path has the name.
            self.files.entry(name).or_insert_with(|| path.to_owned());
        }
        self
    }

    /// Resolves a URL in the file at `file`.
    pub fn resolve(
        &self,
        layout: &Layout,
        file: &str,
        written: &str,
        exists: impl Fn(&str) -> bool,
    ) -> AssetTarget {
        if layout.is_own() {
            return assets::resolve(layout, file, written, exists);
        }
        if let Some(reference) = written.strip_prefix(REFERENCE) {
            return self.reference(layout, file, reference, exists);
        }
        // A complete URL of the site may be that of a document; otherwise it stays as it is.
        let Some(path) = layout.settings().path_on_site(written) else {
            return self.resolve_path(layout, file, written, &exists);
        };
        match self.resolve_path(layout, file, path, &exists) {
            found @ (AssetTarget::Asset { .. } | AssetTarget::Content { .. }) => found,
            _ => AssetTarget::Unchanged,
        }
    }

    /// Resolves a URL without a host in the file at `file`.
    fn resolve_path(
        &self,
        layout: &Layout,
        file: &str,
        written: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> AssetTarget {
        // The front page belongs to the front end, even if the generator has a document for it.
        if path_of(written).is_some_and(|(path, _)| path == "/") {
            return AssetTarget::Unchanged;
        }
        let by_url = || self.by_relative_url(layout, file, written, exists);
        if leaves_urls(layout, written)
            && let Some(found) = by_url()
        {
            return found;
        }
        match assets::resolve(layout, file, written, exists) {
            AssetTarget::Unchanged | AssetTarget::Missing { .. } | AssetTarget::Outside
                if let Some(found) = self
                    .by_published_path(layout, written)
                    .or_else(|| self.in_published_folder(layout, written, exists))
                    .or_else(|| self.by_old_url(written))
                    .or_else(by_url)
                    .or_else(|| self.by_name(layout, file, written, exists)) =>
            {
                found
            }
            // The path of a document that is left out, such as one of another version, may be the URL of a published
            // document.
            AssetTarget::Asset { path, .. }
                if path_properties::is_markdown(&path)
                    && let Some(found) = self.by_published_path(layout, written) =>
            {
                found
            }
            other => other,
        }
    }

    /// Resolves `Note`, `Note.md` and `folder/Note#Heading` like references, if the generator permits links by name.
    /// `Missing` if no document has the name.
    fn by_name(
        &self,
        layout: &Layout,
        file: &str,
        written: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<AssetTarget> {
        let (path, _) = path_of(written)?;
        if !layout.generator().links_by_name() || path.starts_with(['/', '@', '~']) {
            return None;
        }
        let below = path.trim_start_matches("../").trim_start_matches("./");
        let reference = format!("wiki/{below}{}", &written[path.len()..]);
        Some(self.reference(layout, file, &reference, exists))
    }

    /// Resolves a relative URL against the URL at which the generator publishes the document at `file`.
    fn by_relative_url(
        &self,
        layout: &Layout,
        file: &str,
        written: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<AssetTarget> {
        let (path, suffix) = path_of(written)?;
        if path.starts_with(['/', '@', '~']) {
            return None;
        }
        let url = self.published.get(file)?;
        // Browsers resolve relative URLs against the folder of a page, and a page without an
        // extension is a folder itself.
        let folder = if url.ends_with(".html") {
            url.rsplit_once('/').map_or("", |(folder, _)| folder)
        } else {
            url
        };
        let whole = format!("/{}{suffix}", link_path::join(folder, path)?);
        match assets::resolve(layout, file, &whole, exists) {
            found @ (AssetTarget::Asset { .. } | AssetTarget::Content { .. }) => Some(found),
            _ => self.by_published_path(layout, &whole),
        }
    }

    /// Resolves a reference: a document by its name, or a file.
    fn reference(
        &self,
        layout: &Layout,
        file: &str,
        reference: &str,
        exists: impl Fn(&str) -> bool,
    ) -> AssetTarget {
        let (kind, target) = reference.split_once('/').unwrap_or(("", reference));
        let (target, fragment) = target.split_once('#').unwrap_or((target, ""));
        let target = percent_decode_str(target).decode_utf8_lossy();
        let fragment = percent_decode_str(fragment).decode_utf8_lossy();
        let suffix = match (&*fragment, kind) {
            ("", _) => String::new(),
            // `^` refers to a block, which has no heading id.
            (fragment, "wiki" | "embed") if !fragment.starts_with('^') => {
                let id = layout.dialect().heading_id(fragment);
                format!("#{}", utf8_percent_encode(&id, FRAGMENT))
            }
            (fragment, _) => format!("#{fragment}"),
        };
        let name = bare(target.trim().trim_matches('/'));
        if target.is_empty() {
            return AssetTarget::Content {
                path: file.to_owned(),
                suffix,
            };
        }
        let beside = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        // A document next to this one takes precedence over others of the same name.
        let near = link_path::join(beside, name).map(|path| path.to_lowercase());
        let path = near
            .and_then(|path| self.paths.get(&path))
            .or_else(|| self.paths.get(&name.to_lowercase()));
        if let Some(path) = path {
            return AssetTarget::Content {
                path: path.clone(),
                suffix,
            };
        }
        match assets::resolve(layout, file, &target, exists) {
            path @ (AssetTarget::Asset { .. } | AssetTarget::Content { .. }) => path,
            _ => match self.files.get(&target.to_lowercase()) {
                Some(path) => AssetTarget::Asset {
                    path: path.clone(),
                    suffix,
                },
                None => AssetTarget::Missing {
                    path: target.into_owned(),
                },
            },
        }
    }

    /// Returns the document that its generator publishes at this path, or that has this former path.
    fn by_published_path(&self, layout: &Layout, written: &str) -> Option<AssetTarget> {
        let (path, suffix) = path_of(written)?;
        let is_whole = path.starts_with('/');
        let base = layout.settings().base_path.as_str();
        let below_base = path
            .strip_prefix(base)
            .filter(|below| !base.is_empty() && below.starts_with('/'));
        let mut paths = [below_base, Some(path)].into_iter().flatten();
        let path = paths.find_map(|path| self.urls.get(&normal_path(path)?));
        path.filter(|_| is_whole).map(|path| content(path, suffix))
    }

    /// Returns the file of a document's own folder that the generator publishes next to the document: `/ferry/quay.jpg` for
    /// `2026-02-07-ferry/quay.jpg`.
    fn in_published_folder(
        &self,
        layout: &Layout,
        written: &str,
        exists: &dyn Fn(&str) -> bool,
    ) -> Option<AssetTarget> {
        let (path, suffix) = path_of(written)?;
        let (page, name) = path.rsplit_once('/')?;
        if !layout.profile().has_bundles || !link_path::is_file_like(name) {
            return None;
        }
        let AssetTarget::Content { path: document, .. } = self.by_published_path(layout, page)?
        else {
            return None;
        };
        let (folder, file) = document.rsplit_once('/')?;
        let is_of_folder = file.starts_with("index.") || file.starts_with("_index.");
        let name = percent_decode_str(name).decode_utf8_lossy();
        let path = format!("{folder}/{name}");
        (is_of_folder && exists(&path)).then(|| AssetTarget::Asset {
            path,
            suffix: suffix.to_owned(),
        })
    }

    /// Returns the document with a former URL such as `/2015/03/05/night-ferry.html` or `/posts/night-ferry/`.
    fn by_old_url(&self, written: &str) -> Option<AssetTarget> {
        let (path, suffix) = path_of(written)?;
        if !path.starts_with('/') {
            return None;
        }
        let path = path.strip_suffix("/index.html").unwrap_or(path);
        let path = path.strip_suffix(".html").unwrap_or(path);
        let mut name = path.trim_matches('/').to_lowercase();
        if name.is_empty() || !name.contains('/') {
            let path = self.paths.get(&name)?;
            return Some(content(path, suffix));
        }
        // Generators publish below folders such as dates, so leading parts are dropped until a
        // document has the rest as its name.
        let whole = name.clone();
        loop {
            if let Some(path) = self.paths.get(&name) {
                let before = whole.strip_suffix(&name).unwrap_or_default();
                return may_be_below(before, path).then(|| content(path, suffix));
            }
            name = name.split_once('/')?.1.to_owned();
        }
    }
}

/// Returns whether the generator does not rewrite a relative URL, so that the URL is relative to the page and not to the
/// file.
fn leaves_urls(layout: &Layout, written: &str) -> bool {
    let path = path_of(written).map_or("", |(path, _)| path);
    layout.generator().leaves_link(path)
}

/// Returns whether a generator may publish the document at `path` below the folders `before`, taken from a URL: a year among
/// them, or only usual folders of posts and folders of the document.
fn may_be_below(before: &str, path: &str) -> bool {
    const OF_POSTS: [&str; 7] = [
        "article", "articles", "blog", "docs", "news", "post", "posts",
    ];
    let path = path.to_lowercase();
    let folders: Vec<&str> = path
        .split('/')
        .map(|folder| folder.trim_start_matches('_'))
        .collect();
    let mut parts = before
        .trim_matches('/')
        .split('/')
        .filter(|part| !part.is_empty());
    let is_date = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let has_year = parts.clone().any(|part| part.len() == 4 && is_date(part));
    has_year || parts.all(|part| OF_POSTS.contains(&part) || folders.contains(&part))
}

fn content(path: &str, suffix: &str) -> AssetTarget {
    AssetTarget::Content {
        path: path.to_owned(),
        suffix: suffix.to_owned(),
    }
}

/// Returns a path without its extension, and without the name of an index file.
fn bare(path: &str) -> &str {
    let is_text = path_properties::is_markdown(path)
        || [".html", ".htm"].iter().any(|html| path.ends_with(html));
    let named = path.rsplit_once('.').filter(|_| is_text);
    let path = named.map_or(path, |(bare, _)| bare);
    ["/index", "/_index", "/page"]
        .iter()
        .find_map(|ending| path.strip_suffix(ending))
        .unwrap_or(path)
}

/// Returns `night-ferry` for `2025-01-05-night-ferry`.
fn without_date(name: &str) -> &str {
    let (folders, last) = match name.rfind('/') {
        Some(slash) => name.split_at(slash + 1),
        None => ("", name),
    };
    let is_dated = last.len() > 11
        && last
            .bytes()
            .take(11)
            .enumerate()
            .all(|(index, byte)| match index {
                4 | 7 | 10 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
    if is_dated && folders.is_empty() {
        &last[11..]
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn document_is_found_by_any_suffix_of_its_path() {
        let names = TextNames::of(
            [
                ("content/posts/ferry.md", "night-ferry"),
                ("_posts/2024-01-05-quay.md", "quay"),
                ("a/b/index.md", "a-b"),
                ("b.md", "b"),
            ]
            .into_iter()
            .map(|(path, slug)| NamedText {
                path,
                slug,
                aliases: &[],
                names: &[],
            }),
        );
        for (name, path) in [
            ("ferry", "content/posts/ferry.md"),
            ("posts/ferry", "content/posts/ferry.md"),
            ("2024-01-05-quay", "_posts/2024-01-05-quay.md"),
            ("quay", "_posts/2024-01-05-quay.md"),
            ("a/b", "a/b/index.md"),
            ("b", "b.md"),
            ("night-ferry", "content/posts/ferry.md"),
        ] {
            assert_eq!(
                names.paths.get(name).map(String::as_str),
                Some(path),
                "{name}"
            );
        }
    }
}
