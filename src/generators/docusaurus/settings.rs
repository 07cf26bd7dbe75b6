//! Settings of Docusaurus: folders, routes, versions. The script is searched for literals and not run.

use std::{path::Path, sync::LazyLock};

use crate::{
    generators::{
        permalink::{PatternRule, UrlRules},
        profile::{DocumentKind, Role},
        settings::{
            ProjectSettings, default_locale, is_of_posts,
            literals::{clean, literal, regex, text_of},
            locales, math_plugins, script_in, scripts,
        },
    },
    render::markdown::Dialect,
};
use regex::Regex;

/// The names of the configuration file, without extension.
const SCRIPTS: [&str; 1] = ["docusaurus.config"];

const TRANSLATION: &str = "it is a translation, and only the site's main language is read";
const OTHER_VERSION: &str = "it is in another version of the documentation than the latest one";

/// Reads the settings of the project `root`.
pub(super) fn read(root: &Path) -> ProjectSettings {
    // `:` and `$` exclude URLs and templates, which other keys called `path` contain.
    static FOLDER: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"(?-u:\b)path[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`$:]+)["'`]"#));
    static PLAIN: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?-u:\b)markdown[ \t\r\n]*:[ \t\r\n]*\{[^{}]*(?-u:\b)format[ \t\r\n]*:[ \t\r\n]*["'`](?:detect|md)["'`]"#,
        )
    });
    let script = script_in(root, &SCRIPTS);
    let folders = FOLDER.captures_iter(&script).map(|found| {
        let offset = found.get(0).map_or(0, |whole| whole.start());
        let is_blog =
            braces_around(&script, offset).is_some_and(|(start, _)| is_of_blog(&script[..start]));
        (clean(&found[1]), is_blog)
    });
    let folders: Vec<(String, bool)> = folders
        .filter(|(folder, _)| !folder.is_empty() && folder != "i18n")
        .collect();
    let mut settings = ProjectSettings {
        languages: locales(&script),
        language: default_locale(&script),
        urls: UrlRules {
            patterns: routes(&script),
            ..UrlRules::default()
        },
        has_plain_markdown: PLAIN.is_match(&script),
        dialect: Some(Dialect {
            emoji: scripts::truth(&script, "markdown.emoji") != Some(false),
            math: math_plugins::of_remark(&script),
            ..Dialect::DOCUSAURUS
        }),
        ..ProjectSettings::default()
    };
    settings.report_scripts(root, &SCRIPTS, super::reference::ROWS);
    for redirects in scripts::values_of(&script, "redirects") {
        settings.redirects.add_script(redirects);
    }
    settings.set_url(&literal(&script, "url").unwrap_or_default());
    if let Some(path) = literal(&script, "baseUrl") {
        settings.base_path = path.trim_end_matches('/').to_owned();
    }
    // The first matching rule applies: `docs/**` is left out for the latest version before it is a
    // folder of pages.
    settings.add_versions(root, &script);
    for (folder, is_blog) in folders {
        let role = Role::Document(if is_blog || is_of_posts(&folder) {
            DocumentKind::Post
        } else {
            DocumentKind::Page
        });
        settings.rules.push((format!("{folder}/**"), role));
        settings.served_folders.push(folder);
    }
    let translations = ("i18n/**".to_owned(), Role::LeftOut(TRANSLATION));
    settings.rules.push(translations);
    settings
}

impl ProjectSettings {
    /// Adds the versions of each folder of documents. The latest version has the URLs of the folder, and the others are left
    /// out.
    fn add_versions(&mut self, root: &Path, script: &str) {
        let Ok(entries) = root.read_dir() else {
            return;
        };
        let names = entries.filter_map(Result::ok);
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut instances: Vec<String> = names
            .filter_map(|name| Some(name.strip_suffix("versions.json")?.to_owned()))
            .filter(|prefix| prefix.is_empty() || prefix.ends_with('_'))
            .collect();
        instances.sort();
        for prefix in instances {
            let text = text_of(root, &format!("{prefix}versions.json"));
            // A malformed list of versions is ignored.
            let names: Vec<String> = serde_json::from_str(&text).unwrap_or_default();
            let instance = Instance::of(script, prefix.trim_end_matches('_'));
            let latest = instance.latest.as_ref().or(names.first());
            let Some(latest) = latest else {
                continue;
            };
            let versions = format!("{prefix}versioned_docs");
            let folder = format!("{versions}/version-{latest}");
            let route = self.urls.pattern(&format!("{}/", instance.folder), "");
            let route = route.unwrap_or(&instance.folder).to_owned();
            // `current` is the working folder itself, which then has the URLs without a version.
            if latest != "current" && root.join(&folder).is_dir() {
                let rules = [
                    (format!("{folder}/**"), Role::Document(DocumentKind::Page)),
                    (
                        format!("{}/**", instance.folder),
                        Role::LeftOut(OTHER_VERSION),
                    ),
                ];
                self.rules.extend(rules);
                // These replace the roots of the profile, so the project itself is added again.
                self.roots.extend([folder.clone(), String::new()]);
                self.add_route(&folder, route.clone());
                self.add_route(&instance.folder, format!("{route}/next"));
            }
            // The latest version has no number in its URLs.
            for name in names.iter().filter(|name| *name != latest) {
                self.add_route(
                    &format!("{versions}/version-{name}"),
                    format!("{route}/{name}"),
                );
            }
            self.rules
                .push((format!("{versions}/**"), Role::LeftOut(OTHER_VERSION)));
        }
    }

    /// Publishes the documents of a folder below `route`. This takes precedence over settings of parent folders.
    fn add_route(&mut self, folder: &str, route: String) {
        let known = self.urls.patterns.iter();
        let rule_index = known.take_while(|rule| rule.folder.len() > folder.len());
        let rule_index = rule_index.count();
        let rule = PatternRule {
            folder: folder.to_owned(),
            pattern: route,
            ..PatternRule::default()
        };
        self.urls.patterns.insert(rule_index, rule);
    }
}

/// An instance of the documents plugin.
struct Instance {
    /// Its folder.
    folder: String,
    /// The version whose URLs have no version prefix, if configured.
    latest: Option<String>,
}

impl Instance {
    /// Finds the settings of the instance with this `id`, which is empty for the instance of the preset.
    fn of(script: &str, id: &str) -> Self {
        static ID: LazyLock<Regex> =
            LazyLock::new(|| regex(r#"(?-u:\b)id[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`]+)["'`]"#));
        static DOCS: LazyLock<Regex> =
            LazyLock::new(|| regex(r"(?-u:\b)docs[ \t\r\n]*:[ \t\r\n]*\{"));
        let offset = match id {
            "" => DOCS.find(script).map(|found| found.end()),
            id => ID
                .captures_iter(script)
                .find(|found| &found[1] == id)
                .and_then(|found| Some(found.get(0)?.end())),
        };
        let options = offset.and_then(|offset| braces_around(script, offset));
        let options = options.map_or("", |(start, end)| &script[start..end]);
        let name = if id.is_empty() { "docs" } else { id };
        Self {
            folder: literal(options, "path").map_or(name.to_owned(), |folder| clean(&folder)),
            latest: literal(options, "lastVersion"),
        }
    }
}

/// Returns the configured routes of folders, `routeBasePath`.
fn routes(script: &str) -> Vec<PatternRule> {
    static ROUTE: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)routeBasePath[ \t\r\n]*:[ \t\r\n]*["'`]([^"'`$]*)["'`]"#)
    });
    static FOLDER: LazyLock<Regex> = LazyLock::new(|| {
        regex(r#"(?-u:\b)path[ \t\r\n]*:[ \t\r\n]*["'`](?:\./)?([^"'`$:]+)["'`]"#)
    });
    static NAME: LazyLock<Regex> =
        LazyLock::new(|| regex(r#"["'`]?([a-z]+)["'`]?[ \t\r\n]*:[ \t\r\n]*$"#));
    let rules = ROUTE.captures_iter(script).filter_map(|found| {
        let offset = found.get(0)?.start();
        let (start, end) = braces_around(script, offset)?;
        let folder = FOLDER.captures(&script[start..end]);
        let name = || NAME.captures(&script[..start]);
        let folder = folder.or_else(name)?;
        Some(PatternRule {
            folder: clean(&folder[1]),
            pattern: found[1].to_owned(),
            ..PatternRule::default()
        })
    });
    rules.collect()
}

/// Returns whether the text before a brace in the configuration introduces the options of a blog.
fn is_of_blog(before: &str) -> bool {
    let before = before.trim_end().trim_end_matches([',', ':']).trim_end();
    let name = before.trim_end_matches(['"', '\'', '`']);
    name.ends_with("content-blog") || name.ends_with("blog")
}

/// Returns the span of the braces around the byte `offset`.
fn braces_around(script: &str, offset: usize) -> Option<(usize, usize)> {
    // Braces in strings and comments count, too. The script is not parsed.
    let mut depth = 0_usize;
    let mut open = None;
    for (at, byte) in script.as_bytes()[..offset].iter().enumerate().rev() {
        match byte {
            b'}' => depth += 1,
            b'{' if depth == 0 => {
                open = Some(at);
                break;
            }
            b'{' => depth -= 1,
            _ => {}
        }
    }
    let mut depth = 0_usize;
    for (at, byte) in script.as_bytes()[offset..].iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some((open?, offset + at)),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}
