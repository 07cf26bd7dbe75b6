//! The plugins of markdown-it that a Hexo project lists in `markdown.plugins`.

use std::path::Path;

use crate::{
    content_text::{
        Diagnostic, Spanned,
        document::{Kind, Table},
    },
    generators::{
        settings::{
            literals::{inner, text_of, value, value_at},
            math_plugins,
            reference::unsupported_key,
        },
        syntax::{
            ExpandedText, ExpansionScope, callout,
            directives::{self, Containers, OtherContainers},
            writer::ExpansionWriter,
        },
    },
    render::markdown::{Dialect, Math},
};

/// The plugin for containers, and the template variable that is set if a project has it.
pub(super) const CONTAINERS: &str = "markdown-it-container";

/// Other plugins whose syntax is supported or has no effect on the text.
const SUPPORTED: [&str; 7] = [
    "markdown-it-emoji",
    "markdown-it-mark",
    "markdown-it-deflist",
    "markdown-it-footnote",
    "markdown-it-task-lists",
    "markdown-it-task-checkbox",
    "markdown-it-anchor",
];

/// The containers of the plugin, which become elements with their name as a class.
static ELEMENTS: Containers = Containers {
    mark: ':',
    callouts: &[],
    style: callout::plain,
    others: OtherContainers::Elements,
    has_code_titles: false,
};

/// Expands containers, if the project has their plugin.
pub(super) fn containers(text: &str, scope: ExpansionScope<'_>) -> ExpandedText {
    if scope.environment.site.contains_key(CONTAINERS) {
        directives::pass(text, &ELEMENTS)
    } else {
        ExpansionWriter::new(text).finish()
    }
}

/// Returns whether the project has the plugin for containers: in its settings, or in a package that a script uses.
pub(super) fn has_containers(root: &Path, table: &Table) -> bool {
    names(table)
        .iter()
        .any(|name| name.value.contains("container"))
        // A script of the project may enable the plugin, so the settings need not list it.
        || text_of(root, "package.json").contains(CONTAINERS)
}

/// Returns `dialect` with the syntax of the project's plugins.
pub(super) fn dialect(table: &Table, dialect: Dialect) -> Dialect {
    let names = names(table);
    let uses = |plugin: &str| names.iter().any(|name| name.value == plugin);
    let has_emoji = uses("markdown-it-emoji");
    Dialect {
        emoji: has_emoji || dialect.emoji,
        emoticons: has_emoji || dialect.emoticons,
        highlights: uses("markdown-it-mark") || dialect.highlights,
        definition_lists: uses("markdown-it-deflist") || dialect.definition_lists,
        ..dialect
    }
}

/// Returns the formula syntax of plugins, or of another renderer that the project depends on.
pub(super) fn math(root: &Path, table: &Table) -> Math {
    let package = text_of(root, "package.json");
    if package.contains("hexo-renderer-kramdown") {
        return Math::KRAMDOWN;
    }
    if package.contains("hexo-renderer-pandoc") {
        return Math::DOLLARS;
    }
    let names = names(table).into_iter().map(|name| name.value);
    let names: Vec<String> = names.chain([package]).collect();
    math_plugins::of_markdown_it(&names.join("\n"))
}

/// Returns a warning for each plugin whose syntax is not supported.
pub(super) fn problems(root: &Path, table: &Table) -> Vec<Diagnostic> {
    let names = names(table).into_iter().filter(|name| {
        !SUPPORTED.contains(&name.value.as_str())
            && !name.value.contains("container")
            && math_plugins::of_markdown_it(&name.value) == Math::NONE
    });
    let problems = names.filter_map(|name| {
        let key = format!("markdown.plugins: {}", name.value);
        let instead = "its syntax is shown as text";
        unsupported_key(root, "_config", &key, name.span, instead)
    });
    problems.collect()
}

/// Returns the names of the enabled plugins. Entries are names, or tables with the name and options, which may be below
/// `plugin`.
fn names(table: &Table) -> Vec<Spanned<String>> {
    let plugins = value_at(table, "markdown.plugins");
    let Some(Kind::List(entries)) = plugins.map(|plugins| &plugins.value) else {
        return Vec::new();
    };
    let names = entries.iter().filter_map(|entry| match &entry.value {
        Kind::Text(name) => Some(Spanned::new(name.clone(), entry.span)),
        Kind::Table(table) => {
            let table = inner(table, "plugin").unwrap_or(table);
            let is_off =
                value(table, "enable").is_some_and(|enable| enable.value == Kind::Boolean(false));
            let name = value(table, "name")?;
            match &name.value {
                Kind::Text(text) if !is_off => Some(Spanned::new(text.clone(), name.span)),
                _ => None,
            }
        }
        _ => None,
    });
    names.collect()
}

#[cfg(test)]
mod tests {
    use crate::{
        generators::{ProjectSettings, hexo::Hexo, tables::expand},
        render::markdown::{BareLinks, Dialect},
    };

    fn read(configuration: &str, package: &str) -> ProjectSettings {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("_config.yml"), configuration).unwrap();
        std::fs::write(folder.path().join("package.json"), package).unwrap();
        ProjectSettings::read(&Hexo, folder.path())
    }

    #[test]
    fn plugins_of_the_renderer_are_read_or_named() {
        let settings = read(
            "markdown:\n  render:\n    linkify: true\n  plugins:\n    - markdown-it-emoji\n    - name: markdown-it-mark\n    - plugin:\n        name: markdown-it-deflist\n        enable: false\n    - markdown-it-sup\n",
            "{}",
        );
        let dialect = settings.dialect.unwrap();
        assert!(dialect.emoji && dialect.highlights && !dialect.definition_lists);
        assert_eq!(dialect.bare_links, BareLinks::MarkdownIt);
        let problems: Vec<&str> = settings
            .problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            problems,
            [
                "the setting `markdown.plugins: markdown-it-sup` is not supported: its syntax is shown as text"
            ]
        );
        assert_eq!(read("title: a\n", "{}").dialect, Some(Dialect::MARKED));
    }

    #[test]
    fn html_between_raw_tags_is_apart_from_markdown() {
        let environment = crate::generators::tables::environment();
        for (text, expected) in [
            (
                "{% raw %}<div>{% endraw %}\n#### A\n\n{% raw %}</div>{% endraw %}\n",
                "<div>\n\n#### A\n\n</div>\n",
            ),
            (
                "{% raw %}\n<p>{{ a }}\n\n# b</p>\n{% endraw %}\nc\n",
                "<p>{{ a }}\n# b</p>\n\nc\n",
            ),
            ("a {% raw %}{{ b }}{% endraw %} c\n", "a {{ b }} c\n"),
            ("`{% raw %}<b>{% endraw %}`\n", "`<b>`\n"),
        ] {
            let expanded = expand(text, 1, &Hexo, &environment);
            assert_eq!(expanded.text, expected, "{text}");
        }
    }

    #[test]
    fn containers_need_their_plugin() {
        let plugin =
            "markdown:\n  plugins:\n    - name: markdown-it-container\n      options: tip\n";
        let package = "{\"dependencies\": {\"markdown-it-container\": \"4.0.0\"}}";
        for (configuration, package, is_container) in [
            (plugin, "{}", true),
            ("title: a\n", package, true),
            ("title: a\n", "{}", false),
        ] {
            let settings = read(configuration, package);
            let text = "::: tip\na\n:::\n";
            let expected = if is_container {
                "<div class=\"tip\">\n\na\n\n</div>\n"
            } else {
                text
            };
            let environment = crate::generators::syntax::Environment {
                site: settings.site,
                ..crate::generators::tables::environment()
            };
            let expanded = expand(text, 1, &Hexo, &environment);
            assert_eq!(expanded.text, expected, "{configuration} {package}");
        }
    }
}
