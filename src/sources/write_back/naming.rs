//! Where the file of a post lies: that of a new post by the pattern of the others, and that of a renamed one.

use std::{collections::BTreeMap, path::Path};

use super::{FileReader, view::FolderView};
use crate::{
    catalog::Catalog,
    domain::post::{Post, PostKind},
    error::Result,
    sources::{FileKind, place, tree},
};

/// How most posts of a folder are named.
pub struct Pattern {
    folder: String,
    /// Whether the name begins with the date.
    is_dated: bool,
    /// Whether each post has a folder of its own, with an `index` file.
    is_bundle: bool,
    extension: String,
    /// A file without values.
    empty: &'static str,
}

impl Pattern {
    /// Returns the pattern of most posts of this kind; without any, `posts/SLUG.md` or `pages/SLUG.md`.
    pub fn of(catalog: &Catalog, view: &FolderView, root: &Path, kind: PostKind) -> Self {
        let posts = catalog.posts.iter().filter(|post| post.kind == kind);
        let paths: Vec<&str> = posts.filter_map(|post| post.source.as_deref()).collect();
        let most = |part: &dyn Fn(&str) -> Option<String>| {
            most_frequent(paths.iter().filter_map(|path| part(path)))
        };
        let is_bundle = |path: &str| place::is_index(path);
        let bundles = paths.iter().filter(|path| is_bundle(path)).count();
        let dated = paths.iter().filter(|path| place::has_date(path)).count();
        let default = match kind {
            PostKind::Post => "posts",
            PostKind::Page => "pages",
        };
        let folder = most(&|path| {
            let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
            let folder = match is_bundle(path) {
                true => folder.rsplit_once('/').map_or("", |(above, _)| above),
                false => folder,
            };
            Some(folder.to_owned())
        });
        let extension = most(&|path| {
            Some(path.rsplit_once('.')?.1.to_owned()).filter(|extension| extension.starts_with('m'))
        });
        let sample = paths.last().and_then(|path| tree::read(root, path).ok());
        let is_yaml = match &sample {
            Some(text) => text.starts_with(b"---"),
            None => !view.conditions.layout.is_own(),
        };
        Self {
            folder: folder.unwrap_or_else(|| default.to_owned()),
            is_dated: dated * 2 > paths.len(),
            is_bundle: bundles * 2 > paths.len(),
            extension: extension.unwrap_or_else(|| "md".to_owned()),
            empty: match is_yaml {
                true => "---\n---\n\n",
                false => "+++\n+++\n\n",
            },
        }
    }

    /// Returns a free path for a new post.
    pub fn path_of(&self, post: &Post, is_taken: impl Fn(&str) -> bool) -> Box<str> {
        let date = match self.is_dated {
            true => post
                .published_at
                .unwrap_or(post.created_at)
                .strftime("%Y-%m-%d-")
                .to_string(),
            false => String::new(),
        };
        let folder = match self.folder.is_empty() {
            true => String::new(),
            false => format!("{}/", self.folder),
        };
        let path = |number: usize| {
            let suffix = if number > 1 {
                format!("-{number}")
            } else {
                String::new()
            };
            let name = format!("{folder}{date}{}{suffix}", post.slug);
            match self.is_bundle {
                true => format!("{name}/index.{}", self.extension),
                false => format!("{name}.{}", self.extension),
            }
        };
        (1..)
            .map(path)
            .find(|path| !is_taken(path))
            .unwrap_or_default()
            .into()
    }

    /// Returns a file without values and without a body.
    pub fn empty_file(&self) -> &'static str {
        self.empty
    }
}

/// Returns a free path for the file of a record, in the format of most files of its kind; of the first, TOML.
pub fn path_like_others(view: &FolderView, kind: FileKind, folder: &str, slug: &str) -> String {
    let files = view.directory.made().iter();
    let of_kind = files.filter(|(_, made)| made.kind == kind);
    let extensions = of_kind.filter_map(|(path, _)| Some(path.rsplit_once('.')?.1.to_owned()));
    let extension = most_frequent(extensions).unwrap_or_else(|| "toml".to_owned());
    let path = |number: usize| match number {
        1 => format!("{folder}/{slug}.{extension}"),
        _ => format!("{folder}/{slug}-{number}.{extension}"),
    };
    let is_taken = |path: &String| view.directory.paths().contains(path);
    let mut paths = (1..).map(path);
    paths.find(|path| !is_taken(path)).unwrap_or_default()
}

/// Returns the path of a post's file after a change: another one if its name made the slug, and that changes.
pub fn place_after(reader: &FileReader, text: &str, wanted: &Post) -> Result<Box<str>> {
    let path = &reader.path;
    let read = reader.read(text)?;
    let stem = &read.file.stem;
    let is_named_by_slug = read.file.fields.slug.is_none() && **stem == *read.post.slug;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !is_named_by_slug || read.post.slug == wanted.slug || place::is_index(path) {
        return Ok(path.clone());
    }
    let Some((before, after)) = name.rsplit_once(stem.as_str()) else {
        return Ok(path.clone());
    };
    let place = format!("{before}{}{after}", wanted.slug);
    let place = match folder.is_empty() {
        true => place,
        false => format!("{folder}/{place}"),
    };
    let is_taken = reader.directory.paths().contains(&place);
    Ok(if is_taken { path.clone() } else { place.into() })
}

fn most_frequent(texts: impl Iterator<Item = String>) -> Option<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(text, _)| text)
}
