//! Reads the settings of Quartz: literal values and known plugins in `quartz.config.ts`.

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

/// The settings that date notes, choose files or change Markdown, from Quartz's reference "Configuration".
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

const IGNORED: &str = "it matches `ignorePatterns` of the Quartz configuration";

/// The source file in a project that builds paths.
const PATHS: &str = "quartz/util/path.ts";

/// The style of paths in earlier versions of Quartz, which retain `&`.
pub(super) const AMPERSANDS: &str = "&";

const CONFIGURATION: [&str; 1] = ["quartz.config"];

/// Reads the settings of the project `root`. `own` is the default dialect.
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
    // A project contains the source code of its Quartz, and this file shows its rule for `&`.
    let paths = text_of(root, PATHS);
    if !paths.is_empty() && !paths.contains("-and-") {
        AMPERSANDS.clone_into(&mut settings.urls.style);
    }
    // `baseUrl` of Quartz has no scheme.
    if let Some(host) = literal(&script, "baseUrl") {
        settings.set_url(&format!("https://{host}"));
    }
    settings.rules = ignored(&script, &data)
        .iter()
        .flat_map(|pattern| [pattern.clone(), format!("{pattern}/**")])
        .map(|pattern| (format!("content/{pattern}"), Role::LeftOut(IGNORED)))
        .collect();
    if has_plugin(&script, &data, "ExplicitPublish", "explicit-publish") {
        // Without the key `publish`, a note is not published.
        settings.defaults.push(DefaultValues {
            values: Map::from_iter([("publish".to_owned(), false.into())]),
            ..DefaultValues::default()
        });
    }
    settings.report_scripts(root, &CONFIGURATION, ROWS);
    settings
}

/// Returns the patterns of ignored files; the defaults if the settings contain no literal ones.
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

/// Returns whether a plugin is enabled: as `Plugin.Name()` in a script, outside of comments, or in the list of plugins in
/// data.
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
