//! Settings of Quartz: `quartz.config.ts`, of which literal values and plugins with known names are read.

use std::path::Path;

use serde_json::{Map, Value as Json};

use crate::{
    content_text::document::{Kind, Table},
    generators::{
        profile::Role,
        settings::{
            ProjectSettings,
            default_values::DefaultValues,
            literals::{clean, data_in, literal, text, text_of, texts, value, value_at},
            reference::{SettingRow, no_effect, read},
            script_in, scripts,
        },
    },
    render::markdown::{Dialect, Math, Typography},
};

/// The settings that date notes, choose files or change Markdown, by the reference "Configuration" of Quartz.
pub(super) const ROWS: &[SettingRow] = &[
    read("configuration.baseUrl"),
    read("configuration.ignorePatterns"),
    read("enableSmartyPants"),
    read("Plugin.ExplicitPublish"),
    read("Plugin.HardLineBreaks"),
    read("Plugin.Latex"),
    no_effect("configuration.defaultDateType"),
    no_effect("configuration.locale"),
];

const IGNORED: &str = "`ignorePatterns` of the configuration of Quartz names it";

/// The file of a project that makes paths.
const PATHS: &str = "quartz/util/path.ts";

/// The style of paths of earlier versions of Quartz, which keep `&`.
pub(super) const AMPERSANDS: &str = "&";

const CONFIGURATION: [&str; 1] = ["quartz.config"];

/// Reads the settings of the project `root`, whose dialect is `own` without them.
pub(super) fn read_project(root: &Path, own: Dialect) -> ProjectSettings {
    let script = script_in(root, &CONFIGURATION);
    let data = data_in(root, CONFIGURATION[0]).unwrap_or_default();
    let mut settings = ProjectSettings {
        dialect: Some(Dialect {
            line_breaks: script.contains("Plugin.HardLineBreaks("),
            typography: match scripts::truth(&script, "enableSmartyPants") {
                Some(false) => Typography::AS_TYPED,
                _ => own.typography,
            },
            math: if has_plugin(&script, &data, "Latex", "latex") {
                Math::REMARK
            } else {
                Math::NONE
            },
            ..own
        }),
        ..ProjectSettings::default()
    };
    let paths = text_of(root, PATHS);
    if !paths.is_empty() && !paths.contains("-and-") {
        AMPERSANDS.clone_into(&mut settings.urls.style);
    }
    if let Some(host) = literal(&script, "baseUrl") {
        settings.set_url(&format!("https://{host}"));
    }
    settings.rules = ignored(&script, &data)
        .iter()
        .flat_map(|pattern| [pattern.clone(), format!("{pattern}/**")])
        .map(|pattern| (format!("content/{pattern}"), Role::LeftOut(IGNORED)))
        .collect();
    if has_plugin(&script, &data, "ExplicitPublish", "explicit-publish") {
        // Notes without the key are not published.
        settings.defaults.push(DefaultValues {
            values: Map::from_iter([("publish".to_owned(), false.into())]),
            ..DefaultValues::default()
        });
    }
    settings.report_scripts(root, &CONFIGURATION, ROWS);
    settings
}

/// Returns the patterns of the files that Quartz ignores; the usual ones if the settings have none that are literal.
fn ignored(script: &str, data: &Table) -> Vec<String> {
    let of_data =
        value_at(data, "configuration").and_then(|configuration| match &configuration.value {
            Kind::Table(configuration) => value(configuration, "ignorePatterns")
                .map(|_| texts(configuration, "ignorePatterns")),
            _ => None,
        });
    let of_script = || {
        let written = scripts::value(script, "configuration.ignorePatterns")
            .or_else(|| scripts::value(script, "ignorePatterns"))?;
        let Json::Array(patterns) = scripts::literal(written)? else {
            return None;
        };
        let texts = patterns.iter().filter_map(Json::as_str);
        Some(texts.map(clean).collect())
    };
    of_data
        .or_else(of_script)
        .unwrap_or_else(|| ["private", "templates"].map(str::to_owned).to_vec())
}

/// Returns whether a plugin is in use: `Plugin.Name()` of a script outside of comments, or an entry of the list of plugins in data.
fn has_plugin(script: &str, data: &Table, name: &str, source: &str) -> bool {
    let call = format!("Plugin.{name}(");
    let mut lines = script.lines().map(str::trim_start);
    let is_called = lines.any(|line| !line.starts_with("//") && line.contains(&call));
    let Some(Kind::List(plugins)) = value(data, "plugins").map(|plugins| &plugins.value) else {
        return is_called;
    };
    let mut plugins = plugins.iter().filter_map(|plugin| match &plugin.value {
        Kind::Table(plugin) => Some(plugin),
        _ => None,
    });
    is_called
        || plugins.any(|plugin| {
            let is_on = value(plugin, "enabled").is_none_or(|on| on.value == Kind::Boolean(true));
            is_on && text(plugin, "source").is_some_and(|written| written.ends_with(source))
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generators::quartz::Quartz;

    fn read(name: &str, configuration: &str) -> ProjectSettings {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), configuration).unwrap();
        ProjectSettings::read(&Quartz, folder.path())
    }

    #[test]
    fn ignored_and_unpublished_notes_are_those_of_the_settings() {
        let script = "const config: QuartzConfig = {\n  configuration: {\n    ignorePatterns: [\"drafts\", '**/x.md'],\n  },\n  plugins: {\n    filters: [Plugin.ExplicitPublish()],\n  },\n}\n";
        let data = "configuration:\n  ignorePatterns: [drafts, '**/x.md']\nplugins:\n  - source: github:quartz-community/explicit-publish\n    enabled: true\n";
        for (name, configuration) in [("quartz.config.ts", script), ("quartz.config.yaml", data)] {
            let settings = read(name, configuration);
            let patterns: Vec<&str> = settings
                .rules
                .iter()
                .map(|(path, _)| path.as_str())
                .collect();
            assert_eq!(
                patterns,
                [
                    "content/drafts",
                    "content/drafts/**",
                    "content/**/x.md",
                    "content/**/x.md/**"
                ],
                "{name}"
            );
            assert_eq!(settings.defaults.len(), 1, "{name}");
        }
        let usual = read(
            "quartz.config.ts",
            "export default {\n  // Plugin.ExplicitPublish()\n}\n",
        );
        assert_eq!(usual.rules.len(), 4);
        assert!(usual.defaults.is_empty());
    }
}
