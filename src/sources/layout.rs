//! What a file of the content folder is, told from its path alone.
//!
//! | path | what it is |
//! |---|---|
//! | `site.toml` | the site's settings |
//! | `posts/…`, `blog/…`, `_posts/…`, `_drafts/…` | a post, in folders of any depth |
//! | `pages/…` | a page |
//! | `authors/…`, `tags/…` | an author, a tag |
//! | `tiers/…`, `newsletters/…` | a tier, a newsletter |
//!
//! Posts and pages end in `.md`, `.markdown` or `.html`; settings, tiers and newsletters in `.toml`, `.yaml` or `.yml`;
//! authors and tags in any of the six. `NAME/index.md` is the same as `NAME.md`, with room for images beside it.
//! Everything below a folder `drafts` or `_drafts` is a draft unless it says otherwise. `README` files and the section
//! files of Hugo and Zola (`_index.md`) are not content. Any other file is something that content may refer to.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::document::Language;

/// What a content file describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// The site's settings.
    Site,
    /// A post.
    Post,
    /// A page.
    Page,
    /// An author, which is a staff user.
    Author,
    /// A tag.
    Tag,
    /// A membership tier.
    Tier,
    /// A newsletter.
    Newsletter,
}

/// Folders at the top of the content folder, and what their files are.
const FOLDERS: [(&str, FileKind); 10] = [
    ("posts", FileKind::Post),
    ("blog", FileKind::Post),
    ("_posts", FileKind::Post),
    ("_drafts", FileKind::Post),
    ("drafts", FileKind::Post),
    ("pages", FileKind::Page),
    ("authors", FileKind::Author),
    ("tags", FileKind::Tag),
    ("tiers", FileKind::Tier),
    ("newsletters", FileKind::Newsletter),
];

const DRAFT_FOLDERS: [&str; 2] = ["drafts", "_drafts"];

/// How the bytes of a content file are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Data(Language),
    Markdown,
    Html,
    /// Markdown with components of a JavaScript framework, which cannot be read.
    Mdx,
}

/// What the path of a content file says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place<'path> {
    pub kind: FileKind,
    pub format: Format,
    /// The file's name, or its folder's where the file is called `index`, without extension and date.
    pub name: &'path str,
    /// The date before the name, as in `2025-01-05-night-ferry.md`.
    pub date: Option<Date>,
    /// Whether the file lies in a folder of drafts.
    pub draft: bool,
}

/// What the file at `path` (relative to the content folder, with `/`) describes; none if it is no content file.
pub fn kind_of(path: &str) -> Option<FileKind> {
    place_of(path).map(|place| place.kind)
}

/// The name that the path of a content file gives to what it describes, without folder, date and extension.
pub fn stem_of(path: &str) -> Option<&str> {
    place_of(path).map(|place| place.name)
}

/// Names of files at the top that speak of the folder and not to readers, in small letters and without extension.
pub const ABOUT_THE_FOLDER: [&str; 8] = [
    "changelog",
    "code_of_conduct",
    "contributing",
    "licence",
    "license",
    "readme",
    "security",
    "todo",
];

/// Returns whether the file at `path` is Markdown that readers would miss: no content file, and neither about the folder
/// (`README`, at the top also `LICENSE` and the like) nor the section file of another generator (`_index.md`).
pub(super) fn is_unread_markdown(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let Some((stem, extension)) = file.rsplit_once('.') else {
        return false;
    };
    let is_markdown = matches!(format_of(extension), Some(Format::Markdown | Format::Mdx));
    let stem = stem.to_ascii_lowercase();
    let is_about_folder = match folders.is_empty() {
        true => ABOUT_THE_FOLDER.contains(&stem.as_str()),
        false => stem == "readme",
    };
    is_markdown && !is_about_folder && stem != "_index" && kind_of(path).is_none()
}

pub(super) fn place_of(path: &str) -> Option<Place<'_>> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = file.rsplit_once('.')?;
    let format = format_of(extension)?;
    if folders.is_empty() {
        let site = stem == "site" && matches!(format, Format::Data(_));
        return site.then_some(Place {
            kind: FileKind::Site,
            format,
            name: stem,
            date: None,
            draft: false,
        });
    }
    let (top, below) = folders.split_once('/').unwrap_or((folders, ""));
    let kind = FOLDERS.iter().find(|(folder, _)| *folder == top)?.1;
    if stem == "_index" || stem.eq_ignore_ascii_case("readme") || !fits(kind, format) {
        return None;
    }
    Some(Place::new(kind, format, folders, below, stem))
}

/// What the path of a text says about it, wherever it lies: in a folder of another generator.
pub(super) fn foreign_place(path: &str, kind: FileKind) -> Option<Place<'_>> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = file.rsplit_once('.')?;
    let format = match format_of(extension)? {
        Format::Data(_) => return None,
        // Whoever reads the text has taken out of it what is no Markdown.
        Format::Mdx => Format::Markdown,
        format => format,
    };
    // In Hugo the text of a bundle may carry its language: `index.fr.md`.
    let stem = match stem.split_once('.') {
        Some(("index", _)) => "index",
        _ => stem,
    };
    Some(Place::new(kind, format, folders, folders, stem))
}

impl<'path> Place<'path> {
    /// `below` are those of the file's folders that may give an `index` file its name.
    fn new(
        kind: FileKind,
        format: Format,
        folders: &'path str,
        below: &'path str,
        stem: &'path str,
    ) -> Self {
        let nearest_folder = below.rsplit('/').next().unwrap_or_default();
        let name = if stem == "index" && !nearest_folder.is_empty() {
            nearest_folder
        } else {
            stem
        };
        let (date, name) = split_date(name);
        let draft = folders
            .split('/')
            .any(|folder| DRAFT_FOLDERS.contains(&folder));
        Self {
            kind,
            format,
            name,
            date,
            draft,
        }
    }
}

fn format_of(extension: &str) -> Option<Format> {
    Some(match extension {
        "toml" => Format::Data(Language::Toml),
        "yaml" | "yml" => Format::Data(Language::Yaml),
        "md" | "markdown" => Format::Markdown,
        "html" | "htm" => Format::Html,
        "mdx" => Format::Mdx,
        _ => return None,
    })
}

fn fits(kind: FileKind, format: Format) -> bool {
    match kind {
        FileKind::Post | FileKind::Page => !matches!(format, Format::Data(_)),
        FileKind::Author | FileKind::Tag => true,
        FileKind::Site | FileKind::Tier | FileKind::Newsletter => matches!(format, Format::Data(_)),
    }
}

/// Splits `2025-01-05-night-ferry` into its date and `night-ferry`. A name that is only a date stays the name.
fn split_date(name: &str) -> (Option<Date>, &str) {
    let Some((written, rest)) = name.split_at_checked("2025-01-05".len()) else {
        return (None, name);
    };
    let shape = written
        .bytes()
        .enumerate()
        .all(|(index, byte)| match index {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    let Some(date) = shape.then(|| written.parse().ok()).flatten() else {
        return (None, name);
    };
    match rest.strip_prefix(['-', '_']) {
        Some(rest) if !rest.is_empty() => (Some(date), rest),
        _ if rest.is_empty() => (Some(date), name),
        _ => (None, name),
    }
}
