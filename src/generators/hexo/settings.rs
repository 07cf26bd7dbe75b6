//! Reads the settings of Hexo projects.

use std::path::Path;

use crate::{
    content_text::document::Table,
    generators::{
        hexo::plugins,
        permalink::UrlRules,
        profile::Role,
        settings::{
            ProjectSettings,
            literals::{clean, data_in, inner, text, texts, truth_at},
            markdown_it,
            reference::unsupported_in_data,
        },
    },
    render::markdown::{BareLinks, Dialect, Strikethrough, Typography},
};

const COPIED: &str = "it is listed in `skip_render` of _config.yml, so Hexo copies it";

const IGNORED: &str = "it is listed in `exclude` or `ignore` of _config.yml";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let table = data_in(root, "_config").unwrap_or_default();
    let mut settings = ProjectSettings {
        roots: text(&table, "source_dir")
            .map(|source| clean(&source))
            .into_iter()
            .collect(),
        urls: UrlRules {
            style: text(&table, "permalink").unwrap_or_default(),
            new_post_pattern: text(&table, "new_post_name").unwrap_or_default(),
            ..UrlRules::default()
        },
        rules: left_out(&table),
        time_zone: text(&table, "timezone"),
        dialect: Some(Dialect {
            math: plugins::math(root, &table),
            ..dialect(&table)
        }),
        problems: unsupported_in_data(root, "_config", &[], super::reference::ROWS, &table),
        ..ProjectSettings::default()
    };
    settings.problems.extend(plugins::problems(root, &table));
    if plugins::has_containers(root, &table) {
        settings
            .site
            .insert(plugins::CONTAINERS.to_owned(), true.into());
    }
    settings.set_url(&text(&table, "url").unwrap_or_default());
    if let Some(path) = text(&table, "root") {
        settings.base_path = path.trim_end_matches('/').to_owned();
    }
    settings
}

/// Returns the rules for files that the settings exclude. The patterns of `ignore` are relative to the project, the others
/// to the folder of documents.
fn left_out(table: &Table) -> Vec<(String, Role)> {
    let source =
        text(table, "source_dir").map_or_else(|| "source".to_owned(), |source| clean(&source));
    let keys = [
        ("skip_render", format!("{source}/"), COPIED),
        ("exclude", format!("{source}/"), IGNORED),
        ("ignore", String::new(), IGNORED),
    ];
    let rules = keys.into_iter().flat_map(|(key, folder, reason)| {
        let patterns = text(table, key).into_iter().chain(texts(table, key));
        let patterns = patterns.map(move |pattern| format!("{folder}{}", clean(&pattern)));
        patterns.map(move |pattern| (pattern, Role::LeftOut(reason)))
    });
    rules.collect()
}

/// Returns the dialect of the renderer that the settings configure: marked or markdown-it.
fn dialect(table: &Table) -> Dialect {
    // The table `markdown` belongs to the renderer with markdown-it, which then replaces marked.
    if let Some(render) = inner(table, "markdown").and_then(|markdown| inner(markdown, "render")) {
        let own = Dialect {
            heading_ids: Dialect::MARKED.heading_ids,
            indented_code: true,
            task_lists: true,
            bare_links: BareLinks::MarkdownIt,
            line_breaks: true,
            typography: Typography::MARKDOWN_IT,
            ..Dialect::MARKDOWN_IT
        };
        let own = markdown_it::with(own, |key| truth_at(render, key));
        return plugins::dialect(table, own);
    }
    let own = Dialect::MARKED;
    let Some(marked) = inner(table, "marked") else {
        return own;
    };
    let is_off = |key: &str| truth_at(marked, key) == Some(false);
    let mut dialect = Dialect {
        line_breaks: !is_off("breaks"),
        definition_lists: !is_off("descriptionLists"),
        ..own
    };
    if is_off("smartypants") {
        dialect.typography = Typography::AS_TYPED;
    }
    if is_off("autolink") {
        dialect.bare_links = BareLinks::None;
    }
    // Without GFM, marked ignores `breaks`, so this comes after the other options.
    if is_off("gfm") {
        dialect = Dialect {
            tables: false,
            task_lists: false,
            strikethrough: Strikethrough::None,
            bare_links: BareLinks::None,
            line_breaks: false,
            ..dialect
        };
    }
    dialect
}
