//! Derives kind, name and date of a content file from its path, in a folder with Galley's own layout.
//!
//! | path | kind |
//! |---|---|
//! | `site.toml` | the site's settings |
//! | `posts/…`, `blog/…`, `_posts/…`, `_drafts/…` | a post, in folders of any depth |
//! | `pages/…` | a page |
//! | `authors/…`, `tags/…` | an author, a tag |
//! | `tiers/…`, `newsletters/…` | a tier, a newsletter |
//!
//! Posts and pages end in `.md` (also `.markdown`, `.mkd`, `.mdown` and the like, in any case) or `.html`; settings, tiers and
//! newsletters in `.toml`, `.yaml` or `.yml`; authors and tags in any of these. `NAME/index.md` is equivalent to `NAME.md`,
//! with images next to it. Files below a folder `drafts` or `_drafts` are drafts by default. `README` files and the section
//! files of Hugo and Zola (`_index.md`) are not content. Content may refer to any other file. In another generator's folder,
//! its [`Layout`](crate::content_files::layout::Layout) determines the roles of files.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::{
    content_text::document::Language,
    generators::{DocumentKind, Generator, PathDates, Readme},
};

/// The kind of record that a content file describes.
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

/// Folders at the top of the content folder, and the kinds of their files.
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

/// The syntax of a content file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileSyntax {
    Data(Language),
    Markdown,
    Html,
    /// Markdown with components of a JavaScript framework.
    Mdx,
}

/// The properties that the path of a content file implies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathProperties<'path> {
    pub kind: FileKind,
    pub format: FileSyntax,
    /// The name of the file, or of the folder of an `index` file, without extension and date.
    pub name: &'path str,
    /// The date before the name, as in `2025-01-05-night-ferry.md`.
    pub date: Option<Date>,
    /// Whether the file is in a folder of drafts.
    pub draft: bool,
    /// Further properties, if it is read as a document of another generator.
    pub generator: Option<GeneratorProperties>,
}

/// Further properties of a document of another generator's folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GeneratorProperties {
    /// Its role.
    pub role: GeneratorRole,
    /// The language in its path, if it is not the site's own.
    pub language: Option<String>,
    /// Its folders below the folder of documents, the outermost first.
    pub sections: Vec<String>,
}

/// The role of a document of another generator's folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GeneratorRole {
    /// A post or a page.
    Document(DocumentKind),
    /// A page, if it has a body.
    Section,
}

/// Returns the kind of the file at `path` (relative to the content folder, with `/`); `None` if it is not a content file.
pub fn kind_of(path: &str) -> Option<FileKind> {
    properties_of(path).map(|properties| properties.kind)
}

/// Returns whether the file at `path` is the `index` file of a folder.
pub(crate) fn is_index(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    !folders.is_empty() && file.split('.').next() == Some("index")
}

/// Returns whether the name of the file at `path`, or of its folder, begins with a date.
pub(crate) fn has_date(path: &str) -> bool {
    let mut names = path.rsplit('/');
    let file = names.next().unwrap_or_default();
    let name = if is_index(path) {
        names.next().unwrap_or_default()
    } else {
        file
    };
    split_date(name).0.is_some()
}

/// Returns the name that the path of a content file implies, without folder, date and extension.
pub fn stem_of(path: &str) -> Option<&str> {
    properties_of(path).map(|properties| properties.name)
}

/// Names of files at the top that are about the folder and not content, in lower case and without extension.
const ABOUT_THE_FOLDER: [&str; 8] = [
    "changelog",
    "code_of_conduct",
    "contributing",
    "licence",
    "license",
    "readme",
    "security",
    "todo",
];

/// Returns whether the file at `path` may be a content file in some folder, by its extension.
pub(crate) fn is_content(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension.and_then(format_of).is_some()
}

/// Returns whether the file at `path` is Markdown, by its name.
pub(crate) fn is_markdown(path: &str) -> bool {
    let extension = path.rsplit_once('.').map(|(_, extension)| extension);
    extension
        .and_then(format_of)
        .is_some_and(|format| matches!(format, FileSyntax::Markdown | FileSyntax::Mdx))
}

/// Returns whether the file at `path` is about the folder and not content: `README` anywhere, at the top also `LICENSE` and
/// the like.
pub(super) fn is_about_the_folder(path: &str) -> bool {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if folders.is_empty() {
        ABOUT_THE_FOLDER.contains(&stem.as_str())
    } else {
        stem == "readme"
    }
}

pub(super) fn properties_of(path: &str) -> Option<PathProperties<'_>> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = file.rsplit_once('.')?;
    let format = format_of(extension)?;
    if folders.is_empty() {
        let site = stem == "site" && matches!(format, FileSyntax::Data(_));
        return site.then_some(PathProperties {
            kind: FileKind::Site,
            format,
            name: stem,
            date: None,
            draft: false,
            generator: None,
        });
    }
    let (top, below) = folders.split_once('/').unwrap_or((folders, ""));
    let kind = FOLDERS.iter().find(|(folder, _)| *folder == top)?.1;
    if stem == "_index" || stem.eq_ignore_ascii_case("readme") || !fits(kind, format) {
        return None;
    }
    let rule = PathDates::Names;
    Some(PathProperties::new(
        kind, format, folders, below, stem, rule,
    ))
}

/// Returns the properties that the path of a document of another generator's folder implies. `plain` is its path below the
/// folder of languages, without the language.
pub(super) fn properties_in_project<'path>(
    path: &'path str,
    plain: &str,
    document: GeneratorProperties,
    generator: &dyn Generator,
) -> Option<PathProperties<'path>> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let (stem, extension) = file.rsplit_once('.')?;
    let format = format_of(extension).filter(|format| !matches!(format, FileSyntax::Data(_)))?;
    let plain_file = plain.rsplit_once('/').map_or(plain, |(_, file)| file);
    let plain_stem = plain_file
        .rsplit_once('.')
        .map_or(plain_file, |(stem, _)| stem);
    // Without the language: `index` for `index.fr`.
    let stem = &stem[..plain_stem.len().min(stem.len())];
    let profile = generator.profile();
    let is_index_readme = profile.readme == Readme::Index && stem.eq_ignore_ascii_case("readme");
    let named_by_folder = ["index", "_index", "page", "+page"].contains(&stem) || is_index_readme;
    let is_front_page = stem == "_index";
    let stem = if named_by_folder && (plain.contains('/') || is_front_page) {
        "index"
    } else {
        stem
    };
    let kind = match document.role {
        GeneratorRole::Document(DocumentKind::Post) => FileKind::Post,
        _ => FileKind::Page,
    };
    let rule = profile.dates_of_path;
    // The front page is not named after the folder of documents.
    let naming = if plain.contains('/') { folders } else { "" };
    let properties = PathProperties::new(kind, format, folders, naming, stem, rule);
    Some(PathProperties {
        date: match rule {
            PathDates::First => first_date(path).map(|(date, _)| date),
            PathDates::Names | PathDates::Notes => {
                properties.date.or_else(|| date_of_folders(folders))
            }
        },
        draft: properties.draft || generator.is_draft_name(stem),
        generator: Some(document),
        ..properties
    })
}

/// Returns the date in folder names, as in `2025/09/18/night-ferry.md` and `2025-09-18/night-ferry.md`.
fn date_of_folders(folders: &str) -> Option<Date> {
    let folders: Vec<&str> = folders.split('/').collect();
    // The innermost date wins.
    let of_three = folders.windows(3).rev().find_map(|three| {
        let [year, month, day] = three else {
            return None;
        };
        let fits = is_number(year, 4) && is_number(month, 2) && is_number(day, 2);
        fits.then(|| format!("{year}-{month}-{day}").parse().ok())
            .flatten()
    });
    of_three.or_else(|| {
        let nearest = folders.iter().rev();
        nearest.filter_map(|folder| split_date(folder).0).next()
    })
}

fn is_number(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the date that the folders and the name of a file form together, as in `2025/09/18.md` and `2025/09/18-ferry.md`, and
/// the length of the day and its separator in the name; 0 if the name is only the day.
fn date_of_folders_and_name(folders: &str, stem: &str) -> Option<(Date, usize)> {
    let (above, month) = folders.rsplit_once('/')?;
    let year = above.rsplit('/').next()?;
    let (day, rest) = stem.split_at_checked(2)?;
    if !is_number(year, 4) || !is_number(month, 2) || !is_number(day, 2) {
        return None;
    }
    let date = format!("{year}-{month}-{day}").parse().ok()?;
    match rest.strip_prefix(['-', '_', ' ']) {
        Some(name) if !name.is_empty() => Some((date, stem.len() - name.len())),
        _ => rest.is_empty().then_some((date, 0)),
    }
}

/// Returns the date in the first `YYYY-MM-DD` anywhere in a text, and the text after it. Adjacent digits are permitted, as in
/// Eleventy. `None` if these digits are not a valid date.
fn first_date(text: &str) -> Option<(Date, &str)> {
    const LENGTH: usize = "2025-01-05".len();
    let mut windows = text.as_bytes().windows(LENGTH);
    let start = windows.position(is_date_like)?;
    let date = text.get(start..start + LENGTH)?.parse().ok()?;
    Some((date, &text[start + LENGTH..]))
}

impl<'path> PathProperties<'path> {
    /// `below` is the path of the folders that may name an `index` file; `rule` is the rule for dates.
    fn new(
        kind: FileKind,
        format: FileSyntax,
        folders: &'path str,
        below: &'path str,
        stem: &'path str,
        rule: PathDates,
    ) -> Self {
        let nearest_folder = below.rsplit('/').next().unwrap_or_default();
        let name = if stem == "index" && !nearest_folder.is_empty() {
            nearest_folder
        } else {
            stem
        };
        let of_folders = || {
            let found = date_of_folders_and_name(folders, stem)?;
            // Not for an `index` file, whose name is that of its folder.
            (rule == PathDates::Notes && name == stem).then_some(found)
        };
        let (date, name) = match (rule, of_folders()) {
            (_, Some((date, start))) => (Some(date), &name[start..]),
            (PathDates::First, _) => name_after_date(name),
            (PathDates::Notes, _) => split_date_before(name, &['-', '_', ' ']),
            (PathDates::Names, _) => split_date(name),
        };
        let draft = folders
            .split('/')
            .any(|folder| DRAFT_FOLDERS.contains(&folder));
        Self {
            kind,
            format,
            name,
            date,
            draft,
            generator: None,
        }
    }
}

fn format_of(extension: &str) -> Option<FileSyntax> {
    Some(match extension.to_ascii_lowercase().as_str() {
        "toml" => FileSyntax::Data(Language::Toml),
        "yaml" | "yml" => FileSyntax::Data(Language::Yaml),
        "md" | "markdown" | "mkd" | "mkdn" | "mkdown" | "mdown" | "mdwn" => FileSyntax::Markdown,
        "html" | "htm" => FileSyntax::Html,
        "mdx" => FileSyntax::Mdx,
        _ => return None,
    })
}

fn fits(kind: FileKind, format: FileSyntax) -> bool {
    match kind {
        FileKind::Post | FileKind::Page => !matches!(format, FileSyntax::Data(_)),
        FileKind::Author | FileKind::Tag => true,
        FileKind::Site | FileKind::Tier | FileKind::Newsletter => {
            matches!(format, FileSyntax::Data(_))
        }
    }
}

/// Splits `2025-01-05-night-ferry` into its date and `night-ferry`. A name that is only a date is also returned as the name.
fn split_date(name: &str) -> (Option<Date>, &str) {
    split_date_before(name, &['-', '_'])
}

/// Splits a name into the date at its start and the text after one of these separators.
fn split_date_before<'name>(name: &'name str, separators: &[char]) -> (Option<Date>, &'name str) {
    let Some((written, rest)) = name.split_at_checked("2025-01-05".len()) else {
        return (None, name);
    };
    let is_date = is_date_like(written.as_bytes());
    let Some(date) = is_date.then(|| written.parse().ok()).flatten() else {
        return (None, name);
    };
    match rest.strip_prefix(separators) {
        Some(rest) if !rest.trim().is_empty() => (Some(date), rest.trim_start()),
        _ if rest.is_empty() => (Some(date), name),
        _ => (None, name),
    }
}

/// Returns the first date in a name, and the text after the date and a `-`: `ferry` for `v2-2025-01-05-ferry`. This is
/// Eleventy's rule for slugs.
fn name_after_date(name: &str) -> (Option<Date>, &str) {
    let Some((date, rest)) = first_date(name) else {
        return (None, name);
    };
    let rest = rest.strip_prefix('-').filter(|rest| !rest.is_empty());
    (Some(date), rest.unwrap_or(name))
}

fn is_date_like(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().all(|(index, byte)| match index {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    })
}
