//! The dialect of Markdown that an Eleventy project configures: literal options of markdown-it, and plugins by their names.

use std::sync::LazyLock;

use serde_json::Value as Json;

use crate::{
    content_text::{Diagnostic, Source, Span},
    generators::settings::{
        Regex,
        literals::regex,
        markdown_it, math_plugins,
        reference::{computed, warning},
        scripts,
    },
    render::markdown::Dialect,
};

/// Plugins of markdown-it whose syntax is not supported and is shown as text.
const UNSUPPORTED: [&str; 9] = [
    "markdown-it-abbr",
    "markdown-it-attrs",
    "markdown-it-bracketed-spans",
    "markdown-it-ins",
    "markdown-it-kbd",
    "markdown-it-multimd-table",
    "markdown-it-sub",
    "markdown-it-sup",
    "markdown-it-wikilinks",
];

/// The options of markdown-it that change documents.
const OPTIONS: [&str; 3] = ["breaks", "linkify", "typographer"];

/// Returns the dialect that the configuration sets.
pub(super) fn dialect(script: &str) -> Dialect {
    static WITH_CODE: LazyLock<Regex> = LazyLock::new(|| regex(r#"\.enable\([^)]*["'`]code["'`]"#));
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        regex(r"\.options\.(breaks|linkify|typographer)[ \t]*=[ \t]*(true|false)")
    });
    let mut dialect = Dialect::MARKDOWN_IT;
    for object in objects(script) {
        dialect = markdown_it::with_object(object, dialect);
    }
    for found in OPTION.captures_iter(script) {
        let is_set = &found[2] == "true";
        dialect = markdown_it::with(dialect, |key| (key == &found[1]).then_some(is_set));
    }
    // Eleventy disables indented code, also in an instance that the project sets.
    dialect.indented_code = WITH_CODE.is_match(script);
    let uses = |name: &str| names_package(script, name).is_some();
    dialect.math = math_plugins::of_markdown_it(script);
    dialect.emoji = uses("markdown-it-emoji");
    dialect.emoticons = dialect.emoji;
    dialect.highlights = uses("markdown-it-mark");
    dialect.definition_lists = uses("markdown-it-deflist");
    dialect.task_lists = uses("markdown-it-task-lists") || uses("markdown-it-task-checkbox");
    dialect
}

/// Returns warnings about computed options of markdown-it and about unsupported plugins.
pub(super) fn problems(file: &str, script: &str) -> Vec<Diagnostic> {
    let Ok(source) = Source::decode(file, script.as_bytes()) else {
        return Vec::new();
    };
    let span_of = |text: &str| {
        // The text is a slice of the source, so its address gives its offset.
        let start = text.as_ptr() as usize - source.text().as_ptr() as usize;
        Span::new(start, start + text.len())
    };
    let mut problems = Vec::new();
    for object in objects(source.text()) {
        for key in OPTIONS {
            if let Some(value) = scripts::member(object, key)
                && !matches!(scripts::literal(value), Some(Json::Bool(_)))
            {
                problems.push(computed(
                    &source,
                    span_of(value),
                    &format!("markdownIt.{key}"),
                ));
            }
        }
    }
    for name in UNSUPPORTED {
        if let Some(found) = names_package(source.text(), name) {
            problems.push(warning(
                &source,
                span_of(found),
                name,
                "its marks are shown as text",
            ));
        }
    }
    problems
}

/// Returns the first occurrence of a package name in quotation marks, as in an import.
fn names_package<'s>(script: &'s str, name: &str) -> Option<&'s str> {
    let quotes = ['"', '\'', '`'];
    let mut found = script.match_indices(name);
    found.find_map(|(start, found)| {
        let is_quoted =
            script[..start].ends_with(quotes) && script[start + name.len()..].starts_with(quotes);
        is_quoted.then_some(found)
    })
}

/// Returns, for each object with options of markdown-it, the script from the object's opening brace on. The object is an
/// argument of `markdownIt(…)` or `.set(…)`, or the value of a constant that is the argument.
fn objects(script: &str) -> Vec<&str> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| {
        regex(
            r#"(?:(?i:(?-u:\b)markdown_?it(?:lib|library)?)|\.set)\([ \t\r\n]*(?:["'`]\w+["'`][ \t\r\n]*,[ \t\r\n]*)?(\{|[A-Za-z_$][A-Za-z0-9_$]*[ \t\r\n]*\))"#,
        )
    });
    let calls = CALL.captures_iter(script);
    let arguments = calls.filter_map(|call| {
        let argument = call.get(1)?;
        if argument.as_str() == "{" {
            return Some(&script[argument.start()..]);
        }
        let name = argument
            .as_str()
            .trim_end_matches([')', ' ', '\t', '\r', '\n']);
        let constant = regex(&format!(
            r"(?:const|let|var)[ \t]+{}[ \t]*=[ \t\r\n]*\{{",
            name.replace('$', "[$]")
        ));
        let found = constant.find(script)?;
        Some(&script[found.end() - 1..])
    });
    arguments.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::markdown::{BareLinks, Typography};

    #[test]
    fn literal_options_of_markdown_it_are_read() {
        for script in [
            "module.exports = (c) => { c.setLibrary('md', markdownIt({ html: true, breaks: true, linkify: true, typographer: true }).disable('code')) }",
            "const options = {\n  breaks: true,\n  linkify: true,\n  typographer: true,\n};\nexport default (c) => { c.amendLibrary(\"md\", (md) => md.set(options)); }",
            "c.amendLibrary('md', (lib) => { lib.options.breaks = true; lib.options.linkify = true; lib.options.typographer = true; })",
        ] {
            let dialect = dialect(script);
            assert!(dialect.line_breaks, "{script}");
            assert_eq!(dialect.bare_links, BareLinks::MarkdownIt, "{script}");
            assert_eq!(dialect.typography, Typography::MARKDOWN_IT, "{script}");
            assert!(!dialect.indented_code, "{script}");
        }
        let script = "import emoji from 'markdown-it-emoji';\nc.setLibrary('md', markdownIt('default', { html: true }).use(emoji))";
        let own = dialect(script);
        assert!(own.emoji && !own.indented_code && !own.line_breaks);
        assert_eq!(dialect("export default () => {}"), Dialect::MARKDOWN_IT);
    }

    #[test]
    fn computed_options_and_unsupported_plugins_are_reported() {
        let script = "const sup = require(\"markdown-it-sup\");\nc.setLibrary('md', markdownIt({\n  breaks: isBreaking(),\n}).use(sup))";
        let found = problems("eleventy.config.js", script);
        let found: Vec<&str> = found
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        assert_eq!(
            found,
            [
                "the value of `markdownIt.breaks` is computed by a script, which is not run",
                "the setting `markdown-it-sup` is not supported: its marks are shown as text",
            ]
        );
    }
}
