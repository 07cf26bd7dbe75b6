//! Reads the settings of MkDocs: folders, titles in the navigation, URLs, the blog, translations and snippets.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value as Json, json};

use crate::{
    content_text::{
        Span, Spanned,
        document::{Kind, Table, Value},
    },
    generators::{
        mkdocs::extensions,
        permalink::{PatternRule, UrlRules},
        profile::{DocumentKind, Role},
        settings::{
            ProjectSettings,
            default_values::DefaultValues,
            literals::{clean, data_in, inner, text, texts, value},
        },
    },
};

/// The name of the settings file of Zensical, without extension.
pub(super) const ZENSICAL: &str = "zensical";

/// Maximum number of titles in the navigation. Further ones are ignored.
const TITLES_MAX: usize = 5_000;

/// The extension that requires a space after the marks of headings.
pub(super) const SANE_HEADERS: &str = "pymdownx.saneheaders";

/// The extension that nests lists by two spaces.
pub(super) const SANE_LISTS: &str = "mdx_truly_sane_lists";

/// The site variable that is set if bulleted and numbered lists are separate.
pub(super) const SEPARATE_LISTS: &str = "sane_lists";

/// The site variable that is set if keys have markup: `++ctrl+c++`.
pub(super) const KEYS: &str = "pymdownx.keys";

/// The site variable that is set if the project has an extension for formulas.
pub(super) const MATH: &str = "markdown.math";

/// The site variable that is set if notes link to each other by name: `[[note]]`.
pub(super) const WIKILINKS: &str = "plugins.wikilinks";

/// The plugins for links by name.
const WIKILINK_PLUGINS: [&str; 4] = [
    "ezlinks",
    "obsidian-bridge",
    "obsidian-support",
    "roamlinks",
];

const UNPUBLISHED: &str = "`exclude_docs` or `draft_docs` of mkdocs.yml excludes it";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let (stem, table) = table_in(root);
    let docs = text(&table, "docs_dir").map_or_else(|| "docs".to_owned(), |docs| clean(&docs));
    let in_docs = |path: &str| match docs.as_str() {
        "" => path.to_owned(),
        docs => format!("{docs}/{path}"),
    };
    let mut settings = ProjectSettings {
        roots: vec![docs.clone()],
        served_folders: vec![docs.clone()],
        urls: UrlRules {
            style: if is_false(&table, "use_directory_urls") {
                "html".to_owned()
            } else {
                String::new()
            },
            ..UrlRules::default()
        },
        ..ProjectSettings::default()
    };
    for pattern in ["exclude_docs", "draft_docs"]
        .iter()
        .filter_map(|key| text(&table, key))
        .flat_map(|patterns| patterns.lines().map(str::to_owned).collect::<Vec<_>>())
    {
        settings.rules.extend(excluded(&pattern, &docs));
    }
    if let Some(blog) = plugin(&table, "blog").or_else(|| plugin(&table, "material/blog")) {
        settings.add_blog(blog, &in_docs);
    }
    if let Some(i18n) = plugin(&table, "i18n") {
        settings.add_translations(i18n);
    }
    let by_name = extensions::by_name(&table);
    settings.dialect = Some(extensions::dialect(&by_name));
    settings.problems = extensions::problems(root, stem, &by_name);
    settings.set_url(&text(&table, "site_url").unwrap_or_default());
    settings.site = site_of(&table);
    let mut titles = Vec::new();
    if let Some(nav) = value(&table, "nav") {
        titles_in(nav, &mut titles);
    }
    // The titles are default values, because the title in the front matter takes precedence.
    settings.defaults = titles
        .into_iter()
        .map(|(title, path)| values_of(&in_docs(&clean(&path)), "title", json!(title)))
        .collect();
    let redirects = plugin(&table, "redirects").flatten();
    let redirects = redirects.and_then(|redirects| inner(redirects, "redirect_maps"));
    settings.defaults.extend(
        former_urls(redirects)
            .into_iter()
            .map(|(path, urls)| values_of(&in_docs(&path), "aliases", json!(urls))),
    );
    settings
}

/// Returns the name of the settings file, without extension, and the settings. Zensical, the successor of Material for
/// MkDocs, has the same settings, which may be below `project`, and default extensions.
fn table_in(root: &Path) -> (&'static str, Table) {
    if let Some(table) = data_in(root, "mkdocs") {
        return ("mkdocs", table);
    }
    let table = data_in(root, ZENSICAL).unwrap_or_default();
    let mut table = inner(&table, "project").cloned().unwrap_or(table);
    if value(&table, "markdown_extensions").is_none() {
        let names = extensions::OF_ZENSICAL.iter();
        let names = names.map(|name| Spanned::new(Kind::Text((*name).to_owned()), Span::default()));
        let key = Spanned::new("markdown_extensions".to_owned(), Span::default());
        let names = Spanned::new(Kind::List(names.collect()), Span::default());
        table.entries.push((key, names));
    }
    (ZENSICAL, table)
}

impl ProjectSettings {
    /// Adds the rules of the blog plugin.
    fn add_blog(&mut self, blog: Option<&Table>, in_docs: &dyn Fn(&str) -> String) {
        let option = |key: &str| blog.and_then(|blog| text(blog, key));
        let folder = option("blog_dir").map_or_else(|| "blog".to_owned(), |folder| clean(&folder));
        let at_blog = |path: &str| match folder.as_str() {
            "" => path.to_owned(),
            folder => format!("{folder}/{path}"),
        };
        let posts = option("post_dir").map(|posts| posts.replace("{blog}", &folder));
        let posts = posts.map_or_else(|| at_blog("posts"), |posts| clean(&posts));
        let posts = in_docs(&posts);
        self.rules
            .push((format!("{posts}/**"), Role::Document(DocumentKind::Post)));
        self.rules
            .push((in_docs(&at_blog("index.md")), Role::Section));
        let format = option("post_url_format").unwrap_or_else(|| "{date}/{slug}".to_owned());
        self.urls.patterns.push(PatternRule {
            folder: posts,
            kind: "posts".to_owned(),
            pattern: at_blog(&format),
        });
    }

    /// Adds the languages in the options of the translation plugin.
    fn add_translations(&mut self, i18n: Option<&Table>) {
        let languages = i18n.and_then(|i18n| value(i18n, "languages"));
        let Some(Kind::List(languages)) = languages.map(|languages| &languages.value) else {
            return;
        };
        for language in languages {
            let Kind::Table(language) = &language.value else {
                continue;
            };
            let Some(locale) = text(language, "locale") else {
                continue;
            };
            let is_default = matches!(
                value(language, "default").map(|value| &value.value),
                Some(Kind::Boolean(true))
            );
            if is_default {
                self.language = Some(locale.clone());
            }
            self.languages.push(locale);
        }
    }
}

fn is_false(table: &Table, key: &str) -> bool {
    matches!(
        value(table, key).map(|value| &value.value),
        Some(Kind::Boolean(false))
    )
}

/// Returns the options of a plugin, which are `None` if it is listed by name only. Returns `None` if the plugin is not used.
fn plugin<'t>(table: &'t Table, name: &str) -> Option<Option<&'t Table>> {
    entry_of(value(table, "plugins")?, name)
}

/// Returns the options of the entry `name` of a list of names and tables, or of a table.
fn entry_of<'t>(entries: &'t Value, name: &str) -> Option<Option<&'t Table>> {
    let of_table = |table: &'t Table| {
        let options = value(table, name)?;
        Some(match &options.value {
            Kind::Table(options) => Some(options),
            _ => None,
        })
    };
    match &entries.value {
        Kind::Table(table) => of_table(table),
        Kind::List(list) => list.iter().find_map(|entry| match &entry.value {
            Kind::Text(known) if known == name => Some(None),
            Kind::Table(table) => of_table(table),
            _ => None,
        }),
        _ => None,
    }
}

/// Returns the site variables, including the folders of snippets.
fn site_of(table: &Table) -> Map<String, Json> {
    let mut site = Map::new();
    if let Some(name) = text(table, "site_name") {
        site.insert("title".to_owned(), json!(name));
    }
    let extensions = value(table, "markdown_extensions");
    for name in [SANE_LISTS, SANE_HEADERS, KEYS] {
        if extensions.is_some_and(|extensions| entry_of(extensions, name).is_some()) {
            site.insert(name.to_owned(), json!(true));
        }
    }
    let has_extension =
        |name: &&str| extensions.is_some_and(|extensions| entry_of(extensions, name).is_some());
    if ["sane_lists", "markdown.extensions.sane_lists"]
        .iter()
        .any(has_extension)
    {
        site.insert(SEPARATE_LISTS.to_owned(), json!(true));
    }
    if extensions::MATH.iter().any(has_extension) {
        site.insert(MATH.to_owned(), json!(true));
    }
    let plugins = value(table, "plugins");
    let has = |name: &&str| plugins.is_some_and(|plugins| entry_of(plugins, name).is_some());
    if WIKILINK_PLUGINS.iter().any(has) {
        site.insert(WIKILINKS.to_owned(), json!(true));
    }
    let snippets = extensions.and_then(|extensions| entry_of(extensions, "pymdownx.snippets"));
    let options = snippets.flatten();
    let folders = options.map(|options| {
        let one = text(options, "base_path");
        let all = texts(options, "base_path");
        one.into_iter().chain(all).collect::<Vec<_>>()
    });
    site.insert("snippets".to_owned(), json!(folders.unwrap_or_default()));
    site
}

/// Returns the rules for a line of `exclude_docs` or `draft_docs`, which is a pattern as in `.gitignore`.
fn excluded(pattern: &str, docs: &str) -> Vec<(String, Role)> {
    let pattern = pattern.trim();
    if pattern.is_empty() || pattern.starts_with(['#', '!']) {
        return Vec::new();
    }
    let role = Role::LeftOut(UNPUBLISHED);
    // As in `.gitignore`, a slash within a pattern makes it relative to the
    // folder, and other patterns match at any depth.
    let is_anchored = pattern.trim_end_matches('/').contains('/');
    let pattern = pattern.trim_start_matches('/').trim_end_matches('/');
    let start = match docs {
        "" => String::new(),
        docs => format!("{docs}/"),
    };
    let start = if is_anchored {
        start
    } else {
        format!("{start}**/")
    };
    vec![
        (format!("{start}{pattern}"), role),
        (format!("{start}{pattern}/**"), role),
    ]
}

/// Collects the titles in the navigation, with the paths of the documents below the folder of documents.
fn titles_in(nav: &Value, titles: &mut Vec<(String, String)>) {
    if let Kind::List(entries) = &nav.value {
        for entry in entries {
            let Kind::Table(entry) = &entry.value else {
                continue;
            };
            for (title, target) in &entry.entries {
                match &target.value {
                    Kind::Text(path) if path.ends_with(".md") && titles.len() < TITLES_MAX => {
                        titles.push((title.value.clone(), path.clone()));
                    }
                    _ => titles_in(target, titles),
                }
            }
        }
    }
}

/// Returns the former URLs in the maps of the plugin `redirects`, by the path of the document's file.
fn former_urls(redirects: Option<&Table>) -> BTreeMap<String, Vec<String>> {
    let mut urls: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let entries = redirects.iter().flat_map(|table| &table.entries);
    for (old, target) in entries.take(TITLES_MAX) {
        let Kind::Text(target) = &target.value else {
            continue;
        };
        // Documents have no redirects to their headings, so the fragment is ignored.
        let target = target.split('#').next().unwrap_or_default();
        let old = clean(old.value.trim_end_matches(".md"));
        let url = match old.strip_suffix("/index").unwrap_or(&old) {
            "" | "index" => continue,
            path => format!("/{path}/"),
        };
        if target.ends_with(".md") && !target.contains("://") {
            urls.entry(clean(target)).or_default().push(url);
        }
    }
    urls
}

/// Returns default values with one value for the document at `path` only.
fn values_of(path: &str, key: &str, value: Json) -> DefaultValues {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut values = Map::new();
    values.insert(key.to_owned(), value);
    DefaultValues {
        folder: folder.to_owned(),
        patterns: vec![literal_pattern(path)],
        values,
        ..DefaultValues::default()
    }
}

/// Returns a pattern that matches only `path`.
fn literal_pattern(path: &str) -> String {
    let mut pattern = String::with_capacity(path.len());
    for character in path.chars() {
        if "*?[]{}!".contains(character) {
            pattern.extend(['[', character, ']']);
        } else {
            pattern.push(character);
        }
    }
    pattern
}
