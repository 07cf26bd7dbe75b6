//! Reads the settings of VuePress: literal values in `.vuepress/config.*`.

use std::{path::Path, sync::LazyLock};

use serde_json::{Map, Value as Json};

use crate::{
    generators::{
        link_path,
        permalink::PatternRule,
        settings::{
            ProjectSettings, Regex,
            literals::{clean, regex},
            markdown_it, math_plugins, script_in, scripts,
        },
        syntax::vue,
        vuepress::paths,
    },
    render::markdown::{BareLinks, Dialect, Math},
};

/// The path of the configuration file, without extension.
const CONFIGURATION: [&str; 1] = [".vuepress/config"];

/// The path of the theme's configuration file, without extension.
const THEME: &str = ".vuepress/theme";

/// The site variable that is set for projects of VuePress 1.
pub(super) const VERSION_1: &str = "vuepress.1";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let script = script_in(root, &CONFIGURATION);
    // Projects with the theme Hope have its Markdown options in a separate file.
    let with_theme = format!("{script}\n{}", script_in(root, &[THEME]));
    let mut settings = ProjectSettings::default();
    settings.set_site(&script);
    let is_version_1 = is_of_version_1(&script);
    let has_emoji = scripts::truth(&script, "markdown.emoji") != Some(false);
    let own = Dialect {
        emoji: has_emoji,
        emoticons: has_emoji,
        math: math(&with_theme),
        bare_links: BareLinks::None,
        ..Dialect::VUE
    };
    let own = with_extensions(&with_theme, own);
    settings.dialect = Some(markdown_it::with_options(&script, "markdown.", own));
    settings.urls.patterns = patterns(&script);
    if is_version_1 {
        paths::VERSION_1.clone_into(&mut settings.urls.style);
        settings.site.insert(VERSION_1.to_owned(), true.into());
    }
    let prefixes = inclusion_prefixes(&with_theme);
    if !prefixes.is_empty() {
        settings
            .site
            .insert(vue::INCLUSION_PREFIXES.to_owned(), prefixes.into());
    }
    settings.report_scripts(root, &CONFIGURATION, super::reference::ROWS);
    settings
}

/// Returns `dialect` with the extensions that the theme Hope or its Markdown plugins enable.
fn with_extensions(script: &str, dialect: Dialect) -> Dialect {
    // Other themes may have options of the same names with another meaning.
    let plugins = [
        "vuepress-theme-hope",
        "markdown-ext",
        "vuepress-plugin-md-enhance",
    ];
    if !plugins.iter().any(|name| script.contains(name)) {
        return dialect;
    }
    let is_set = |key: &str| scripts::truth(script, key);
    let is_github = is_set("gfm") == Some(true);
    let has_links = is_set("linkify").unwrap_or(is_github);
    Dialect {
        line_breaks: is_set("breaks").unwrap_or(is_github),
        bare_links: if has_links {
            BareLinks::MarkdownIt
        } else {
            dialect.bare_links
        },
        highlights: is_set("mark") == Some(true) || dialect.highlights,
        ..dialect
    }
}

/// Returns the folders, relative to the project, of the path prefixes that `include.resolvePath` resolves. The function must
/// have the usual form: `if (file.startsWith("@parts")) … path.resolve(__dirname, "../parts") …`.
fn inclusion_prefixes(script: &str) -> Map<String, Json> {
    static PREFIX: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"startsWith\(\s*["']([^"'\n]+)["']\s*\)[^{}]*?__dirname,\s*["']([^"'\n]+)["']"#)
    });
    let Some((_, function)) = script.split_once("resolvePath") else {
        return Map::new();
    };
    let found = PREFIX.captures_iter(function);
    let prefixes = found.filter_map(|captures| {
        let (prefix, written) = (captures.get(1)?, captures.get(2)?);
        let folder = link_path::join(".vuepress", written.as_str())?;
        Some((prefix.as_str().to_owned(), folder.into()))
    });
    prefixes.collect()
}

/// Returns the formula syntax that plugins, or an option of a theme or Markdown plugin, enable.
fn math(script: &str) -> Math {
    let has_option = ["katex", "mathjax", "tex"]
        .iter()
        .any(|key| scripts::truth(script, key) == Some(true));
    let of_theme =
        || script.contains("vuepress-theme-hope") && scripts::value(script, "math").is_some();
    if has_option || of_theme() {
        return Math::MARKDOWN_IT;
    }
    math_plugins::of_markdown_it(script)
}

/// Returns whether a configuration has the form of VuePress 1.
fn is_of_version_1(script: &str) -> bool {
    let of_version_2 = ["defineUserConfig", "bundler", "import "];
    script.contains("module.exports") && !of_version_2.iter().any(|word| script.contains(word))
}

/// Returns the URL patterns: those of the blog plugin's folders, then that of the whole site.
fn patterns(script: &str) -> Vec<PatternRule> {
    let directories = scripts::value(script, "directories").and_then(scripts::literal);
    let directories = directories.as_ref().and_then(Json::as_array);
    let of_directories = directories.into_iter().flatten().filter_map(|directory| {
        let text = |key: &str| directory.get(key).and_then(Json::as_str);
        Some(PatternRule {
            folder: clean(text("dirname")?),
            pattern: text("itemPermalink").unwrap_or(BLOG).to_owned(),
            ..PatternRule::default()
        })
    });
    let mut patterns: Vec<PatternRule> = of_directories.collect();
    let has_blog = [
        "@vuepress/blog",
        "@vuepress/plugin-blog",
        "@vuepress/theme-blog",
    ];
    if directories.is_none() && has_blog.iter().any(|name| script.contains(name)) {
        patterns.push(PatternRule {
            folder: "_posts".to_owned(),
            pattern: BLOG.to_owned(),
            ..PatternRule::default()
        });
    }
    // The pattern of the site is last, because the first one that fits a document applies.
    let of_site = ["permalinkPattern", "permalink"].iter().flat_map(|key| {
        let values = scripts::values_of(script, key);
        values.filter_map(|text| match scripts::literal(text)? {
            Json::String(pattern) if pattern.contains(':') => Some(pattern),
            _ => None,
        })
    });
    patterns.extend(of_site.take(1).map(|pattern| PatternRule {
        pattern,
        ..PatternRule::default()
    }));
    patterns
}

/// The default pattern of the blog plugin of VuePress 1.
const BLOG: &str = "/:year/:month/:day/:slug";
