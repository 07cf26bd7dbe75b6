//! Chooses the path of a post's file: that of a new post by the pattern of other posts, and that of a post whose slug
//! changes.

use std::{collections::BTreeMap, path::Path, str::FromStr};

use crate::{
    catalog::Catalog,
    content_files::{FileKind, Layout, folder_files, folder_view::FolderView, path_properties},
    domain::post::{Post, PostKind},
    error::{Error, Kind, Result},
    write_back::file_reader::FileReader,
};

/// The configured paths of new posts and pages. Without one, new files are named like most other files.
#[derive(Clone, Debug, Default)]
pub struct NewFiles {
    /// The path template of posts.
    pub posts: Option<NewFilePath>,
    /// The path template of pages.
    pub pages: Option<NewFilePath>,
}

/// A template for the paths of new files, relative to the content folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFilePath(String);

/// The error if a template is not a path of a document, has an unknown placeholder, or lacks the slug.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "the path of a Markdown file in the content folder, such as posts/{{year}}-{{month}}-{{day}}-{{slug}}.md, with {{slug}} and no other placeholders"
)]
pub struct NewFilePathError;

impl NewFiles {
    /// Checks that files at these paths are read as posts and pages in a folder with this layout.
    ///
    /// # Errors
    ///
    /// `Validation`, naming the option, if files at one of the paths are not.
    pub fn check(&self, layout: &Layout) -> Result<()> {
        for (key, path, kind, what) in [
            ("source.new_posts", &self.posts, FileKind::Post, "posts"),
            ("source.new_pages", &self.pages, FileKind::Page, "pages"),
        ] {
            let Some(path) = path else { continue };
            if layout.kind_of(&path.with("2025-01-05", "new")) != Some(kind) {
                let template = &path.0;
                let message = format!(
                    "{key}: {what} are not read from \"{template}\" in this content folder. `galley check --explain FILE` shows how a file there is read."
                );
                return Err(Error::new(Kind::Validation, message).property(key));
            }
        }
        Ok(())
    }

    fn path_of(&self, kind: PostKind) -> Option<&NewFilePath> {
        match kind {
            PostKind::Post => self.posts.as_ref(),
            PostKind::Page => self.pages.as_ref(),
        }
    }
}

impl NewFilePath {
    const SLUG: &str = "{slug}";
    const DATE: [&str; 3] = ["{year}", "{month}", "{day}"];

    /// Returns the path with this slug and a date such as `2025-01-05`.
    fn with(&self, date: &str, slug: &str) -> String {
        let parts = Self::DATE.into_iter().zip(date.split('-'));
        let dated = parts.fold(self.0.clone(), |path, (name, part)| {
            path.replace(name, part)
        });
        dated.replace(Self::SLUG, slug)
    }

    /// Returns a free path for the file of a new post.
    fn of(&self, post: &Post, is_taken: impl Fn(&str) -> bool) -> Box<str> {
        let date = post.published_at.unwrap_or(post.created_at);
        let date = date.strftime("%Y-%m-%d").to_string();
        let path = |number: usize| match number {
            1 => self.with(&date, &post.slug),
            _ => self.with(&date, &format!("{}-{number}", post.slug)),
        };
        let mut paths = (1..).map(path);
        let free = paths.find(|path| !is_taken(path));
        free.unwrap_or_default().into()
    }

    /// Returns the path template that most of `paths` follow, or one in the folder `default` if there are none.
    fn of_most(paths: &[&str], default: &str) -> Self {
        let most = |part: &dyn Fn(&str) -> Option<String>| {
            most_frequent(paths.iter().filter_map(|path| part(path)))
        };
        let is_most = |is_so: &dyn Fn(&str) -> bool| {
            paths.iter().filter(|path| is_so(path)).count() * 2 > paths.len()
        };
        let folder = most(&|path| {
            let (folder, _) = path.rsplit_once('/').unwrap_or(("", path));
            let folder = if path_properties::is_index(path) {
                folder.rsplit_once('/').map_or("", |(above, _)| above)
            } else {
                folder
            };
            Some(folder.to_owned())
        });
        let folder = match folder.as_deref() {
            Some("") => String::new(),
            folder => format!("{}/", folder.unwrap_or(default)),
        };
        let extension = most(&|path| {
            Some(path.rsplit_once('.')?.1.to_owned()).filter(|extension| extension.starts_with('m'))
        });
        let extension = extension.as_deref().unwrap_or("md");
        let date = if is_most(&path_properties::has_date) {
            format!("{}-", Self::DATE.join("-"))
        } else {
            String::new()
        };
        // `posts/SLUG/index.md` is one level deeper than `posts/SLUG.md`; `folder` is the same for
        // both.
        let file = if is_most(&path_properties::is_index) {
            "/index"
        } else {
            ""
        };
        Self(format!("{folder}{date}{}{file}.{extension}", Self::SLUG))
    }
}

impl FromStr for NewFilePath {
    type Err = NewFilePathError;

    fn from_str(text: &str) -> std::result::Result<Self, NewFilePathError> {
        let path = Self(text.trim_start_matches("./").to_owned());
        let example = path.with("2025-01-05", "new");
        let is_plain = |part: &str| !part.is_empty() && !part.starts_with('.');
        let is_path = path_properties::is_markdown(&example)
            && !example.contains(['{', '}', '\\'])
            && !example.contains(char::is_control)
            && example.split('/').all(is_plain);
        (is_path && path.0.contains(Self::SLUG))
            .then_some(path)
            .ok_or(NewFilePathError)
    }
}

/// The path and the format of new posts or pages in a folder.
pub struct NewFilePattern {
    path: NewFilePath,
    /// The text of a file without values.
    empty: &'static str,
}

impl NewFilePattern {
    /// Returns the configured pattern of this kind, else that of most posts of the kind, else `posts/SLUG.md` or
    /// `pages/SLUG.md`. The front matter is in the language of another file in the same folder.
    pub fn of(
        set: &NewFiles,
        catalog: &Catalog,
        view: &FolderView,
        root: &Path,
        kind: PostKind,
    ) -> Self {
        let posts = catalog.posts.iter().filter(|post| post.kind == kind);
        let paths: Vec<&str> = posts.filter_map(|post| post.origin.path()).collect();
        let default = match kind {
            PostKind::Post => "posts",
            PostKind::Page => "pages",
        };
        let of_most = || NewFilePath::of_most(&paths, default);
        let path = set.path_of(kind).cloned().unwrap_or_else(of_most);
        let fixed = path.0.split('{').next().unwrap_or_default();
        let folder = fixed.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut last = paths.iter().rev();
        let in_folder = last.find(|path| path.starts_with(folder));
        let sample = in_folder.or(paths.last());
        let sample = sample.and_then(|path| folder_files::read(root, path).ok());
        let is_yaml = match &sample {
            Some(text) => text.starts_with(b"---"),
            None => !view.conditions.layout.is_own(),
        };
        Self {
            path,
            empty: if is_yaml {
                "---\n---\n\n"
            } else {
                "+++\n+++\n\n"
            },
        }
    }

    /// Returns a free path for a new post.
    pub fn path_of(&self, post: &Post, is_taken: impl Fn(&str) -> bool) -> Box<str> {
        self.path.of(post, is_taken)
    }

    /// Returns the text of a file without values and body.
    pub fn empty_file(&self) -> &'static str {
        self.empty
    }
}

/// Returns a free path for the file of a record, in the format of most files of its kind, or in TOML for the first file.
pub fn path_like_others(view: &FolderView, kind: FileKind, folder: &str, slug: &str) -> String {
    let files = view.directory.outputs().iter();
    let of_kind = files.filter(|(_, output)| output.kind == kind);
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

/// Returns the path of a post's file after a change. The path changes with the slug if the slug is derived from the file
/// name.
pub fn path_after(reader: &FileReader, text: &str, wanted: &Post) -> Result<Box<str>> {
    let path = &reader.path;
    let read = reader.read(text)?;
    let stem = &read.file.stem;
    let is_named_by_slug = read.file.fields.slug.is_none() && **stem == *read.post.slug;
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    if !is_named_by_slug || read.post.slug == wanted.slug || path_properties::is_index(path) {
        return Ok(path.clone());
    }
    // The last occurrence is replaced, because a date before the slug may contain the same digits.
    // The extension is never replaced, even if it contains the slug: `md.md`.
    let (base, extension) = name.split_at(name.rfind('.').unwrap_or(name.len()));
    let Some((before, after)) = base.rsplit_once(stem.as_str()) else {
        return Ok(path.clone());
    };
    let file = format!("{before}{}{after}{extension}", wanted.slug);
    let renamed = if folder.is_empty() {
        file
    } else {
        format!("{folder}/{file}")
    };
    let is_taken = reader.directory.paths().contains(&renamed);
    // With the old path, the changes of keys write the slug into the front matter instead.
    Ok(if is_taken {
        path.clone()
    } else {
        renamed.into()
    })
}

fn most_frequent(texts: impl Iterator<Item = String>) -> Option<String> {
    // The keys are sorted, so that a tie has the same result on every start.
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    texts.for_each(|text| *counts.entry(text).or_default() += 1);
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .map(|(text, _)| text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_new_files_have_a_slug_and_known_placeholders_and_stay_in_the_folder() {
        for template in [
            "posts/{slug}.md",
            "./blog/{year}/{month}/{day}/{slug}/index.markdown",
            "{slug}.mdx",
        ] {
            assert!(template.parse::<NewFilePath>().is_ok(), "{template}");
        }
        for template in [
            "",
            "posts/new.md",
            "posts/{slug}",
            "posts/{slug}.html",
            "posts/{slug}.toml",
            "posts/{title}-{slug}.md",
            "posts/{slug.md",
            "../{slug}.md",
            "/posts/{slug}.md",
            "posts//{slug}.md",
            "posts/.{slug}.md",
            "posts\\{slug}.md",
        ] {
            assert!(template.parse::<NewFilePath>().is_err(), "{template}");
        }
    }

    #[test]
    fn path_of_most_files_has_their_folder_date_bundles_and_extension() {
        let of_most = |paths: &[&str]| NewFilePath::of_most(paths, "posts").0;
        assert_eq!(of_most(&[]), "posts/{slug}.md");
        assert_eq!(
            of_most(&[
                "a/2025-01-05-b.markdown",
                "a/2025-01-06-c.markdown",
                "d/e.md"
            ]),
            "a/{year}-{month}-{day}-{slug}.markdown"
        );
        assert_eq!(
            of_most(&["a/b/index.md", "a/c/index.md"]),
            "a/{slug}/index.md"
        );
        assert_eq!(of_most(&["b.md"]), "{slug}.md");
    }
}
