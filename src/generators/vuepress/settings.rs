//! Settings of VuePress: `.vuepress/config.*`, of which literal values are read.

use std::path::Path;

use serde_json::Value as Json;

use crate::{
    generators::{
        permalink::PatternRule,
        settings::{
            ProjectSettings, literals::clean, markdown_it, math_plugins, script_in, scripts,
        },
        vuepress::paths,
    },
    render::markdown::{BareLinks, Dialect, Math},
};

/// The names of the configuration, without extension.
const CONFIGURATION: [&str; 1] = [".vuepress/config"];

/// The variable of the site that says that it is one of VuePress 1.
pub(super) const VERSION_1: &str = "vuepress.1";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    let script = script_in(root, &CONFIGURATION);
    let mut settings = ProjectSettings::default();
    settings.set_site(&script);
    let is_version_1 = is_of_version_1(&script);
    let has_emoji = scripts::truth(&script, "markdown.emoji") != Some(false);
    let own = Dialect {
        emoji: has_emoji,
        emoticons: has_emoji,
        math: math(&script),
        bare_links: BareLinks::None,
        ..Dialect::VUE
    };
    settings.dialect = Some(markdown_it::with_options(&script, "markdown.", own));
    settings.urls.patterns = patterns(&script);
    if is_version_1 {
        paths::VERSION_1.clone_into(&mut settings.urls.style);
        settings.site.insert(VERSION_1.to_owned(), true.into());
    }
    settings.report_scripts(root, &CONFIGURATION, super::reference::ROWS);
    settings
}

/// Returns the formulas of plugins, or of an option of a theme or of a plugin that extends Markdown.
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

/// Returns whether a configuration is one of VuePress 1, by its form.
fn is_of_version_1(script: &str) -> bool {
    let of_version_2 = ["defineUserConfig", "bundler", "import "];
    script.contains("module.exports") && !of_version_2.iter().any(|word| script.contains(word))
}

/// Returns the patterns of paths: of the folders of the blog plugin, then of the whole site.
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

/// The usual pattern of the blog plugin of VuePress 1.
const BLOG: &str = "/:year/:month/:day/:slug";
