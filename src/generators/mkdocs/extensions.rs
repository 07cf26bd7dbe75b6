//! The Markdown extensions and plugins of an MkDocs project. Both may be lists of names and tables, or tables.

use std::path::Path;

use crate::{
    content_text::{
        Diagnostic, Spanned,
        document::{Kind, Table, Value},
    },
    generators::{
        mkdocs::reference::{ROWS, UNKNOWN_EXTENSION},
        settings::{
            literals::{inner, text_at, value},
            reference::{SettingUse, unsupported_in_data, unsupported_key},
        },
    },
    render::markdown::{Alerts, BareLinks, Dialect, HeadingRule, Math, Typography},
};

/// The prefix in full names of Python-Markdown's extensions.
const FULL_NAME: &str = "markdown.extensions.";

/// The packages of extensions.
const PACKAGES: [&str; 2] = ["pymdownx", "zensical"];

/// Extensions for formulas.
pub(super) const MATH: [&str; 4] = [
    "markdown_katex",
    "mdx_math",
    "pymdownx.arithmatex",
    "python_markdown_mathjax",
];

/// The default extensions of Zensical, without those whose syntax is not supported.
pub(super) const OF_ZENSICAL: [&str; 20] = [
    "abbr",
    "admonition",
    "attr_list",
    "def_list",
    "footnotes",
    "md_in_html",
    "toc",
    "pymdownx.arithmatex",
    "pymdownx.betterem",
    "pymdownx.details",
    "pymdownx.emoji",
    "pymdownx.highlight",
    "pymdownx.inlinehilite",
    "pymdownx.keys",
    "pymdownx.magiclink",
    "pymdownx.mark",
    "pymdownx.smartsymbols",
    "pymdownx.superfences",
    "pymdownx.tabbed",
    "pymdownx.tasklist",
];

/// Returns the settings with extensions and plugins converted to tables by name.
pub(super) fn by_name(table: &Table) -> Table {
    let mut table = table.clone();
    for (key, value) in &mut table.entries {
        if !matches!(key.value.as_str(), "markdown_extensions" | "plugins") {
            continue;
        }
        let entries: Vec<(Spanned<String>, Value)> = match &value.value {
            Kind::List(entries) => entries.iter().flat_map(entries_of).collect(),
            Kind::Table(table) => table.entries.iter().flat_map(of_package).collect(),
            _ => continue,
        };
        value.value = Kind::Table(Table { entries });
    }
    table
}

/// Returns the extensions in an entry of a table. In TOML, an entry may be a package with several:
/// `[markdown_extensions.pymdownx.tabbed]`.
fn of_package(entry: &(Spanned<String>, Value)) -> Vec<(Spanned<String>, Value)> {
    let (package, value) = entry;
    match &value.value {
        Kind::Table(table) if PACKAGES.contains(&package.value.as_str()) => {
            let extensions = table.entries.iter().map(|(name, options)| {
                let full = format!("{}.{}", package.value, name.value);
                (Spanned::new(full, name.span), options.clone())
            });
            extensions.collect()
        }
        _ => vec![entry.clone()],
    }
}

/// Returns the names and options in an entry of a list.
fn entries_of(entry: &Value) -> Vec<(Spanned<String>, Value)> {
    let named = |name: &str| name.strip_prefix(FULL_NAME).unwrap_or(name).to_owned();
    match &entry.value {
        Kind::Text(name) => vec![(
            Spanned::new(named(name), entry.span),
            Spanned::new(Kind::Boolean(true), entry.span),
        )],
        Kind::Table(table) => {
            let entries = table.entries.iter();
            let entries = entries.map(|(name, options)| {
                let name = Spanned::new(named(&name.value), name.span);
                let options = match options.value {
                    Kind::Nothing => Spanned::new(Kind::Boolean(true), options.span),
                    _ => options.clone(),
                };
                (name, options)
            });
            entries.collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the dialect with the extensions in `table`, which [`by_name`] returned.
pub(super) fn dialect(table: &Table) -> Dialect {
    let mut dialect = Dialect {
        emoji: false,
        math: Math::NONE,
        ..Dialect::PYTHON_MARKDOWN
    };
    let plugins = inner(table, "plugins");
    if plugins.is_some_and(|plugins| value(plugins, "callouts").is_some()) {
        dialect.alerts = Alerts::Titled;
    }
    let Some(extensions) = inner(table, "markdown_extensions") else {
        return dialect;
    };
    let has = |name: &str| value(extensions, name).is_some();
    dialect.emoji = has("pymdownx.emoji");
    if MATH.iter().any(|name| has(name)) {
        dialect.math = Math::ARITHMATEX;
    }
    if has("nl2br") {
        dialect.line_breaks = true;
    }
    if has("smarty") {
        dialect.typography = Typography::SMART;
    }
    if has("pymdownx.smartsymbols") {
        dialect.typography.signs = true;
    }
    if has("pymdownx.mark") {
        dialect.highlights = true;
    }
    if has("pymdownx.magiclink") {
        dialect.bare_links = BareLinks::Http;
    }
    let slugify = inner(extensions, "toc").and_then(|toc| {
        let own = value(toc, "slugify")?;
        let is_named = |name: &str| matches!(&own.value, Kind::Text(text) if text.contains(name));
        let is_lower = || text_at(toc, "slugify.kwds.case") == Some("lower");
        // A function such as `!!python/object/apply:pymdownx.slugs.slugify` has no
        // literal value, but its arguments are a table.
        let is_computed = matches!(own.value, Kind::Table(_) | Kind::Nothing);
        Some(is_named("uslugify") || is_computed && is_lower())
    });
    if slugify == Some(true) {
        dialect.heading_ids = HeadingRule::PyMdown;
    }
    dialect
}

/// Returns a warning for each unsupported setting that changes documents, and for each unknown extension.
pub(super) fn problems(root: &Path, stem: &str, table: &Table) -> Vec<Diagnostic> {
    let mut problems = unsupported_in_data(root, stem, &[], ROWS, table);
    let extensions = inner(table, "markdown_extensions");
    for (name, _) in extensions.iter().flat_map(|table| &table.entries) {
        let key = format!("markdown_extensions.{}", name.value);
        let is_known = ROWS.iter().any(|row| {
            let own = row.key.trim_end_matches(".*");
            own == key
                || own.starts_with(&format!("{key}."))
                || row.key.ends_with(".*") && key.starts_with(own) && row.usage == SettingUse::Read
        });
        if !is_known {
            problems.extend(unsupported_key(
                root,
                stem,
                &key,
                name.span,
                UNKNOWN_EXTENSION,
            ));
        }
    }
    problems
}
