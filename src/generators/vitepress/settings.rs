//! Reads the settings of VitePress: literal values in `.vitepress/config.*`.

use std::{path::Path, sync::LazyLock};

use regex::Regex;

use crate::{
    generators::{
        permalink::{PatternRule, UrlRules},
        profile::Role,
        settings::{
            ProjectSettings,
            default_values::DefaultValues,
            literals::{clean, literal, regex},
            markdown_it, math_plugins, script_in, scripts,
        },
    },
    render::markdown::{Alerts, Dialect, Math},
};

/// The paths of the configuration file, without extension.
const CONFIGURATION: [&str; 3] = [
    ".vitepress/config",
    ".vitepress/config/index",
    ".vitepress/config/shared",
];

const EXCLUDED: &str = "`srcExclude` of the configuration excludes it";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    static REWRITES: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?-u:\b)rewrites[ \t\r\n]*:[ \t\r\n]*\{([^{}]*)\}"));
    static REWRITE: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"["'`]([^"'`]+)["'`][ \t\r\n]*:[ \t\r\n]*["'`]([^"'`]+)["'`]"#));
    static EXCLUSIONS: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?-u:\b)srcExclude[ \t\r\n]*:[ \t\r\n]*\[([^\]]*)\]"));
    static TEXT: LazyLock<Regex> = LazyLock::new(|| regex(r#"["'`]([^"'`$]+)["'`]"#));
    static CLEAN: LazyLock<Regex> =
        LazyLock::new(|| regex(r"(?-u:\b)cleanUrls[ \t\r\n]*:[ \t\r\n]*true"));
    let script = script_in(root, &CONFIGURATION);
    let source = source_folder(&script);
    let rewrites = REWRITES.captures_iter(&script).flat_map(|found| {
        let entries = found.get(1).map_or("", |entries| entries.as_str());
        REWRITE.captures_iter(entries).map(|entry| PatternRule {
            folder: entry[1].to_owned(),
            pattern: entry[2].to_owned(),
            ..PatternRule::default()
        })
    });
    let below = |path: &str| match &source {
        Some(source) => format!("{source}/{path}"),
        None => path.to_owned(),
    };
    let excluded = EXCLUSIONS.captures_iter(&script).flat_map(|found| {
        let list = found.get(1).map_or("", |list| list.as_str());
        TEXT.captures_iter(list)
            .map(|entry| (below(&entry[1]), Role::LeftOut(EXCLUDED)))
            .collect::<Vec<_>>()
    });
    let mut settings = ProjectSettings {
        rules: excluded.collect(),
        served_folders: source
            .iter()
            .flat_map(|source| [format!("{source}/public"), source.clone()])
            .collect(),
        roots: source.clone().into_iter().collect(),
        urls: UrlRules {
            patterns: rewrites.collect(),
            style: if CLEAN.is_match(&script) {
                "clean".to_owned()
            } else {
                String::new()
            },
            ..UrlRules::default()
        },
        ..ProjectSettings::default()
    };
    settings.set_site(&script);
    settings.dialect = Some(Dialect {
        math: match scripts::truth(&script, "markdown.math") {
            Some(true) => Math::MARKDOWN_IT,
            _ => math_plugins::of_markdown_it(&script),
        },
        alerts: match scripts::truth(&script, "markdown.gfmAlerts") {
            Some(false) => Alerts::None,
            _ => Dialect::VUE.alerts,
        },
        ..markdown_it::with_options(&script, "markdown.", Dialect::VUE)
    });
    settings.report_scripts(root, &CONFIGURATION, super::reference::ROWS);
    settings
}

/// Returns the folder of documents, `srcDir`. Plugins have options with the same name, so hidden folders are ignored.
fn source_folder(script: &str) -> Option<String> {
    let folders = scripts::values_of(script, "srcDir").filter_map(scripts::scalar);
    let mut folders = folders.map(|folder| clean(&folder));
    folders.find(|folder| !folder.is_empty() && !folder.starts_with('.'))
}

impl ProjectSettings {
    /// Sets the title, the base path and the languages of a site of VitePress or VuePress.
    pub(in crate::generators) fn set_site(&mut self, script: &str) {
        static LOCALE: LazyLock<Regex> = LazyLock::new(|| {
            regex(
                r#"(?m)^[ \t]*["']?/?([a-z]{2}(?:-[A-Za-z]{2,4})?)/?["']?[ \t\r\n]*:[ \t\r\n]*\{"#,
            )
        });
        if let Some(host) = literal(script, "hostname") {
            self.set_url(&host);
        }
        for key in ["title", "description"] {
            if let Some(value) = literal(script, key) {
                self.site.insert(key.to_owned(), value.into());
            }
        }
        let mut values = self.site.clone();
        values.retain(|key, _| key == "title");
        // Front pages without a title have the title of the site.
        self.defaults = vec![DefaultValues {
            values,
            ..DefaultValues::default()
        }];
        if let Some(base) = literal(script, "base") {
            self.base_path = base.trim_end_matches('/').to_owned();
        }
        // Other tables of the configuration may have keys of the same form.
        if let Some((_, locales)) = script.split_once("locales") {
            let found = LOCALE.captures_iter(locales);
            self.languages = found.map(|found| found[1].to_owned()).collect();
        }
        let language = literal(script, "lang");
        self.language = language.map(|language| {
            let short = language.split('-').next().unwrap_or_default();
            short.to_owned()
        });
    }
}
