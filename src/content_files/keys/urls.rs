//! URLs of a document on a site of another generator: they supply its slug, its date, and redirects from old links.

use jiff::civil::Date;
use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::{
    content_files::keys::{
        FieldType, Reader, same_name,
        words::{Slug, last_part},
    },
    content_text::{
        Spanned,
        document::{Kind, Value},
    },
    domain::former_path::{FORMER_PATH_BYTES_MAX, normal_path},
    generators::Aliases,
    render::{slug, slug::Kind as SlugKind},
};

/// A former URL, which redirects to the post.
pub struct FormerUrl;

impl FieldType for FormerUrl {
    type Value = Spanned<String>;
    const WANTED: &'static str = "a path";
    const EXAMPLE: &'static str = "\"/2020/01/about/\"";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Spanned<String>> {
        // In notes of Obsidian and Quartz, aliases are names of the note.
        if reader.rules.aliases == Aliases::Names {
            return None;
        }
        let Some(text) = reader.text(value) else {
            reader.wrong_type::<Self>(value, name);
            return None;
        };
        let path = whole_path(text.trim(), reader);
        if path.is_none() && !text.trim().is_empty() {
            reader.warning(
                value.span,
                format!("`{name}` has no effect: this is not a path that the post can have"),
                "write it as /2020/01/about/, without `?`",
            );
        }
        Some(Spanned::new(path?, value.span))
    }

    fn schema() -> Json {
        json!({ "type": "string", "maxLength": FORMER_PATH_BYTES_MAX })
    }
}

/// Returns the path, relative to the root of the site, that `written` refers to.
fn whole_path(written: &str, reader: &Reader<'_>) -> Option<String> {
    let path = match written.split_once("://") {
        Some((scheme, rest)) if !scheme.contains('/') => rest.find('/').map(|at| &rest[at..])?,
        _ => written,
    };
    let path = path.split('#').next().unwrap_or_default();
    if path.is_empty() || path.contains('?') {
        return None;
    }
    let section = match reader.rules.aliases {
        Aliases::OfSection(top) if !path.starts_with('/') => section(reader.source.path(), top),
        _ => "",
    };
    normal_path(&format!("/{section}/{path}"))
}

/// Returns the section of the page of the file at `path`, below the folder `top`.
fn section<'p>(path: &'p str, top: &str) -> &'p str {
    let path = path
        .strip_prefix(top)
        .and_then(|rest| rest.strip_prefix('/'))
        .unwrap_or(path);
    let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
    let is_index = file.split('.').next() == Some("index");
    if is_index {
        // The page is the folder itself.
        folder.rsplit_once('/').map_or("", |(section, _)| section)
    } else {
        folder
    }
}

/// The URL of a document according to its front matter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DocumentUrl {
    /// The last part of the path.
    pub slug: Option<Spanned<String>>,
    /// The complete path.
    #[serde(skip)]
    pub path: Option<Spanned<String>>,
    /// The date in the path.
    #[serde(skip)]
    pub date: Option<Date>,
    /// Whether the generator writes no page for the document.
    #[serde(skip)]
    pub is_nowhere: bool,
}

/// A URL on a site of another generator (`/about/`, `/2020/01/about.html`), whose last part becomes the slug.
pub struct Permalink;

impl FieldType for Permalink {
    type Value = Spanned<DocumentUrl>;
    const WANTED: &'static str = "a path";
    const EXAMPLE: &'static str = "\"/about/\"";

    fn read(value: &Value, name: &str, reader: &mut Reader<'_>) -> Option<Self::Value> {
        let url = match &value.value {
            Kind::Text(path) => DocumentUrl::at(path.trim(), value, reader),
            // Eleventy writes no page for a document with `permalink: false`.
            Kind::Boolean(false) if reader.is_lenient() && same_name(name, "permalink") => {
                Some(DocumentUrl::nowhere())
            }
            // Eleventy uses tables for computed pages.
            Kind::Table(_) | Kind::Boolean(_) if reader.is_lenient() => return None,
            _ => None,
        };
        if url.is_none() && !is_computed(value, reader) {
            let message = format!("`{name}` has no effect: its last part is not a slug");
            reader.warning(value.span, message, "set `slug` instead");
        }
        Some(Spanned::new(url?, value.span))
    }

    fn schema() -> Json {
        json!({ "type": "string" })
    }
}

/// Returns whether a value is not a path of this document alone: a pattern of another generator, the name of a style, or the
/// URL of another site.
fn is_computed(value: &Value, reader: &Reader<'_>) -> bool {
    let Kind::Text(path) = &value.value else {
        return false;
    };
    // Jekyll's names for patterns of permalinks.
    let styles = ["date", "none", "ordinal", "pretty", "weekdate"];
    reader.is_lenient() && (styles.contains(&path.trim()) || is_pattern(path))
}

fn is_pattern(path: &str) -> bool {
    // Placeholders of Jekyll and Hugo, templates, URLs of other sites, and JavaScript.
    let parts = ["/:", "{{", "{%", "://", "${"];
    path.starts_with(':') || parts.iter().any(|part| path.contains(part))
}

impl DocumentUrl {
    fn nowhere() -> Self {
        Self {
            slug: None,
            path: None,
            date: None,
            is_nowhere: true,
        }
    }

    fn at(path: &str, value: &Value, reader: &Reader<'_>) -> Option<Self> {
        if reader.is_lenient() && is_computed(value, reader) {
            return None;
        }
        // In Galley's own files, `permalink` must be a path, not a single word.
        let last = last_part(path).filter(|_| path.contains('/') || reader.is_lenient())?;
        let slug = match Slug::fits(last) {
            true => last.to_owned(),
            false if reader.is_lenient() && last.chars().any(char::is_alphanumeric) => {
                slug::from_text(SlugKind::Post, last, "")
            }
            false => return None,
        };
        let is_whole = path.contains('/') && !is_pattern(path);
        let whole = is_whole.then(|| normal_path(&format!("/{path}")));
        Some(Self {
            slug: Some(Spanned::new(slug, value.span)),
            date: date_in(path),
            path: whole.flatten().map(|path| Spanned::new(path, value.span)),
            is_nowhere: false,
        })
    }
}

/// Returns the date in a path such as `/2025/09/18/night-ferry/`.
fn date_in(path: &str) -> Option<Date> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.windows(3).find_map(|parts| {
        let [year, month, day] = parts else {
            return None;
        };
        let is_date = year.len() == 4 && month.len() <= 2 && day.len() <= 2;
        let date = || Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?).ok();
        is_date.then(date).flatten()
    })
}
