//! The path at which the generator of a folder publishes a document. It redirects to the post, and links in other documents
//! to it are resolved.
//!
//! No code of the project is run: paths come from file names, front matter and patterns in the settings (`permalinks` of
//! Hugo, `permalink` of Jekyll and Hexo, `routeBasePath` of Docusaurus). A pattern with unknown placeholders gives no path.

use jiff::civil::Date;
use serde_json::{Map, Value};

use crate::{
    content_files::layout::Layout,
    domain::former_path::normal_path,
    generators::{PathRule, Role, TextKind, permalink},
    render::slug::{self, Kind},
};

/// The properties of a document that its path depends on.
pub struct DocumentFacts<'a> {
    /// The layout of the folder.
    pub layout: &'a Layout,
    /// The path of its file in the content folder.
    pub path: &'a str,
    /// Its language, if it differs from the site's.
    pub language: Option<&'a str>,
    /// Its front matter.
    pub page: &'a Map<String, Value>,
    /// Its title.
    pub title: &'a str,
    /// The date in the path of its file.
    pub date_of_path: Option<Date>,
    /// The date in its front matter, in the site's time zone.
    pub date: Option<Date>,
}

/// The folders and the name of a file, without extension and date.
struct Location<'p> {
    folders: Vec<&'p str>,
    /// Without the extension.
    stem: &'p str,
}

impl<'p> Location<'p> {
    fn of(path: &'p str) -> Self {
        let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        Self {
            folders: folders
                .split('/')
                .filter(|folder| !folder.is_empty())
                .collect(),
            stem,
        }
    }

    /// Removes the folders up to the one called `name`, if any.
    fn below(mut self, name: &str) -> Self {
        if let Some(place) = self.folders.iter().position(|folder| *folder == name) {
            self.folders.drain(..=place);
        }
        self
    }

    fn joined(&self, name: &str) -> String {
        let folders = self.folders.iter().copied();
        let parts: Vec<&str> = folders.chain([name]).collect();
        parts.join("/")
    }

    /// Returns the path of a page with a folder of its own: an `index` file is the folder itself.
    fn page(&self, index: &[&str]) -> String {
        if index.contains(&self.stem) {
            self.folders.join("/")
        } else {
            self.joined(self.stem)
        }
    }
}

impl DocumentFacts<'_> {
    /// Returns the path at which the generator publishes the document, in the form of former URLs.
    pub fn published_path(&self) -> Option<String> {
        let (in_project, below_root) = self.layout.path_in_project(self.path)?;
        let path = match self.layout.profile().paths {
            PathRule::None => None,
            PathRule::Files => Some(Location::of(&below_root).page(&["index"])),
            PathRule::Hugo => self.hugo(&below_root),
            PathRule::Zola => self.zola(&below_root),
            PathRule::Jekyll => self.jekyll(&below_root),
            PathRule::Hexo => self.hexo(&below_root),
            PathRule::Eleventy => self.eleventy(&in_project),
            PathRule::Astro => self.astro(&in_project),
            PathRule::Next => Some(next(&in_project)),
            PathRule::Docusaurus => self.docusaurus(&in_project),
            PathRule::Obsidian => {
                let path = Location::of(&below_root).page(&[]);
                Some(path.replace(' ', "+"))
            }
            PathRule::MdBook => {
                let location = Location::of(&below_root);
                let page = location.page(&["README", "index"]);
                let is_index = ["README", "index"].contains(&location.stem);
                Some(if is_index { page } else { page + ".html" })
            }
        }?;
        let prefix = match self.language {
            Some(language) => language,
            None => &self.layout.settings().addresses.prefix,
        };
        normal_path(&format!("/{prefix}/{path}"))
    }

    fn text(&self, key: &str) -> Option<&str> {
        let text = self.page.get(key)?.as_str()?.trim();
        (!text.is_empty()).then_some(text)
    }

    /// Returns the date for patterns: that of the front matter, else that of the file's path.
    fn date(&self) -> Option<Date> {
        let written = ["date", "publishDate", "pubDate", "published"];
        let written = written.iter().find_map(|key| self.text(key));
        let as_written = written.and_then(|date| date.get(..10)?.parse().ok());
        as_written.or(self.date).or(self.date_of_path)
    }

    /// Returns the stem of a file without its date prefix.
    fn without_date<'s>(&self, stem: &'s str) -> &'s str {
        let Some(rest) = stem.get("2026-01-02".len()..) else {
            return stem;
        };
        let is_date = stem[..10].parse::<Date>().is_ok();
        let rest = rest.strip_prefix(['-', '_']);
        rest.filter(|rest| is_date && !rest.is_empty())
            .unwrap_or(stem)
    }

    fn pattern(&self, kind: &str) -> Option<&str> {
        let (in_project, _) = self.layout.path_in_project(self.path)?;
        let rules = &self.layout.settings().addresses;
        rules.pattern(&in_project, kind)
    }

    fn hugo(&self, below_root: &str) -> Option<String> {
        let mut location = Location::of(below_root);
        let is_list = location.stem == "_index" || below_root.starts_with("index.");
        if !is_list && location.stem == "index" {
            location.stem = location.folders.pop()?;
        }
        let location = &location;
        let name = location.stem;
        let urlized = |path: &str| -> String {
            let parts = path.split('/').map(permalink::hugo_path);
            parts.collect::<Vec<_>>().join("/")
        };
        let slug = self.text("slug");
        let value = |token: &str| {
            let sections = location.folders.join("/");
            Some(match token {
                "section" => location
                    .folders
                    .first()
                    .copied()
                    .unwrap_or_default()
                    .to_owned(),
                "sections" => sections,
                "title" => self.title.to_owned(),
                "slug" => slug.unwrap_or(self.title).to_owned(),
                "slugorfilename" | "slugorcontentbasename" => slug.unwrap_or(name).to_owned(),
                "filename" | "contentbasename" => name.to_owned(),
                token => match permalink::section_range(token, &location.folders) {
                    Some(sections) => sections,
                    None => permalink::date_part(token, self.date()?)?,
                },
            })
        };
        if let Some(url) = self.text("url") {
            return permalink::expand(url, value);
        }
        if is_list {
            return Some(urlized(&location.folders.join("/")));
        }
        let section = location.folders.first().copied().unwrap_or_default();
        match self.pattern(section) {
            Some(pattern) => permalink::expand(pattern, |token| {
                let value = value(token)?;
                Some(if token.starts_with("section") {
                    urlized(&value)
                } else {
                    permalink::hugo_path(&value.replace('/', "-"))
                })
            }),
            None => Some(urlized(&location.joined(slug.unwrap_or(name)))),
        }
    }

    fn zola(&self, below_root: &str) -> Option<String> {
        if let Some(path) = self.text("path") {
            return Some(path.to_owned());
        }
        let mut location = Location::of(below_root);
        let slugs = |folders: &[&str]| {
            let parts = folders
                .iter()
                .map(|part| slug::from_text(Kind::Post, part, ""));
            parts.collect::<Vec<_>>().join("/")
        };
        if location.stem == "_index" {
            return Some(slugs(&location.folders));
        }
        if location.stem == "index" {
            location.stem = location.folders.pop()?;
        }
        let name = self
            .text("slug")
            .unwrap_or(self.without_date(location.stem));
        location.folders.push(name);
        Some(slugs(&location.folders))
    }

    fn jekyll(&self, below_root: &str) -> Option<String> {
        let location = Location::of(below_root);
        let of_posts = |folder: &&str| ["_posts", "_drafts"].contains(folder);
        let posts_at = location.folders.iter().position(of_posts);
        let kind = permalink::jekyll_kind(&location.folders);
        let style = match self.layout.settings().addresses.style.as_str() {
            "" => "date",
            style => style,
        };
        let own = self.text("permalink");
        let of_default = || self.pattern(kind);
        let pattern = match own.or_else(of_default) {
            Some(pattern) => permalink::jekyll_style(pattern, kind).to_owned(),
            None => permalink::jekyll_default(style, kind, location.stem == "index"),
        };
        let name = self.without_date(location.stem);
        let slug = self.text("slug").unwrap_or(name);
        let above: Vec<&str> = match posts_at {
            Some(place) => location.folders[..place].to_vec(),
            None => Vec::new(),
        };
        let below: Vec<&str> = match (posts_at, kind) {
            (Some(place), _) => location.folders[place + 1..].to_vec(),
            (None, "pages") => location.folders.clone(),
            (None, _) => {
                let of_collection = |folder: &&str| folder.strip_prefix('_') == Some(kind);
                let place = location.folders.iter().position(of_collection);
                location.folders[place.map_or(0, |place| place + 1)..].to_vec()
            }
        };
        permalink::expand(&pattern, |token| {
            Some(match token {
                "title" => permalink::jekyll_title(slug),
                "slug" => permalink::jekyll_slug(slug),
                "name" | "basename" => location.stem.to_owned(),
                "path" if kind == "pages" => below.join("/"),
                "path" => {
                    let parts = below.iter().copied().chain([location.stem]);
                    parts.collect::<Vec<_>>().join("/")
                }
                "collection" => kind.to_owned(),
                "output_ext" => ".html".to_owned(),
                "categories" | "slugified_categories" => {
                    let is_plain = token == "categories";
                    let mut categories: Vec<String> = Vec::new();
                    let named = above.iter().map(|folder| (*folder).to_owned());
                    for category in named.chain(self.categories()) {
                        let category = if is_plain {
                            category.to_lowercase()
                        } else {
                            permalink::jekyll_slug(&category)
                        };
                        if !categories.contains(&category) {
                            categories.push(category);
                        }
                    }
                    categories.join("/")
                }
                token => permalink::date_part(token, self.date()?)?,
            })
        })
    }

    /// Returns the categories of the front matter: each word of a single string in `categories` is one.
    fn categories(&self) -> Vec<String> {
        let of = |key: &str| self.page.get(key);
        match of("categories").or_else(|| of("category")) {
            Some(Value::String(name)) if of("categories").is_none() => vec![name.clone()],
            Some(Value::String(words)) => words.split_whitespace().map(str::to_owned).collect(),
            Some(Value::Array(list)) => {
                let names = list.iter().filter_map(Value::as_str);
                names.map(str::to_owned).collect()
            }
            _ => Vec::new(),
        }
    }

    fn hexo(&self, below_root: &str) -> Option<String> {
        let location = Location::of(below_root);
        let is_post = ["_posts", "_drafts"]
            .iter()
            .any(|folder| location.folders.contains(folder));
        if !is_post {
            return Some(match self.text("permalink") {
                Some(permalink) => permalink.to_owned(),
                None if location.stem == "index" => location.folders.join("/"),
                None => location.joined(location.stem) + ".html",
            });
        }
        let location = location.below("_posts").below("_drafts");
        let name = location.joined(location.stem);
        let style = self.layout.settings().addresses.style.as_str();
        let style = Some(style).filter(|style| !style.is_empty());
        let pattern = self.text("permalink").or(style);
        permalink::expand(pattern.unwrap_or(":year/:month/:day/:title/"), |token| {
            Some(match token {
                "title" => name.clone(),
                "name" => location.stem.to_owned(),
                "post_title" => permalink::hugo_path(self.title),
                "category" => self.categories().into_iter().next()?.to_lowercase(),
                token => permalink::date_part(token, self.date()?)?,
            })
        })
    }

    fn eleventy(&self, in_project: &str) -> Option<String> {
        let input = &self.layout.settings().addresses.input;
        let below = in_project
            .strip_prefix(input.as_str())
            .unwrap_or(in_project);
        let location = Location::of(below);
        let name = location.stem;
        let is_folder = name == "index" || location.folders.last() == Some(&name);
        let page = if is_folder {
            location.folders.join("/")
        } else {
            location.joined(name)
        };
        let pattern = self.text("permalink").or_else(|| self.pattern(""));
        let Some(pattern) = pattern else {
            return Some(page);
        };
        let file_slug = match name {
            "index" => location.folders.last().copied().unwrap_or_default(),
            name => self.without_date(name),
        };
        permalink::fill(pattern, |value| {
            let slugify = |text: &str| slug::from_text(Kind::Post, text, "");
            let (wanted, filter) = match value.split_once('|') {
                Some((name, filter)) => (name.trim(), filter.trim()),
                None => (value.trim(), ""),
            };
            let text = match wanted {
                "page.fileSlug" => file_slug.to_owned(),
                "page.filePathStem" => format!("/{}", location.joined(name)),
                "title" => self.title.to_owned(),
                wanted => self.text(wanted)?.to_owned(),
            };
            match filter {
                "" | "safe" => Some(text),
                "slug" | "slugify" => Some(slugify(&text)),
                _ => None,
            }
        })
    }

    fn astro(&self, in_project: &str) -> Option<String> {
        let location = Location::of(in_project);
        if let ["src", "pages", below @ ..] = location.folders.as_slice() {
            let location = Location {
                folders: below.to_vec(),
                stem: location.stem,
            };
            return Some(location.page(&["index"]));
        }
        let ["src", "content", collection, below @ ..] = location.folders.as_slice() else {
            return None;
        };
        let id = match self.text("slug") {
            Some(slug) => slug.to_owned(),
            None => {
                let parts = below.iter().copied().chain([location.stem]);
                let parts = parts.filter(|part| *part != "index");
                parts
                    .map(permalink::github_slug)
                    .collect::<Vec<_>>()
                    .join("/")
            }
        };
        let above = self.pattern("").unwrap_or(collection);
        Some(format!("{above}/{id}"))
    }

    fn docusaurus(&self, in_project: &str) -> Option<String> {
        let location = Location::of(in_project);
        if let ["src", "pages", below @ ..] = location.folders.as_slice() {
            let location = Location {
                folders: below.to_vec(),
                stem: location.stem,
            };
            return Some(location.page(&["index"]));
        }
        let rules = &self.layout.settings().addresses;
        // The folders of documents may be nested or outside the project.
        let folders = rules.patterns.iter().map(|rule| rule.folder.as_str());
        let tops = self.layout.settings().tops.iter().map(String::as_str);
        let is_in = |folder: &&str| {
            in_project
                .strip_prefix(*folder)
                .is_some_and(|rest| !folder.is_empty() && rest.starts_with('/'))
        };
        let known = folders
            .chain(tops)
            .filter(is_in)
            .max_by_key(|folder| folder.len());
        let top = match known {
            Some(folder) => folder,
            None => *location.folders.first()?,
        };
        let location = Location::of(&in_project[top.len() + 1..]);
        let name = top.rsplit('/').next().unwrap_or(top);
        let route = rules
            .pattern(in_project, "")
            .unwrap_or(name)
            .trim_matches('/');
        let slug = self.text("slug");
        let role = self.layout.reason(self.path).role;
        if role == Role::Text(TextKind::Post) {
            let below = match slug {
                Some(slug) => slug.to_owned(),
                None => permalink::docusaurus_post(&location.page(&["index"])),
            };
            return Some(format!("{route}/{below}"));
        }
        let mut location = location;
        for folder in &mut location.folders {
            *folder = permalink::without_number(folder);
        }
        let name = permalink::without_number(location.stem);
        let folder = location.folders.last().copied().unwrap_or_default();
        let is_index = ["index", "readme"].contains(&name.to_ascii_lowercase().as_str())
            || name.eq_ignore_ascii_case(folder);
        let below = match slug {
            Some(slug) if slug.starts_with('/') => slug.to_owned(),
            Some(slug) => location.joined(slug.trim_start_matches("./")),
            None if is_index && self.text("id").is_none() => location.folders.join("/"),
            None => location.joined(self.text("id").unwrap_or(name)),
        };
        Some(format!("{route}/{below}"))
    }
}

/// Returns the path of a page of Next: folders in brackets are route groups and not part of it.
fn next(in_project: &str) -> String {
    let mut location = Location::of(in_project);
    if location.folders.first() == Some(&"src") {
        location.folders.remove(0);
    }
    let roots = ["_content", "app", "content", "contents", "data", "pages"];
    if location
        .folders
        .first()
        .is_some_and(|folder| roots.contains(folder))
    {
        location.folders.remove(0);
    }
    location.folders.retain(|folder| !folder.starts_with('('));
    location.page(&["index", "page"])
}
